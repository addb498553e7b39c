/* Webhooks and their deliveries. A trigger of the schema adds a delivery for each webhook that
 * wants to hear of the end of a job, in the transaction that ends it. */
#ifndef RINKD_SERVICE_STORE_WEBHOOKS_H
#define RINKD_SERVICE_STORE_WEBHOOKS_H

#include "service/store/store.h"

enum {
    WEBHOOKS_MAX = 32,           /* each has its own place among the deliveries in flight */
    WEBHOOK_URL_MAX = 2000,      /* bytes */
    WEBHOOK_WAITING_MAX = 10000, /* deliveries of a webhook that wait; more are dropped */
    WEBHOOK_KEPT = 100           /* ended deliveries of a webhook that are kept */
};

struct webhook_new {
    const char *url, *secret;
    const char *states, *kinds; /* JSON arrays */
    bool all_kinds;             /* also those of later versions: see webhook_store_widen() */
    const char *about;
};
/* API_STATE: there are WEBHOOKS_MAX. */
enum api_error webhook_store_add(struct store *store, const struct webhook_new *webhook,
                                 int64_t now_ms, int64_t *ret_id);
/* At the start: webhooks for all kinds get these, a JSON array. */
enum api_error webhook_store_widen(struct store *store, const char *kinds);
/* Deletes a webhook with its deliveries. */
enum api_error webhook_store_delete(struct store *store, int64_t id);
/* {"id","url","states":[…],"kinds":[…],"about","waiting","dropped","created_at"}, without the
 * secret. */
enum api_error webhook_store_get(struct store *store, int64_t id, json_t **ret_webhook);
enum api_error webhook_store_list(struct store *store, struct store_page *page);

/* Adds a delivery of type "test", sent like any other. API_STATE: the webhook has no room for it.
 */
enum api_error delivery_store_add_test(struct store *store, int64_t webhook, int64_t now_ms,
                                       int64_t *ret_id);
/* {"id","message","type","job":7|null,"state","tries","status":200|null,"reason":null|"text",
 *  "created_at","updated_at","next_at":null|"…"} */
enum api_error delivery_store_get(struct store *store, int64_t id, json_t **ret_delivery);
/* The deliveries of a webhook, newest first. API_NOT_FOUND: no such webhook. */
enum api_error delivery_store_list(struct store *store, int64_t webhook, struct store_page *page);

/* --- sending --- */

/* A delivery that is due; free the texts with delivery_due_free(). */
struct delivery_due {
    int64_t id, webhook, tries, created_ms;
    char *message, *body, *url, *secret;
};
void delivery_due_free(struct delivery_due *due);

/* Up to `most` webhooks with waiting deliveries, by id. */
enum api_error webhook_store_waiting(struct store *store, int most, int64_t ret_ids[],
                                     int *ret_count);
/* The delivery of a webhook that is due first, except those that are in flight. API_NOT_FOUND: none
 * is due. */
enum api_error delivery_store_next(struct store *store, int64_t webhook, int64_t now_ms,
                                   const int64_t *in_flight, int in_flight_count,
                                   struct delivery_due *ret_due);

enum delivery_state { DELIVERY_WAITING, DELIVERY_DELIVERED, DELIVERY_FAILED, DELIVERY_STATES };
struct delivery_result {
    int64_t id;
    enum delivery_state state;
    int64_t next_ms;    /* DELIVERY_WAITING: not tried before */
    int status;         /* of HTTP; 0: no answer */
    const char *reason; /* NULL: none */
};
/* Records a try. Of the ended deliveries of its webhook the last WEBHOOK_KEPT stay. API_OK also if
 * the delivery is gone with its webhook. */
enum api_error delivery_store_tried(struct store *store, const struct delivery_result *result,
                                    int64_t now_ms);

/* For metrics: deliveries that wait, the time of the oldest (0: none waits), and ends of jobs that
 * were dropped, of all webhooks. */
struct delivery_counts {
    int64_t webhooks, waiting, oldest_ms, dropped;
};
enum api_error delivery_store_counts(struct store *store, struct delivery_counts *ret_counts);

#endif
