/* The last N decisions at which actions were tried, with the value of each action: a best response
 * learns from all values of a decision at once. */
#ifndef RINKD_WORKERS_LEARN_MEMORY_TRIED_MEMORY_H
#define RINKD_WORKERS_LEARN_MEMORY_TRIED_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The estimated value of an action. */
struct told {
    int32_t action;
    float value;
};

struct tried_memory;

/* Makes a memory for `capacity` decisions with up to `most` actions each; `observation_size` is in
 * bytes. The caller frees it with tried_memory_free(). It uses memory only as it fills. NULL: no
 * memory. */
struct tried_memory *tried_memory_new(size_t capacity, size_t observation_size, int most);
void tried_memory_free(struct tried_memory *memory); /* NULL is fine */

/* Copies a decision in; replaces the oldest one if full. 0 < count <= most. */
void tried_memory_add(struct tried_memory *memory, const void *observation, const struct told *told,
                      int count);

size_t tried_memory_count(const struct tried_memory *memory);

/* Copies out decision 0 … count - 1, in no particular order, and returns its number of actions.
 * ret_told has room for `most`. */
int tried_memory_get(const struct tried_memory *memory, size_t index, void *ret_observation,
                     struct told *ret_told);

/* Write everything to a file, and read it into a memory with the same capacity and sizes, which
 * then behaves like the first. False: the file cannot be written or read, or does not match; after
 * a failed read the memory is empty. */
bool tried_memory_write(const struct tried_memory *memory, FILE *file);
bool tried_memory_read(struct tried_memory *memory, FILE *file);

#endif
