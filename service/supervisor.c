/* Jobs and their workers. See supervisor.h.
 *
 * What a worker says is kept as a list of notes and written down by one task of the core that takes
 * all of them at once: it shares commits with everybody, a worker that says more than the disk can
 * take is not listened to until it can, and a note is lost only when its worker has lost its lease.
 * A task that fails for want of disk or memory is tried again. */
#include "service/supervisor.h"

#include "api/wire.h"
#include "service/child.h"
#include "service/claim.h"
#include "service/config.h"
#include "service/core.h"
#include "service/events.h"
#include "service/log.h"
#include "service/metrics.h"
#include "service/model_files.h"
#include "service/notes.h"
#include "service/server.h"
#include "service/store/jobs.h"

#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    TICK_MS = 1000,
    RETRY_MS = 1000,
    NOTES_MOST = 64, /* that wait; then the worker is not listened to */
    NOTES_FEW = 16,  /* then it is again */
    EXIT_S = 3,      /* from the last word to the end of the process */
    CANCEL_S = 10,   /* from "cancel" to the last word, or it is ended */
    RELEASE_S = 30,  /* from "drain" */
    NICENESS = 10,   /* nicer than the search */
};

static const struct {
    const char *kind, *program;
} kinds[] = {
    {"match", "rink-evaluate"},          {"tournament", "rink-evaluate"},
    {"exploitability", "rink-evaluate"}, {"rate", "rink-evaluate"},
    {"diagnose", "rink-evaluate"},       {"train", "rink-learn"},
};

enum { KINDS = sizeof kinds / sizeof kinds[0] };

struct worker {
    struct supervisor *supervisor;
    struct worker *next;
    struct job_claim claim;
    json_t *runs;
    struct child *child; /* NULL: gone, or never was */
    bool has_greeted, has_last_word, has_ended, is_lost;
    char why_not[CLAIM_WHY_MAX];   /* it can never be done; empty: it can */
    bool was_given_up;             /* its last word is ours, and kept back until it is gone */
    bool has_got_on;               /* it has said a checkpoint or a partial result */
    bool is_cancelled, is_drained; /* it was told so */
    int64_t since_ms;              /* since 1970 */
    double started_s, heard_s, last_word_s, told_s;

    double progress, eta_s;
    bool beat_waits;

    char log[CHILD_LOG_MAX + 1];
    size_t log_bytes; /* that it had written when `log` was taken */
    bool log_waits;

    struct core_task task;
    bool is_writing;
    double retry_s; /* not before; 0: at once */
    struct note_list notes, taken;
    enum job_state state;              /* of the job, as the task leaves it */
    json_t *gone_files, *gone_weights; /* that nobody needs after the commit */
    bool deaf;
    struct model_check *check; /* of a model that it has announced; NULL: none. It is deaf then */
};

struct supervisor {
    struct server *server;
    char programs[CHILD_PATH_MAX], data[PATH_MAX];
    const char *kind_names[KINDS + 1];
    struct worker *workers;
    atomic_int running;
    atomic_bool draining;

    struct core_task claim_task;
    struct worker *claimant; /* what is to become the next worker; while the claim is in flight */
    bool claim_again;
    int64_t next_due_ms; /* INT64_MAX: nobody waits for a time */

    uv_timer_t tick, due, patience;
    double ticked_s;
    int open_handles;
    void (*drained)(void *context);
    void *drained_context;
    bool out_of_patience;
};

static void write_notes(struct worker *worker);
static void look_for_work(struct supervisor *supervisor);

/* ---- small things ---- */

static double now_s(void)
{
    return (double)uv_hrtime() * 1e-9;
}

static int64_t wall_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int find_kind(const char *kind)
{
    for (int k = 0; k < KINDS; k++)
        if (strcmp(kinds[k].kind, kind) == 0)
            return k;
    return -1;
}

bool supervisor_knows(const char *kind)
{
    return find_kind(kind) >= 0;
}

bool supervisor_can_do(const struct server *server, const char *kind)
{
    char path[CHILD_PATH_MAX];
    int k = find_kind(kind);

    return k >= 0 && child_program(server->config->programs, kinds[k].program, path) &&
           access(path, X_OK) == 0;
}

