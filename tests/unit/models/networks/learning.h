/* Checks for every small network in plain C: numbers to learn from, and learning that resumes from
 * a file with the same bits. */
#ifndef RINKD_TESTS_UNIT_MODELS_NETWORKS_LEARNING_H
#define RINKD_TESTS_UNIT_MODELS_NETWORKS_LEARNING_H

#include "models/networks/net.h"

#include <stddef.h>
#include <stdint.h>

/* Returns a new network of the spec; fails the test on error. Free it with net_free(). */
struct net *learning_net(const struct net_spec *spec);
/* Fills with pseudo-random numbers in -1..1, the same everywhere; every third is 0. */
void learning_fill(float *numbers, size_t count, uint32_t state);
/* For each rule: 20 updates, then copies by file, by copying and by weights alone, and 20 updates
 * more. Copies with the whole state end like the network itself, whose hash is golden[rule]; one
 * with weights alone does so only if the rule keeps no state. */
void learning_goes_on(const struct net_spec *spec, int batch, const char *const golden[]);

#endif
