/* How many pilots are wanted. A pilot is a batch job that starts a node (workers/node), which does
 * tasks until there are none; it is never a job or a game of its own. Pure arithmetic. */
#ifndef RINKD_SERVICE_PLACEMENT_PILOTS_H
#define RINKD_SERVICE_PLACEMENT_PILOTS_H

#include <stdint.h>

/* What the operator allows. */
struct pilots_limits {
    int least, most; /* pilots, 0 <= least <= most */
    int cores;       /* of each, > 0 */
};

/* What there is. */
struct pilots_seen {
    int pending, running;  /* pilots in the queue, and on a machine */
    int64_t waiting_cores; /* of tasks that wait */
    int64_t busy_cores;    /* of tasks that pilots do */
};

/* Pilots that there should be: as many as all tasks can use. */
int pilots_wanted(const struct pilots_limits *limits, const struct pilots_seen *seen);

/* Pilots to submit or, if negative, pending ones to cancel. Running ones end by themselves when
 * they have nothing to do. */
int pilots_missing(const struct pilots_limits *limits, const struct pilots_seen *seen);

#endif
