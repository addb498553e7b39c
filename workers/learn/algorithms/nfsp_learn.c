/* Learning of NFSP: its networks learn in parallel, each by gradient descent on batches from its
 * own memory. */
#include "workers/learn/algorithms/choosing.h"
#include "workers/learn/algorithms/losses.h"
#include "workers/learn/algorithms/nfsp_run.h"
#include "workers/learn/algorithms/run_networks.h"

#include <string.h>

/* Takes a step towards the Q-learning targets of a batch of transitions. */
static bool learn_response(struct nfsp *nfsp, struct batch *batch, int number, char *ret_error)
{
    const struct run_seat *seat = &nfsp->run.seat[number];
    const struct memory *memory = seat->memory[MEMORY_RESPONSE];
    struct net *net = seat->net[NFSP_RESPONSE], *target = seat->net[NFSP_TARGET];
    double loss = 0.0;

    run_draw(&nfsp->run, STREAM_RESPONSE, number, NFSP_RESPONSE, memory, batch);
    /* With a target network, the learning network chooses the next action (double_q_target()). */
    enum net_status status =
        batch_q_values(batch, nfsp->settings.discount, net, target ? target : net);
    for (int k = 0; k < batch->count; k++)
        batch->value[k] = (double)(float)batch->value[k]; /* as runs of all versions have it */
    if (status == NET_OK)
        status = batch_value_loss(batch, net, nfsp->run.game->actions, &loss);
    return run_descend(&nfsp->run, number, NFSP_RESPONSE, batch, loss, status, ret_error);
}

/* Takes a step of the best response towards the values from candidates at a batch of decisions. */
static bool learn_tried(struct nfsp *nfsp, struct batch *batch, int number, char *ret_error)
{
    const struct learner_game *game = nfsp->run.game;
    const struct run_seat *seat = &nfsp->run.seat[number];
    const struct memory *memory = seat->memory[MEMORY_RESPONSE];
    struct told told[LEARNER_ACTIONS_MAX];
    size_t actions = (size_t)game->actions;
    double loss = 0.0;
    _Alignas(16) unsigned char observation[LEARNER_BYTES_MAX];

    run_draw(&nfsp->run, STREAM_RESPONSE, number, NFSP_RESPONSE, memory, batch);
    for (int k = 0; k < batch->count; k++) {
        memory_tries(memory, (size_t)batch->row[k], observation, told);
        batch_observe(batch, k, observation, 0);
    }
    enum net_status status =
        net_forward(seat->net[NFSP_RESPONSE], batch->count, batch->inputs, batch->outputs);
    memset(batch->d_outputs, 0, (size_t)batch->count * actions * sizeof *batch->d_outputs);
    for (int k = 0; k < batch->count && status == NET_OK; k++) {
        int tries = memory_tries(memory, (size_t)batch->row[k], observation, told);
        float share = 1.0f / ((float)batch->count * (float)tries);
        for (int j = 0; j < tries; j++) {
            int action = told[j].action;
            if (batch->mirrored[k])
                action = game->mirror(game, observation, action);
            size_t at = (size_t)k * actions + (size_t)action;
            float off = batch->outputs[at] - told[j].value;
            loss += 0.5 * (double)off * (double)off / tries;
            batch->d_outputs[at] += share * off;
        }
    }
    return run_descend(&nfsp->run, number, NFSP_RESPONSE, batch, loss, status, ret_error);
}

/* Takes a step of the value network towards a batch of returns. */
static bool learn_value(struct nfsp *nfsp, struct batch *batch, int number, char *ret_error)
{
    const struct run_seat *seat = &nfsp->run.seat[number];
    const struct memory *memory = seat->memory[MEMORY_RETURNS];
    double loss;
    _Alignas(16) unsigned char observation[LEARNER_BYTES_MAX], next[LEARNER_BYTES_MAX];

    run_draw(&nfsp->run, STREAM_VALUE, number, NFSP_VALUE, memory, batch);
    for (int k = 0; k < batch->count; k++) {
        struct transition t = memory_transition(memory, (size_t)batch->row[k], observation, next);
        batch_observe(batch, k, observation, 0);
        batch->action[k] = 0; /* the only output */
        batch->value[k] = (double)t.reward;
    }
    enum net_status status = batch_value_loss(batch, seat->net[NFSP_VALUE], 1, &loss);
    return run_descend(&nfsp->run, number, NFSP_VALUE, batch, loss, status, ret_error);
}

/* Fills in row `k` of a batch of best responses' decisions, and the probabilities that the average
 * policy learns there; without aims batch->action[k] instead. */
