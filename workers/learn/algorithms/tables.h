/* Games that go on side by side, one at each table, as DQN and PPO play them: in each seat decides
 * the network of that seat, or, in a share of the games, in one seat a fixed program.
 *
 * Tables are cut into slices of TABLES_A_SLICE, which threads take one after the other; a slice
 * asks a network for all its tables at once. What happens at a table is a function of the seed and
 * of the networks, not of the threads. */
#ifndef RINKD_WORKERS_LEARN_ALGORITHMS_TABLES_H
#define RINKD_WORKERS_LEARN_ALGORITHMS_TABLES_H

#include "workers/learn/algorithms/learner.h"
#include "workers/pool.h"

enum { TABLES_A_SLICE = 16, TABLES_NOTES = 2 };

struct tables;

/* The action for these outputs of a network, by the random numbers of the key (sample 0), and
 * numbers to keep with the decision. Called from several threads. */
typedef int tables_choice(const void *context, const float *outputs, const bool *legal,
                          const struct random_key *key, float ret_notes[TABLES_NOTES]);

struct tables_settings {
    const struct learner_game *game;
    const struct learner_common *common;
    int parallel;      /* tables */
    int outputs;       /* of the networks */
    double self_share; /* of the games: networks in both seats; 1 where there are no opponents */
};

/* Tables at their first games, for tables_free(); the game has to outlive them. NULL and a
 * sentence: a share of games against programs, and the game has none; no memory. */
struct tables *tables_new(const struct tables_settings *settings,
                          char ret_error[LEARNER_ERROR_MAX]);
void tables_free(struct tables *tables); /* NULL is fine */

/* One decision at each table, in a new game where the last one was over. net[seat] are asked, or
 * copies of their weights, which are renewed when `version` is not that of the last call. False and
 * a sentence: a network failed, or an action could not be played out. */
bool tables_step(struct tables *tables, struct net *const net[2], uint64_t version,
                 tables_choice *choose, const void *context, char ret_error[LEARNER_ERROR_MAX]);

/* The threads of tables_step(), for other work between its calls. */
struct pool *tables_pool(struct tables *tables);

/* --- what happened --- */

/* The seat for which its network decided at this table in the last step; -1: a program did. */
int tables_decided(const struct tables *tables, int table);

/* Whether the game at this table was over after the last step; then it is still there to be
 * looked at until the next. */
bool tables_over(const struct tables *tables, int table);

/* The decisions of a seat's network in the game at this table, 0 where a program plays. */
int tables_decisions(const struct tables *tables, int table, int seat);

/* One of them. `reward`: until the seat's next decision or the end, as far as it has come. */
struct tables_decision {
    double reward;
    float notes[TABLES_NOTES];
    int32_t action;
    int32_t unused; /* no padding: they are written as they are */
};
const struct tables_decision *tables_decision(const struct tables *tables, int table, int seat,
                                              int number);
const void *tables_observation(const struct tables *tables, int table, int seat, int number);

/* --- sums --- */

/* Fills in games, decisions, throws, reward, play_s and network_s. */
void tables_report(const struct tables *tables, struct learner_report *ret_report);

/* Everything to a file and back into tables of the same settings. False: it cannot be written or
 * read, or is broken. */
bool tables_write(const struct tables *tables, FILE *file);
bool tables_read(struct tables *tables, FILE *file);

#endif
