/* The last N decisions at which actions were tried, with the value of each: a best response learns
 * from all values of a decision at once. */
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

/* Room for `capacity` decisions with up to `most` actions each and observations of so many bytes;
 * the caller gives it to tried_memory_free(). Memory is used as it fills. NULL: no memory. */
struct tried_memory *tried_memory_new(size_t capacity, size_t observation_size, int most);
void tried_memory_free(struct tried_memory *memory); /* NULL is fine */

/* Copies a decision in, over the oldest one if it is full. 0 < count <= most. */
void tried_memory_add(struct tried_memory *memory, const void *observation, const struct told *told,
                      int count);

size_t tried_memory_count(const struct tried_memory *memory);

/* Decision 0 … count - 1, in no useful order: copies it out and returns how many actions it has.
 * ret_told has room for `most`. */
int tried_memory_get(const struct tried_memory *memory, size_t index, void *ret_observation,
                     struct told *ret_told);

/* Everything to a file, and back into a memory with the same capacity and sizes, which then
 * behaves as the other would. False: the file cannot be written or read, or is not of such a
 * memory; it is then empty. */
bool tried_memory_write(const struct tried_memory *memory, FILE *file);
bool tried_memory_read(struct tried_memory *memory, FILE *file);

#endif
