/* Jobs: what may become of them, and the statements that make it so. */
#include "service/store/jobs.h"

#include "service/store/sql.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- states ---- */

static const char *const state_names[JOB_STATES] = {
    [JOB_READY] = "ready", [JOB_LEASED] = "leased", [JOB_PAUSED] = "paused",
    [JOB_DONE] = "done",   [JOB_BURIED] = "buried", [JOB_CANCELLED] = "cancelled",
};

/* Row = from, bit = to. A move that is not listed here is a bug, not a request. */
static const uint8_t job_moves[JOB_STATES] = {
    [JOB_READY] = 1u << JOB_LEASED | 1u << JOB_PAUSED | 1u << JOB_CANCELLED,
    [JOB_LEASED] = 1u << JOB_READY | 1u << JOB_PAUSED | 1u << JOB_DONE | 1u << JOB_BURIED |
                   1u << JOB_CANCELLED,
    [JOB_PAUSED] = 1u << JOB_READY | 1u << JOB_CANCELLED,
    [JOB_BURIED] = 1u << JOB_READY | 1u << JOB_CANCELLED,
};

const char *job_state_name(enum job_state state)
{
    return state_names[state];
}

bool job_state_read(const char *name, enum job_state *ret_state)
{
    for (int k = 0; k < JOB_STATES; k++)
        if (strcmp(name, state_names[k]) == 0) {
            *ret_state = (enum job_state)k;
            return true;
        }
    return false;
}

bool job_may_move(enum job_state from, enum job_state to)
{
    return (job_moves[from] >> to & 1u) != 0;
}

bool job_has_ended(enum job_state state)
{
    return state == JOB_DONE || state == JOB_BURIED || state == JOB_CANCELLED;
}

/* ---- history ---- */

static enum api_error add_event(struct store *store, int64_t id, int64_t now_ms, const char *kind,
                                const char *detail)
{
    static const char text[] =
        "INSERT INTO job_event (job, seq, at_ms, kind, detail) VALUES"
        " (?1, (SELECT coalesce(max(seq), 0) + 1 FROM job_event WHERE job = ?1), ?2, ?3, ?4)";
    struct sql q = sql_start(store, text);

    sql_put_int(&q, id);
    sql_put_int(&q, now_ms);
    sql_put_text(&q, kind);
    sql_put_text(&q, detail);
    return sql_end(&q);
}

/* ---- moves ---- */

/* What a move looks at: where the job stands. */
struct standing {
    enum job_state state;
    enum { WANTED_NOTHING, WANTED_CANCELLED, WANTED_PAUSED } wanted;
    int attempt, max_attempts, crashes;
};

/* token NULL: whoever has it. API_NOT_FOUND: no such job; API_LEASE_LOST: not leased with this
 * token. */
static enum api_error read_standing(struct store *store, int64_t id, const char *token,
                                    struct standing *ret_standing)
{
    static const char text[] = "SELECT state, wanted, attempt, max_attempts, crashes, lease_token"
                               "  FROM job WHERE id = ?1";
    struct standing standing = {.wanted = WANTED_NOTHING};
    bool known = false, held = false;
    struct sql q = sql_start(store, text);

    sql_put_int(&q, id);
    bool found = sql_row(&q);
    if (found) {
        const char *state = sql_get_text(&q);
        known = state && job_state_read(state, &standing.state);
        const char *wanted = sql_get_text(&q);
        if (wanted)
            standing.wanted = strcmp(wanted, "paused") == 0 ? WANTED_PAUSED : WANTED_CANCELLED;
        standing.attempt = (int)sql_get_int(&q);
        standing.max_attempts = (int)sql_get_int(&q);
        standing.crashes = (int)sql_get_int(&q);
        const char *holder = sql_get_text(&q);
        held = token && holder && strcmp(token, holder) == 0;
    }
    enum api_error error = sql_end(&q);
    if (error != API_OK)
        return error;
    if (token && !held)
        return API_LEASE_LOST;
    if (!found || !known)
        return found ? API_INTERNAL : API_NOT_FOUND;
    *ret_standing = standing;
    return API_OK;
}

