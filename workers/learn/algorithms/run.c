/* A step of a run: make one decision at each table, store the results, train the networks. */
#include "workers/learn/algorithms/run.h"

#include "workers/learn/algorithms/run_file.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct run *run_of(struct learner *learner)
{
    return (struct run *)learner;
}

static const struct run_kind *kind_of(const struct run *run)
{
    return run->learner.class->kind;
}

static uint64_t updates_of(const struct run *run)
{
    uint64_t sum = 0;
    for (int k = 0; k < RUN_LEARNERS; k++)
        sum += run->updates[0][k] + run->updates[1][k];
    return sum;
}

static void *settings_of(struct run *run)
{
    return (unsigned char *)run + kind_of(run)->settings_at;
}

/* --- helpers for algorithms --- */

struct random_key run_stream_key(const struct run *run, uint64_t stream, int seat)
{
    return (struct random_key){.seed = run->common.seed,
                               .stream = (uint64_t)1 << 32 | stream << 1 | (uint64_t)seat,
                               .purpose = RANDOM_CHOICE};
}

bool run_no_memory(const char *what, char *ret_error)
{
    snprintf(ret_error, LEARNER_ERROR_MAX, "%s: no memory", what);
    return false;
}

enum net_status run_descend(struct net *net, int batch, const float *d_outputs,
                            const struct net_optimiser *optimiser, enum net_status status)
{
    if (status == NET_OK)
        status = net_backward(net, batch, d_outputs);
    if (status == NET_OK)
        status = net_update(net, optimiser, NULL);
    return status;
}

/* --- making and freeing --- */

const char *run_hyper_check(const struct learner_class *class, const struct learner_hyper *hyper,
                            size_t size, char *ret_why)
{
    return hyper_check(class->kind->fields, class->kind->field_count, hyper, size, ret_why);
}

struct learner *run_make(const struct learner_class *class, const struct learner_game *game,
                         const struct learner_common *common, const struct learner_hyper *hyper,
                         char ret_error[LEARNER_ERROR_MAX])
{
    const struct run_kind *kind = class->kind;
    struct run *run = calloc(1, kind->size);
    struct tables_settings tables = {.self_share = 1.0, .roles = 1};

    if (!run) {
        run_no_memory(class->name, ret_error);
        return NULL;
    }
    run->learner.class = class;
    run->game = game;
    run->common = *common;
    hyper_fill(kind->fields, kind->field_count, hyper, settings_of(run));
    tables.game = game;
    tables.common = &run->common;
    tables.context = run;
    if (!kind->begin(run, &tables, ret_error) || !(run->tables = tables_new(&tables, ret_error))) {
        run_free(&run->learner);
        return NULL;
    }
    return &run->learner;
}

void run_free(struct learner *learner)
{
    struct run *run = run_of(learner);
    kind_of(run)->end(run);
    tables_free(run->tables);
    free(run);
}

/* --- a step --- */

struct lesson {
    struct run *run;
    char error[RUN_TASKS_MAX][LEARNER_ERROR_MAX]; /* "": none */
};

static void learn(void *context, size_t task, int thread)
{
    struct lesson *lesson = context;
    double start = pool_thread_s();
    lesson->error[task][0] = '\0';
    kind_of(lesson->run)->learn(lesson->run, (int)task, thread, lesson->error[task]);
    lesson->run->learn_s[task] += pool_thread_s() - start;
}

bool run_step(struct learner *learner, char ret_error[LEARNER_ERROR_MAX])
{
    struct run *run = run_of(learner);
    const struct run_kind *kind = kind_of(run);
    struct net *net[2][TABLES_NETWORKS_MAX] = {{NULL}};
    struct lesson lesson = {.run = run};

    kind->networks(run, net);
    if (!tables_step(run->tables, net, updates_of(run), kind->choose, ret_error))
        return false;
    for (int table = 0; table < tables_count(run->tables); table++)
        if (!kind->store(run, table, ret_error))
            return false;
    run->steps++;
    int tasks = kind->tasks(run);
    assert(tasks >= 0 && tasks <= RUN_TASKS_MAX);
    if (tasks > 0)
        pool_run(tables_pool(run->tables), (size_t)tasks, learn, &lesson);
    for (int task = 0; task < tasks; task++)
        if (lesson.error[task][0]) {
            snprintf(ret_error, LEARNER_ERROR_MAX, "%s", lesson.error[task]);
            return false;
        }
    return true;
}

