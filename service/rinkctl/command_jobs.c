/* rinkctl jobs, job, log, and what moves jobs: cancel, pause, resume, kick, delete. */
#include "api/job_kinds.h"
#include "service/rinkctl/client.h"
#include "service/rinkctl/list.h"
#include "service/rinkctl/options.h"
#include "service/rinkctl/print.h"
#include "service/rinkctl/watch.h"

#include <string.h>

/* ---- jobs ---- */

static const struct column job_columns[] = {
    {"job", "id", NULL, true},
    {"kind", "kind", NULL, false},
    {"state", "state", NULL, false},
    {"done", "progress", print_percent, true},
    {"left", "eta_s", print_duration, true},
    {"tries", "attempt", NULL, true},
    {"added (UTC)", "created_at", print_time, false},
    {"changed (UTC)", "updated_at", print_time, false},
    {"error", "error.detail", NULL, false},
};

enum exit_status command_jobs(int argc, char **argv, struct common *common)
{
    char kinds[JOB_KIND_NAMES_MAX];
    const struct list list = {
        .about = "List jobs, the newest first.",
        .path = "/v1/jobs",
        .filters = {{"state", "STATE", "ready, leased, paused, done, buried or cancelled"},
                    {"kind", "KIND", job_kind_names(true, kinds)}},
        .columns = job_columns,
        .column_count = sizeof job_columns / sizeof job_columns[0],
        .empty = "there are no such jobs"};
    return list_command(&list, argc, argv, common);
}

/* ---- job, log ---- */

static const struct column job_fields[] = {
    {"job", "id", NULL, false},
    {"kind", "kind", NULL, false},
    {"state", "state", NULL, false},
    {"wanted", "wanted", NULL, false},
    {"done", "progress", print_percent, false},
    {"left", "eta_s", print_duration, false},
    {"jobs before it", "position", NULL, false},
    {"waits because", "waiting_because", NULL, false},
    {"priority", "priority", NULL, false},
    {"attempt", "attempt", NULL, false},
    {"attempts at most", "max_attempts", NULL, false},
    {"crashes", "crashes", NULL, false},
    {"added (UTC)", "created_at", print_time, false},
    {"may start (UTC)", "run_at", print_time, false},
    {"started (UTC)", "started_at", print_time, false},
    {"ended (UTC)", "finished_at", print_time, false},
    {"error", "error.code", NULL, false},
    {"", "error.detail", NULL, false},
    {"runs", "runs", print_list, false},
    {"spec", "spec", print_compact, false},
};

enum exit_status command_job(int argc, char **argv, struct common *common)
{
    const char *id =
        options_word(argc, argv, common, WORD_JOB, "Show one job, and its result when it has one.");
    struct client_answer answer;
    struct client *client = client_open(argv[0], common);
    if (!client)
        return EXIT_TROUBLE;
    const struct client_call call = {.path = "/v1/jobs/{}?history=true", .id = id};
    enum exit_status status = client_call(client, &call, &answer);
    if (status == EXIT_GOOD && common->json) {
        status = print_raw(argv[0], answer.text);
    } else if (status == EXIT_GOOD) {
        const json_t *result = json_object_get(answer.json, "result");
        print_fields(stdout, job_fields, sizeof job_fields / sizeof job_fields[0], answer.json);
        if (json_is_object(result)) {
            putchar('\n');
            print_result(stdout, text_of(answer.json, "kind"), result);
        }
    }
    client_answer_free(&answer);
    client_free(client);
    return status;
}

enum exit_status command_log(int argc, char **argv, struct common *common)
{
    const char *id = options_word(argc, argv, common, WORD_JOB,
                                  "Show the last lines that the job's worker wrote.");
    struct client_answer answer;
    struct client *client = client_open(argv[0], common);
    if (!client)
        return EXIT_TROUBLE;
    const struct client_call call = {.path = "/v1/jobs/{}/log", .id = id};
    enum exit_status status = client_call(client, &call, &answer);
    if (status == EXIT_GOOD && answer.bytes > 0)
        print_text(stdout, answer.text, true);
    else if (status == EXIT_GOOD)
        fprintf(stderr, "%s: its worker wrote nothing\n", argv[0]);
    client_answer_free(&answer);
    client_free(client);
    return status;
}