/* Tells those who listen to the job, and with `everybody` those who listen to all jobs. */
static void tell(const struct worker *worker, const char *name, json_t *data, bool everybody,
                 bool last)
{
    struct events *events = worker->supervisor->server->events;
    char topic[EVENTS_TOPIC_MAX];

    snprintf(topic, sizeof topic, "job/%lld", (long long)worker->claim.id);
    if (everybody)
        events_publish(events, "jobs", name, json_incref(data), false);
    events_publish(events, topic, name, data, last);
}

static void tell_state(const struct worker *worker, enum job_state state)
{
    bool has_ended = state == JOB_DONE || state == JOB_BURIED || state == JOB_CANCELLED;
    json_t *data = json_pack("{s:I, s:s, s:s, s:i}", "id", (json_int_t)worker->claim.id, "kind",
                             worker->claim.kind, "state", job_state_name(state), "attempt",
                             worker->claim.attempt);

    if (state == JOB_DONE)
        json_object_set_new(data, "progress", json_real(1.0));
    tell(worker, "state", data, true, has_ended && state != JOB_DONE);
}

/* ---- ends of workers ---- */

static void send_line(struct worker *worker, json_t *document)
{
    char *line = wire_line(document);

    if (worker->child && (!line || !child_write(worker->child, line, strlen(line))))
        child_end(worker->child); /* deaf, or no memory: its job is retried */
    free(line);
}

/* A last word that the worker did not say itself. The texts live as long as the program, or until
 * this returns for `more` (what happened, NULL: nothing to add). */
static void add_last_word(struct worker *worker, enum wire_type type, const char *code,
                          const char *detail, const char *more, bool retryable, bool crashed)
{
    struct note *note = calloc(1, sizeof *note);

    worker->has_last_word = true;
    worker->last_word_s = now_s();
    if (!note) {
        worker->is_lost = true; /* the lease runs out at the next start */
        return;
    }
    snprintf(note->detail, sizeof note->detail, "%s%s%s", detail, more ? ": " : "",
             more ? more : "");
    note->crashed = crashed;
    note->message.type = type;
    if (type == WIRE_FAILED) {
        note->message.failed.code = code;
        note->message.failed.detail = note->detail;
        note->message.failed.retryable = retryable;
    }
    notes_add(&worker->notes, note);
}

/* The worker is at fault; when it is gone what it has said is written down and its job is retried:
 * two workers must never have the same job's folder. */
static void give_up(struct worker *worker, const char *code, const char *detail, const char *more,
                    bool crashed)
{
    if (!worker->has_last_word) {
        log_line(LOG_WARNING, "worker ended", "job=%lld code=%s detail=\"%s\"",
                 (long long)worker->claim.id, code, more ? more : detail);
        add_last_word(worker, WIRE_FAILED, code, detail, more, true, crashed);
        worker->was_given_up = true;
    }
    if (worker->child)
        child_end(worker->child);
    write_notes(worker);
}

static void worker_free(struct worker *worker)
{
    if (!worker)
        return;
    notes_free(&worker->notes);
    notes_free(&worker->taken);
    job_claim_free(&worker->claim);
    json_decref(worker->runs);
    json_decref(worker->gone_files);
    json_decref(worker->gone_weights);
    free(worker);
}

/* Takes a worker off the list when it is gone and nothing is left to write. */
static void remove_if_over(struct worker *worker)
{
    struct supervisor *supervisor = worker->supervisor;
    bool is_over = worker->has_ended || worker->is_lost || supervisor->out_of_patience;

    if (worker->child || worker->is_writing || worker->check || !is_over ||
        (worker->log_waits && !worker->is_lost && !supervisor->out_of_patience))
        return;
    struct worker **place = &supervisor->workers;
    while (*place != worker)
        place = &(*place)->next;
    *place = worker->next;
    worker_free(worker);
    atomic_fetch_sub(&supervisor->running, 1);
    if (!supervisor->workers)
        uv_timer_stop(&supervisor->tick);
    look_for_work(supervisor);
}

/* ---- writing down ---- */

/* The beat comes first: it says whether the worker may still write. */
static enum api_error run_write(struct core_task *task, struct store *store)
{
    struct worker *worker = (struct worker *)((char *)task - offsetof(struct worker, task));
    const struct job_claim *claim = &worker->claim;
    int64_t now_ms = wall_ms();
    enum api_error error = API_OK;

