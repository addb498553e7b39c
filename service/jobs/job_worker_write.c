/* Writes down the reports of workers, then publishes events. See job_worker.h. */
#include "service/jobs/job_worker.h"

#include "api/base/clock.h"
#include "service/base/config.h"
#include "service/base/core.h"
#include "service/base/disk.h"
#include "service/base/log.h"
#include "service/base/metrics.h"
#include "service/jobs/job_events.h"
#include "service/models/model_files.h"
#include "service/store/tasks.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    NOTES_MOST = 64, /* with this many waiting, stop reading the worker */
    NOTES_FEW = 16   /* with this few, read again */
};

static struct job_worker *worker_of(struct core_task *task)
{
    return (struct job_worker *)((char *)task - offsetof(struct job_worker, task));
}

void job_worker_listen(struct job_worker *worker)
{
    int most = worker->deaf && !worker->is_checking ? NOTES_FEW + 1 : NOTES_MOST;
    /* Notes of a worker that gives its job back are written after its end, so read on
     * until then. */
    bool deaf =
        worker->is_checking || (worker->phase != WORKER_GIVES_BACK && worker->waiting >= most);

    if (deaf != worker->deaf && worker->child) {
        worker->deaf = deaf;
        child_listen(worker->child, !deaf);
    }
}

/* ---- notes ---- */

static void take_last_word(struct job_worker *worker, enum job_worker_phase phase)
{
    if (worker->phase != phase) /* ours may follow one of the worker's that could not be stored */
        job_worker_move(worker, phase);
    worker->last_word_s = clock_now_s();
}

void job_worker_note(struct job_worker *worker, struct note *note)
{
    STAILQ_INSERT_TAIL(&worker->notes, note, link);
    worker->waiting++;
    if (note_is_last_word(note->message.type))
        take_last_word(worker, note->message.type == WIRE_DONE && !worker->keeper.is_outdated
                                   ? WORKER_DONE
                                   : WORKER_GIVES_BACK);
}

/* Adds a last word for the worker; code NULL: its job is given back. The texts but `more` must live
 * as long as the worker. */
static void add_last_word(struct job_worker *worker, const char *code, const char *detail,
                          const char *more, bool retryable, bool crashed)
{
    struct note *note = calloc(1, sizeof *note);

    if (!note) {
        take_last_word(worker, WORKER_LOST); /* the job is ready again at the next start */
        return;
    }
    snprintf(note->detail, sizeof note->detail, "%s%s%s", detail, more ? ": " : "",
             more ? more : "");
    note->crashed = crashed;
    note->message.type = code ? WIRE_FAILED : WIRE_RELEASED;
    if (code) {
        note->message.failed.code = code;
        note->message.failed.detail = note->detail;
        note->message.failed.retryable = retryable;
    }
    job_worker_note(worker, note);
}

void job_worker_let_go(struct job_worker *worker, const char *code, const char *why)
{
    add_last_word(worker, code, why, NULL, false, false);
    job_worker_write(worker);
}

/* Adds a last word for a worker that is at fault. */
static void fail(struct job_worker *worker, const char *code, const char *detail, const char *more,
                 bool crashed)
{
    log_line(LOG_WARNING, "worker ended", log_whole("job", worker->claim.id),
             log_text("phase", job_worker_phase_name(worker->phase)), log_text("code", code),
             log_text("detail", more ? more : detail));
    add_last_word(worker, code, detail, more, true, crashed);
    job_worker_listen(worker); /* otherwise its end would go unnoticed */
}

static void end_process(struct job_worker *worker)
{
    if (worker->child)
        child_end(worker->child);
    job_worker_write(worker);
}

void job_worker_give_up(struct job_worker *worker, const char *code, const char *detail,
                        const char *more, bool crashed)
{
    if (!job_worker_has_last_word(worker))
        fail(worker, code, detail, more, crashed);
    end_process(worker);
}

/* ---- after the commit ---- */

