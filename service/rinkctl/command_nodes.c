/* rinkctl nodes, node, node-pause, node-resume, node-drain, node-forget. */
#include "service/rinkctl/page.h"

#include <string.h>

/* "job 7 task 3" of the first task, and how many more. */
static void print_doing(const json_t *doing, char ret_cell[CELL_BYTES])
{
    const json_t *first = json_array_get(doing, 0);
    size_t count = json_array_size(doing);

    if (count == 0)
        snprintf(ret_cell, CELL_BYTES, "-");
    else
        snprintf(ret_cell, CELL_BYTES,
                 count == 1 ? "job %lld, task %lld" : "job %lld, task %lld, and %zu more",
                 (long long)json_integer_value(json_object_get(first, "job")),
                 (long long)json_integer_value(json_object_get(first, "number")), count - 1);
}

static void print_away(const json_t *is_away, char ret_cell[CELL_BYTES])
{
    snprintf(ret_cell, CELL_BYTES, "%s", json_is_true(is_away) ? "away" : "here");
}

static const struct column node_columns[] = {
    {"node", "name", NULL, false},
    {"state", "state", NULL, false},
    {"is", "is_away", print_away, false},
    {"cores", "cores", NULL, true},
    {"does", "doing", print_doing, false},
    {"done", "done", NULL, true},
    {"failed", "failed", NULL, true},
    {"lost", "lost", NULL, true},
    {"core time", "busy_s", print_duration, true},
    {"seen (UTC)", "last_seen", print_time, false},
    {"last error", "last_error", NULL, false},
    {0},
};

static void print_refused(const json_t *refused, char ret_cell[CELL_BYTES])
{
    size_t used = 0, k;
    const json_t *row;

    ret_cell[0] = '\0';
    json_array_foreach(refused, k, row) if (used < CELL_BYTES) used +=
        (size_t)snprintf(ret_cell + used, CELL_BYTES - used, "%s%s: %s", k ? "; " : "",
                         json_string_value(json_object_get(row, "kind")),
                         json_string_value(json_object_get(row, "reason")));
    if (used == 0)
        snprintf(ret_cell, CELL_BYTES, "-");
}

static const struct column node_fields[] = {
    {"node", "name", NULL, false},
    {"state", "state", NULL, false},
    {"reason", "reason", NULL, false},
    {"is", "is_away", print_away, false},
    {"owner", "owner", NULL, false},
    {"place", "place", NULL, false},
    {"cores", "cores", NULL, false},
    {"throws a second", "shots_per_s", NULL, false},
    {"kinds", "kinds", print_list, false},
    {"refused", "refused", print_refused, false},
    {"does", "doing", print_doing, false},
    {"done", "done", NULL, false},
    {"failed", "failed", NULL, false},
    {"lost", "lost", NULL, false},
    {"core time", "busy_s", print_duration, false},
    {"since (UTC)", "since", print_time, false},
    {"seen (UTC)", "last_seen", print_time, false},
    {"last error", "last_error", NULL, false},
    {0},
};

static void show_forgotten(const struct line *line, const struct client_answer *answer)
{
    (void)answer;
    printf("node %s: forgotten\n", line->word[0]);
}

static void show_state(const struct line *line, const struct client_answer *answer)
{
    printf("node %s: %s\n", line->word[0],
           json_string_value(json_object_get(answer->json, "state")));
}

static const struct option_row limit_option[] = {LIST_LIMIT, {0}};

/* ---- the commands ---- */

const struct command node_commands[] = {
    {"nodes", "List nodes: other machines that do tasks of jobs.", NO_WORD, list_run,
     .options = limit_option, .path = "/v1/nodes", .columns = node_columns,
     .empty = "there are no nodes"},
    {"node", "Show a node.", WORD_NODE, page_run, .path = "/v1/nodes/{}", .columns = node_fields},
    {"node-pause", "Give a node no more tasks. It goes on with those that it has.", WORD_NODE,
     page_run, .method = "POST", .path = "/v1/nodes/{}/pause", .show = show_state},
    {"node-resume", "Give a node tasks again, also one that was suspended.", WORD_NODE, page_run,
     .method = "POST", .path = "/v1/nodes/{}/resume", .show = show_state},
    {"node-drain", "Let a node give its tasks back and end.", WORD_NODE, page_run, .method = "POST",
     .path = "/v1/nodes/{}/drain", .show = show_state},
    {"node-forget", "Delete a node; what it did goes to others.", WORD_NODE, page_run,
     .method = "DELETE", .path = "/v1/nodes/{}", .show = show_forgotten},
    {0},
};
