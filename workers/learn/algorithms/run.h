/* The frame of a run in which two seats learn from games at tables (tables.h): what NFSP, DQN and
 * PPO share. It owns the networks and memories of the seats. An algorithm says which there are, how
 * it decides, what it stores and how it learns; its struct begins with struct run. */
#ifndef RINKD_WORKERS_LEARN_ALGORITHMS_RUN_H
#define RINKD_WORKERS_LEARN_ALGORITHMS_RUN_H

#include "workers/learn/algorithms/batch.h"
#include "workers/learn/algorithms/tables.h"
#include "workers/learn/memory/rollout.h"

/* A seat has at most this many learning networks; they come first among its networks. Each is a
 * task of a step. */
enum { RUN_LEARNERS = 3, RUN_TASKS_MAX = 2 * RUN_LEARNERS };

/* A running mean of `count` numbers. */
struct run_mean {
    double mean;
    uint64_t count;
};

struct run_seat {
    struct net *net[TABLES_NETWORKS_MAX]; /* NULL: not used */
    struct memory *memory[RUN_LEARNERS];  /* NULL: not used */
    struct rollout rollout;               /* capacity 0: not used */
    double loss[RUN_LEARNERS];            /* of the last update, under run_kind.losses */
    struct run_mean entropy;              /* of the policy, nats; of 0 numbers: not known */
};

struct run {
    struct learner learner; /* must be first */
    const struct learner_game *game;
    struct learner_common common;
    struct room room; /* holds all buffers */
    struct tables *tables;
    struct run_seat seat[2];
    int threads;
    struct batch *batches; /* [threads] */
    uint64_t steps;
    uint64_t updates[2][RUN_LEARNERS]; /* of each network of a seat */
    uint64_t tried;                    /* actions that were only tried */
    double learn_s[RUN_TASKS_MAX];

    /* run_kind.begin() fills in the rest. */
    int parallel;                                 /* number of tables */
    int outputs[TABLES_NETWORKS_MAX];             /* of a seat's networks; 0: not used */
    struct net_optimiser optimiser[RUN_LEARNERS]; /* of the learning networks */
    int rows;                                     /* room in a batch */
    int batch;                                    /* records that run_draw() draws */
    uint64_t target_interval; /* updates of network 0 between copies to run_kind.target */
    double rate_decay; /* step sizes are divided by 1 + rate_decay * updates of the network */
    double explore, explore_decay; /* as in explore_share(); NAN: no random actions */
    double anticipatory;           /* for reports; NAN: the algorithm has none */
};

struct run_kind {
    /* Size of the struct; offset and size of its settings, which are doubles. */
    size_t size, settings_at, settings_size;

    /* The first `learners` networks of a seat learn, the first `stored` are in files, the first
     * `played` are used at tables. Network `target` is a copy of network 0 that lags behind; 0:
     * there is none. numbers[seat]: for run_network_new(). */
    int learners, stored, played, target;
    int numbers[2][TABLES_NETWORKS_MAX];
    bool mirrors; /* whether run_draw() mirrors decisions, if the game can */

    /* Names for reports. NULL ends the list of losses. A memory without a name is not reported; a
     * rollout goes by the name of memory 0. */
    const char *losses[RUN_LEARNERS + 1], *memories[RUN_LEARNERS];

    /* The policies, as in struct learner_policy_view; the one to be judged comes first. A NULL name
     * ends the list. */
    struct {
        const char *name;
        int network;
        bool values;
    } policies[LEARNER_POLICIES_MAX];

    size_t entropy_size; /* bytes of run_seat.entropy in files */

    /* Takes memories and buffers from run->room, and fills in the last members of struct run and
     * the settings of the tables that differ between algorithms. The caller checks run->room. */
    void (*begin)(struct run *run, struct tables_settings *ret_tables);

    /* Called after the run is made or read: updates networks that are computed from others. False
     * and a sentence on failure. NULL: there are none. */
    bool (*refresh)(struct run *run, int seat, char *ret_error);

    tables_choice *choose; /* gets the run as context */

    /* Stores a table's results after a step. False and a sentence on failure. */
    bool (*store)(struct run *run, int table, char *ret_error);

    /* Updates a learning network of a seat after a step, if it is time. Several calls run in
     * parallel, each for another network. False and a sentence on failure. */
    bool (*learn)(struct run *run, int seat, int network, struct batch *batch, char *ret_error);

    /* The eight bytes at the start of files of old versions; NULL: there are none. read_old() reads
     * such a file and returns NULL, or a sentence that names the fault. */
    const char *old_magic;
    const char *(*read_old)(struct run *run, FILE *file);
};

/* Returns the key of a run's stream for a seat. Tables use the random streams below 2^32; each
 * stream of a run takes two from 2^32 on, one for each seat. Stream 0 is for the networks
 * (run_networks.c). */
struct random_key run_stream_key(const struct run *run, uint64_t stream, int seat);

static inline struct net_optimiser run_optimiser(double rule, double rate, double momentum,
                                                 double weight_decay, double clip)
{
    return (struct net_optimiser){.rule = (enum net_rule)rule,
                                  .rate = rate,
                                  .momentum = momentum,
                                  .decay = weight_decay,
                                  .clip = clip};
}

/* Returns the share of random actions now. */
double run_explore(const struct run *run);

/* Draws records of a memory for the next update of a network, and which of them to mirror. */
void run_draw(const struct run *run, uint64_t stream, int seat, int network,
              const struct memory *memory, struct batch *batch);

/* Completes an update of a network on a batch. `loss` is the sum over its rows, `status` the result
 * of the forward pass. False and a sentence on failure. */
bool run_descend(struct run *run, int seat, int network, const struct batch *batch, double loss,
                 enum net_status status, char *ret_error);

/* Calls run_step_is_good() for a loss of a seat; the sentence names both. */
bool run_loss_is_good(struct run *run, int seat, int loss, enum net_status status, char *ret_error);

/* The learner_class functions shared by all kinds of runs. */
struct learner *run_make(const struct learner_class *class, const struct learner_game *game,
                         const struct learner_common *common, const struct learner_hyper *hyper,
                         char ret_error[LEARNER_ERROR_MAX]);
void run_free(struct learner *learner);
bool run_step(struct learner *learner, char ret_error[LEARNER_ERROR_MAX]);
void run_report(const struct learner *learner, struct learner_report *ret_report);
int run_policies(const struct learner *learner,
                 struct learner_policy_view ret_policies[LEARNER_POLICIES_MAX]);
bool run_write(const struct learner *learner, FILE *file);
struct learner *run_read(const struct learner_class *class, const struct learner_game *game,
                         const struct learner_common *common, const struct learner_hyper *hyper,
                         FILE *file, char ret_error[LEARNER_ERROR_MAX]);

/* Members of a run_kind for struct `type`, with the functions of these names in the including file;
 * more members follow. */
#define RUN_KIND(type)                                                                   \
    .size = sizeof(type), .settings_at = offsetof(type, settings),                       \
    .settings_size = sizeof(((type *)NULL)->settings), .begin = begin, .choose = choose, \
    .store = store

#define RUN_CLASS(name_, kind_, fields_)                                                      \
    {                                                                                         \
        .name = name_, .kind = &(kind_), .fields = fields_,                                   \
        .field_count = sizeof(fields_) / sizeof *fields_, .make = run_make, .free = run_free, \
        .step = run_step, .report = run_report, .policies = run_policies, .write = run_write, \
        .read = run_read                                                                      \
    }

#endif
