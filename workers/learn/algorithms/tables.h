/* Parallel games, one at each table. In each seat a network decides, selected by the seat's role in
 * that game; in a share of the games a fixed program plays one seat.
 *
 * Tables are grouped into slices, which threads process one after the other; a slice evaluates a
 * network for all its tables at once. The games depend on the seed and the networks, not on the
 * threads. */
#ifndef RINKD_WORKERS_LEARN_ALGORITHMS_TABLES_H
#define RINKD_WORKERS_LEARN_ALGORITHMS_TABLES_H

#include "workers/learn/algorithms/learner.h"
#include "workers/pool.h"

enum { TABLES_NOTES = 2, TABLES_NETWORKS_MAX = 4 };

struct tables;

/* A decision to be made. */
struct tables_turn {
    int table, seat, role;
    int thread; /* as in pool_task */
    const void *state, *observation;
    const bool *legal;
    const float *outputs;  /* of the seat's network in this role */
    struct random_key key; /* sample 0 is for the choice; play() uses other samples */
    struct net *(*net)[TABLES_NETWORKS_MAX]; /* [seat]: this thread's copies */
    float *notes;     /* [TABLES_NOTES], zeros at first; kept with the decision */
    double network_s; /* processor time that the choice spends in networks */
};

/* Chooses a legal action; -1 and a sentence on failure. Called from several threads. */
typedef int tables_choice(void *context, struct tables_turn *turn,
                          char ret_error[LEARNER_ERROR_MAX]);

struct tables_settings {
    const struct learner_game *game;
    const struct learner_common *common;
    int parallel; /* tables */
    /* Outputs of a seat's networks; 0: no such network. The first `roles` decide. */
    int outputs[TABLES_NETWORKS_MAX];
    int roles;
    /* Returns a seat's role in game number `game` of a table, from random bits; NULL: role 0. */
    int (*role_of)(const void *context, int table, uint64_t game, int seat, uint64_t bits);
    void *context;     /* for role_of() and tables_choice */
    double self_share; /* share of games with networks in both seats; 1 without opponents */
};

/* Makes tables and starts their first games; the caller frees them with tables_free(). The game
 * must outlive them. NULL and a sentence: self_share is below 1 but the game has no programs, or no
 * memory. */
struct tables *tables_new(const struct tables_settings *settings,
                          char ret_error[LEARNER_ERROR_MAX]);
void tables_free(struct tables *tables); /* NULL is fine */

/* Makes one decision at each table, after starting a new game where the last one was over. Other
 * threads evaluate copies of the networks, renewed whenever `version` changes. False and a
 * sentence: a network failed, or an action could not be played out. */
bool tables_step(struct tables *tables, struct net *net[2][TABLES_NETWORKS_MAX], uint64_t version,
                 tables_choice *choose, char ret_error[LEARNER_ERROR_MAX]);

int tables_count(const struct tables *tables);

/* The threads of tables_step(), for other work between its calls. */
struct pool *tables_pool(struct tables *tables);

/* --- results of the last step --- */

/* The seat whose network decided at this table in the last step; -1: a program decided. */
int tables_decided(const struct tables *tables, int table);

/* Whether the game at this table was over after the last step; its data stay readable until the
 * next. */
bool tables_over(const struct tables *tables, int table);

/* The role of a seat in the game at this table; -1: a program. */
int tables_role(const struct tables *tables, int table, int seat);

/* The number of decisions of a seat's network in the game at this table; 0 if a program plays. */
int tables_decisions(const struct tables *tables, int table, int seat);

/* One decision. `reward`: so far, until the seat's next decision or the end of the game. */
struct tables_decision {
    double reward;
    float notes[TABLES_NOTES];
    int32_t action;
    int32_t unused; /* replaces padding: the struct is written as bytes */
};
const struct tables_decision *tables_decision(const struct tables *tables, int table, int seat,
                                              int number);
const void *tables_observation(const struct tables *tables, int table, int seat, int number);

/* --- sums --- */

/* Fills in games, decisions, throws, reward, play_s and network_s. */
void tables_report(const struct tables *tables, struct learner_report *ret_report);

/* Write everything to a file, and read it into tables with the same settings. False: the file
 * cannot be written or read, or is broken. */
bool tables_write(const struct tables *tables, FILE *file);
bool tables_read(struct tables *tables, FILE *file);

/* An unfinished game from a file in an old format: its state, and for each seat the decisions and
 * observations ([decisions_max] each, the first `kept` filled in). */
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
/* Puts such a game on a table. False: a number is out of range. */
bool tables_put(struct tables *tables, int table, const struct tables_game *game);

/* Sets the sums from such a file. */
void tables_put_sums(struct tables *tables, uint64_t games, uint64_t decisions,
                     const uint64_t rewarded[2], const double reward[2]);

#endif
