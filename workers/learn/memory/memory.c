/* Records of one size in one array. A record begins with its observation. */
#include "workers/learn/memory/memory.h"

#include <assert.h>
#include <math.h>
#include <string.h>

struct memory {
    size_t observation_size, record_size;
    uint64_t capacity;
    uint64_t added; /* records so far; of a file of a circular memory, any number that fits */
    int most;       /* of tries in a record */
    bool is_circular;
    enum memory_rule rule;
    double recency;
    struct random_key key;
    unsigned char *records;
};

/* The end of a transition, after both observations. */
struct tail {
    float reward;
    uint16_t action, has_next;
};

static struct memory *make(struct room *room, size_t capacity, size_t observation_size,
                           size_t rest_size)
{
    size_t record_size = observation_size + rest_size;
    struct memory *memory = room_take(room, 1, sizeof *memory);
    unsigned char *records = room_take(room, capacity, record_size);

    if (!memory || !records)
        return NULL;
    *memory = (struct memory){.observation_size = observation_size,
                              .record_size = record_size,
                              .capacity = capacity,
                              .is_circular = true,
                              .rule = MEMORY_LATEST,
                              .records = records};
    return memory;
}

struct memory *memory_of_transitions(struct room *room, size_t capacity, size_t observation_size)
{
    return make(room, capacity, observation_size, observation_size + sizeof(struct tail));
}

struct memory *memory_of_tries(struct room *room, size_t capacity, size_t observation_size,
                               int most)
{
    struct memory *memory = make(room, capacity, observation_size,
                                 sizeof(int32_t) + (size_t)most * sizeof(struct told));
    if (memory)
        memory->most = most;
    return memory;
}

struct memory *memory_of_actions(struct room *room, size_t capacity, size_t observation_size,
                                 enum memory_rule rule, const struct random_key *key)
{
    struct memory *memory = make(room, capacity, observation_size, sizeof(uint16_t));
    if (memory) {
        memory->is_circular = false;
        memory->rule = rule;
        memory->key = *key;
    }
    return memory;
}

void memory_keep_sample(struct memory *memory, double recency, const struct random_key *key)
{
    assert(memory->added == 0);
    memory->is_circular = false;
    memory->rule = MEMORY_SAMPLE;
    memory->recency = recency;
    memory->key = *key;
}

size_t memory_count(const struct memory *memory)
{
    return memory->added < memory->capacity ? memory->added : memory->capacity;
}

/* Copies the observation into a new record and returns the place after it; NULL: not in the
 * sample. */
static unsigned char *add(struct memory *memory, const void *observation)
{
    uint64_t place = memory->added++;

    if (place >= memory->capacity && memory->rule == MEMORY_SAMPLE) {
        /* The n-th record, counted from 0, stays with probability capacity / (n + 1), or with the
         * recency. */
        double of = fmin((double)memory->added, (double)memory->capacity / memory->recency);
        place = (uint64_t)(random_uniform(&memory->key, place) * of);
        if (place >= memory->capacity)
            return NULL;
    }
    unsigned char *at = memory->records + place % memory->capacity * memory->record_size;
    memcpy(at, observation, memory->observation_size);
    return at + memory->observation_size;
}

/* Copies the observation of a record out and returns the place after it. */
static const unsigned char *get(const struct memory *memory, size_t index, void *ret_observation)
{
    assert(index < memory_count(memory));
    const unsigned char *at = memory->records + index * memory->record_size;
    memcpy(ret_observation, at, memory->observation_size);
    return at + memory->observation_size;
}

void memory_add_transition(struct memory *memory, const struct transition *transition)
{
    size_t size = memory->observation_size;
    struct tail tail = {.reward = transition->reward,
                        .action = (uint16_t)transition->action,
                        .has_next = transition->next != NULL};
    assert(memory->record_size == 2 * size + sizeof tail);
    assert(transition->action >= 0 && transition->action <= UINT16_MAX);
    unsigned char *at = add(memory, transition->observation);

    if (transition->next)
        memcpy(at, transition->next, size);
    else
        memset(at, 0, size);
    memcpy(at + size, &tail, sizeof tail);
}

