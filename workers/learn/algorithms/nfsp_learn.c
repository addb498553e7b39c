/* Learning of NFSP: its networks learn in parallel, each by gradient descent on batches from its
 * own memory. */
#include "workers/learn/algorithms/choosing.h"
#include "workers/learn/algorithms/losses.h"
#include "workers/learn/algorithms/nfsp_run.h"
#include "workers/learn/algorithms/run_networks.h"

#include <string.h>

/* Draws a batch of indices below `count` into `row`, for update number `update`; if the game has a
 * mirror, also draws which entries to mirror. */
static void draw_batch(const struct nfsp *nfsp, struct workplace *place, enum nfsp_stream stream,
                       int seat, uint64_t update, size_t count)
{
    struct random_key key = run_stream_key(&nfsp->run, stream, seat);
    key.game = update;
    for (int k = 0; k < (int)nfsp->settings.batch; k += 4) {
        uint64_t bits[4];
        random_bits(&key, (uint64_t)k / 4, 0, bits);
        for (int j = 0; j < 4 && k + j < (int)nfsp->settings.batch; j++) {
            place->row[k + j] = (int)pick_number(bits[j], count);
            place->mirrored[k + j] = nfsp->run.game->mirror && bits[j] & 1;
        }
    }
}

/* Completes an update with one step of the network on the d_outputs of the batch. `loss` is the
 * batch's summed loss, `status` the result of the forward pass. */
static bool descend(struct nfsp *nfsp, const struct workplace *place, int number, int network,
                    double loss, enum net_status status, char *ret_error)
{
    static const char *const names[] = {[NFSP_RESPONSE] = "best response",
                                        [NFSP_AVERAGE] = "average policy",
                                        [NFSP_VALUE] = "value"};
    struct seat *seat = &nfsp->seat[number];
    uint64_t *updates = &nfsp->run.updates[number][network];
    int batch = (int)nfsp->settings.batch;

    seat->loss[network] = loss / batch;
    status =
        run_descend(seat->net[network], batch, place->d_outputs, &nfsp->optimiser[network], status);
    ++*updates;
    if (status == NET_OK && network == NFSP_RESPONSE && seat->net[NFSP_TARGET] &&
        *updates % (uint64_t)nfsp->settings.target_interval == 0)
        status = net_copy(seat->net[NFSP_RESPONSE], seat->net[NFSP_TARGET]);
    return run_step_is_good(status, &seat->loss[network], names[network], ret_error);
}

/* Takes a step towards the Q-learning targets of a batch of transitions. */
static bool learn_response(struct nfsp *nfsp, struct workplace *place, int number, char *ret_error)
{
    const struct learner_game *game = nfsp->run.game;
    const struct nfsp_settings *settings = &nfsp->settings;
    struct seat *seat = &nfsp->seat[number];
    size_t inputs = (size_t)game->inputs, actions = (size_t)game->actions;
    int batch = (int)settings->batch, next_rows = 0;
    _Alignas(16) unsigned char observation[LEARNER_BYTES_MAX], next[LEARNER_BYTES_MAX];

    draw_batch(nfsp, place, STREAM_RESPONSE, number, nfsp->run.updates[number][NFSP_RESPONSE],
               replay_count(seat->transitions));
    for (int k = 0; k < batch; k++) {
        struct transition t =
            replay_get(seat->transitions, (size_t)place->row[k], observation, next);
        if (place->mirrored[k]) {
            if (t.next)
                game->mirror(game, next, t.action);
            t.action = game->mirror(game, observation, t.action);
        }
        game->fill_inputs(game, t.observation, place->inputs + (size_t)k * inputs);
        place->action[k] = t.action;
        place->reward[k] = t.reward;
        place->next_row[k] = -1;
        if (t.next) {
            size_t row = (size_t)next_rows++;
            game->fill_inputs(game, t.next, place->next_inputs + row * inputs);
            game->legal(game, t.next, place->legal + row * actions);
            place->next_row[k] = (int)row;
        }
    }
    /* With a target network, the learning network chooses the next action (double_q_target()). */
    const float *choosing = place->next_outputs;
    enum net_status status =
        net_evaluate(seat->net[NFSP_RESPONSE], next_rows, place->next_inputs, place->next_outputs);
    if (status == NET_OK && seat->net[NFSP_TARGET]) {
        choosing = place->d_outputs; /* not in use yet */
        memcpy(place->d_outputs, place->next_outputs,
               (size_t)next_rows * actions * sizeof *place->d_outputs);
        status = net_evaluate(seat->net[NFSP_TARGET], next_rows, place->next_inputs,
                              place->next_outputs);
    }
    for (int k = 0; k < batch; k++) {
        size_t next_at = place->next_row[k] < 0 ? 0 : (size_t)place->next_row[k] * actions;
        place->reward[k] =
            (float)double_q_target((double)place->reward[k], settings->discount, choosing + next_at,
                                   place->next_row[k] < 0 ? NULL : place->next_outputs + next_at,
                                   place->legal + next_at, game->actions);
    }
    if (status == NET_OK)
        status = net_forward(seat->net[NFSP_RESPONSE], batch, place->inputs, place->outputs);
    double loss = 0.0;
    for (int k = 0; k < batch && status == NET_OK; k++) {
        loss += q_loss(place->outputs + (size_t)k * actions, game->actions, place->action[k],
                       (double)place->reward[k], 1.0f / (float)batch,
                       place->d_outputs + (size_t)k * actions);
    }
    return descend(nfsp, place, number, NFSP_RESPONSE, loss, status, ret_error);
}

