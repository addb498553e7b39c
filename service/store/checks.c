/* Second answers to tasks. See checks.h. */
#include "service/store/checks.h"

#include "service/store/sql.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum api_error check_store_add(struct store *store, const struct check_new *check, int64_t now_ms)
{
    static const char text[] =
        "INSERT INTO task_check (job, number, state, node, answer, created_ms, has_said)"
        " VALUES (?1, ?2, 'waiting', ?3, ?4, ?5, ?6) ON CONFLICT DO UPDATE"
        "   SET state = 'waiting', node = excluded.node, answer = excluded.answer, checker = NULL,"
        "       has_said = excluded.has_said,"
        "       token = NULL, lease_until_ms = NULL, lines = 0, sha256 = NULL,"
        "       checker_answer = NULL, attempts = 0, created_ms = excluded.created_ms,"
        "       ended_ms = NULL"
        " WHERE state = 'dropped'";
    return sql_run(store, text,
                   PUT(INT(check->job), INT(check->number), TEXT(check->node), TEXT(check->answer),
                       INT(now_ms), INT(check->has_said)));
}

/* ---- claiming ---- */

static bool is_of_kinds(const char *kind, const char *const *kinds)
{
    while (*kinds && strcmp(*kinds, kind) != 0)
        kinds++;
    return *kinds != NULL;
}

/* The claim of a check: all of it that the task says. */
static enum api_error read_claim(struct store *store, int64_t job, int64_t number,
                                 struct job_claim *ret_claim)
{
    static const char text[] = "SELECT job.kind, job.spec, task.spec, coalesce(c.token, '')"
                               "  FROM task_check c JOIN job ON job.id = c.job"
                               "  JOIN task ON task.job = c.job AND task.number = c.number"
                               " WHERE c.job = ?1 AND c.number = ?2";
    struct job_claim claim = {.id = job, .task = number, .attempt = 1, .waited_ms = -1};
    enum api_error error =
        sql_read(store, text, PUT(INT(job), INT(number)),
                 GET(TO_TEXT(sizeof claim.kind, claim.kind), TO_COPY(&claim.spec),
                     TO_COPY(&claim.task_spec), TO_TEXT(sizeof claim.token, claim.token)));

    if (error == API_OK)
        *ret_claim = claim;
    return error;
}

static enum api_error find_waiting(struct store *store, const struct task_wish *wish,
                                   int64_t *ret_job, int64_t *ret_number, int64_t *ret_cores)
{
    static const char text[] =
        "SELECT c.job, c.number, task.cores, job.kind FROM task_check c"
        "  JOIN job ON job.id = c.job"
        "  JOIN task ON task.job = c.job AND task.number = c.number"
        " WHERE c.state = 'waiting' AND c.node <> ?1 ORDER BY c.job, c.number LIMIT 100";
    struct sql q = sql_start(store, text, PUT(TEXT(wish->node)));
    bool found = false;

    while (!found && sql_row(&q)) {
        *ret_job = sql_get_int(&q);
        *ret_number = sql_get_int(&q);
        *ret_cores = sql_get_int(&q);
        const char *kind = sql_get_text(&q);
        found = kind && is_of_kinds(kind, wish->kinds) &&
                (wish->cores == 0 || *ret_cores <= wish->cores);
    }
    enum api_error error = sql_end(&q);
    return error != API_OK ? error : found ? API_OK : API_NOT_FOUND;
}

enum api_error check_store_claim(struct store *store, const struct task_wish *wish, int64_t now_ms,
                                 int64_t lease_ms, struct job_claim *ret_claim, int64_t *ret_cores)
{
    static const char text[] =
        "UPDATE task_check SET state = 'leased', checker = ?3, token = lower(hex(randomblob(16))),"
        "       lease_until_ms = ?4 + ?5, lines = 0, sha256 = NULL, said = '',"
        "       attempts = attempts + 1"
        " WHERE job = ?1 AND number = ?2";
    int64_t job = 0, number = 0;
    enum api_error error = find_waiting(store, wish, &job, &number, ret_cores);

    if (error == API_OK)
        error = sql_run(store, text,
                        PUT(INT(job), INT(number), TEXT(wish->node), INT(now_ms), INT(lease_ms)));
    return error == API_OK ? read_claim(store, job, number, ret_claim) : error;
}

/* ---- the checker ---- */

enum api_error check_store_try(struct store *store, const struct task_holder *holder,
                               struct check_try *ret_try)
{
    static const char text[] =
        "SELECT lines, state = 'leased', coalesce(checker, ''), coalesce(sha256, ''), said,"
        "       has_said FROM task_check WHERE job = ?1 AND number = ?2 AND token = ?3";
    int64_t is_leased = 0, has_said = 0;
    enum api_error error =
        sql_read(store, text, PUT(INT(holder->job), INT(holder->number), TEXT(holder->token)),
                 GET(TO_INT(&ret_try->lines), TO_INT(&is_leased),
                     TO_TEXT(sizeof ret_try->checker, ret_try->checker),
                     TO_TEXT(sizeof ret_try->sha256, ret_try->sha256),
                     TO_TEXT(sizeof ret_try->said, ret_try->said), TO_INT(&has_said)));

