/* The network that decides in hold'em: an LSTM over the features of the opponent, one over the
 * features of the game, both joined into a hidden layer, and a value for each action. Inference
 * only, in float32, made of sums, products and quotients alone: the same bytes everywhere.
 *
 * Weights are one array, a matrix after the other, inputs by units (a bias last):
 *   [opponent inputs + cells + 1][4 gates * cells]
 *   [game inputs + cells + 1][4 gates * cells]
 *   [2 * cells + 1][hidden]
 *   [hidden + 1][actions] */
#ifndef RINKD_WORKERS_HOLDEM_NETWORK_H
#define RINKD_WORKERS_HOLDEM_NETWORK_H

#include "workers/holdem/feature_tree.h"

enum {
    POKER_CELLS_MAX = 64,
    POKER_HIDDEN_MAX = 1024,
    POKER_GAME_INPUTS = 9,
    POKER_ACTIONS = 8 /* fold, call, raise 1/4, 1/2, 1, 2, 4 pots, all-in */
};

struct poker_form {
    int cells, hidden;
};

/* Parts of the weights, in their order. */
enum poker_module { POKER_OPPONENT, POKER_GAME, POKER_JOINED, POKER_OUTPUT, POKER_PARTS };
struct poker_matrix {
    size_t at; /* of the first weight */
    int inputs, units;
};
struct poker_matrix poker_matrix(struct poker_form form, enum poker_module part);
size_t poker_weight_count(struct poker_form form);

/* What the LSTMs remember of a hand. */
struct poker_state {
    float cell[2][POKER_CELLS_MAX], out[2][POKER_CELLS_MAX];
};

void poker_network_start(struct poker_form form, struct poker_state *ret_state);
/* Feeds POKER_OPPONENT (FEATURE_INPUTS) or POKER_GAME (POKER_GAME_INPUTS). */
void poker_network_feed(struct poker_form form, const float *weights, enum poker_module part,
                        const float *inputs, struct poker_state *state);
void poker_network_values(struct poker_form form, const float *weights,
                          const struct poker_state *state, float ret_values[POKER_ACTIONS]);

/* The game features of the mover. */
void poker_game_inputs(const struct poker_scene *scene, float ret_inputs[POKER_GAME_INPUTS]);

/* Whether an action is offered: a fold only if there is something to call, raises only if
 * possible. */
bool poker_action_is_offered(const struct holdem *hand, int action);
struct holdem_action poker_action(const struct holdem *hand, int action);
/* The offered action with the largest value; the first of equals. */
int poker_best_action(const struct holdem *hand, const float values[POKER_ACTIONS]);

#endif
