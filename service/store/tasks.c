/* The states of a task, and what its workers report. See tasks.h. */
#include "service/store/tasks.h"

#include "api/jobs/job_kinds.h"
#include "api/jobs/wire.h"
#include "service/store/sql.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* ---- states ---- */

static const char *const state_names[TASK_STATE_COUNT + 1] = {
#define X(name, text) [name] = text,
    TASK_STATES(X)
#undef X
};

/* Row = from, bit = to. A move that is not listed here is a bug. The triggers of 0012_tasks.sql
 * make those to TASK_DROPPED at the end of a job, and those from TASK_FAILED. */
static const uint8_t moves[TASK_STATE_COUNT] = {
    [TASK_READY] = 1u << TASK_LEASED | 1u << TASK_DROPPED,
    [TASK_LEASED] = 1u << TASK_READY | 1u << TASK_DONE | 1u << TASK_FAILED | 1u << TASK_DROPPED,
    /* Its output was refused, or it is done again; nobody needs it. */
    [TASK_DONE] = 1u << TASK_READY | 1u << TASK_FAILED | 1u << TASK_DROPPED,
    [TASK_FAILED] = 1u << TASK_READY | 1u << TASK_DROPPED,
    [TASK_DROPPED] = 1u << TASK_READY, /* a task before it is done again */
};

const char *task_state_name(enum task_state state)
{
    return state_names[state];
}

bool task_may_move(enum task_state from, enum task_state to)
{
    return (moves[from] >> to & 1u) != 0;
}

/* ---- tries ---- */

/* A try that goes on, and its task. */
struct
try {
    int64_t number; /* of the try */
    enum task_state state;
    int64_t attempt, crashes;
    int64_t others; /* other tries of the task that go on */
    int64_t started_ms;
};

static bool read_state(const char *text, enum task_state *ret_state)
{
    for (int k = 0; k < TASK_STATE_COUNT; k++)
        if (strcmp(text, state_names[k]) == 0) {
            *ret_state = (enum task_state)k;
            return true;
        }
    return false;
}

/* API_LEASE_LOST: no try with this token goes on. */
static enum api_error find_try(struct store *store, const struct task_holder *holder,
                               struct try *ret_try)
{
    static const char text[] =
        "SELECT try, task.state, attempt, crashes, started_ms,"
        "       (SELECT count(*) FROM task_try AS other WHERE other.job = ?1 AND other.number = ?2"
        "           AND other.state = 'leased' AND other.try <> task_try.try)"
        "  FROM task_try JOIN task USING (job, number)"
        " WHERE job = ?1 AND number = ?2 AND token = ?3 AND task_try.state = 'leased'";
    struct try try = {.number = 0};
    char state[16];
    enum api_error error =
        sql_read(store, text, PUT(INT(holder->job), INT(holder->number), TEXT(holder->token)),
                 GET(TO_INT(&try.number), TO_TEXT(sizeof state, state), TO_INT(&try.attempt),
                     TO_INT(&try.crashes), TO_INT(&try.started_ms), TO_INT(&try.others)));

    if (error != API_OK)
        return error == API_NOT_FOUND ? API_LEASE_LOST : error;
    if (!read_state(state, &try.state))
        return API_INTERNAL;
    *ret_try = try;
    return API_OK;
}

static enum api_error end_try(struct store *store, const struct task_holder *holder,
                              const char *state, const char *why, int64_t now_ms)
{
    static const char text[] =
        "UPDATE task_try SET state = ?4, ended_ms = ?5, error = ?6"
        " WHERE job = ?1 AND number = ?2 AND token = ?3 AND state = 'leased'";
    return sql_change(store, text,
                      PUT(INT(holder->job), INT(holder->number), TEXT(holder->token), TEXT(state),
                          INT(now_ms), TEXT(why)),
                      API_LEASE_LOST);
}

/* Makes a task wait again, from run_at_ms on; `attempts` is added to its count. Does nothing while
 * another try of it goes on. */
