/* Networks of a run: making, writing and reading them, and checking their steps. */
#ifndef RINKD_WORKERS_LEARN_ALGORITHMS_RUN_NETWORKS_H
#define RINKD_WORKERS_LEARN_ALGORITHMS_RUN_NETWORKS_H

#include "workers/learn/algorithms/learner.h"

/* Network number `number` of a run on this game; runs of another seed begin with other weights.
 * The caller gives it to net_free(). False and a sentence. */
bool run_network_new(const struct learner_game *game, const struct learner_common *common,
                     int number, int outputs, struct net **ret_net,
                     char ret_error[LEARNER_ERROR_MAX]);

/* With the optimiser's state. False: no memory, or the file cannot be written or read, or has a
 * network of another kind there. */
bool run_network_write(const struct net *net, FILE *file);
bool run_network_read(struct net *net, FILE *file);

/* SHA-256 of the weights of all policies of a run, 64 hexadecimal digits and 0. */
void run_weights_sha256(const struct learner *learner, char ret_hex[65]);

/* Whether a call for a network went well: false and a sentence that names it where not. */
bool run_network_is_good(enum net_status status, const char *network,
                         char ret_error[LEARNER_ERROR_MAX]);

/* Whether a step of learning went well: false and a sentence that names the network where the
 * status is not NET_OK or the loss, unless a call has failed, infinite or not a number. A loss may
 * be finite where its gradient is not (NET_NOT_FINITE): it then becomes NAN, for
 * learner_has_diverged() looks at losses. */
bool run_step_is_good(enum net_status status, double *loss, const char *network,
                      char ret_error[LEARNER_ERROR_MAX]);

#endif
