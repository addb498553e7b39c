/* A step of a run: make one decision at each table, store the results, train the networks. */
#include "workers/learn/algorithms/run.h"

#include "workers/learn/algorithms/choosing.h"
#include "workers/learn/algorithms/run_networks.h"

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

static double *settings_of(const struct run *run)
{
    return (double *)((unsigned char *)run + kind_of(run)->settings_at);
}

/* --- helpers for algorithms --- */

struct random_key run_stream_key(const struct run *run, uint64_t stream, int seat)
{
    return (struct random_key){.seed = run->common.seed,
                               .stream = (uint64_t)1 << 32 | stream << 1 | (uint64_t)seat,
                               .purpose = RANDOM_CHOICE};
}

double run_explore(const struct run *run)
{
    return explore_share(run->explore, run->explore_decay, run->steps);
}

void run_draw(const struct run *run, uint64_t stream, int seat, int network,
              const struct memory *memory, struct batch *batch)
{
    struct random_key key = run_stream_key(run, stream, seat);
    bool mirrors = kind_of(run)->mirrors && run->game->mirror;
    uint64_t bits[4];

    key.game = run->updates[seat][network];
    batch->memory = memory;
    batch->count = run->batch;
    for (int k = 0; k < run->batch; k++) {
        if (k % 4 == 0)
            random_bits(&key, (uint64_t)k / 4, 0, bits);
        batch->row[k] = (int)pick_number(bits[k % 4], memory_count(memory));
        batch->mirrored[k] = mirrors && bits[k % 4] & 1;
    }
}

bool run_loss_is_good(struct run *run, int seat, int loss, enum net_status status, char *ret_error)
{
    char name[2 * LEARNER_NAME_MAX];
    snprintf(name, sizeof name, "%s/%s", kind_of(run)->losses[loss], run->game->seats[seat]);
    return run_step_is_good(status, &run->seat[seat].loss[loss], name, ret_error);
}

bool run_descend(struct run *run, int seat, int network, const struct batch *batch, double loss,
                 enum net_status status, char *ret_error)
{
    struct run_seat *s = &run->seat[seat];
    struct net *net = s->net[network], *target = s->net[kind_of(run)->target];
    uint64_t updates = ++run->updates[seat][network];
    struct net_optimiser optimiser = run->optimiser[network];

    optimiser.rate /= 1.0 + run->rate_decay * (double)updates;
    s->loss[network] = loss / batch->count;
    if (status == NET_OK)
        status = net_backward(net, batch->count, batch->d_outputs);
    if (status == NET_OK)
        status = net_update(net, &optimiser, NULL);
    if (status == NET_OK && network == 0 && target && target != net &&
        updates % run->target_interval == 0)
        status = net_copy(net, target);
    return run_loss_is_good(run, seat, network, status, ret_error);
}

/* --- making and freeing --- */

static bool make_networks(struct run *run, char *ret_error)
{
    const struct run_kind *kind = kind_of(run);

    for (int seat = 0; seat < 2; seat++)
        for (int n = 0; n < TABLES_NETWORKS_MAX; n++)
            if (run->outputs[n] > 0 &&
                !run_network_new(run->game, &run->common, kind->numbers[seat][n], run->outputs[n],
                                 &run->seat[seat].net[n], ret_error))
                return false;
    return true;
}

static bool refresh(struct run *run, char *ret_error)
{
    const struct run_kind *kind = kind_of(run);
    return !kind->refresh || (kind->refresh(run, 0, ret_error) && kind->refresh(run, 1, ret_error));
}

static void make_batches(struct run *run)
{
    int outputs = 0;

    run->batches = room_take(&run->room, (size_t)run->threads, sizeof *run->batches);
    for (int n = 0; n < TABLES_NETWORKS_MAX; n++)
        outputs = run->outputs[n] > outputs ? run->outputs[n] : outputs;
    for (int k = 0; k < run->threads && run->batches; k++)
        run->batches[k] = batch_make(&run->room, run->game, (size_t)run->rows, (size_t)outputs);
}

/* Makes everything but the struct. */
static bool make(struct run *run, char *ret_error)
{
    struct tables_settings tables = {.game = run->game,
                                     .common = &run->common,
                                     .self_share = 1.0,
                                     .roles = 1,
                                     .choose = kind_of(run)->choose,
                                     .context = run};

    kind_of(run)->begin(run, &tables);
    make_batches(run);
    if (run->room.is_full) {
        snprintf(ret_error, LEARNER_ERROR_MAX, "%s: no memory", run->learner.class->name);
        return false;
    }
    tables.parallel = run->parallel;
    memcpy(tables.outputs, run->outputs, (size_t)kind_of(run)->played * sizeof *run->outputs);
    run->tables = tables_new(&tables, &run->room, ret_error);
    return run->tables && make_networks(run, ret_error) && refresh(run, ret_error);
}

