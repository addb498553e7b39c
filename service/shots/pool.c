/* Warm processes and their line of questions. See pool.h. Everything time-driven is in
 * do_what_is_due(), which sets the one timer to the next deadline. */
#include "service/shots/pool.h"

#include "api/base/clock.h"
#include "api/base/load_json.h"
#include "service/base/base.h"
#include "service/base/child.h"
#include "service/base/config.h"
#include "service/base/core.h"
#include "service/base/log.h"
#include "service/base/metrics.h"

#include <assert.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define RESTART_LEAST_S 0.1
#define RESTART_MOST_S  5.0

/* A process gets a little less than the time left, so that its answer comes in time. */
#define MARGIN_S     0.05
#define MARGIN_SHARE 0.1

/* DOWN ──► GREETING ──► FREE ◄──► THINKS
 *             LEAVES ◄──┘ ▲          ▼
 *                         └──────── STOPS         from each: back to DOWN when the process ends */
enum process_phase {
    PROCESS_DOWN,     /* starts at start_s or, a spare one, when it is needed */
    PROCESS_GREETING, /* has greetings to answer */
    PROCESS_LEAVES,   /* a spare one that nobody needs was told to end */
    PROCESS_FREE,
    PROCESS_THINKS, /* about question `id` */
    PROCESS_STOPS,  /* got a stop: its answer to `id` is dropped, or partial */
    PROCESS_PHASES
};

/* Row = from, bit = to. A move that is not listed here is a bug. */
__attribute__((unused)) /* by asserts alone */
static const uint8_t process_moves[PROCESS_PHASES] = {
    [PROCESS_DOWN] = 1u << PROCESS_GREETING,
    [PROCESS_GREETING] = 1u << PROCESS_FREE | 1u << PROCESS_DOWN,
    [PROCESS_FREE] = 1u << PROCESS_THINKS | 1u << PROCESS_LEAVES | 1u << PROCESS_DOWN,
    [PROCESS_LEAVES] = 1u << PROCESS_DOWN,
    [PROCESS_THINKS] = 1u << PROCESS_FREE | 1u << PROCESS_STOPS | 1u << PROCESS_DOWN,
    [PROCESS_STOPS] = 1u << PROCESS_FREE | 1u << PROCESS_DOWN,
};

struct process {
    struct pool *pool;
    enum process_phase phase; /* changed by process_move() alone */
    struct child *child;      /* NULL: it is down */
    double start_s, restart_s;
    int greetings; /* greetings it has not answered */
    int64_t id;
    double free_s;                  /* when it became free */
    struct pool_question *question; /* NULL: its caller is gone */
    double limit_s; /* when it is killed because greetings or stopping took too long; 0: no limit */
};

struct pool {
    const struct base *base;
    struct pool_settings settings;
    int alive; /* running processes */
    struct fair_line line;
    atomic_int busy, ready; /* read by other threads */
    int64_t last_id;
    uv_timer_t timer;
    bool is_doing, do_again; /* inside do_what_is_due(); it must run again */
    bool stopping;
    void (*stopped)(void *context);
    void *stopped_context;
    const struct process *end; /* of these: settings.processes, then POOL_SPARES_MAX spare ones */
    struct process process[];
};

static void do_what_is_due(struct pool *pool);

/* ---- phases of a process ---- */

static bool phase_is_ready(enum process_phase phase)
{
    return phase >= PROCESS_FREE;
}

static bool phase_is_busy(enum process_phase phase)
{
    return phase == PROCESS_THINKS || phase == PROCESS_STOPS;
}

/* Moves to another phase and updates the counts of the pool. */
static void process_move(struct process *process, enum process_phase to)
{
    struct pool *pool = process->pool;
    enum process_phase from = process->phase;

    assert(process_moves[from] >> to & 1u);
    assert((process->child == NULL) == (to == PROCESS_DOWN));
    assert(to != PROCESS_THINKS || process->question);
    assert(phase_is_busy(to) || !process->question);
    process->phase = to;
    if (to == PROCESS_FREE)
        process->free_s = clock_now_s();
    atomic_fetch_add(&pool->ready, phase_is_ready(to) - phase_is_ready(from));
    atomic_fetch_add(&pool->busy, phase_is_busy(to) - phase_is_busy(from));
}

/* ---- the processes of a pool ---- */

static bool is_spare(const struct process *process)
{
    return process - process->pool->process >= process->pool->settings.processes;
}

