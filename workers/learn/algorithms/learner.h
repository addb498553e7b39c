/* The trainer's view of an algorithm that learns a two-player game (learner_game.h): a table of
 * functions, and the report of a run.
 *
 * A run belongs to one thread at a time but may use several inside. Every draw depends only on the
 * seed and on counters, so results do not depend on the number of threads, and a run that is
 * written, read and continued gives the same result as an uninterrupted one. */
#ifndef RINKD_WORKERS_LEARN_ALGORITHMS_LEARNER_H
#define RINKD_WORKERS_LEARN_ALGORITHMS_LEARNER_H

#include "models/networks/net.h"
#include "workers/learn/algorithms/hyper.h"
#include "workers/learn/games/learner_game.h"

#include <stdio.h>

enum {
    LEARNER_ERROR_MAX = 320,
    LEARNER_POLICIES_MAX = 4,
    LEARNER_LOSSES_MAX = 8,
    LEARNER_MEMORIES_MAX = 4,
    LEARNER_OPPONENTS_MAX = 8,
    LEARNER_NAME_MAX = 32
};

/* Settings of every algorithm. The run borrows `device` and the architecture. */
struct learner_common {
    /* Architecture and layers, with rows and planes if it has them; the run fills in inputs,
     * outputs and seed. */
    struct net_spec network;
    const char *device; /* "cpu", "cuda", "auto" */
    int threads;        /* that a step may use, at least 1; they change only its duration */
    uint64_t seed;
    int opponents; /* evolve: numbers of rule players, from 1 */
    int opponent[LEARNER_OPPONENTS_MAX];
};

struct learner_report {
    uint64_t steps;
    uint64_t games;      /* finished games; in curling each is one end */
    uint64_t decisions;  /* in finished and unfinished games */
    uint64_t throws;     /* actions played or only tried */
    uint64_t updates;    /* of all networks */
    double work;         /* finished games and parts of games, for estimates; 0: as many as games or
                            decisions say */
    double explore;      /* share of random actions now; NAN: the algorithm has none */
    double anticipatory; /* NFSP's eta; NAN: the algorithm has none */

    /* `[2]` is indexed by seat; NAN: not known yet. reward: sum of a seat's rewards from its first
     * decision on, mean over about the last thousand games. entropy: of the resulting policy, nats,
     * mean over about the last thousand decisions. */
    double reward[2], entropy[2];

    /* Losses of the last update, mean over the batch: "loss/response/sente" and so on; NAN if the
     * gradient was not finite. */
    int losses;
    struct learner_loss {
        char name[LEARNER_NAME_MAX];
        double value;
    } loss[LEARNER_LOSSES_MAX];

    /* Other values under the names of their curves; NAN: not known yet. */
    int figures;
    struct learner_loss figure[LEARNER_LOSSES_MAX];

    /* Entries of memories: "memory/response/sente" and so on. */
    int memories;
    struct learner_memory {
        char name[LEARNER_NAME_MAX];
        uint64_t entries;
    } memory[LEARNER_MEMORIES_MAX];

    /* Processor seconds of all threads since this process made or read the run; not part of the
     * state. play_s: playing actions and making network inputs; network_s: evaluating networks
     * during play; learn_s: learning. */
    double play_s, network_s, learn_s;
};

/* A policy of a run: one network for each seat, owned by the run. NULL: the class writes its file
 * itself. */
struct learner_policy_view {
    const char *name; /* "average", "response", "greedy", "policy" */
    const struct net *net[2];
    bool values; /* true: outputs are action values; false: logits */
};

struct learner_class;
struct rounds_class;
struct run_kind;

/* The first member of the struct of every run. */
struct learner {
    const struct learner_class *class;
};

struct learner_class {
    const char *name; /* as in job specs */
    /* Hyper-parameters, if the algorithm uses run.h. */
    const struct run_kind *kind;
    /* Its part of the work, if it learns in rounds (rounds.h); else NULL. */
    const struct rounds_class *rounds;
    const struct hyper_field *fields;
    int field_count;
    /* The only game that it plays, which only has a name and seats; NULL: any game. */
    const struct learner_game *game;

    /* Makes a new run; the caller frees it with free(). The game must outlive it. NULL and a
     * sentence: a network cannot be made, or no memory. */
    struct learner *(*make)(const struct learner_class *class, const struct learner_game *game,
                            const struct learner_common *common, const struct learner_hyper *hyper,
                            char ret_error[LEARNER_ERROR_MAX]);
    void (*free)(struct learner *learner);

    /* Makes some decisions and the updates that go with them. False and a sentence: a network
     * failed, learning has diverged (learner_has_diverged()), or an action could not be played. The
     * run can then only be freed. */
    bool (*step)(struct learner *learner, char ret_error[LEARNER_ERROR_MAX]);

    void (*report)(const struct learner *learner, struct learner_report *ret_report);

    /* Lists the policies, the one to be judged first, and returns their number. */
    int (*policies)(const struct learner *learner,
                    struct learner_policy_view ret_policies[LEARNER_POLICIES_MAX]);

    /* Returns the bytes of the file of the only policy, for free(); NULL: no memory. Not there: the
     * networks of policies() are written. */
    unsigned char *(*policy_file)(const struct learner *learner, size_t *ret_size);

    /* Writes the complete state: networks, optimisers, memories, games, counters. False: the file
     * cannot be written, or no memory. */
    bool (*write)(const struct learner *learner, FILE *file);

    /* Reads a run that write() wrote under the same game, common and hyper; the number of threads
     * may differ. With another seed it becomes another run: networks, memories and games come from
     * the file, later draws depend on the new seed. NULL and a sentence as for make(), or if the
     * file is broken or belongs to other settings. */
    struct learner *(*read)(const struct learner_class *class, const struct learner_game *game,
                            const struct learner_common *common, const struct learner_hyper *hyper,
                            FILE *file, char ret_error[LEARNER_ERROR_MAX]);
};

/* Returns the algorithm called `name`, or NULL. */
const struct learner_class *learner_class_find(const char *name);

/* learner_nfsp and so on, one for each algorithm of api/jobs/train_algorithms.h. */
#define LEARNER_CLASS(id, ...) extern const struct learner_class learner_##id;
TRAIN_ALGORITHMS(LEARNER_CLASS)

/* An ablation of NFSP for toy games, which job specs do not offer: the average policy learns from
 * the latest decisions. */
extern const struct learner_class learner_nfsp_fifo;

static inline void learner_free(struct learner *learner)
{
    if (learner)
        learner->class->free(learner);
}

/* Adds a figure to a report, which has room for LEARNER_LOSSES_MAX. */
void learner_add_figure(struct learner_report *report, const char *name, double value);

struct learner_report learner_report_of(const struct learner *learner);

/* Whether a loss of the last update is infinite or not a number; step() then fails. */
bool learner_has_diverged(const struct learner *learner);

#endif