struct learner *run_make(const struct learner_class *class, const struct learner_game *game,
                         const struct learner_common *common, const struct learner_hyper *hyper,
                         char ret_error[LEARNER_ERROR_MAX])
{
    struct run *run = calloc(1, class->kind->size);

    if (!run) {
        snprintf(ret_error, LEARNER_ERROR_MAX, "%s: no memory", class->name);
        return NULL;
    }
    run->learner.class = class;
    run->game = game;
    run->common = *common;
    run->explore = run->anticipatory = (double)NAN;
    run->threads = common->threads > 1 ? common->threads : 1;
    hyper_fill(class->fields, class->field_count, hyper, settings_of(run));
    if (make(run, ret_error))
        return &run->learner;
    run_free(&run->learner);
    return NULL;
}

void run_free(struct learner *learner)
{
    struct run *run = run_of(learner);

    tables_stop(run->tables);
    for (int k = 0; k < 2 * TABLES_NETWORKS_MAX; k++)
        net_free(run->seat[k % 2].net[k / 2]);
    room_clear(&run->room);
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
    struct run *run = lesson->run;
    int learners = kind_of(run)->learners;
    double start = pool_thread_s();

    kind_of(run)->learn(run, (int)task / learners, (int)task % learners, &run->batches[thread],
                        lesson->error[task]);
    run->learn_s[task] += pool_thread_s() - start;
}

bool run_step(struct learner *learner, char ret_error[LEARNER_ERROR_MAX])
{
    struct run *run = run_of(learner);
    const struct run_kind *kind = kind_of(run);
    struct net *net[2][TABLES_NETWORKS_MAX] = {{NULL}};
    struct lesson lesson = {.run = run};
    int tasks = 2 * kind->learners;

    for (int seat = 0; seat < 2; seat++)
        memcpy(net[seat], run->seat[seat].net, (size_t)kind->played * sizeof net[seat][0]);
    if (!tables_step(run->tables, net, updates_of(run), ret_error))
        return false;
    for (int table = 0; table < run->parallel; table++)
        if (!kind->store(run, table, ret_error))
            return false;
    run->steps++;
    pool_run(tables_pool(run->tables), (size_t)tasks, learn, &lesson);
    for (int task = 0; task < tasks; task++)
        if (lesson.error[task][0]) {
            snprintf(ret_error, LEARNER_ERROR_MAX, "%s", lesson.error[task]);
            return false;
        }
    return true;
}

/* --- reporting --- */

static void report_seat(const struct run *run, int seat, struct learner_report *report)
{
    const struct run_kind *kind = kind_of(run);
    const struct run_seat *s = &run->seat[seat];
    const char *seat_name = run->game->seats[seat];

    report->entropy[seat] = s->entropy.count ? s->entropy.mean : (double)NAN;
    for (int n = 0; kind->losses[n]; n++) {
        if (!s->net[n])
            continue;
        assert(report->losses < LEARNER_LOSSES_MAX);
        struct learner_loss *loss = &report->loss[report->losses++];
        snprintf(loss->name, sizeof loss->name, "loss/%s/%s", kind->losses[n], seat_name);
        loss->value = s->loss[n];
    }
    for (int n = 0; n < RUN_LEARNERS; n++) {
        if (!kind->memories[n])
            continue;
        assert(report->memories < LEARNER_MEMORIES_MAX);
        struct learner_memory *memory = &report->memory[report->memories++];
        snprintf(memory->name, sizeof memory->name, "memory/%s/%s", kind->memories[n], seat_name);
        memory->entries = s->memory[n] ? memory_count(s->memory[n]) : s->rollout.count;
    }
}

void run_report(const struct learner *learner, struct learner_report *ret_report)
{
    const struct run *run = (const struct run *)learner;
    *ret_report = (struct learner_report){.steps = run->steps,
                                          .updates = updates_of(run),
                                          .explore = run_explore(run),
                                          .anticipatory = run->anticipatory};
    tables_report(run->tables, ret_report);
    ret_report->throws = ret_report->decisions + run->tried;
    for (int task = 0; task < RUN_TASKS_MAX; task++)
        ret_report->learn_s += run->learn_s[task];
    report_seat(run, 0, ret_report);
    report_seat(run, 1, ret_report);
}

int run_policies(const struct learner *learner,
                 struct learner_policy_view ret_policies[LEARNER_POLICIES_MAX])
{
    const struct run *run = (const struct run *)learner;
    const struct run_kind *kind = kind_of(run);
    int count = 0;

    for (; count < LEARNER_POLICIES_MAX && kind->policies[count].name; count++) {
        int network = kind->policies[count].network;
        ret_policies[count] = (struct learner_policy_view){
            .name = kind->policies[count].name,
            .net = {run->seat[0].net[network], run->seat[1].net[network]},
            .values = kind->policies[count].values};
    }
    return count;
}

