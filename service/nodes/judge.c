/* Does disputed tasks. See judge.h.
 *
 *     look: a writing task finds a dispute ──► place its files ──► a worker does it ──► hash its
 *     answer ──► settle: a writing task
 *
 * Files are placed and hashed on a thread of the loop's pool. */
#include "service/nodes/judge.h"

#include "api/base/clock.h"
#include "api/jobs/job_kinds.h"
#include "api/jobs/wire.h"
#include "service/base/child.h"
#include "service/base/config.h"
#include "service/base/core.h"
#include "service/base/log.h"
#include "service/base/metrics.h"
#include "service/base/place_file.h"
#include "service/jobs/job_folder.h"
#include "service/jobs/job_line.h"
#include "service/jobs/supervisor.h"
#include "service/nodes/answer.h"
#include "service/nodes/blobs.h"
#include "service/nodes/node_line.h"
#include "service/store/checks.h"
#include "service/store/nodes.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    NICENESS = 10,
    DISPUTE_MOST_MS = 3600000,
    /* then it is settled without an answer */ REASON_MAX = 300,
    PLACE_MAX = PATH_MAX + NAME_MAX + 32
};

struct judge {
    const struct base *base;
    struct supervisor *supervisor;
    void (*suspended)(void *context);
    void *context;
    char data[PATH_MAX]; /* absolute, as lines of jobs tell paths of files by it */
    struct core_task task;
    bool is_looking, is_settling, is_stopped;
    uv_work_t work; /* on the files of the dispute, on another thread */
    bool is_working, has_worked;

    struct check_dispute dispute; /* claim.id 0: none */
    json_t *line, *files;
    char folder[PATH_MAX];
    struct child *child;
    double heard_s; /* CLOCK_MONOTONIC, of the child */
    json_t *said;   /* its lines that count for the answer; their files are said.N in its folder */
    char answer[ANSWER_MAX];
    char output[NAME_MAX + 1]; /* name of its file; "": none */
    json_t *result;            /* NULL: it has not said that it is done */

    const char *liar; /* of the dispute; NULL: nobody, or it cannot be told */
    char reason[REASON_MAX];
    json_t *jobs; /* whose leads have to start anew */
};

static struct judge *judge_of(struct core_task *task)
{
    return (struct judge *)((char *)task - offsetof(struct judge, task));
}

struct judge *judge_new(const struct base *base, struct supervisor *supervisor,
                        void (*suspended)(void *context), void *context)
{
    struct judge *judge = calloc(1, sizeof *judge);

    if (!judge || !realpath(base->config->data, judge->data)) {
        free(judge);
        return NULL;
    }
    judge->base = base;
    judge->supervisor = supervisor;
    judge->suspended = suspended;
    judge->context = context;
    return judge;
}

/* ---- its folder ---- */

static void empty_folder(const char *path)
{
    DIR *folder = opendir(path);
    const struct dirent *entry;

    while (folder && (entry = readdir(folder)) != NULL)
        unlinkat(dirfd(folder), entry->d_name, 0); /* fails for "." and "..", which is fine */
    if (folder)
        closedir(folder);
}

static bool make_folder(struct judge *judge)
{
    char path[PLACE_MAX];

    snprintf(path, sizeof path, "%s/check", judge->data);
    mkdir(path, 0700);
    if (!realpath(path, judge->folder))
        return false;
    empty_folder(judge->folder);
    return true;
}

static bool place_inputs(const struct judge *judge)
{
    char place[PLACE_MAX];
    const json_t *file;
    size_t k;

    json_array_foreach(judge->files, k, file)
    {
        const char *name = json_string_value(json_object_get(file, "name"));
        snprintf(place, sizeof place, "%s/%s", judge->folder, name ? name : "");
        if (name && blob_place(judge->data, json_string_value(json_object_get(file, "sha256")),
                               place) != API_OK)
            return false;
    }
    return true;
}

