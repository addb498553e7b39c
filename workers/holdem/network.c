/* Inference. Inner loops run over units, so that they vectorise without another order of sums. */
#include "workers/holdem/network.h"

#include <math.h>
#include <string.h>

struct poker_matrix poker_matrix(struct poker_form form, enum poker_module part)
{
    const struct poker_matrix all[POKER_PARTS] = {
        [POKER_OPPONENT] = {0, FEATURE_INPUTS + form.cells + 1, 4 * form.cells},
        [POKER_GAME] = {0, POKER_GAME_INPUTS + form.cells + 1, 4 * form.cells},
        [POKER_JOINED] = {0, 2 * form.cells + 1, form.hidden},
        [POKER_OUTPUT] = {0, form.hidden + 1, POKER_ACTIONS},
    };
    struct poker_matrix matrix = all[part];

    for (int k = 0; k < (int)part; k++)
        matrix.at += (size_t)all[k].inputs * (size_t)all[k].units;
    return matrix;
}

size_t poker_weight_count(struct poker_form form)
{
    const struct poker_matrix last = poker_matrix(form, POKER_OUTPUT);

    return last.at + (size_t)last.inputs * (size_t)last.units;
}

/* tanh(x) to about 1e-4 by a continued fraction. */
static inline float bend(float x)
{
    float y = x > 4.9f ? 4.9f : x < -4.9f ? -4.9f : x, s = y * y;

    return y * (135135.0f + s * (17325.0f + s * (378.0f + s))) /
           (135135.0f + s * (62370.0f + s * (3150.0f + s * 28.0f)));
}

static inline float gate(float x)
{
    return 0.5f + 0.5f * bend(0.5f * x);
}

/* sums += input * row */
static inline void add_row(int units, float input, const float *row, float *sums)
{
    for (int k = 0; k < units; k++)
        sums[k] += input * row[k];
}

void poker_network_start(struct poker_form form, struct poker_state *ret_state)
{
    for (int k = 0; k < 2; k++) {
        memset(ret_state->cell[k], 0, (size_t)form.cells * sizeof(float));
        memset(ret_state->out[k], 0, (size_t)form.cells * sizeof(float));
    }
}

void poker_network_feed(struct poker_form form, const float *weights, enum poker_module part,
                        const float *inputs, struct poker_state *state)
{
    const struct poker_matrix matrix = poker_matrix(form, part);
    const int fed = matrix.inputs - form.cells - 1, units = matrix.units, cells = form.cells;
    const float *row = weights + matrix.at;
    float *cell = state->cell[part], *out = state->out[part], sums[4 * POKER_CELLS_MAX];

    memcpy(sums, row + (size_t)(matrix.inputs - 1) * (size_t)units, (size_t)units * sizeof *sums);
    for (int k = 0; k < fed; k++, row += units)
        add_row(units, inputs[k], row, sums);
    for (int k = 0; k < cells; k++, row += units)
        add_row(units, out[k], row, sums);
    for (int k = 0; k < cells; k++) {
        cell[k] = gate(sums[k]) * cell[k] + gate(sums[cells + k]) * bend(sums[2 * cells + k]);
        out[k] = gate(sums[3 * cells + k]) * bend(cell[k]);
    }
}

void poker_network_values(struct poker_form form, const float *weights,
                          const struct poker_state *state, float ret_values[POKER_ACTIONS])
{
    const struct poker_matrix joined = poker_matrix(form, POKER_JOINED),
                              output = poker_matrix(form, POKER_OUTPUT);
    const float *row = weights + joined.at;
    float hidden[POKER_HIDDEN_MAX];

    memcpy(hidden, row + (size_t)(joined.inputs - 1) * (size_t)joined.units,
           (size_t)joined.units * sizeof *hidden);
    for (int part = 0; part < 2; part++)
        for (int k = 0; k < form.cells; k++, row += joined.units)
            add_row(joined.units, state->out[part][k], row, hidden);
    row = weights + output.at;
    memcpy(ret_values, row + (size_t)form.hidden * POKER_ACTIONS,
           POKER_ACTIONS * sizeof *ret_values);
    for (int k = 0; k < form.hidden; k++, row += POKER_ACTIONS)
        if (hidden[k] > 0.0f)
            add_row(POKER_ACTIONS, hidden[k], row, ret_values);
}

void poker_game_inputs(const struct poker_scene *scene, float ret_inputs[POKER_GAME_INPUTS])
{
    const struct holdem *hand = scene->hand;
    const struct hand_tables *tables = scene->tables->hands;
    const struct hand own =
        hand_add(tables, hand_add(tables, scene->board->hand, scene->hole[0]), scene->hole[1]);
    const struct strength_chances chances = strength_chances(scene->board, own);
    float to_call = (float)holdem_to_call(hand), pot = (float)holdem_pot(hand);

    ret_inputs[0] = (float)chances.flush;
    ret_inputs[1] = (float)chances.straight;
    ret_inputs[2] = (float)chances.pairs;
    ret_inputs[3] = (float)hand->round / (float)(HOLDEM_ROUNDS - 1);
    ret_inputs[4] = (float)scene->strength;
    ret_inputs[5] = sqrtf((float)hand->chips[hand->mover] / (float)HOLDEM_STACK);
    ret_inputs[6] = sqrtf((float)hand->chips[1 - hand->mover] / (float)HOLDEM_STACK);
    ret_inputs[7] = to_call / (pot + to_call);
    ret_inputs[8] = (float)hand->mover;
}

bool poker_action_is_offered(const struct holdem *hand, int action)
{
    if (action == POKER_FOLD)
        return holdem_to_call(hand) > 0;
    return action == POKER_CALL || hand->chips[1 - hand->mover] < HOLDEM_STACK;
}

struct holdem_action poker_action(const struct holdem *hand, int action)
{
    static const double pots[POKER_ACTIONS] = {[POKER_RAISE] = .25, .5, 1.0, 2.0, 4.0,
                                               HOLDEM_STACK};

    if (action == POKER_FOLD)
        return (struct holdem_action){HOLDEM_FOLD, 0};
    if (action == POKER_CALL)
        return (struct holdem_action){HOLDEM_CALL, 0};
    return holdem_raise_by(hand, pots[action]);
}

int poker_best_action(const struct holdem *hand, const float values[POKER_ACTIONS])
{
    int best = POKER_CALL;

    for (int k = 0; k < POKER_ACTIONS; k++)
        if (poker_action_is_offered(hand, k) && values[k] > values[best])
            best = k;
    return best;
}
