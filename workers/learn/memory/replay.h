/* The last N transitions of a seat: own decision, what came of it, a later own decision. */
#ifndef RINKD_WORKERS_LEARN_MEMORY_REPLAY_H
#define RINKD_WORKERS_LEARN_MEMORY_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct transition {
    const void *observation;
    int action;
    float reward;     /* from this decision to that one */
    const void *next; /* observation at that one, NULL: the game was over before */
};

struct replay;

/* Room for `capacity` transitions of observations of so many bytes; the caller gives it to
 * replay_free(). Memory is used as it fills. NULL: no memory. */
struct replay *replay_new(size_t capacity, size_t observation_size);
void replay_free(struct replay *replay); /* NULL is fine */

/* Copies a transition in, over the oldest one if it is full. */
void replay_add(struct replay *replay, const struct transition *transition);

size_t replay_count(const struct replay *replay);

/* Transition 0 … count - 1, in no useful order. Its observations are copied to the two places
 * given, to which its pointers then point. */
struct transition replay_get(const struct replay *replay, size_t index, void *ret_observation,
                             void *ret_next);

/* Everything to a file, and back into a replay with the same capacity and sizes, which then
 * behaves as the other would. False: the file cannot be written or read, or is not of such a
 * replay; it is then empty. */
bool replay_write(const struct replay *replay, FILE *file);
bool replay_read(struct replay *replay, FILE *file);

#endif