static bool set_folder(const struct judge *judge, json_t *value)
{
    const char *key, *text = json_string_value(value);
    char path[PLACE_MAX];
    json_t *member;
    size_t k;
    bool good = true;

    if (text && strncmp(text, NODE_LINE_FOLDER, strlen(NODE_LINE_FOLDER)) == 0) {
        snprintf(path, sizeof path, "%s%s", judge->folder, text + strlen(NODE_LINE_FOLDER));
        return json_string_set(value, path) == 0;
    }
    json_array_foreach(value, k, member) good = set_folder(judge, member) && good;
    json_object_foreach(value, key, member) good = set_folder(judge, member) && good;
    return good;
}

/* ---- settling ---- */

static void forget(struct judge *judge)
{
    job_claim_free(&judge->dispute.claim);
    json_decref(judge->line);
    json_decref(judge->files);
    json_decref(judge->result);
    json_decref(judge->said);
    json_decref(judge->jobs);
    memset(&judge->dispute, 0, sizeof judge->dispute);
    judge->line = judge->files = judge->result = judge->said = judge->jobs = NULL;
    judge->output[0] = judge->answer[0] = '\0';
    judge->liar = NULL;
}

/* The leads of jobs whose tasks are done again. */
static void tell_leads(const struct judge *judge,
                       void (*tell)(struct supervisor *supervisor, int64_t job))
{
    const json_t *job;
    size_t k;

    json_array_foreach(judge->jobs, k, job)
    {
        tell(judge->supervisor, json_integer_value(json_object_get(job, "job")));
    }
}

/* Deletes what a liar has sent. If the commit fails after that, the leads refuse what is gone. */
static void remove_files(const struct judge *judge)
{
    const json_t *job;
    size_t k;

    json_array_foreach(judge->jobs, k, job)
    {
        job_folder_remove_files(judge->base->config->data,
                                json_integer_value(json_object_get(job, "job")),
                                json_object_get(job, "files"));
    }
}

static void drain_lead(struct supervisor *supervisor, int64_t job)
{
    supervisor_tell(supervisor, job, JOB_PAUSE);
}

static enum api_error run_settling(struct core_task *task, struct store *store)
{
    struct judge *judge = judge_of(task);
    const struct job_claim *claim = &judge->dispute.claim;
    int64_t now_ms = core_now_ms(judge->base->core);
    enum api_error error = check_store_settle(store, claim->id, claim->task, judge->liar, now_ms);

    json_decref(judge->jobs);
    judge->jobs = NULL;
    if (error != API_OK || !judge->liar)
        return error;
    error = node_store_suspend(store, judge->liar, judge->reason, now_ms);
    if (error == API_NOT_FOUND) /* it was forgotten */
        error = API_OK;
    if (error == API_OK)
        error = check_store_redo(store, judge->liar, now_ms, &judge->jobs);
    if (error == API_OK) {
        tell_leads(judge, supervisor_outdate);
        remove_files(judge);
    }
    return error;
}

static void finish_settling(struct core_task *task, enum api_error result)
{
    struct judge *judge = judge_of(task);
    bool is_over = result == API_OK;

    judge->is_settling = false;
    tell_leads(judge, drain_lead); /* also after a commit that failed: they are outdated */
    if (is_over && judge->liar) {
        log_line(LOG_ERROR, "a node was suspended", log_text("node", judge->liar),
                 log_text("why", judge->reason));
        metrics_count(judge->base->metrics, METRIC_TASK_CHECKS_WRONG, 1);
        judge->suspended(judge->context);
    }
    forget(judge); /* after a failure the dispute is found again */
    if (is_over)
        judge_wake(judge);
}

static void settle(struct judge *judge)
{
    judge->is_settling = true;
    judge->task =
        (struct core_task){.writes = true, .run = run_settling, .finish = finish_settling};
    core_submit_own(judge->base->core, &judge->task);
}

