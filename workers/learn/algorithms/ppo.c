/* Proximal policy optimisation (Schulman et al., "Proximal policy optimization algorithms", 2017)
 * as a baseline for NFSP; ppo.md. Each seat has one network with a logit for each action and, as
 * the last output, the value of the decision. It draws actions from its probabilities; a share
 * `self_share` of the games is against the other seat's network, the rest against the game's fixed
 * programs.
 *
 * Every `horizon` steps each seat learns from the games that have ended since the last time: it
 * goes through their decisions `epochs` times in batches of about `minibatch`, then drops them. The
 * loss of a decision is clipped_policy_loss() plus value_share * (value - return)^2 / 2. Advantages
 * come from estimate_advantages(), normalised to mean 0 and standard deviation 1; the return is the
 * value plus the advantage before normalisation. */
#include "workers/learn/algorithms/choosing.h"
#include "workers/learn/algorithms/losses.h"
#include "workers/learn/algorithms/run.h"
#include "workers/learn/algorithms/run_networks.h"

#include <math.h>

enum { STREAM_SHUFFLES = 1 };

/* Notes of a decision (TABLES_NOTES): log of the probability of its action, value. */
enum { NOTE_LOG_P, NOTE_VALUE };

struct ppo_settings {
    HYPER_PPO(HYPER_MEMBER, HYPER_MEMBER, HYPER_MEMBER)
};

#define NUMBER(...)    HYPER_FIELD(struct ppo_settings, __VA_ARGS__)
#define OPTIMISER(...) HYPER_OPTIMISER_FIELD(struct ppo_settings, __VA_ARGS__)
static const struct hyper_field fields[] = {HYPER_PPO(NUMBER, NUMBER, OPTIMISER)};

/* Networks of a seat: actions + 1 outputs, the last one the value; a copy of its first `actions`
 * outputs, for users of the policy. Losses. */
enum { PPO_NETWORK, PPO_POLICY };
enum { LOSS_POLICY, LOSS_VALUE };

struct ppo {
    struct run run;
    struct ppo_settings settings;
    int *order[2]; /* [seat][capacity of the rollout] */
};

static void begin(struct run *run, struct tables_settings *ret_tables)
{
    struct ppo *ppo = (struct ppo *)run;
    const struct ppo_settings *s = &ppo->settings;
    /* Decisions in games that finish within a horizon; such games may have begun before it. */
    size_t capacity = (size_t)s->parallel * ((size_t)s->horizon + (size_t)run->game->decisions_max);

    run->parallel = (int)s->parallel;
    run->rows = 2 * (int)s->minibatch;
    run->optimiser[PPO_NETWORK] =
        run_optimiser(s->optimiser, s->rate, s->momentum, s->weight_decay, s->clip);
    run->outputs[PPO_NETWORK] = run->game->actions + 1;
    run->outputs[PPO_POLICY] = run->game->actions;
    ret_tables->self_share = s->self_share;
    for (int k = 0; k < 2; k++) {
        run->seat[k].loss[LOSS_POLICY] = run->seat[k].loss[LOSS_VALUE] = (double)NAN;
        run->seat[k].entropy = (struct run_mean){(double)NAN, 1};
        run->seat[k].rollout = rollout_make(&run->room, capacity, run->game->observation_size);
        ppo->order[k] = room_take(&run->room, capacity, sizeof *ppo->order[k]);
    }
}

static bool refresh(struct run *run, int seat, char *ret_error)
{
    struct net *const *net = run->seat[seat].net;
    return run_network_is_good(net_copy_first_outputs(net[PPO_NETWORK], net[PPO_POLICY]), "policy",
                               ret_error);
}

/* --- playing --- */

static int choose(void *context, struct tables_turn *turn, char *ret_error)
{
    const struct ppo *ppo = context;
    int actions = ppo->run.game->actions;
    uint64_t bits[4];
    (void)ret_error;
    random_bits(&turn->key, 0, 0, bits);
    int action = pick_by_logits(bits[0], turn->outputs, turn->legal, actions);
    turn->notes[NOTE_LOG_P] =
        (float)legal_log_probability(turn->outputs, turn->legal, actions, action);
    turn->notes[NOTE_VALUE] = turn->outputs[actions];
    return action;
}

/* Adds the decisions of a finished game to the seat's rollout. */
static void gather(struct ppo *ppo, int table, int seat)
{
    float rewards[LEARNER_DECISIONS_MAX], values[LEARNER_DECISIONS_MAX];
    float advantages[LEARNER_DECISIONS_MAX];
    int count = tables_at(ppo->run.tables, table)->kept[seat];
    for (int k = 0; k < count; k++) {
        const struct tables_decision *decision = tables_decision(ppo->run.tables, table, seat, k);
        rewards[k] = (float)decision->reward;
        values[k] = decision->notes[NOTE_VALUE];
    }
    estimate_advantages(rewards, values, count, ppo->settings.discount, ppo->settings.lambda,
                        advantages);
    for (int k = 0; k < count; k++) {
        const struct tables_decision *decision = tables_decision(ppo->run.tables, table, seat, k);
        const struct rollout_decision kept = {.log_p = decision->notes[NOTE_LOG_P],
                                              .advantage = advantages[k],
                                              .value_target = values[k] + advantages[k],
                                              .action = decision->action};
        rollout_add(&ppo->run.seat[seat].rollout,
                    tables_observation(ppo->run.tables, table, seat, k), &kept);
    }
}

