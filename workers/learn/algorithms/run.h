/* The frame of a run in which two seats learn from games at tables (tables.h): what NFSP, DQN and
 * PPO share. An algorithm adds its networks and memories, how it decides, what it stores and how it
 * learns; its struct begins with struct run. */
#ifndef RINKD_WORKERS_LEARN_ALGORITHMS_RUN_H
#define RINKD_WORKERS_LEARN_ALGORITHMS_RUN_H

#include "workers/learn/algorithms/tables.h"

/* Networks of a seat that learn; tasks of learning after a step. */
enum { RUN_LEARNERS = 3, RUN_TASKS_MAX = 2 * RUN_LEARNERS };

struct run {
    struct learner learner; /* the first member */
    const struct learner_game *game;
    struct learner_common common;
    struct tables *tables;
    uint64_t steps;
    uint64_t updates[2][RUN_LEARNERS]; /* of each network of each seat */
    uint64_t tried;                    /* actions that were only tried */
    double learn_s[RUN_TASKS_MAX];
};

struct run_kind {
    size_t size, settings_at, settings_size; /* of the struct; of the settings, doubles, in it */
    const struct hyper_field *fields;
    int field_count;

    /* Makes networks and memories, and fills in `networks`, `roles` and what else differs of the
     * tables. False and a sentence; end() frees what is there. */
    bool (*begin)(struct run *run, struct tables_settings *ret_tables, char *ret_error);
    void (*end)(struct run *run);

    /* Networks that tables ask, as tables_settings has them. */
    void (*networks)(const struct run *run, struct net *ret_net[2][TABLES_NETWORKS_MAX]);
    tables_choice *choose; /* its context is the run */

    /* Stores what came of a step, table by table. False and a sentence. */
    bool (*store)(struct run *run, int table, char *ret_error);

    /* Tasks of learning after this step, RUN_TASKS_MAX at most, and one of them, which has
     * networks of its own to change. False and a sentence. */
    int (*tasks)(const struct run *run);
    bool (*learn)(struct run *run, int task, int thread, char *ret_error);

    /* Adds to a report what only the algorithm knows. */
    void (*report)(const struct run *run, struct learner_report *report);
    int (*policies)(const struct run *run,
                    struct learner_policy_view ret_policies[LEARNER_POLICIES_MAX]);

    bool (*write_seat)(const struct run *run, int seat, FILE *file);
    bool (*read_seat)(struct run *run, int seat, FILE *file);

    /* Files of before began with other eight bytes; NULL: there are none. Reads such a file;
     * returns NULL, or what is wrong. */
    const char *old_magic;
    const char *(*read_old)(struct run *run, FILE *file);
};

/* Streams of random numbers below 2^32 are those of tables. A run has two each of those from 2^32
 * on, one for each seat, the first of them for its networks (run_networks.c). */
struct random_key run_stream_key(const struct run *run, uint64_t stream, int seat);

/* Writes "WHAT: no memory"; returns false. */
bool run_no_memory(const char *what, char *ret_error);

/* The optimiser of these settings. */
static inline struct net_optimiser run_optimiser(double rule, double rate, double momentum,
                                                 double weight_decay, double clip)
{
    return (struct net_optimiser){.rule = (enum net_rule)rule,
                                  .rate = rate,
                                  .momentum = momentum,
                                  .decay = weight_decay,
                                  .clip = clip};
}

/* One backward pass and one step of a network whose d_outputs are filled in; `status` is that of
 * its forward pass. */
enum net_status run_descend(struct net *net, int batch, const float *d_outputs,
                            const struct net_optimiser *optimiser, enum net_status status);

/* The functions of a class whose kind is in the frame. */
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

/* NULL, or the name of the first number that the algorithm refuses, and why. */
const char *run_hyper_check(const struct learner_class *class, const struct learner_hyper *hyper,
                            size_t size, char *ret_why);

/* The kind of runs of `type`, with the file's functions of these names; more members may follow. */
#define RUN_KIND(type, table)                                                               \
    .size = sizeof(type), .settings_at = offsetof(type, settings),                          \
    .settings_size = sizeof(((type *)NULL)->settings), .fields = (table),                   \
    .field_count = sizeof(table) / sizeof(table)[0], .begin = begin, .end = end,            \
    .networks = networks, .choose = choose, .store = store, .tasks = tasks, .learn = learn, \
    .report = report, .policies = policies, .write_seat = write_seat, .read_seat = read_seat

#define RUN_CLASS(name_, kind_)                                                                \
    {                                                                                          \
        .name = name_, .kind = &(kind_), .make = run_make, .free = run_free, .step = run_step, \
        .report = run_report, .policies = run_policies, .write = run_write, .read = run_read   \
    }

#endif
