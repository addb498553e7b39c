/* Shared by all parts of the daemon: settings, counters, events and the core thread. main.c fills
 * it in before the first part starts; it outlives them all. */
#ifndef RINKD_SERVICE_BASE_BASE_H
#define RINKD_SERVICE_BASE_BASE_H

struct callers;
struct config;
struct core;
struct disk;
struct events;
struct metrics;

struct base {
    const struct config *config;
    struct callers *callers; /* service/base/callers.h; any thread */
    struct metrics *metrics; /* service/base/metrics.h; any thread */
    struct events *events;   /* service/base/events.h; any thread */
    struct core *core;       /* service/base/core.h; any thread */
    struct disk *disk;       /* service/base/disk.h; NULL in tests without one */
};

#endif
