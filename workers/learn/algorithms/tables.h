/* Games that go on side by side, one at each table: in each seat a network decides, which one by
 * the seat's role in that game, or, in a share of the games, in one seat a fixed program.
 *
 * Tables are cut into slices, which threads take one after the other; a slice asks a network for
 * all its tables at once. What happens at a table depends on the seed and the networks, not on the
 * threads. */
#ifndef RINKD_WORKERS_LEARN_ALGORITHMS_TABLES_H
#define RINKD_WORKERS_LEARN_ALGORITHMS_TABLES_H

#include "workers/learn/algorithms/learner.h"
#include "workers/pool.h"

enum { TABLES_NOTES = 2, TABLES_NETWORKS_MAX = 4 };

struct tables;

/* A decision that is due. */
struct tables_turn {
    int table, seat, role;
    int thread; /* as in pool_task */
    const void *state, *observation;
    const bool *legal;
    const float *outputs;                    /* of the seat's network of this role */
    struct random_key key;                   /* sample 0 is for the choice; play() uses others */
    struct net *(*net)[TABLES_NETWORKS_MAX]; /* [seat]: for this thread to ask */
    float *notes;                            /* [TABLES_NOTES], zeros: to keep with the decision */
    double network_s; /* processor time that the choice spends asking networks */
};

/* Chooses a legal action; -1 and a sentence on failure. Called from several threads. */
typedef int tables_choice(void *context, struct tables_turn *turn,
                          char ret_error[LEARNER_ERROR_MAX]);

struct tables_settings {
    const struct learner_game *game;
    const struct learner_common *common;
    int parallel; /* tables */
    /* Outputs of a seat's networks, 0: there is none. The first `roles` decide. */
    int outputs[TABLES_NETWORKS_MAX];
    int roles;
    /* The role of a seat in game number `game` of a table, from random bits; NULL: role 0. */
    int (*role_of)(const void *context, int table, uint64_t game, int seat, uint64_t bits);
    void *context;     /* of role_of() and of the choices */
    double self_share; /* of the games: networks in both seats; 1 where there are no opponents */
};

/* Tables at their first games, for tables_free(); the game has to outlive them. NULL and a
 * sentence: a share of games against programs, and the game has none; no memory. */
struct tables *tables_new(const struct tables_settings *settings,
                          char ret_error[LEARNER_ERROR_MAX]);
void tables_free(struct tables *tables); /* NULL is fine */

/* One decision at each table, in a new game where the last one was over. The networks are asked, or
 * copies of their weights, which are renewed when `version` is not that of the last call. False and
 * a sentence: a network failed, or an action could not be played out. */
bool tables_step(struct tables *tables, struct net *net[2][TABLES_NETWORKS_MAX], uint64_t version,
                 tables_choice *choose, char ret_error[LEARNER_ERROR_MAX]);

int tables_count(const struct tables *tables);

/* The threads of tables_step(), for other work between its calls. */
struct pool *tables_pool(struct tables *tables);

/* --- what happened --- */

/* The seat for which its network decided at this table in the last step; -1: a program did. */
int tables_decided(const struct tables *tables, int table);

/* Whether the game at this table was over after the last step; then it is still there to be
 * looked at until the next. */
bool tables_over(const struct tables *tables, int table);

/* The role of a seat in the game at this table, -1: a program. */
int tables_role(const struct tables *tables, int table, int seat);

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

/* An unfinished game from a file of another form: its state, and decisions with what the seats saw
 * then ([decisions_max] each, the first `kept` filled in). False: a number is out of
 * range. */
struct tables_game {
    uint64_t number;
    int decisions;
    const void *state;
    struct {
        int role, kept;
        const struct tables_decision *decision;
        const unsigned char *observations;
    } seat[2];
};
bool tables_put(struct tables *tables, int table, const struct tables_game *game);

/* Sums, out of such a file. */
void tables_put_sums(struct tables *tables, uint64_t games, uint64_t decisions,
                     const uint64_t rewarded[2], const double reward[2]);

#endif
