/* Which task or job starts next. See tasks.h. The statements name their indexes: without, SQLite
 * walks through all tasks of the job, as it takes the key of the table for as good. */
#include "service/store/tasks.h"

#include "api/base/clock.h"
#include "service/store/nodes.h"
#include "service/store/sql.h"
#include "service/store/turns.h"

#include <stdio.h>
#include <string.h>

/* A running job with tasks, and its next task. */
struct lead {
    struct place place;
    char kind[JOB_KIND_MAX], owner[JOB_OWNER_MAX];
    int64_t occupied;  /* cores of its caller */
    int64_t cores_max; /* of its own; 0: no limit */
    int64_t number;    /* of the task */
};

static bool is_of_kinds(const char *kind, const char *const *kinds)
{
    while (*kinds && strcmp(*kinds, kind) != 0)
        kinds++;
    return *kinds != NULL;
}

/* Whether somebody else can do tasks of this kind. */
static enum api_error has_others(struct store *store, const struct task_wish *wish,
                                 const char *kind, int64_t now_ms, bool *ret_has)
{
    static const char text[] =
        "SELECT 1 FROM node WHERE name <> ?1 AND state = 'active' AND last_seen_ms >= ?2"
        "   AND EXISTS (SELECT 1 FROM json_each(kinds) WHERE value = ?3)";

    *ret_has = wish->daemon_works;
    return *ret_has
               ? API_OK
               : sql_exists(store, text,
                            PUT(TEXT(wish->node), INT(now_ms - NODE_AWAY_MS), TEXT(kind)), ret_has);
}

/* Whether the last try of a task came to nothing in these hands, not long ago. */
#define FAILED_HERE                                                                       \
    " EXISTS (SELECT 1 FROM task_try t WHERE t.job = task.job AND t.number = task.number" \
    "     AND t.state = 'failed' AND t.node = ?3 AND t.ended_ms BETWEEN ?4 + 1 AND ?2"    \
    "     AND t.try = (SELECT max(try) FROM task_try l WHERE l.job = t.job"               \
    "                     AND l.number = t.number)) "

/* API_NOT_FOUND: no task of the job waits, or others come first for those that do. */
static enum api_error first_task(struct store *store, const struct task_wish *wish, int64_t job,
                                 const char *kind, int64_t now_ms, int64_t *ret_number,
                                 int64_t *ret_cores)
{
    static const char text[] = "SELECT number, cores," FAILED_HERE "FROM task INDEXED BY task_ready"
                               " WHERE job = ?1 AND state = 'ready' AND run_at_ms <= ?2"
                               " ORDER BY number LIMIT 1";
    static const char of_others[] =
        "SELECT number, cores FROM task INDEXED BY task_ready"
        " WHERE job = ?1 AND state = 'ready' AND run_at_ms <= ?2 AND NOT" FAILED_HERE
        " ORDER BY number LIMIT 1";
    const struct sql_value *values =
        PUT(INT(job), INT(now_ms), TEXT(wish->node), INT(now_ms - TASK_OTHERS_MS));
    int64_t failed_here = 0;
    bool are_others = false;
    enum api_error error = sql_read(
        store, text, values, GET(TO_INT(ret_number), TO_INT(ret_cores), TO_INT(&failed_here)));

    if (error == API_OK && failed_here)
        error = has_others(store, wish, kind, now_ms, &are_others);
    return error == API_OK && are_others
               ? sql_read(store, of_others, values, GET(TO_INT(ret_number), TO_INT(ret_cores)))
               : error;
}

static bool may_start(const struct task_wish *wish, const struct lead *lead)
{
    const struct place *place = &lead->place;

    return (wish->cores == 0 || place->cores <= wish->cores) &&
           (lead->cores_max == 0 || place->running + place->cores <= lead->cores_max ||
            place->running == 0) &&
           place_has_cores(place, wish->limits, lead->owner, lead->occupied);
}

static void read_lead(struct sql *q, struct lead *ret_lead)
{
    ret_lead->place = (struct place){.id = sql_get_int(q)};
    const char *kind = sql_get_text(q);
    snprintf(ret_lead->kind, sizeof ret_lead->kind, "%s", kind ? kind : "");
    const char *owner = sql_get_text(q);
    snprintf(ret_lead->owner, sizeof ret_lead->owner, "%s", owner ? owner : "");
    ret_lead->place.priority = sql_get_int(q);
    ret_lead->place.turn = sql_get_int(q);
    ret_lead->occupied = sql_get_int(q);
    ret_lead->place.run_at_ms = sql_get_int(q);
    ret_lead->cores_max = sql_get_int(q);
    ret_lead->place.running = sql_get_int(q);
}

