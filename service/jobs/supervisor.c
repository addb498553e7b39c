/* Claims jobs, limits how many run, and drains them. See supervisor.h; job_worker.h handles the
 * worker of a job. */
#include "service/jobs/supervisor.h"

#include "api/base/build_json.h"
#include "api/base/clock.h"
#include "service/base/callers.h"
#include "service/base/config.h"
#include "service/base/core.h"
#include "service/base/disk.h"
#include "service/base/metrics.h"
#include "service/jobs/job_folder.h"
#include "service/jobs/job_worker.h"
#include "service/jobs/settling.h"
#include "service/store/tasks.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TICK_MS = 1000, RETRY_MS = JOB_WORKER_RETRY_MS, RETURNS_MAX = 16 };
#define RETURNS_S 10.0 /* a moment, also where processes start late */

/* Work that a worker gave back unasked. */
struct returned {
    int64_t job, task;
    double at_s;
};

struct supervisor {
    struct job_host host;
    /* Kinds that callers request, and internal kinds, which follow from them. Internal jobs are
     * short (a ladder takes seconds) and somebody looks at the result, so they have a worker of
     * their own and never wait for a training to end. */
    const char *kinds[JOB_KINDS_MAX + 1], *internal_kinds[JOB_KINDS_MAX + 1];
    const char *led_kinds[JOB_KINDS_MAX + 1]; /* those of `kinds` with tasks */
    /* Kinds whose worker only watches a game that goes on without it: clients wait for it, and it
     * takes no slot from jobs that compute. */
    const char *hosted_kinds[JOB_KINDS_MAX + 1];
    struct settling *settling;
    struct job_worker *workers;
    atomic_int running; /* slots that are taken */
    atomic_int hosted;  /* games that are hosted */
    bool runs_internal;
    int leads;      /* that have a slot: they have not offered tasks yet */
    int node_cores; /* of nodes, which do tasks, too */

    struct core_task claim_task;
    struct job_worker *claimant; /* the next worker while its claim is in flight */
    bool claim_again;
    int64_t next_due_ms; /* of the last claim; CLOCK_NEVER_MS: nothing waits for its time */

    struct returned returned[RETURNS_MAX]; /* the last ones */
    unsigned returned_count;

    uv_timer_t tick, due, patience;
    double ticked_s;
    int open_handles;
    void (*drained)(void *context);
    void *drained_context;
    void (*ready)(void *context); /* NULL: nobody watches */
    void *ready_context;
};

/* ---- workers ---- */

static void on_tick(uv_timer_t *timer)
{
    struct supervisor *supervisor = timer->data;
    double now = clock_now_s();
    bool was_stopped = now - supervisor->ticked_s > 2e-3 * TICK_MS;

    supervisor->ticked_s = now;
    for (struct job_worker *worker = supervisor->workers, *next; worker; worker = next) {
        next = worker->next;
        job_worker_look(worker, now, was_stopped);
    }
}

/* The count of the slots from which a worker of users' jobs takes one. */
static atomic_int *slots_of(struct supervisor *supervisor, const struct job_worker *worker)
{
    return job_kind_find(worker->claim.kind)->is_hosted ? &supervisor->hosted
                                                        : &supervisor->running;
}

/* A worker of an internal kind has a slot of its own. */
static bool is_internal(const struct job_worker *worker)
{
    return job_kind_is_internal(worker->claim.kind);
}

/* A lead that follows another one and finds tasks may have nothing to offer: with a slot it would
 * take the place of the worker of its own tasks. */
static bool finds_tasks(const struct job_worker *lead)
{
    const json_t *tasks = json_object_get(lead->lines.job, "tasks");

    return json_array_size(json_object_get(tasks, "open")) > 0;
}

static void take_slot(struct supervisor *supervisor, struct job_worker *worker)
{
    if (worker->is_lead && finds_tasks(worker))
        return;
    worker->has_slot = true;
    supervisor->leads += worker->is_lead;
    if (is_internal(worker))
        supervisor->runs_internal = true;
    else
        atomic_fetch_add(slots_of(supervisor, worker), 1);
}

static void free_slot(struct supervisor *supervisor, struct job_worker *worker)
{
    if (!worker->has_slot)
        return;
    worker->has_slot = false;
    supervisor->leads -= worker->is_lead;
    if (is_internal(worker))
        supervisor->runs_internal = false;
    else
        atomic_fetch_sub(slots_of(supervisor, worker), 1);
    assert(atomic_load(&supervisor->running) >= 0 && atomic_load(&supervisor->hosted) >= 0);
}

