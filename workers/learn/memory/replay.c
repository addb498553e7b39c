/* A ring of records: observation, next observation, reward, action. */
#include "workers/learn/memory/replay.h"

#include "workers/learn/memory/ring.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct tail {
    float reward;
    uint16_t action, has_next;
};

struct replay {
    size_t observation_size;
    struct ring ring;
};

struct replay *replay_new(size_t capacity, size_t observation_size)
{
    struct replay *replay = calloc(1, sizeof *replay);
    if (!replay)
        return NULL;
    replay->observation_size = observation_size;
    if (!ring_make(&replay->ring, capacity, 2 * observation_size + sizeof(struct tail))) {
        free(replay);
        return NULL;
    }
    return replay;
}

void replay_free(struct replay *replay)
{
    if (!replay)
        return;
    ring_clear(&replay->ring);
    free(replay);
}

void replay_add(struct replay *replay, const struct transition *transition)
{
    assert(transition->action >= 0 && transition->action <= UINT16_MAX);
    unsigned char *at = ring_add(&replay->ring);
    size_t size = replay->observation_size;
    struct tail tail = {.reward = transition->reward,
                        .action = (uint16_t)transition->action,
                        .has_next = transition->next != NULL};
    memcpy(at, transition->observation, size);
    if (transition->next)
        memcpy(at + size, transition->next, size);
    else
        memset(at + size, 0, size);
    memcpy(at + 2 * size, &tail, sizeof tail);
}

size_t replay_count(const struct replay *replay)
{
    return replay->ring.count;
}

struct transition replay_get(const struct replay *replay, size_t index, void *ret_observation,
                             void *ret_next)
{
    const unsigned char *at = ring_at(&replay->ring, index);
    size_t size = replay->observation_size;
    struct tail tail;
    memcpy(ret_observation, at, size);
    memcpy(ret_next, at + size, size);
    memcpy(&tail, at + 2 * size, sizeof tail);
    return (struct transition){.observation = ret_observation,
                               .action = tail.action,
                               .reward = tail.reward,
                               .next = tail.has_next ? ret_next : NULL};
}

bool replay_write(const struct replay *replay, FILE *file)
{
    return ring_write(&replay->ring, file);
}

bool replay_read(struct replay *replay, FILE *file)
{
    return ring_read(&replay->ring, file);
}
