/* rinkctl cancel, pause, resume, kick, delete, priority: moves of jobs, of each that is named or of
 * all that some options choose. */
#include "api/base/build_json.h"
#include "api/jobs/job_states.h"
#include "service/rinkctl/page.h"

#include <string.h>

/* Moves all the jobs. Returns the status of the first one that failed. */
static enum exit_status move(const struct line *line)
{
    json_t *body = json_object();
    struct client_call call = page_call(line);
    enum exit_status status = EXIT_GOOD;

    options_set_members(line, body);
    call.body = json_object_size(body) > 0 ? body : NULL;
    for (int k = 0; k < line->word_count; k++) {
        struct client_answer answer;
        call.id = line->word[k];
        fflush(stdout); /* keeps answers and complaints in order */
        enum exit_status one = client_call(line->client, &call, &answer);
        const char *state = text_of(answer.json, "state");
        const char *wanted = text_of(answer.json, "wanted");
        if (one == EXIT_GOOD && !option_given(line, "json"))
            printf("job %s: %s%s%s\n", call.id, *state ? state : "deleted",
                   *wanted ? ", will be " : "", wanted);
        else if (one == EXIT_GOOD && answer.json)
            puts(answer.text);
        client_answer_free(&answer);
        status = status == EXIT_GOOD ? one : status;
    }
    json_decref(body);
    return status;
}

/* ---- many jobs ---- */

/* Whether the option chooses jobs. */
static bool chooses(const struct option_row *row)
{
    static const char *const names[] = {
        "state", "kind", "owner", "submitted-after", "submitted-before", "all", "dry-run"};

    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
        if (strcmp(row->name, names[k]) == 0)
            return true;
    return false;
}

static bool has_choice(const struct line *line)
{
    for (int k = 0; k < line->givens; k++)
        if (chooses(line->given[k].row))
            return true;
    return false;
}

static void check_choice(struct line *line, struct argp_state *state)
{
    if (line->word_count == 0 && !has_choice(line))
        argp_error(state, "the number of a job is missing, or options that choose jobs, or --all");
    for (const struct option_row *row = line->options; row->name; row++)
        if (row->is_needed && !option_given(line, row->name))
            argp_error(state, "--%s=%s is needed", row->name, row->argument);
}

/* Moves the jobs that the options choose, by one call; words are their ids. */
static enum exit_status move_chosen(const struct line *line)
{
    json_t *body = json_object(), *ids = json_array();
    char path[64];
    struct client_answer answer;

    snprintf(path, sizeof path, "/v1/jobs/%s", line->command->name);
    for (int k = 0; k < line->word_count; k++)
        json_array_append_new(ids, option_json(OPTION_WHOLE, line->word[k]));
    if (line->word_count > 0)
        json_object_set(body, "ids", ids);
    json_decref(ids);
    options_set_members(line, body);
    const struct client_call call = {
        .method = "POST", .path = path, .body = body, .most_s = 3600.0};
    enum exit_status status = client_call(line->client, &call, &answer);
    long long count = (long long)number_of(answer.json, "count");
    const char *why = text_of(answer.json, "why");
    if (status == EXIT_GOOD && option_given(line, "json"))
        puts(answer.text);
    else if (status == EXIT_GOOD)
        printf("%lld job%s%s\n", count, count == 1 ? "" : "s",
               option_given(line, "dry-run") ? " would be moved" : "");
    if (status == EXIT_GOOD && *why) {
        complain(line->name, "it stopped in the middle: %s", why);
        status = EXIT_TROUBLE;
    }
    client_answer_free(&answer);
    json_decref(body);
    return status;
}

static enum exit_status move_some(const struct line *line)
{
    return has_choice(line) ? move_chosen(line) : move(line);
}

/* " ready leased …" */
#define STATE_NAME(state, name, ...) " " name
#define STATE_NAMES                  JOB_STATE_ROWS(STATE_NAME)

#define CHOICE                                                                                 \
    {"state", "STATE", "jobs in this state", .member = "state", .choices = STATE_NAMES},       \
        {"kind", "KIND", NULL, .type = OPTION_KIND, .member = "kind"},                         \
        {"owner", "NAME", "jobs that this token submitted", .member = "owner"},                \
        {"submitted-after", "TIME", "jobs of this time or later, as 2026-01-31T12:00:00Z",     \
         .member = "submitted_after"},                                                         \
        {"submitted-before", "TIME", "jobs of an earlier time", .member = "submitted_before"}, \
        {"all", NULL, "all jobs that can be moved", .member = "all"},                          \
    {                                                                                          \
        "dry-run", NULL, "only count the jobs", .member = "dry_run"                            \
    }

static const struct option_row cancel_options[] = {
    {"reason", "TEXT", "kept with the job", .type = OPTION_TEXT, .member = "reason"},
    CHOICE,
    {0},
};

static const struct option_row delete_options[] = {CHOICE, {0}};

static const struct option_row priority_options[] = {
    {"to", "N", "the priority; smaller is earlier", OPTION_WHOLE, -1000, 1000, .member = "priority",
     .is_needed = true},
    CHOICE,
    {0},
};

/* ---- the commands ---- */

#define CHOOSES                                                                                  \
    "\vThe options that choose jobs narrow the choice together; with them JOBs are some of the " \
    "chosen ones."

const struct command move_commands[] = {
    {"cancel",
     "End jobs and keep what they found so far. A running job stays \"leased\" until its "
     "worker has stopped." CHOOSES,
     WORD_MAYBE_JOBS, move_some, .options = cancel_options, .check = check_choice, .method = "POST",
     .path = "/v1/jobs/{}/cancel"},
    {"pause",
     "Make jobs wait until they are resumed. A running job stays \"leased\" until its "
     "worker has stopped.",
     WORD_JOBS, move, .method = "POST", .path = "/v1/jobs/{}/pause"},
    {"resume", "Let paused jobs go on.", WORD_JOBS, move, .method = "POST",
     .path = "/v1/jobs/{}/resume"},
    {"kick", "Give buried jobs another chance.", WORD_JOBS, move, .method = "POST",
     .path = "/v1/jobs/{}/kick"},
    {"delete", "Remove ended jobs with their runs, results and files." CHOOSES, WORD_MAYBE_JOBS,
     move_some, .options = delete_options, .check = check_choice, .method = "DELETE",
     .path = "/v1/jobs/{}"},
    {"priority", "Give jobs another place in the line." CHOOSES, WORD_MAYBE_JOBS, move_some,
     .options = priority_options, .check = check_choice, .method = "POST",
     .path = "/v1/jobs/{}/priority"},
    {0},
};