/* ---- moves ---- */

enum { KEY_REASON = 0x300, JOBS_MAX = 1000 };

static const struct argp_option reason_option[] = {
    {"reason", KEY_REASON, "TEXT", 0, "kept with the job", 1},
    {0},
};

struct move {
    const char *about, *method, *path, *done; /* done: what to say without a state */
    bool has_reason;
};

struct move_options {
    struct common *common;
    const char *reason, *ids[JOBS_MAX];
    int count;
};

static error_t read_move(int key, char *argument, struct argp_state *state)
{
    struct move_options *options = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = options->common;
        return 0;
    case KEY_REASON:
        options->reason = argument;
        return 0;
    case ARGP_KEY_ARG:
        if (options->count == JOBS_MAX)
            argp_error(state, "at most %d jobs at a time", JOBS_MAX);
        else
            options->ids[options->count++] = option_job(state, argument);
        return 0;
    case ARGP_KEY_END:
        if (options->count == 0)
            argp_error(state, "the number of a job is missing");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* All of them; the status is that of the first that failed. */
static enum exit_status move_jobs(const struct move *move, int argc, char **argv,
                                  struct common *common)
{
    static const struct argp_child children[] = {{&common_argp, 0, NULL, 0}, {0}};
    const struct argp argp = {move->has_reason ? reason_option : NULL,
                              read_move,
                              "JOB...",
                              move->about,
                              children,
                              NULL,
                              NULL};
    struct move_options options = {.common = common};
    enum exit_status status = EXIT_GOOD;

    if (argp_parse(&argp, argc, argv, 0, NULL, &options) != 0)
        return EXIT_TROUBLE;
    struct client *client = client_open(argv[0], common);
    if (!client)
        return EXIT_TROUBLE;
    json_t *body = options.reason ? json_pack("{s:s}", "reason", options.reason) : NULL;
    for (int k = 0; k < options.count; k++) {
        const struct client_call call = {
            .method = move->method, .path = move->path, .id = options.ids[k], .body = body};
        struct client_answer answer;
        fflush(stdout); /* in the order of the complaints */
        enum exit_status one = client_call(client, &call, &answer);
        if (one == EXIT_GOOD && common->json && answer.json)
            one = print_raw(argv[0], answer.text);
        else if (one == EXIT_GOOD && !common->json)
            printf("job %s: %s\n", options.ids[k],
                   move->done ? move->done : text_of(answer.json, "state"));
        client_answer_free(&answer);
        status = status == EXIT_GOOD ? one : status;
    }
    json_decref(body);
    client_free(client);
    return status;
}

enum exit_status command_cancel(int argc, char **argv, struct common *common)
{
    static const struct move move = {
        "End jobs. What they found so far is kept; one that runs is \"leased\" until its worker "
        "lets go.",
        "POST", "/v1/jobs/{}/cancel", NULL, true};
    return move_jobs(&move, argc, argv, common);
}

enum exit_status command_pause(int argc, char **argv, struct common *common)
{
    static const struct move move = {
        "Make jobs wait until they are resumed. One that runs is \"leased\" until its worker lets "
        "go.",
        "POST", "/v1/jobs/{}/pause", NULL, false};
    return move_jobs(&move, argc, argv, common);
}

enum exit_status command_resume(int argc, char **argv, struct common *common)
{
    static const struct move move = {"Let paused jobs go on.", "POST", "/v1/jobs/{}/resume", NULL,
                                     false};
    return move_jobs(&move, argc, argv, common);
}

enum exit_status command_kick(int argc, char **argv, struct common *common)
{
    static const struct move move = {"Give buried jobs another chance.", "POST", "/v1/jobs/{}/kick",
                                     NULL, false};
    return move_jobs(&move, argc, argv, common);
}

enum exit_status command_delete(int argc, char **argv, struct common *common)
{
    static const struct move move = {"Remove jobs that have ended, with all that they left.",
                                     "DELETE", "/v1/jobs/{}", "deleted", false};
    return move_jobs(&move, argc, argv, common);
}
