/* A circular buffer of records: observation, how many actions, actions and values. */
#include "workers/learn/tried_memory.h"

#include <stdlib.h>
#include <string.h>

struct tried_memory {
    size_t observation_size, record_size;
    int most;
    uint64_t capacity, count, next; /* next: the place of the next one */
    unsigned char *records;
};

struct tried_memory *tried_memory_new(size_t capacity, size_t observation_size, int most)
{
    struct tried_memory *memory = calloc(1, sizeof *memory);
    if (!memory)
        return NULL;
    memory->observation_size = observation_size;
    memory->record_size = observation_size + sizeof(int32_t) + (size_t)most * sizeof(struct told);
    memory->most = most;
    memory->capacity = capacity;
    memory->records = malloc(capacity * memory->record_size);
    if (!memory->records) {
        free(memory);
        return NULL;
    }
    return memory;
}

void tried_memory_free(struct tried_memory *memory)
{
    if (!memory)
        return;
    free(memory->records);
    free(memory);
}

void tried_memory_add(struct tried_memory *memory, const void *observation, const struct told *told,
                      int count)
{
    unsigned char *at = memory->records + memory->next * memory->record_size;
    size_t size = memory->observation_size, used = (size_t)count * sizeof *told;
    int32_t stored = count;

    memcpy(at, observation, size);
    memcpy(at + size, &stored, sizeof stored);
    memcpy(at + size + sizeof stored, told, used);
    memset(at + size + sizeof stored + used, 0, (size_t)memory->most * sizeof *told - used);
    memory->next = (memory->next + 1) % memory->capacity;
    if (memory->count < memory->capacity)
        memory->count++;
}

size_t tried_memory_count(const struct tried_memory *memory)
{
    return memory->count;
}

int tried_memory_get(const struct tried_memory *memory, size_t index, void *ret_observation,
                     struct told *ret_told)
{
    const unsigned char *at = memory->records + index * memory->record_size;
    size_t size = memory->observation_size;
    int32_t count;

    memcpy(ret_observation, at, size);
    memcpy(&count, at + size, sizeof count);
    memcpy(ret_told, at + size + sizeof count, (size_t)count * sizeof *ret_told);
    return count;
}

bool tried_memory_write(const struct tried_memory *memory, FILE *file)
{
    uint64_t head[] = {memory->capacity, memory->record_size, memory->count, memory->next};
    return fwrite(head, sizeof head, 1, file) == 1 &&
           fwrite(memory->records, memory->record_size, memory->count, file) == memory->count;
}

bool tried_memory_read(struct tried_memory *memory, FILE *file)
{
    uint64_t head[4];
    memory->count = memory->next = 0;
    if (fread(head, sizeof head, 1, file) != 1 || head[0] != memory->capacity ||
        head[1] != memory->record_size || head[2] > memory->capacity ||
        head[3] != (head[2] < memory->capacity ? head[2] : head[3] % memory->capacity) ||
        fread(memory->records, memory->record_size, head[2], file) != head[2])
        return false;
    for (uint64_t k = 0; k < head[2]; k++) { /* counts by which arrays are filled */
        int32_t count;
        memcpy(&count, memory->records + k * memory->record_size + memory->observation_size,
               sizeof count);
        if (count < 1 || count > memory->most)
            return false;
    }
    memory->count = head[2];
    memory->next = head[3];
    return true;
}