static void start_worker(struct supervisor *supervisor, struct job_worker *worker)
{
    worker->next = supervisor->workers;
    supervisor->workers = worker;
    take_slot(supervisor, worker);
    if (!uv_is_active((uv_handle_t *)&supervisor->tick)) {
        supervisor->ticked_s = clock_now_s();
        uv_timer_start(&supervisor->tick, on_tick, TICK_MS, TICK_MS);
    }
    job_worker_start(worker, job_kind_find(worker->claim.kind)->program);
}

static void on_over(void *context, struct job_worker *worker)
{
    struct supervisor *supervisor = context;
    struct job_worker **place = &supervisor->workers;

    while (*place != worker)
        place = &(*place)->next;
    *place = worker->next;
    if (worker->is_vain ||
        (worker->is_lead && (worker->state == JOB_DONE || worker->state == JOB_CANCELLED)))
        job_folder_drop_tasks(supervisor->host.data, worker->claim.id);
    free_slot(supervisor, worker);
    job_worker_free(worker);
    if (!supervisor->workers)
        uv_timer_stop(&supervisor->tick);
    supervisor_wake(supervisor);
}

/* ---- leads ---- */

static struct job_worker *find_lead(struct supervisor *supervisor, int64_t job)
{
    struct job_worker *worker = supervisor->workers;

    while (worker &&
           (worker->claim.id != job || !worker->is_lead || job_worker_has_last_word(worker)))
        worker = worker->next;
    /* The current transaction may have made one, which starts after it. */
    if (!worker && supervisor->claimant && supervisor->claimant->claim.id == job &&
        supervisor->claimant->claim.task == 0)
        worker = supervisor->claimant;
    return worker;
}

void supervisor_tell_lead(struct supervisor *supervisor, int64_t job, json_t *lines)
{
    struct job_worker *lead = find_lead(supervisor, job);

    if (lead)
        job_worker_tell_news(lead, lines); /* a later lead reads them from the store */
}

void supervisor_outdate(struct supervisor *supervisor, int64_t job)
{
    for (struct job_worker *worker = supervisor->workers; worker; worker = worker->next)
        if (worker->is_lead && worker->claim.id == job)
            worker->keeper.is_outdated = true;
    /* A claim of the current transaction was made before the tasks were done again, or knows it. */
    if (supervisor->claimant && supervisor->claimant->claim.id == job &&
        supervisor->claimant->claim.task == 0)
        supervisor->claimant->keeper.is_outdated = true;
}

static void on_news(void *supervisor, int64_t job, json_t *lines)
{
    supervisor_tell_lead(supervisor, job, lines);
}

static void on_offered(void *context, struct job_worker *lead)
{
    free_slot(context, lead);
    supervisor_wake(context);
}

/* Processes here hear it at once, nodes with the answer to their next lines. */
static void on_dropped(void *context, struct job_worker *lead, int64_t through)
{
    struct supervisor *supervisor = context;

    for (struct job_worker *worker = supervisor->workers; worker; worker = worker->next)
        if (worker->claim.id == lead->claim.id && worker->claim.task != 0 &&
            worker->claim.task <= through && !job_worker_has_last_word(worker))
            job_worker_tell(worker, TOLD_CANCEL);
}

static bool on_returned(void *context, const struct job_worker *worker)
{
    struct supervisor *supervisor = context;
    const struct returned now = {worker->claim.id, worker->claim.task, clock_now_s()};
    bool is_again = false;

    for (int k = 0; k < RETURNS_MAX; k++) {
        const struct returned *before = &supervisor->returned[k];
        is_again = is_again || (before->job == now.job && before->task == now.task &&
                                now.at_s - before->at_s < RETURNS_S);
    }
    supervisor->returned[supervisor->returned_count++ % RETURNS_MAX] = now;
    return is_again;
}

/* After a job that has ended or is paused nobody needs its tasks; after a lead that has only died,
 * they go on. */
static void on_ended(void *context, struct job_worker *lead)
{
    struct supervisor *supervisor = context;

    if (!lead->is_lead || lead->state == JOB_READY)
        return;
    for (struct job_worker *worker = supervisor->workers; worker; worker = worker->next) {
        if (worker == lead || worker->claim.id != lead->claim.id)
            continue;
        worker->is_vain = job_has_ended(lead->state) && lead->state != JOB_BURIED;
        if (!job_worker_has_last_word(worker))
            job_worker_tell(worker, job_has_ended(lead->state) ? TOLD_CANCEL : TOLD_DRAIN);
    }
}

