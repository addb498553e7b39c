/* The line of waiting jobs: adding, claiming, position. */
#include "service/store/jobs.h"

#include "service/store/sql.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum api_error job_store_add(struct store *store, const struct job_new *job, int64_t now_ms,
                             int64_t *ret_id)
{
    static const char text[] =
        "INSERT INTO job (kind, state, due, priority, run_at_ms, max_attempts, created_ms,"
        "                 updated_ms, spec)"
        " VALUES (?1, 'ready', ?3 <= ?5, ?2, ?3, ?4, ?5, ?5, ?6) RETURNING id";
    int64_t id;
    enum api_error error = sql_read(
        store, text,
        PUT(TEXT(job->kind), INT(job->priority), INT(job->run_at_ms > 0 ? job->run_at_ms : now_ms),
            INT(job->max_attempts > 0 ? job->max_attempts : JOB_ATTEMPTS), INT(now_ms),
            TEXT(job->spec)),
        GET(TO_INT(&id)));
    if (error == API_OK)
        error = job_event_add(store, id, now_ms, "added", NULL);
    if (error == API_OK)
        *ret_id = id;
    return error;
}

void job_claim_free(struct job_claim *claim)
{
    free(claim->spec);
    free(claim->checkpoint);
    *claim = (struct job_claim){.id = 0};
}

/* Moves jobs of a kind that are due into the line. The limit keeps the commit short; the next
 * claim takes the rest. */
static enum api_error call_due(struct store *store, const char *kind, int64_t now_ms)
{
    static const char text[] =
        "UPDATE job SET due = 1 WHERE id IN"
        " (SELECT id FROM job WHERE kind = ?1 AND state = 'ready' AND due = 0 AND run_at_ms <= ?2"
        "   ORDER BY run_at_ms LIMIT 1000)";
    return sql_run(store, text, PUT(TEXT(kind), INT(now_ms)));
}

/* A place in the line. */
struct place {
    int64_t priority, run_at_ms, id;
};

static bool is_before(const struct place *a, const struct place *b)
{
    if (a->priority != b->priority)
        return a->priority < b->priority;
    return a->run_at_ms != b->run_at_ms ? a->run_at_ms < b->run_at_ms : a->id < b->id;
}

/* The first job of a kind in the line; API_NOT_FOUND: no such job. */
static enum api_error first_due(struct store *store, const char *kind, struct place *ret_place)
{
    static const char text[] = "SELECT priority, run_at_ms, id FROM job"
                               " WHERE kind = ?1 AND due = 1"
                               " ORDER BY priority, run_at_ms, id LIMIT 1";
    return sql_read(
        store, text, PUT(TEXT(kind)),
        GET(TO_INT(&ret_place->priority), TO_INT(&ret_place->run_at_ms), TO_INT(&ret_place->id)));
}

/* Leases the first job in the line. */
static enum api_error lease(struct store *store, int64_t id, int64_t now_ms, int64_t lease_ms,
                            struct job_claim *ret_claim)
{
    static const char text[] =
        "UPDATE job SET state = 'leased', due = 0, attempt = attempt + 1,"
        "  lease_token = lower(hex(randomblob(16))), lease_until_ms = ?2 + ?3,"
        "  started_ms = coalesce(started_ms, ?2), updated_ms = ?2, eta_s = NULL,"
        "  progress = CASE WHEN EXISTS (SELECT 1 FROM job_output"
        "    WHERE job = ?1 AND checkpoint IS NOT NULL) THEN progress END"
        " WHERE id = ?1 AND state = 'ready'"
        " RETURNING kind, lease_token, attempt, spec,"
        "           (SELECT checkpoint FROM job_output WHERE job = ?1)";
    struct job_claim claim = {.id = id};
    int64_t attempt;
    enum api_error error = sql_read(store, text, PUT(INT(id), INT(now_ms), INT(lease_ms)),
                                    GET(TO_TEXT(sizeof claim.kind, claim.kind),
                                        TO_TEXT(sizeof claim.token, claim.token), TO_INT(&attempt),
                                        TO_COPY(&claim.spec), TO_COPY(&claim.checkpoint)));
    if (error == API_OK) {
        char detail[32];
        claim.attempt = (int)attempt;
        snprintf(detail, sizeof detail, "attempt %d", claim.attempt);
        error = job_event_add(store, id, now_ms, "leased", detail);
    }
    if (error == API_OK)
        *ret_claim = claim;
    else
        job_claim_free(&claim);
    return error;
}

enum api_error job_store_claim(struct store *store, const char *const *kinds, int64_t now_ms,
                               int64_t lease_ms, struct job_claim *ret_claim)
{
    struct place best = {.id = 0}, place;

    for (; *kinds; kinds++) {
        enum api_error error = call_due(store, *kinds, now_ms);
        if (error == API_OK)
            error = first_due(store, *kinds, &place);
        if (error == API_OK && (best.id == 0 || is_before(&place, &best)))
            best = place;
        if (error != API_OK && error != API_NOT_FOUND)
            return error;
    }
    return best.id != 0 ? lease(store, best.id, now_ms, lease_ms, ret_claim) : API_NOT_FOUND;
}

enum api_error job_store_next_due(struct store *store, const char *const *kinds,
                                  int64_t *ret_run_at_ms)
{
    static const char text[] = "SELECT run_at_ms FROM job"
                               " WHERE kind = ?1 AND state = 'ready' AND due = 0"
                               " ORDER BY run_at_ms LIMIT 1";
    int64_t next = INT64_MAX;

    for (; *kinds; kinds++) {
        struct place place;
        enum api_error error = first_due(store, *kinds, &place);
        if (error == API_NOT_FOUND)
            error = sql_read(store, text, PUT(TEXT(*kinds)), GET(TO_INT(&place.run_at_ms)));
        if (error == API_OK && place.run_at_ms < next)
            next = place.run_at_ms;
        if (error != API_OK && error != API_NOT_FOUND)
            return error;
    }
    if (next == INT64_MAX)
        return API_NOT_FOUND;
    *ret_run_at_ms = next;
    return API_OK;
}

enum api_error job_store_position(struct store *store, int64_t id, int64_t *ret_position)
{
    /* A job that is not due comes after all jobs in the line. */
    static const char own[] = "SELECT state = 'ready', iif(due, priority, ?2), run_at_ms FROM job"
                              " WHERE id = ?1";
    static const char ahead[] = "SELECT count(*) FROM (SELECT 1 FROM job WHERE due = 1"
                                "   AND (priority, run_at_ms, id) < (?1, ?2, ?3) LIMIT ?4)";
    struct place place = {.id = id};
    int64_t ready = 0;
    enum api_error error =
        sql_read(store, own, PUT(INT(id), INT(JOB_PRIORITY_MAX + 1)),
                 GET(TO_INT(&ready), TO_INT(&place.priority), TO_INT(&place.run_at_ms)));

    if (error != API_OK || !ready)
        return error != API_OK ? error : API_STATE;
    return sql_read(store, ahead,
                    PUT(INT(place.priority), INT(place.run_at_ms), INT(id), INT(JOB_POSITION_MAX)),
                    GET(TO_INT(ret_position)));
}
