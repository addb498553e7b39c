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
#include "workers/learn/memory/rollout.h"

#include <math.h>
#include <stdlib.h>

enum { STREAM_SHUFFLES = 1 };

/* Notes of a decision (TABLES_NOTES): log of the probability of its action, value. */
enum { NOTE_LOG_P, NOTE_VALUE };

struct ppo_settings {
    HYPER_PPO(HYPER_MEMBER, HYPER_MEMBER, HYPER_MEMBER)
};

#define WHOLE(...)     HYPER_WHOLE_FIELD(struct ppo_settings, __VA_ARGS__)
#define NUMBER(...)    HYPER_NUMBER_FIELD(struct ppo_settings, __VA_ARGS__)
#define OPTIMISER(...) HYPER_OPTIMISER_FIELD(struct ppo_settings, __VA_ARGS__)
static const struct hyper_field fields[] = {HYPER_PPO(WHOLE, NUMBER, OPTIMISER)};

struct seat {
    struct net *net;    /* actions + 1 outputs, the last one the value */
    struct net *policy; /* copy of its first `actions` outputs, for users of the policy */
    struct rollout *rollout;
    double policy_loss, value_loss, entropy; /* means over the last rollout's last epoch */

    /* Working memory of an update, two minibatches. */
    float *inputs, *outputs, *d_outputs;
    int *order; /* [capacity of the rollout] */
};

struct ppo {
    struct run run;
    struct ppo_settings settings;
    struct net_optimiser optimiser;
    struct seat seat[2];
};

static struct ppo *ppo_of(struct run *run)
{
    return (struct ppo *)run;
}

static const struct ppo *ppo_of_const(const struct run *run)
{
    return (const struct ppo *)run;
}

/* --- making and freeing --- */

static void end(struct run *run)
{
    struct ppo *ppo = ppo_of(run);
    for (int k = 0; k < 2; k++) {
        struct seat *seat = &ppo->seat[k];
        net_free(seat->net);
        net_free(seat->policy);
        rollout_free(seat->rollout);
        free(seat->inputs);
        free(seat->outputs);
        free(seat->d_outputs);
        free(seat->order);
    }
}

/* Decisions in games that finish within a horizon; such games may have begun before it. */
static size_t rollout_capacity(const struct ppo *ppo)
{
    return (size_t)ppo->settings.parallel *
           ((size_t)ppo->settings.horizon + (size_t)ppo->run.game->decisions_max);
}

static bool make_seat(struct ppo *ppo, int number, char *ret_error)
{
    struct seat *seat = &ppo->seat[number];
    size_t rows = 2 * (size_t)ppo->settings.minibatch, outputs = (size_t)ppo->run.game->actions + 1;
    if (!run_network_new(ppo->run.game, &ppo->run.common, number, (int)outputs, &seat->net,
                         ret_error) ||
        !run_network_new(ppo->run.game, &ppo->run.common, number, ppo->run.game->actions,
                         &seat->policy, ret_error))
        return false;
    if (!run_network_is_good(net_copy_first_outputs(seat->net, seat->policy), "network", ret_error))
        return false;
    seat->policy_loss = seat->value_loss = seat->entropy = (double)NAN;
    seat->rollout = rollout_new(rollout_capacity(ppo), ppo->run.game->observation_size);
    if (seat->rollout &&
        (seat->inputs = calloc(rows * (size_t)ppo->run.game->inputs, sizeof *seat->inputs)) &&
        (seat->outputs = calloc(rows * outputs, sizeof *seat->outputs)) &&
        (seat->d_outputs = calloc(rows * outputs, sizeof *seat->d_outputs)) &&
        (seat->order = calloc(rollout_capacity(ppo), sizeof *seat->order)))
        return true;
    return run_no_memory("ppo", ret_error);
}

static bool begin(struct run *run, struct tables_settings *ret_tables, char *ret_error)
{
    struct ppo *ppo = ppo_of(run);
    const struct ppo_settings *s = &ppo->settings;

    ppo->optimiser = run_optimiser(s->optimiser, s->rate, s->momentum, s->weight_decay, s->clip);
    ret_tables->parallel = (int)s->parallel;
    ret_tables->outputs[0] = run->game->actions + 1;
    ret_tables->self_share = s->self_share;
    return make_seat(ppo, 0, ret_error) && make_seat(ppo, 1, ret_error);
}

static void networks(const struct run *run, struct net *ret_net[2][TABLES_NETWORKS_MAX])
{
    for (int k = 0; k < 2; k++)
        ret_net[k][0] = ppo_of_const(run)->seat[k].net;
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
    int count = tables_decisions(ppo->run.tables, table, seat);
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
        rollout_add(ppo->seat[seat].rollout, tables_observation(ppo->run.tables, table, seat, k),
                    &kept);
    }
}

static bool store(struct run *run, int table, char *ret_error)
{
    (void)ret_error;
    for (int seat = 0; seat < 2 && tables_over(run->tables, table); seat++)
        gather(ppo_of(run), table, seat);
    return true;
}

/* --- learning --- */

/* Shuffles the order of the decisions (Fisher and Yates) for epoch number `epoch`. */
static void shuffle(const struct ppo *ppo, int number, int epoch)
{
    const struct seat *seat = &ppo->seat[number];
    struct random_key key = run_stream_key(&ppo->run, STREAM_SHUFFLES, number);
    int count = (int)rollout_count(seat->rollout);
    key.game = ppo->run.steps;
    key.shot = (uint32_t)epoch;
    for (int k = 0; k < count; k++)
        seat->order[k] = k;
    for (int k = count - 1; k > 0; k--) {
        uint64_t bits[4];
        random_bits(&key, (uint64_t)k, 0, bits);
        int other = (int)pick_number(bits[0], (size_t)k + 1);
        int moved = seat->order[k];
        seat->order[k] = seat->order[other];
        seat->order[other] = moved;
    }
}

