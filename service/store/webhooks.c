/* Webhooks and their deliveries. */
#include "service/store/webhooks.h"

#include "service/store/sql.h"

#include <stdlib.h>
#include <string.h>

/* ---- webhooks ---- */

enum api_error webhook_store_add(struct store *store, const struct webhook_new *webhook,
                                 int64_t now_ms, int64_t *ret_id)
{
    static const char text[] =
        "INSERT INTO webhook (url, secret, states, kinds, about, waiting_max, created_ms, "
        "all_kinds)"
        " SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?9 WHERE (SELECT count(*) FROM webhook) < ?8"
        " RETURNING id";
    enum api_error error =
        sql_read(store, text,
                 PUT(TEXT(webhook->url), TEXT(webhook->secret), TEXT(webhook->states),
                     TEXT(webhook->kinds), TEXT(webhook->about), INT(WEBHOOK_WAITING_MAX),
                     INT(now_ms), INT(WEBHOOKS_MAX), INT(webhook->all_kinds)),
                 GET(TO_INT(ret_id)));
    return error == API_NOT_FOUND ? API_STATE : error;
}

enum api_error webhook_store_widen(struct store *store, const char *kinds)
{
    static const char text[] = "UPDATE webhook SET kinds = ?1 WHERE all_kinds = 1 AND kinds <> ?1";
    return sql_run(store, text, PUT(TEXT(kinds)));
}

enum api_error webhook_store_delete(struct store *store, int64_t id)
{
    static const char text[] = "DELETE FROM webhook WHERE id = ?1";
    return sql_change(store, text, PUT(INT(id)), API_NOT_FOUND);
}

#define WEBHOOK_COLUMNS \
    "id, url, states, kinds, about, waiting, dropped, created_ms AS created_at FROM webhook"
#define WEBHOOK_TYPES "isjjsiit"

enum api_error webhook_store_get(struct store *store, int64_t id, json_t **ret_webhook)
{
    static const char text[] = "SELECT " WEBHOOK_COLUMNS " WHERE id = ?1";
    return sql_read_object(store, text, PUT(INT(id)), WEBHOOK_TYPES, ret_webhook);
}

enum api_error webhook_store_list(struct store *store, struct store_page *page)
{
    static const char text[] =
        "SELECT id, " WEBHOOK_COLUMNS " WHERE id < ?1 ORDER BY id DESC LIMIT ?2";
    return sql_read_page(store, text, NULL, false, WEBHOOK_TYPES, page);
}

/* ---- deliveries ---- */

enum api_error delivery_store_add_test(struct store *store, int64_t webhook, int64_t now_ms,
                                       int64_t *ret_id)
{
    static const char exists[] = "SELECT 1 FROM webhook WHERE id = ?1";
    static const char text[] =
        "INSERT INTO delivery (webhook, message, type, next_ms, created_ms, updated_ms, body)"
        " SELECT id, 'msg_' || lower(hex(randomblob(16))), 'test', ?2, ?2, ?2,"
        "        json_object('type', 'test',"
        "          'timestamp', strftime('%Y-%m-%dT%H:%M:%fZ', ?2 / 1000.0, 'unixepoch'),"
        "          'data', json_object('webhook', id))"
        "   FROM webhook WHERE id = ?1 AND waiting < waiting_max"
        " RETURNING id";
    bool is_there;
    enum api_error error = sql_exists(store, exists, PUT(INT(webhook)), &is_there);

    if (error != API_OK || !is_there)
        return error != API_OK ? error : API_NOT_FOUND;
    error = sql_read(store, text, PUT(INT(webhook), INT(now_ms)), GET(TO_INT(ret_id)));
    return error == API_NOT_FOUND ? API_STATE : error;
}

#define DELIVERY_COLUMNS                                    \
    "id, message, type, job, state, tries, status, reason," \
    " created_ms AS created_at, updated_ms AS updated_at,"  \
    " CASE WHEN state = 'waiting' THEN next_ms END AS next_at FROM delivery"
#define DELIVERY_TYPES "issisiisttt"

enum api_error delivery_store_get(struct store *store, int64_t id, json_t **ret_delivery)
{
    static const char text[] = "SELECT " DELIVERY_COLUMNS " WHERE id = ?1";
    return sql_read_object(store, text, PUT(INT(id)), DELIVERY_TYPES, ret_delivery);
}

enum api_error delivery_store_list(struct store *store, int64_t webhook, struct store_page *page)
{
    static const char exists[] = "SELECT 1 FROM webhook WHERE id = ?1";
    static const char text[] =
        "SELECT id, " DELIVERY_COLUMNS " WHERE id < ?1 AND webhook = ?3 ORDER BY id DESC LIMIT ?2";
    bool is_there;
    enum api_error error = sql_exists(store, exists, PUT(INT(webhook)), &is_there);

