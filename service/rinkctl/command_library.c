/* rinkctl library, position, library-add, library-delete, puzzles. */
#include "service/rinkctl/page.h"
#include "service/rinkctl/position_file.h"
#include "service/rinkctl/submit_options.h"

#include <string.h>

static const struct column library_columns[] = {
    {"position", "id", NULL, true},
    {"title", "title", NULL, false},
    {"puzzle", "puzzle", NULL, false},
    {"tags", "tags", print_list, false},
    {"profile", "profile", NULL, false},
    {"cost", "cost", print_percent, true},
    {"review", "review", NULL, true},
    {"owner", "owner", NULL, false},
    {"added (UTC)", "created_at", print_time, false},
    {0},
};

static const struct column position_fields[] = {
    {"position", "id", NULL, false},
    {"title", "title", NULL, false},
    {"note", "note", NULL, false},
    {"puzzle", "puzzle", NULL, false},
    {"tags", "tags", print_list, false},
    {"profile", "profile", NULL, false},
    {"state", "state", print_compact, false},
    {"setting", "setting", print_compact, false},
    {"best", "best", print_compact, false},
    {"cost", "cost", print_percent, false},
    {"review", "review", NULL, false},
    {"owner", "owner", NULL, false},
    {"added (UTC)", "created_at", print_time, false},
    {0},
};

static const struct option_row list_options[] = {
    {"tag", "TAG", "only those with this tag", .type = OPTION_TEXT},
    {"puzzle", "true", "true: only puzzles", .choices = " true false"},
    LIST_LIMIT,
    {0},
};

static const struct option_row add_options[] = {
    {"title", "TEXT", "what it is", .type = OPTION_TEXT, .member = "title", .is_needed = true},
    {"note", "TEXT", "more about it", .type = OPTION_TEXT, .member = "note"},
    {"tag", "TAG", "may be repeated", .type = OPTION_TEXT},
    {"puzzle", NULL, "its best shot is to be found", .member = "puzzle"},
    {0},
};

static const struct option_row puzzle_options[] = {
    {"most", "N", "puzzles at most (default 5)", OPTION_WHOLE, .least = 1, .most = 32,
     .member = "most"},
    {0},
};

static enum exit_status add(const struct line *line)
{
    static const char *const takes[] = {"profile", "state", "setting", NULL};
    json_t *body = position_file_read(line, takes);

    if (!body)
        return EXIT_TROUBLE;
    if (!json_object_get(body, "profile"))
        json_object_set_new(body, "profile", json_string(SHOT_PROFILE));
    struct client_call call = page_call(line);
    json_t *tags = options_values(line, "tag");
    if (tags)
        json_object_set_new(body, "tags", tags);
    call.body = body;
    enum exit_status status = page_show(line, &call);
    json_decref(body);
    return status;
}

static enum exit_status fill(const struct line *line)
{
    struct client_call call = page_call(line);
    json_t *body = json_object();

    options_set_members(line, body);
    call.body = body;
    enum exit_status status = page_show(line, &call);
    json_decref(body);
    return status;
}

static void show_filled(const struct line *line, const struct client_answer *answer)
{
    (void)line;
    print_table(stdout, library_columns, json_object_get(answer->json, "items"));
}

static void show_deleted(const struct line *line, const struct client_answer *answer)
{
    (void)answer;
    printf("position %s: deleted\n", line->word[0]);
}

const struct command library_commands[] = {
    {"library", "List the positions that people keep, the newest first.", NO_WORD, list_run,
     .options = list_options, .path = "/v1/library", .columns = library_columns,
     .empty = "the library is empty"},
    {"position", "Show a position of the library.", WORD_POSITION, page_run,
     .path = "/v1/library/{}", .columns = position_fields},
    {"library-add",
     "Keep a position."
     "\vFILE (\"-\" or nothing: standard input) is a position, as for shot.",
     WORD_FILE, add, .options = add_options, .method = "POST", .path = "/v1/library",
     .columns = position_fields},
    {"library-delete", "Delete a position of the library.", WORD_POSITION, page_run,
     .method = "DELETE", .path = "/v1/library/{}", .show = show_deleted},
    {"puzzles", "Make puzzles of the calls of a review that cost most.", WORD_JOB, fill,
     .options = puzzle_options, .method = "POST", .path = "/v1/reviews/{}/puzzles",
     .show = show_filled},
    {0},
};
