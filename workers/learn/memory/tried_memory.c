/* A ring of records: observation, number of actions, actions and values. */
#include "workers/learn/memory/tried_memory.h"

#include "workers/learn/memory/ring.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct tried_memory {
    size_t observation_size;
    int most;
    struct ring ring;
};

struct tried_memory *tried_memory_new(size_t capacity, size_t observation_size, int most)
{
    struct tried_memory *memory = calloc(1, sizeof *memory);
    if (!memory)
        return NULL;
    memory->observation_size = observation_size;
    memory->most = most;
    if (!ring_make(&memory->ring, capacity,
                   observation_size + sizeof(int32_t) + (size_t)most * sizeof(struct told))) {
        free(memory);
        return NULL;
    }
    return memory;
}

void tried_memory_free(struct tried_memory *memory)
{
    if (!memory)
        return;
    ring_clear(&memory->ring);
    free(memory);
}

void tried_memory_add(struct tried_memory *memory, const void *observation, const struct told *told,
                      int count)
{
    assert(count > 0 && count <= memory->most);
    unsigned char *at = ring_add(&memory->ring);
    size_t size = memory->observation_size, used = (size_t)count * sizeof *told;
    int32_t stored = count;

    memcpy(at, observation, size);
    memcpy(at + size, &stored, sizeof stored);
    memcpy(at + size + sizeof stored, told, used);
    memset(at + size + sizeof stored + used, 0, (size_t)memory->most * sizeof *told - used);
}

size_t tried_memory_count(const struct tried_memory *memory)
{
    return memory->ring.count;
}

int tried_memory_get(const struct tried_memory *memory, size_t index, void *ret_observation,
                     struct told *ret_told)
{
    const unsigned char *at = ring_at(&memory->ring, index);
    size_t size = memory->observation_size;
    int32_t count;

    memcpy(ret_observation, at, size);
    memcpy(&count, at + size, sizeof count);
    memcpy(ret_told, at + size + sizeof count, (size_t)count * sizeof *ret_told);
    return count;
}

bool tried_memory_write(const struct tried_memory *memory, FILE *file)
{
    return ring_write(&memory->ring, file);
}

bool tried_memory_read(struct tried_memory *memory, FILE *file)
{
    struct ring *ring = &memory->ring;
    if (!ring_read(ring, file))
        return false;
    for (uint64_t k = 0; k < ring->count; k++) { /* counts bound array accesses */
        int32_t count;
        memcpy(&count, ring_at(ring, k) + memory->observation_size, sizeof count);
        if (count < 1 || count > memory->most) {
            ring->count = ring->next = 0;
            return false;
        }
    }
    return true;
}
