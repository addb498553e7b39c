/* Deep Q-learning (Mnih et al., "Human-level control through deep reinforcement learning", 2015)
 * as a baseline for NFSP; dqn.md. Each seat has one network of action values. It learns from
 * transitions in a circular memory, with targets from an older copy of itself. It plays the most
 * valued action, with a share of random ones; a share `self_share` of the games is against the
 * other seat's network, the rest against the game's fixed programs.
 *
 * The loss is squared: with rewards of about 1 a game, Huber's loss is the same. With `double_q`
 * the learning network chooses the action of a target and the older copy values it. A target adds
 * up the rewards of the next `n_step` own decisions, then the value of the one after (Sutton 1988;
 * M. Hessel et al., "Rainbow", 2018). */
#include "workers/learn/algorithms/choosing.h"
#include "workers/learn/algorithms/losses.h"
#include "workers/learn/algorithms/run.h"
#include "workers/learn/algorithms/run_networks.h"
#include "workers/learn/memory/replay.h"

#include <math.h>
#include <stdlib.h>

enum { STREAM_BATCHES = 1 };

struct dqn_settings {
    HYPER_DQN(HYPER_MEMBER, HYPER_MEMBER, HYPER_MEMBER)
};

#define WHOLE(...)     HYPER_WHOLE_FIELD(struct dqn_settings, __VA_ARGS__)
#define NUMBER(...)    HYPER_NUMBER_FIELD(struct dqn_settings, __VA_ARGS__)
#define OPTIMISER(...) HYPER_OPTIMISER_FIELD(struct dqn_settings, __VA_ARGS__)
static const struct hyper_field fields[] = {HYPER_DQN(WHOLE, NUMBER, OPTIMISER)};

/* Working memory of an update, [batch] rows. */
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
    double loss; /* of the last update */
};

struct dqn {
    struct run run;
    struct dqn_settings settings;
    struct net_optimiser optimiser;
    struct seat seat[2];
};

static struct dqn *dqn_of(struct run *run)
{
    return (struct dqn *)run;
}

static const struct dqn *dqn_of_const(const struct run *run)
{
    return (const struct dqn *)run;
}

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
    size_t inputs = batch * (size_t)dqn->run.game->inputs;
    size_t actions = batch * (size_t)dqn->run.game->actions;
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

static void end(struct run *run)
{
    struct dqn *dqn = dqn_of(run);
    for (int k = 0; k < 2; k++) {
        net_free(dqn->seat[k].net);
        net_free(dqn->seat[k].target);
        replay_free(dqn->seat[k].transitions);
        free_room(&dqn->seat[k].room);
    }
}

static bool make_seat(struct dqn *dqn, int number, char *ret_error)
{
    const struct run *run = &dqn->run;
    struct seat *seat = &dqn->seat[number];
    int actions = run->game->actions;
    if (!run_network_new(run->game, &run->common, number, actions, &seat->net, ret_error) ||
        (dqn->settings.target_interval > 0.0 &&
         !run_network_new(run->game, &run->common, number, actions, &seat->target, ret_error)))
        return false;
    seat->transitions = replay_new((size_t)dqn->settings.memory, run->game->observation_size);
    return (seat->transitions && make_room(dqn, &seat->room)) || run_no_memory("dqn", ret_error);
}

static bool begin(struct run *run, struct tables_settings *ret_tables, char *ret_error)
{
    struct dqn *dqn = dqn_of(run);
    const struct dqn_settings *s = &dqn->settings;

    dqn->optimiser = run_optimiser(s->optimiser, s->rate, s->momentum, s->weight_decay, s->clip);
    ret_tables->parallel = (int)s->parallel;
    ret_tables->outputs[0] = run->game->actions;
    ret_tables->self_share = s->self_share;
    return make_seat(dqn, 0, ret_error) && make_seat(dqn, 1, ret_error);
}

static void networks(const struct run *run, struct net *ret_net[2][TABLES_NETWORKS_MAX])
{
    for (int k = 0; k < 2; k++)
        ret_net[k][0] = dqn_of_const(run)->seat[k].net;
}

/* --- playing --- */

static double explore(const struct dqn *dqn)
{
    return explore_share(dqn->settings.explore, dqn->settings.explore_decay, dqn->run.steps);
}

static int choose(void *context, struct tables_turn *turn, char *ret_error)
{
    const struct dqn *dqn = context;
    int actions = dqn->run.game->actions;
    uint64_t bits[4];
    (void)ret_error;
    random_bits(&turn->key, 0, 0, bits);
    return random_unit(bits[0]) < explore(dqn) ? pick_legal(bits[1], turn->legal, actions)
                                               : legal_argmax(turn->outputs, turn->legal, actions);
}

/* Stores decision `number` of a seat with its rewards up to decision `until`, where the seat sees
 * `next`, or up to the end of the game (NULL). */