/* Takes a step of the best response towards the values from candidates at a batch of decisions. */
static bool learn_tried(struct nfsp *nfsp, struct workplace *place, int number, char *ret_error)
{
    const struct learner_game *game = nfsp->run.game;
    struct seat *seat = &nfsp->seat[number];
    size_t actions = (size_t)game->actions;
    int batch = (int)nfsp->settings.batch;
    double loss = 0.0;
    _Alignas(16) unsigned char observation[LEARNER_BYTES_MAX];

    draw_batch(nfsp, place, STREAM_RESPONSE, number, nfsp->run.updates[number][NFSP_RESPONSE],
               tried_memory_count(seat->tried));
    for (int k = 0; k < batch; k++) {
        tried_memory_get(seat->tried, (size_t)place->row[k], observation, place->told);
        if (place->mirrored[k])
            game->mirror(game, observation, 0);
        game->fill_inputs(game, observation, place->inputs + (size_t)k * (size_t)game->inputs);
    }
    enum net_status status =
        net_forward(seat->net[NFSP_RESPONSE], batch, place->inputs, place->outputs);
    memset(place->d_outputs, 0, (size_t)batch * actions * sizeof *place->d_outputs);
    for (int k = 0; k < batch && status == NET_OK; k++) {
        int count = tried_memory_get(seat->tried, (size_t)place->row[k], observation, place->told);
        float share = 1.0f / ((float)batch * (float)count);
        for (int j = 0; j < count; j++) {
            int action = place->told[j].action;
            if (place->mirrored[k])
                action = game->mirror(game, observation, action);
            size_t at = (size_t)k * actions + (size_t)action;
            float off = place->outputs[at] - place->told[j].value;
            loss += 0.5 * (double)off * (double)off / count;
            place->d_outputs[at] += share * off;
        }
    }
    return descend(nfsp, place, number, NFSP_RESPONSE, loss, status, ret_error);
}