    if (!worker->has_ended)
        error = job_store_beat(store, claim->id, claim->token, now_ms,
                               worker->supervisor->server->config->lease_ms, worker->progress,
                               worker->eta_s);
    const struct note_keeper keeper = {store,
                                       claim,
                                       worker->supervisor->data,
                                       now_ms,
                                       worker->has_got_on,
                                       worker->gone_files,
                                       worker->gone_weights};
    json_array_clear(worker->gone_files); /* of an attempt that was undone */
    json_array_clear(worker->gone_weights);
    if (error == API_OK)
        error = notes_keep(&worker->taken, &keeper, &worker->state);
    if (error == API_OK && worker->log_waits)
        error = job_store_log(store, claim->id, worker->log);
    return error;
}

/* ---- after the commit ---- */

static void tell_last_word(struct worker *worker, const struct wire_message *message)
{
    struct metrics *metrics = worker->supervisor->server->metrics;

    worker->has_ended = true;
    switch (worker->state) {
    case JOB_DONE:
        metrics_count(metrics, METRIC_JOBS_DONE, 1);
        metrics_observe(metrics, METRIC_JOB_S, now_s() - worker->started_s);
        break;
    case JOB_BURIED:
        metrics_count(metrics, METRIC_JOBS_BURIED, 1);
        break;
    case JOB_READY:
        if (message->type == WIRE_FAILED)
            metrics_count(metrics, METRIC_JOBS_RETRIED, 1);
        break;
    default:
        break;
    }
    log_line(LOG_INFO, "job", "job=%lld kind=%s state=%s attempt=%d s=%.3f",
             (long long)worker->claim.id, worker->claim.kind, job_state_name(worker->state),
             worker->claim.attempt, now_s() - worker->started_s);
    tell_state(worker, worker->state);
    if (worker->state == JOB_DONE)
        tell(worker, "done",
             json_pack("{s:I, s:f, s:O}", "id", (json_int_t)worker->claim.id, "progress", 1.0,
                       "result", message->result.result),
             false, true);
}

static void tell_note(struct worker *worker, const struct wire_message *message)
{
    if (note_is_last_word(message->type))
        tell_last_word(worker, message);
    else if (message->type == WIRE_METRICS)
        tell(worker, "metrics", json_pack("{s:O}", "rows", message->metrics.rows), false, false);
    else if (message->type == WIRE_PARTIAL)
        tell(worker, "partial", json_pack("{s:O}", "result", message->result.result), false, false);
}

/* After the commit. */
static void remove_gone(struct worker *worker)
{
    const struct supervisor *supervisor = worker->supervisor;
    char path[PATH_MAX + NAME_MAX + 32];
    size_t k;
    json_t *gone;

    json_array_foreach(worker->gone_files, k, gone)
    {
        snprintf(path, sizeof path, "%s/jobs/%lld/%s", supervisor->data,
                 (long long)worker->claim.id, json_string_value(gone));
        unlink(path);
    }
    json_array_foreach(worker->gone_weights, k, gone)
        model_file_remove(supervisor->server->core, supervisor->data, json_string_value(gone));
}

/* Whether its lines are read: not while too much waits to be written, nor while a file is checked.
 */
static void listen_or_not(struct worker *worker)
{
    int most = worker->deaf && !worker->check ? NOTES_FEW + 1 : NOTES_MOST;
    bool deaf = worker->check || worker->notes.count >= most;

    if (deaf != worker->deaf && worker->child) {
        worker->deaf = deaf;
        child_listen(worker->child, !deaf);
    }
}

static void finish_write(struct core_task *task, enum api_error result)
{
    struct worker *worker = (struct worker *)((char *)task - offsetof(struct worker, task));

    worker->is_writing = false;
    if (result != API_OK && worker->has_ended) {
        worker->log_waits = false; /* all that was left; the job may have been deleted */
        result = API_OK;
    }
    switch (result) {
    case API_OK:
        worker->log_waits = false;
        remove_gone(worker);
        for (struct note *note = worker->taken.first; note; note = note->next)
            tell_note(worker, &note->message);
        notes_free(&worker->taken);
        break;
    case API_STORAGE:
    case API_NO_MEMORY:
    case API_BUSY:
        worker->retry_s = now_s() + 1e-3 * RETRY_MS; /* on_tick() tries again */
        return;
    case API_LEASE_LOST:
        log_line(LOG_WARNING, "lease lost", "job=%lld", (long long)worker->claim.id);
        worker->is_lost = true;
        notes_free(&worker->taken);
        notes_free(&worker->notes);
        if (worker->child)
            child_kill(worker->child);
        break;
    default: {
        /* It has the form of a line, but not of one that this job may say. */
        bool was_last = false;
        for (struct note *note = worker->taken.first; note; note = note->next)
            was_last = was_last || note_is_last_word(note->message.type);
        if (was_last)
            worker->has_last_word = false;
        notes_free(&worker->taken);
        give_up(worker, "bad-line", "the worker said what cannot be kept", api_error_slug(result),
                false);
        break;
    }
    }
    listen_or_not(worker);
    write_notes(worker);
    remove_if_over(worker);
}

