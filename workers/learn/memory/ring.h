/* The last N records of one size; replay and tried_memory are made of it. */
#ifndef RINKD_WORKERS_LEARN_MEMORY_RING_H
#define RINKD_WORKERS_LEARN_MEMORY_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct ring {
    size_t record_size;             /* bytes */
    uint64_t capacity, count, next; /* next: the place of the next record */
    unsigned char *records;
};

/* Makes an empty ring, for ring_clear(). Memory is used as it fills. False: no memory. */
bool ring_make(struct ring *ring, size_t capacity, size_t record_size);
void ring_clear(struct ring *ring); /* a zeroed one is fine */

/* The place of a new record, the oldest one's if the ring is full, for the caller to fill. */
unsigned char *ring_add(struct ring *ring);

/* Record 0 … count - 1, in no useful order. */
const unsigned char *ring_at(const struct ring *ring, size_t index);

/* Everything to a file, and back into a ring with the same capacity and size, which then goes on as
 * the other would have. False: the file cannot be written or read, or is not of such a ring; it is
 * then empty. */
bool ring_write(const struct ring *ring, FILE *file);
bool ring_read(struct ring *ring, FILE *file);

#endif
