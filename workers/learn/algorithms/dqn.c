/* Deep Q-learning. */
#include "workers/learn/algorithms/dqn.h"

#include "workers/learn/algorithms/choosing.h"
#include "workers/learn/algorithms/hyper.h"
#include "workers/learn/algorithms/losses.h"
#include "workers/learn/algorithms/run_file.h"
#include "workers/learn/algorithms/run_networks.h"
#include "workers/learn/algorithms/tables.h"
#include "workers/learn/memory/replay.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

/* Streams of random numbers below 2^32 are those of tables; the networks have the first one. */
enum { STREAM_BATCHES = 1 };

/* Doubles only: they are compared with those in a file. */
struct dqn_settings {
    double discount, explore, explore_decay;
    double optimiser, rate, momentum, weight_decay, clip;
    double batch, updates, parallel, memory, target_interval, warm_up;
    double double_q, n_step, self_share;
};

#define FIELD(member, otherwise, least, most, whole)                                  \
    {                                                                                 \
#member, offsetof(struct dqn_settings, member), otherwise, least, most, whole \
    }
static const struct hyper_field fields[] = {
    FIELD(discount, 1.0, 0.0, 1.0, false),
    FIELD(explore, 0.3, 0.0, 1.0, false),
    FIELD(explore_decay, 0.01, 0.0, 1e9, false),
    FIELD(optimiser, NET_SGD, NET_SGD, NET_ADAM, true),
    FIELD(rate, 0.1, 0.0, 1e9, false),
    FIELD(momentum, 0.9, 0.0, 1.0, false),
    FIELD(weight_decay, 0.0, 0.0, 1e9, false),
    FIELD(clip, 0.0, 0.0, 1e9, false),
    FIELD(batch, 128, 1, 1 << 20, true),
    FIELD(updates, 2, 0, 1 << 20, true),
    FIELD(parallel, 128, 1, 1 << 20, true),
    FIELD(memory, 200000, 1, 4294967295.0, true),
    FIELD(target_interval, 100, 0, 1e9, true),
    FIELD(warm_up, 1000, 1, 4294967295.0, true),
    FIELD(double_q, 1, 0, 1, true),
    FIELD(n_step, 1, 1, 1000, true),
    FIELD(self_share, 1.0, 0.0, 1.0, false),
};
enum { FIELDS = sizeof fields / sizeof fields[0] };

/* Room for one update, [batch] rows. */
struct room {
    float *inputs, *next_inputs, *outputs, *next_outputs, *next_choosing, *d_outputs;
    bool *next_legal; /* [batch][actions] */
    int *next_row;    /* -1: the game was over */
    int *action;
    float *reward;
};

struct seat {
    struct net *net, *target; /* target: NULL if not used */
    struct replay *transitions;
    struct room room;
    uint64_t updates;
    double loss; /* of the last one */
    bool failed;
    char error[LEARNER_ERROR_MAX];
};

struct dqn {
    struct learner learner;
    const struct learner_game *game;
    struct learner_common common;
    struct dqn_settings settings;
    struct net_optimiser optimiser;
    struct tables *tables;
    struct seat seat[2];
    uint64_t steps;
    double explore; /* in this step */
    double learn_s[2];
};

/* --- making and freeing --- */

static void free_room(struct room *room)
{
    free(room->inputs);
    free(room->next_inputs);
    free(room->outputs);
    free(room->next_outputs);
    free(room->next_choosing);
    free(room->d_outputs);
    free(room->next_legal);
    free(room->next_row);
    free(room->action);
    free(room->reward);
}

static bool make_room(const struct dqn *dqn, struct room *room)
{
    size_t batch = (size_t)dqn->settings.batch;
    size_t inputs = batch * (size_t)dqn->game->inputs, actions = batch * (size_t)dqn->game->actions;
    return (room->inputs = calloc(inputs, sizeof(float))) &&
           (room->next_inputs = calloc(inputs, sizeof(float))) &&
           (room->outputs = calloc(actions, sizeof(float))) &&
           (room->next_outputs = calloc(actions, sizeof(float))) &&
           (room->next_choosing = calloc(actions, sizeof(float))) &&
           (room->d_outputs = calloc(actions, sizeof(float))) &&
           (room->next_legal = calloc(actions, sizeof(bool))) &&
           (room->next_row = calloc(batch, sizeof(int))) &&
           (room->action = calloc(batch, sizeof(int))) &&
           (room->reward = calloc(batch, sizeof(float)));
}