/* Finds the task that may start first. Running jobs are few: each is looked at. */
static enum api_error find_task(struct store *store, const struct task_wish *wish, int64_t now_ms,
                                struct lead *ret_lead)
{
    static const char text[] =
        "SELECT job.id, kind, owner, priority, turn, caller.cores, run_at_ms, cores_max,"
        "       (SELECT coalesce(sum(task_try.cores), 0) FROM task_try INDEXED BY task_try_leased"
        "         WHERE task_try.job = job.id AND task_try.state = 'leased') AS running"
        "  FROM job JOIN caller ON name = owner"
        " WHERE state = 'leased' AND has_tasks = 1 AND wanted IS NULL"
        " ORDER BY priority, turn, running, run_at_ms, job.id";
    struct sql q = sql_start(store, text, NULL);
    enum api_error error = API_NOT_FOUND;
    struct lead lead;

    while (error == API_NOT_FOUND && sql_row(&q)) {
        read_lead(&q, &lead);
        if (!is_of_kinds(lead.kind, wish->kinds))
            continue;
        error = first_task(store, wish, lead.place.id, lead.kind, now_ms, &lead.number,
                           &lead.place.cores);
        if (error == API_OK && !may_start(wish, &lead))
            error = API_NOT_FOUND;
    }
    enum api_error ended = sql_end(&q);
    if (error == API_OK)
        *ret_lead = lead;
    return ended != API_OK ? ended : error;
}

/* Makes a try of a task that is leased. */
static enum api_error make_try(struct store *store, const struct lead *lead, const char *node,
                               int64_t now_ms, int64_t lease_ms, struct job_claim *ret_claim)
{
    static const char made[] =
        "INSERT INTO task_try (job, number, try, node, token, state, cores, lease_until_ms,"
        "                      started_ms, said)"
        " SELECT ?1, ?2, (SELECT coalesce(max(try), 0) + 1 FROM task_try"
        "                  WHERE job = ?1 AND number = ?2),"
        "        ?3, lower(hex(randomblob(16))), 'leased', ?4, ?5 + ?6, ?5,"
        "        (SELECT iif(checkpoint IS NULL, '', said) FROM task"
        "          WHERE job = ?1 AND number = ?2)";
    static const char claimed[] =
        "SELECT job.kind, job.spec, task.spec, task.checkpoint, task.attempt, task_try.token"
        "  FROM job JOIN task ON task.job = job.id JOIN task_try USING (job, number)"
        " WHERE job.id = ?1 AND task.number = ?2 ORDER BY try DESC LIMIT 1";
    struct job_claim claim = {.id = lead->place.id, .task = lead->number, .waited_ms = -1};
    int64_t attempt;
    enum api_error error = sql_run(store, made,
                                   PUT(INT(claim.id), INT(claim.task), TEXT(node),
                                       INT(lead->place.cores), INT(now_ms), INT(lease_ms)));

    if (error == API_OK)
        error = sql_read(store, claimed, PUT(INT(claim.id), INT(claim.task)),
                         GET(TO_TEXT(sizeof claim.kind, claim.kind), TO_COPY(&claim.spec),
                             TO_COPY(&claim.task_spec), TO_COPY(&claim.checkpoint),
                             TO_INT(&attempt), TO_TEXT(sizeof claim.token, claim.token)));
    if (error == API_OK) {
        claim.attempt = (int)attempt;
        *ret_claim = claim;
    } else {
        job_claim_free(&claim);
    }
    return error;
}

static enum api_error hand_out(struct store *store, const struct lead *lead, const char *node,
                               int64_t now_ms, int64_t lease_ms, struct job_claim *ret_claim)
{
    static const char taken[] = "UPDATE task SET state = 'leased', attempt = attempt + 1"
                                " WHERE job = ?1 AND number = ?2 AND state = 'ready'";
    enum api_error error =
        sql_change(store, taken, PUT(INT(lead->place.id), INT(lead->number)), API_INTERNAL);

    return error == API_OK ? make_try(store, lead, node, now_ms, lease_ms, ret_claim) : error;
}