/* Hands all that waits to the core. */
static void write_notes(struct worker *worker)
{
    if (worker->is_writing || worker->is_lost || worker->supervisor->out_of_patience ||
        (worker->was_given_up && worker->child))
        return;
    if (worker->taken.count == 0) {
        if (worker->notes.count == 0 && !worker->beat_waits && !worker->log_waits)
            return;
        worker->taken = worker->notes;
        if (worker->taken.count == 0)
            notes_init(&worker->taken);
        notes_init(&worker->notes);
    } else if (now_s() < worker->retry_s) {
        return;
    }
    worker->beat_waits = false;
    worker->is_writing = true;
    worker->task = (struct core_task){.writes = true, .run = run_write, .finish = finish_write};
    core_submit_own(worker->supervisor->server->core, &worker->task);
}

/* ---- hearing ---- */

static bool is_of_kind(const struct wire_message *message, const char *kind)
{
    for (size_t k = 0; k < json_array_size(message->hello.kinds); k++)
        if (strcmp(json_string_value(json_array_get(message->hello.kinds, k)), kind) == 0)
            return true;
    return false;
}

/* True: the message has become a note, which says about its file what was found. */
static bool add_note(struct worker *worker, const struct wire_message *message, json_t *card,
                     int64_t bytes)
{
    struct note *note = calloc(1, sizeof *note);

    if (!note) {
        give_up(worker, "no-memory", "no memory for what it said", NULL, false);
        return false;
    }
    note->message = *message;
    note->card = card;
    note->bytes = bytes;
    notes_add(&worker->notes, note);
    if (note_is_last_word(message->type)) {
        worker->has_last_word = true;
        worker->last_word_s = now_s();
    }
    listen_or_not(worker);
    write_notes(worker);
    return true;
}

/* ---- models ---- */

/* The file of a model is read on a thread of the loop's, for it can be large; the worker is not
 * listened to meanwhile, so what it says stays in order. */
struct model_check {
    uv_work_t work;
    struct worker *worker;
    struct wire_message message;
    char path[PATH_MAX + NAME_MAX + 32];
    enum api_error result;
    json_t *card;
    int64_t bytes;
};

static void run_check(uv_work_t *work)
{
    struct model_check *check = work->data;

    check->result =
        model_file_check(check->path, check->message.model.sha256, &check->card, &check->bytes);
}

static void finish_check(uv_work_t *work, int status)
{
    struct model_check *check = work->data;
    struct worker *worker = check->worker;
    bool is_kept = false;

    (void)status;
    worker->check = NULL;
    if (!worker->is_lost && !worker->has_last_word) {
        if (check->result == API_OK)
            is_kept = add_note(worker, &check->message, check->card, check->bytes);
        else
            give_up(worker, "bad-line", "a model whose file is not as it says",
                    check->message.model.path, false);
    }
    if (!is_kept) {
        wire_free(&check->message);
        json_decref(check->card);
    }
    free(check);
    listen_or_not(worker);
    remove_if_over(worker);
}

/* True: the message is kept. */
static bool check_model_file(struct worker *worker, const struct wire_message *message)
{
    struct model_check *check = worker->check ? NULL : calloc(1, sizeof *check);

    if (!check) { /* one at a time: only while the daemon ends it is listened to nevertheless */
        give_up(worker, "no-memory", "no memory for what it said", NULL, false);
        return false;
    }
    check->work.data = check;
    check->worker = worker;
    check->message = *message;
    snprintf(check->path, sizeof check->path, "%s/jobs/%lld/%s", worker->supervisor->data,
             (long long)worker->claim.id, message->model.path);
    worker->check = check;
    listen_or_not(worker);
    uv_queue_work(core_loop(worker->supervisor->server->core), &check->work, run_check,
                  finish_check);
    return true;
}