static bool store(struct run *run, int table, char *ret_error)
{
    (void)ret_error;
    for (int seat = 0; seat < 2 && tables_at(run->tables, table)->over; seat++)
        gather((struct ppo *)run, table, seat);
    return true;
}

/* --- learning --- */

/* Shuffles the order of the decisions (Fisher and Yates) for epoch number `epoch`. */
static void shuffle(const struct ppo *ppo, int number, int epoch)
{
    struct random_key key = run_stream_key(&ppo->run, STREAM_SHUFFLES, number);
    int count = (int)ppo->run.seat[number].rollout.count, *order = ppo->order[number];
    key.game = ppo->run.steps;
    key.shot = (uint32_t)epoch;
    for (int k = 0; k < count; k++)
        order[k] = k;
    for (int k = count - 1; k > 0; k--) {
        uint64_t bits[4];
        random_bits(&key, (uint64_t)k, 0, bits);
        int other = (int)pick_number(bits[0], (size_t)k + 1), moved = order[k];
        order[k] = order[other];
        order[other] = moved;
    }
}

struct sums {
    double policy, value, entropy;
};

/* Takes a step on decisions first … end - 1 of the order and adds up their losses. */
static enum net_status learn_batch(struct ppo *ppo, int number, struct batch *batch, int first,
                                   int end, struct sums *sums)
{
    const struct learner_game *game = ppo->run.game;
    const struct ppo_settings *settings = &ppo->settings;
    const struct rollout *rollout = &ppo->run.seat[number].rollout;
    struct net *net = ppo->run.seat[number].net[PPO_NETWORK];
    int count = end - first, actions = game->actions;
    float share = 1.0f / (float)count;
    bool legal[LEARNER_ACTIONS_MAX];

    for (int k = 0; k < count; k++)
        game->fill_inputs(game, rollout_observation(rollout, (size_t)ppo->order[number][first + k]),
                          batch->inputs + (size_t)k * (size_t)game->inputs);
    enum net_status status = net_forward(net, count, batch->inputs, batch->outputs);
    for (int k = 0; k < count && status == NET_OK; k++) {
        size_t index = (size_t)ppo->order[number][first + k];
        size_t at = (size_t)k * (size_t)(actions + 1);
        const struct rollout_decision *decision = &rollout->decisions[index];
        float *outputs = batch->outputs + at, *d = batch->d_outputs + at;
        double entropy, miss = (double)outputs[actions] - (double)decision->value_target;
        game->legal(game, rollout_observation(rollout, index), legal);
        sums->policy +=
            clipped_policy_loss(outputs, legal, actions, decision->action, (double)decision->log_p,
                                (double)decision->advantage, settings->clip_ratio,
                                settings->entropy, share, d, &entropy);
        d[actions] = share * (float)(settings->value_share * miss);
        sums->value += 0.5 * miss * miss;
        sums->entropy += entropy;
    }
    if (status == NET_OK)
        status = net_backward(net, count, batch->d_outputs);
    return status == NET_OK ? net_update(net, &ppo->run.optimiser[PPO_NETWORK], NULL) : status;
}

static bool learn(struct run *run, int number, int network, struct batch *batch, char *ret_error)
{
    struct ppo *ppo = (struct ppo *)run;
    struct run_seat *seat = &run->seat[number];
    int count = (int)seat->rollout.count;
    /* Batches are nearly equal: a small remainder would count as much as a full batch. */
    int batches = count / (int)ppo->settings.minibatch;
    enum net_status status = NET_OK;
    bool good = true;

    if (count == 0 || run->steps % (uint64_t)ppo->settings.horizon != 0)
        return true;
    if (batches == 0)
        batches = 1;
    rollout_normalise(&seat->rollout);
    for (int epoch = 0; epoch < (int)ppo->settings.epochs && good; epoch++) {
        struct sums sums = {0.0, 0.0, 0.0};
        shuffle(ppo, number, epoch);
        for (int k = 0; k < batches && status == NET_OK; k++, run->updates[number][network]++)
            status = learn_batch(ppo, number, batch, (int)((int64_t)count * k / batches),
                                 (int)((int64_t)count * (k + 1) / batches), &sums);
        seat->loss[LOSS_POLICY] = sums.policy / count;
        seat->loss[LOSS_VALUE] = sums.value / count;
        seat->entropy.mean = sums.entropy / count;
        good = run_loss_is_good(run, number, LOSS_VALUE, NET_OK, ret_error) &&
               run_loss_is_good(run, number, LOSS_POLICY, status, ret_error);
    }
    seat->rollout.count = 0;
    return good && refresh(run, number, ret_error);
}

static const struct run_kind ppo_kind = {RUN_KIND(struct ppo),
                                         .learners = 1,
                                         .learn = learn,
                                         .stored = 1,
                                         .played = 1,
                                         .numbers = {{0, 0}, {1, 1}},
                                         .losses = {"policy", "value"},
                                         .policies = {{"policy", PPO_POLICY, false}},
                                         .entropy_size = sizeof(double),
                                         .memories = {"policy"},
                                         .refresh = refresh};

const struct learner_class learner_ppo = RUN_CLASS("ppo", ppo_kind, fields);