void supervisor_set_nodes(struct supervisor *supervisor, int cores)
{
    int hands = supervisor->host.base->config->workers + cores;

    hands = hands > 0 ? hands : 1;
    if (cores == supervisor->node_cores)
        return;
    supervisor->node_cores = cores;
    supervisor->host.hands = hands;
    json_t *lines = json_pack("[{s:s, s:i}]", "type", "hands", "count", hands);
    for (struct job_worker *worker = supervisor->workers; lines && worker; worker = worker->next)
        if (worker->is_lead && !job_worker_has_last_word(worker))
            job_worker_tell_news(worker, lines);
    json_decref(lines);
    supervisor_wake(supervisor);
}

/* ---- claiming ---- */

static struct supervisor *claiming(struct core_task *task)
{
    return (struct supervisor *)((char *)task - offsetof(struct supervisor, claim_task));
}

static bool has_room(const struct supervisor *supervisor)
{
    return atomic_load(&supervisor->running) < supervisor->host.base->config->workers;
}

static bool has_internal_room(const struct supervisor *supervisor)
{
    return !supervisor->runs_internal &&
           (supervisor->host.base->config->workers > 0 || supervisor->node_cores > 0);
}

static bool has_room_for_hosted(const struct supervisor *supervisor)
{
    const struct config *config = supervisor->host.base->config;

    return config->workers > 0 && atomic_load(&supervisor->hosted) < config->hosted_games;
}

/* Whether a lead may start although no slot is free: there are nodes, and no other lead is about to
 * offer them tasks. */
static bool has_room_for_lead(const struct supervisor *supervisor)
{
    return supervisor->node_cores > 0 && supervisor->leads == 0;
}

static int64_t cores_max(void *context, const char *owner)
{
    return callers_limits(context, owner).cores;
}

static enum api_error claim_internal(struct supervisor *supervisor, struct store *store,
                                     int64_t now_ms)
{
    return job_store_claim(store, supervisor->internal_kinds, NULL, now_ms,
                           supervisor->host.base->config->lease_ms, &supervisor->claimant->claim);
}

static enum api_error claim_hosted(struct supervisor *supervisor, struct store *store,
                                   int64_t now_ms)
{
    const struct job_limits limits = {cores_max, supervisor->host.base->callers};

    return job_store_claim(store, supervisor->hosted_kinds, &limits, now_ms,
                           supervisor->host.base->config->lease_ms, &supervisor->claimant->claim);
}

/* Claims the first task or job of the other kinds. */
static enum api_error claim_for_slot(struct supervisor *supervisor, struct store *store,
                                     int64_t now_ms)
{
    const struct job_limits limits = {cores_max, supervisor->host.base->callers};
    const struct task_wish wish = {.kinds = supervisor->kinds, .node = "", .limits = &limits};

    return task_store_claim_any(store, &wish, now_ms, supervisor->host.base->config->lease_ms,
                                &supervisor->claimant->claim);
}

/* Whether nodes have a task to do. Then no job is called into the line for them. */
static enum api_error nodes_have_tasks(struct store *store, bool *ret_have)
{
    int64_t ready, leased;
    enum api_error error = task_store_counts(store, &ready, &leased);

    *ret_have = error == API_OK && ready > 0;
    return error;
}

/* Claims a job for nodes, if they have no task to do. */
static enum api_error claim_for_nodes(struct supervisor *supervisor, struct store *store,
                                      int64_t now_ms)
{
    const struct job_limits limits = {cores_max, supervisor->host.base->callers};
    bool have_tasks;
    enum api_error error = nodes_have_tasks(store, &have_tasks);

    if (error != API_OK || have_tasks)
        return error != API_OK ? error : API_NOT_FOUND;
    return job_store_claim(store, supervisor->led_kinds, &limits, now_ms,
                           supervisor->host.base->config->lease_ms, &supervisor->claimant->claim);
}

static int64_t earlier(int64_t a_ms, int64_t b_ms)
{
    return a_ms < b_ms ? a_ms : b_ms;
}

/* Finds when the next claim may find something, after one that found nothing. CLOCK_NEVER_MS:
 * nothing waits for its time. */
