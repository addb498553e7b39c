/* Proximal policy optimisation. */
#include "workers/learn/algorithms/ppo.h"

#include "workers/learn/algorithms/choosing.h"
#include "workers/learn/algorithms/hyper.h"
#include "workers/learn/algorithms/losses.h"
#include "workers/learn/algorithms/run_file.h"
#include "workers/learn/algorithms/run_networks.h"
#include "workers/learn/algorithms/tables.h"
#include "workers/learn/memory/rollout.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

/* Streams of random numbers below 2^32 are those of tables; the networks have the first one. */
enum { STREAM_SHUFFLES = 1 };

/* What is noted with a decision (TABLES_NOTES): log of its probability, value. */
enum { NOTE_LOG_P, NOTE_VALUE };

/* Doubles only: they are compared with those in a file. */
struct ppo_settings {
    double discount, lambda, clip_ratio;
    double epochs, minibatch, horizon;
    double entropy, value_share;
    double optimiser, rate, momentum, weight_decay, clip;
    double parallel, self_share;
};

#define FIELD(member, otherwise, least, most, whole)                                  \
    {                                                                                 \
#member, offsetof(struct ppo_settings, member), otherwise, least, most, whole \
    }
static const struct hyper_field fields[] = {
    FIELD(discount, 1.0, 0.0, 1.0, false),
    FIELD(lambda, 0.95, 0.0, 1.0, false),
    FIELD(clip_ratio, 0.2, 0.0, 1.0, false),
    FIELD(epochs, 4, 1, 1000, true),
    FIELD(minibatch, 256, 1, 1 << 20, true),
    FIELD(horizon, 16, 1, 1 << 20, true),
    FIELD(entropy, 0.01, 0.0, 1e9, false),
    FIELD(value_share, 0.5, 0.0, 1e9, false),
    FIELD(optimiser, NET_ADAM, NET_SGD, NET_ADAM, true),
    FIELD(rate, 0.001, 0.0, 1e9, false),
    FIELD(momentum, 0.9, 0.0, 1.0, false),
    FIELD(weight_decay, 0.0, 0.0, 1e9, false),
    FIELD(clip, 0.5, 0.0, 1e9, false),
    FIELD(parallel, 128, 1, 1 << 20, true),
    FIELD(self_share, 1.0, 0.0, 1.0, false),
};
enum { FIELDS = sizeof fields / sizeof fields[0] };

struct seat {
    struct net *net;    /* actions + 1 outputs, the last one the value */
    struct net *policy; /* its first `actions` outputs, for others to see */
    struct rollout *rollout;
    uint64_t updates;
    double policy_loss, value_loss, entropy; /* means over the last rollout's last epoch */

    /* Room for one update, two minibatches. */
    float *inputs, *outputs, *d_outputs;
    int *order; /* [capacity of the rollout] */
    bool failed;
    char error[LEARNER_ERROR_MAX];
};

struct ppo {
    struct learner learner;
    const struct learner_game *game;
    struct learner_common common;
    struct ppo_settings settings;
    struct net_optimiser optimiser;
    struct tables *tables;
    struct seat seat[2];
    uint64_t steps;
    double learn_s[2];
};

/* --- making and freeing --- */

static void ppo_free(struct learner *learner)
{
    struct ppo *ppo = (struct ppo *)learner;
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
    tables_free(ppo->tables);
    free(ppo);
}

/* Those of the games that are over within a horizon: they may have begun before it. */
static size_t rollout_capacity(const struct ppo *ppo)
{
    return (size_t)ppo->settings.parallel *
           ((size_t)ppo->settings.horizon + (size_t)ppo->game->decisions_max);
}