/* True: the message is kept. */
static bool hear(struct worker *worker, const struct wire_message *message)
{
    switch (message->type) {
    case WIRE_HELLO:
        if (worker->has_greeted || message->hello.protocol != WIRE_PROTOCOL ||
            !is_of_kind(message, worker->claim.kind))
            give_up(worker, "bad-line", "a hello that does not fit the job", NULL, false);
        worker->has_greeted = true;
        return false;
    case WIRE_BEAT:
        worker->progress = message->beat.progress;
        worker->eta_s = message->beat.eta_s;
        worker->beat_waits = true; /* on_tick() writes it: once a second is enough */
        return false;
    case WIRE_CHECKPOINT:
    case WIRE_PARTIAL:
        worker->has_got_on = true;
        return add_note(worker, message, NULL, 0);
    case WIRE_MODEL:
        return check_model_file(worker, message);
    case WIRE_METRICS:
    case WIRE_DONE:
    case WIRE_FAILED:
    case WIRE_RELEASED:
        return add_note(worker, message, NULL, 0);
    default:
        give_up(worker, "bad-line", "a line that only the daemon may say", NULL, false);
        return false;
    }
}

static void on_line(void *context, const char *text, size_t length)
{
    struct worker *worker = context;
    struct wire_message message;
    struct strict_errors errors;
    char place[STRICT_POINTER_MAX + STRICT_MESSAGE_MAX + 4];

    if (worker->has_last_word || worker->is_lost)
        return;
    worker->heard_s = now_s();
    if (!text) {
        give_up(worker, "bad-line", "a line that does not end", NULL, false);
    } else if (!wire_read(text, length, &message, &errors)) {
        snprintf(place, sizeof place, "%s: %s", errors.error[0].pointer, errors.error[0].message);
        give_up(worker, "bad-line", "a line that cannot be read", place, false);
    } else {
        if (!worker->has_greeted && message.type != WIRE_HELLO)
            give_up(worker, "bad-line", "it did not say hello first", NULL, false);
        if (worker->has_last_word || !hear(worker, &message))
            wire_free(&message);
    }
}

static void take_log(struct worker *worker)
{
    size_t bytes = worker->child ? child_log(worker->child, worker->log) : worker->log_bytes;

    worker->log_waits = worker->log_waits || bytes != worker->log_bytes;
    worker->log_bytes = bytes;
}

static void on_ended(void *context, int status)
{
    struct worker *worker = context;
    char how[64];

    take_log(worker);
    worker->child = NULL;
    if (!worker->has_last_word && !worker->is_lost) {
        child_describe(status, sizeof how, how);
        metrics_count(worker->supervisor->server->metrics, METRIC_WORKERS_DIED, 1);
        if (atomic_load(&worker->supervisor->draining))
            add_last_word(worker, WIRE_RELEASED, NULL, "", NULL, true, false);
        else
            give_up(worker, "worker-died", "the worker ended without a last word", how,
                    WIFSIGNALED(status));
    }
    write_notes(worker);
    remove_if_over(worker);
}

/* ---- time ---- */

static void look_at(struct worker *worker, double now)
{
    double lease_s = 1e-3 * worker->supervisor->server->config->lease_ms;

    take_log(worker);
    if (!worker->child) {
        ;
    } else if (worker->has_last_word) {
        if (now - worker->last_word_s > EXIT_S)
            child_end(worker->child);
    } else if (!worker->has_greeted && now - worker->started_s > WIRE_HELLO_S) {
        give_up(worker, "no-hello", "the worker did not say hello", NULL, true);
    } else if (now - worker->heard_s > lease_s && !worker->deaf) {
        give_up(worker, "hung", "the worker has not been heard of for too long", NULL, true);
    } else if ((worker->is_cancelled && now - worker->told_s > CANCEL_S) ||
               (worker->is_drained && now - worker->told_s > RELEASE_S)) {
        give_up(worker, "not-released", "the worker did not let go of the job", NULL, true);
    }
    if (worker->beat_waits && !worker->has_last_word)
        tell(worker, "progress",
             json_pack("{s:I, s:o, s:o}", "id", (json_int_t)worker->claim.id, "progress",
                       isnan(worker->progress) ? json_null() : json_real(worker->progress), "eta_s",
                       isnan(worker->eta_s) ? json_null() : json_real(worker->eta_s)),
             true, false);
    write_notes(worker);
}