/* Finds whose answer is not ours, if we have one. */
static void compare(struct judge *judge)
{
    const struct check_dispute *dispute = &judge->dispute;

    if (!judge->answer[0]) {
        log_line(LOG_WARNING, "a disputed task cannot be done here",
                 log_whole("job", dispute->claim.id), log_whole("task", dispute->claim.task));
        return;
    }
    bool first_is_right = strcmp(judge->answer, dispute->answer) == 0;
    bool second_is_right = strcmp(judge->answer, dispute->checker_answer) == 0;
    if (first_is_right && dispute->checker_answer[0])
        judge->liar = dispute->checker;
    else if (!first_is_right && (second_is_right || !dispute->checker_answer[0]))
        judge->liar = dispute->node;
    else if (!first_is_right)
        log_line(LOG_ERROR, "three machines gave three answers",
                 log_whole("job", dispute->claim.id), log_whole("task", dispute->claim.task),
                 log_text("nodes", dispute->node), log_text("and", dispute->checker));
    snprintf(judge->reason, sizeof judge->reason,
             "its answer to task %lld of job %lld was not that of %s",
             (long long)dispute->claim.task, (long long)dispute->claim.id,
             second_is_right || first_is_right ? "another node and of the service itself"
                                               : "the service itself");
}

/* ---- on another thread ---- */

/* Runs `work` there, then `done` here. */
static void start_work(struct judge *judge, uv_work_cb work, uv_after_work_cb done)
{
    judge->work.data = judge;
    judge->has_worked = false;
    judge->is_working = true;
    uv_queue_work(core_loop(judge->base->core), &judge->work, work, done);
}

static void said_path(const struct judge *judge, size_t index, char ret_path[PLACE_MAX])
{
    snprintf(ret_path, PLACE_MAX, "%s/.said.%zu", judge->folder, index);
}

/* Hashes all that the worker has said of its run. */
static bool hash_said(const struct judge *judge, char ret_said[ANSWER_MAX])
{
    char path[PLACE_MAX], next[ANSWER_MAX];
    struct wire_message message;
    struct strict_errors errors = {.count = 0};
    json_t *line;
    size_t k;
    bool good = true;

    ret_said[0] = '\0';
    json_array_foreach(judge->said, k, line)
    {
        const struct strict_place root = strict_root(line, &errors);
        said_path(judge, k, path);
        if (!good || !wire_take(&root, &message))
            return false;
        good = answer_hash_line(&message, path, next) == API_OK;
        wire_free(&message);
        if (good && next[0])
            answer_add(ret_said, next);
    }
    return good;
}

static void run_hashing(uv_work_t *work)
{
    struct judge *judge = work->data;
    char path[PLACE_MAX], said[ANSWER_MAX];

    snprintf(path, sizeof path, "%s/%s", judge->folder, judge->output);
    if (answer_hash(judge->result, judge->output[0] ? path : NULL, judge->answer) != API_OK ||
        (judge->dispute.has_said && !hash_said(judge, said)))
        judge->answer[0] = '\0';
    else if (judge->dispute.has_said)
        answer_add(judge->answer, said);
}

static void on_hashed(uv_work_t *work, int status)
{
    struct judge *judge = work->data;

    (void)status;
    judge->is_working = false;
    if (judge->is_stopped) {
        forget(judge);
        return;
    }
    compare(judge);
    settle(judge);
}

/* ---- the worker ---- */

/* Keeps a line for the answer, and its file: the worker may remove it before its end. */
static void take_said(struct judge *judge, const struct wire_message *message)
{
    char from[PLACE_MAX], to[PLACE_MAX];

    if (message->type != WIRE_METRICS && message->type != WIRE_CHECKPOINT &&
        message->type != WIRE_MODEL)
        return;
    if (!judge->said)
        judge->said = json_array();
    said_path(judge, json_array_size(judge->said), to);
    snprintf(from, sizeof from, "%s/%s", judge->folder,
             message->type == WIRE_CHECKPOINT ? message->checkpoint.path : "");
    if (json_array_append(judge->said, message->document) != 0 ||
        (message->type == WIRE_CHECKPOINT && link(from, to) != 0))
        child_kill(judge->child); /* no answer */
}

static void on_line(void *context, const char *text, size_t length)
{
    struct judge *judge = context;
    struct wire_message message;
    struct strict_errors errors;

    judge->heard_s = clock_now_s();
    if (!text || judge->result || !wire_read(text, length, &message, &errors))
        return;
    take_said(judge, &message);
    if (message.type == WIRE_OUTPUT)
        snprintf(judge->output, sizeof judge->output, "%s", message.output.path);
    if (message.type == WIRE_DONE && !message.result.cancelled)
        judge->result = json_incref(message.result.result);
    wire_free(&message);
}

