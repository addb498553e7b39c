/* The line of waiting jobs: adding, claiming, position. */
#include "service/store/job_after.h"

#include "api/base/clock.h"
#include "api/jobs/job_kinds.h"
#include "service/store/sql.h"
#include "service/store/turns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum api_error job_store_add(struct store *store, const struct job_new *job, int64_t now_ms,
                             int64_t *ret_id)
{
    static const char text[] =
        "INSERT INTO job (kind, state, due, priority, run_at_ms, max_attempts, created_ms,"
        "                 updated_ms, spec, owner, cores, waits, after_failure, repeat_of,"
        "                 cores_max)"
        " VALUES (?1, 'ready', ?3 <= ?5 AND NOT ?8, ?2, ?3, ?4, ?5, ?5, ?6, coalesce(?7, ''),"
        "         iif(json_valid(?6), coalesce(json_extract(?6, '$.threads'), 1), 1), ?8, ?9,"
        "         nullif(?10, 0), ?11)";
    bool waits = job->after_count > 0;
    enum api_error error = sql_run(
        store, text,
        PUT(TEXT(job->kind), INT(job->priority), INT(job->run_at_ms > 0 ? job->run_at_ms : now_ms),
            INT(job->max_attempts > 0 ? job->max_attempts : JOB_ATTEMPTS), INT(now_ms),
            TEXT(job->spec), TEXT(job->owner), INT(waits),
            TEXT(waits ? job_if_failed_name(job->if_failed) : NULL), INT(job->repeat_of),
            INT(job->tasks_cores)));
    int64_t id = sql_new_id(store);
    if (error == API_OK)
        error = job_event_add(store, id, now_ms, "added", NULL, job->owner);
    if (error == API_OK && waits)
        error = job_after_add(store, id, job->after, job->after_count, now_ms);
    if (error == API_OK)
        *ret_id = id;
    return error;
}

void job_claim_free(struct job_claim *claim)
{
    free(claim->spec);
    free(claim->checkpoint);
    free(claim->task_spec);
    *claim = (struct job_claim){.id = 0};
}

/* Moves jobs of a kind that are due into the line. The limit keeps the commit short; the next
 * claim takes the rest. */
static enum api_error call_due(struct store *store, const char *kind, int64_t now_ms)
{
    static const char text[] =
        "UPDATE job SET due = 1 WHERE id IN"
        " (SELECT id FROM job WHERE kind = ?1 AND state = 'ready' AND due = 0 AND waits = 0"
        "     AND run_at_ms <= ?2 ORDER BY run_at_ms LIMIT 1000)";
    return sql_run(store, text, PUT(TEXT(kind), INT(now_ms)));
}

/* A caller with jobs in the line. */
struct turner {
    char name[JOB_OWNER_MAX];
    int64_t turn;  /* of the last job that was claimed */
    int64_t cores; /* of its running jobs */
};

bool place_is_before(const struct place *a, const struct place *b)
{
    if (a->priority != b->priority)
        return a->priority < b->priority;
    if (a->turn != b->turn)
        return a->turn < b->turn;
    if (a->running != b->running)
        return a->running < b->running;
    return a->run_at_ms != b->run_at_ms ? a->run_at_ms < b->run_at_ms : a->id < b->id;
}

bool place_has_cores(const struct place *place, const struct job_limits *limits, const char *caller,
                     int64_t occupied)
{
    int64_t most = limits ? limits->cores_max(limits->context, caller) : 0;

    return most == 0 || occupied + place->cores <= most;
}

/* The first job of a caller in the line; API_NOT_FOUND: no such job. */
static enum api_error first_due(struct store *store, const char *const *kinds,
                                const struct turner *turner, struct place *ret_place)
{
    static const char text[] = "SELECT priority, run_at_ms, id, cores FROM job"
                               " WHERE kind = ?1 AND owner = ?2 AND due = 1"
                               " ORDER BY priority, run_at_ms, id LIMIT 1";
    struct place best = {.id = 0}, place = {.turn = turner->turn};

    for (; *kinds; kinds++) {
        enum api_error error = sql_read(store, text, PUT(TEXT(*kinds), TEXT(turner->name)),
                                        GET(TO_INT(&place.priority), TO_INT(&place.run_at_ms),
                                            TO_INT(&place.id), TO_INT(&place.cores)));
        if (error == API_OK && (best.id == 0 || place_is_before(&place, &best)))
            best = place;
        if (error != API_OK && error != API_NOT_FOUND)
            return error;
    }
    *ret_place = best;
    return best.id != 0 ? API_OK : API_NOT_FOUND;
}

