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

#include <math.h>

enum { STREAM_BATCHES = 1 };

struct dqn_settings {
    HYPER_DQN(HYPER_MEMBER, HYPER_MEMBER, HYPER_MEMBER)
};

#define NUMBER(...)    HYPER_FIELD(struct dqn_settings, __VA_ARGS__)
#define OPTIMISER(...) HYPER_OPTIMISER_FIELD(struct dqn_settings, __VA_ARGS__)
static const struct hyper_field fields[] = {HYPER_DQN(NUMBER, NUMBER, OPTIMISER)};

enum { DQN_VALUES, DQN_TARGET }; /* networks of a seat */

struct dqn {
    struct run run;
    struct dqn_settings settings;
};

static void begin(struct run *run, struct tables_settings *ret_tables)
{
    const struct dqn_settings *s = &((struct dqn *)run)->settings;

    run->parallel = (int)s->parallel;
    run->rows = run->batch = (int)s->batch;
    run->target_interval = (uint64_t)s->target_interval;
    run->optimiser[DQN_VALUES] =
        run_optimiser(s->optimiser, s->rate, s->momentum, s->weight_decay, s->clip);
    run->explore = s->explore;
    run->explore_decay = s->explore_decay;
    run->outputs[DQN_VALUES] = run->game->actions;
    run->outputs[DQN_TARGET] = s->target_interval > 0.0 ? run->game->actions : 0;
    ret_tables->self_share = s->self_share;
    for (int k = 0; k < 2; k++)
        run->seat[k].memory[0] =
            memory_of_transitions(&run->room, (size_t)s->memory, run->game->observation_size);
}

/* --- playing --- */

static int choose(void *context, struct tables_turn *turn, char *ret_error)
{
    const struct run *run = context;
    int actions = run->game->actions;
    uint64_t bits[4];
    (void)ret_error;
    random_bits(&turn->key, 0, 0, bits);
    return random_unit(bits[0]) < run_explore(run)
               ? pick_legal(bits[1], turn->legal, actions)
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
    memory_add_transition(dqn->run.seat[seat].memory[0], &transition);
}

static bool store(struct run *run, int table, char *ret_error)
{
    struct dqn *dqn = (struct dqn *)run;
    const struct table *t = tables_at(run->tables, table);
    const int n_step = (int)dqn->settings.n_step;
    int last = t->decided < 0 ? 0 : t->kept[t->decided] - 1;
    (void)ret_error;
    if (last >= n_step)
        remember(dqn, table, t->decided, last - n_step, last,
                 tables_observation(run->tables, table, t->decided, last));
    for (int k = 0; k < 2 && t->over; k++)
        for (int number = t->kept[k] > n_step ? t->kept[k] - n_step : 0; number < t->kept[k];
             number++)
            remember(dqn, table, k, number, t->kept[k], NULL);
    return true;
}

/* --- learning --- */

/* Takes a step towards the targets of a batch. */
static bool update(struct dqn *dqn, int number, struct batch *batch, char *ret_error)
{
    struct run *run = &dqn->run;
    const struct dqn_settings *s = &dqn->settings;
    const struct run_seat *seat = &run->seat[number];
    struct net *net = seat->net[DQN_VALUES], *target = seat->net[DQN_TARGET];
    struct net *valuing = target ? target : net;
    double loss = 0.0;

    run_draw(run, STREAM_BATCHES, number, DQN_VALUES, seat->memory[0], batch);
    enum net_status status = batch_q_values(batch, pow(s->discount, s->n_step),
                                            s->double_q > 0.0 ? net : valuing, valuing);
    if (status == NET_OK)
        status = batch_value_loss(batch, net, run->game->actions, &loss);
    return run_descend(run, number, DQN_VALUES, batch, loss, status, ret_error);
}

static bool learn(struct run *run, int seat, int network, struct batch *batch, char *ret_error)
{
    struct dqn *dqn = (struct dqn *)run;
    (void)network;
    if (memory_count(run->seat[seat].memory[0]) < (size_t)dqn->settings.warm_up)
        return true;
    for (int k = 0; k < (int)dqn->settings.updates; k++)
        if (!update(dqn, seat, batch, ret_error))
            return false;
    return true;
}

static const struct run_kind dqn_kind = {RUN_KIND(struct dqn),
                                         .learners = 1,
                                         .learn = learn,
                                         .stored = 2,
                                         .played = 1,
                                         .target = DQN_TARGET,
                                         .numbers = {{0, 0}, {1, 1}},
                                         .losses = {"value"},
                                         .memories = {"value"},
                                         .policies = {{"greedy", DQN_VALUES, true}}};

const struct learner_class learner_dqn = RUN_CLASS("dqn", dqn_kind, fields);
