/* The states of a job and the moves between them. */
#include "service/store/jobs.h"

#include "service/store/sql.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* Room for so many numbers of 20 characters with commas. */
enum { IDS_TEXT_MAX = 21 * JOB_MANY_MAX + 3 };

/* ---- states ---- */

/* Row = from, bit = to. A move that is not listed here is a bug, not a caller's wish. */
static const uint8_t job_moves[JOB_STATES] = {
    [JOB_READY] = 1u << JOB_LEASED | 1u << JOB_PAUSED | 1u << JOB_CANCELLED,
    [JOB_LEASED] = 1u << JOB_READY | 1u << JOB_PAUSED | 1u << JOB_DONE | 1u << JOB_BURIED |
                   1u << JOB_CANCELLED,
    [JOB_PAUSED] = 1u << JOB_READY | 1u << JOB_CANCELLED,
    [JOB_BURIED] = 1u << JOB_READY | 1u << JOB_CANCELLED,
};

bool job_may_move(enum job_state from, enum job_state to)
{
    return (job_moves[from] >> to & 1u) != 0;
}

/* ---- moves ---- */

enum api_error job_event_add(struct store *store, int64_t id, int64_t now_ms, const char *kind,
                             const char *detail, const char *by)
{
    static const char text[] =
        "INSERT INTO job_event (job, seq, at_ms, kind, detail, caller) VALUES"
        " (?1, (SELECT coalesce(max(seq), 0) + 1 FROM job_event WHERE job = ?1), ?2, ?3, ?4, ?5)";
    return sql_run(store, text, PUT(INT(id), INT(now_ms), TEXT(kind), TEXT(detail), TEXT(by)));
}

/* A caller's wish for a leased job. Its worker knows of it. */
enum wanted { WANTED_NOTHING, WANTED_CANCELLED, WANTED_PAUSED, WANTED };
static const char *const wanted_names[WANTED] = {
    [WANTED_NOTHING] = "", [WANTED_CANCELLED] = "cancelled", [WANTED_PAUSED] = "paused"};

/* The columns of a job that decide a move. */
struct standing {
    enum job_state state;
    enum wanted wanted;
    int64_t attempt, max_attempts, crashes;
};

/* token NULL: any holder. API_NOT_FOUND: no such job. API_LEASE_LOST: not leased with
 * this token. */
static enum api_error read_standing(struct store *store, int64_t id, const char *token,
                                    struct standing *ret_standing)
{
    static const char text[] = "SELECT state, wanted, attempt, max_attempts, crashes, lease_token"
                               "  FROM job WHERE id = ?1";
    struct standing standing = {.wanted = WANTED_NOTHING};
    char state[16], wanted[16], holder[JOB_TOKEN_MAX];
    enum api_error error =
        sql_read(store, text, PUT(INT(id)),
                 GET(TO_TEXT(sizeof state, state), TO_TEXT(sizeof wanted, wanted),
                     TO_INT(&standing.attempt), TO_INT(&standing.max_attempts),
                     TO_INT(&standing.crashes), TO_TEXT(sizeof holder, holder)));

    if (token && (error == API_NOT_FOUND || (error == API_OK && strcmp(token, holder) != 0)))
        return API_LEASE_LOST;
    if (error != API_OK)
        return error;
    if (!job_state_read(state, &standing.state))
        return API_INTERNAL;
    while (strcmp(wanted, wanted_names[standing.wanted]) != 0)
        if (++standing.wanted == WANTED)
            return API_INTERNAL;
    *ret_standing = standing;
    return API_OK;
}

struct move {
    int64_t id;
    enum job_state from, to;
    const char *token; /* NULL: any holder */
    int64_t now_ms;
    int64_t delay_ms;          /* to JOB_READY: not before now + delay_ms; -1: unchanged */
    int64_t attempts, crashes; /* added to the counts */
    bool afresh;               /* restarts the counts */
    const char *error_code, *error_detail; /* NULL: unchanged */
    const char *event, *detail;
    const char *by; /* the caller; NULL: none */
};