/* The job in the line that may start first. */
static enum api_error find_next(struct store *store, const char *const *kinds,
                                const struct job_limits *limits, struct place *ret_place)
{
    static const char text[] =
        "SELECT name, turn, cores,"
        "       (SELECT priority FROM job WHERE due = 1 ORDER BY priority LIMIT 1)"
        "  FROM caller WHERE ready + paused > 0 ORDER BY turn";
    struct place best = {.id = 0}, place;
    struct sql q = sql_start(store, text, NULL);
    enum api_error error = API_OK;

    while ((error == API_OK || error == API_NOT_FOUND) && sql_row(&q)) {
        struct turner turner;
        snprintf(turner.name, sizeof turner.name, "%s", sql_get_text(&q));
        turner.turn = sql_get_int(&q);
        turner.cores = sql_get_int(&q);
        if (best.id != 0 && best.priority <= sql_get_int(&q) && best.turn < turner.turn)
            break; /* no job has a smaller priority, and the turns of the others are later */
        error = first_due(store, kinds, &turner, &place);
        if (error == API_OK && (best.id == 0 || place_is_before(&place, &best)) &&
            place_has_cores(&place, limits, turner.name, turner.cores))
            best = place;
    }
    enum api_error ended = sql_end(&q);
    if (error != API_OK && error != API_NOT_FOUND)
        return error;
    *ret_place = best;
    return ended != API_OK ? ended : best.id != 0 ? API_OK : API_NOT_FOUND;
}

enum api_error job_queue_first(struct store *store, const char *const *kinds,
                               const struct job_limits *limits, int64_t now_ms,
                               struct place *ret_place)
{
    enum api_error error = API_OK;

    for (int k = 0; error == API_OK && kinds[k]; k++)
        error = call_due(store, kinds[k], now_ms);
    return error == API_OK ? find_next(store, kinds, limits, ret_place) : error;
}

/* Notes whether the job has tasks, which decides what it occupies, before it is leased. */
static enum api_error prepare(struct store *store, int64_t id)
{
    static const char read[] = "SELECT kind FROM job WHERE id = ?1";
    static const char text[] = "UPDATE job SET has_tasks = 1 WHERE id = ?1";
    char name[JOB_KIND_MAX];
    enum api_error error = sql_read(store, read, PUT(INT(id)), GET(TO_TEXT(sizeof name, name)));
    const struct job_kind *kind = error == API_OK ? job_kind_find(name) : NULL;

    return kind && kind->has_tasks ? sql_run(store, text, PUT(INT(id))) : error;
}

enum api_error job_queue_lease(struct store *store, int64_t id, int64_t now_ms, int64_t lease_ms,
                               struct job_claim *ret_claim)
{
    static const char text[] =
        "UPDATE job SET state = 'leased', due = 0, attempt = attempt + 1,"
        "  lease_token = lower(hex(randomblob(16))), lease_until_ms = ?2 + ?3,"
        "  started_ms = coalesce(started_ms, ?2), updated_ms = ?2, eta_s = NULL,"
        "  progress = CASE WHEN EXISTS (SELECT 1 FROM job_output"
        "    WHERE job = ?1 AND checkpoint IS NOT NULL) THEN progress END"
        " WHERE id = ?1 AND state = 'ready'";
    static const char leased[] =
        "SELECT kind, lease_token, attempt, iif(started_ms = ?2, ?2 - run_at_ms, -1), spec,"
        "       (SELECT checkpoint FROM job_output WHERE job = ?1) FROM job WHERE id = ?1";
    struct job_claim claim = {.id = id};
    int64_t attempt;
    enum api_error error = prepare(store, id);

