/* rinkctl jobs, job, tasks, log. */
#include "api/jobs/job_states.h"
#include "service/rinkctl/page.h"

/* ---- jobs ---- */

static const struct column job_columns[] = {
    {"job", "id", NULL, true},
    {"kind", "kind", NULL, false},
    {"owner", "owner", NULL, false},
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
    {"owner", "NAME", "submitted by this token", .type = OPTION_TEXT},
    LIST_LIMIT,
    {0},
};

/* ---- job ---- */

static const struct column job_fields[] = {
    {"job", "id", NULL, false},
    {"kind", "kind", NULL, false},
    {"owner", "owner", NULL, false},
    {"state", "state", NULL, false},
    {"wanted", "wanted", NULL, false},
    {"done", "progress", print_percent, false},
    {"left", "eta_s", print_duration, false},
    {"jobs before it", "position", NULL, false},
    {"waits because", "waiting_because", NULL, false},
    {"after", "after", print_list, false},
    {"if one fails", "after_failure", NULL, false},
    {"jobs after it", "needed_by", print_list, false},
    {"repeats", "repeat_of", NULL, false},
    {"priority", "priority", NULL, false},
    {"attempt", "attempt", NULL, false},
    {"attempts at most", "max_attempts", NULL, false},
    {"cores at most", "cores", NULL, false},
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

/* ---- tasks ---- */

static const struct column task_columns[] = {
    {"task", "number", NULL, true},
    {"state", "state", NULL, false},
    {"merged", "merged", NULL, false},
    {"node", "node", NULL, false},
    {"cores", "cores", NULL, true},
    {"seconds", "seconds", NULL, true},
    {"part", "spec", print_compact, false},
    {"last error", "error", NULL, false},
    {0},
};

static const struct option_row tasks_options[] = {LIST_LIMIT, {0}};

/* ---- log ---- */

static void show_log(const struct line *line, const struct client_answer *answer)
{
    if (answer->bytes > 0)
        print_text(stdout, answer->text, true);
    else
        fprintf(stderr, "%s: its worker wrote nothing\n", line->name);
}

/* ---- the commands ---- */

const struct command job_commands[] = {
    {"jobs", "List jobs, the newest first.", NO_WORD, list_run, .options = jobs_options,
     .path = "/v1/jobs", .columns = job_columns, .empty = "there are no such jobs"},
    {"job", "Show one job, and its result when it has one.", WORD_JOB, page_run,
     .path = "/v1/jobs/{}?history=true", .columns = job_fields},
    {"tasks", "List the parts of a job and who did them, the last part first.", WORD_JOB, list_run,
     .options = tasks_options, .path = "/v1/jobs/{}/tasks", .columns = task_columns,
     .empty = "the job has no tasks"},
    {"log", "Show the last lines that the job's worker wrote.", WORD_JOB, page_run,
     .path = "/v1/jobs/{}/log", .show = show_log},
    {0},
};