static void remember(struct dqn *dqn, int table, int seat, int number, int until, const void *next)
{
    double sum = 0.0;
    for (int k = until - 1; k >= number; k--)
        sum =
            tables_decision(dqn->run.tables, table, seat, k)->reward + dqn->settings.discount * sum;
    const struct transition transition = {
        .observation = tables_observation(dqn->run.tables, table, seat, number),
        .action = tables_decision(dqn->run.tables, table, seat, number)->action,
        .reward = (float)sum,
        .next = next};
    replay_add(dqn->seat[seat].transitions, &transition);
}

static bool store(struct run *run, int table, char *ret_error)
{
    struct dqn *dqn = dqn_of(run);
    const int n_step = (int)dqn->settings.n_step;
    int seat = tables_decided(run->tables, table);
    int last = seat < 0 ? 0 : tables_decisions(run->tables, table, seat) - 1;
    (void)ret_error;
    if (last >= n_step)
        remember(dqn, table, seat, last - n_step, last,
                 tables_observation(run->tables, table, seat, last));
    for (int k = 0; k < 2 && tables_over(run->tables, table); k++) {
        int all = tables_decisions(run->tables, table, k);
        for (int number = all > n_step ? all - n_step : 0; number < all; number++)
            remember(dqn, table, k, number, all, NULL);
    }
    return true;
}

/* --- learning --- */

/* Draws transitions and fills in the network inputs; returns how many have a next decision. */
static int draw_batch(const struct dqn *dqn, int number)
{
    const struct learner_game *game = dqn->run.game;
    const struct seat *seat = &dqn->seat[number];
    const struct room *room = &seat->room;
    size_t inputs = (size_t)game->inputs, actions = (size_t)game->actions;
    size_t count = replay_count(seat->transitions);
    int rows = 0;
    _Alignas(16) unsigned char observation[LEARNER_BYTES_MAX], next[LEARNER_BYTES_MAX];
    struct random_key key = run_stream_key(&dqn->run, STREAM_BATCHES, number);
    uint64_t bits[4];

    key.game = dqn->run.updates[number][0];
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

/* Takes a step towards the targets of a batch. */
static bool update(struct dqn *dqn, int number, char *ret_error)
{
    struct seat *seat = &dqn->seat[number];
    const struct room *room = &seat->room;
    struct net *valuing = seat->target ? seat->target : seat->net;
    bool two = seat->target && dqn->settings.double_q > 0.0;
    int batch = (int)dqn->settings.batch, actions = dqn->run.game->actions;
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
    status = run_descend(seat->net, batch, room->d_outputs, &dqn->optimiser, status);
    dqn->run.updates[number][0]++;
    if (status == NET_OK && seat->target &&
        dqn->run.updates[number][0] % (uint64_t)dqn->settings.target_interval == 0)
        status = net_copy_first_outputs(seat->net, seat->target); /* all of them */
    return run_step_is_good(status, &seat->loss,
                            number ? "values, second seat" : "values, first seat", ret_error);
}

static int tasks(const struct run *run)
{
    (void)run;
    return 2; /* one for each seat */
}

static bool learn(struct run *run, int number, int thread, char *ret_error)
{
    struct dqn *dqn = dqn_of(run);
    (void)thread;
    if (replay_count(dqn->seat[number].transitions) < (size_t)dqn->settings.warm_up)
        return true;
    for (int k = 0; k < (int)dqn->settings.updates; k++)
        if (!update(dqn, number, ret_error))
            return false;
    return true;
}

/* --- reporting --- */

static void report(const struct run *run, struct learner_report *report)
{
    const struct dqn *dqn = dqn_of_const(run);
    report->explore = explore(dqn);
    for (int k = 0; k < 2; k++) {
        learner_report_loss(report, run->game, "value", k, dqn->seat[k].loss);
        learner_report_memory(report, run->game, "value", k,
                              replay_count(dqn->seat[k].transitions));
    }
}

static int policies(const struct run *run,
                    struct learner_policy_view ret_policies[LEARNER_POLICIES_MAX])
{
    const struct dqn *dqn = dqn_of_const(run);
    ret_policies[0] = (struct learner_policy_view){
        .name = "greedy", .net = {dqn->seat[0].net, dqn->seat[1].net}, .values = true};
    return 1;
}

/* --- files --- */

static bool write_seat(const struct run *run, int number, FILE *file)
{
    const struct seat *seat = &dqn_of_const(run)->seat[number];
    return fwrite(&seat->loss, sizeof seat->loss, 1, file) == 1 &&
           run_network_write(seat->net, file) &&
           (!seat->target || run_network_write(seat->target, file)) &&
           replay_write(seat->transitions, file);
}

static bool read_seat(struct run *run, int number, FILE *file)
{
    struct seat *seat = &dqn_of(run)->seat[number];
    return fread(&seat->loss, sizeof seat->loss, 1, file) == 1 &&
           run_network_read(seat->net, file) &&
           (!seat->target || run_network_read(seat->target, file)) &&
           replay_read(seat->transitions, file);
}

static const struct run_kind dqn_kind = {RUN_KIND(struct dqn, fields)};

const struct learner_class learner_dqn = RUN_CLASS("dqn", dqn_kind);
