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
 *                         ▲          ▼
 *                         └──────── STOPS         from each: back to DOWN when the process ends */
enum process_phase {
    PROCESS_DOWN,     /* starts at start_s */
    PROCESS_GREETING, /* has greetings to answer */
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
    [PROCESS_FREE] = 1u << PROCESS_THINKS | 1u << PROCESS_DOWN,
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
    struct process process[]; /* settings.processes */
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
    atomic_fetch_add(&pool->ready, phase_is_ready(to) - phase_is_ready(from));
    atomic_fetch_add(&pool->busy, phase_is_busy(to) - phase_is_busy(from));
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

static double handed_ms(const struct pool_question *question)
{
    double left_s = question->deadline_s - clock_now_s();
    double margin_s = fmin(MARGIN_S, MARGIN_SHARE * left_s);

    return fmax(1.0, floor(1000.0 * (left_s - margin_s)));
}

static void take_question(struct process *process, struct pool_question *question)
{
    struct pool *pool = process->pool;

    process->question = question;
    process_move(process, PROCESS_THINKS);
    process->id = question->id = ++pool->last_id;
    question->taken_s = clock_now_s();
    bool good = json_object_set_new(question->document, "id", json_integer(question->id)) == 0;
    if (pool->settings.can_cancel && question->deadline_s > 0.0)
        good = json_object_set_new(question->document, "timeout_ms",
                                   json_integer((json_int_t)handed_ms(question))) == 0 &&
               good;
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
    char how[64], log[CHILD_LOG_MAX + 1];

    child_log(process->child, log);
    if (!pool->stopping) {
        child_describe(status, sizeof how, how);
        log[strcspn(log, "\n")] = '\0';
        log_line(LOG_WARNING, "worker died", log_text("name", pool->settings.name),
                 log_whole("pid", child_pid(process->child)), log_text("how", how),
                 log_text("said", log));
        metrics_count(pool->base->metrics, METRIC_WORKERS_DIED, 1);
    }
    process->child = NULL;
    process->question = NULL;
    process->limit_s = 0.0;
    process_move(process, PROCESS_DOWN);
    start_later(process);
    pool->alive--;
    if (question)
        finish(pool, question, pool->stopping ? API_DRAINING : API_NO_WORKER, NULL);
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

    if (process->phase == PROCESS_DOWN && now >= process->start_s)
        start_process(process);
    if (process->phase == PROCESS_DOWN) {
        note_time(next_s, process->start_s);
        return;
    }
    if (process->limit_s > 0.0 && now >= process->limit_s) {
        process->limit_s = 0.0;
        child_kill(process->child);
    }
    if (question && question->deadline_s > 0.0 && now >= question->deadline_s) {
        process->question = NULL;
        abandon(process);
        finish(process->pool, question, API_DEADLINE, NULL);
        question = NULL;
    }
    note_time(next_s, process->limit_s);
    note_time(next_s, question ? question->deadline_s : 0.0);
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

static void do_once(struct pool *pool)
{
    double now = clock_now_s(), next_s = INFINITY;

    if (pool->stopping) {
        if (pool->alive == 0 && !uv_is_closing((uv_handle_t *)&pool->timer))
            uv_close((uv_handle_t *)&pool->timer, on_closed);
        return;
    }
    end_late_questions(pool, now);
    for (int k = 0; k < pool->settings.processes; k++)
        look_at_process(&pool->process[k], now, &next_s);
    for (int k = 0; k < pool->settings.processes && pool->line.waiting > 0; k++)
        if (pool->process[k].phase == PROCESS_FREE) {
            struct pool_question *question = question_at(fair_line_first(&pool->line));
            fair_line_serve(&pool->line, &question->place);
            take_question(&pool->process[k], question);
            note_time(&next_s, question->deadline_s);
        }
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
    struct pool *pool =
        calloc(1, sizeof *pool + (size_t)settings->processes * sizeof *pool->process);

    if (!pool)
        return API_NO_MEMORY;
    pool->base = base;
    pool->settings = *settings;
    for (int k = 0; k < settings->processes; k++)
        pool->process[k] = (struct process){.pool = pool, .restart_s = RESTART_LEAST_S};
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
    bool has_free = false;
    for (int k = 0; k < pool->settings.processes; k++)
        has_free = has_free || pool->process[k].phase == PROCESS_FREE;
    if (!has_free && pool->line.waiting >= pool->settings.waiting_max) {
        victim = fair_line_victim(&pool->line, question->caller, &error);
        if (!victim && !fair_line_is_new(&pool->line, question->caller))
            return error;
    }
    error = fair_line_join(&pool->line, &question->place, question->caller);
    if (error != API_OK)
        return error;
    question->asked_s = clock_now_s();
    question->taken_s = 0.0;
    if (victim)
        finish(pool, question_at(victim), API_SHARE_FULL, NULL);
    do_what_is_due(pool);
    return API_OK;
}

void pool_cancel(struct pool *pool, struct pool_question *question)
{
    if (question->place.state == FAIR_WAITING) {
        finish(pool, question, API_DRAINING, NULL);
        return;
    }
    for (int k = 0; k < pool->settings.processes; k++) {
        struct process *process = &pool->process[k];
        if (process->question != question)
            continue;
        abandon(process);
        if (!pool->settings.can_cancel) {
            process->question = NULL;
            finish(pool, question, API_DRAINING, NULL);
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

    for (int k = 0; k < pool->settings.processes; k++) {
        const struct process *process = &pool->process[k];
        if (process->phase == PROCESS_FREE)
            return 0.0;
        /* For a running question: the expected rest, or half of the mean if it takes longer than
         * most. */
        if (process->question)
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
    for (int k = 0; k < pool->settings.processes; k++)
        if (pool->process[k].child)
            child_end(pool->process[k].child);
    do_what_is_due(pool);
}