static void on_tick(uv_timer_t *timer)
{
    struct supervisor *supervisor = timer->data;
    double now = now_s();
    /* We were stopped: what workers said meanwhile waits to be read, so their time begins anew. */
    bool was_stopped = now - supervisor->ticked_s > 2e-3 * TICK_MS;

    supervisor->ticked_s = now;
    for (struct worker *worker = supervisor->workers, *next; worker; worker = next) {
        next = worker->next;
        if (was_stopped) {
            worker->heard_s = now;
            if (!worker->has_greeted)
                worker->started_s = now;
        }
        look_at(worker, now);
    }
}

/* ---- claiming ---- */

static enum api_error run_claim(struct core_task *task, struct store *store)
{
    struct supervisor *supervisor =
        (struct supervisor *)((char *)task - offsetof(struct supervisor, claim_task));
    struct worker *worker = supervisor->claimant;
    int64_t now_ms = wall_ms();

    supervisor->next_due_ms = INT64_MAX;
    enum api_error error = job_store_claim(store, supervisor->kind_names, now_ms,
                                           supervisor->server->config->lease_ms, &worker->claim);
    if (error == API_NOT_FOUND) {
        if (job_store_next_due(store, supervisor->kind_names, &supervisor->next_due_ms) != API_OK)
            supervisor->next_due_ms = INT64_MAX;
        return error;
    }
    if (error == API_OK)
        error = claim_prepare(store, supervisor->data, &worker->claim, now_ms, &worker->runs,
                              worker->why_not);
    return error;
}

static void tell_cancel(struct worker *worker)
{
    worker->is_cancelled = true;
    worker->told_s = now_s();
    send_line(worker, json_pack("{s:s}", "type", "cancel"));
}

static void tell_drain(struct worker *worker)
{
    worker->is_drained = true;
    worker->told_s = now_s();
    send_line(worker, json_pack("{s:s}", "type", "drain"));
}

static void start_process(struct worker *worker)
{
    struct supervisor *supervisor = worker->supervisor;
    char program[CHILD_PATH_MAX], models[MODEL_PATH_MAX], folder[PATH_MAX + 32];
    const char *name = kinds[find_kind(worker->claim.kind)].program;
    const char *const argv[] = {program, "worker", NULL};
    const struct child_settings settings = {.argv = argv,
                                            .line_fd = WIRE_FD,
                                            .line_max = WIRE_LINE_MAX,
                                            .niceness = NICENESS,
                                            /* The next daemon may start at once, and its worker
                                             * needs the folder for itself. */
                                            .death_signal = SIGKILL,
                                            .models = models,
                                            .context = worker,
                                            .line = on_line,
                                            .ended = on_ended};

    model_folder_path(supervisor->data, models);
    snprintf(folder, sizeof folder, "%s/jobs", supervisor->data);
    mkdir(folder, 0700);
    snprintf(folder, sizeof folder, "%s/jobs/%lld", supervisor->data, (long long)worker->claim.id);
    mkdir(folder, 0700);
    enum api_error error =
        child_program(supervisor->programs, name, program)
            ? child_start(core_loop(supervisor->server->core), &settings, &worker->child)
            : API_NO_WORKER;
    if (error != API_OK) {
        give_up(worker, "no-worker", "the program cannot be started", name, false);
        return;
    }
    log_line(LOG_INFO, "job", "job=%lld kind=%s state=leased attempt=%d pid=%d",
             (long long)worker->claim.id, worker->claim.kind, worker->claim.attempt,
             child_pid(worker->child));
    bool was_cancelled = worker->is_cancelled, was_drained = worker->is_drained;
    send_line(worker, claim_line(&worker->claim, json_incref(worker->runs), folder));
    if (was_cancelled)
        tell_cancel(worker);
    else if (was_drained)
        tell_drain(worker);
}

