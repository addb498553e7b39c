/* A circular buffer of records. */
#include "workers/learn/memory/ring.h"

#include <assert.h>
#include <stdlib.h>

bool ring_make(struct ring *ring, size_t capacity, size_t record_size)
{
    *ring = (struct ring){.record_size = record_size,
                          .capacity = capacity,
                          .records = malloc(capacity * record_size)};
    return ring->records != NULL;
}

void ring_clear(struct ring *ring)
{
    free(ring->records);
    *ring = (struct ring){0};
}

unsigned char *ring_add(struct ring *ring)
{
    assert(ring->next < ring->capacity && ring->count <= ring->capacity);
    unsigned char *at = ring->records + ring->next * ring->record_size;
    ring->next = (ring->next + 1) % ring->capacity;
    if (ring->count < ring->capacity)
        ring->count++;
    return at;
}

const unsigned char *ring_at(const struct ring *ring, size_t index)
{
    assert(index < ring->count);
    return ring->records + index * ring->record_size;
}

bool ring_write(const struct ring *ring, FILE *file)
{
    uint64_t head[] = {ring->capacity, ring->record_size, ring->count, ring->next};
    return fwrite(head, sizeof head, 1, file) == 1 &&
           fwrite(ring->records, ring->record_size, ring->count, file) == ring->count;
}

bool ring_read(struct ring *ring, FILE *file)
{
    uint64_t head[4];
    ring->count = ring->next = 0;
    if (fread(head, sizeof head, 1, file) != 1 || head[0] != ring->capacity ||
        head[1] != ring->record_size || head[2] > ring->capacity ||
        head[3] != (head[2] < ring->capacity ? head[2] : head[3] % ring->capacity) ||
        fread(ring->records, ring->record_size, head[2], file) != head[2])
        return false;
    ring->count = head[2];
    ring->next = head[3];
    return true;
}