static enum api_error next_due(const struct supervisor *supervisor, struct store *store,
                               int64_t now_ms, int64_t *ret_due_ms)
{
    int64_t internal_ms = CLOCK_NEVER_MS, hosted_ms = CLOCK_NEVER_MS;
    int64_t job_ms = CLOCK_NEVER_MS, task_ms = CLOCK_NEVER_MS;
    bool have_tasks = false;
    enum api_error error = API_OK;

    if (has_internal_room(supervisor))
        error = job_store_next_due(store, supervisor->internal_kinds, &internal_ms);
    if (error == API_OK && has_room_for_hosted(supervisor))
        error = job_store_next_due(store, supervisor->hosted_kinds, &hosted_ms);
    if (error == API_OK && has_room(supervisor)) {
        error = job_store_next_due(store, supervisor->kinds, &job_ms);
        if (error == API_OK)
            error = task_store_next_due(store, now_ms, &task_ms);
    } else if (error == API_OK && has_room_for_lead(supervisor)) {
        error = nodes_have_tasks(store, &have_tasks);
        if (error == API_OK && !have_tasks)
            error = job_store_next_due(store, supervisor->led_kinds, &job_ms);
    }
    *ret_due_ms = earlier(earlier(internal_ms, hosted_ms), earlier(job_ms, task_ms));
    return error;
}

static enum api_error run_claim(struct core_task *task, struct store *store)
{
    struct supervisor *supervisor = claiming(task);
    struct job_worker *worker = supervisor->claimant;
    int64_t now_ms = core_now_ms(supervisor->host.base->core);
    enum api_error error = API_NOT_FOUND;

    supervisor->next_due_ms = CLOCK_NEVER_MS;
    if (has_internal_room(supervisor))
        error = claim_internal(supervisor, store, now_ms);
    if (error == API_NOT_FOUND && has_room_for_hosted(supervisor))
        error = claim_hosted(supervisor, store, now_ms);
    if (error == API_NOT_FOUND && has_room(supervisor))
        error = claim_for_slot(supervisor, store, now_ms);
    else if (error == API_NOT_FOUND && has_room_for_lead(supervisor))
        error = claim_for_nodes(supervisor, store, now_ms);
    if (error == API_OK)
        return job_line_make(store, supervisor->host.data, &worker->claim, supervisor->host.hands,
                             now_ms, &worker->lines);
    if (error != API_NOT_FOUND)
        return error;
    error = next_due(supervisor, store, now_ms, &supervisor->next_due_ms);
    if (error != API_OK)
        return error;
    /* Jobs that are due were moved into the line, but none may start now: their callers have no
     * cores left. They stay in the line, as others are still to be moved. */
    return supervisor->next_due_ms <= now_ms ? API_OK : API_NOT_FOUND;
}

static void claim(struct supervisor *supervisor);

static void on_due(uv_timer_t *timer)
{
    supervisor_wake(timer->data);
}

static void finish_claim(struct core_task *task, enum api_error result)
{
    struct supervisor *supervisor = claiming(task);
    struct job_worker *worker = supervisor->claimant;
    int64_t wait_ms = CLOCK_NEVER_MS;

    supervisor->claimant = NULL;
    bool again = supervisor->claim_again || result == API_OK;
    supervisor->claim_again = false;
    if (result == API_OK && worker->claim.id != 0) {
        if (worker->claim.waited_ms >= 0)
            metrics_observe(supervisor->host.base->metrics, METRIC_JOB_WAIT_S,
                            1e-3 * (double)worker->claim.waited_ms);
        worker->is_lead = worker->claim.task == 0 && job_kind_find(worker->claim.kind)->has_tasks;
        start_worker(supervisor, worker);
    } else {
        job_worker_free(worker);
        if (result != API_OK && result != API_NOT_FOUND)
            wait_ms = RETRY_MS;
        else if (supervisor->next_due_ms != CLOCK_NEVER_MS)
            wait_ms = supervisor->next_due_ms - core_now_ms(supervisor->host.base->core);
    }
    if (again)
        claim(supervisor);
    else if (wait_ms != CLOCK_NEVER_MS && !atomic_load(&supervisor->host.draining))
        uv_timer_start(&supervisor->due, on_due, wait_ms > 0 ? (uint64_t)wait_ms : 1, 0);
}

