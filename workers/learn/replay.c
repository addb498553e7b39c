/* A circular buffer of records: observation, next observation, reward, action. */
#include "workers/learn/replay.h"

#include <stdlib.h>
#include <string.h>

struct tail {
    float reward;
    uint16_t action, has_next;
};

struct replay {
    size_t observation_size, record_size;
    uint64_t capacity, count, next; /* next: the place of the next one */
    unsigned char *records;
};

struct replay *replay_new(size_t capacity, size_t observation_size)
{
    struct replay *replay = calloc(1, sizeof *replay);
    if (!replay)
        return NULL;
    replay->observation_size = observation_size;
    replay->record_size = 2 * observation_size + sizeof(struct tail);
    replay->capacity = capacity;
    replay->records = malloc(capacity * replay->record_size);
    if (!replay->records) {
        free(replay);
        return NULL;
    }
    return replay;
}

void replay_free(struct replay *replay)
{
    if (!replay)
        return;
    free(replay->records);
    free(replay);
}

static unsigned char *record(const struct replay *replay, uint64_t index)
{
    return replay->records + index * replay->record_size;
}

void replay_add(struct replay *replay, const struct transition *transition)
{
    unsigned char *at = record(replay, replay->next);
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
    replay->next = (replay->next + 1) % replay->capacity;
    if (replay->count < replay->capacity)
        replay->count++;
}

size_t replay_count(const struct replay *replay)
{
    return replay->count;
}

struct transition replay_get(const struct replay *replay, size_t index, void *ret_observation,
                             void *ret_next)
{
    const unsigned char *at = record(replay, index);
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
    uint64_t head[] = {replay->capacity, replay->record_size, replay->count, replay->next};
    return fwrite(head, sizeof head, 1, file) == 1 &&
           fwrite(replay->records, replay->record_size, replay->count, file) == replay->count;
}

bool replay_read(struct replay *replay, FILE *file)
{
    uint64_t head[4];
    replay->count = replay->next = 0;
    if (fread(head, sizeof head, 1, file) != 1 || head[0] != replay->capacity ||
        head[1] != replay->record_size || head[2] > replay->capacity ||
        head[3] != (head[2] < replay->capacity ? head[2] : head[3] % replay->capacity) ||
        fread(replay->records, replay->record_size, head[2], file) != head[2])
        return false;
    replay->count = head[2];
    replay->next = head[3];
    return true;
}
