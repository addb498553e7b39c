/* Batches of decisions, and learning of values from them. */
#include "workers/learn/algorithms/batch.h"

#include "workers/learn/algorithms/losses.h"

struct batch batch_make(struct room *room, const struct learner_game *game, size_t rows,
                        size_t outputs)
{
    size_t inputs = (size_t)game->inputs, actions = (size_t)game->actions;
    return (struct batch){.game = game,
                          .inputs = room_take(room, rows * inputs, sizeof(float)),
                          .next_inputs = room_take(room, rows * inputs, sizeof(float)),
                          .outputs = room_take(room, rows * outputs, sizeof(float)),
                          .next_outputs = room_take(room, rows * outputs, sizeof(float)),
                          .d_outputs = room_take(room, rows * outputs, sizeof(float)),
                          .legal = room_take(room, rows * actions, sizeof(bool)),
                          .row = room_take(room, rows, sizeof(int)),
                          .next_row = room_take(room, rows, sizeof(int)),
                          .action = room_take(room, rows, sizeof(int)),
                          .mirrored = room_take(room, rows, sizeof(bool)),
                          .value = room_take(room, rows, sizeof(double))};
}

int batch_observe(struct batch *batch, int k, void *observation, int action)
{
    const struct learner_game *game = batch->game;
    if (batch->mirrored[k])
        action = game->mirror(game, observation, action);
    game->fill_inputs(game, observation, batch->inputs + (size_t)k * (size_t)game->inputs);
    return action;
}

enum net_status batch_q_values(struct batch *batch, double discount, struct net *choosing,
                               struct net *valuing)
{
    const struct learner_game *game = batch->game;
    size_t inputs = (size_t)game->inputs, actions = (size_t)game->actions;
    const float *chosen_by = batch->next_outputs;
    int rows = 0;
    _Alignas(16) unsigned char observation[LEARNER_BYTES_MAX], next[LEARNER_BYTES_MAX];

    for (int k = 0; k < batch->count; k++) {
        struct transition t =
            memory_transition(batch->memory, (size_t)batch->row[k], observation, next);
        batch->value[k] = (double)t.reward;
        batch->next_row[k] = t.next ? rows++ : -1;
        if (t.next) {
            size_t row = (size_t)batch->next_row[k];
            if (batch->mirrored[k])
                game->mirror(game, next, t.action);
            game->fill_inputs(game, next, batch->next_inputs + row * inputs);
            game->legal(game, next, batch->legal + row * actions);
        }
        batch->action[k] = batch_observe(batch, k, observation, t.action);
    }
    enum net_status status = net_evaluate(valuing, rows, batch->next_inputs, batch->next_outputs);
    if (status == NET_OK && choosing != valuing) {
        chosen_by = batch->d_outputs; /* not in use yet */
        status = net_evaluate(choosing, rows, batch->next_inputs, batch->d_outputs);
    }
    for (int k = 0; k < batch->count && status == NET_OK; k++) {
        if (batch->next_row[k] < 0)
            continue;
        size_t at = (size_t)batch->next_row[k] * actions;
        batch->value[k] =
            double_q_target(batch->value[k], discount, chosen_by + at, batch->next_outputs + at,
                            batch->legal + at, game->actions);
    }
    return status;
}

enum net_status batch_value_loss(struct batch *batch, struct net *net, int outputs,
                                 double *ret_loss)
{
    enum net_status status = net_forward(net, batch->count, batch->inputs, batch->outputs);
    *ret_loss = 0.0;
    for (int k = 0; k < batch->count && status == NET_OK; k++) {
        size_t at = (size_t)k * (size_t)outputs;
        *ret_loss += q_loss(batch->outputs + at, outputs, batch->action[k], batch->value[k],
                            1.0f / (float)batch->count, batch->d_outputs + at);
    }
    return status;
}