static void tell_end_of_task(struct job_worker *worker, const struct wire_message *message)
{
    const struct base *base = worker->host->base;

    if (message->type == WIRE_DONE)
        metrics_count(base->metrics, METRIC_TASKS_DONE, 1);
    if (message->type == WIRE_FAILED)
        metrics_count(base->metrics, METRIC_TASKS_FAILED, 1);
    log_line(LOG_DEBUG, "task", log_whole("job", worker->claim.id),
             log_whole("task", worker->claim.task),
             log_text("state", message->type == WIRE_DONE     ? "done"
                               : message->type == WIRE_FAILED ? "failed"
                                                              : "released"),
             log_real("s", clock_now_s() - worker->started_s));
}

static void tell_end_of_job(struct job_worker *worker, const struct wire_message *message)
{
    const struct base *base = worker->host->base;
    double spent_s = clock_now_s() - worker->started_s;

    switch (worker->state) {
    case JOB_DONE:
        metrics_count(base->metrics, METRIC_JOBS_DONE, 1);
        metrics_observe(base->metrics, METRIC_JOB_S, spent_s);
        break;
    case JOB_BURIED:
        metrics_count(base->metrics, METRIC_JOBS_BURIED, 1);
        break;
    case JOB_READY:
        if (message->type == WIRE_FAILED)
            metrics_count(base->metrics, METRIC_JOBS_RETRIED, 1);
        break;
    default:
        break;
    }
    log_line(LOG_INFO, "job", log_whole("job", worker->claim.id),
             log_text("kind", worker->claim.kind), log_text("state", job_state_name(worker->state)),
             log_whole("attempt", worker->claim.attempt), log_real("s", spent_s));
    if (message->type == WIRE_FAILED)
        log_line(LOG_WARNING, "job failed", log_whole("job", worker->claim.id),
                 log_text("code", message->failed.code), log_text("why", message->failed.detail));
    job_events_state(base->events, &worker->claim, worker->state);
    if (worker->state == JOB_DONE)
        job_events_said(base->events, &worker->claim, message);
}

static void tell_refused(const struct job_worker *worker, const struct wire_message *message)
{
    metrics_count(worker->host->base->metrics, METRIC_TASKS_FAILED, 1);
    log_line(LOG_WARNING, "the output of a task was refused", log_whole("job", worker->claim.id),
             log_whole("task", message->refused.number), log_text("why", message->refused.detail));
}

static void tell(struct job_worker *worker, const struct wire_message *message)
{
    const struct job_host *host = worker->host;

    if (note_is_last_word(message->type)) {
        job_worker_move(worker, WORKER_ENDED);
        if (worker->claim.task != 0)
            tell_end_of_task(worker, message);
        else
            tell_end_of_job(worker, message);
        host->ended(host->context, worker);
    } else if (message->type == WIRE_TASKS) {
        host->offered(host->context, worker);
    } else if (message->type == WIRE_REFUSED && !worker->keeper.is_outdated) {
        tell_refused(worker, message);
        host->offered(host->context, worker); /* a task waits again */
    } else if (message->type == WIRE_DROPPED && !worker->keeper.is_outdated) {
        host->dropped(host->context, worker, message->dropped.through);
    } else if (worker->claim.task == 0 || message->type == WIRE_METRICS) {
        job_events_said(host->base->events, &worker->claim, message);
    }
}

static void tell_news(struct job_worker *worker)
{
    const struct job_host *host = worker->host;

    if (json_array_size(worker->keeper.news) > 0)
        host->news(host->context, worker->claim.id, worker->keeper.news);
    json_array_clear(worker->keeper.news);
}

static void remove_gone(struct job_worker *worker)
{
    const struct job_host *host = worker->host;
    size_t k;
    json_t *gone;

    job_folder_remove_files(host->data, worker->claim.id, worker->keeper.gone_files);
    json_array_foreach(worker->keeper.gone_weights, k, gone)
        model_file_remove(host->base->core, host->data, json_string_value(gone));
}

/* ---- the task ---- */

/* The beat comes first, as it shows whether the worker still has the lease. */
static enum api_error run(struct core_task *task, struct store *store)
{
    struct job_worker *worker = worker_of(task);
    struct note_keeper *keeper = &worker->keeper;
    const struct job_claim *claim = &worker->claim;
    const struct task_holder holder = {claim->id, claim->task, claim->token};
    const int64_t lease_ms = worker->host->base->config->lease_ms;
    enum api_error error = API_OK;

