/* Fits both seats' networks to examples. */
#include "workers/learn/imitation/imitate.h"

#include "models/ice/action_grid.h"
#include "workers/learn/algorithms/losses.h"
#include "workers/pool.h"
#include "workers/search/policy/policy_look.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STREAM_ORDER = 11, PROPOSALS = 20 };

/* One seat: its network, its examples, and buffers for a batch. */
struct seat_fit {
    const struct imitate_fit *fit;
    const struct policy_form *form;
    const struct imitate_example *examples;
    enum seat seat;
    uint32_t *order; /* indices of the examples: learned ones, then held-out ones */
    size_t learned, held_out;
    struct net *net;
    float *inputs, *outputs, *d_outputs;
    bool legal[ACTIONS];
    int epoch;
    enum net_status status;
};

static void fill_targets(const struct imitate_example *example, bool mirror,
                         float ret_targets[ACTIONS])
{
    memset(ret_targets, 0, ACTIONS * sizeof *ret_targets);
    for (int k = 0; k < example->targets; k++) {
        int action = example->action[k];
        ret_targets[mirror ? action_mirror(action) : action] += example->share[k];
    }
}

static void fill_row(struct seat_fit *at, int row, const struct imitate_example *example,
                     bool mirror)
{
    float *inputs = at->inputs + (size_t)row * (size_t)policy_inputs(at->form->sees);
    const struct position position = compact_position_open(&example->position);

    policy_fill_inputs(at->form->sees, &position, example->position.thrown, at->seat, inputs);
    if (mirror)
        policy_mirror_inputs(at->form->sees, inputs);
}

/* Writes the derivatives of both losses with respect to a row of outputs, times `share`. */
static void fill_derivatives(const struct seat_fit *at, const float *outputs,
                             const float targets[ACTIONS], const float scores[POLICY_SCORES],
                             float share, float *ret_d)
{
    float chance[POLICY_SCORES];

    (void)soft_cross_entropy_loss(outputs, at->legal, ACTIONS, targets, share, ret_d);
    memcpy(chance, outputs + ACTIONS, sizeof chance);
    policy_scores(chance);
    for (int k = 0; k < POLICY_SCORES; k++)
        ret_d[ACTIONS + k] = share * (chance[k] - scores[k]);
}

static void shuffle(struct seat_fit *at, const struct random_key *key)
{
    for (size_t k = at->learned; k > 1; k--) {
        size_t other = (size_t)(random_uniform(key, k) * (double)k);
        uint32_t swap = at->order[k - 1];
        at->order[k - 1] = at->order[other];
        at->order[other] = swap;
    }
}

static void learn_epoch(void *context, size_t index, int thread)
{
    (void)thread;
    struct seat_fit *at = (struct seat_fit *)context + index;
    const struct imitate_fit *fit = at->fit;
    const size_t row = (size_t)policy_row(at->form);
    struct random_key key = {.seed = fit->seed,
                             .stream = STREAM_ORDER,
                             .game = (uint64_t)at->epoch,
                             .shot = (uint32_t)at->seat,
                             .purpose = RANDOM_CHOICE};
    static _Thread_local float targets[ACTIONS];
    size_t steps = (at->learned + (size_t)fit->batch - 1) / (size_t)fit->batch, step = 0;

    shuffle(at, &key);
    key.purpose = RANDOM_SCENE;
    for (size_t from = 0; from < at->learned && at->status == NET_OK; from += (size_t)fit->batch) {
        size_t left = at->learned - from;
        int batch = left < (size_t)fit->batch ? (int)left : fit->batch;
        float share = 1.0f / (float)batch;
        bool mirror[IMITATE_BATCH_MAX];
        if (fit->cancel && atomic_load(fit->cancel))
            return;
        for (int k = 0; k < batch; k++) {
            mirror[k] = random_uniform(&key, from + (size_t)k) < 0.5;
            fill_row(at, k, &at->examples[at->order[from + (size_t)k]], mirror[k]);
        }
        at->status = net_forward(at->net, batch, at->inputs, at->outputs);
        for (int k = 0; k < batch && at->status == NET_OK; k++) {
            const struct imitate_example *example = &at->examples[at->order[from + (size_t)k]];
            fill_targets(example, mirror[k], targets);
            fill_derivatives(at, at->outputs + (size_t)k * row, targets, example->scores, share,
                             at->d_outputs + (size_t)k * row);
        }
        if (at->status == NET_OK)
            at->status = net_backward(at->net, batch, at->d_outputs);
        double done = (at->epoch + (double)step++ / (double)steps) / fit->epochs;
        const struct net_optimiser optimiser = {.rule = NET_ADAM,
                                                .rate = fit->rate * 0.5 *
                                                        (1.0 + cos(3.14159265358979 * done)),
                                                .decay = fit->decay,
                                                .clip = 10.0};
        if (at->status == NET_OK)
            at->status = net_update(at->net, &optimiser, NULL);
    }
}