struct transition memory_transition(const struct memory *memory, size_t index,
                                    void *ret_observation, void *ret_next)
{
    const unsigned char *at = get(memory, index, ret_observation);
    struct tail tail;

    memcpy(ret_next, at, memory->observation_size);
    memcpy(&tail, at + memory->observation_size, sizeof tail);
    return (struct transition){.observation = ret_observation,
                               .action = tail.action,
                               .reward = tail.reward,
                               .next = tail.has_next ? ret_next : NULL};
}

void memory_add_tries(struct memory *memory, const void *observation, const struct told *told,
                      int count)
{
    assert(count > 0 && count <= memory->most);
    unsigned char *at = add(memory, observation);
    size_t used = (size_t)count * sizeof *told;
    int32_t stored = count;

    if (!at)
        return;
    memcpy(at, &stored, sizeof stored);
    memcpy(at + sizeof stored, told, used);
    memset(at + sizeof stored + used, 0, (size_t)memory->most * sizeof *told - used);
}

int memory_tries(const struct memory *memory, size_t index, void *ret_observation,
                 struct told *ret_told)
{
    const unsigned char *at = get(memory, index, ret_observation);
    int32_t count;

    memcpy(&count, at, sizeof count);
    memcpy(ret_told, at + sizeof count, (size_t)count * sizeof *ret_told);
    return count;
}

void memory_offer_action(struct memory *memory, const void *observation, int action)
{
    uint16_t number = (uint16_t)action;
    assert(action >= 0 && action <= UINT16_MAX);
    assert(memory->record_size == memory->observation_size + sizeof number);
    unsigned char *at = add(memory, observation);

    if (at)
        memcpy(at, &number, sizeof number);
}

int memory_action(const struct memory *memory, size_t index, void *ret_observation)
{
    uint16_t action;
    memcpy(&action, get(memory, index, ret_observation), sizeof action);
    return action;
}

/* --- files: the head, the records --- */

enum { HEAD_MAX = 4 };

/* Returns the number of words. */
static size_t head_of(const struct memory *memory, uint64_t ret_head[HEAD_MAX])
{
    ret_head[0] = memory->capacity;
    ret_head[1] = memory->record_size;
    ret_head[2] = memory->is_circular ? memory_count(memory) : memory->added;
    ret_head[3] = memory->added % memory->capacity;
    return memory->is_circular ? 4 : 3;
}

bool memory_write(const struct memory *memory, FILE *file)
{
    uint64_t head[HEAD_MAX];
    size_t words = head_of(memory, head), count = memory_count(memory);
    return fwrite(head, sizeof *head, words, file) == words &&
           fwrite(memory->records, memory->record_size, count, file) == count;
}

/* Whether the counts, which bound array accesses, are in range. */
static bool tries_are_good(const struct memory *memory)
{
    const unsigned char *at = memory->records + memory->observation_size;
    for (size_t k = 0; memory->most > 0 && k < memory_count(memory); k++) {
        int32_t count;
        memcpy(&count, at + k * memory->record_size, sizeof count);
        if (count < 1 || count > memory->most)
            return false;
    }
    return true;
}

bool memory_read(struct memory *memory, FILE *file)
{
    uint64_t head[HEAD_MAX] = {0}, own[HEAD_MAX];
    size_t words = head_of(memory, own);

    memory->added = 0;
    if (fread(head, sizeof *head, words, file) != words)
        return false;
    bool is_full_circle = memory->is_circular && head[2] == memory->capacity;
    memory->added = is_full_circle ? head[2] + head[3] : head[2];
    head_of(memory, own);
    if (memcmp(own, head, words * sizeof *head) == 0 &&
        fread(memory->records, memory->record_size, memory_count(memory), file) ==
            memory_count(memory) &&
        tries_are_good(memory))
        return true;
    memory->added = 0;
    return false;
}
