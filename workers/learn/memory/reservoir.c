/* Algorithm R over records of an observation and an action. */
#include "workers/learn/memory/reservoir.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct reservoir {
    enum reservoir_rule rule;
    size_t observation_size, record_size;
    uint64_t capacity, count, offered;
    struct random_key key;
    unsigned char *records;
};

struct reservoir *reservoir_new(enum reservoir_rule rule, size_t capacity, size_t observation_size,
                                const struct random_key *key)
{
    struct reservoir *reservoir = calloc(1, sizeof *reservoir);
    if (!reservoir)
        return NULL;
    reservoir->rule = rule;
    reservoir->observation_size = observation_size;
    reservoir->record_size = observation_size + sizeof(uint16_t);
    reservoir->capacity = capacity;
    reservoir->key = *key;
    reservoir->records = malloc(capacity * reservoir->record_size);
    if (!reservoir->records) {
        free(reservoir);
        return NULL;
    }
    return reservoir;
}

void reservoir_free(struct reservoir *reservoir)
{
    if (!reservoir)
        return;
    free(reservoir->records);
    free(reservoir);
}

void reservoir_offer(struct reservoir *reservoir, const void *observation, int action)
{
    uint64_t place = reservoir->offered++;
    if (place < reservoir->capacity) {
        reservoir->count++;
    } else if (reservoir->rule == RESERVOIR_LATEST) {
        place %= reservoir->capacity;
    } else {
        /* The n-th pair, counted from 0, stays with probability capacity / (n + 1). */
        place = (uint64_t)(random_uniform(&reservoir->key, place) * (double)reservoir->offered);
        if (place >= reservoir->capacity)
            return;
    }
    assert(place < reservoir->count && action >= 0 && action <= UINT16_MAX);
    unsigned char *at = reservoir->records + place * reservoir->record_size;
    uint16_t number = (uint16_t)action;
    memcpy(at, observation, reservoir->observation_size);
    memcpy(at + reservoir->observation_size, &number, sizeof number);
}

size_t reservoir_count(const struct reservoir *reservoir)
{
    return reservoir->count;
}

int reservoir_get(const struct reservoir *reservoir, size_t index, void *ret_observation)
{
    assert(index < reservoir->count);
    const unsigned char *at = reservoir->records + index * reservoir->record_size;
    uint16_t action;
    memcpy(ret_observation, at, reservoir->observation_size);
    memcpy(&action, at + reservoir->observation_size, sizeof action);
    return action;
}

bool reservoir_write(const struct reservoir *reservoir, FILE *file)
{
    uint64_t head[] = {reservoir->capacity, reservoir->record_size, reservoir->offered};
    return fwrite(head, sizeof head, 1, file) == 1 &&
           fwrite(reservoir->records, reservoir->record_size, reservoir->count, file) ==
               reservoir->count;
}

bool reservoir_read(struct reservoir *reservoir, FILE *file)
{
    uint64_t head[3];
    reservoir->count = reservoir->offered = 0;
    if (fread(head, sizeof head, 1, file) != 1 || head[0] != reservoir->capacity ||
        head[1] != reservoir->record_size)
        return false;
    uint64_t count = head[2] < head[0] ? head[2] : head[0];
    if (fread(reservoir->records, reservoir->record_size, count, file) != count)
        return false;
    reservoir->count = count;
    reservoir->offered = head[2];
    return true;
}