/* ?1: its job or jobs, ?2: from, ?3: to, ?4: its token */
#define MOVE                                                                        \
    "UPDATE job SET state = ?3,"                                                    \
    "  run_at_ms = CASE WHEN ?6 < 0 THEN run_at_ms ELSE ?5 + ?6 END,"               \
    "  due = (?3 = 'ready' AND waits = 0 AND"                                       \
    "    CASE WHEN ?6 < 0 THEN run_at_ms <= ?5 ELSE ?6 = 0 END),"                   \
    "  wanted = NULL, lease_token = NULL, lease_until_ms = NULL,"                   \
    "  attempt = CASE WHEN ?9 THEN 0 ELSE attempt + ?7 END,"                        \
    "  crashes = CASE WHEN ?9 THEN 0 ELSE crashes + ?8 END,"                        \
    "  error_code = CASE WHEN ?3 <> 'done' THEN coalesce(?10, error_code) END,"     \
    "  error_detail = CASE WHEN ?3 <> 'done' THEN coalesce(?11, error_detail) END," \
    "  progress = CASE WHEN ?3 = 'done' THEN 1.0 ELSE progress END, eta_s = NULL,"  \
    "  finished_ms = CASE WHEN ?12 THEN ?5 END, updated_ms = ?5 WHERE "

/* Makes any move but the claim (job_queue.c), which must find its job first. */
static enum api_error make_move(struct store *store, const struct move *move)
{
    static const char text[] = MOVE "id = ?1 AND state = ?2 AND (?4 IS NULL OR lease_token = ?4)";

    if (!job_may_move(move->from, move->to))
        return API_STATE;
    enum api_error error = sql_change(
        store, text,
        PUT(INT(move->id), TEXT(job_state_name(move->from)), TEXT(job_state_name(move->to)),
            TEXT(move->token), INT(move->now_ms), INT(move->delay_ms), INT(move->attempts),
            INT(move->crashes), INT(move->afresh), TEXT(move->error_code), TEXT(move->error_detail),
            INT(job_has_ended(move->to))),
        move->token ? API_LEASE_LOST : API_STATE);
    return error == API_OK
               ? job_event_add(store, move->id, move->now_ms, move->event, move->detail, move->by)
               : error;
}

/* When a worker lets go of a job, a caller's wish decides the next state. */
static void go_where_wanted(struct move *move, enum wanted wanted)
{
    if (wanted == WANTED_CANCELLED) {
        move->to = JOB_CANCELLED;
        move->event = "cancelled";
    } else if (wanted == WANTED_PAUSED) {
        move->to = JOB_PAUSED;
        move->event = "paused";
    }
}

/* ---- from the worker ---- */

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

int64_t job_backoff_ms(int64_t attempt)
{
    return attempt > 6 ? JOB_BACKOFF_MOST_MS
                       : 1000 * ((int64_t)1 << (attempt > 1 ? attempt - 1 : 0));
}

enum api_error job_store_fail(struct store *store, int64_t id, const char *token,
                              const struct job_failure *failure, int64_t now_ms,
                              enum job_state *ret_state)
{
    struct standing standing;
    char detail[512], why[600];
    enum api_error error = read_standing(store, id, token, &standing);

    if (error != API_OK)
        return error;
    int64_t attempt = failure->made_progress ? 1 : standing.attempt;
    int64_t crashes = (failure->made_progress ? 0 : standing.crashes) + failure->crashed;
    struct move move = {.id = id,
                        .from = JOB_LEASED,
                        .to = JOB_READY,
                        .token = token,
                        .now_ms = now_ms,
                        .delay_ms = job_backoff_ms(attempt),
                        .attempts = attempt - standing.attempt,
                        .crashes = crashes - standing.crashes,
                        .error_code = failure->code,
                        .error_detail = failure->detail,
                        .event = "retried",
                        .detail = detail};
    snprintf(detail, sizeof detail, "%s: %s", failure->code, failure->detail);
    go_where_wanted(&move, standing.wanted);
    if (move.to != JOB_CANCELLED &&
        (!failure->retryable || attempt >= standing.max_attempts || crashes >= JOB_CRASHES)) {
        move.to = JOB_BURIED;
        move.event = "buried";
        if (crashes >= JOB_CRASHES) {
            snprintf(why, sizeof why, "%s; %lld workers died of this job", failure->detail,
                     (long long)crashes);
            move.error_detail = why;
        }
    }
    error = make_move(store, &move);
    if (error == API_OK)
        *ret_state = move.to;
    return error;
}

/* Gives a job back without counting the attempt: cancelled or paused if a caller wanted that,
 * else ready. */
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
    go_where_wanted(&move,
                    paused && standing.wanted == WANTED_NOTHING ? WANTED_PAUSED : standing.wanted);
    return make_move(store, &move);
}

enum api_error job_store_release(struct store *store, int64_t id, const char *token, bool paused,
                                 int64_t now_ms)
{
    return give_back(store, id, token, paused, now_ms, -1, NULL);
}

/* ---- from callers ---- */

/* The effect of a caller's wish. A job without a worker moves at once if its state is in `from`.
 * A leased job is only marked; it moves when its worker lets go. */