static enum api_error make_ready(struct store *store, const struct task_holder *holder,
                                 const struct try *try, int64_t attempts, int64_t run_at_ms)
{
    static const char text[] =
        "UPDATE task SET state = 'ready', attempt = max(attempt + ?3, 0), run_at_ms = ?4"
        " WHERE job = ?1 AND number = ?2 AND state = 'leased'";

    if (try->others > 0 || try->state != TASK_LEASED)
        return API_OK;
    return sql_run(store, text,
                   PUT(INT(holder->job), INT(holder->number), INT(attempts), INT(run_at_ms)));
}

/* ---- reports ---- */

enum api_error task_store_beat(struct store *store, const struct task_holder *holder,
                               int64_t now_ms, int64_t lease_ms)
{
    static const char text[] =
        "UPDATE task_try SET lease_until_ms = ?4 + ?5"
        " WHERE job = ?1 AND number = ?2 AND token = ?3 AND state = 'leased'";
    return sql_change(
        store, text,
        PUT(INT(holder->job), INT(holder->number), TEXT(holder->token), INT(now_ms), INT(lease_ms)),
        API_LEASE_LOST);
}

enum api_error task_store_checkpoint(struct store *store, const struct task_holder *holder,
                                     const char *checkpoint_json)
{
    static const char text[] = "UPDATE task SET checkpoint = ?3, said = NULL"
                               " WHERE job = ?1 AND number = ?2 AND state = 'leased'";
    struct try try;
    enum api_error error = find_try(store, holder, &try);

    if (error != API_OK)
        return error;
    return sql_run(store, text, PUT(INT(holder->job), INT(holder->number), TEXT(checkpoint_json)));
}

enum api_error task_store_run(struct store *store, int64_t job, int64_t number,
                              char ret_run[TASK_RUN_MAX])
{
    static const char text[] = "SELECT coalesce(json_extract(spec, '$." WIRE_TASK_RUN "'), '')"
                               "  FROM task WHERE job = ?1 AND number = ?2";
    return sql_read(store, text, PUT(INT(job), INT(number)), GET(TO_TEXT(TASK_RUN_MAX, ret_run)));
}

enum api_error task_store_output(struct store *store, const struct task_holder *holder,
                                 const char *path, const char *sha256, int64_t bytes)
{
    static const char text[] = "UPDATE task_try SET path = ?4, sha256 = ?5, bytes = ?6"
                               " WHERE job = ?1 AND number = ?2 AND token = ?3 AND path IS NULL";
    struct try try;
    enum api_error error = find_try(store, holder, &try);

    if (error != API_OK)
        return error;
    return sql_change(store, text,
                      PUT(INT(holder->job), INT(holder->number), TEXT(holder->token), TEXT(path),
                          TEXT(sha256), INT(bytes)),
                      API_EXISTS);
}

/* The task is done by this try; the others have lost. */
static enum api_error finish_task(struct store *store, const struct task_holder *holder,
                                  const struct try *try, const char *result_json, int64_t now_ms)
{
    static const char done[] =
        "UPDATE task SET state = 'done', result = ?4, checkpoint = NULL, seconds = ?5,"
        "  path = (SELECT path FROM task_try WHERE job = ?1 AND number = ?2 AND try = ?3)"
        " WHERE job = ?1 AND number = ?2 AND state = 'leased'";
    static const char late[] = "UPDATE task_try SET state = 'late', ended_ms = ?3"
                               " WHERE job = ?1 AND number = ?2 AND state = 'leased'";
    int64_t spent_ms = now_ms > try->started_ms ? now_ms - try->started_ms : 0;
    enum api_error error = sql_change(store, done,
                                      PUT(INT(holder->job), INT(holder->number), INT(try->number),
                                          TEXT(result_json), REAL(1e-3 * (double)spent_ms)),
                                      API_INTERNAL);

    return error == API_OK && try->others > 0
               ? sql_run(store, late, PUT(INT(holder->job), INT(holder->number), INT(now_ms)))
               : error;
}