static void dqn_free(struct learner *learner)
{
    struct dqn *dqn = (struct dqn *)learner;
    for (int k = 0; k < 2; k++) {
        net_free(dqn->seat[k].net);
        net_free(dqn->seat[k].target);
        replay_free(dqn->seat[k].transitions);
        free_room(&dqn->seat[k].room);
    }
    tables_free(dqn->tables);
    free(dqn);
}

static bool make_seat(struct dqn *dqn, int number, char *ret_error)
{
    struct seat *seat = &dqn->seat[number];
    int actions = dqn->game->actions;
    if (!run_network_new(dqn->game, &dqn->common, number, actions, &seat->net, ret_error) ||
        (dqn->settings.target_interval > 0.0 &&
         !run_network_new(dqn->game, &dqn->common, number, actions, &seat->target, ret_error)))
        return false;
    seat->transitions = replay_new((size_t)dqn->settings.memory, dqn->game->observation_size);
    if (seat->transitions && make_room(dqn, &seat->room))
        return true;
    snprintf(ret_error, LEARNER_ERROR_MAX, "dqn: no memory");
    return false;
}

static bool make_tables(struct dqn *dqn, char *ret_error)
{
    const struct tables_settings settings = {.game = dqn->game,
                                             .common = &dqn->common,
                                             .parallel = (int)dqn->settings.parallel,
                                             .outputs = dqn->game->actions,
                                             .self_share = dqn->settings.self_share};
    dqn->tables = tables_new(&settings, ret_error);
    return dqn->tables != NULL;
}

static struct learner *dqn_make(const struct learner_game *game,
                                const struct learner_common *common,
                                const struct learner_hyper *hyper,
                                char ret_error[LEARNER_ERROR_MAX])
{
    struct dqn_settings settings;
    if (!hyper_read(fields, FIELDS, hyper, &settings, ret_error))
        return NULL;
    struct dqn *dqn = calloc(1, sizeof *dqn);
    if (!dqn) {
        snprintf(ret_error, LEARNER_ERROR_MAX, "dqn: no memory");
        return NULL;
    }
    dqn->learner.class = &learner_dqn;
    dqn->game = game;
    dqn->common = *common;
    dqn->settings = settings;
    dqn->optimiser = (struct net_optimiser){.rule = (enum net_rule)settings.optimiser,
                                            .rate = settings.rate,
                                            .momentum = settings.momentum,
                                            .decay = settings.weight_decay,
                                            .clip = settings.clip};
    if (!make_seat(dqn, 0, ret_error) || !make_seat(dqn, 1, ret_error) ||
        !make_tables(dqn, ret_error)) {
        dqn_free(&dqn->learner);
        return NULL;
    }
    return &dqn->learner;
}

/* --- playing --- */

static int choose(const void *context, const float *outputs, const bool *legal,
                  const struct random_key *key, float ret_notes[TABLES_NOTES])
{
    const struct dqn *dqn = context;
    uint64_t bits[4];
    (void)ret_notes;
    random_bits(key, 0, 0, bits);
    return random_unit(bits[0]) < dqn->explore ? pick_legal(bits[1], legal, dqn->game->actions)
                                               : legal_argmax(outputs, legal, dqn->game->actions);
}

/* Decision `number` of a seat has its return: the rewards from it to decision `until`, where the
 * seat sees `next`, or to the end of the game (NULL). */
static void remember(struct dqn *dqn, int table, int seat, int number, int until, const void *next)
{
    double sum = 0.0;
    for (int k = until - 1; k >= number; k--)
        sum = tables_decision(dqn->tables, table, seat, k)->reward + dqn->settings.discount * sum;
    const struct transition transition = {
        .observation = tables_observation(dqn->tables, table, seat, number),
        .action = tables_decision(dqn->tables, table, seat, number)->action,
        .reward = (float)sum,
        .next = next};
    replay_add(dqn->seat[seat].transitions, &transition);
}

static void remember_step(struct dqn *dqn)
{
    const int n_step = (int)dqn->settings.n_step;
    for (int table = 0; table < (int)dqn->settings.parallel; table++) {
        int seat = tables_decided(dqn->tables, table);
        int last = seat < 0 ? 0 : tables_decisions(dqn->tables, table, seat) - 1;
        if (last >= n_step)
            remember(dqn, table, seat, last - n_step, last,
                     tables_observation(dqn->tables, table, seat, last));
        for (int k = 0; k < 2 && tables_over(dqn->tables, table); k++) {
            int all = tables_decisions(dqn->tables, table, k);
            for (int number = all > n_step ? all - n_step : 0; number < all; number++)
                remember(dqn, table, k, number, all, NULL);
        }
    }
}

/* --- learning --- */

