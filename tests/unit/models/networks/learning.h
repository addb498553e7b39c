/* What every small network in plain C has to keep: numbers to learn from, and learning that goes on
 * from a file to the same bits. */
#ifndef RINKD_TESTS_UNIT_MODELS_NETWORKS_LEARNING_H
#define RINKD_TESTS_UNIT_MODELS_NETWORKS_LEARNING_H

#include "models/networks/net.h"

#include <stddef.h>
#include <stdint.h>

/* A new network of the spec; fails the test where there is none. The caller's, net_free(). */
struct net *learning_net(const struct net_spec *spec);
/* Numbers in -1..1 that look random and are the same everywhere; every third is 0. */
void learning_fill(float *numbers, size_t count, uint32_t state);
/* By each rule: 20 updates, a file, a copy and the weights alone, and 20 updates more. All that
 * have the whole state end as the network itself, whose hash is golden[rule]; its weights alone do
 * only where the rule gathers nothing. */
void learning_goes_on(const struct net_spec *spec, int batch, const char *const golden[]);

#endif
