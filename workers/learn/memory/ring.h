/* The last N records of one size; the basis of replay and tried_memory. */
#ifndef RINKD_WORKERS_LEARN_MEMORY_RING_H
#define RINKD_WORKERS_LEARN_MEMORY_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct ring {
    size_t record_size;             /* bytes */
    uint64_t capacity, count, next; /* next: index for the next record */
    unsigned char *records;
};

/* Makes an empty ring, for ring_clear(). It uses memory only as it fills. False: no memory. */
bool ring_make(struct ring *ring, size_t capacity, size_t record_size);
void ring_clear(struct ring *ring); /* a zeroed ring is fine */

/* Adds a record for the caller to fill; replaces the oldest one if full. */
unsigned char *ring_add(struct ring *ring);

/* Returns record 0 … count - 1, in no particular order. */
const unsigned char *ring_at(const struct ring *ring, size_t index);

/* Write everything to a file, and read it into a ring with the same capacity and size, which then
 * behaves like the first. False: the file cannot be written or read, or does not match; after a
 * failed read the ring is empty. */
bool ring_write(const struct ring *ring, FILE *file);
bool ring_read(struct ring *ring, FILE *file);

#endif
