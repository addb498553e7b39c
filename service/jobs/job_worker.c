/* The life of a worker process. See job_worker.h. */
#include "service/jobs/job_worker.h"

#include "api/base/build_json.h"
#include "api/base/clock.h"
#include "service/base/config.h"
#include "service/base/core.h"
#include "service/base/log.h"
#include "service/base/metrics.h"
#include "service/jobs/job_events.h"
#include "service/jobs/task_notes.h"

#include <assert.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

enum {
    EXIT_S = 3,     /* from the last word to the exit of the process */
    CANCEL_S = 10,  /* from "cancel" to the last word */
    RELEASE_S = 30, /* from "drain" to the last word */
    NICENESS = 10   /* lower priority than the search processes */
};

/* ---- phases ---- */

static const char *const phase_names[WORKER_PHASES] = {
    [WORKER_CLAIMED] = "claimed", [WORKER_STARTING] = "starting",     [WORKER_WORKING] = "working",
    [WORKER_DONE] = "done",       [WORKER_GIVES_BACK] = "gives-back", [WORKER_ENDED] = "ended",
    [WORKER_LOST] = "lost",
};

/* Row = from, bit = to. A move that is not listed here is a bug. */
static const uint8_t phase_moves[WORKER_PHASES] = {
    [WORKER_CLAIMED] = 1u << WORKER_STARTING | 1u << WORKER_GIVES_BACK | 1u << WORKER_LOST,
    [WORKER_STARTING] = 1u << WORKER_WORKING | 1u << WORKER_GIVES_BACK | 1u << WORKER_LOST,
    [WORKER_WORKING] = 1u << WORKER_DONE | 1u << WORKER_GIVES_BACK | 1u << WORKER_LOST,
    [WORKER_DONE] = 1u << WORKER_ENDED | 1u << WORKER_GIVES_BACK | 1u << WORKER_LOST,
    [WORKER_GIVES_BACK] = 1u << WORKER_ENDED | 1u << WORKER_LOST,
};

const char *job_worker_phase_name(enum job_worker_phase phase)
{
    return phase_names[phase];
}

bool job_worker_may_move(enum job_worker_phase from, enum job_worker_phase to)
{
    return (phase_moves[from] >> to & 1u) != 0;
}

void job_worker_move(struct job_worker *worker, enum job_worker_phase to)
{
    assert(job_worker_may_move(worker->phase, to));
    /* A job given back may be claimed at once, so its folder must be free. */
    assert(!(worker->phase == WORKER_GIVES_BACK && to == WORKER_ENDED && worker->child));
    assert(!(to == WORKER_STARTING && !worker->child));
    assert(!(to == WORKER_ENDED && worker->is_writing));
    worker->phase = to;
}

/* ---- making and freeing ---- */

struct job_worker *job_worker_new(const struct job_host *host)
{
    struct job_worker *worker = calloc(1, sizeof *worker);

    if (!worker)
        return NULL;
    worker->host = host;
    worker->progress = worker->eta_s = NAN;
    STAILQ_INIT(&worker->notes);
    STAILQ_INIT(&worker->taken);
    worker->keeper = (struct note_keeper){.claim = &worker->claim,
                                          .data = host->data,
                                          .gone_files = json_array(),
                                          .gone_weights = json_array(),
                                          .news = json_array()};
    if (!worker->keeper.gone_files || !worker->keeper.gone_weights || !worker->keeper.news) {
        job_worker_free(worker);
        return NULL;
    }
    return worker;
}

void job_worker_free(struct job_worker *worker)
{
    if (!worker)
        return;
    assert(!worker->child && !worker->is_writing && !worker->is_checking);
    notes_free(&worker->notes);
    notes_free(&worker->taken);
    job_claim_free(&worker->claim);
    json_decref(worker->lines.job);
    json_decref(worker->lines.news);
    json_decref(worker->keeper.gone_files);
    json_decref(worker->keeper.gone_weights);
    json_decref(worker->keeper.news);
    free(worker);
}

/* ---- messages to it ---- */

static void send_line(struct job_worker *worker, json_t *document)
{
    char *line = wire_line(document);

    if (worker->child && (!line || !child_write(worker->child, line, strlen(line))))
        child_end(worker->child); /* it does not read, or memory is short: its job is retried */
    free(line);
}

void job_worker_tell(struct job_worker *worker, enum job_worker_order order)
{
    /* The time runs from the first order, even if a client repeats it. */
    if (worker->told < order) {
        worker->told_s = clock_now_s();
        worker->told = order;
    }
    send_line(worker, json_pack("{s:s}", "type", order == TOLD_CANCEL ? "cancel" : "drain"));
}

/* Sends the news that waited for the start. */
static void send_news(struct job_worker *worker)
{
    size_t k;
    json_t *line;

    json_array_foreach(worker->lines.news, k, line) send_line(worker, json_incref(line));
    json_decref(worker->lines.news);
    worker->lines.news = NULL;
}

void job_worker_tell_news(struct job_worker *worker, json_t *lines)
{
    if (!worker->lines.news)
        worker->lines.news = json_array();
    /* Without the news the lead would wait for ever: the next one reads them from the store. */
    if (json_array_extend(worker->lines.news, lines) != 0)
        job_worker_give_up(worker, "no-memory", "no memory for news of tasks", NULL, false);
    else if (worker->child)
        send_news(worker);
}