    if (error == API_OK)
        error = sql_change(store, text, PUT(INT(id), INT(now_ms), INT(lease_ms)), API_NOT_FOUND);
    if (error == API_OK)
        error = sql_read(store, leased, PUT(INT(id), INT(now_ms)),
                         GET(TO_TEXT(sizeof claim.kind, claim.kind),
                             TO_TEXT(sizeof claim.token, claim.token), TO_INT(&attempt),
                             TO_INT(&claim.waited_ms), TO_COPY(&claim.spec),
                             TO_COPY(&claim.checkpoint)));
    if (error == API_OK) {
        char detail[32];
        claim.attempt = (int)attempt;
        snprintf(detail, sizeof detail, "attempt %d", claim.attempt);
        error = job_event_add(store, id, now_ms, "leased", detail, NULL);
    }
    if (error == API_OK)
        *ret_claim = claim;
    else
        job_claim_free(&claim);
    return error;
}

enum api_error job_store_claim(struct store *store, const char *const *kinds,
                               const struct job_limits *limits, int64_t now_ms, int64_t lease_ms,
                               struct job_claim *ret_claim)
{
    struct place place;
    enum api_error error = job_queue_first(store, kinds, limits, now_ms, &place);

    return error == API_OK ? job_queue_lease(store, place.id, now_ms, lease_ms, ret_claim) : error;
}

enum api_error job_store_set_spec(struct store *store, int64_t id, const char *spec)
{
    static const char of_job[] = "UPDATE job SET spec = ?2 WHERE id = ?1";
    static const char of_runs[] = "UPDATE run SET spec = ?2 WHERE job = ?1";
    enum api_error error = sql_run(store, of_job, PUT(INT(id), TEXT(spec)));

    return error == API_OK ? sql_run(store, of_runs, PUT(INT(id), TEXT(spec))) : error;
}

enum api_error job_store_next_due(struct store *store, const char *const *kinds,
                                  int64_t *ret_run_at_ms)
{
    static const char text[] = "SELECT run_at_ms FROM job"
                               " WHERE kind = ?1 AND state = 'ready' AND due = 0 AND waits = 0"
                               " ORDER BY run_at_ms LIMIT 1";
    int64_t next = CLOCK_NEVER_MS;

    for (; *kinds; kinds++) {
        int64_t run_at_ms;
        enum api_error error = sql_read(store, text, PUT(TEXT(*kinds)), GET(TO_INT(&run_at_ms)));
        if (error == API_OK && run_at_ms < next)
            next = run_at_ms;
        if (error != API_OK && error != API_NOT_FOUND)
            return error;
    }
    *ret_run_at_ms = next;
    return API_OK;
}

/* ---- the oldest ---- */

enum api_error job_store_oldest_due(struct store *store, const char *kind, int64_t now_ms,
                                    int64_t *ret_run_at_ms)
{
    static const char next[] = "SELECT owner, priority, run_at_ms FROM job"
                               " WHERE kind = ?1 AND due = 1 AND (owner, priority) > (?2, ?3)"
                               " ORDER BY owner, priority, run_at_ms LIMIT 1";
    /* Their time has come, but no claim has put them into the line. */
    static const char later[] = "SELECT run_at_ms FROM job"
                                " WHERE kind = ?1 AND state = 'ready' AND due = 0 AND waits = 0"
                                "   AND run_at_ms <= ?2 ORDER BY run_at_ms LIMIT 1";
    int64_t oldest_ms = INT64_MAX, run_at_ms, priority = -JOB_PRIORITY_MAX - 1;
    char owner[JOB_OWNER_MAX] = "";
    enum api_error error;

    while ((error = sql_read(store, next, PUT(TEXT(kind), TEXT(owner), INT(priority)),
                             GET(TO_TEXT(sizeof owner, owner), TO_INT(&priority),
                                 TO_INT(&run_at_ms)))) == API_OK)
        oldest_ms = run_at_ms < oldest_ms ? run_at_ms : oldest_ms;
    if (error == API_NOT_FOUND)
        error = sql_read(store, later, PUT(TEXT(kind), INT(now_ms)), GET(TO_INT(&run_at_ms)));
    if (error == API_OK && run_at_ms < oldest_ms)
        oldest_ms = run_at_ms;
    if (error != API_OK && error != API_NOT_FOUND)
        return error;
    if (oldest_ms == INT64_MAX)
        return API_NOT_FOUND;
    *ret_run_at_ms = oldest_ms;
    return API_OK;
}

/* ---- position ---- */

