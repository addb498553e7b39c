/* The parts of the daemon, as main.c puts them together; every part may reach the others by it. */
#ifndef RINKD_SERVICE_SERVER_H
#define RINKD_SERVICE_SERVER_H

#include <stdatomic.h>

struct config;
struct core;
struct estimates;
struct events;
struct http;
struct metrics;
struct players;
struct shots;
struct supervisor;

struct server {
    const struct config *config;
    struct metrics *metrics; /* service/base/metrics.h: counters for Prometheus; any thread */
    struct events *events;   /* service/base/events.h: topics that clients listen to; any thread */
    struct core *core;       /* service/base/core.h: the writer and its queue; any thread */
    struct supervisor
        *supervisor;     /* service/jobs/supervisor.h: workers and their jobs; core thread */
    struct shots *shots; /* service/shots/shots.h: warm workers for queries; core thread */
    struct estimates *estimates; /* service/jobs/estimates.h: of trainings; core thread */
    const struct players
        *players; /* service/models/players.h: what can play; set once before HTTP starts */
    struct http *http;
    atomic_bool draining;
    atomic_bool is_backing_up; /* any thread: who set it clears it */
};

#endif