/* When a question counts as long, if the process has one that it may finish; else 0. */
static double long_at_s(const struct process *process)
{
    bool thinks = process->phase == PROCESS_THINKS;

    return thinks ? process->question->taken_s + process->pool->settings.long_s : 0.0;
}

static bool is_long(const struct process *process, double now)
{
    return process->phase == PROCESS_THINKS && now >= long_at_s(process);
}

/* Counts the further questions of callers of whom none runs that may run now. */
static int places(const struct pool *pool, double now)
{
    int left = pool->settings.processes;

    for (const struct process *process = pool->process; process < pool->end; process++)
        left -= phase_is_busy(process->phase) && !is_long(process, now);
    return left;
}

/* Whether a further question may run, of a caller of whom another runs, or none. */
static bool has_place(const struct pool *pool, bool is_served, double now)
{
    return atomic_load(&pool->busy) < pool->settings.processes ||
           (!is_served && places(pool, now) > 0);
}

/* Whether a process is free for a question of this caller. */
static bool can_begin(const struct pool *pool, const char *caller)
{
    bool has_free = false;

    for (const struct process *process = pool->process; process < pool->end; process++)
        has_free = has_free || process->phase == PROCESS_FREE;
    return has_free && has_place(pool, fair_line_serves(&pool->line, caller), clock_now_s());
}

/* ---- the line of questions ---- */

static struct pool_question *question_at(struct fair_place *place)
{
    return place ? (struct pool_question *)(void *)((char *)place -
                                                    offsetof(struct pool_question, place))
                 : NULL;
}

/* Gives the question back to its owner. */
static void finish(struct pool *pool, struct pool_question *question, enum api_error error,
                   json_t *answer)
{
    double taken_s = question->taken_s > 0.0 ? question->taken_s : clock_now_s();

    fair_line_leave(&pool->line, &question->place);
    question->finished(question, error, answer, taken_s - question->asked_s);
}

/* ---- a process and its question ---- */

/* Steals the document. */
static bool send_line(struct process *process, json_t *document)
{
    char *text = document ? json_dumps(document, JSON_COMPACT) : NULL;
    size_t length = text ? strlen(text) : 0;

    json_decref(document);
    if (text)
        text[length++] = '\n'; /* replaces the final 0 */
    bool good = text && child_write(process->child, text, length);
    free(text);
    if (!good)
        child_kill(process->child);
    return good;
}

/* Tells a process how long it may think. */
static bool set_timeout(const struct pool *pool, struct pool_question *question)
{
    double left_s = question->deadline_s - clock_now_s();
    double margin_s = fmin(MARGIN_S, MARGIN_SHARE * left_s);
    double timeout_ms = fmax(1.0, floor(1000.0 * (left_s - margin_s)));
    int most_ms = pool->settings.most_ms;

    question->is_bounded = most_ms > 0 && !(question->deadline_s > 0.0 && timeout_ms <= most_ms);
    if (question->is_bounded)
        timeout_ms = most_ms;
    if (!question->is_bounded && question->deadline_s <= 0.0)
        return true;
    return json_object_set_new(question->document, "timeout_ms",
                               json_integer((json_int_t)timeout_ms)) == 0;
}

/* When a running question fails if it has no answer; 0: never. */
static double question_end_s(const struct pool *pool, const struct pool_question *question)
{
    return question->is_bounded
               ? question->taken_s + 1e-3 * pool->settings.most_ms + pool->settings.overrun_s
               : question->deadline_s;
}

static void take_question(struct process *process, struct pool_question *question)
{
    struct pool *pool = process->pool;

    process->question = question;
    process_move(process, PROCESS_THINKS);
    process->id = question->id = ++pool->last_id;
    question->taken_s = clock_now_s();
    bool good = json_object_set_new(question->document, "id", json_integer(question->id)) == 0;
    if (good && pool->settings.can_cancel)
        good = set_timeout(pool, question);
    if (good)
        send_line(process, json_incref(question->document));
    else
        child_kill(process->child); /* memory is short: the question fails when the process ends */
}

/* Stops a process whose caller is gone. */
static void abandon(struct process *process)
{
    if (process->phase == PROCESS_STOPS)
        return;
    process_move(process, PROCESS_STOPS);
    process->limit_s = clock_now_s() + POOL_PATIENCE_S;
    if (process->pool->settings.can_cancel)
        send_line(process, json_pack("{s:I}", "cancel", (json_int_t)process->id));
}