    if (error != API_OK || !is_there)
        return error != API_OK ? error : API_NOT_FOUND;
    return sql_read_page(store, text, PUT(INT(webhook)), false, DELIVERY_TYPES, page);
}

/* ---- sending ---- */

void delivery_due_free(struct delivery_due *due)
{
    free(due->message);
    free(due->body);
    free(due->url);
    free(due->secret);
    *due = (struct delivery_due){.id = 0};
}

enum api_error webhook_store_waiting(struct store *store, int most, int64_t ret_ids[],
                                     int *ret_count)
{
    static const char text[] = "SELECT id FROM webhook WHERE waiting > 0 ORDER BY id LIMIT ?1";
    struct sql q = sql_start(store, text, PUT(INT(most)));

    *ret_count = 0;
    while (sql_row(&q))
        ret_ids[(*ret_count)++] = sql_get_int(&q);
    return sql_end(&q);
}

static bool is_among(int64_t id, const int64_t *ids, int count)
{
    for (int k = 0; k < count; k++)
        if (ids[k] == id)
            return true;
    return false;
}

static enum api_error find_due(struct store *store, int64_t webhook, int64_t now_ms,
                               const int64_t *in_flight, int in_flight_count, int64_t *ret_id)
{
    static const char text[] = "SELECT id FROM delivery WHERE webhook = ?1 AND state = 'waiting'"
                               " AND next_ms <= ?2 ORDER BY next_ms, id LIMIT ?3";
    struct sql q = sql_start(store, text, PUT(INT(webhook), INT(now_ms), INT(in_flight_count + 1)));

    *ret_id = 0;
    while (*ret_id == 0 && sql_row(&q)) {
        int64_t id = sql_get_int(&q);
        if (!is_among(id, in_flight, in_flight_count))
            *ret_id = id;
    }
    enum api_error error = sql_end(&q);
    return error == API_OK && *ret_id == 0 ? API_NOT_FOUND : error;
}

enum api_error delivery_store_next(struct store *store, int64_t webhook, int64_t now_ms,
                                   const int64_t *in_flight, int in_flight_count,
                                   struct delivery_due *ret_due)
{
    static const char text[] =
        "SELECT tries, delivery.created_ms, message, body, url, secret"
        "  FROM delivery JOIN webhook ON webhook.id = delivery.webhook WHERE delivery.id = ?1";
    struct delivery_due due = {.webhook = webhook};
    enum api_error error = find_due(store, webhook, now_ms, in_flight, in_flight_count, &due.id);

    if (error == API_OK)
        error = sql_read(store, text, PUT(INT(due.id)),
                         GET(TO_INT(&due.tries), TO_INT(&due.created_ms), TO_COPY(&due.message),
                             TO_COPY(&due.body), TO_COPY(&due.url), TO_COPY(&due.secret)));
    if (error == API_OK)
        *ret_due = due;
    return error;
}

/* Forgets the oldest ended deliveries of the webhook of a delivery. */
static enum api_error forget_old(struct store *store, int64_t id)
{
    static const char text[] =
        "DELETE FROM delivery WHERE id IN (SELECT id FROM delivery WHERE state <> 'waiting'"
        "     AND webhook = (SELECT webhook FROM delivery WHERE id = ?1)"
        "   ORDER BY updated_ms DESC, id DESC LIMIT -1 OFFSET ?2)";
    return sql_run(store, text, PUT(INT(id), INT(WEBHOOK_KEPT)));
}

enum api_error delivery_store_tried(struct store *store, const struct delivery_result *result,
                                    int64_t now_ms)
{
    static const char *const states[DELIVERY_STATES] = {[DELIVERY_WAITING] = "waiting",
                                                        [DELIVERY_DELIVERED] = "delivered",
                                                        [DELIVERY_FAILED] = "failed"};
    static const char text[] =
        "UPDATE delivery SET state = ?2, tries = tries + 1, updated_ms = ?3, next_ms = ?4,"
        "   status = nullif(?5, 0), reason = ?6"
        " WHERE id = ?1 AND state = 'waiting'";
    enum api_error error =
        sql_run(store, text,
                PUT(INT(result->id), TEXT(states[result->state]), INT(now_ms), INT(result->next_ms),
                    INT(result->status), TEXT(result->reason)));
    return error == API_OK && result->state != DELIVERY_WAITING ? forget_old(store, result->id)
                                                                : error;
}

enum api_error delivery_store_counts(struct store *store, struct delivery_counts *ret_counts)
{
    static const char text[] =
        "SELECT count(*), coalesce(sum(waiting), 0), coalesce(sum(dropped), 0),"
        "  (SELECT min(created_ms) FROM delivery WHERE state = 'waiting') FROM webhook";
    return sql_read(store, text, NULL,
                    GET(TO_INT(&ret_counts->webhooks), TO_INT(&ret_counts->waiting),
                        TO_INT(&ret_counts->dropped), TO_INT(&ret_counts->oldest_ms)));
}