/* Adds the results on one held-out example to the report. */
static void judge(const struct seat_fit *at, const struct imitate_example *example,
                  const float targets[ACTIONS], struct imitate_report *report)
{
    static _Thread_local struct policy_look look;
    struct policy_proposal proposals[PROPOSALS];
    const int s = (int)at->seat;

    legal_softmax(at->outputs, at->legal, ACTIONS, look.chance);
    for (int a = 0; a < ACTIONS; a++)
        if (targets[a] > 0.0f) {
            report->action_loss[s] -= (double)targets[a] * log((double)look.chance[a] + 1e-30);
            report->action_floor[s] -= (double)targets[a] * log((double)targets[a]);
        }
    memcpy(look.scores, at->outputs + ACTIONS, sizeof look.scores);
    policy_scores(look.scores);
    for (int k = 0; k < POLICY_SCORES; k++)
        report->score_loss[s] -= (double)example->scores[k] * log((double)look.scores[k] + 1e-30);
    int count = policy_propose(&look, PROPOSALS, proposals);
    for (int k = 0; k < count; k++)
        if (proposals[k].action == example->action[0]) {
            report->first[s] += k == 0;
            report->twentieth[s] += 1.0;
        }
}

static void judge_held_out(struct seat_fit *at, struct imitate_report *report)
{
    static _Thread_local float targets[ACTIONS];
    const int s = (int)at->seat;

    for (size_t k = 0; k < at->held_out && at->status == NET_OK; k++) {
        const struct imitate_example *example = &at->examples[at->order[at->learned + k]];
        fill_row(at, 0, example, false);
        fill_targets(example, false, targets);
        at->status = net_evaluate(at->net, 1, at->inputs, at->outputs);
        if (at->status == NET_OK)
            judge(at, example, targets, report);
    }
    double *const sums[] = {&report->action_loss[s], &report->action_floor[s],
                            &report->score_loss[s], &report->first[s], &report->twentieth[s]};
    for (size_t k = 0; k < sizeof sums / sizeof sums[0] && at->held_out > 0; k++)
        *sums[k] /= (double)at->held_out;
    report->examples[s] = at->held_out;
}

/* Makes the network and the buffers, and collects the seat's examples. False and a sentence on
 * failure. */
static bool prepare(struct seat_fit *at, size_t count, char *ret_error)
{
    const struct imitate_fit *fit = at->fit;
    const struct net_spec spec = policy_net_spec(at->form, fit->seed * 2 + (uint64_t)at->seat);
    size_t batch = (size_t)fit->batch, row = (size_t)policy_row(at->form);
    size_t learned_of_all = count - (size_t)(fit->held_out * (double)count);

    if (net_new(&spec, fit->device, &at->net, ret_error) != NET_OK)
        return false;
    at->order = malloc(count * sizeof *at->order + 1);
    at->inputs = malloc(batch * (size_t)policy_inputs(at->form->sees) * sizeof *at->inputs);
    at->outputs = malloc(batch * row * sizeof *at->outputs);
    at->d_outputs = malloc(batch * row * sizeof *at->d_outputs);
    if (!at->order || !at->inputs || !at->outputs || !at->d_outputs) {
        snprintf(ret_error, IMITATE_ERROR_MAX, "out of memory");
        return false;
    }
    for (size_t k = 0; k < count; k++)
        if (seat_of_stone(at->examples[k].position.thrown) == at->seat) {
            at->order[at->learned + at->held_out] = (uint32_t)k;
            *(k < learned_of_all ? &at->learned : &at->held_out) += 1;
        }
    for (int a = 0; a < ACTIONS; a++)
        at->legal[a] = action_is_playable(a);
    return true;
}

static bool fit_both(struct seat_fit seats[2], struct pool *pool,
                     void (*tell)(void *context, const struct imitate_report *report),
                     void *context, char *ret_error)
{
    const struct imitate_fit *fit = seats[0].fit;

    for (int epoch = 0; epoch < fit->epochs; epoch++) {
        struct imitate_report report = {.epoch = epoch + 1};
        seats[0].epoch = seats[1].epoch = epoch;
        pool_run(pool, 2, learn_epoch, seats);
        if (fit->cancel && atomic_load(fit->cancel)) {
            snprintf(ret_error, IMITATE_ERROR_MAX, "interrupted");
            return false;
        }
        for (int s = 0; s < 2; s++) {
            if (seats[s].status == NET_OK)
                judge_held_out(&seats[s], &report);
            if (seats[s].status != NET_OK) {
                snprintf(ret_error, IMITATE_ERROR_MAX, "%s", net_status_text(seats[s].status));
                return false;
            }
        }
        tell(context, &report);
    }
    return true;
}

bool imitate_fit(const struct imitate_fit *fit, const struct policy_form *form,
                 const struct imitate_example *examples, size_t count,
                 void (*tell)(void *context, const struct imitate_report *report), void *context,
                 struct net *ret_net[2], char *ret_error)
{
    struct seat_fit seats[2];
    struct pool *pool = pool_new(2);
    bool good = pool != NULL;

    if (!good)
        snprintf(ret_error, IMITATE_ERROR_MAX, "out of memory");
    for (int s = 0; s < 2; s++) {
        seats[s] =
            (struct seat_fit){.fit = fit, .form = form, .examples = examples, .seat = (enum seat)s};
        good = good && prepare(&seats[s], count, ret_error);
    }
    good = good && fit_both(seats, pool, tell, context, ret_error);
    pool_free(pool);
    for (int s = 0; s < 2; s++) {
        free(seats[s].order);
        free(seats[s].inputs);
        free(seats[s].outputs);
        free(seats[s].d_outputs);
        if (good)
            ret_net[s] = seats[s].net;
        else
            net_free(seats[s].net);
    }
    return good;
}
