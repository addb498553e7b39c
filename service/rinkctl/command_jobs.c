/* rinkctl jobs, job, log, and the moves of jobs: cancel, pause, resume, kick, delete. */
#include "api/job_kinds.h"
#include "service/rinkctl/list.h"
#include "service/rinkctl/page.h"

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
    {0},
};

enum exit_status command_jobs(int argc, char **argv, struct common *common)
{
    char kinds[JOB_KIND_NAMES_MAX];
    const struct list list = {
        .about = "List jobs, the newest first.",
        .path = "/v1/jobs",
        .filters = {{"state", "STATE", "ready, leased, paused, done, buried or cancelled", 1, 0, 0},
                    {"kind", "KIND", job_kind_names(true, kinds), 1, 0, 0}},
        .columns = job_columns,
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
    {0},
};

const struct page job_page = {
    .call = {.path = "/v1/jobs/{}?history=true"},
    .line = {.about = "Show one job, and its result when it has one.", .word = WORD_JOB},
    .fields = job_fields};

static void show_log(const char *command, const struct client_answer *answer, const void *context)
{
    (void)context;
    if (answer->bytes > 0)
        print_text(stdout, answer->text, true);
    else
        fprintf(stderr, "%s: its worker wrote nothing\n", command);
}

enum exit_status command_log(int argc, char **argv, struct common *common)
{
    static const struct command_line line = {
        .about = "Show the last lines that the job's worker wrote.", .word = WORD_JOB};
    struct client_call call = {.path = "/v1/jobs/{}/log"};
    struct arguments arguments;

    options_read(&line, argc, argv, common, &arguments);
    call.id = arguments.word[0];
    common->json = 0; /* the log is text */
    return page_show(argv[0], common, &call, show_log, NULL);
}

/* ---- moves ---- */

struct move {
    const char *about, *method, *path, *done; /* done: printed if the answer has no state */
    bool has_reason;
};

enum exit_status move_command(const struct move *move, int argc, char **argv, struct common *common)
{
    static const struct option_row reason[] = {
        {"reason", "TEXT", "kept with the job", 1, 0, 0},
        {0},
    };
    const struct command_line line = {move->about, move->has_reason ? reason : NULL, WORD_JOB,
                                      "JOB..."};
    struct arguments arguments;
    enum exit_status status = EXIT_GOOD;

    options_read(&line, argc, argv, common, &arguments);
    struct client *client = client_open(argv[0], common);
    if (!client)
        return EXIT_TROUBLE;
    json_t *body = arguments.option[0] ? json_pack("{s:s}", "reason", arguments.option[0]) : NULL;
    for (int k = 0; k < arguments.words; k++) {
        const char *id = arguments.word[k];
        const struct client_call call = {
            .method = move->method, .path = move->path, .id = id, .body = body};
        struct client_answer answer;
        fflush(stdout); /* keeps answers and complaints in order */
        enum exit_status one = client_call(client, &call, &answer);
        if (one == EXIT_GOOD && common->json && answer.json)
            one = print_raw(argv[0], answer.text);
        else if (one == EXIT_GOOD && !common->json)
            printf("job %s: %s\n", id, move->done ? move->done : text_of(answer.json, "state"));
        client_answer_free(&answer);
        status = status == EXIT_GOOD ? one : status;
    }
    json_decref(body);
    client_free(client);
    return status;
}

const struct move cancel_move = {"End jobs. What they found so far is kept; one that runs is "
                                 "\"leased\" until its worker lets go.",
                                 "POST", "/v1/jobs/{}/cancel", NULL, true};
const struct move pause_move = {
    "Make jobs wait until they are resumed. One that runs is \"leased\" until its worker lets go.",
    "POST", "/v1/jobs/{}/pause", NULL, false};
const struct move resume_move = {"Let paused jobs go on.", "POST", "/v1/jobs/{}/resume", NULL,
                                 false};
const struct move kick_move = {"Give buried jobs another chance.", "POST", "/v1/jobs/{}/kick", NULL,
                               false};
const struct move delete_move = {"Remove jobs that have ended, with all that they left.", "DELETE",
                                 "/v1/jobs/{}", "deleted", false};