enum api_error task_store_claim_late(struct store *store, const struct task_wish *wish,
                                     int64_t now_ms, int64_t lease_ms, struct job_claim *ret_claim)
{
    /* The median of the tasks of the job that are done, if there are some. */
    static const char text[] =
        "SELECT job.id, kind, t.number, t.cores FROM task_try t INDEXED BY task_try_leased"
        "  JOIN job ON job.id = t.job"
        " WHERE t.state = 'leased' AND t.node <> ?1 AND t.started_ms < ?2 - ?3"
        "   AND job.state = 'leased' AND job.wanted IS NULL"
        "   AND 1 = (SELECT count(*) FROM task_try o WHERE o.job = t.job AND o.number = t.number"
        "             AND o.state = 'leased')"
        "   AND ?2 - t.started_ms > 1000.0 * ?4 * (SELECT seconds FROM"
        "        (SELECT seconds, row_number() OVER (ORDER BY seconds) AS place,"
        "                count(*) OVER () AS done"
        "           FROM task d WHERE d.job = t.job AND d.state = 'done')"
        "       WHERE place = done / 2 + 1)"
        " ORDER BY t.started_ms";
    struct sql q = sql_start(
        store, text, PUT(TEXT(wish->node), INT(now_ms), INT(TASK_LATE_MS), INT(TASK_LATE_TIMES)));
    struct lead lead = {.number = 0};
    bool found = false;

    while (!found && sql_row(&q)) {
        lead.place.id = sql_get_int(&q);
        const char *kind = sql_get_text(&q);
        found = kind && is_of_kinds(kind, wish->kinds);
        lead.number = sql_get_int(&q);
        lead.place.cores = sql_get_int(&q);
        found = found && (wish->cores == 0 || lead.place.cores <= wish->cores);
    }
    enum api_error error = sql_end(&q);
    if (error != API_OK)
        return error;
    return found ? make_try(store, &lead, wish->node, now_ms, lease_ms, ret_claim) : API_NOT_FOUND;
}

enum api_error task_store_claim(struct store *store, const struct task_wish *wish, int64_t now_ms,
                                int64_t lease_ms, struct job_claim *ret_claim)
{
    struct lead lead;
    enum api_error error = find_task(store, wish, now_ms, &lead);

    return error == API_OK ? hand_out(store, &lead, wish->node, now_ms, lease_ms, ret_claim)
                           : error;
}

enum api_error task_store_claim_any(struct store *store, const struct task_wish *wish,
                                    int64_t now_ms, int64_t lease_ms, struct job_claim *ret_claim)
{
    struct lead lead;
    struct place job;
    enum api_error with_task = find_task(store, wish, now_ms, &lead);
    if (with_task != API_OK && with_task != API_NOT_FOUND)
        return with_task;
    enum api_error with_job = job_queue_first(store, wish->kinds, wish->limits, now_ms, &job);
    if (with_job != API_OK && with_job != API_NOT_FOUND)
        return with_job;

    if (with_job == API_OK && with_task == API_OK) {
        /* Among equals the task comes first, however long the job has waited. */
        struct place rival = job;
        rival.run_at_ms = lead.place.run_at_ms;
        rival.id = lead.place.id;
        if (!place_is_before(&rival, &lead.place))
            with_job = API_NOT_FOUND;
    }
    if (with_job == API_OK)
        return job_queue_lease(store, job.id, now_ms, lease_ms, ret_claim);
    return with_task == API_OK ? hand_out(store, &lead, wish->node, now_ms, lease_ms, ret_claim)
                               : API_NOT_FOUND;
}

enum api_error task_store_next_due(struct store *store, int64_t now_ms, int64_t *ret_run_at_ms)
{
    static const char text[] =
        "SELECT min(task.run_at_ms) FROM job JOIN task INDEXED BY task_due ON task.job = job.id"
        " WHERE job.state = 'leased' AND has_tasks = 1 AND wanted IS NULL"
        "   AND task.state = 'ready' AND task.run_at_ms > ?1 HAVING min(task.run_at_ms) > 0";
    /* Those that were passed over, as nodes come first. */
    static const char passed_over[] =
        "SELECT min(t.ended_ms) + ?2 + 1 FROM job"
        "  JOIN task INDEXED BY task_again ON task.job = job.id"
        "  JOIN task_try t ON t.job = task.job AND t.number = task.number"
        " WHERE job.state = 'leased' AND has_tasks = 1 AND wanted IS NULL"
        "   AND task.state = 'ready' AND task.attempt > 0 AND task.run_at_ms <= ?1"
        "   AND t.state = 'failed' AND t.node = '' AND t.ended_ms BETWEEN ?1 - ?2 + 1 AND ?1"
        " HAVING min(t.ended_ms) > 0";
    int64_t first_ms = CLOCK_NEVER_MS, then_ms = CLOCK_NEVER_MS;
    enum api_error error = sql_read(store, text, PUT(INT(now_ms)), GET(TO_INT(&first_ms)));
    if (error == API_OK || error == API_NOT_FOUND)
        error = sql_read(store, passed_over, PUT(INT(now_ms), INT(TASK_OTHERS_MS)),
                         GET(TO_INT(&then_ms)));
    if (error != API_OK && error != API_NOT_FOUND)
        return error;
    *ret_run_at_ms = first_ms < then_ms ? first_ms : then_ms;
    return API_OK;
}