struct move {
    int64_t id;
    enum job_state from, to;
    const char *token; /* NULL: whoever has it */
    int64_t now_ms;
    int64_t delay_ms;      /* to JOB_READY: not before now + delay_ms; -1: as it was */
    int attempts, crashes; /* added to the counts */
    bool afresh;           /* counts start again */
    const char *error_code, *error_detail; /* NULL: as they were */
    const char *event, *detail;
};

/* All moves but the claim, which looks for its job. */
static enum api_error make_move(struct store *store, const struct move *move)
{
    static const char text[] =
        "UPDATE job SET state = ?3,"
        "  run_at_ms = CASE WHEN ?6 < 0 THEN run_at_ms ELSE ?5 + ?6 END,"
        "  due = (?3 = 'ready' AND CASE WHEN ?6 < 0 THEN run_at_ms <= ?5 ELSE ?6 = 0 END),"
        "  wanted = NULL, lease_token = NULL, lease_until_ms = NULL,"
        "  attempt = CASE WHEN ?9 THEN 0 ELSE attempt + ?7 END,"
        "  crashes = CASE WHEN ?9 THEN 0 ELSE crashes + ?8 END,"
        "  error_code = coalesce(?10, error_code), error_detail = coalesce(?11, error_detail),"
        "  progress = CASE WHEN ?3 = 'done' THEN 1.0 ELSE progress END, eta_s = NULL,"
        "  finished_ms = CASE WHEN ?12 THEN ?5 END, updated_ms = ?5"
        " WHERE id = ?1 AND state = ?2 AND (?4 IS NULL OR lease_token = ?4)";

    if (!job_may_move(move->from, move->to))
        return API_STATE;
    struct sql q = sql_start(store, text);
    sql_put_int(&q, move->id);
    sql_put_text(&q, state_names[move->from]);
    sql_put_text(&q, state_names[move->to]);
    sql_put_text(&q, move->token);
    sql_put_int(&q, move->now_ms);
    sql_put_int(&q, move->delay_ms);
    sql_put_int(&q, move->attempts);
    sql_put_int(&q, move->crashes);
    sql_put_int(&q, move->afresh);
    sql_put_text(&q, move->error_code);
    sql_put_text(&q, move->error_detail);
    sql_put_int(&q, job_has_ended(move->to));
    enum api_error error = sql_end(&q);
    if (error == API_OK && sql_changes(store) == 0)
        error = move->token ? API_LEASE_LOST : API_STATE;
    return error == API_OK ? add_event(store, move->id, move->now_ms, move->event, move->detail)
                           : error;
}

/* ---- making and claiming ---- */