static void on_ended(void *context, int status)
{
    struct judge *judge = context;

    (void)status;
    judge->child = NULL;
    if (judge->is_stopped) {
        forget(judge);
        return;
    }
    if (judge->result) {
        start_work(judge, run_hashing, on_hashed);
        return;
    }
    compare(judge);
    settle(judge);
}

/* A worker that is silent, or does not come to an end, keeps others from being judged. */
static void end_late_worker(struct judge *judge)
{
    const double now_s = clock_now_s();

    if (now_s - judge->heard_s > 1e-3 * judge->base->config->lease_ms)
        child_kill(judge->child);
}

static bool start_worker(struct judge *judge)
{
    const struct job_kind *kind = job_kind_find(judge->dispute.claim.kind);
    const char *const argv[] = {kind ? kind->program : "", "worker", NULL};
    const struct child_settings settings = {.argv = argv,
                                            .line_fd = WIRE_FD,
                                            .line_max = WIRE_LINE_MAX,
                                            .niceness = NICENESS,
                                            .patience_ms = DISPUTE_MOST_MS,
                                            .context = judge,
                                            .line = on_line,
                                            .ended = on_ended};

    if (!kind || !set_folder(judge, judge->line))
        return false;
    char *line = wire_line(json_incref(judge->line));
    judge->heard_s = clock_now_s();
    bool good = line && child_start(core_loop(judge->base->core), judge->base->config, &settings,
                                    &judge->child) == API_OK;
    if (good && !child_write(judge->child, line, strlen(line)))
        child_kill(judge->child);
    free(line);
    return good;
}

static void run_placing(uv_work_t *work)
{
    struct judge *judge = work->data;

    judge->has_worked = make_folder(judge) && place_inputs(judge);
}

static void on_placed(uv_work_t *work, int status)
{
    struct judge *judge = work->data;

    (void)status;
    judge->is_working = false;
    if (judge->is_stopped) {
        forget(judge);
        return;
    }
    if (judge->has_worked && start_worker(judge))
        return;
    compare(judge);
    settle(judge);
}

/* ---- looking ---- */

static enum api_error run_look(struct core_task *task, struct store *store)
{
    struct judge *judge = judge_of(task);
    struct job_lines lines = {.job = NULL};
    char missing[NODE_LINE_MISSING_MAX];
    enum api_error error = check_store_dispute(store, &judge->dispute);

    if (error != API_OK)
        return error;
    const struct job_claim *claim = &judge->dispute.claim;
    error = job_line_make(store, judge->data, &judge->dispute.claim, 1,
                          core_now_ms(judge->base->core), &lines);
    if (error == API_OK && *lines.why.text) {
        json_decref(lines.job);
        return API_OK; /* it can never run: settled without an answer */
    }
    if (error != API_OK)
        return error;
    judge->line = lines.job;
    error = node_line_prepare(judge->data, claim->id, judge->line, &judge->files, missing);
    return error == API_NOT_FOUND ? API_OK : error;
}

static void finish_look(struct core_task *task, enum api_error result)
{
    struct judge *judge = judge_of(task);

    judge->is_looking = false;
    if (result != API_OK || judge->is_stopped) {
        forget(judge);
        return;
    }
    if (judge->line && judge->files) {
        start_work(judge, run_placing, on_placed);
        return;
    }
    compare(judge);
    settle(judge);
}

void judge_wake(struct judge *judge)
{
    if (judge->child)
        end_late_worker(judge);
    if (judge->is_stopped || judge_is_busy(judge))
        return;
    judge->is_looking = true;
    judge->task = (struct core_task){.writes = true, .run = run_look, .finish = finish_look};
    core_submit_own(judge->base->core, &judge->task);
}

void judge_stop(struct judge *judge)
{
    judge->is_stopped = true;
    if (judge->child)
        child_kill(judge->child);
}

bool judge_is_busy(const struct judge *judge)
{
    return judge->is_looking || judge->is_settling || judge->is_working || judge->child != NULL;
}

void judge_free(struct judge *judge)
{
    if (!judge)
        return;
    forget(judge);
    free(judge);
}