/* ---- its end ---- */

static void take_log(struct job_worker *worker)
{
    size_t bytes = worker->child ? child_log(worker->child, worker->log) : worker->log_bytes;

    job_text_without_folder(worker->host->data, worker->log);
    job_text_without_folder(worker->host->base->config->data, worker->log);
    worker->log_waits = worker->log_waits || bytes != worker->log_bytes;
    worker->log_bytes = bytes;
}

static void on_ended(void *context, int status)
{
    struct job_worker *worker = context;
    char how[64];

    take_log(worker);
    worker->child = NULL;
    if (!job_worker_has_last_word(worker)) {
        child_describe(status, sizeof how, how);
        metrics_count(worker->host->base->metrics, METRIC_WORKERS_DIED, 1);
        if (atomic_load(&worker->host->draining))
            job_worker_let_go(worker, NULL, "");
        else
            job_worker_give_up(worker, "worker-died", "the worker ended without a last word", how,
                               WIFSIGNALED(status));
    }
    job_worker_write(worker);
    job_worker_end_if_over(worker);
}

/* ---- its start ---- */

static void start_process(struct job_worker *worker, const char *name)
{
    const struct job_host *host = worker->host;
    char folder[JOB_PATH_MAX];
    const char *const argv[] = {name, "worker", NULL};
    const struct child_settings settings = {.argv = argv,
                                            .line_fd = WIRE_FD,
                                            .line_max = WIRE_LINE_MAX,
                                            .niceness = NICENESS,
                                            .context = worker,
                                            .line = job_worker_hear,
                                            .ended = on_ended};

    snprintf(folder, sizeof folder, "%s/jobs", host->data);
    mkdir(folder, 0700);
    job_path(host->data, worker->claim.id, NULL, folder);
    mkdir(folder, 0700);
    if (child_start(core_loop(host->base->core), host->base->config, &settings, &worker->child) !=
        API_OK) {
        job_worker_give_up(worker, "no-worker", "the program cannot be started", name, false);
        return;
    }
    log_line(worker->claim.task ? LOG_DEBUG : LOG_INFO, "job", log_whole("job", worker->claim.id),
             log_text("kind", worker->claim.kind), log_text("state", "leased"),
             log_whole("attempt", worker->claim.attempt), log_whole("task", worker->claim.task),
             log_whole("pid", child_pid(worker->child)));
    job_worker_move(worker, WORKER_STARTING);
    send_line(worker, json_incref(worker->lines.job));
    send_news(worker);
    if (worker->told != TOLD_NOTHING)
        job_worker_tell(worker, worker->told);
}

void job_worker_start(struct job_worker *worker, const char *program)
{
    worker->since_ms = core_now_ms(worker->host->base->core);
    worker->started_s = worker->heard_s = clock_now_s();
    if (worker->claim.task == 0)
        job_events_state(worker->host->base->events, &worker->claim, JOB_LEASED);
    if (atomic_load(&worker->host->draining))
        job_worker_let_go(worker, NULL, "");
    else if (*worker->lines.why.text)
        job_worker_let_go(worker, worker->lines.why.code, worker->lines.why.text);
    else
        start_process(worker, program);
}

/* ---- time ---- */

/* Ends a worker that has used up its time. */
static void hold_to_deadlines(struct job_worker *worker, double now_s)
{
    double lease_s = 1e-3 * worker->host->base->config->lease_ms;

    double told_for_s = now_s - worker->told_s;

    if (job_worker_has_last_word(worker)) {
        if (now_s - worker->last_word_s > EXIT_S)
            child_end(worker->child);
    } else if (worker->phase == WORKER_STARTING) {
        /* On a crowded machine a process begins late. Nothing of the job has run: no crash of it.
         */
        if (now_s - worker->started_s > fmax(lease_s, WIRE_HELLO_S))
            job_worker_give_up(worker, "no-hello", "the worker did not say hello", NULL, false);
    } else if (now_s - worker->heard_s > lease_s && !worker->deaf) {
        job_worker_give_up(worker, "hung", "the worker was silent for too long", NULL, true);
    } else if ((worker->told == TOLD_CANCEL && told_for_s > CANCEL_S) ||
               (worker->told == TOLD_DRAIN && told_for_s > RELEASE_S)) {
        job_worker_give_up(worker, "not-released", "the worker did not stop in time", NULL, true);
    }
}

void job_worker_tell_progress(struct job_worker *worker)
{
    const struct job_host *host = worker->host;

    if (worker->claim.task == 0) {
        job_events_progress(host->base->events, &worker->claim, worker->progress, worker->eta_s);
        return;
    }
    json_t *news = json_array();
    if (news && task_news_running(news, worker->claim.task, worker->progress, worker->eta_s))
        host->news(host->context, worker->claim.id, news);
    json_decref(news);
}

void job_worker_look(struct job_worker *worker, double now_s, bool after_standstill)
{
    if (after_standstill) { /* its lines of that time are still unread */
        worker->heard_s = now_s;
        if (worker->phase == WORKER_STARTING)
            worker->started_s = now_s;
    }
    take_log(worker);
    if (worker->child)
        hold_to_deadlines(worker, now_s);
    if (worker->beat_waits && worker->phase == WORKER_WORKING)
        job_worker_tell_progress(worker);
    job_worker_write(worker);
}