struct sums {
    double policy, value, entropy;
};

/* Takes a step on decisions first … end - 1 of the order and adds up their losses. */
static enum net_status learn_batch(struct ppo *ppo, struct seat *seat, int first, int end,
                                   struct sums *sums)
{
    const struct learner_game *game = ppo->run.game;
    const struct ppo_settings *settings = &ppo->settings;
    int batch = end - first, actions = game->actions;
    float share = 1.0f / (float)batch;
    bool legal[LEARNER_ACTIONS_MAX];

    for (int k = 0; k < batch; k++)
        game->fill_inputs(game, rollout_observation(seat->rollout, (size_t)seat->order[first + k]),
                          seat->inputs + (size_t)k * (size_t)game->inputs);
    enum net_status status = net_forward(seat->net, batch, seat->inputs, seat->outputs);
    for (int k = 0; k < batch && status == NET_OK; k++) {
        size_t index = (size_t)seat->order[first + k], at = (size_t)k * (size_t)(actions + 1);
        const struct rollout_decision *decision = rollout_decision(seat->rollout, index);
        float *d = seat->d_outputs + at;
        double entropy, value = (double)seat->outputs[at + (size_t)actions];
        double miss = value - (double)decision->value_target;
        game->legal(game, rollout_observation(seat->rollout, index), legal);
        sums->policy +=
            clipped_policy_loss(seat->outputs + at, legal, actions, decision->action,
                                (double)decision->log_p, (double)decision->advantage,
                                settings->clip_ratio, settings->entropy, share, d, &entropy);
        d[actions] = share * (float)(settings->value_share * miss);
        sums->value += 0.5 * miss * miss;
        sums->entropy += entropy;
    }
    return run_descend(seat->net, batch, seat->d_outputs, &ppo->optimiser, status);
}

static int tasks(const struct run *run)
{
    return run->steps % (uint64_t)ppo_of_const(run)->settings.horizon == 0 ? 2 : 0; /* seats */
}

static bool learn(struct run *run, int number, int thread, char *ret_error)
{
    struct ppo *ppo = ppo_of(run);
    struct seat *seat = &ppo->seat[number];
    const char *name = number ? "policy, second seat" : "policy, first seat";
    int count = (int)rollout_count(seat->rollout);
    /* Batches are nearly equal: a small remainder would count as much as a full batch. */
    int batches = count / (int)ppo->settings.minibatch;
    enum net_status status = NET_OK;
    bool good = true;

    (void)thread;
    if (count == 0)
        return true;
    if (batches == 0)
        batches = 1;
    rollout_normalise(seat->rollout);
    for (int epoch = 0; epoch < (int)ppo->settings.epochs && good; epoch++) {
        struct sums sums = {0.0, 0.0, 0.0};
        shuffle(ppo, number, epoch);
        for (int k = 0; k < batches && status == NET_OK; k++, run->updates[number][0]++)
            status = learn_batch(ppo, seat, (int)((int64_t)count * k / batches),
                                 (int)((int64_t)count * (k + 1) / batches), &sums);
        seat->policy_loss = sums.policy / count;
        seat->value_loss = sums.value / count;
        seat->entropy = sums.entropy / count;
        good = run_step_is_good(NET_OK, &seat->value_loss, name, ret_error) &&
               run_step_is_good(status, &seat->policy_loss, name, ret_error);
    }
    rollout_clear(seat->rollout);
    return good &&
           run_network_is_good(net_copy_first_outputs(seat->net, seat->policy), name, ret_error);
}

/* --- reporting --- */

static void report(const struct run *run, struct learner_report *report)
{
    for (int k = 0; k < 2; k++) {
        const struct seat *seat = &ppo_of_const(run)->seat[k];
        report->entropy[k] = seat->entropy;
        learner_report_loss(report, run->game, "policy", k, seat->policy_loss);
        learner_report_loss(report, run->game, "value", k, seat->value_loss);
        learner_report_memory(report, run->game, "policy", k, rollout_count(seat->rollout));
    }
}

static int policies(const struct run *run,
                    struct learner_policy_view ret_policies[LEARNER_POLICIES_MAX])
{
    const struct ppo *ppo = ppo_of_const(run);
    ret_policies[0] = (struct learner_policy_view){
        .name = "policy", .net = {ppo->seat[0].policy, ppo->seat[1].policy}};
    return 1;
}

/* --- files --- */

static bool write_seat(const struct run *run, int number, FILE *file)
{
    const struct seat *seat = &ppo_of_const(run)->seat[number];
    const double means[] = {seat->policy_loss, seat->value_loss, seat->entropy};
    return fwrite(means, sizeof means, 1, file) == 1 && run_network_write(seat->net, file) &&
           rollout_write(seat->rollout, file);
}

static bool read_seat(struct run *run, int number, FILE *file)
{
    struct seat *seat = &ppo_of(run)->seat[number];
    double means[3];
    if (fread(means, sizeof means, 1, file) != 1 || !run_network_read(seat->net, file) ||
        net_copy_first_outputs(seat->net, seat->policy) != NET_OK ||
        !rollout_read(seat->rollout, run->game->actions, file))
        return false;
    seat->policy_loss = means[0];
    seat->value_loss = means[1];
    seat->entropy = means[2];
    return true;
}

static const struct run_kind ppo_kind = {RUN_KIND(struct ppo, fields)};

const struct learner_class learner_ppo = RUN_CLASS("ppo", ppo_kind);