    ret_try->is_leased = is_leased != 0;
    ret_try->has_said = has_said != 0;
    return error;
}

#define OWN " WHERE job = ?1 AND number = ?2 AND token = ?3 AND state = 'leased'"

enum api_error check_store_beat(struct store *store, const struct task_holder *holder,
                                const struct check_try *try, int64_t now_ms, int64_t lease_ms)
{
    static const char text[] = "UPDATE task_check SET lines = ?4, sha256 = nullif(?5, ''),"
                               "  said = ?8, lease_until_ms = ?6 + ?7" OWN;
    return sql_change(store, text,
                      PUT(INT(holder->job), INT(holder->number), TEXT(holder->token),
                          INT(try->lines), TEXT(try->sha256), INT(now_ms), INT(lease_ms),
                          TEXT(try->said)),
                      API_LEASE_LOST);
}

enum api_error check_store_answer(struct store *store, const struct task_holder *holder,
                                  const char *answer, int64_t now_ms)
{
    static const char text[] = "UPDATE task_check SET checker_answer = ?4,"
                               "  state = iif(answer = ?4, 'agreed', 'disputed'),"
                               "  ended_ms = iif(answer = ?4, ?5, NULL)" OWN;
    return sql_change(
        store, text,
        PUT(INT(holder->job), INT(holder->number), TEXT(holder->token), TEXT(answer), INT(now_ms)),
        API_LEASE_LOST);
}

#define WAITS_AGAIN                                                      \
    " state = iif(attempts < 3, 'waiting', 'disputed'), checker = NULL," \
    " token = NULL, lease_until_ms = NULL "
_Static_assert(CHECK_ATTEMPTS == 3, "WAITS_AGAIN has the number");

enum api_error check_store_give_back(struct store *store, const struct task_holder *holder)
{
    static const char text[] = "UPDATE task_check SET" WAITS_AGAIN OWN;
    return sql_change(store, text, PUT(INT(holder->job), INT(holder->number), TEXT(holder->token)),
                      API_LEASE_LOST);
}

enum api_error check_store_keep(struct store *store, const char *node, const json_t *tokens)
{
    static const char text[] =
        "UPDATE task_check SET" WAITS_AGAIN "WHERE state = 'leased' AND checker = ?1"
        "   AND token NOT IN (SELECT value FROM json_each(?2))";
    char *list = json_dumps(tokens, JSON_COMPACT);
    enum api_error error = list ? sql_run(store, text, PUT(TEXT(node), TEXT(list))) : API_NO_MEMORY;

    free(list);
    return error;
}

enum api_error check_store_tidy(struct store *store, int64_t now_ms)
{
    static const char late[] =
        "UPDATE task_check SET" WAITS_AGAIN "WHERE state = 'leased' AND lease_until_ms < ?1";
    static const char alone[] = "UPDATE task_check SET state = 'disputed'"
                                " WHERE state = 'waiting' AND created_ms < ?1";
    enum api_error error = sql_run(store, late, PUT(INT(now_ms)));

    return error == API_OK ? sql_run(store, alone, PUT(INT(now_ms - CHECK_ALONE_MS))) : error;
}

/* ---- disputes ---- */

enum api_error check_store_dispute(struct store *store, struct check_dispute *ret_dispute)
{
    static const char text[] =
        "SELECT job, number, node, answer, coalesce(checker, ''), coalesce(checker_answer, ''),"
        "       has_said FROM task_check WHERE state = 'disputed' ORDER BY job, number LIMIT 1";
    struct check_dispute dispute;
    int64_t job = 0, number = 0, has_said = 0;
    enum api_error error = sql_read(
        store, text, NULL,
        GET(TO_INT(&job), TO_INT(&number), TO_TEXT(sizeof dispute.node, dispute.node),
            TO_TEXT(sizeof dispute.answer, dispute.answer),
            TO_TEXT(sizeof dispute.checker, dispute.checker),
            TO_TEXT(sizeof dispute.checker_answer, dispute.checker_answer), TO_INT(&has_said)));

    dispute.has_said = has_said != 0;
    if (error == API_OK)
        error = read_claim(store, job, number, &dispute.claim);
    if (error == API_OK)
        *ret_dispute = dispute;
    return error;
}

enum api_error check_store_disputes(struct store *store, int64_t *ret_disputes)
{
    static const char text[] = "SELECT count(*) FROM task_check WHERE state = 'disputed'";
    return sql_read(store, text, NULL, GET(TO_INT(ret_disputes)));
}