struct wish {
    uint8_t from; /* bit = state */
    enum job_state to;
    const char *event;
    int64_t delay_ms; /* as in struct move */
    bool afresh;      /* as in struct move */

    uint8_t over; /* bit = earlier wish that this one may replace */
    enum wanted wanted;
    const char *wanted_event;
};

static const struct wish wishes[JOB_WISHES] = {
    [JOB_CANCEL] = {.from = 1u << JOB_READY | 1u << JOB_PAUSED | 1u << JOB_BURIED,
                    .to = JOB_CANCELLED,
                    .event = "cancelled",
                    .delay_ms = -1,
                    .over = 1u << WANTED_NOTHING | 1u << WANTED_PAUSED,
                    .wanted = WANTED_CANCELLED,
                    .wanted_event = "cancel_wanted"},
    [JOB_PAUSE] = {.from = 1u << JOB_READY,
                   .to = JOB_PAUSED,
                   .event = "paused",
                   .delay_ms = -1,
                   .over = 1u << WANTED_NOTHING,
                   .wanted = WANTED_PAUSED,
                   .wanted_event = "pause_wanted"},
    [JOB_RESUME] = {.from = 1u << JOB_PAUSED,
                    .to = JOB_READY,
                    .event = "resumed",
                    .delay_ms = -1,
                    .over = 1u << WANTED_PAUSED,
                    .wanted = WANTED_NOTHING,
                    .wanted_event = "resumed"},
    [JOB_KICK] = {.from = 1u << JOB_BURIED, .to = JOB_READY, .event = "kicked", .afresh = true},
};

/* Marks a leased job. Repeating a wish changes nothing. */
static enum api_error mark(struct store *store, int64_t id, const struct wish *wish,
                           enum wanted before, const char *reason, const char *by, int64_t now_ms)
{
    static const char text[] = "UPDATE job SET wanted = nullif(?2, ''), updated_ms = ?3"
                               " WHERE id = ?1 AND state = 'leased'";

    if ((wish->over >> before & 1u) == 0)
        return before != WANTED_NOTHING && before == wish->wanted ? API_OK : API_STATE;
    enum api_error error =
        sql_run(store, text, PUT(INT(id), TEXT(wanted_names[wish->wanted]), INT(now_ms)));
    return error == API_OK ? job_event_add(store, id, now_ms, wish->wanted_event, reason, by)
                           : error;
}

enum api_error job_store_ask(struct store *store, int64_t id, enum job_wish asked,
                             const char *reason, const char *by, int64_t now_ms,
                             enum job_state *ret_state)
{
    const struct wish *wish = &wishes[asked];
    struct standing standing;
    enum api_error error = read_standing(store, id, NULL, &standing);

    if (error != API_OK)
        return error;
    if (standing.state == JOB_LEASED)
        error = mark(store, id, wish, standing.wanted, reason, by, now_ms);
    else if ((wish->from >> standing.state & 1u) == 0)
        error = API_STATE;
    else
        error = make_move(store, &(struct move){.id = id,
                                                .from = standing.state,
                                                .to = wish->to,
                                                .now_ms = now_ms,
                                                .delay_ms = wish->delay_ms,
                                                .afresh = wish->afresh,
                                                .event = wish->event,
                                                .detail = reason,
                                                .by = by});
    if (error == API_OK)
        *ret_state = standing.state == JOB_LEASED ? JOB_LEASED : wish->to;
    return error;
}

/* Writes the ids as JSON. */
static const char *write_ids(const int64_t *ids, int count, char ret_text[IDS_TEXT_MAX])
{
    size_t used = 1;

    assert(count <= JOB_MANY_MAX);
    strcpy(ret_text, "[");
    for (int k = 0; k < count; k++)
        used += (size_t)snprintf(ret_text + used, IDS_TEXT_MAX - used, k > 0 ? ",%lld" : "%lld",
                                 (long long)ids[k]);
    snprintf(ret_text + used, IDS_TEXT_MAX - used, "]");
    return ret_text;
}

