/* Sends the waiting deliveries of webhooks (service/store/webhooks.h) through a child, rink-post.
 * Core thread only.
 *
 * A delivery is tried again after 5 s, 10 s … an hour, up to DELIVERY_TRIES times in DELIVERY_DAYS
 * days. A webhook that answers 5xx, 429 or nothing rests for 5 s … a minute, so that many waiting
 * deliveries do not all try it. Deliveries of one webhook may arrive in another order than that of
 * their jobs. A message under way when the daemon or rink-post ends is sent again with the same
 * webhook-id. */
#ifndef RINKD_SERVICE_WEBHOOKS_DELIVERIES_H
#define RINKD_SERVICE_WEBHOOKS_DELIVERIES_H

#include "api/base/error.h"

#include <stdint.h>

struct base;
struct deliveries;

enum {
    DELIVERY_TRIES = 80,
    DELIVERY_DAYS = 3,
    DELIVERY_WAIT_S = 5, /* after the first try; doubled each time */
    DELIVERY_WAIT_MOST_S = 3600,
    DELIVERIES_PER_WEBHOOK = 2 /* in flight at a time */
};

/* Seconds until a delivery is tried again after so many tries, at least 1. */
int64_t delivery_wait_s(int64_t tries);

enum api_error deliveries_start(const struct base *base, struct deliveries **ret_deliveries);

/* Sends what is due now; it is also looked for once a second. */
void deliveries_wake(struct deliveries *deliveries);

/* Ends rink-post, writes down what has ended, calls `stopped` and frees. */
void deliveries_stop(struct deliveries *deliveries, void (*stopped)(void *context), void *context);

#endif