enum api_error check_store_settle(struct store *store, int64_t job, int64_t number,
                                  const char *liar, int64_t now_ms)
{
    static const char text[] = "UPDATE task_check SET state = 'settled', liar = ?3, ended_ms = ?4"
                               " WHERE job = ?1 AND number = ?2 AND state = 'disputed'";
    return sql_run(store, text, PUT(INT(job), INT(number), TEXT(liar), INT(now_ms)));
}

/* A job with the first of its tasks that only this node has done, and how many; checks that agreed,
 * or that the daemon settled for it, confirm others. */
#define UNVERIFIED                                                                              \
    "SELECT t.job AS job, min(t.number) AS first, count(*) AS tasks FROM task_try t"            \
    "  JOIN job ON job.id = t.job JOIN task ON task.job = t.job AND task.number = t.number"     \
    " WHERE t.node = ?1 AND t.state = 'done' AND task.state = 'done' AND job.has_tasks = 1"     \
    "   AND NOT EXISTS (SELECT 1 FROM task_check c WHERE c.job = t.job AND c.number = t.number" \
    "        AND (c.state = 'agreed' OR (c.state = 'settled' AND c.liar IS NOT NULL"            \
    "             AND c.liar <> ?1)))"

static enum api_error find_unverified(struct store *store, const char *node, json_t **ret_rows)
{
    static const char text[] =
        UNVERIFIED " AND job.state IN ('leased', 'ready', 'paused', 'buried') GROUP BY t.job";
    return sql_read_list(store, text, PUT(TEXT(node)), "iii", ret_rows);
}

static enum api_error tell_history(struct store *store, const json_t *row, const char *kind,
                                   const char *node, const char *more, int64_t now_ms)
{
    const long long first = json_integer_value(json_object_get(row, "first")),
                    tasks = json_integer_value(json_object_get(row, "tasks"));
    char detail[512];

    snprintf(detail, sizeof detail,
             "node %s was found to give wrong answers and has done %lld tasks that nobody has "
             "confirmed, the first of them task %lld: %s",
             node, tasks, first, more);
    return job_event_add(store, json_integer_value(json_object_get(row, "job")), now_ms, kind,
                         detail, NULL);
}

/* Tells of results that are out. */
static enum api_error doubt(struct store *store, const char *node, int64_t now_ms)
{
    static const char text[] = UNVERIFIED
        " AND job.state IN ('done', 'cancelled') GROUP BY t.job ORDER BY t.job DESC LIMIT ?2";
    json_t *rows;
    const json_t *row;
    size_t k;
    enum api_error error =
        sql_read_list(store, text, PUT(TEXT(node), INT(CHECK_DOUBTED_MAX)), "iii", &rows);

    if (error != API_OK)
        return error;
    json_array_foreach(rows, k, row)
    {
        if (error == API_OK)
            error = tell_history(store, row, "doubted", node,
                                 "the result may be wrong; repeat the job", now_ms);
    }
    json_decref(rows);
    return error;
}

/* Does again what the node did in one job. */
static enum api_error redo(struct store *store, const json_t *row, const char *node, int64_t now_ms,
                           json_t *gone)
{
    const json_int_t job = json_integer_value(json_object_get(row, "job"));
    json_t *files = json_array();
    enum api_error error =
        files ? task_store_redo(store, job, json_integer_value(json_object_get(row, "first")), node,
                                now_ms, files)
              : API_NO_MEMORY;

    if (error == API_OK)
        error = tell_history(store, row, "redone", node,
                             "they are done again, and what was made of them", now_ms);
    if (error == API_OK &&
        json_array_append_new(gone, json_pack("{s:I, s:O}", "job", job, "files", files)) != 0)
        error = API_NO_MEMORY;
    json_decref(files);
    return error;
}

enum api_error check_store_redo(struct store *store, const char *node, int64_t now_ms,
                                json_t **ret_jobs)
{
    json_t *rows, *jobs = json_array();
    const json_t *row;
    size_t k;
    enum api_error error = jobs ? find_unverified(store, node, &rows) : API_NO_MEMORY;

    if (error != API_OK) {
        json_decref(jobs);
        return error;
    }
    json_array_foreach(rows, k, row)
    {
        if (error == API_OK)
            error = redo(store, row, node, now_ms, jobs);
    }
    json_decref(rows);
    if (error == API_OK)
        error = doubt(store, node, now_ms);
    if (error == API_OK)
        *ret_jobs = jobs;
    else
        json_decref(jobs);
    return error;
}

enum api_error check_store_counts(struct store *store, int64_t *ret_open, int64_t *ret_agreed)
{
    static const char text[] =
        "SELECT coalesce(sum(state IN ('waiting', 'leased', 'disputed')), 0),"
        "       coalesce(sum(state = 'agreed'), 0) FROM task_check";
    return sql_read(store, text, NULL, GET(TO_INT(ret_open), TO_INT(ret_agreed)));
}
