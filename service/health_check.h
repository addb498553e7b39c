/* Requests GET /healthz, for containers that have no other client. */
#ifndef RINKD_SERVICE_HEALTH_CHECK_H
#define RINKD_SERVICE_HEALTH_CHECK_H

#include "service/base/config.h"

#include <stdbool.h>

/* Asks the rinkd at the address and port of these settings (on this machine if the address means
 * all interfaces). True: it answered 200 within 3 seconds; it prints that. False: stderr
 * says why. */
bool health_check(const struct config *config);

#endif