enum api_error job_store_add(struct store *store, const struct job_new *job, int64_t now_ms,
                             int64_t *ret_id)
{
    static const char text[] =
        "INSERT INTO job (kind, state, due, priority, run_at_ms, max_attempts, created_ms,"
        "                 updated_ms, spec)"
        " VALUES (?1, 'ready', ?3 <= ?5, ?2, ?3, ?4, ?5, ?5, ?6) RETURNING id";
    int64_t id = 0;
    struct sql q = sql_start(store, text);

    sql_put_text(&q, job->kind);
    sql_put_int(&q, job->priority);
    sql_put_int(&q, job->run_at_ms > 0 ? job->run_at_ms : now_ms);
    sql_put_int(&q, job->max_attempts > 0 ? job->max_attempts : JOB_ATTEMPTS);
    sql_put_int(&q, now_ms);
    sql_put_text(&q, job->spec);
    if (sql_row(&q))
        id = sql_get_int(&q);
    enum api_error error = sql_end(&q);
    if (error == API_OK)
        error = add_event(store, id, now_ms, "added", NULL);
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

/* Jobs of a kind whose time has come stand in line from now on. So many at a time that a commit
 * stays short; the next claim takes the next ones. */
static enum api_error call_due(struct store *store, const char *kind, int64_t now_ms)
{
    static const char text[] =
        "UPDATE job SET due = 1 WHERE id IN"
        " (SELECT id FROM job WHERE kind = ?1 AND state = 'ready' AND due = 0 AND run_at_ms <= ?2"
        "   ORDER BY run_at_ms LIMIT 1000)";
    struct sql q = sql_start(store, text);

    sql_put_text(&q, kind);
    sql_put_int(&q, now_ms);
    return sql_end(&q);
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

/* The first job of a kind; *ret_place is untouched (and *ret_found false) when none stands there.
 */
static enum api_error first_due(struct store *store, const char *kind, struct place *ret_place,
                                bool *ret_found)
{
    static const char text[] = "SELECT priority, run_at_ms, id FROM job"
                               " WHERE kind = ?1 AND due = 1"
                               " ORDER BY priority, run_at_ms, id LIMIT 1";
    struct sql q = sql_start(store, text);

    sql_put_text(&q, kind);
    *ret_found = sql_row(&q);
    if (*ret_found) {
        ret_place->priority = sql_get_int(&q);
        ret_place->run_at_ms = sql_get_int(&q);
        ret_place->id = sql_get_int(&q);
    }
    return sql_end(&q);
}

/* Leases a job that is first in line. */
static enum api_error lease(struct store *store, int64_t id, int64_t now_ms, int64_t lease_ms,
                            struct job_claim *ret_claim)
{
    static const char text[] =
        "UPDATE job SET state = 'leased', due = 0, attempt = attempt + 1,"
        "  lease_token = lower(hex(randomblob(16))), lease_until_ms = ?2 + ?3,"
        "  started_ms = coalesce(started_ms, ?2), updated_ms = ?2, progress = NULL, eta_s = NULL"
        " WHERE id = ?1 AND state = 'ready'"
        " RETURNING kind, lease_token, attempt, spec,"
        "           (SELECT checkpoint FROM job_output WHERE job = ?1)";
    struct job_claim claim = {.id = id};
    struct sql q = sql_start(store, text);

    sql_put_int(&q, id);
    sql_put_int(&q, now_ms);
    sql_put_int(&q, lease_ms);
    if (sql_row(&q)) {
        const char *kind = sql_get_text(&q), *token = sql_get_text(&q);
        snprintf(claim.kind, sizeof claim.kind, "%s", kind ? kind : "");
        snprintf(claim.token, sizeof claim.token, "%s", token ? token : "");
        claim.attempt = (int)sql_get_int(&q);
        claim.spec = sql_get_copy(&q);
        claim.checkpoint = sql_get_copy(&q);
    }
    enum api_error error = sql_end(&q);
    if (error == API_OK) {
        char attempt[32];
        snprintf(attempt, sizeof attempt, "attempt %d", claim.attempt);
        error = add_event(store, id, now_ms, "leased", attempt);
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
    struct place best = {.id = 0};
    bool any = false;

    for (; *kinds; kinds++) {
        struct place place;
        bool found = false;
        enum api_error error = call_due(store, *kinds, now_ms);
        if (error == API_OK)
            error = first_due(store, *kinds, &place, &found);
        if (error != API_OK)
            return error;
        if (found && (!any || is_before(&place, &best)))
            best = place;
        any = any || found;
    }
    return any ? lease(store, best.id, now_ms, lease_ms, ret_claim) : API_NOT_FOUND;
}

enum api_error job_store_next_due(struct store *store, const char *const *kinds,
                                  int64_t *ret_run_at_ms)
{
    static const char text[] = "SELECT run_at_ms FROM job"
                               " WHERE kind = ?1 AND state = 'ready' AND due = 0"
                               " ORDER BY run_at_ms LIMIT 1";
    int64_t next = INT64_MAX;
    bool any = false;

    for (; *kinds; kinds++) {
        struct place place;
        bool found = false;
        enum api_error error = first_due(store, *kinds, &place, &found);
        if (error != API_OK)
            return error;
        if (!found) {
            struct sql q = sql_start(store, text);
            sql_put_text(&q, *kinds);
            found = sql_row(&q);
            if (found)
                place.run_at_ms = sql_get_int(&q);
            error = sql_end(&q);
            if (error != API_OK)
                return error;
        }
        if (found && place.run_at_ms < next)
            next = place.run_at_ms;
        any = any || found;
    }
    if (!any)
        return API_NOT_FOUND;
    *ret_run_at_ms = next;
    return API_OK;
}

/* ---- from the worker ---- */

enum api_error job_store_beat(struct store *store, int64_t id, const char *token, int64_t now_ms,
                              int64_t lease_ms, double progress, double eta_s)
{
    static const char text[] = "UPDATE job SET lease_until_ms = ?3 + ?4, updated_ms = ?3,"
                               "  progress = coalesce(?5, progress), eta_s = ?6"
                               " WHERE id = ?1 AND state = 'leased' AND lease_token = ?2";
    struct sql q = sql_start(store, text);

    sql_put_int(&q, id);
    sql_put_text(&q, token);
    sql_put_int(&q, now_ms);
    sql_put_int(&q, lease_ms);
    sql_put_real(&q, progress);
    sql_put_real(&q, eta_s);
    enum api_error error = sql_end(&q);
    return error == API_OK && sql_changes(store) == 0 ? API_LEASE_LOST : error;
}

/* `text` inserts or updates the output of job ?1 leased with token ?2: ?3 at ?4. */
static enum api_error put_output(struct store *store, const char *text, int64_t id,
                                 const char *token, const char *json, int64_t now_ms)
{
    static const char touched[] = "UPDATE job SET updated_ms = ?2 WHERE id = ?1";
    struct sql q = sql_start(store, text);

    sql_put_int(&q, id);
    sql_put_text(&q, token);
    sql_put_text(&q, json);
    enum api_error error = sql_end(&q);
    if (error == API_OK && sql_changes(store) == 0)
        error = API_LEASE_LOST;
    if (error != API_OK)
        return error;
    q = sql_start(store, touched);
    sql_put_int(&q, id);
    sql_put_int(&q, now_ms);
    return sql_end(&q);
}

enum api_error job_store_checkpoint(struct store *store, int64_t id, const char *token,
                                    const char *checkpoint_json, int64_t now_ms)
{
    static const char text[] =
        "INSERT INTO job_output (job, checkpoint)"
        " SELECT id, ?3 FROM job WHERE id = ?1 AND state = 'leased' AND lease_token = ?2"
        " ON CONFLICT (job) DO UPDATE SET checkpoint = excluded.checkpoint";
    return put_output(store, text, id, token, checkpoint_json, now_ms);
}

enum api_error job_store_partial(struct store *store, int64_t id, const char *token,
                                 const char *result_json, int64_t now_ms)
{
    static const char text[] =
        "INSERT INTO job_output (job, result)"
        " SELECT id, ?3 FROM job WHERE id = ?1 AND state = 'leased' AND lease_token = ?2"
        " ON CONFLICT (job) DO UPDATE SET result = excluded.result";
    return put_output(store, text, id, token, result_json, now_ms);
}

enum api_error job_store_finish(struct store *store, int64_t id, const char *token,
                                const char *result_json, bool cancelled, int64_t now_ms)
{
    enum api_error error = job_store_partial(store, id, token, result_json, now_ms);

    return error != API_OK
               ? error
               : make_move(store, &(struct move){.id = id,
                                                 .from = JOB_LEASED,
                                                 .to = cancelled ? JOB_CANCELLED : JOB_DONE,
                                                 .token = token,
                                                 .now_ms = now_ms,
                                                 .delay_ms = -1,
                                                 .event = cancelled ? "cancelled" : "done"});
}

/* 1 s after the first attempt, then twice as long each time, at most a minute. */
static int64_t backoff_ms(int attempt)
{
    return attempt > 6 ? 60000 : 1000 * ((int64_t)1 << (attempt > 1 ? attempt - 1 : 0));
}

enum api_error job_store_fail(struct store *store, int64_t id, const char *token,
                              const struct job_failure *failure, int64_t now_ms,
                              enum job_state *ret_state)
{
    struct standing standing;
    char detail[512];
    enum api_error error = read_standing(store, id, token, &standing);

    if (error != API_OK)
        return error;
    int attempt = failure->got_on ? 1 : standing.attempt;
    int crashes = (failure->got_on ? 0 : standing.crashes) + failure->crashed;
    struct move move = {.id = id,
                        .from = JOB_LEASED,
                        .to = JOB_READY,
                        .token = token,
                        .now_ms = now_ms,
                        .delay_ms = backoff_ms(attempt),
                        .attempts = attempt - standing.attempt,
                        .crashes = crashes - standing.crashes,
                        .error_code = failure->code,
                        .error_detail = failure->detail,
                        .event = "retried",
                        .detail = detail};
    snprintf(detail, sizeof detail, "%s: %s", failure->code, failure->detail);
    if (standing.wanted == WANTED_CANCELLED) {
        move.to = JOB_CANCELLED;
        move.event = "cancelled";
    } else if (!failure->retryable || attempt >= standing.max_attempts || crashes >= JOB_CRASHES) {
        move.to = JOB_BURIED;
        move.event = "buried";
    } else if (standing.wanted == WANTED_PAUSED) {
        move.to = JOB_PAUSED;
        move.event = "paused";
    }
    error = make_move(store, &move);
    if (error == API_OK)
        *ret_state = move.to;
    return error;
}

/* Back without blame: to where it was asked to be, or in line. */
static enum api_error give_back(struct store *store, int64_t id, const char *token, bool paused,
                                int64_t now_ms, int64_t delay_ms, const char *detail)
{
    struct standing standing;
    enum api_error error = read_standing(store, id, token, &standing);

    if (error != API_OK)
        return error;
    struct move move = {.id = id,
                        .from = JOB_LEASED,
                        .to = JOB_READY,
                        .token = token,
                        .now_ms = now_ms,
                        .delay_ms = delay_ms,
                        .attempts = -1,
                        .event = "released",
                        .detail = detail};
    if (standing.wanted == WANTED_CANCELLED) {
        move.to = JOB_CANCELLED;
        move.event = "cancelled";
    } else if (paused || standing.wanted == WANTED_PAUSED) {
        move.to = JOB_PAUSED;
        move.event = "paused";
    }
    return make_move(store, &move);
}

enum api_error job_store_release(struct store *store, int64_t id, const char *token, bool paused,
                                 int64_t now_ms)
{
    return give_back(store, id, token, paused, now_ms, -1, NULL);
}

enum api_error job_store_log(struct store *store, int64_t id, const char *text)
{
    static const char keep[] = "INSERT INTO job_output (job, log) VALUES (?1, ?2)"
                               " ON CONFLICT (job) DO UPDATE SET log = excluded.log";
    size_t length = strlen(text);
    const char *last = length > JOB_LOG_MAX ? text + length - JOB_LOG_MAX : text;

    while (last > text && ((unsigned char)*last & 0xc0) == 0x80)
        last++; /* not from the middle of a character */
    struct sql q = sql_start(store, keep);
    sql_put_int(&q, id);
    sql_put_text(&q, last);
    return sql_end(&q);
}

/* ---- from callers ---- */

/* Marks a leased job; `wanted` NULL takes the mark away. */
static enum api_error want(struct store *store, int64_t id, const char *wanted, int64_t now_ms,
                           const char *event, const char *detail)
{
    static const char text[] = "UPDATE job SET wanted = ?2, updated_ms = ?3"
                               " WHERE id = ?1 AND state = 'leased'";
    struct sql q = sql_start(store, text);

    sql_put_int(&q, id);
    sql_put_text(&q, wanted);
    sql_put_int(&q, now_ms);
    enum api_error error = sql_end(&q);
    return error == API_OK ? add_event(store, id, now_ms, event, detail) : error;
}

enum api_error job_store_cancel(struct store *store, int64_t id, const char *reason, int64_t now_ms,
                                enum job_state *ret_state)
{
    struct standing standing;
    enum api_error error = read_standing(store, id, NULL, &standing);

    if (error != API_OK)
        return error;
    if (standing.state == JOB_LEASED) {
        if (standing.wanted != WANTED_CANCELLED)
            error = want(store, id, "cancelled", now_ms, "cancel_wanted", reason);
    } else {
        error = make_move(store, &(struct move){.id = id,
                                                .from = standing.state,
                                                .to = JOB_CANCELLED,
                                                .now_ms = now_ms,
                                                .delay_ms = -1,
                                                .event = "cancelled",
                                                .detail = reason});
    }
    if (error == API_OK)
        *ret_state = standing.state == JOB_LEASED ? JOB_LEASED : JOB_CANCELLED;
    return error;
}

enum api_error job_store_pause(struct store *store, int64_t id, int64_t now_ms,
                               enum job_state *ret_state)
{
    struct standing standing;
    enum api_error error = read_standing(store, id, NULL, &standing);

    if (error != API_OK)
        return error;
    if (standing.state == JOB_LEASED) {
        if (standing.wanted == WANTED_CANCELLED)
            return API_STATE;
        if (standing.wanted == WANTED_NOTHING)
            error = want(store, id, "paused", now_ms, "pause_wanted", NULL);
    } else {
        error = make_move(store, &(struct move){.id = id,
                                                .from = standing.state,
                                                .to = JOB_PAUSED,
                                                .now_ms = now_ms,
                                                .delay_ms = -1,
                                                .event = "paused"});
    }
    if (error == API_OK)
        *ret_state = standing.state == JOB_LEASED ? JOB_LEASED : JOB_PAUSED;
    return error;
}

enum api_error job_store_resume(struct store *store, int64_t id, int64_t now_ms,
                                enum job_state *ret_state)
{
    struct standing standing;
    enum api_error error = read_standing(store, id, NULL, &standing);

    if (error != API_OK)
        return error;
    if (standing.state == JOB_LEASED && standing.wanted == WANTED_PAUSED)
        error = want(store, id, NULL, now_ms, "resumed", NULL);
    else if (standing.state == JOB_PAUSED)
        error = make_move(store, &(struct move){.id = id,
                                                .from = JOB_PAUSED,
                                                .to = JOB_READY,
                                                .now_ms = now_ms,
                                                .delay_ms = -1,
                                                .event = "resumed"});
    else
        error = API_STATE;
    if (error == API_OK)
        *ret_state = standing.state == JOB_LEASED ? JOB_LEASED : JOB_READY;
    return error;
}

enum api_error job_store_kick(struct store *store, int64_t id, int64_t now_ms,
                              enum job_state *ret_state)
{
    struct standing standing;
    enum api_error error = read_standing(store, id, NULL, &standing);

    if (error != API_OK)
        return error;
    if (standing.state != JOB_BURIED)
        return API_STATE;
    error = make_move(store, &(struct move){.id = id,
                                            .from = JOB_BURIED,
                                            .to = JOB_READY,
                                            .now_ms = now_ms,
                                            .afresh = true,
                                            .event = "kicked"});
    if (error == API_OK)
        *ret_state = JOB_READY;
    return error;
}

enum api_error job_store_delete(struct store *store, int64_t id)
{
    static const char text[] = "DELETE FROM job WHERE id = ?1";
    struct standing standing;
    enum api_error error = read_standing(store, id, NULL, &standing);

    if (error != API_OK)
        return error;
    if (!job_has_ended(standing.state))
        return API_STATE;
    struct sql q = sql_start(store, text);
    sql_put_int(&q, id);
    return sql_end(&q);
}

/* ---- supervision ---- */

static const char recovered[] = "the service was started again";

/* How often in a row it was running when the service ended, before this time. */
static enum api_error count_recoveries(struct store *store, int64_t id, int *ret_count)
{
    static const char text[] =
        "SELECT count(*) FROM job_event WHERE job = ?1 AND kind = 'released' AND seq >"
        "  (SELECT coalesce(max(seq), 0) FROM job_event WHERE job = ?1 AND kind <> 'leased'"
        "      AND NOT (kind = 'released' AND detail IS ?2))";
    int count = 0;
    struct sql q = sql_start(store, text);

    sql_put_int(&q, id);
    sql_put_text(&q, recovered);
    if (sql_row(&q))
        count = (int)sql_get_int(&q);
    enum api_error error = sql_end(&q);
    if (error == API_OK)
        *ret_count = count;
    return error;
}

static enum api_error recover(struct store *store, int64_t id, int64_t now_ms)
{
    int before;
    enum api_error error = count_recoveries(store, id, &before);

    if (error != API_OK)
        return error;
    int more = before - JOB_RECOVERIES;
    int64_t delay_ms = more < 0 ? -1 : 1000 * ((int64_t)1 << (more < 3 ? more : 3));
    return give_back(store, id, NULL, false, now_ms, delay_ms, recovered);
}

enum api_error job_store_recover(struct store *store, int64_t now_ms, int64_t *ret_count)
{
    static const char text[] = "SELECT id FROM job WHERE state = 'leased' LIMIT 1";
    int64_t count = 0;

    for (;;) {
        int64_t id = 0;
        struct sql q = sql_start(store, text);
        bool found = sql_row(&q);
        if (found)
            id = sql_get_int(&q);
        enum api_error error = sql_end(&q);
        if (error == API_OK && found)
            error = recover(store, id, now_ms);
        if (error != API_OK)
            return error;
        if (!found)
            break;
        count++;
    }
    *ret_count = count;
    return API_OK;
}

/* ---- reading ---- */

#define JOB_HEAD                                                                          \
    "id, kind, state, wanted, priority, attempt, max_attempts, crashes, progress, eta_s," \
    " created_ms AS created_at, updated_ms AS updated_at, run_at_ms AS run_at,"           \
    " started_ms AS started_at, finished_ms AS finished_at,"                              \
    " CASE WHEN error_code IS NOT NULL THEN"                                              \
    "   json_object('code', error_code, 'detail', error_detail) END AS error,"            \
    " (SELECT json_group_array(name) FROM"                                                \
    "   (SELECT name FROM run WHERE run.job = job.id ORDER BY run.id)) AS runs"
#define JOB_HEAD_TYPES "isssiiiirrtttttjj"

enum api_error job_store_get(struct store *store, int64_t id, json_t **ret_job)
{
    static const char text[] = "SELECT " JOB_HEAD ", result, spec, checkpoint"
                               "  FROM job LEFT JOIN job_output ON job_output.job = job.id"
                               " WHERE id = ?1";
    json_t *job = NULL;
    struct sql q = sql_start(store, text);

    sql_put_int(&q, id);
    if (sql_row(&q))
        job = sql_get_object(&q, JOB_HEAD_TYPES "jjj");
    enum api_error error = sql_end(&q);
    if (error != API_OK) {
        json_decref(job);
        return error;
    }
    if (!job)
        return API_NOT_FOUND;
    *ret_job = job;
    return API_OK;
}

#define JOB_PAGE(where) \
    "SELECT id, " JOB_HEAD " FROM job WHERE id < ?1" where " ORDER BY id DESC LIMIT ?2"

enum api_error job_store_list(struct store *store, const struct job_filter *filter,
                              const struct store_page *page, json_t **ret_items,
                              char ret_next[STORE_CURSOR_MAX])
{
    static const char all[] = JOB_PAGE(" AND kind <> 'rate'");
    static const char by_kind[] = JOB_PAGE(" AND kind = ?3");
    static const char by_state[] = JOB_PAGE(" AND state = ?3 AND kind <> 'rate'");
    static const char by_both[] = JOB_PAGE(" AND kind = ?3 AND state = ?4");
    struct sql_cursor cursor;
    enum api_error error = sql_cursor_read(page->cursor, false, &cursor);

    if (error != API_OK)
        return error;
    struct sql q = sql_start(store, filter->kind        ? filter->has_state ? by_both : by_kind
                                    : filter->has_state ? by_state
                                                        : all);
    sql_put_int(&q, cursor.number);
    sql_put_int(&q, sql_page_rows(page));
    if (filter->kind)
        sql_put_text(&q, filter->kind);
    if (filter->has_state)
        sql_put_text(&q, state_names[filter->state]);
    return sql_get_page(&q, page, false, JOB_HEAD_TYPES, ret_items, ret_next);
}

/* Whether there is such a job. */
static enum api_error find_job(struct store *store, int64_t id)
{
    static const char text[] = "SELECT 1 FROM job WHERE id = ?1";
    struct sql q = sql_start(store, text);

    sql_put_int(&q, id);
    bool found = sql_row(&q);
    enum api_error error = sql_end(&q);
    return error == API_OK && !found ? API_NOT_FOUND : error;
}

enum api_error job_store_events(struct store *store, int64_t id, int64_t after, int most,
                                json_t **ret_events)
{
    static const char text[] = "SELECT seq, at_ms AS at, kind, detail FROM job_event"
                               " WHERE job = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3";
    enum api_error error = find_job(store, id);

    if (error != API_OK)
        return error;
    struct sql q = sql_start(store, text);
    sql_put_int(&q, id);
    sql_put_int(&q, after);
    sql_put_int(&q, most);
    return sql_get_list(&q, "itss", ret_events);
}

enum api_error job_store_read_log(struct store *store, int64_t id, char **ret_text)
{
    static const char text[] = "SELECT coalesce((SELECT log FROM job_output WHERE job = ?1), '')"
                               "  FROM job WHERE id = ?1";
    char *log = NULL;
    struct sql q = sql_start(store, text);

    sql_put_int(&q, id);
    bool found = sql_row(&q);
    if (found)
        log = sql_get_copy(&q);
    enum api_error error = sql_end(&q);
    if (error != API_OK || !found) {
        free(log);
        return error != API_OK ? error : API_NOT_FOUND;
    }
    *ret_text = log;
    return API_OK;
}

enum api_error job_store_position(struct store *store, int64_t id, int64_t *ret_position)
{
    static const char own[] = "SELECT state, due, priority, run_at_ms FROM job WHERE id = ?1";
    static const char ahead[] = "SELECT count(*) FROM (SELECT 1 FROM job WHERE due = 1"
                                "   AND (priority, run_at_ms, id) < (?1, ?2, ?3) LIMIT ?4)";
    struct place place = {.id = id};
    bool ready = false;
    int64_t position = 0;
    struct sql q = sql_start(store, own);

    sql_put_int(&q, id);
    bool found = sql_row(&q);
    if (found) {
        const char *state = sql_get_text(&q);
        ready = state && strcmp(state, state_names[JOB_READY]) == 0;
        bool due = sql_get_int(&q) != 0;
        place.priority = sql_get_int(&q);
        place.run_at_ms = sql_get_int(&q);
        if (!due) /* whoever stands in line is served before */
            place.priority = JOB_PRIORITY_MAX + 1;
    }
    enum api_error error = sql_end(&q);
    if (error == API_OK && !ready)
        error = found ? API_STATE : API_NOT_FOUND;
    if (error != API_OK)
        return error;

    q = sql_start(store, ahead);
    sql_put_int(&q, place.priority);
    sql_put_int(&q, place.run_at_ms);
    sql_put_int(&q, place.id);
    sql_put_int(&q, JOB_POSITION_MAX);
    if (sql_row(&q))
        position = sql_get_int(&q);
    error = sql_end(&q);
    if (error == API_OK)
        *ret_position = position;
    return error;
}

enum api_error job_store_counts(struct store *store, int64_t ret_counts[JOB_STATES])
{
    static const char text[] = "SELECT state, jobs FROM job_count";
    int64_t counts[JOB_STATES] = {0};
    struct sql q = sql_start(store, text);

    while (sql_row(&q)) {
        enum job_state state;
        const char *name = sql_get_text(&q);
        if (name && job_state_read(name, &state))
            counts[state] = sql_get_int(&q);
    }
    enum api_error error = sql_end(&q);
    if (error == API_OK)
        memcpy(ret_counts, counts, sizeof counts);
    return error;
}
