/* Networks of a run: making, writing and reading them, and checking their steps. */
#ifndef RINKD_WORKERS_LEARN_ALGORITHMS_RUN_NETWORKS_H
#define RINKD_WORKERS_LEARN_ALGORITHMS_RUN_NETWORKS_H

#include "workers/learn/algorithms/learner.h"

/* Makes network number `number` of a run on this game, with weights from the run's seed. The caller
 * frees it with net_free(). False and a sentence on failure. */
bool run_network_new(const struct learner_game *game, const struct learner_common *common,
                     int number, int outputs, struct net **ret_net,
                     char ret_error[LEARNER_ERROR_MAX]);

/* Writes or reads a network with its optimiser's state. False: no memory, the file cannot be
 * written or read, or it has another kind of network at this place. */
bool run_network_write(const struct net *net, FILE *file);
bool run_network_read(struct net *net, FILE *file);

/* Computes the SHA-256 of the weights of all of a run's policies: 64 hexadecimal digits and 0. */
void run_weights_sha256(const struct learner *learner, char ret_hex[65]);

/* Whether a call for a network succeeded; if not, a sentence that names the network. */
bool run_network_is_good(enum net_status status, const char *network,
                         char ret_error[LEARNER_ERROR_MAX]);

/* Whether a step of learning succeeded. False and a sentence that names the network if the status
 * is not NET_OK, or the loss is infinite or not a number. If only the gradient is not finite
 * (NET_NOT_FINITE), sets the loss to NAN, because learner_has_diverged() checks losses. */
bool run_step_is_good(enum net_status status, double *loss, const char *network,
                      char ret_error[LEARNER_ERROR_MAX]);

#endif
