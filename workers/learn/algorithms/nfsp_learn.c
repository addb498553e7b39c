/* NFSP learns: its networks side by side, each by gradient descent on batches from its own
 * memory. */
#include "workers/learn/algorithms/losses.h"
#include "workers/learn/algorithms/nfsp_run.h"
#include "workers/learn/algorithms/run_networks.h"

#include <string.h>

/* Draws a batch of indices below `count` into `row`, for update number `update`, and which of them
 * to look at in the mirror where the game has one. */
static void draw_batch(const struct nfsp *nfsp, struct workplace *place, enum stream stream,
                       int seat, uint64_t update, size_t count)
{
    struct random_key key = nfsp_stream_key(nfsp, stream, seat);
    key.game = update;
    for (int k = 0; k < nfsp->settings.batch; k += 4) {
        uint64_t bits[4];
        random_bits(&key, (uint64_t)k / 4, 0, bits);
        for (int j = 0; j < 4 && k + j < nfsp->settings.batch; j++) {
            place->row[k + j] = (int)nfsp_pick(bits[j], count);
            place->mirrored[k + j] = nfsp->game->mirror && bits[j] & 1;
        }
    }
}

/* A step towards the Q-learning target on a batch of transitions. */
static bool learn_response(struct nfsp *nfsp, struct workplace *place, int number, char *ret_error)
{
    const struct learner_game *game = nfsp->game;
    const struct nfsp_settings *settings = &nfsp->settings;
    struct seat *seat = &nfsp->seat[number];
    size_t inputs = (size_t)game->inputs, actions = (size_t)game->actions;
    int batch = settings->batch, next_rows = 0;
    _Alignas(16) unsigned char observation[LEARNER_BYTES_MAX], next[LEARNER_BYTES_MAX];

    draw_batch(nfsp, place, STREAM_RESPONSE, number, seat->response_updates,
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
    /* With a target network the other one chooses the next action (double_q_target()). */
    const float *choosing = place->next_outputs;
    enum net_status status =
        net_evaluate(seat->response, next_rows, place->next_inputs, place->next_outputs);
    if (status == NET_OK && seat->target) {
        choosing = place->d_outputs; /* not in use yet */
        memcpy(place->d_outputs, place->next_outputs,
               (size_t)next_rows * actions * sizeof *place->d_outputs);
        status = net_evaluate(seat->target, next_rows, place->next_inputs, place->next_outputs);
    }
    for (int k = 0; k < batch; k++) {
        size_t next_at = place->next_row[k] < 0 ? 0 : (size_t)place->next_row[k] * actions;
        place->reward[k] =
            (float)double_q_target((double)place->reward[k], settings->discount, choosing + next_at,
                                   place->next_row[k] < 0 ? NULL : place->next_outputs + next_at,
                                   place->legal + next_at, game->actions);
    }
    if (status == NET_OK)
        status = net_forward(seat->response, batch, place->inputs, place->outputs);
    double loss = 0.0;
    for (int k = 0; k < batch && status == NET_OK; k++) {
        loss += q_loss(place->outputs + (size_t)k * actions, game->actions, place->action[k],
                       (double)place->reward[k], 1.0f / (float)batch,
                       place->d_outputs + (size_t)k * actions);
    }
    seat->response_loss = loss / batch;
    if (status == NET_OK)
        status = net_backward(seat->response, batch, place->d_outputs);
    if (status == NET_OK)
        status = net_update(seat->response, &settings->response, NULL);
    seat->response_updates++;
    if (status == NET_OK && seat->target &&
        seat->response_updates % (uint64_t)settings->target_interval == 0)
        status = net_copy(seat->response, seat->target);
    return run_step_is_good(status, &seat->response_loss, "best response", ret_error);
}

/* A step of the best response towards all that candidates told at a batch of decisions. */
static bool learn_tried(struct nfsp *nfsp, struct workplace *place, int number, char *ret_error)
{
    const struct learner_game *game = nfsp->game;
    struct seat *seat = &nfsp->seat[number];
    size_t actions = (size_t)game->actions;
    int batch = nfsp->settings.batch;
    double loss = 0.0;
    _Alignas(16) unsigned char observation[LEARNER_BYTES_MAX];

    draw_batch(nfsp, place, STREAM_RESPONSE, number, seat->response_updates,
               tried_memory_count(seat->tried));
    for (int k = 0; k < batch; k++) {
        tried_memory_get(seat->tried, (size_t)place->row[k], observation, place->told);
        if (place->mirrored[k])
            game->mirror(game, observation, 0);
        game->fill_inputs(game, observation, place->inputs + (size_t)k * (size_t)game->inputs);
    }
    enum net_status status = net_forward(seat->response, batch, place->inputs, place->outputs);
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
    seat->response_loss = loss / batch;
    if (status == NET_OK)
        status = net_backward(seat->response, batch, place->d_outputs);
    if (status == NET_OK)
        status = net_update(seat->response, &nfsp->settings.response, NULL);
    seat->response_updates++;
    return run_step_is_good(status, &seat->response_loss, "best response", ret_error);
}

/* A step of the value network towards a batch of what games came to. */
static bool learn_value(struct nfsp *nfsp, struct workplace *place, int number, char *ret_error)
{
    const struct learner_game *game = nfsp->game;
    struct seat *seat = &nfsp->seat[number];
    int batch = nfsp->settings.batch;
    _Alignas(16) unsigned char observation[LEARNER_BYTES_MAX], next[LEARNER_BYTES_MAX];

    draw_batch(nfsp, place, STREAM_VALUE, number, seat->value_updates, replay_count(seat->returns));
    for (int k = 0; k < batch; k++) {
        struct transition t = replay_get(seat->returns, (size_t)place->row[k], observation, next);
        if (place->mirrored[k])
            game->mirror(game, observation, 0);
        game->fill_inputs(game, observation, place->inputs + (size_t)k * (size_t)game->inputs);
        place->reward[k] = t.reward;
    }
    enum net_status status = net_forward(seat->value, batch, place->inputs, place->outputs);
    double loss = 0.0;
    for (int k = 0; k < batch && status == NET_OK; k++)
        loss += q_loss(place->outputs + k, 1, 0, (double)place->reward[k], 1.0f / (float)batch,
                       place->d_outputs + k);
    seat->value_loss = loss / batch;
    if (status == NET_OK)
        status = net_backward(seat->value, batch, place->d_outputs);
    if (status == NET_OK)
        status = net_update(seat->value, &nfsp->settings.response, NULL);
    seat->value_updates++;
    return run_step_is_good(status, &seat->value_loss, "value", ret_error);
}

/* A step towards the likelihood of a batch of what best responses did. */
static bool learn_average(struct nfsp *nfsp, struct workplace *place, int number, char *ret_error)
{
    const struct learner_game *game = nfsp->game;
    struct seat *seat = &nfsp->seat[number];
    size_t inputs = (size_t)game->inputs, actions = (size_t)game->actions;
    int batch = nfsp->settings.batch;
    _Alignas(16) unsigned char observation[LEARNER_BYTES_MAX];

    draw_batch(nfsp, place, STREAM_AVERAGE, number, seat->average_updates,
               reservoir_count(seat->actions));
    for (int k = 0; k < batch; k++) {
        place->action[k] = reservoir_get(seat->actions, (size_t)place->row[k], observation);
        if (place->mirrored[k])
            place->action[k] = game->mirror(game, observation, place->action[k]);
        game->fill_inputs(game, observation, place->inputs + (size_t)k * inputs);
        game->legal(game, observation, place->legal + (size_t)k * actions);
    }
    enum net_status status = net_forward(seat->average, batch, place->inputs, place->outputs);
    double loss = 0.0;
    for (int k = 0; k < batch && status == NET_OK; k++) {
        size_t at = (size_t)k * actions;
        loss += cross_entropy_loss(place->outputs + at, place->legal + at, game->actions,
                                   place->action[k], 1.0f / (float)batch, place->d_outputs + at);
    }
    seat->average_loss = loss / batch;
    if (status == NET_OK)
        status = net_backward(seat->average, batch, place->d_outputs);
    if (status == NET_OK)
        status = net_update(seat->average, &nfsp->settings.average, NULL);
    seat->average_updates++;
    return run_step_is_good(status, &seat->average_loss, "average policy", ret_error);
}

/* One network of a seat, if it is there and its memory full enough. */
static bool learn(struct nfsp *nfsp, struct workplace *place, int seat, int learner,
                  char *ret_error)
{
    const struct seat *s = &nfsp->seat[seat];
    size_t warm_up = nfsp->settings.warm_up;
    bool (*update)(struct nfsp *, struct workplace *, int, char *) = NULL;

    if (learner == ROLE_AVERAGE) {
        update = reservoir_count(s->actions) >= warm_up ? learn_average : NULL;
    } else if (learner == LEARNS_VALUE) {
        update = s->value && replay_count(s->returns) >= warm_up ? learn_value : NULL;
    } else if (s->tried) {
        /* A decision tells of about half as many actions as there are candidates; a small memory is
         * full before. */
        size_t wanted = 2 * warm_up < nfsp->settings.response_memory
                            ? 2 * warm_up
                            : nfsp->settings.response_memory;
        update = tried_memory_count(s->tried) * (size_t)nfsp->settings.candidates >= wanted
                     ? learn_tried
                     : NULL;
    } else {
        update = replay_count(s->transitions) >= warm_up ? learn_response : NULL;
    }
    for (int k = 0; update && k < nfsp->settings.updates; k++)
        if (!update(nfsp, place, seat, ret_error))
            return false;
    return true;
}

static void learn_task(void *context, size_t number, int thread)
{
    struct nfsp *nfsp = context;
    struct workplace *place = &nfsp->workplace[thread];
    double begun = pool_thread_s();
    nfsp->errors[number][0] = '\0';
    learn(nfsp, place, (int)number / LEARNERS, (int)number % LEARNERS, nfsp->errors[number]);
    place->learn_s += pool_thread_s() - begun;
}

bool nfsp_learn(struct nfsp *nfsp, char ret_error[LEARNER_ERROR_MAX])
{
    pool_run(nfsp->pool, 2 * LEARNERS, learn_task, nfsp);
    for (int number = 0; number < 2 * LEARNERS; number++)
        if (nfsp->errors[number][0]) {
            snprintf(ret_error, LEARNER_ERROR_MAX, "%s", nfsp->errors[number]);
            return false;
        }
    return true;
}