/* --- files: the head, the two seats, the tables, in the byte order of the machine --- */

enum { VERSION = 1 };

struct head {
    char magic[8], algorithm[24], game[64], architecture[16];
    uint64_t version, seed;
    double game_numbers[4], network_numbers[8], settings[32];
    uint64_t steps, updates_0[2], tried, updates_1[2], updates_2[2]; /* updates_n[seat] */
};

/* Zeroes the head first, padding included: heads are compared as bytes. */
static void fill_head(const struct run *run, struct head *ret)
{
    const struct learner_game *game = run->game;
    const struct net_spec *network = &run->common.network;
    const double game_numbers[] = {game->actions, game->inputs, game->decisions_max,
                                   (double)game->observation_size};
    int count = 0;

    memset(ret, 0, sizeof *ret);
    memcpy(ret->magic, "rinkRUN", sizeof ret->magic);
    snprintf(ret->algorithm, sizeof ret->algorithm, "%s", run->learner.class->name);
    snprintf(ret->game, sizeof ret->game, "%s", game->name);
    snprintf(ret->architecture, sizeof ret->architecture, "%s", network->architecture);
    ret->version = VERSION;
    ret->seed = run->common.seed;
    memcpy(ret->game_numbers, game_numbers, sizeof game_numbers);
    for (int k = 0; k < NET_HIDDEN_MAX; k++)
        ret->network_numbers[count++] = network->hidden[k];
    ret->network_numbers[count++] = network->planes;
    ret->network_numbers[count++] = network->rows;
    ret->network_numbers[count++] = network->row_features;
    assert(kind_of(run)->settings_size <= sizeof ret->settings);
    memcpy(ret->settings, settings_of(run), kind_of(run)->settings_size);
    ret->steps = run->steps;
    ret->tried = run->tried;
    for (int seat = 0; seat < 2; seat++) {
        ret->updates_0[seat] = run->updates[seat][0];
        ret->updates_1[seat] = run->updates[seat][1];
        ret->updates_2[seat] = run->updates[seat][2];
    }
}

static bool pass_bytes(void *bytes, size_t size, FILE *file, bool writes)
{
    return (writes ? fwrite(bytes, 1, size, file) : fread(bytes, 1, size, file)) == size;
}

/* Writes or reads a seat. */
static bool pass_seat(struct run *run, int number, FILE *file, bool writes)
{
    const struct run_kind *kind = kind_of(run);
    struct run_seat *seat = &run->seat[number];
    bool good = true;

    for (int n = 0; kind->losses[n] && good; n++)
        good = pass_bytes(&seat->loss[n], sizeof seat->loss[n], file, writes);
    good = good && pass_bytes(&seat->entropy, kind->entropy_size, file, writes);
    for (int n = 0; n < kind->stored && good; n++)
        if (seat->net[n])
            good = writes ? run_network_write(seat->net[n], file)
                          : run_network_read(seat->net[n], file);
    for (int n = 0; n < RUN_LEARNERS && good; n++)
        if (seat->memory[n])
            good =
                writes ? memory_write(seat->memory[n], file) : memory_read(seat->memory[n], file);
    if (good && seat->rollout.capacity > 0)
        good = writes ? rollout_write(&seat->rollout, file)
                      : rollout_read(&seat->rollout, run->game->actions, file);
    return good;
}

bool run_write(const struct learner *learner, FILE *file)
{
    struct run *run = (struct run *)learner; /* not changed */
    struct head head;

    fill_head(run, &head);
    return pass_bytes(&head, sizeof head, file, true) && pass_seat(run, 0, file, true) &&
           pass_seat(run, 1, file, true) && tables_write(run->tables, file);
}

/* Returns NULL, or a sentence that names the fault. */
static const char *read_new(struct run *run, FILE *file)
{
    struct head head, own;

    if (fread(&head, sizeof head, 1, file) != 1)
        return "it is not the state of such a run";
    run->steps = head.steps;
    run->tried = head.tried;
    for (int seat = 0; seat < 2; seat++) {
        run->updates[seat][0] = head.updates_0[seat];
        run->updates[seat][1] = head.updates_1[seat];
        run->updates[seat][2] = head.updates_2[seat];
    }
    fill_head(run, &own);
    own.seed = head.seed; /* may differ */
    if (memcmp(head.magic, own.magic, sizeof own.magic) != 0 ||
        memcmp(head.algorithm, own.algorithm, sizeof own.algorithm) != 0)
        return "it is not the state of such a run";
    if (memcmp(&head, &own, sizeof own) != 0)
        return "it is of another game, other settings or another version";
    return pass_seat(run, 0, file, false) && pass_seat(run, 1, file, false) &&
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
    if (!why && refresh(run_of(learner), ret_error))
        return learner;
    run_free(learner);
    if (why)
        snprintf(ret_error, LEARNER_ERROR_MAX, "state of the run: %s", why);
    return NULL;
}
