/* The last N transitions of a seat: its decision, the reward, the observation at a later
 * decision. */
#ifndef RINKD_WORKERS_LEARN_MEMORY_REPLAY_H
#define RINKD_WORKERS_LEARN_MEMORY_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct transition {
    const void *observation;
    int action;
    float reward;     /* from this decision to the later one */
    const void *next; /* observation at the later decision; NULL: the game ended before */
};

struct replay;

/* Makes a memory for `capacity` transitions; `observation_size` is in bytes. The caller frees it
 * with replay_free(). It uses memory only as it fills. NULL: no memory. */
struct replay *replay_new(size_t capacity, size_t observation_size);
void replay_free(struct replay *replay); /* NULL is fine */

/* Copies a transition in; replaces the oldest one if full. */
void replay_add(struct replay *replay, const struct transition *transition);

size_t replay_count(const struct replay *replay);

/* Returns transition 0 … count - 1, in no particular order. Copies its observations to
 * ret_observation and ret_next, which its pointers then point to. */
struct transition replay_get(const struct replay *replay, size_t index, void *ret_observation,
                             void *ret_next);

/* Write everything to a file, and read it into a replay with the same capacity and sizes, which
 * then behaves like the first. False: the file cannot be written or read, or does not match; after
 * a failed read the replay is empty. */
bool replay_write(const struct replay *replay, FILE *file);
bool replay_read(struct replay *replay, FILE *file);

#endif
