/* Decisions of finished games, in order of addition. */
#include "workers/learn/memory/rollout.h"

#include <assert.h>
#include <math.h>
#include <string.h>

struct rollout rollout_make(struct room *room, size_t capacity, size_t observation_size)
{
    return (struct rollout){.capacity = capacity,
                            .observation_size = observation_size,
                            .observations = room_take(room, capacity, observation_size),
                            .decisions =
                                room_take(room, capacity, sizeof(struct rollout_decision))};
}

void rollout_add(struct rollout *rollout, const void *observation,
                 const struct rollout_decision *decision)
{
    assert(rollout->count < rollout->capacity);
    memcpy(rollout->observations + rollout->count * rollout->observation_size, observation,
           rollout->observation_size);
    rollout->decisions[rollout->count++] = *decision;
}

const void *rollout_observation(const struct rollout *rollout, size_t index)
{
    assert(index < rollout->count);
    return rollout->observations + index * rollout->observation_size;
}

void rollout_normalise(struct rollout *rollout)
{
    double sum = 0.0, squares = 0.0, count = (double)rollout->count;
    for (size_t k = 0; k < rollout->count; k++)
        sum += (double)rollout->decisions[k].advantage;
    double mean = rollout->count ? sum / count : 0.0;
    for (size_t k = 0; k < rollout->count; k++) {
        double miss = (double)rollout->decisions[k].advantage - mean;
        squares += miss * miss;
    }
    double deviation = rollout->count ? sqrt(squares / count) : 0.0;
    for (size_t k = 0; k < rollout->count && deviation > 1e-8; k++) {
        float *advantage = &rollout->decisions[k].advantage;
        *advantage = (float)(((double)*advantage - mean) / deviation);
    }
}

bool rollout_write(const struct rollout *rollout, FILE *file)
{
    uint64_t head[] = {rollout->capacity, rollout->observation_size, rollout->count};
    return fwrite(head, sizeof head, 1, file) == 1 &&
           fwrite(rollout->observations, rollout->observation_size, rollout->count, file) ==
               rollout->count &&
           fwrite(rollout->decisions, sizeof *rollout->decisions, rollout->count, file) ==
               rollout->count;
}

bool rollout_read(struct rollout *rollout, int actions, FILE *file)
{
    uint64_t head[3];
    rollout->count = 0;
    if (fread(head, sizeof head, 1, file) != 1 || head[0] != rollout->capacity ||
        head[1] != rollout->observation_size || head[2] > rollout->capacity ||
        fread(rollout->observations, rollout->observation_size, head[2], file) != head[2] ||
        fread(rollout->decisions, sizeof *rollout->decisions, head[2], file) != head[2])
        return false;
    for (size_t k = 0; k < head[2]; k++)
        if (rollout->decisions[k].action < 0 || rollout->decisions[k].action >= actions)
            return false;
    rollout->count = head[2];
    return true;
}
