/* The frame of a run in which two seats learn from games at tables (tables.h): what NFSP, DQN and
 * PPO share. An algorithm adds its networks and memories, how it decides, what it stores and how it
 * learns; its struct begins with struct run. */
#ifndef RINKD_WORKERS_LEARN_ALGORITHMS_RUN_H
#define RINKD_WORKERS_LEARN_ALGORITHMS_RUN_H

#include "workers/learn/algorithms/tables.h"

/* Learning networks of a seat; learning tasks after a step. */
enum { RUN_LEARNERS = 3, RUN_TASKS_MAX = 2 * RUN_LEARNERS };

struct run {
    struct learner learner; /* must be first */
    const struct learner_game *game;
    struct learner_common common;
    struct tables *tables;
    uint64_t steps;
    uint64_t updates[2][RUN_LEARNERS]; /* of each network of a seat */
    uint64_t tried;                    /* actions that were only tried */
    double learn_s[RUN_TASKS_MAX];
};

struct run_kind {
    /* Size of the struct; offset and size of its settings, which are doubles. */
    size_t size, settings_at, settings_size;
    const struct hyper_field *fields;
    int field_count;

    /* Makes networks and memories, and fills in the settings of the tables that depend on the
     * algorithm. False and a sentence on failure; end() frees what was made. */
    bool (*begin)(struct run *run, struct tables_settings *ret_tables, char *ret_error);
    void (*end)(struct run *run);

    /* Lists the networks that tables evaluate, in the order of tables_settings.outputs. */
    void (*networks)(const struct run *run, struct net *ret_net[2][TABLES_NETWORKS_MAX]);
    tables_choice *choose; /* gets the run as context */

    /* Stores a table's results after a step. False and a sentence on failure. */
    bool (*store)(struct run *run, int table, char *ret_error);

    /* tasks() returns the number of learning tasks after this step, at most RUN_TASKS_MAX. learn()
     * performs one; no two tasks change the same network. False and a sentence on failure. */
    int (*tasks)(const struct run *run);
    bool (*learn)(struct run *run, int task, int thread, char *ret_error);

    /* Adds the algorithm's own numbers to a report. */
    void (*report)(const struct run *run, struct learner_report *report);
    int (*policies)(const struct run *run,
                    struct learner_policy_view ret_policies[LEARNER_POLICIES_MAX]);

    bool (*write_seat)(const struct run *run, int seat, FILE *file);
    bool (*read_seat)(struct run *run, int seat, FILE *file);

    /* The eight bytes at the start of files of old versions; NULL: there are none. read_old() reads
     * such a file and returns NULL, or what is wrong. */
    const char *old_magic;
    const char *(*read_old)(struct run *run, FILE *file);
};

/* Returns the key of a run's stream for a seat. Tables use the random streams below 2^32; each
 * stream of a run takes two from 2^32 on, one for each seat. Stream 0 is for the networks
 * (run_networks.c). */
struct random_key run_stream_key(const struct run *run, uint64_t stream, int seat);

/* Writes "WHAT: no memory" and returns false. */
bool run_no_memory(const char *what, char *ret_error);

static inline struct net_optimiser run_optimiser(double rule, double rate, double momentum,
                                                 double weight_decay, double clip)
{
    return (struct net_optimiser){.rule = (enum net_rule)rule,
                                  .rate = rate,
                                  .momentum = momentum,
                                  .decay = weight_decay,
                                  .clip = clip};
}

/* Does one backward pass and one step of a network with the given d_outputs. `status` is the result
 * of its forward pass; an error is returned unchanged. */
enum net_status run_descend(struct net *net, int batch, const float *d_outputs,
                            const struct net_optimiser *optimiser, enum net_status status);

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

/* Returns NULL, or the name of the first number that the algorithm refuses; ret_why says why. */
const char *run_hyper_check(const struct learner_class *class, const struct learner_hyper *hyper,
                            size_t size, char *ret_why);

/* Members of a run_kind for struct `type`, with the functions of these names in the including file;
 * more members may follow. */
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