static bool make_seat(struct ppo *ppo, int number, char *ret_error)
{
    struct seat *seat = &ppo->seat[number];
    size_t rows = 2 * (size_t)ppo->settings.minibatch, outputs = (size_t)ppo->game->actions + 1;
    if (!run_network_new(ppo->game, &ppo->common, number, (int)outputs, &seat->net, ret_error) ||
        !run_network_new(ppo->game, &ppo->common, number, ppo->game->actions, &seat->policy,
                         ret_error))
        return false;
    if (!run_network_is_good(net_copy_first_outputs(seat->net, seat->policy), "network", ret_error))
        return false;
    seat->policy_loss = seat->value_loss = seat->entropy = (double)NAN;
    seat->rollout = rollout_new(rollout_capacity(ppo), ppo->game->observation_size);
    if (seat->rollout &&
        (seat->inputs = calloc(rows * (size_t)ppo->game->inputs, sizeof *seat->inputs)) &&
        (seat->outputs = calloc(rows * outputs, sizeof *seat->outputs)) &&
        (seat->d_outputs = calloc(rows * outputs, sizeof *seat->d_outputs)) &&
        (seat->order = calloc(rollout_capacity(ppo), sizeof *seat->order)))
        return true;
    snprintf(ret_error, LEARNER_ERROR_MAX, "ppo: no memory");
    return false;
}

static bool make_tables(struct ppo *ppo, char *ret_error)
{
    const struct tables_settings settings = {.game = ppo->game,
                                             .common = &ppo->common,
                                             .parallel = (int)ppo->settings.parallel,
                                             .outputs = ppo->game->actions + 1,
                                             .self_share = ppo->settings.self_share};
    ppo->tables = tables_new(&settings, ret_error);
    return ppo->tables != NULL;
}

static struct learner *ppo_make(const struct learner_game *game,
                                const struct learner_common *common,
                                const struct learner_hyper *hyper,
                                char ret_error[LEARNER_ERROR_MAX])
{
    struct ppo_settings settings;
    if (!hyper_read(fields, FIELDS, hyper, &settings, ret_error))
        return NULL;
    struct ppo *ppo = calloc(1, sizeof *ppo);
    if (!ppo) {
        snprintf(ret_error, LEARNER_ERROR_MAX, "ppo: no memory");
        return NULL;
    }
    ppo->learner.class = &learner_ppo;
    ppo->game = game;
    ppo->common = *common;
    ppo->settings = settings;
    ppo->optimiser = (struct net_optimiser){.rule = (enum net_rule)settings.optimiser,
                                            .rate = settings.rate,
                                            .momentum = settings.momentum,
                                            .decay = settings.weight_decay,
                                            .clip = settings.clip};
    if (!make_seat(ppo, 0, ret_error) || !make_seat(ppo, 1, ret_error) ||
        !make_tables(ppo, ret_error)) {
        ppo_free(&ppo->learner);
        return NULL;
    }
    return &ppo->learner;
}

/* --- playing --- */

static int choose(const void *context, const float *outputs, const bool *legal,
                  const struct random_key *key, float ret_notes[TABLES_NOTES])
{
    const struct ppo *ppo = context;
    int actions = ppo->game->actions;
    uint64_t bits[4];
    random_bits(key, 0, 0, bits);
    int action = pick_by_logits(bits[0], outputs, legal, actions);
    ret_notes[NOTE_LOG_P] = (float)legal_log_probability(outputs, legal, actions, action);
    ret_notes[NOTE_VALUE] = outputs[actions];
    return action;
}

/* A game is over: its decisions go to the rollout of the seat. */
static void gather(struct ppo *ppo, int table, int seat)
{
    float rewards[LEARNER_DECISIONS_MAX], values[LEARNER_DECISIONS_MAX];
    float advantages[LEARNER_DECISIONS_MAX];
    int count = tables_decisions(ppo->tables, table, seat);
    for (int k = 0; k < count; k++) {
        const struct tables_decision *decision = tables_decision(ppo->tables, table, seat, k);
        rewards[k] = (float)decision->reward;
        values[k] = decision->notes[NOTE_VALUE];
    }
    estimate_advantages(rewards, values, count, ppo->settings.discount, ppo->settings.lambda,
                        advantages);
    for (int k = 0; k < count; k++) {
        const struct tables_decision *decision = tables_decision(ppo->tables, table, seat, k);
        const struct rollout_decision kept = {.log_p = decision->notes[NOTE_LOG_P],
                                              .advantage = advantages[k],
                                              .value_target = values[k] + advantages[k],
                                              .action = decision->action};
        rollout_add(ppo->seat[seat].rollout, tables_observation(ppo->tables, table, seat, k),
                    &kept);
    }
}

