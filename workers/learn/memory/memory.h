/* Memories of decisions for learning. Each has room for a number of records of one kind:
 *
 *   transitions: a decision, the reward, and the observation at a later decision
 *   tries:       a decision at which actions were tried, with a value for each
 *   actions:     a decision and the action taken
 *
 * Memories of transitions and tries keep the latest records. A memory of actions can instead keep a
 * uniform sample of all that were ever offered (Vitter, "Random sampling with a reservoir", 1985,
 * algorithm R), or one that prefers recent records (Aggarwal, "On biased reservoir sampling in the
 * presence of stream evolution", 2006); so can a memory of tries. */
#ifndef RINKD_WORKERS_LEARN_MEMORY_MEMORY_H
#define RINKD_WORKERS_LEARN_MEMORY_MEMORY_H

#include "models/ice/random.h"
#include "workers/learn/memory/room.h"

#include <stdio.h>

struct transition {
    const void *observation;
    int action;
    float reward;     /* from this decision to the later one */
    const void *next; /* observation at the later decision; NULL: the game ended before */
};

/* The estimated value of an action. */
struct told {
    int32_t action;
    float value;
};

enum memory_rule {
    MEMORY_SAMPLE, /* algorithm R */
    MEMORY_LATEST
};

struct memory;

/* Make a memory for `capacity` records; `observation_size` is in bytes. The room frees it. NULL:
 * the room is full. memory_of_tries(): each record has at most `most` actions. memory_of_actions():
 * draws depend on the key and the number of records offered so far. */
struct memory *memory_of_transitions(struct room *room, size_t capacity, size_t observation_size);
struct memory *memory_of_tries(struct room *room, size_t capacity, size_t observation_size,
                               int most);
struct memory *memory_of_actions(struct room *room, size_t capacity, size_t observation_size,
                                 enum memory_rule rule, const struct random_key *key);

/* Makes an empty memory of actions or tries keep a sample: a new record enters a full memory with
 * the chance `recency`, at least with that of a uniform sample (0: just that), in place of any
 * other. */
void memory_keep_sample(struct memory *memory, double recency, const struct random_key *key);

/* Copy a record in. If the memory is full, the record replaces the oldest one; in a sample it
 * replaces any or none. memory_add_tries(): 0 < count <= most. */
void memory_add_transition(struct memory *memory, const struct transition *transition);
void memory_add_tries(struct memory *memory, const void *observation, const struct told *told,
                      int count);
void memory_offer_action(struct memory *memory, const void *observation, int action);

/* Returns the number of records in the memory. */
size_t memory_count(const struct memory *memory);

/* Copy out record 0 … count - 1, in no particular order: a transition, whose pointers point to
 * ret_observation and ret_next; the number of tries (ret_told has room for `most`); the action. */
struct transition memory_transition(const struct memory *memory, size_t index,
                                    void *ret_observation, void *ret_next);
int memory_tries(const struct memory *memory, size_t index, void *ret_observation,
                 struct told *ret_told);
int memory_action(const struct memory *memory, size_t index, void *ret_observation);

/* Write everything to a file, and read it into a memory made in the same way, which then behaves
 * like the first. False: the file cannot be written or read, or does not match; after a failed read
 * the memory is empty. */
bool memory_write(const struct memory *memory, FILE *file);
bool memory_read(struct memory *memory, FILE *file);

#endif