/* A ready job as its position depends on it. */
struct ready {
    int64_t id, priority, run_at_ms;
    char owner[JOB_OWNER_MAX];
    int64_t turn;            /* of the owner */
    int64_t first_ms, first; /* run_at and id of the owner's first job of this priority */
};

/* Counts jobs of the same priority that other callers start before this job, which is the owner's
 * job number `rank` (from 0): `rank` of each, and one more of those whose turn is before the
 * owner's. */
static enum api_error count_others(struct store *store, const struct ready *job, int64_t rank,
                                   int64_t *ret_count)
{
    static const char text[] =
        "SELECT coalesce(sum(min(?3 + is_before, (SELECT count(*) FROM (SELECT 1 FROM job"
        "    WHERE due = 1 AND priority = ?1 AND owner = name LIMIT ?3 + 1)))), 0)"
        "  FROM (SELECT name, (turn, run_at_ms, id) < (?4, ?5, ?6) AS is_before FROM caller"
        "    JOIN job ON id = (SELECT id FROM job WHERE due = 1 AND priority = ?1 AND owner = name"
        "      ORDER BY run_at_ms, id LIMIT 1)"
        "    WHERE ready + paused > 0 AND name <> ?2)";
    return sql_read(store, text,
                    PUT(INT(job->priority), TEXT(job->owner), INT(rank), INT(job->turn),
                        INT(job->first_ms), INT(job->first)),
                    GET(TO_INT(ret_count)));
}

static enum api_error position_in_turns(struct store *store, struct ready *job,
                                        int64_t *ret_position)
{
    static const char earlier[] = "SELECT count(*) FROM (SELECT 1 FROM job WHERE due = 1"
                                  "   AND priority < ?1 LIMIT ?2)";
    static const char own[] =
        "SELECT count(*) FROM (SELECT 1 FROM job WHERE due = 1 AND priority = ?1 AND owner = ?2"
        "   AND (run_at_ms, id) < (?3, ?4) LIMIT ?5)";
    static const char first[] = "SELECT run_at_ms, id FROM job WHERE due = 1 AND priority = ?1"
                                "   AND owner = ?2 ORDER BY run_at_ms, id LIMIT 1";
    const struct sql_value most = INT(JOB_POSITION_MAX);
    int64_t others = 0, before = 0, rank = 0;
    enum api_error error =
        sql_read(store, earlier, PUT(INT(job->priority), most), GET(TO_INT(&before)));

    if (error == API_OK)
        error = sql_read(
            store, own,
            PUT(INT(job->priority), TEXT(job->owner), INT(job->run_at_ms), INT(job->id), most),
            GET(TO_INT(&rank)));
    if (error == API_OK)
        error = sql_read(store, first, PUT(INT(job->priority), TEXT(job->owner)),
                         GET(TO_INT(&job->first_ms), TO_INT(&job->first)));
    if (error == API_OK && before + rank < JOB_POSITION_MAX)
        error = count_others(store, job, rank, &others);
    if (error == API_OK)
        *ret_position =
            before + rank + others < JOB_POSITION_MAX ? before + rank + others : JOB_POSITION_MAX;
    return error;
}

enum api_error job_store_position(struct store *store, int64_t id, int64_t *ret_position)
{
    static const char text[] = "SELECT state = 'ready', due, priority, run_at_ms, owner, turn"
                               "  FROM job JOIN caller ON name = owner WHERE id = ?1";
    static const char line[] = "SELECT count(*) FROM (SELECT 1 FROM job WHERE due = 1 LIMIT ?1)";
    struct ready job = {.id = id};
    int64_t is_ready = 0, is_due = 0;
    enum api_error error = sql_read(store, text, PUT(INT(id)),
                                    GET(TO_INT(&is_ready), TO_INT(&is_due), TO_INT(&job.priority),
                                        TO_INT(&job.run_at_ms),
                                        TO_TEXT(sizeof job.owner, job.owner), TO_INT(&job.turn)));

    if (error != API_OK || !is_ready)
        return error != API_OK ? error : API_STATE;
    error = is_due ? position_in_turns(store, &job, ret_position)
                   : sql_read(store, line, PUT(INT(JOB_POSITION_MAX)), GET(TO_INT(ret_position)));
    return error == API_NOT_FOUND ? API_STATE : error; /* claimed since the first statement */
}