static void start_worker(struct supervisor *supervisor, struct worker *worker)
{
    worker->since_ms = wall_ms();
    worker->started_s = worker->heard_s = now_s();
    worker->next = supervisor->workers;
    supervisor->workers = worker;
    atomic_fetch_add(&supervisor->running, 1);
    if (!uv_is_active((uv_handle_t *)&supervisor->tick)) {
        supervisor->ticked_s = now_s();
        uv_timer_start(&supervisor->tick, on_tick, TICK_MS, TICK_MS);
    }
    tell_state(worker, JOB_LEASED);
    if (atomic_load(&supervisor->draining)) {
        add_last_word(worker, WIRE_RELEASED, NULL, "", NULL, true, false);
        write_notes(worker);
    } else if (*worker->why_not) {
        add_last_word(worker, WIRE_FAILED, "no-checkpoint", worker->why_not, NULL, false, false);
        write_notes(worker);
    } else {
        start_process(worker);
    }
}

static void on_due(uv_timer_t *timer)
{
    look_for_work(timer->data);
}

static void finish_claim(struct core_task *task, enum api_error result)
{
    struct supervisor *supervisor =
        (struct supervisor *)((char *)task - offsetof(struct supervisor, claim_task));
    struct worker *worker = supervisor->claimant;
    int64_t wait_ms = INT64_MAX;

    supervisor->claimant = NULL;
    bool again = supervisor->claim_again || result == API_OK;
    supervisor->claim_again = false;
    if (result == API_OK) {
        start_worker(supervisor, worker);
    } else {
        worker_free(worker);
        if (result != API_NOT_FOUND)
            wait_ms = RETRY_MS;
        else if (supervisor->next_due_ms != INT64_MAX)
            wait_ms = supervisor->next_due_ms - wall_ms();
    }
    if (again)
        look_for_work(supervisor);
    else if (wait_ms != INT64_MAX && !atomic_load(&supervisor->draining))
        uv_timer_start(&supervisor->due, on_due, wait_ms > 0 ? (uint64_t)wait_ms : 1, 0);
}

/* NULL: memory is short. */
static struct worker *make_worker(struct supervisor *supervisor)
{
    struct worker *worker = calloc(1, sizeof *worker);

    if (!worker)
        return NULL;
    worker->supervisor = supervisor;
    worker->progress = worker->eta_s = NAN;
    notes_init(&worker->notes);
    notes_init(&worker->taken);
    worker->gone_files = json_array();
    worker->gone_weights = json_array();
    if (!worker->gone_files || !worker->gone_weights) {
        worker_free(worker);
        return NULL;
    }
    return worker;
}

/* Claims a job if there is room for a worker. */
static void look_for_work(struct supervisor *supervisor)
{
    if (supervisor->claimant) {
        supervisor->claim_again = true;
        return;
    }
    if (atomic_load(&supervisor->draining)) {
        if (!supervisor->workers && supervisor->drained) {
            void (*drained)(void *context) = supervisor->drained;
            supervisor->drained = NULL;
            uv_timer_stop(&supervisor->patience);
            drained(supervisor->drained_context);
        }
        return;
    }
    if (atomic_load(&supervisor->running) >= supervisor->server->config->workers)
        return;
    uv_timer_stop(&supervisor->due);
    struct worker *worker = make_worker(supervisor);
    if (!worker) {
        uv_timer_start(&supervisor->due, on_due, RETRY_MS, 0);
        return;
    }
    supervisor->claimant = worker;
    supervisor->claim_task =
        (struct core_task){.writes = true, .run = run_claim, .finish = finish_claim};
    core_submit_own(supervisor->server->core, &supervisor->claim_task);
}

/* ---- what others ask for ---- */

enum api_error supervisor_start(struct server *server, struct supervisor **ret_supervisor)
{
    struct supervisor *supervisor = calloc(1, sizeof *supervisor);

    if (!supervisor)
        return API_NO_MEMORY;
    if (!realpath(server->config->data, supervisor->data)) {
        free(supervisor);
        return API_STORAGE;
    }
    supervisor->server = server;
    snprintf(supervisor->programs, sizeof supervisor->programs, "%s", server->config->programs);
    for (int k = 0; k < KINDS; k++)
        supervisor->kind_names[k] = kinds[k].kind;
    uv_loop_t *loop = core_loop(server->core);
    uv_timer_init(loop, &supervisor->tick);
    uv_timer_init(loop, &supervisor->due);
    uv_timer_init(loop, &supervisor->patience);
    supervisor->open_handles = 3;
    supervisor->tick.data = supervisor->due.data = supervisor->patience.data = supervisor;
    *ret_supervisor = supervisor;
    look_for_work(supervisor);
    return API_OK;
}