/* --- reporting --- */

void run_report(const struct learner *learner, struct learner_report *ret_report)
{
    const struct run *run = (const struct run *)learner;
    *ret_report = (struct learner_report){.steps = run->steps,
                                          .updates = updates_of(run),
                                          .explore = (double)NAN,
                                          .anticipatory = (double)NAN,
                                          .entropy = {(double)NAN, (double)NAN}};
    tables_report(run->tables, ret_report);
    ret_report->throws = ret_report->decisions + run->tried;
    for (int task = 0; task < RUN_TASKS_MAX; task++)
        ret_report->learn_s += run->learn_s[task];
    kind_of(run)->report(run, ret_report);
}

int run_policies(const struct learner *learner,
                 struct learner_policy_view ret_policies[LEARNER_POLICIES_MAX])
{
    const struct run *run = (const struct run *)learner;
    return kind_of(run)->policies(run, ret_policies);
}

/* --- files: the head, the two seats, the tables --- */

static struct run_identity identity_of(const struct run *run)
{
    const struct run_kind *kind = kind_of(run);
    return (struct run_identity){
        .class = run->learner.class,
        .game = run->game,
        .common = &run->common,
        .settings = (const double *)((const unsigned char *)run + kind->settings_at),
        .settings_count = (int)(kind->settings_size / sizeof(double))};
}

bool run_write(const struct learner *learner, FILE *file)
{
    const struct run *run = (const struct run *)learner;
    const struct run_identity identity = identity_of(run);
    const uint64_t counters[RUN_COUNTERS] = {
        run->steps,         run->updates[0][0], run->updates[1][0], run->tried,
        run->updates[0][1], run->updates[1][1], run->updates[0][2], run->updates[1][2]};
    return run_head_write(&identity, counters, file) && kind_of(run)->write_seat(run, 0, file) &&
           kind_of(run)->write_seat(run, 1, file) && tables_write(run->tables, file);
}

/* Returns NULL, or what is wrong. */
static const char *read_new(struct run *run, FILE *file)
{
    const struct run_identity identity = identity_of(run);
    uint64_t counters[RUN_COUNTERS];
    const char *why = run_head_read(&identity, file, counters);

    if (why)
        return why;
    run->steps = counters[0];
    run->tried = counters[3];
    for (int k = 0; k < 2; k++) {
        run->updates[k][0] = counters[1 + k];
        run->updates[k][1] = counters[4 + k];
        run->updates[k][2] = counters[6 + k];
    }
    return kind_of(run)->read_seat(run, 0, file) && kind_of(run)->read_seat(run, 1, file) &&
                   tables_read(run->tables, file) && getc(file) == EOF
               ? NULL
               : "it is broken";
}

static bool begins_with(FILE *file, const char *magic)
{
    char found[8];
    long start = ftell(file);
    bool same = fread(found, 1, sizeof found, file) == sizeof found &&
                memcmp(found, magic, sizeof found) == 0;
    return fseek(file, start, SEEK_SET) == 0 && same;
}

struct learner *run_read(const struct learner_class *class, const struct learner_game *game,
                         const struct learner_common *common, const struct learner_hyper *hyper,
                         FILE *file, char ret_error[LEARNER_ERROR_MAX])
{
    struct learner *learner = run_make(class, game, common, hyper, ret_error);

    if (!learner)
        return NULL;
    bool is_old = class->kind->old_magic && begins_with(file, class->kind->old_magic);
    const char *why =
        is_old ? class->kind->read_old(run_of(learner), file) : read_new(run_of(learner), file);
    if (!why)
        return learner;
    run_free(learner);
    snprintf(ret_error, LEARNER_ERROR_MAX, "state of the run: %s", why);
    return NULL;
}