enum api_error task_store_finish(struct store *store, const struct task_holder *holder,
                                 const char *result_json, bool cancelled, int64_t now_ms)
{
    struct try try;
    enum api_error error = find_try(store, holder, &try);

    if (error == API_OK)
        error = end_try(store, holder, cancelled ? "cancelled" : "done", NULL, now_ms);
    if (error != API_OK)
        return error;
    if (cancelled)
        return make_ready(store, holder, &try, -1, now_ms);
    assert(task_may_move(try.state, TASK_DONE));
    return finish_task(store, holder, &try, result_json, now_ms);
}

enum api_error task_store_fail(struct store *store, const struct task_holder *holder,
                               const struct job_failure *failure, int64_t now_ms,
                               enum task_state *ret_state)
{
    static const char counted[] =
        "UPDATE task SET attempt = ?3, crashes = ?4, error_code = ?5, error_detail = ?6,"
        "  retryable = ?7 WHERE job = ?1 AND number = ?2";
    static const char failed[] = "UPDATE task SET state = 'failed'"
                                 " WHERE job = ?1 AND number = ?2 AND state = 'leased'";
    char why[600];
    struct try try;
    enum api_error error = find_try(store, holder, &try);

    if (error != API_OK)
        return error;
    int64_t attempt = failure->made_progress ? 1 : try.attempt;
    int64_t crashes = (failure->made_progress ? 0 : try.crashes) + failure->crashed;
    bool is_last = !failure->retryable || attempt >= JOB_ATTEMPTS || crashes >= JOB_CRASHES;
    snprintf(why, sizeof why, "%s", failure->detail);
    if (is_last && crashes >= JOB_CRASHES)
        snprintf(why, sizeof why, "%s; %lld workers died of this task", failure->detail,
                 (long long)crashes);
    error = end_try(store, holder, "failed", failure->detail, now_ms);
    if (error == API_OK)
        error = sql_run(store, counted,
                        PUT(INT(holder->job), INT(holder->number), INT(attempt), INT(crashes),
                            TEXT(failure->code), TEXT(why), INT(failure->retryable)));
    enum task_state state = is_last ? TASK_FAILED : TASK_READY;
    if (try.others > 0)
        state = TASK_LEASED;
    if (error == API_OK && state == TASK_FAILED)
        error = sql_change(store, failed, PUT(INT(holder->job), INT(holder->number)), API_INTERNAL);
    if (error == API_OK && state == TASK_READY)
        error = make_ready(store, holder, &try, 0, now_ms + job_backoff_ms(attempt));
    if (error == API_OK)
        *ret_state = state;
    return error;
}

enum api_error task_store_release(struct store *store, const struct task_holder *holder,
                                  int64_t now_ms)
{
    struct try try;
    enum api_error error = find_try(store, holder, &try);

    if (error == API_OK)
        error = end_try(store, holder, "released", NULL, now_ms);
    return error == API_OK ? make_ready(store, holder, &try, -1, now_ms) : error;
}

/* ---- leases that are over ---- */

/* Ends all tries that `text` finds, a statement for the first of them. */
static enum api_error lose_all(struct store *store, const char *text,
                               const struct sql_value *values, const char *why, int64_t now_ms,
                               int64_t *ret_count)
{
    int64_t count = 0;
    struct task_holder holder;
    struct try try;
    char token[JOB_TOKEN_MAX];
    enum api_error error;

    while ((error = sql_read(store, text, values,
                             GET(TO_INT(&holder.job), TO_INT(&holder.number),
                                 TO_TEXT(sizeof token, token)))) == API_OK) {
        holder.token = token;
        error = find_try(store, &holder, &try);
        if (error == API_OK)
            error = end_try(store, &holder, "lost", why, now_ms);
        if (error == API_OK)
            error = make_ready(store, &holder, &try, -1, now_ms);
        if (error != API_OK)
            return error;
        count++;
    }
    if (error != API_NOT_FOUND)
        return error;
    *ret_count = count;
    return API_OK;
}

enum api_error task_store_recover(struct store *store, int64_t now_ms, int64_t *ret_count)
{
    static const char text[] = "SELECT job, number, token FROM task_try"
                               " WHERE state = 'leased' AND node = '' LIMIT 1";
    return lose_all(store, text, NULL, "the service was started again", now_ms, ret_count);
}

