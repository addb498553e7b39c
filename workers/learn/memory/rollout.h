/* The decisions of a PPO seat, from games finished since it last learned. */
#ifndef RINKD_WORKERS_LEARN_MEMORY_ROLLOUT_H
#define RINKD_WORKERS_LEARN_MEMORY_ROLLOUT_H

#include "workers/learn/memory/room.h"

#include <stdint.h>
#include <stdio.h>

struct rollout_decision {
    float log_p; /* log probability of the action when it was taken */
    float advantage, value_target;
    int32_t action;
};

struct rollout {
    size_t capacity, observation_size, count;
    unsigned char *observations; /* [capacity][observation_size] */
    struct rollout_decision *decisions;
};

/* Makes a rollout for `capacity` decisions in a room, which is full on failure. */
struct rollout rollout_make(struct room *room, size_t capacity, size_t observation_size);

/* Copies a decision in; the rollout must not be full. */
void rollout_add(struct rollout *rollout, const void *observation,
                 const struct rollout_decision *decision);

/* Returns an observation, aligned for any type; the rollout owns it. */
const void *rollout_observation(const struct rollout *rollout, size_t index);

/* Scales the advantages to mean 0 and standard deviation 1, unless they are all equal. */
void rollout_normalise(struct rollout *rollout);

/* Write to a file, and read into a rollout of the same sizes. False: the file cannot be written or
 * read, or is broken, which includes actions outside 0 … `actions` - 1. */
bool rollout_write(const struct rollout *rollout, FILE *file);
bool rollout_read(struct rollout *rollout, int actions, FILE *file);

#endif
