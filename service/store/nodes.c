/* Nodes and their tries. See nodes.h. */
#include "service/store/nodes.h"

#include "api/jobs/wire.h"
#include "service/store/sql.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const state_names[] = {
#define X(name, text) text,
    NODE_STATES(X)
#undef X
        NULL};

const char *node_state_name(enum node_state state)
{
    return state_names[state];
}

/* ---- registering ---- */

enum api_error node_store_register(struct store *store, const struct node_new *node, int64_t now_ms,
                                   char ret_session[NODE_SESSION_MAX])
{
    static const char text[] =
        "INSERT INTO node (name, owner, session, state, cores, memory_bytes, gpu, kinds, refused,"
        "                  versions, shots_per_s, place, since_ms, last_seen_ms)"
        " VALUES (?1, ?2, lower(hex(randomblob(16))), 'active', ?3, nullif(?4, 0), ?5, ?6, ?7, ?8,"
        "         ?9, ?10, ?11, ?11)"
        " ON CONFLICT (name) DO UPDATE"
        "    SET session = excluded.session, cores = excluded.cores,"
        "        state = iif(state IN ('suspended', 'paused'), state, 'active'),"
        "        memory_bytes = excluded.memory_bytes, gpu = excluded.gpu, kinds = excluded.kinds,"
        "        refused = excluded.refused, versions = excluded.versions,"
        "        shots_per_s = excluded.shots_per_s, place = excluded.place,"
        "        since_ms = excluded.since_ms, last_seen_ms = excluded.last_seen_ms"
        "  WHERE owner = excluded.owner"
        " RETURNING session";
    enum api_error error =
        sql_read(store, text,
                 PUT(TEXT(node->name), TEXT(node->owner), INT(node->cores), INT(node->memory_bytes),
                     TEXT(node->gpu), TEXT(node->kinds), TEXT(node->refused), TEXT(node->versions),
                     REAL(node->shots_per_s), TEXT(node->place), INT(now_ms)),
                 GET(TO_TEXT(NODE_SESSION_MAX, ret_session)));

    if (error == API_NOT_FOUND)
        return API_EXISTS;
    return error == API_OK ? task_store_abandon(store, node->name, now_ms) : error;
}

enum api_error node_store_find(struct store *store, const char *name, struct node_row *ret_node)
{
    static const char text[] =
        "SELECT name, owner, session, state, cores, last_seen_ms,"
        "       coalesce(json_extract(versions, '$.protocol'), 0), kinds, reason"
        "  FROM node WHERE name = ?1";
    char state[16];
    enum api_error error = sql_read(
        store, text, PUT(TEXT(name)),
        GET(TO_TEXT(sizeof ret_node->name, ret_node->name),
            TO_TEXT(sizeof ret_node->owner, ret_node->owner),
            TO_TEXT(sizeof ret_node->session, ret_node->session), TO_TEXT(sizeof state, state),
            TO_INT(&ret_node->cores), TO_INT(&ret_node->last_seen_ms), TO_INT(&ret_node->protocol),
            TO_COPY(&ret_node->kinds), TO_COPY(&ret_node->reason)));

    if (error != API_OK)
        return error;
    int k = 0;
    while (k < NODE_STATE_COUNT && strcmp(state_names[k], state) != 0)
        k++;
    ret_node->state = (enum node_state)k;
    return API_OK;
}

void node_row_free(struct node_row *node)
{
    free(node->kinds);
    free(node->reason);
    node->kinds = node->reason = NULL;
}

bool node_speaks(int64_t protocol, char ret_why[NODE_WHY_MAX])
{
    snprintf(ret_why, NODE_WHY_MAX,
             "the node speaks protocol %lld, this service %d; install the same version",
             (long long)protocol, WIRE_PROTOCOL);
    return protocol == WIRE_PROTOCOL;
}

enum api_error node_store_seen(struct store *store, const char *name, int64_t now_ms)
{
    static const char text[] = "UPDATE node SET last_seen_ms = ?2 WHERE name = ?1";
    return sql_run(store, text, PUT(TEXT(name), INT(now_ms)));
}

/* ---- moves ---- */

enum api_error node_store_leave(struct store *store, const char *name, int64_t now_ms)
{
    static const char text[] =
        "UPDATE node SET state = iif(state = 'suspended', state, 'left'), last_seen_ms = ?2"
        " WHERE name = ?1";
    enum api_error error = sql_change(store, text, PUT(TEXT(name), INT(now_ms)), API_NOT_FOUND);
    return error == API_OK ? task_store_abandon(store, name, now_ms) : error;
}