void supervisor_wake(struct supervisor *supervisor)
{
    look_for_work(supervisor);
}

static struct worker *find_worker(struct supervisor *supervisor, int64_t job)
{
    struct worker *worker = supervisor->workers;

    while (worker && (worker->claim.id != job || worker->has_last_word))
        worker = worker->next;
    /* Claimed in the transaction that is under way: it is told when it starts. */
    if (!worker && supervisor->claimant && supervisor->claimant->claim.id == job)
        worker = supervisor->claimant;
    return worker;
}

void supervisor_cancel(struct supervisor *supervisor, int64_t job)
{
    struct worker *worker = find_worker(supervisor, job);

    if (worker)
        tell_cancel(worker);
}

void supervisor_pause(struct supervisor *supervisor, int64_t job)
{
    struct worker *worker = find_worker(supervisor, job);

    if (worker)
        tell_drain(worker);
}

void supervisor_explain(const struct supervisor *supervisor, int64_t run_at_ms, int64_t now_ms,
                        int64_t position, int size, char *ret_text)
{
    int running = atomic_load(&supervisor->running);
    int most = supervisor->server->config->workers;

    if (atomic_load(&supervisor->draining))
        snprintf(ret_text, (size_t)size, "the service is shutting down; it goes on after a start");
    else if (run_at_ms > now_ms)
        snprintf(ret_text, (size_t)size, "not to be run for another %.1f s",
                 1e-3 * (double)(run_at_ms - now_ms));
    else if (running >= most)
        snprintf(ret_text, (size_t)size,
                 "all %d workers are busy; %lld jobs are in front of this one", most,
                 (long long)position);
    else
        snprintf(ret_text, (size_t)size, "about to start");
}

json_t *supervisor_workers(const struct supervisor *supervisor)
{
    json_t *list = json_array();
    double now = now_s();

    for (const struct worker *worker = supervisor->workers; worker && list; worker = worker->next) {
        char since[32];
        time_t started = (time_t)(worker->since_ms / 1000);
        strftime(since, sizeof since, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&started, &(struct tm){0}));
        json_t *row =
            json_pack("{s:o, s:s, s:I, s:s, s:f}", "pid",
                      worker->child ? json_integer(child_pid(worker->child)) : json_null(), "kind",
                      worker->claim.kind, "job", (json_int_t)worker->claim.id, "since", since,
                      "beat_s", now - worker->heard_s);
        if (json_array_append_new(list, row) != 0) {
            json_decref(list);
            list = NULL;
        }
    }
    return list;
}

/* ---- the end ---- */

/* First the workers are ended; if then something still cannot be written it is left: the jobs are
 * found again at the next start. */
static void on_patience(uv_timer_t *timer)
{
    struct supervisor *supervisor = timer->data;

    for (struct worker *worker = supervisor->workers, *next; worker; worker = next) {
        next = worker->next;
        if (worker->child) {
            child_kill(worker->child);
            child_listen(worker->child, true);
        }
    }
    if (uv_timer_get_repeat(timer) == 0) {
        uv_timer_start(timer, on_patience, RETRY_MS, RETRY_MS);
        return;
    }
    supervisor->out_of_patience = true;
    for (struct worker *worker = supervisor->workers, *next; worker; worker = next) {
        next = worker->next;
        remove_if_over(worker);
    }
}

void supervisor_drain(struct supervisor *supervisor, int64_t patience_ms,
                      void (*drained)(void *context), void *context)
{
    atomic_store(&supervisor->draining, true);
    supervisor->drained = drained;
    supervisor->drained_context = context;
    uv_timer_stop(&supervisor->due);
    uv_timer_start(&supervisor->patience, on_patience, (uint64_t)patience_ms, 0);
    for (struct worker *worker = supervisor->workers; worker; worker = worker->next)
        if (!worker->has_last_word)
            tell_drain(worker);
    look_for_work(supervisor);
}

static void on_closed(uv_handle_t *handle)
{
    struct supervisor *supervisor = handle->data;

    if (--supervisor->open_handles == 0)
        free(supervisor);
}

void supervisor_free(struct supervisor *supervisor)
{
    if (!supervisor)
        return;
    uv_close((uv_handle_t *)&supervisor->tick, on_closed);
    uv_close((uv_handle_t *)&supervisor->due, on_closed);
    uv_close((uv_handle_t *)&supervisor->patience, on_closed);
}