/* Takes a step of the value network towards a batch of returns. */
static bool learn_value(struct nfsp *nfsp, struct workplace *place, int number, char *ret_error)
{
    const struct learner_game *game = nfsp->run.game;
    struct seat *seat = &nfsp->seat[number];
    int batch = (int)nfsp->settings.batch;
    _Alignas(16) unsigned char observation[LEARNER_BYTES_MAX], next[LEARNER_BYTES_MAX];

    draw_batch(nfsp, place, STREAM_VALUE, number, nfsp->run.updates[number][NFSP_VALUE],
               replay_count(seat->returns));
    for (int k = 0; k < batch; k++) {
        struct transition t = replay_get(seat->returns, (size_t)place->row[k], observation, next);
        if (place->mirrored[k])
            game->mirror(game, observation, 0);
        game->fill_inputs(game, observation, place->inputs + (size_t)k * (size_t)game->inputs);
        place->reward[k] = t.reward;
    }
    enum net_status status =
        net_forward(seat->net[NFSP_VALUE], batch, place->inputs, place->outputs);
    double loss = 0.0;
    for (int k = 0; k < batch && status == NET_OK; k++)
        loss += q_loss(place->outputs + k, 1, 0, (double)place->reward[k], 1.0f / (float)batch,
                       place->d_outputs + k);
    return descend(nfsp, place, number, NFSP_VALUE, loss, status, ret_error);
}

/* Takes a step of the average policy towards a batch of best responses' actions. */
static bool learn_average(struct nfsp *nfsp, struct workplace *place, int number, char *ret_error)
{
    const struct learner_game *game = nfsp->run.game;
    struct seat *seat = &nfsp->seat[number];
    size_t inputs = (size_t)game->inputs, actions = (size_t)game->actions;
    int batch = (int)nfsp->settings.batch;
    _Alignas(16) unsigned char observation[LEARNER_BYTES_MAX];

    draw_batch(nfsp, place, STREAM_AVERAGE, number, nfsp->run.updates[number][NFSP_AVERAGE],
               reservoir_count(seat->actions));
    for (int k = 0; k < batch; k++) {
        place->action[k] = reservoir_get(seat->actions, (size_t)place->row[k], observation);
        if (place->mirrored[k])
            place->action[k] = game->mirror(game, observation, place->action[k]);
        game->fill_inputs(game, observation, place->inputs + (size_t)k * inputs);
        game->legal(game, observation, place->legal + (size_t)k * actions);
    }
    enum net_status status =
        net_forward(seat->net[NFSP_AVERAGE], batch, place->inputs, place->outputs);
    double loss = 0.0;
    for (int k = 0; k < batch && status == NET_OK; k++) {
        size_t at = (size_t)k * actions;
        loss += cross_entropy_loss(place->outputs + at, place->legal + at, game->actions,
                                   place->action[k], 1.0f / (float)batch, place->d_outputs + at);
    }
    return descend(nfsp, place, number, NFSP_AVERAGE, loss, status, ret_error);
}

typedef bool update_function(struct nfsp *nfsp, struct workplace *place, int seat, char *ret_error);

/* Returns the update of a seat's network; NULL: no such network, or too few entries in memory. */
static update_function *update_of(const struct nfsp *nfsp, int seat, int network)
{
    const struct seat *s = &nfsp->seat[seat];
    size_t warm_up = (size_t)nfsp->settings.warm_up;
    size_t memory = (size_t)nfsp->settings.response_memory;

    switch (network) {
    case NFSP_AVERAGE:
        return reservoir_count(s->actions) >= warm_up ? learn_average : NULL;
    case NFSP_VALUE:
        return s->net[NFSP_VALUE] && replay_count(s->returns) >= warm_up ? learn_value : NULL;
    default:
        if (!s->tried)
            return replay_count(s->transitions) >= warm_up ? learn_response : NULL;
        /* A decision has values for about half as many actions as candidates. A small memory can
         * hold fewer than wanted. */
        size_t wanted = 2 * warm_up < memory ? 2 * warm_up : memory;
        size_t told = tried_memory_count(s->tried) * (size_t)nfsp->settings.candidates;
        return told >= wanted ? learn_tried : NULL;
    }
}

bool nfsp_learn(struct run *run, int task, int thread, char *ret_error)
{
    struct nfsp *nfsp = (struct nfsp *)run;
    int seat = task / RUN_LEARNERS;
    update_function *update = update_of(nfsp, seat, task % RUN_LEARNERS);

    for (int k = 0; update && k < (int)nfsp->settings.updates; k++)
        if (!update(nfsp, &nfsp->workplace[thread], seat, ret_error))
            return false;
    return true;
}