static void claim(struct supervisor *supervisor)
{
    if (supervisor->claimant) {
        supervisor->claim_again = true;
        return;
    }
    if (atomic_load(&supervisor->host.draining)) {
        if (!supervisor->workers && supervisor->drained) {
            void (*drained)(void *context) = supervisor->drained;
            supervisor->drained = NULL;
            uv_timer_stop(&supervisor->patience);
            drained(supervisor->drained_context);
        }
        return;
    }
    if (!has_room(supervisor) && !has_internal_room(supervisor) &&
        !has_room_for_hosted(supervisor) && !has_room_for_lead(supervisor))
        return;
    if (disk_is_full(supervisor->host.base->disk)) { /* a worker could not store its results */
        uv_timer_start(&supervisor->due, on_due, RETRY_MS, 0);
        return;
    }
    uv_timer_stop(&supervisor->due);
    struct job_worker *worker = job_worker_new(&supervisor->host);
    if (!worker) {
        uv_timer_start(&supervisor->due, on_due, RETRY_MS, 0);
        return;
    }
    supervisor->claimant = worker;
    supervisor->claim_task =
        (struct core_task){.writes = true, .run = run_claim, .finish = finish_claim};
    core_submit_own(supervisor->host.base->core, &supervisor->claim_task);
}

/* ---- jobs after others ---- */

static void on_settled(void *supervisor)
{
    claim(supervisor);
}

static void on_unsettled(void *context)
{
    struct supervisor *supervisor = context;

    if (!atomic_load(&supervisor->host.draining))
        uv_timer_start(&supervisor->due, on_due, RETRY_MS, 0);
}

void supervisor_wake(struct supervisor *supervisor)
{
    /* While it drains, the next start is early enough. */
    if (!atomic_load(&supervisor->host.draining))
        settling_wake(supervisor->settling);
    claim(supervisor);
    if (supervisor->ready)
        supervisor->ready(supervisor->ready_context);
}

void supervisor_watch(struct supervisor *supervisor, void (*ready)(void *context), void *context)
{
    supervisor->ready = ready;
    supervisor->ready_context = context;
}

/* ---- calls of others ---- */

enum api_error supervisor_start(const struct base *base, struct supervisor **ret_supervisor)
{
    struct supervisor *supervisor = calloc(1, sizeof *supervisor);

    if (!supervisor)
        return API_NO_MEMORY;
    if (!realpath(base->config->data, supervisor->host.data)) {
        free(supervisor);
        return API_STORAGE;
    }
    supervisor->settling = settling_open(base, on_settled, on_unsettled, supervisor);
    if (!supervisor->settling) {
        free(supervisor);
        return API_NO_MEMORY;
    }
    supervisor->host.base = base;
    supervisor->host.hands = base->config->workers > 0 ? base->config->workers : 1;
    supervisor->host.over = on_over;
    supervisor->host.news = on_news;
    supervisor->host.offered = on_offered;
    supervisor->host.dropped = on_dropped;
    supervisor->host.ended = on_ended;
    supervisor->host.returned = on_returned;
    supervisor->host.context = supervisor;
    int kinds = 0, internal_kinds = 0, led_kinds = 0, hosted_kinds = 0;
    for (int k = 0; job_kind_at(k); k++) {
        if (job_kind_at(k)->is_internal)
            supervisor->internal_kinds[internal_kinds++] = job_kind_at(k)->name;
        else if (job_kind_at(k)->is_hosted)
            supervisor->hosted_kinds[hosted_kinds++] = job_kind_at(k)->name;
        else
            supervisor->kinds[kinds++] = job_kind_at(k)->name;
        if (job_kind_at(k)->has_tasks)
            supervisor->led_kinds[led_kinds++] = job_kind_at(k)->name;
    }
    uv_loop_t *loop = core_loop(base->core);
    uv_timer_init(loop, &supervisor->tick);
    uv_timer_init(loop, &supervisor->due);
    uv_timer_init(loop, &supervisor->patience);
    supervisor->open_handles = 3;
    supervisor->tick.data = supervisor->due.data = supervisor->patience.data = supervisor;
    *ret_supervisor = supervisor;
    supervisor_wake(supervisor);
    return API_OK;
}

void supervisor_tell(struct supervisor *supervisor, int64_t job, enum job_wish wish)
{
    enum job_worker_order order = wish == JOB_CANCEL ? TOLD_CANCEL : TOLD_DRAIN;

    for (struct job_worker *worker = supervisor->workers; worker; worker = worker->next)
        if (worker->claim.id == job && !job_worker_has_last_word(worker))
            job_worker_tell(worker, order);
    /* After a cancel without a lead nobody sees to the files of its last tasks but they. */
    for (struct job_worker *worker = find_lead(supervisor, job) ? NULL : supervisor->workers;
         worker; worker = worker->next)
        if (worker->claim.id == job && worker->claim.task != 0)
            worker->is_vain = worker->is_vain || wish == JOB_CANCEL;
    /* The current transaction may claim the job or a task: the worker learns it when it starts. */
    if (supervisor->claimant && supervisor->claimant->claim.id == job)
        job_worker_tell(supervisor->claimant, order);
}