static void hear_answer(struct process *process, json_t *answer)
{
    struct pool_question *question = process->question;
    const json_t *id = json_object_get(answer, "id");

    if (!json_is_integer(id) || json_integer_value(id) != process->id ||
        !phase_is_busy(process->phase))
        return; /* an answer to something else */
    if (json_is_false(json_object_get(answer, "is_final"))) {
        if (question && question->partial)
            question->partial(question, answer);
        return;
    }
    process->limit_s = 0.0;
    process->restart_s = RESTART_LEAST_S; /* it works, so a restart need not wait long */
    process->question = NULL;
    process_move(process, PROCESS_FREE);
    if (question)
        finish(process->pool, question, API_OK, answer);
    do_what_is_due(process->pool);
}

static void on_line(void *context, const char *text, size_t length)
{
    struct process *process = context;

    if (process->phase == PROCESS_GREETING) {
        if (--process->greetings == 0) {
            process->limit_s = 0.0;
            process_move(process, PROCESS_FREE);
        }
        do_what_is_due(process->pool);
        return;
    }
    json_t *answer = text ? load_json(text, length, JSON_REJECT_DUPLICATES, NULL) : NULL;
    if (!json_is_object(answer)) {
        log_line(LOG_WARNING, "worker ended", log_text("name", process->pool->settings.name),
                 log_text("detail", "an answer that cannot be read"));
        child_kill(process->child);
    } else {
        hear_answer(process, answer);
    }
    json_decref(answer);
}

static void log_death(const struct process *process, int status)
{
    char how[64], log[CHILD_LOG_MAX + 1];

    child_log(process->child, log);
    child_describe(status, sizeof how, how);
    log[strcspn(log, "\n")] = '\0';
    log_line(LOG_WARNING, "worker died", log_text("name", process->pool->settings.name),
             log_whole("pid", child_pid(process->child)), log_text("how", how),
             log_text("said", log));
    metrics_count(process->pool->base->metrics, METRIC_WORKERS_DIED, 1);
}

/* Asks a question once more, whose process is gone. Otherwise it fails. */
static void ask_again(struct pool *pool, struct pool_question *question, bool was_stopped)
{
    if (pool->stopping || was_stopped || question->is_repeated) {
        finish(pool, question,
               pool->stopping ? API_DRAINING
               : was_stopped  ? API_CANCELLED
                              : API_NO_WORKER,
               NULL);
        return;
    }
    question->is_repeated = true;
    question->taken_s = 0.0;
    fair_line_return(&pool->line, &question->place);
}

static void start_later(struct process *process)
{
    process->start_s = clock_now_s() + process->restart_s;
    process->restart_s = fmin(2.0 * process->restart_s, RESTART_MOST_S);
}

static void on_ended(void *context, int status)
{
    struct process *process = context;
    struct pool *pool = process->pool;
    struct pool_question *question = process->question;
    bool left = process->phase == PROCESS_LEAVES, was_stopped = process->phase == PROCESS_STOPS;

    if (!pool->stopping && !left)
        log_death(process, status);
    process->child = NULL;
    process->question = NULL;
    process->limit_s = 0.0;
    process_move(process, PROCESS_DOWN);
    if (!left)
        start_later(process);
    pool->alive--;
    if (question)
        ask_again(pool, question, was_stopped);
    do_what_is_due(pool);
}

static void start_process(struct process *process)
{
    struct pool *pool = process->pool;
    const struct child_settings settings = {.argv = pool->settings.argv,
                                            .line_fd = 0,
                                            .line_max = POOL_LINE_MAX,
                                            .is_killed_when_stopped = true,
                                            .context = process,
                                            .line = on_line,
                                            .ended = on_ended};

    if (child_start(core_loop(pool->base->core), pool->base->config, &settings, &process->child) !=
        API_OK) {
        log_line(LOG_ERROR, "worker not started", log_text("program", pool->settings.argv[0]));
        start_later(process);
        return;
    }
    pool->alive++;
    process->limit_s = clock_now_s() + POOL_HELLO_S;
    process_move(process, PROCESS_GREETING);
    process->greetings = 0;
    while (pool->settings.greetings[process->greetings] &&
           send_line(process, load_json_text(pool->settings.greetings[process->greetings])))
        process->greetings++;
}

