/* The memory of the average policy: a uniform sample of fixed size from all (observation, action)
 * pairs ever offered (Vitter, "Random sampling with a reservoir", 1985, algorithm R). A pair takes
 * observation_size + 2 bytes. */
#ifndef RINKD_WORKERS_LEARN_MEMORY_RESERVOIR_H
#define RINKD_WORKERS_LEARN_MEMORY_RESERVOIR_H

#include "models/ice/random.h"

#include <stdbool.h>
#include <stdio.h>

enum reservoir_rule {
    RESERVOIR_SAMPLE, /* algorithm R */
    RESERVOIR_LATEST  /* the latest pairs: no average, an ablation */
};

struct reservoir;

/* Makes a reservoir; the caller frees it with reservoir_free(). Draws depend on the key and the
 * number of pairs offered so far. It uses memory only as it fills. NULL: no memory. */
struct reservoir *reservoir_new(enum reservoir_rule rule, size_t capacity, size_t observation_size,
                                const struct random_key *key);
void reservoir_free(struct reservoir *reservoir); /* NULL is fine */

void reservoir_offer(struct reservoir *reservoir, const void *observation, int action);

size_t reservoir_count(const struct reservoir *reservoir); /* pairs in it */

/* Copies the observation of pair 0 … count - 1 out and returns its action. */
int reservoir_get(const struct reservoir *reservoir, size_t index, void *ret_observation);

/* Like replay_write() and replay_read(). */
bool reservoir_write(const struct reservoir *reservoir, FILE *file);
bool reservoir_read(struct reservoir *reservoir, FILE *file);

#endif