json_t *supervisor_explain(const struct supervisor *supervisor, const struct job_kind *kind,
                           int64_t run_at_ms, int64_t now_ms, int64_t position)
{
    int running = atomic_load(&supervisor->running), hosted = atomic_load(&supervisor->hosted);
    int most = supervisor->host.base->config->workers;
    int hosted_most = supervisor->host.base->config->hosted_games;

    if (atomic_load(&supervisor->host.draining))
        return json_string("the service is shutting down; the job runs after the next start");
    if (run_at_ms > now_ms)
        return json_sprintf("it may start in %.1f s", 1e-3 * (double)(run_at_ms - now_ms));
    if (disk_is_full(supervisor->host.base->disk))
        return json_string("the disk is full; it starts when there is room");
    if (most == 0)
        return json_string("rinkd works on no jobs here (its setting workers is 0)");
    if (kind && kind->is_hosted && hosted >= hosted_most)
        return json_sprintf("%d games are hosted, as many as rinkd hosts at a time (its setting "
                            "hosted_games); it starts when one ends",
                            hosted);
    if (kind && kind->is_hosted)
        return json_string("about to start");
    if (running >= most && most == 1)
        return json_sprintf("the worker is busy; jobs before this one: %lld", (long long)position);
    if (running >= most)
        return json_sprintf("all %d workers are busy; jobs before this one: %lld", most,
                            (long long)position);
    return json_string("about to start");
}

json_t *supervisor_workers(const struct supervisor *supervisor)
{
    json_t *list = json_array();
    double now = clock_now_s();
    bool good = true;

    for (const struct job_worker *worker = supervisor->workers; worker; worker = worker->next) {
        char since[32];
        time_t started = (time_t)(worker->since_ms / 1000);
        strftime(since, sizeof since, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&started, &(struct tm){0}));
        json_t *row =
            json_pack("{s:o, s:s, s:I, s:o, s:s, s:f}", "pid",
                      worker->child ? json_integer(child_pid(worker->child)) : json_null(), "kind",
                      worker->claim.kind, "job", (json_int_t)worker->claim.id, "task",
                      worker->claim.task ? json_integer(worker->claim.task) : json_null(), "since",
                      since, "beat_s", now - worker->heard_s);
        good = build_append(list, row) && good;
    }
    return build_done(list, good);
}

/* ---- the end ---- */

/* First kills the workers; later gives up on whatever still cannot be written. The next start
 * recovers those jobs. */
static void on_patience(uv_timer_t *timer)
{
    struct supervisor *supervisor = timer->data;

    for (struct job_worker *worker = supervisor->workers, *next; worker; worker = next) {
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
    supervisor->host.out_of_patience = true;
    for (struct job_worker *worker = supervisor->workers, *next; worker; worker = next) {
        next = worker->next;
        job_worker_end_if_over(worker);
    }
}

void supervisor_drain(struct supervisor *supervisor, int64_t patience_ms,
                      void (*drained)(void *context), void *context)
{
    atomic_store(&supervisor->host.draining, true);
    supervisor->drained = drained;
    supervisor->drained_context = context;
    uv_timer_stop(&supervisor->due);
    uv_timer_start(&supervisor->patience, on_patience, (uint64_t)patience_ms, 0);
    for (struct job_worker *worker = supervisor->workers; worker; worker = worker->next)
        if (!job_worker_has_last_word(worker))
            job_worker_tell(worker, TOLD_DRAIN);
    supervisor_wake(supervisor);
}

static void on_closed(uv_handle_t *handle)
{
    struct supervisor *supervisor = handle->data;

    if (--supervisor->open_handles == 0) {
        settling_free(supervisor->settling);
        free(supervisor);
    }
}

void supervisor_free(struct supervisor *supervisor)
{
    if (!supervisor)
        return;
    uv_close((uv_handle_t *)&supervisor->tick, on_closed);
    uv_close((uv_handle_t *)&supervisor->due, on_closed);
    uv_close((uv_handle_t *)&supervisor->patience, on_closed);
}