/* ---- time ---- */

static void on_timer(uv_timer_t *timer)
{
    do_what_is_due(timer->data);
}

static void note_time(double *next_s, double at_s)
{
    if (at_s > 0.0 && at_s < *next_s)
        *next_s = at_s;
}

static void look_at_process(struct process *process, double now, double *next_s)
{
    struct pool_question *question = process->question;

    if (process->phase == PROCESS_DOWN && !is_spare(process) && now >= process->start_s)
        start_process(process);
    if (process->phase == PROCESS_DOWN) {
        note_time(next_s, is_spare(process) ? 0.0 : process->start_s);
        return;
    }
    if (process->phase == PROCESS_FREE && is_spare(process)) {
        if (now < process->free_s + POOL_SPARE_S) {
            note_time(next_s, process->free_s + POOL_SPARE_S);
            return;
        }
        process_move(process, PROCESS_LEAVES);
        child_end(process->child);
        return;
    }
    if (process->limit_s > 0.0 && now >= process->limit_s) {
        process->limit_s = 0.0;
        child_kill(process->child);
    }
    double end_s = question ? question_end_s(process->pool, question) : 0.0;
    if (end_s > 0.0 && now >= end_s) {
        process->question = NULL;
        abandon(process);
        finish(process->pool, question, API_DEADLINE, NULL);
        end_s = 0.0;
    }
    note_time(next_s, process->limit_s);
    note_time(next_s, end_s);
}

static void on_closed(uv_handle_t *handle)
{
    struct pool *pool = handle->data;

    if (pool->stopped)
        pool->stopped(pool->stopped_context);
    free(pool);
}

/* Ends questions that have waited too long. */
static void end_late_questions(struct pool *pool, double now)
{
    struct pool_question *late;

    do {
        late = question_at(fair_line_walk(&pool->line, NULL));
        while (late && !(late->deadline_s > 0.0 && now >= late->deadline_s))
            late = question_at(fair_line_walk(&pool->line, &late->place));
        if (late)
            finish(pool, late, API_DEADLINE, NULL);
    } while (late); /* start over, as the owner may have changed the line */
}

/* Gives questions to free processes, as far as callers may have more. */
static void hand_out(struct pool *pool, double now, double *next_s)
{
    for (struct process *process = pool->process; process < pool->end; process++) {
        if (process->phase != PROCESS_FREE)
            continue;
        struct pool_question *question = question_at(fair_line_first(&pool->line));
        /* The first in the line is of the caller with the fewest that run. */
        if (!question || !has_place(pool, fair_place_is_further(&question->place), now))
            return;
        fair_line_serve(&pool->line, &question->place);
        take_question(process, question);
        note_time(next_s, question_end_s(pool, question));
    }
}

/* Starts a process for each caller of whom nothing runs, once what runs is long. */
static void start_spares(struct pool *pool, double now, double *next_s)
{
    int wanted = fair_line_unserved(&pool->line), most = places(pool, now);

    if (wanted == 0 || atomic_load(&pool->busy) < pool->settings.processes)
        return;
    wanted = wanted < most ? wanted : most;
    for (const struct process *process = pool->process; process < pool->end; process++) {
        wanted -= process->phase == PROCESS_GREETING;
        if (!is_long(process, now))
            note_time(next_s, long_at_s(process));
    }
    for (struct process *process = pool->process; process < pool->end && wanted > 0; process++) {
        if (!is_spare(process) || process->phase != PROCESS_DOWN)
            continue;
        if (now >= process->start_s) {
            start_process(process);
            note_time(next_s, process->limit_s);
        }
        if (process->phase == PROCESS_DOWN) /* it died, or cannot be started */
            note_time(next_s, process->start_s);
        wanted--;
    }
}

static void do_once(struct pool *pool)
{
    double now = clock_now_s(), next_s = INFINITY;

    if (pool->stopping) {
        if (pool->alive == 0 && !uv_is_closing((uv_handle_t *)&pool->timer))
            uv_close((uv_handle_t *)&pool->timer, on_closed);
        return;
    }
    end_late_questions(pool, now);
    for (struct process *process = pool->process; process < pool->end; process++)
        look_at_process(process, now, &next_s);
    hand_out(pool, now, &next_s);
    start_spares(pool, now, &next_s);
    for (struct fair_place *at = NULL; (at = fair_line_walk(&pool->line, at)) != NULL;)
        note_time(&next_s, question_at(at)->deadline_s);
    if (isfinite(next_s))
        uv_timer_start(&pool->timer, on_timer, (uint64_t)fmax(1.0, ceil(1000.0 * (next_s - now))),
                       0);
    else
        uv_timer_stop(&pool->timer);
}

