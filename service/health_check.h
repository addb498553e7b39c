/* The other side of GET /healthz, for containers: they have no program to ask with but rinkd. */
#ifndef RINKD_SERVICE_HEALTH_CHECK_H
#define RINKD_SERVICE_HEALTH_CHECK_H

#include "service/base/config.h"

#include <stdbool.h>

/* Asks the rinkd that listens at the address and port of these settings (on this machine, where the
 * address is that of all interfaces) for /healthz. True, and a word on stdout: it answered 200
 * within 3 seconds. False: it did not; why is on stderr. */
bool health_check(const struct config *config);

#endif
