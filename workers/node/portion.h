/* How many bytes go into one request. A network that cuts connections lets short ones through, so
 * each cut makes the next portion smaller, and each answer makes it larger. */
#ifndef RINKD_WORKERS_NODE_PORTION_H
#define RINKD_WORKERS_NODE_PORTION_H

#include <stdint.h>

struct portion {
    int64_t least, most; /* that is tried */
    int64_t now;         /* of the next request; begins at the most */
};

static inline void portion_was_cut(struct portion *portion)
{
    portion->now = portion->now > 4 * portion->least ? portion->now / 4 : portion->least;
}

static inline void portion_was_answered(struct portion *portion)
{
    portion->now = portion->now < portion->most / 2 ? 2 * portion->now : portion->most;
}

#endif