static void draw_average(const struct nfsp *nfsp, struct batch *batch, int k, float *ret_target)
{
    const struct learner_game *game = nfsp->run.game;
    const struct memory *memory = batch->memory;
    struct told aims[LEARNER_ACTIONS_MAX];
    _Alignas(16) unsigned char observation[LEARNER_BYTES_MAX], seen[LEARNER_BYTES_MAX];

    if (nfsp->aims) {
        int count = memory_tries(memory, (size_t)batch->row[k], observation, aims);
        memset(ret_target, 0, (size_t)game->actions * sizeof *ret_target);
        for (int j = 0; j < count; j++) {
            int action = aims[j].action;
            memcpy(seen, observation, game->observation_size);
            if (batch->mirrored[k])
                action = game->mirror(game, seen, action);
            ret_target[action] += aims[j].value;
        }
        batch_observe(batch, k, observation, 0);
    } else {
        int action = memory_action(memory, (size_t)batch->row[k], observation);
        batch->action[k] = batch_observe(batch, k, observation, action);
    }
    game->legal(game, observation, batch->legal + (size_t)k * (size_t)game->actions);
}

/* Takes a step of the average policy towards a batch of best responses' actions. */
static bool learn_average(struct nfsp *nfsp, struct batch *batch, int number, char *ret_error)
{
    const struct learner_game *game = nfsp->run.game;
    const struct run_seat *seat = &nfsp->run.seat[number];
    size_t actions = (size_t)game->actions;
    float share = 1.0f / (float)nfsp->run.batch;
    double loss = 0.0;

    run_draw(&nfsp->run, STREAM_AVERAGE, number, NFSP_AVERAGE, seat->memory[MEMORY_ACTIONS], batch);
    for (int k = 0; k < batch->count; k++) /* next_outputs are not in use: they hold the targets */
        draw_average(nfsp, batch, k, batch->next_outputs + (size_t)k * actions);
    enum net_status status =
        net_forward(seat->net[NFSP_AVERAGE], batch->count, batch->inputs, batch->outputs);
    for (int k = 0; k < batch->count && status == NET_OK; k++) {
        size_t at = (size_t)k * actions;
        const float *logits = batch->outputs + at;
        const bool *legal = batch->legal + at;
        loss += nfsp->aims ? soft_cross_entropy_loss(logits, legal, game->actions,
                                                     batch->next_outputs + at, share,
                                                     batch->d_outputs + at)
                           : cross_entropy_loss(logits, legal, game->actions, batch->action[k],
                                                share, batch->d_outputs + at);
    }
    return run_descend(&nfsp->run, number, NFSP_AVERAGE, batch, loss, status, ret_error);
}

typedef bool update_function(struct nfsp *nfsp, struct batch *batch, int seat, char *ret_error);

/* Returns the update of a seat's network; NULL: no such network, or too few entries in memory. */
static update_function *update_of(const struct nfsp *nfsp, int number, int network)
{
    const struct run_seat *seat = &nfsp->run.seat[number];
    size_t warm_up = (size_t)nfsp->settings.warm_up;
    size_t entries = (size_t)nfsp->settings.response_memory;

    switch (network) {
    case NFSP_AVERAGE:
        return memory_count(seat->memory[MEMORY_ACTIONS]) >= warm_up ? learn_average : NULL;
    case NFSP_VALUE:
        return seat->net[NFSP_VALUE] && memory_count(seat->memory[MEMORY_RETURNS]) >= warm_up
                   ? learn_value
                   : NULL;
    default:
        if (!seat->net[NFSP_VALUE])
            return memory_count(seat->memory[MEMORY_RESPONSE]) >= warm_up ? learn_response : NULL;
        /* A decision has values for about half as many actions as candidates. A small memory can
         * hold fewer than wanted. */
        size_t wanted = 2 * warm_up < entries ? 2 * warm_up : entries;
        size_t told =
            memory_count(seat->memory[MEMORY_RESPONSE]) * (size_t)nfsp->settings.candidates;
        return told >= wanted ? learn_tried : NULL;
    }
}

bool nfsp_learn(struct run *run, int seat, int network, struct batch *batch, char *ret_error)
{
    struct nfsp *nfsp = (struct nfsp *)run;
    update_function *update = update_of(nfsp, seat, network);

    for (int k = 0; update && k < (int)nfsp->settings.updates; k++)
        if (!update(nfsp, batch, seat, ret_error))
            return false;
    return true;
}
