/* The trainer's view of an algorithm that learns to play a game of two (learner_game.h): a table of
 * functions, and the report of a run.
 *
 * A run belongs to one thread at a time; inside it may use several. Every draw depends on the seed
 * and on counters only, so results do not depend on the number of threads, and a run that is
 * written, read and continued is the same run. */
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
    LEARNER_NAME_MAX = 32
};

/* Settings of every algorithm. The run borrows `device` and the architecture. */
struct learner_common {
    /* Architecture and layers, with rows and planes where it has them; inputs, outputs and seed are
     * filled in. */
    struct net_spec network;
    const char *device; /* "cpu", "cuda", "auto" */
    int threads;        /* that a step may use, 1 …; they change its duration only */
    uint64_t seed;
};

struct learner_report {
    uint64_t steps;
    uint64_t games;      /* played to the end; an end of curling each */
    uint64_t decisions;  /* in them and in those that go on */
    uint64_t throws;     /* actions played, those that were only tried included */
    uint64_t updates;    /* of all networks */
    double explore;      /* share of random actions now; NAN: the algorithm has none */
    double anticipatory; /* NFSP's eta; NAN: the algorithm has none */

    /* `[2]` is indexed by seat. Mean sum of a seat's rewards over about the last thousand games,
     * from its first decision on; mean entropy (nats) of the resulting policy over about the last
     * thousand decisions; NAN: not known yet. */
    double reward[2], entropy[2];

    /* Losses of the last update, mean over the batch: "loss/response/sente" and so on; NAN where
     * the gradient was not finite. */
    int losses;
    struct learner_loss {
        char name[LEARNER_NAME_MAX];
        double value;
    } loss[LEARNER_LOSSES_MAX];

    /* Entries of memories: "memory/response/sente" and so on. */
    int memories;
    struct learner_memory {
        char name[LEARNER_NAME_MAX];
        uint64_t entries;
    } memory[LEARNER_MEMORIES_MAX];

    /* Processor seconds of all threads since this process made or read the run: playing actions and
     * making inputs of networks, asking networks while playing, learning. Not part of the state. */
    double play_s, network_s, learn_s;
};

/* One of the policies that a run has. Its networks, of either seat, belong to the run. */
struct learner_policy_view {
    const char *name; /* "average", "response", "greedy", "policy" */
    const struct net *net[2];
    bool values; /* outputs are values of actions, else logits */
};

struct learner_class;
struct run_kind;

/* Begins the struct of every run. */
struct learner {
    const struct learner_class *class;
};

struct learner_class {
    const char *name;            /* as job specs say */
    const struct run_kind *kind; /* of an algorithm that is played at tables (run.h); else NULL */

    /* A run at its beginning, for the caller to give to free(). NULL and a sentence: a network that
     * cannot be made, no memory. The game has to outlive it. */
    struct learner *(*make)(const struct learner_class *class, const struct learner_game *game,
                            const struct learner_common *common, const struct learner_hyper *hyper,
                            char ret_error[LEARNER_ERROR_MAX]);
    void (*free)(struct learner *learner);

    /* A piece of the run: some decisions and the updates that go with them. False and a sentence: a
     * network failed, learning has diverged (learner_has_diverged()), an action could not be
     * played. The run cannot go on then, only be freed. */
    bool (*step)(struct learner *learner, char ret_error[LEARNER_ERROR_MAX]);

    void (*report)(const struct learner *learner, struct learner_report *ret_report);

    /* Writes the policies, the one to be judged first; returns how many. */
    int (*policies)(const struct learner *learner,
                    struct learner_policy_view ret_policies[LEARNER_POLICIES_MAX]);

    /* Writes everything that is needed to go on: networks, optimisers, memories, games, counters.
     * False: the file could not be written, or no memory. */
    bool (*write)(const struct learner *learner, FILE *file);

    /* A run as it was written, under the same game, common and hyper (another number of threads is
     * fine). Under another seed it is another run from here on: networks, memories and games are
     * those of the file, later draws depend on its own seed. NULL and a sentence as make(), or if
     * the file is broken or belongs to another run. */
    struct learner *(*read)(const struct learner_class *class, const struct learner_game *game,
                            const struct learner_common *common, const struct learner_hyper *hyper,
                            FILE *file, char ret_error[LEARNER_ERROR_MAX]);
};

/* The algorithm called `name`; NULL if there is none. */
const struct learner_class *learner_class_find(const char *name);

/* learner_nfsp and so on: one for each algorithm of api/train_algorithms.h. */
#define LEARNER_CLASS(id, ...) extern const struct learner_class learner_##id;
TRAIN_ALGORITHMS(LEARNER_CLASS)

static inline void learner_free(struct learner *learner)
{
    if (learner)
        learner->class->free(learner);
}

/* Whether a loss of the last update is infinite or not a number, so that step() fails. */
bool learner_has_diverged(const struct learner *learner);

/* Adds a loss or a memory of a seat to a report, under "KIND/NAME/SEAT". */
void learner_report_loss(struct learner_report *report, const struct learner_game *game,
                         const char *name, int seat, double value);
void learner_report_memory(struct learner_report *report, const struct learner_game *game,
                           const char *name, int seat, uint64_t entries);

#endif