/* Draws transitions and lays them out for the networks; returns how many have a next decision. */
static int draw_batch(const struct dqn *dqn, int number)
{
    const struct learner_game *game = dqn->game;
    const struct seat *seat = &dqn->seat[number];
    const struct room *room = &seat->room;
    size_t inputs = (size_t)game->inputs, actions = (size_t)game->actions;
    size_t count = replay_count(seat->transitions);
    int rows = 0;
    _Alignas(16) unsigned char observation[LEARNER_BYTES_MAX], next[LEARNER_BYTES_MAX];
    struct random_key key = {.seed = dqn->common.seed,
                             .stream = (uint64_t)1 << 32 | STREAM_BATCHES << 1 | (uint64_t)number,
                             .game = seat->updates,
                             .purpose = RANDOM_CHOICE};
    uint64_t bits[4];

    for (int k = 0; k < (int)dqn->settings.batch; k++) {
        if (k % 4 == 0)
            random_bits(&key, (uint64_t)k / 4, 0, bits);
        struct transition t =
            replay_get(seat->transitions, pick_number(bits[k % 4], count), observation, next);
        game->fill_inputs(game, t.observation, room->inputs + (size_t)k * inputs);
        room->action[k] = t.action;
        room->reward[k] = t.reward;
        room->next_row[k] = -1;
        if (t.next) {
            size_t row = (size_t)rows++;
            game->fill_inputs(game, t.next, room->next_inputs + row * inputs);
            game->legal(game, t.next, room->next_legal + row * actions);
            room->next_row[k] = (int)row;
        }
    }
    return rows;
}

/* A step towards the targets of a batch. */
static bool learn(struct dqn *dqn, int number)
{
    struct seat *seat = &dqn->seat[number];
    const struct room *room = &seat->room;
    struct net *valuing = seat->target ? seat->target : seat->net;
    bool two = seat->target && dqn->settings.double_q > 0.0;
    int batch = (int)dqn->settings.batch, actions = dqn->game->actions;
    int rows = draw_batch(dqn, number);
    const float *choosing = two ? room->next_choosing : room->next_outputs;
    const double discount = pow(dqn->settings.discount, dqn->settings.n_step);
    double loss = 0.0;

    enum net_status status = net_evaluate(valuing, rows, room->next_inputs, room->next_outputs);
    if (status == NET_OK && two)
        status = net_evaluate(seat->net, rows, room->next_inputs, room->next_choosing);
    if (status == NET_OK)
        status = net_forward(seat->net, batch, room->inputs, room->outputs);
    for (int k = 0; k < batch && status == NET_OK; k++) {
        bool over = room->next_row[k] < 0;
        size_t next = over ? 0 : (size_t)room->next_row[k] * (size_t)actions;
        size_t at = (size_t)k * (size_t)actions;
        double target = double_q_target(
            (double)room->reward[k], discount, over ? NULL : choosing + next,
            over ? NULL : room->next_outputs + next, room->next_legal + next, actions);
        loss += q_loss(room->outputs + at, actions, room->action[k], target, 1.0f / (float)batch,
                       room->d_outputs + at);
    }
    seat->loss = loss / batch;
    if (status == NET_OK)
        status = net_backward(seat->net, batch, room->d_outputs);
    if (status == NET_OK)
        status = net_update(seat->net, &dqn->optimiser, NULL);
    seat->updates++;
    if (status == NET_OK && seat->target &&
        seat->updates % (uint64_t)dqn->settings.target_interval == 0)
        status = net_copy_first_outputs(seat->net, seat->target); /* all of them */
    return run_step_is_good(status, &seat->loss,
                            number ? "values, second seat" : "values, first seat", seat->error);
}

static void learn_seat(void *context, size_t number, int thread)
{
    (void)thread;
    struct dqn *dqn = context;
    struct seat *seat = &dqn->seat[number];
    double start = pool_thread_s();
    if (replay_count(seat->transitions) < (size_t)dqn->settings.warm_up)
        return;
    for (int k = 0; k < (int)dqn->settings.updates && !seat->failed; k++)
        seat->failed = !learn(dqn, (int)number);
    dqn->learn_s[number] += pool_thread_s() - start;
}

