/* The parts of the daemon that routes use, put together by main.c. Only main.c and service/routes
 * include this; each part below gets what it needs when it starts. */
#ifndef RINKD_SERVICE_ROUTES_SERVER_H
#define RINKD_SERVICE_ROUTES_SERVER_H

#include "service/base/base.h"

#include <stdatomic.h>

struct estimates;
struct players;
struct shots;
struct supervisor;

struct server {
    struct base base;
    struct supervisor *supervisor; /* service/jobs/supervisor.h; core thread */
    struct shots *shots;           /* service/shots/shots.h; core thread */
    struct estimates *estimates;   /* service/jobs/estimates.h; core thread */
    const struct players *players; /* service/models/players.h; set before HTTP starts */
    atomic_bool draining;
    atomic_bool is_backing_up; /* any thread; the one that sets it clears it */
};

#endif