    keeper->store = store;
    keeper->now_ms = core_now_ms(worker->host->base->core);
    if (worker->phase != WORKER_ENDED && claim->task != 0)
        error = task_store_beat(store, &holder, keeper->now_ms, lease_ms);
    else if (worker->phase != WORKER_ENDED)
        error = job_store_beat(store, claim->id, claim->token, keeper->now_ms, lease_ms,
                               worker->progress, worker->eta_s);
    json_array_clear(keeper->gone_files); /* left by an attempt that was undone */
    json_array_clear(keeper->gone_weights);
    json_array_clear(keeper->news);
    if (error == API_OK)
        error = notes_keep(&worker->taken, keeper, &worker->state);
    if (error == API_OK && worker->log_waits)
        error = job_store_log(store, claim->id, worker->log);
    return error;
}

static void lose(struct job_worker *worker)
{
    log_line(LOG_WARNING, "lease lost", log_whole("job", worker->claim.id));
    if (worker->phase != WORKER_LOST)
        job_worker_move(worker, WORKER_LOST);
    notes_free(&worker->taken);
    notes_free(&worker->notes);
    worker->waiting = 0;
    if (worker->child)
        child_kill(worker->child);
}

/* The store refuses a note: the line was well-formed, but this job may not send it. */
static void refuse_notes(struct job_worker *worker, enum api_error why)
{
    bool needs_last_word = !job_worker_has_last_word(worker);
    const struct note *note;

    STAILQ_FOREACH(note, &worker->taken, link)
    needs_last_word = needs_last_word || note_is_last_word(note->message.type);
    notes_free(&worker->taken);
    if (needs_last_word)
        fail(worker, "bad-line", "the worker sent a message that cannot be stored",
             api_error_slug(why), false);
    end_process(worker);
}

static void finish(struct core_task *task, enum api_error result)
{
    struct job_worker *worker = worker_of(task);
    const struct note *note;

    worker->is_writing = false;
    if (result != API_OK && worker->phase == WORKER_ENDED) {
        worker->log_waits = false; /* only the log was left, and the job may have been deleted */
        result = API_OK;
    }
    switch (result) {
    case API_OK:
        worker->log_waits = false;
        remove_gone(worker);
        tell_news(worker);
        STAILQ_FOREACH(note, &worker->taken, link)
        tell(worker, &note->message);
        notes_free(&worker->taken);
        break;
    case API_STORAGE:
    case API_NO_MEMORY:
    case API_BUSY:
        worker->retry_s = clock_now_s() + 1e-3 * JOB_WORKER_RETRY_MS; /* job_worker_look() does */
        return;
    case API_LEASE_LOST:
        lose(worker);
        break;
    default:
        refuse_notes(worker, result);
        break;
    }
    job_worker_listen(worker);
    job_worker_write(worker);
    job_worker_end_if_over(worker);
}

void job_worker_write(struct job_worker *worker)
{
    if (worker->is_writing || worker->phase == WORKER_LOST || worker->host->out_of_patience ||
        (worker->phase == WORKER_GIVES_BACK && worker->child))
        return;
    /* The last space is for jobs that end. */
    if (!job_worker_has_last_word(worker) && disk_is_full(worker->host->base->disk))
        return;
    if (STAILQ_EMPTY(&worker->taken)) {
        if (worker->waiting == 0 && !worker->beat_waits && !worker->log_waits)
            return;
        STAILQ_CONCAT(&worker->taken, &worker->notes);
        worker->waiting = 0;
    } else if (clock_now_s() < worker->retry_s) {
        return;
    }
    worker->beat_waits = false;
    worker->is_writing = true;
    worker->task = (struct core_task){.writes = true, .run = run, .finish = finish};
    core_submit_own(worker->host->base->core, &worker->task);
}

void job_worker_end_if_over(struct job_worker *worker)
{
    const struct job_host *host = worker->host;
    bool writes_no_more = worker->phase == WORKER_LOST || host->out_of_patience;
    bool is_over = writes_no_more || (worker->phase == WORKER_ENDED && !worker->log_waits);
    bool has_left = !worker->child && !worker->is_writing && !worker->is_checking;

    if (is_over && has_left)
        host->over(host->context, worker);
}