static bool dqn_step(struct learner *learner, char ret_error[LEARNER_ERROR_MAX])
{
    struct dqn *dqn = (struct dqn *)learner;
    struct net *const nets[2] = {dqn->seat[0].net, dqn->seat[1].net};
    dqn->explore = explore_share(dqn->settings.explore, dqn->settings.explore_decay, dqn->steps);
    if (!tables_step(dqn->tables, nets, dqn->seat[0].updates + dqn->seat[1].updates, choose, dqn,
                     ret_error))
        return false;
    remember_step(dqn);
    pool_run(tables_pool(dqn->tables), 2, learn_seat, dqn);
    dqn->steps++;
    for (int k = 0; k < 2; k++)
        if (dqn->seat[k].failed) {
            snprintf(ret_error, LEARNER_ERROR_MAX, "%s", dqn->seat[k].error);
            return false;
        }
    return true;
}

/* --- telling --- */

static void dqn_report(const struct learner *learner, struct learner_report *ret_report)
{
    const struct dqn *dqn = (const struct dqn *)learner;
    *ret_report = (struct learner_report){
        .steps = dqn->steps,
        .updates = dqn->seat[0].updates + dqn->seat[1].updates,
        .explore = explore_share(dqn->settings.explore, dqn->settings.explore_decay, dqn->steps),
        .anticipatory = (double)NAN,
        .entropy = {(double)NAN, (double)NAN},
        .learn_s = dqn->learn_s[0] + dqn->learn_s[1]};
    tables_report(dqn->tables, ret_report);
    for (int k = 0; k < 2; k++) {
        learner_report_loss(ret_report, dqn->game, "value", k, dqn->seat[k].loss);
        learner_report_memory(ret_report, dqn->game, "value", k,
                              replay_count(dqn->seat[k].transitions));
    }
}

static int dqn_policies(const struct learner *learner,
                        struct learner_policy_view ret_policies[LEARNER_POLICIES_MAX])
{
    const struct dqn *dqn = (const struct dqn *)learner;
    ret_policies[0] = (struct learner_policy_view){
        .name = "greedy", .net = {dqn->seat[0].net, dqn->seat[1].net}, .values = true};
    return 1;
}

/* --- files --- */

static struct run_identity identity_of(const struct dqn *dqn)
{
    return (struct run_identity){.class = &learner_dqn,
                                 .game = dqn->game,
                                 .common = &dqn->common,
                                 .settings = (const double *)&dqn->settings,
                                 .settings_count = FIELDS};
}

static bool dqn_write(const struct learner *learner, FILE *file)
{
    const struct dqn *dqn = (const struct dqn *)learner;
    const struct run_identity identity = identity_of(dqn);
    const uint64_t counters[RUN_COUNTERS] = {dqn->steps, dqn->seat[0].updates,
                                             dqn->seat[1].updates};
    bool good = run_head_write(&identity, counters, file);
    for (int k = 0; k < 2 && good; k++) {
        const struct seat *seat = &dqn->seat[k];
        good = fwrite(&seat->loss, sizeof seat->loss, 1, file) == 1 &&
               run_network_write(seat->net, file) &&
               (!seat->target || run_network_write(seat->target, file)) &&
               replay_write(seat->transitions, file);
    }
    return good && tables_write(dqn->tables, file);
}

static bool read_rest(struct dqn *dqn, FILE *file)
{
    for (int k = 0; k < 2; k++) {
        struct seat *seat = &dqn->seat[k];
        if (fread(&seat->loss, sizeof seat->loss, 1, file) != 1 ||
            !run_network_read(seat->net, file) ||
            (seat->target && !run_network_read(seat->target, file)) ||
            !replay_read(seat->transitions, file))
            return false;
    }
    return tables_read(dqn->tables, file) && getc(file) == EOF;
}

static struct learner *dqn_read(const struct learner_game *game,
                                const struct learner_common *common,
                                const struct learner_hyper *hyper, FILE *file,
                                char ret_error[LEARNER_ERROR_MAX])
{
    struct learner *learner = dqn_make(game, common, hyper, ret_error);
    if (!learner)
        return NULL;
    struct dqn *dqn = (struct dqn *)learner;
    const struct run_identity identity = identity_of(dqn);
    uint64_t counters[RUN_COUNTERS];
    const char *why = run_head_read(&identity, file, counters);
    if (!why) {
        dqn->steps = counters[0];
        dqn->seat[0].updates = counters[1];
        dqn->seat[1].updates = counters[2];
        why = read_rest(dqn, file) ? NULL : "it is broken";
    }
    if (!why)
        return learner;
    dqn_free(learner);
    snprintf(ret_error, LEARNER_ERROR_MAX, "state of the run: %s", why);
    return NULL;
}

const struct learner_class learner_dqn = {
    .name = "dqn",
    .make = dqn_make,
    .free = dqn_free,
    .step = dqn_step,
    .report = dqn_report,
    .policies = dqn_policies,
    .write = dqn_write,
    .read = dqn_read,
};
