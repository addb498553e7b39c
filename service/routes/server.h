/* The parts of the daemon that routes use, put together by main.c. Only main.c and service/routes
 * include this; each part below gets what it needs when it starts. */
#ifndef RINKD_SERVICE_ROUTES_SERVER_H
#define RINKD_SERVICE_ROUTES_SERVER_H

#include "service/base/base.h"

#include <stdatomic.h>

struct deliveries;
struct estimates;
struct exports;
struct golden;
struct blob_shares;
struct node_claims;
struct players;
struct shots;
struct slurm;
struct supervisor;
struct upkeep;

struct server {
    struct base base;
    struct supervisor *supervisor;   /* service/jobs/supervisor.h; core thread */
    struct shots *shots;             /* service/shots/shots.h; core thread */
    struct estimates *estimates;     /* service/jobs/estimates.h; core thread */
    struct deliveries *deliveries;   /* service/webhooks/deliveries.h; core thread */
    const struct players *players;   /* service/models/players.h; set before HTTP starts */
    struct upkeep *upkeep;           /* service/upkeep/upkeep.h; any thread */
    struct exports *exports;         /* service/upkeep/exports.h; core thread */
    struct blob_shares *shares;      /* service/nodes/blob_shares.h; any thread */
    struct node_claims *node_claims; /* service/nodes/node_claims.h; core thread */
    struct golden *golden;           /* service/nodes/golden.h; core thread */
    struct slurm *slurm;             /* service/placement/slurm.h; NULL: none */
    atomic_bool draining;
};

#endif
