/* What main.c needs of the webhooks. */
#ifndef RINKD_SERVICE_ROUTES_WEBHOOKS_H
#define RINKD_SERVICE_ROUTES_WEBHOOKS_H

#include "service/store/store.h"

/* In a transaction at the start: webhooks that were added without kinds hear of those that this
 * version brings, too. */
enum api_error webhooks_widen(struct store *store);

#endif