static enum api_error exists(struct store *store, const char *name)
{
    static const char text[] = "SELECT 1 FROM node WHERE name = ?1";
    bool is_there;
    enum api_error error = sql_exists(store, text, PUT(TEXT(name)), &is_there);

    return error == API_OK && !is_there ? API_NOT_FOUND : error;
}

enum api_error node_store_ask(struct store *store, const char *name, enum node_wish wish)
{
    static const char pause[] =
        "UPDATE node SET state = 'paused' WHERE name = ?1 AND state IN ('active', 'paused')";
    static const char resume[] =
        "UPDATE node SET state = 'active', reason = NULL"
        " WHERE name = ?1 AND state IN ('active', 'paused', 'draining', 'suspended')";
    static const char drain[] = "UPDATE node SET state = 'draining'"
                                " WHERE name = ?1 AND state IN ('active', 'paused', 'draining')";
    enum api_error error = exists(store, name);

    if (error != API_OK)
        return error;
    switch (wish) {
    case NODE_PAUSE:
        return sql_change(store, pause, PUT(TEXT(name)), API_STATE);
    case NODE_RESUME:
        return sql_change(store, resume, PUT(TEXT(name)), API_STATE);
    case NODE_DRAIN:
        return sql_change(store, drain, PUT(TEXT(name)), API_STATE);
    }
    return API_INTERNAL;
}

enum api_error node_store_suspend(struct store *store, const char *name, const char *reason,
                                  int64_t now_ms)
{
    static const char text[] = "UPDATE node SET state = 'suspended', reason = ?2 WHERE name = ?1";
    enum api_error error = sql_change(store, text, PUT(TEXT(name), TEXT(reason)), API_NOT_FOUND);
    return error == API_OK ? task_store_abandon(store, name, now_ms) : error;
}

enum api_error node_store_forget(struct store *store, const char *name, int64_t now_ms)
{
    static const char text[] = "DELETE FROM node WHERE name = ?1";
    enum api_error error = sql_change(store, text, PUT(TEXT(name)), API_NOT_FOUND);

    return error == API_OK ? task_store_abandon(store, name, now_ms) : error;
}

/* ---- reading ---- */

#define DOING                                                                        \
    "(SELECT json_group_array(json_object('job', t.job, 'number', t.number, 'kind'," \
    "        j.kind, 'cores', t.cores, 'since',"                                     \
    "        strftime('%Y-%m-%dT%H:%M:%fZ', t.started_ms / 1000.0, 'unixepoch')))"   \
    "   FROM task_try t JOIN job j ON j.id = t.job"                                  \
    "  WHERE t.node = n.name AND t.state = 'leased')"
#define COLUMNS(now)                                                                        \
    "n.name, n.state, n.reason, nullif(n.owner, '') AS owner, n.cores, n.memory_bytes,"     \
    " n.gpu, n.kinds, n.refused, n.versions, n.shots_per_s, n.place,"                       \
    " n.since_ms AS since, n.last_seen_ms AS last_seen,"                                    \
    " json(iif(n.state = 'left' OR n.last_seen_ms < " now ", 'true', 'false')) AS is_away," \
    " n.last_error, n.done, n.failed, n.lost, n.busy_s, " DOING " AS doing FROM node n"
#define TYPES "ssssiisjjjrsttjsiiirj"

enum api_error node_store_get(struct store *store, const char *name, int64_t now_ms,
                              json_t **ret_node)
{
    static const char text[] = "SELECT " COLUMNS("?2") " WHERE n.name = ?1";
    return sql_read_object(store, text, PUT(TEXT(name), INT(now_ms - NODE_AWAY_MS)), TYPES,
                           ret_node);
}

enum api_error node_store_list(struct store *store, int64_t now_ms, struct store_page *page)
{
    static const char text[] =
        "SELECT n.name, " COLUMNS("?3") " WHERE n.name > ?1 ORDER BY n.name LIMIT ?2";
    return sql_read_page(store, text, PUT(INT(now_ms - NODE_AWAY_MS)), true, TYPES, page);
}

