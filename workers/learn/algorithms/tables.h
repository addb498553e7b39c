/* Parallel games, one at each table. In each seat a network decides, selected by the seat's role in
 * that game; in a share of the games a fixed program plays one seat.
 *
 * Tables are grouped into slices, which threads process one after the other; a slice evaluates a
 * network for all its tables at once. The games depend on the seed and the networks, not on the
 * threads. */
#ifndef RINKD_WORKERS_LEARN_ALGORITHMS_TABLES_H
#define RINKD_WORKERS_LEARN_ALGORITHMS_TABLES_H

#include "workers/learn/algorithms/learner.h"
#include "workers/learn/memory/room.h"
#include "workers/pool.h"

enum { TABLES_NOTES = 2, TABLES_NETWORKS_MAX = 4 };

struct tables;

/* A decision to be made. */
struct tables_turn {
    int table, seat, role;
    int thread; /* as in pool_task */
    const void *state;
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
    tables_choice *choose;
    void *context;     /* for role_of() and choose() */
    double self_share; /* share of games with networks in both seats; 1 without opponents */
};

/* Makes tables in a room and starts their first games. The game and the room must outlive them, and
 * tables_stop() comes before the room is cleared. NULL and a sentence: self_share is below 1 but
 * the game has no programs, or no memory. */
struct tables *tables_new(const struct tables_settings *settings, struct room *room,
                          char ret_error[LEARNER_ERROR_MAX]);
/* Ends the threads and frees their networks. NULL is fine. */
void tables_stop(struct tables *tables);

/* Makes one decision at each table, after starting a new game where the last one was over. Other
 * threads evaluate copies of the networks, renewed whenever `version` changes. False and a
 * sentence: a network failed, or an action could not be played out. */
bool tables_step(struct tables *tables, struct net *net[2][TABLES_NETWORKS_MAX], uint64_t version,
                 char ret_error[LEARNER_ERROR_MAX]);

/* The threads of tables_step(), for other work between its calls. */
struct pool *tables_pool(struct tables *tables);

/* --- results of the last step --- */

/* A table and its game; `[2]` is indexed by seat. The data of a game that is over stay readable
 * until the next step. */
struct table {
    uint64_t number; /* of the present game at this table, from 0 */
    int32_t decisions;
    int32_t player[2]; /* -1 - role of the network, or the number of the program */
    int32_t kept[2];   /* decisions of the seat's network; 0 if a program plays */
    int32_t decided;   /* the seat whose network decided in the last step; -1: a program decided */
    int32_t over;      /* whether the game was over after the last step */
    int32_t unused;    /* replaces padding: the struct is written as bytes */
};
const struct table *tables_at(const struct tables *tables, int table);

/* Returns the role of a seat; -1: a program. */
static inline int table_role(const struct table *table, int seat)
{
    return table->player[seat] < 0 ? -1 - table->player[seat] : -1;
}

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

/* --- files in an old format --- */

/* Puts decision `number` of a seat, below the game's decisions_max, on a table. */
void tables_put_decision(struct tables *tables, int table, int seat, int number,
                         const struct tables_decision *decision, const void *observation);

/* Puts an unfinished game on a table, after its decisions. False: a number is out of range. */
bool tables_put(struct tables *tables, int table, const struct table *game, const void *state);

/* Sums over finished games; `decisions`: all of them. */
struct tables_sums {
    uint64_t games, decisions;
    uint64_t rewarded[2]; /* games of a seat's network */
    double reward[2];     /* running mean over the latest of them */
};
void tables_put_sums(struct tables *tables, const struct tables_sums *sums);

#endif