enum api_error task_store_expire(struct store *store, int64_t now_ms, int64_t *ret_count)
{
    static const char text[] = "SELECT job, number, token FROM task_try WHERE state = 'leased'"
                               "   AND lease_until_ms < ?1 AND node <> '' LIMIT 1";
    return lose_all(store, text, PUT(INT(now_ms)), "its lease was over", now_ms, ret_count);
}

enum api_error task_store_abandon(struct store *store, const char *node, int64_t now_ms)
{
    static const char text[] = "SELECT job, number, token FROM task_try"
                               " WHERE state = 'leased' AND node = ?1 LIMIT 1";
    int64_t count;

    return lose_all(store, text, PUT(TEXT(node)), "the node gave it back", now_ms, &count);
}

/* ---- done again ---- */

/* How the store tells a try whose answer is not believed, in SQL. */
#define TASK_ERROR_LIAR "'done again: the node gave wrong answers'"

/* Tasks of job ?1 from number ?3 on that a lead has taken or dropped, or that node ?2 did. */
#define TASKS_AGAIN                                                      \
    " WHERE job = ?1 AND state IN ('done', 'dropped') AND number >= ?3"  \
    "   AND (number <= (SELECT tasks_merged FROM job WHERE id = ?1)"     \
    "        OR EXISTS (SELECT 1 FROM task_try t WHERE t.job = task.job" \
    "            AND t.number = task.number AND t.node = ?2 AND t.state = 'done'))"

enum api_error task_store_redo(struct store *store, int64_t job, int64_t first, const char *node,
                               int64_t now_ms, json_t *gone)
{
    static const char files[] = "SELECT path FROM task" TASKS_AGAIN " AND path IS NOT NULL";
    static const char again[] =
        "UPDATE task SET state = 'ready', result = NULL, path = NULL, seconds = NULL, attempt = 0,"
        "       run_at_ms = ?4" TASKS_AGAIN;
    static const char tries[] =
        "UPDATE task_try SET state = 'late', error = iif(node = ?2, " TASK_ERROR_LIAR ","
        "         'done again: a task before it was done wrong')"
        " WHERE job = ?1 AND state = 'done' AND number IN"
        "   (SELECT number FROM task WHERE job = ?1 AND state = 'ready')";
    static const char checks[] = "UPDATE task_check SET state = 'dropped', ended_ms = ?2"
                                 " WHERE job = ?1 AND state <> 'dropped' AND number IN"
                                 "   (SELECT number FROM task WHERE job = ?1 AND state = 'ready')";
    static const char cut[] =
        "UPDATE job SET tasks_merged = min(tasks_merged, ?2 - 1) WHERE id = ?1";
    struct sql q = sql_start(store, files, PUT(INT(job), TEXT(node), INT(first)));

    while (sql_row(&q))
        if (json_array_append_new(gone, json_string(sql_get_text(&q))) != 0)
            q.no_memory = true;
    enum api_error error = sql_end(&q);
    if (error == API_OK)
        error = sql_run(store, again, PUT(INT(job), TEXT(node), INT(first), INT(now_ms)));
    if (error == API_OK)
        error = sql_run(store, tries, PUT(INT(job), TEXT(node)));
    if (error == API_OK)
        error = sql_run(store, checks, PUT(INT(job), INT(now_ms)));
    return error == API_OK ? sql_run(store, cut, PUT(INT(job), INT(first))) : error;
}

enum api_error task_store_liar(struct store *store, int64_t job, char ret_node[TASK_NODE_MAX])
{
    static const char text[] =
        "SELECT node FROM task_try WHERE job = ?1 AND state = 'late' AND error = " TASK_ERROR_LIAR
        "   AND number > (SELECT tasks_merged FROM job WHERE id = ?1) ORDER BY number LIMIT 1";
    return sql_read(store, text, PUT(INT(job)), GET(TO_TEXT(TASK_NODE_MAX, ret_node)));
}

/* ---- reading ---- */