/* --- learning --- */

/* The decisions of the rollout in another order (Fisher and Yates), for epoch number `epoch`. */
static void shuffle(const struct ppo *ppo, int number, int epoch)
{
    const struct seat *seat = &ppo->seat[number];
    struct random_key key = {.seed = ppo->common.seed,
                             .stream = (uint64_t)1 << 32 | STREAM_SHUFFLES << 1 | (uint64_t)number,
                             .game = ppo->steps,
                             .shot = (uint32_t)epoch,
                             .purpose = RANDOM_CHOICE};
    int count = (int)rollout_count(seat->rollout);
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

/* A step on decisions first … end - 1 of the order; adds up the losses of each. */
static enum net_status learn_batch(struct ppo *ppo, struct seat *seat, int first, int end,
                                   struct sums *sums)
{
    const struct learner_game *game = ppo->game;
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
    if (status == NET_OK)
        status = net_backward(seat->net, batch, seat->d_outputs);
    if (status == NET_OK)
        status = net_update(seat->net, &ppo->optimiser, NULL);
    seat->updates++;
    return status;
}

static bool learn(struct ppo *ppo, int number)
{
    struct seat *seat = &ppo->seat[number];
    const char *name = number ? "policy, second seat" : "policy, first seat";
    int count = (int)rollout_count(seat->rollout);
    /* As even as can be: a small rest would weigh as much as a whole batch. */
    int batches = count / (int)ppo->settings.minibatch;
    enum net_status status = NET_OK;
    bool good = true;

    if (batches == 0)
        batches = 1;
    rollout_normalise(seat->rollout);
    for (int epoch = 0; epoch < (int)ppo->settings.epochs && good; epoch++) {
        struct sums sums = {0.0, 0.0, 0.0};
        shuffle(ppo, number, epoch);
        for (int k = 0; k < batches && status == NET_OK; k++)
            status = learn_batch(ppo, seat, (int)((int64_t)count * k / batches),
                                 (int)((int64_t)count * (k + 1) / batches), &sums);
        seat->policy_loss = sums.policy / count;
        seat->value_loss = sums.value / count;
        seat->entropy = sums.entropy / count;
        good = run_step_is_good(NET_OK, &seat->value_loss, name, seat->error) &&
               run_step_is_good(status, &seat->policy_loss, name, seat->error);
    }
    rollout_clear(seat->rollout);
    return good &&
           run_network_is_good(net_copy_first_outputs(seat->net, seat->policy), name, seat->error);
}

static void learn_seat(void *context, size_t number, int thread)
{
    (void)thread;
    struct ppo *ppo = context;
    struct seat *seat = &ppo->seat[number];
    double start = pool_thread_s();
    if (rollout_count(seat->rollout) > 0)
        seat->failed = !learn(ppo, (int)number);
    ppo->learn_s[number] += pool_thread_s() - start;
}

static bool ppo_step(struct learner *learner, char ret_error[LEARNER_ERROR_MAX])
{
    struct ppo *ppo = (struct ppo *)learner;
    struct net *const nets[2] = {ppo->seat[0].net, ppo->seat[1].net};
    if (!tables_step(ppo->tables, nets, ppo->seat[0].updates + ppo->seat[1].updates, choose, ppo,
                     ret_error))
        return false;
    for (int table = 0; table < (int)ppo->settings.parallel; table++)
        for (int seat = 0; seat < 2 && tables_over(ppo->tables, table); seat++)
            gather(ppo, table, seat);
    ppo->steps++;
    if (ppo->steps % (uint64_t)ppo->settings.horizon == 0)
        pool_run(tables_pool(ppo->tables), 2, learn_seat, ppo);
    for (int k = 0; k < 2; k++)
        if (ppo->seat[k].failed) {
            snprintf(ret_error, LEARNER_ERROR_MAX, "%s", ppo->seat[k].error);
            return false;
        }
    return true;
}

/* --- telling --- */

static void ppo_report(const struct learner *learner, struct learner_report *ret_report)
{
    const struct ppo *ppo = (const struct ppo *)learner;
    *ret_report = (struct learner_report){.steps = ppo->steps,
                                          .updates = ppo->seat[0].updates + ppo->seat[1].updates,
                                          .explore = (double)NAN,
                                          .anticipatory = (double)NAN,
                                          .entropy = {ppo->seat[0].entropy, ppo->seat[1].entropy},
                                          .learn_s = ppo->learn_s[0] + ppo->learn_s[1]};
    tables_report(ppo->tables, ret_report);
    for (int k = 0; k < 2; k++) {
        learner_report_loss(ret_report, ppo->game, "policy", k, ppo->seat[k].policy_loss);
        learner_report_loss(ret_report, ppo->game, "value", k, ppo->seat[k].value_loss);
        learner_report_memory(ret_report, ppo->game, "policy", k,
                              rollout_count(ppo->seat[k].rollout));
    }
}

static int ppo_policies(const struct learner *learner,
                        struct learner_policy_view ret_policies[LEARNER_POLICIES_MAX])
{
    const struct ppo *ppo = (const struct ppo *)learner;
    ret_policies[0] = (struct learner_policy_view){
        .name = "policy", .net = {ppo->seat[0].policy, ppo->seat[1].policy}};
    return 1;
}

/* --- files --- */

static struct run_identity identity_of(const struct ppo *ppo)
{
    return (struct run_identity){.class = &learner_ppo,
                                 .game = ppo->game,
                                 .common = &ppo->common,
                                 .settings = (const double *)&ppo->settings,
                                 .settings_count = FIELDS};
}

static bool ppo_write(const struct learner *learner, FILE *file)
{
    const struct ppo *ppo = (const struct ppo *)learner;
    const struct run_identity identity = identity_of(ppo);
    const uint64_t counters[RUN_COUNTERS] = {ppo->steps, ppo->seat[0].updates,
                                             ppo->seat[1].updates};
    bool good = run_head_write(&identity, counters, file);
    for (int k = 0; k < 2 && good; k++) {
        const struct seat *seat = &ppo->seat[k];
        const double means[] = {seat->policy_loss, seat->value_loss, seat->entropy};
        good = fwrite(means, sizeof means, 1, file) == 1 && run_network_write(seat->net, file) &&
               rollout_write(seat->rollout, file);
    }
    return good && tables_write(ppo->tables, file);
}

static bool read_rest(struct ppo *ppo, FILE *file)
{
    for (int k = 0; k < 2; k++) {
        struct seat *seat = &ppo->seat[k];
        double means[3];
        if (fread(means, sizeof means, 1, file) != 1 || !run_network_read(seat->net, file) ||
            net_copy_first_outputs(seat->net, seat->policy) != NET_OK ||
            !rollout_read(seat->rollout, ppo->game->actions, file))
            return false;
        seat->policy_loss = means[0];
        seat->value_loss = means[1];
        seat->entropy = means[2];
    }
    return tables_read(ppo->tables, file) && getc(file) == EOF;
}

static struct learner *ppo_read(const struct learner_game *game,
                                const struct learner_common *common,
                                const struct learner_hyper *hyper, FILE *file,
                                char ret_error[LEARNER_ERROR_MAX])
{
    struct learner *learner = ppo_make(game, common, hyper, ret_error);
    if (!learner)
        return NULL;
    struct ppo *ppo = (struct ppo *)learner;
    const struct run_identity identity = identity_of(ppo);
    uint64_t counters[RUN_COUNTERS];
    const char *why = run_head_read(&identity, file, counters);
    if (!why) {
        ppo->steps = counters[0];
        ppo->seat[0].updates = counters[1];
        ppo->seat[1].updates = counters[2];
        why = read_rest(ppo, file) ? NULL : "it is broken";
    }
    if (!why)
        return learner;
    ppo_free(learner);
    snprintf(ret_error, LEARNER_ERROR_MAX, "state of the run: %s", why);
    return NULL;
}

const struct learner_class learner_ppo = {
    .name = "ppo",
    .make = ppo_make,
    .free = ppo_free,
    .step = ppo_step,
    .report = ppo_report,
    .policies = ppo_policies,
    .write = ppo_write,
    .read = ppo_read,
};