/* Owners that are called may ask, cancel and stop; the loop handles the consequences. */
static void do_what_is_due(struct pool *pool)
{
    pool->do_again = true;
    if (pool->is_doing)
        return;
    pool->is_doing = true;
    while (pool->do_again) {
        pool->do_again = false;
        do_once(pool);
    }
    pool->is_doing = false;
}

/* ---- calls of others ---- */

enum api_error pool_start(const struct base *base, const struct pool_settings *settings,
                          struct pool **ret_pool)
{
    size_t processes = (size_t)(settings->processes + POOL_SPARES_MAX);
    struct pool *pool = calloc(1, sizeof *pool + processes * sizeof *pool->process);

    if (!pool)
        return API_NO_MEMORY;
    pool->base = base;
    pool->settings = *settings;
    pool->end = pool->process + processes;
    for (struct process *process = pool->process; process < pool->end; process++)
        *process = (struct process){.pool = pool, .restart_s = RESTART_LEAST_S};
    uv_timer_init(core_loop(base->core), &pool->timer);
    pool->timer.data = pool;
    *ret_pool = pool;
    do_what_is_due(pool);
    return API_OK;
}

enum api_error pool_ask(struct pool *pool, struct pool_question *question)
{
    struct fair_place *victim = NULL;
    enum api_error error = API_OK;

    if (pool->stopping)
        return API_DRAINING;
    if (!can_begin(pool, question->caller) && pool->line.waiting >= pool->settings.waiting_max) {
        victim = fair_line_victim(&pool->line, question->caller, &error);
        if (!victim && !fair_line_is_new(&pool->line, question->caller))
            return error;
    }
    error = fair_line_join(&pool->line, &question->place, question->caller);
    if (error != API_OK)
        return error;
    question->asked_s = clock_now_s();
    question->taken_s = 0.0;
    question->is_bounded = question->is_repeated = false;
    if (victim)
        finish(pool, question_at(victim), API_SHARE_FULL, NULL);
    do_what_is_due(pool);
    return API_OK;
}

void pool_cancel(struct pool *pool, struct pool_question *question)
{
    if (question->place.state == FAIR_WAITING) {
        finish(pool, question, API_CANCELLED, NULL);
        return;
    }
    for (struct process *process = pool->process; process < pool->end; process++) {
        if (process->question != question)
            continue;
        abandon(process);
        if (!pool->settings.can_cancel) {
            process->question = NULL;
            finish(pool, question, API_CANCELLED, NULL);
        }
        do_what_is_due(pool);
        return;
    }
}

int pool_waiting(const struct pool *pool)
{
    return atomic_load(&pool->line.waiting);
}

int pool_busy(const struct pool *pool)
{
    return atomic_load(&pool->busy);
}

double pool_wait_s(const struct pool *pool, const char *caller, double each_s)
{
    double work_s = each_s * fair_line_ahead(&pool->line, caller), now = clock_now_s();
    bool is_served = fair_line_serves(&pool->line, caller);

    if (can_begin(pool, caller) ||
        (!is_served && places(pool, now) > fair_line_unserved(&pool->line)))
        return 0.0;
    for (const struct process *process = pool->process; process < pool->end; process++) {
        /* For a running question: the expected rest, or half of the mean if it takes longer than
         * most. Long ones keep nobody out of whom none runs. */
        if (process->question && (is_served || !is_long(process, now)))
            work_s += fmax(0.5 * each_s, each_s - (now - process->question->taken_s));
    }
    return work_s / pool->settings.processes;
}

bool pool_is_ready(const struct pool *pool)
{
    return atomic_load(&pool->ready) > 0;
}

void pool_stop(struct pool *pool, void (*stopped)(void *context), void *context)
{
    pool->stopping = true;
    pool->stopped = stopped;
    pool->stopped_context = context;
    while (pool->line.waiting > 0)
        finish(pool, question_at(fair_line_first(&pool->line)), API_DRAINING, NULL);
    for (struct process *process = pool->process; process < pool->end; process++)
        if (process->child)
            child_end(process->child);
    do_what_is_due(pool);
}