/* Makes one move of those of the jobs that are in `from`; *ret_count: how many, ret_ids: which. */
static enum api_error make_moves(struct store *store, const char *ids, const struct move *move,
                                 int64_t *ret_ids, int *ret_count)
{
    static const char text[] =
        MOVE "id IN (SELECT value FROM json_each(?1)) AND state = ?2 AND ?4 IS NULL RETURNING id";
    static const char add_events[] =
        "INSERT INTO job_event (job, seq, at_ms, kind, detail, caller) SELECT value,"
        "  (SELECT coalesce(max(seq), 0) + 1 FROM job_event WHERE job = value), ?2, ?3, ?4, ?5"
        "  FROM json_each(?1)";
    char moved[IDS_TEXT_MAX];
    struct sql q = sql_start(store, text,
                             PUT(TEXT(ids), TEXT(job_state_name(move->from)),
                                 TEXT(job_state_name(move->to)), TEXT(move->token),
                                 INT(move->now_ms), INT(move->delay_ms), INT(move->attempts),
                                 INT(move->crashes), INT(move->afresh), TEXT(move->error_code),
                                 TEXT(move->error_detail), INT(job_has_ended(move->to))));

    *ret_count = 0;
    while (sql_row(&q))
        ret_ids[(*ret_count)++] = sql_get_int(&q);
    enum api_error error = sql_end(&q);
    if (error != API_OK || *ret_count == 0)
        return error;
    return sql_run(store, add_events,
                   PUT(TEXT(write_ids(ret_ids, *ret_count, moved)), INT(move->now_ms),
                       TEXT(move->event), TEXT(move->detail), TEXT(move->by)));
}

enum api_error job_store_ask_many(struct store *store, const int64_t *ids, int count,
                                  enum job_wish asked, const char *reason, const char *by,
                                  int64_t now_ms, int64_t *ret_moved, int *ret_count)
{
    const struct wish *wish = &wishes[asked];
    char text[IDS_TEXT_MAX];
    enum api_error error = API_OK;
    int moved;

    *ret_count = 0;
    write_ids(ids, count, text);
    for (int from = 0; from < JOB_STATES && *ret_count < count && error == API_OK; from++)
        if (wish->from >> from & 1u) {
            error = make_moves(store, text,
                               &(struct move){.from = (enum job_state)from,
                                              .to = wish->to,
                                              .now_ms = now_ms,
                                              .delay_ms = wish->delay_ms,
                                              .afresh = wish->afresh,
                                              .event = wish->event,
                                              .detail = reason,
                                              .by = by},
                               ret_moved + *ret_count, &moved);
            *ret_count += error == API_OK ? moved : 0;
        }
    return error;
}

enum api_error job_store_prioritise(struct store *store, int64_t id, int priority, const char *by,
                                    int64_t now_ms, enum job_state *ret_state)
{
    static const char text[] = "UPDATE job SET priority = ?2, updated_ms = ?3 WHERE id = ?1";
    struct standing standing;
    char detail[32];
    enum api_error error = read_standing(store, id, NULL, &standing);

    if (error != API_OK)
        return error;
    if (standing.state == JOB_DONE || standing.state == JOB_CANCELLED)
        return API_STATE;
    error = sql_run(store, text, PUT(INT(id), INT(priority), INT(now_ms)));
    snprintf(detail, sizeof detail, "to %d", priority);
    if (error == API_OK)
        error = job_event_add(store, id, now_ms, "prioritised", detail, by);
    if (error == API_OK)
        *ret_state = standing.state;
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
    return sql_run(store, text, PUT(INT(id)));
}

/* ---- supervision ---- */

static const char recovered[] = "the service was started again";

/* Counts how many times in a row, before this one, the service ended while the job was running. */
static enum api_error count_recoveries(struct store *store, int64_t id, int64_t *ret_count)
{
    static const char text[] =
        "SELECT count(*) FROM job_event WHERE job = ?1 AND kind = 'released' AND seq >"
        "  (SELECT coalesce(max(seq), 0) FROM job_event WHERE job = ?1 AND kind <> 'leased'"
        "      AND NOT (kind = 'released' AND detail IS ?2))";
    return sql_read(store, text, PUT(INT(id), TEXT(recovered)), GET(TO_INT(ret_count)));
}

static enum api_error recover(struct store *store, int64_t id, int64_t now_ms)
{
    int64_t before;
    enum api_error error = count_recoveries(store, id, &before);

    if (error != API_OK)
        return error;
    int64_t more = before - JOB_RECOVERIES;
    int64_t delay_ms = more < 0 ? -1 : 1000 * ((int64_t)1 << (more < 3 ? more : 3));
    return give_back(store, id, NULL, false, now_ms, delay_ms, recovered);
}

enum api_error job_store_recover(struct store *store, int64_t now_ms, int64_t *ret_count)
{
    static const char text[] = "SELECT id FROM job WHERE state = 'leased' LIMIT 1";
    int64_t count = 0, id;
    enum api_error error;

    while ((error = sql_read(store, text, NULL, GET(TO_INT(&id)))) == API_OK) {
        error = recover(store, id, now_ms);
        if (error != API_OK)
            return error;
        count++;
    }
    if (error != API_NOT_FOUND)
        return error;
    *ret_count = count;
    return API_OK;
}