enum api_error node_store_counts(struct store *store, int64_t now_ms,
                                 int64_t ret_counts[NODE_STATE_COUNT], int64_t *ret_cores)
{
    static const char text[] = "SELECT state, count(*), sum(cores) FROM node"
                               " WHERE last_seen_ms >= ?1 OR state = 'suspended' GROUP BY state";
    struct sql q = sql_start(store, text, PUT(INT(now_ms - NODE_AWAY_MS)));

    memset(ret_counts, 0, NODE_STATE_COUNT * sizeof *ret_counts);
    *ret_cores = 0;
    while (sql_row(&q)) {
        const char *state = sql_get_text(&q);
        int k = 0;
        while (k < NODE_STATE_COUNT && strcmp(state_names[k], state) != 0)
            k++;
        int64_t count = sql_get_int(&q), cores = sql_get_int(&q);
        if (k < NODE_STATE_COUNT)
            ret_counts[k] = count;
        if (k == NODE_ACTIVE)
            *ret_cores = cores;
    }
    return sql_end(&q);
}

/* ---- tries ---- */

enum api_error node_store_try(struct store *store, const struct task_holder *holder,
                              struct node_try *ret_try)
{
    static const char text[] =
        "SELECT t.job, t.number, t.lines, t.cores, t.state = 'leased', t.node, j.kind,"
        "       coalesce(j.wanted, ''), t.path, t.sha256, t.said IS NOT NULL, t.said"
        "  FROM task_try t JOIN job j ON j.id = t.job"
        " WHERE t.job = ?1 AND t.number = ?2 AND t.token = ?3";
    int64_t is_leased, is_known;
    enum api_error error =
        sql_read(store, text, PUT(INT(holder->job), INT(holder->number), TEXT(holder->token)),
                 GET(TO_INT(&ret_try->job), TO_INT(&ret_try->number), TO_INT(&ret_try->lines),
                     TO_INT(&ret_try->cores), TO_INT(&is_leased),
                     TO_TEXT(sizeof ret_try->node, ret_try->node),
                     TO_TEXT(sizeof ret_try->kind, ret_try->kind),
                     TO_TEXT(sizeof ret_try->wanted, ret_try->wanted),
                     TO_TEXT(sizeof ret_try->path, ret_try->path),
                     TO_TEXT(sizeof ret_try->sha256, ret_try->sha256), TO_INT(&is_known),
                     TO_TEXT(sizeof ret_try->said, ret_try->said)));
    if (error == API_OK) {
        ret_try->is_leased = is_leased != 0;
        ret_try->is_said_known = is_known != 0;
    }
    return error;
}

enum api_error node_store_lines(struct store *store, const struct task_holder *holder,
                                int64_t lines, const char *said)
{
    static const char text[] = "UPDATE task_try SET lines = ?4, said = ?5"
                               " WHERE job = ?1 AND number = ?2 AND token = ?3 AND lines <= ?4";
    return sql_change(
        store, text,
        PUT(INT(holder->job), INT(holder->number), TEXT(holder->token), INT(lines), TEXT(said)),
        API_LEASE_LOST);
}

enum api_error node_store_said(struct store *store, const struct task_holder *holder,
                               const char *said)
{
    static const char text[] = "UPDATE task SET said = ?3 WHERE job = ?1 AND number = ?2";
    return sql_run(store, text, PUT(INT(holder->job), INT(holder->number), TEXT(said)));
}

static bool has_text(const json_t *list, const char *text)
{
    const json_t *element;
    size_t k;

    json_array_foreach(list, k, element)
    {
        const char *own = json_string_value(element);
        if (own && strcmp(own, text) == 0)
            return true;
    }
    return false;
}

enum api_error node_store_keep(struct store *store, const char *node, const json_t *tokens,
                               int64_t now_ms, int *ret_released)
{
    static const char text[] =
        "SELECT job, number, token FROM task_try WHERE node = ?1 AND state = 'leased'";
    json_t *tries;
    const json_t *row;
    size_t k;
    enum api_error error = sql_read_list(store, text, PUT(TEXT(node)), "iis", &tries);

    *ret_released = 0;
    if (error != API_OK)
        return error;
    json_array_foreach(tries, k, row)
    {
        const struct task_holder holder = {json_integer_value(json_object_get(row, "job")),
                                           json_integer_value(json_object_get(row, "number")),
                                           json_string_value(json_object_get(row, "token"))};
        if (error == API_OK && !has_text(tokens, holder.token)) {
            error = task_store_release(store, &holder, now_ms);
            (*ret_released)++;
        }
    }
    json_decref(tries);
    return error;
}
