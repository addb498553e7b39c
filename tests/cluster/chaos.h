/* Three nodes behind a bad network, and blows: nodes and the daemon are killed, nodes are stopped
 * for longer than their lease. */
#ifndef RINKD_TESTS_CLUSTER_CHAOS_H
#define RINKD_TESTS_CLUSTER_CHAOS_H

#include "tests/cluster/cluster.h"

enum { CHAOS_NODES = 3 };

struct chaos {
    const char *const *flags; /* of the daemon */
    int lease_ms;             /* the same as its --node-lease-ms */
    int kills_max, daemon_kills_max;
    struct daemon_process daemon; /* prepared by the caller */

    struct cluster_proxy proxy;
    struct cluster_node nodes[CHAOS_NODES];
    int kills, daemon_kills, stops;
    uint64_t dice;
};

/* What the command line of a test says. */
struct chaos_options {
    int kills, daemon_kills;
    int size; /* of the work, as the test means it */
    uint64_t seed;
};
/* Reads --kills N --daemon-kills N --seed N and the size, whose option has the name `size`; others
 * end the test. */
void chaos_read_options(int argc, char **argv, const char *size, struct chaos_options *options);

/* Starts the daemon, the network, of which `badness` percent of the pieces are cut, and the nodes.
 */
void chaos_start(struct chaos *chaos, int badness, uint64_t seed);
/* Whether some blows are left. */
bool chaos_goes_on(const struct chaos *chaos);
/* Waits for a moment, then strikes if a blow is left. */
void chaos_strike(struct chaos *chaos);
/* Ends the nodes and the network, prints what happened, and ends the daemon, which has to exit with
 * 0. */
void chaos_end(struct chaos *chaos, const char *what);

#endif