enum api_error task_store_list(struct store *store, int64_t job, struct store_page *page)
{
    static const char text[] =
        "SELECT number AS key, number, state, cores, attempt,"
        "       json(iif(state = 'done' AND number <= (SELECT tasks_merged FROM job WHERE id = ?3),"
        "                'true', 'false'))"
        "         AS merged, seconds,"
        "       (SELECT node FROM task_try WHERE task_try.job = task.job"
        "           AND task_try.number = task.number AND task_try.state = 'done') AS node,"
        "       error_detail AS error, spec,"
        "       (SELECT json_group_array(json_object('node', node, 'state', state, 'started_at',"
        "            strftime('%Y-%m-%dT%H:%M:%fZ', started_ms / 1000.0, 'unixepoch'), 'ended_at',"
        "            strftime('%Y-%m-%dT%H:%M:%fZ', ended_ms / 1000.0, 'unixepoch'),"
        "            'sha256', sha256, 'bytes', bytes, 'error', error)) FROM"
        "          (SELECT * FROM task_try WHERE task_try.job = task.job"
        "              AND task_try.number = task.number ORDER BY try)) AS tries"
        "  FROM task WHERE number < ?1 AND job = ?3 ORDER BY number DESC LIMIT ?2";
    return sql_read_page(store, text, PUT(INT(job)), false, "isiijrssjj", page);
}

enum api_error task_store_waiting(struct store *store, int64_t job, int64_t *ret_count)
{
    static const char text[] = "SELECT count(*) FROM task INDEXED BY task_ready"
                               " WHERE job = ?1 AND state = 'ready'";
    return sql_read(store, text, PUT(INT(job)), GET(TO_INT(ret_count)));
}

enum api_error task_store_cores(struct store *store, const char *prefix, int64_t now_ms,
                                int64_t *ret_waiting, int64_t *ret_busy)
{
    static const char text[] =
        "SELECT (SELECT coalesce(sum(task.cores), 0) FROM job"
        "           JOIN task INDEXED BY task_ready ON task.job = job.id"
        "          WHERE job.state = 'leased' AND has_tasks = 1 AND task.state = 'ready'),"
        "       (SELECT coalesce(sum(cores), 0) FROM task_try"
        "          WHERE state = 'leased' AND substr(node, 1, length(?1)) = ?1)";
    static const char jobs[] =
        "SELECT kind, count(*) FROM (SELECT kind FROM job WHERE state = 'ready' AND waits = 0"
        "   AND run_at_ms <= ?1 LIMIT 10000) GROUP BY kind"; /* more than any cluster has cores */
    int64_t waiting = 0, busy = 0;
    enum api_error error =
        sql_read(store, text, PUT(TEXT(prefix)), GET(TO_INT(&waiting), TO_INT(&busy)));
    if (error != API_OK)
        return error;
    struct sql q = sql_start(store, jobs, PUT(INT(now_ms)));
    while (sql_row(&q)) {
        const struct job_kind *kind = job_kind_find(sql_get_text(&q));
        waiting += kind && kind->has_tasks ? sql_get_int(&q) : 0;
    }
    error = sql_end(&q);
    if (error == API_OK) {
        *ret_waiting = waiting;
        *ret_busy = busy;
    }
    return error;
}

enum api_error task_store_any(struct store *store, int64_t first, int64_t last, bool *ret_any)
{
    static const char text[] = "SELECT EXISTS (SELECT 1 FROM task WHERE job BETWEEN ?1 AND ?2)";
    int64_t any = 0;
    enum api_error error = sql_read(store, text, PUT(INT(first), INT(last)), GET(TO_INT(&any)));

    *ret_any = any != 0;
    return error;
}

enum api_error task_store_counts(struct store *store, int64_t *ret_ready, int64_t *ret_leased)
{
    static const char text[] =
        "SELECT (SELECT count(*) FROM job"
        "           JOIN task INDEXED BY task_ready ON task.job = job.id"
        "          WHERE job.state = 'leased' AND has_tasks = 1 AND task.state = 'ready'),"
        "       (SELECT count(*) FROM task_try WHERE state = 'leased')";
    return sql_read(store, text, NULL, GET(TO_INT(ret_ready), TO_INT(ret_leased)));
}
