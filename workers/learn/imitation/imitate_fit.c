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
    size_t batches; /* of the next learn_some() */
    const struct imitate_example *examples;
    enum seat seat;
    uint32_t *order; /* indices of the examples: learned ones, then held-out ones */
    size_t learned, held_out;
    size_t from; /* examples of the epoch that are done */
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

static size_t batches_of(const struct seat_fit *at, size_t examples)
{
    return (examples + (size_t)at->fit->batch - 1) / (size_t)at->fit->batch;
}

/* Learns from the next batches of a seat's epoch. */
static void learn_some(void *context, size_t index, int thread)
{
    (void)thread;
    struct seat_fit *at = (struct seat_fit *)context + index;
    const struct imitate_fit *fit = at->fit;
    const size_t row = (size_t)policy_row(at->form), steps = batches_of(at, at->learned);
    struct random_key key = {.seed = fit->seed,
                             .stream = fit->stream + STREAM_ORDER,
                             .game = (uint64_t)at->epoch,
                             .shot = (uint32_t)at->seat,
                             .purpose = RANDOM_CHOICE};
    static _Thread_local float targets[ACTIONS];

    if (at->from == 0)
        shuffle(at, &key);
    key.purpose = RANDOM_SCENE;
    for (size_t done = 0; done < at->batches && at->from < at->learned && at->status == NET_OK;
         done++) {
        const size_t from = at->from, left = at->learned - from;
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
        double done_of_all =
            (at->epoch + (double)batches_of(at, from) / (double)steps) / (double)fit->epochs;
        const struct net_optimiser optimiser = {.rule = NET_ADAM,
                                                .rate = fit->rate * 0.5 *
                                                        (1.0 + cos(3.14159265358979 * done_of_all)),
                                                .decay = fit->decay,
                                                .clip = 10.0};
        if (at->status == NET_OK)
            at->status = net_update(at->net, &optimiser, NULL);
        at->from += (size_t)batch;
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
static bool prepare(struct seat_fit *at, const struct net *start, size_t count, char *ret_error)
{
    const struct imitate_fit *fit = at->fit;
    const struct net_spec spec = policy_net_spec(at->form, fit->seed * 2 + (uint64_t)at->seat);
    size_t batch = (size_t)fit->batch, row = (size_t)policy_row(at->form);
    size_t learned_of_all = count - (size_t)(fit->held_out * (double)count);

    if (net_new(&spec, fit->device, &at->net, ret_error) != NET_OK)
        return false;
    if (start && net_copy_first_outputs(start, at->net) != NET_OK) { /* a new optimiser */
        snprintf(ret_error, IMITATE_ERROR_MAX, "the weights cannot be copied");
        return false;
    }
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

/* ---- the fit in parts ---- */

struct imitate_fitting {
    struct imitate_fit fit;
    struct policy_form form;
    struct seat_fit seat[2];
};

void imitate_fitting_free(struct imitate_fitting *fitting)
{
    for (int s = 0; fitting && s < 2; s++) {
        struct seat_fit *at = &fitting->seat[s];
        net_free(at->net);
        free(at->order);
        free(at->inputs);
        free(at->outputs);
        free(at->d_outputs);
    }
    free(fitting);
}

struct imitate_fitting *imitate_fitting_new(const struct imitate_fit *fit,
                                            const struct policy_form *form,
                                            const struct net *const start[2],
                                            const struct imitate_example *examples, size_t count,
                                            char *ret_error)
{
    struct imitate_fitting *fitting = calloc(1, sizeof *fitting);
    bool good = fitting != NULL;

    if (!good) {
        snprintf(ret_error, IMITATE_ERROR_MAX, "out of memory");
        return NULL;
    }
    fitting->fit = *fit;
    fitting->form = *form;
    for (int s = 0; s < 2 && good; s++) {
        struct seat_fit *at = &fitting->seat[s];
        at->fit = &fitting->fit;
        at->form = &fitting->form;
        at->examples = examples;
        at->seat = (enum seat)s;
        good = prepare(at, start ? start[s] : NULL, count, ret_error);
    }
    if (good)
        return fitting;
    imitate_fitting_free(fitting);
    return NULL;
}

enum net_status imitate_fitting_go(struct imitate_fitting *fitting, struct pool *pool,
                                   size_t batches)
{
    struct seat_fit *seat = fitting->seat;

    for (int s = 0; s < 2; s++)
        seat[s].batches = batches;
    pool_run(pool, 2, learn_some, seat);
    for (int s = 0; s < 2; s++)
        if (seat[s].status != NET_OK)
            return seat[s].status;
    if (seat[0].from >= seat[0].learned && seat[1].from >= seat[1].learned)
        for (int s = 0; s < 2; s++) {
            seat[s].epoch++;
            seat[s].from = 0;
        }
    return NET_OK;
}

int imitate_fitting_epochs(const struct imitate_fitting *fitting)
{
    return fitting->seat[0].epoch;
}

size_t imitate_fitting_batches(const struct imitate_fitting *fitting)
{
    size_t batches = 0;

    for (int s = 0; s < 2; s++) {
        const struct seat_fit *at = &fitting->seat[s];
        batches += (size_t)at->epoch * batches_of(at, at->learned) + batches_of(at, at->from);
    }
    return batches;
}

size_t imitate_fitting_batches_all(const struct imitate_fitting *fitting)
{
    return (size_t)fitting->fit.epochs * (batches_of(&fitting->seat[0], fitting->seat[0].learned) +
                                          batches_of(&fitting->seat[1], fitting->seat[1].learned));
}

enum net_status imitate_fitting_judge(struct imitate_fitting *fitting,
                                      struct imitate_report *ret_report)
{
    *ret_report = (struct imitate_report){.epoch = fitting->seat[0].epoch};
    for (int s = 0; s < 2; s++) {
        judge_held_out(&fitting->seat[s], ret_report);
        if (fitting->seat[s].status != NET_OK)
            return fitting->seat[s].status;
    }
    return NET_OK;
}

const struct net *imitate_fitting_net(const struct imitate_fitting *fitting, enum seat seat)
{
    return fitting->seat[seat].net;
}

/* ---- the whole fit ---- */

static bool fit_all(struct imitate_fitting *fitting, struct pool *pool,
                    void (*tell)(void *context, const struct imitate_report *report), void *context,
                    char *ret_error)
{
    const struct imitate_fit *fit = &fitting->fit;

    for (int epoch = 0; epoch < fit->epochs; epoch++) {
        struct imitate_report report;
        enum net_status status = imitate_fitting_go(fitting, pool, SIZE_MAX);
        if (fit->cancel && atomic_load(fit->cancel)) {
            snprintf(ret_error, IMITATE_ERROR_MAX, "interrupted");
            return false;
        }
        if (status == NET_OK)
            status = imitate_fitting_judge(fitting, &report);
        if (status != NET_OK) {
            snprintf(ret_error, IMITATE_ERROR_MAX, "%s", net_status_text(status));
            return false;
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
    struct imitate_fitting *fitting =
        imitate_fitting_new(fit, form, NULL, examples, count, ret_error);
    struct pool *pool = pool_new(2);
    bool good = fitting && pool;

    if (fitting && !pool)
        snprintf(ret_error, IMITATE_ERROR_MAX, "out of memory");
    good = good && fit_all(fitting, pool, tell, context, ret_error);
    for (int s = 0; s < 2 && good; s++) {
        ret_net[s] = fitting->seat[s].net;
        fitting->seat[s].net = NULL;
    }
    pool_free(pool);
    imitate_fitting_free(fitting);
    return good;
}
