/* rinkctl jobs, job, log, and the moves of jobs: cancel, pause, resume, kick, delete. */
#include "api/job_states.h"
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

/* " ready leased …" */
#define STATE_NAME(state, name, ...) " " name
#define STATE_NAMES                  JOB_STATE_ROWS(STATE_NAME)

static const struct option_row jobs_options[] = {
    {"state", "STATE", "one of" STATE_NAMES, .choices = STATE_NAMES},
    {"kind", "KIND", NULL, .type = OPTION_KIND},
    LIST_LIMIT,
    {0},
};

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

static void show_log(const struct line *line, const struct client_answer *answer)
{
    if (answer->bytes > 0)
        print_text(stdout, answer->text, true);
    else
        fprintf(stderr, "%s: its worker wrote nothing\n", line->name);
}

/* ---- moves ---- */

/* Moves all the jobs. Returns the status of the first one that failed. */
static enum exit_status move(const struct line *line)
{
    const char *reason = option_text(line, "reason");
    json_t *body = reason ? json_pack("{s:s}", "reason", reason) : NULL;
    struct client_call call = page_call(line);
    enum exit_status status = EXIT_GOOD;

    call.body = body;
    for (int k = 0; k < line->word_count; k++) {
        struct client_answer answer;
        call.id = line->word[k];
        fflush(stdout); /* keeps answers and complaints in order */
        enum exit_status one = client_call(line->client, &call, &answer);
        const char *state = text_of(answer.json, "state");
        if (one == EXIT_GOOD && !option_given(line, "json"))
            printf("job %s: %s\n", call.id, *state ? state : "deleted");
        else if (one == EXIT_GOOD && answer.json)
            puts(answer.text);
        client_answer_free(&answer);
        status = status == EXIT_GOOD ? one : status;
    }
    json_decref(body);
    return status;
}

static const struct option_row cancel_options[] = {
    {"reason", "TEXT", "kept with the job", .type = OPTION_TEXT},
    {0},
};

/* ---- the commands ---- */

const struct command job_commands[] = {
    {"jobs", "List jobs, the newest first.", NO_WORD, list_run, .options = jobs_options,
     .path = "/v1/jobs", .columns = job_columns, .empty = "there are no such jobs"},
    {"job", "Show one job, and its result when it has one.", WORD_JOB, page_run,
     .path = "/v1/jobs/{}?history=true", .columns = job_fields},
    {"log", "Show the last lines that the job's worker wrote.", WORD_JOB, page_run,
     .path = "/v1/jobs/{}/log", .show = show_log},
    {"cancel",
     "End jobs and keep what they found so far. A running job stays \"leased\" until its "
     "worker has stopped.",
     WORD_JOBS, move, .options = cancel_options, .method = "POST", .path = "/v1/jobs/{}/cancel"},
    {"pause",
     "Make jobs wait until they are resumed. A running job stays \"leased\" until its "
     "worker has stopped.",
     WORD_JOBS, move, .method = "POST", .path = "/v1/jobs/{}/pause"},
    {"resume", "Let paused jobs go on.", WORD_JOBS, move, .method = "POST",
     .path = "/v1/jobs/{}/resume"},
    {"kick", "Give buried jobs another chance.", WORD_JOBS, move, .method = "POST",
     .path = "/v1/jobs/{}/kick"},
    {"delete", "Remove ended jobs with their runs, results and files.", WORD_JOBS, move,
     .method = "DELETE", .path = "/v1/jobs/{}"},
    {0},
};
