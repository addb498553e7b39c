/* What a player remembers of its opponent in a session: a tree of the sequences of actions, by the
 * branches of player.h. A node counts the hands that passed through it, in how many the opponent
 * folded later or showed its cards, and how strong shown hands were. A fixed size; when it is full,
 * new sequences are not remembered. */
#ifndef RINKD_WORKERS_HOLDEM_FEATURE_TREE_H
#define RINKD_WORKERS_HOLDEM_FEATURE_TREE_H

#include "workers/holdem/player.h"

/* Later actions of a hand are ignored. */
enum { FEATURE_NODES = 2048, FEATURE_PATH_MAX = 32, FEATURE_INPUTS = 7 };

struct feature_node {
    uint32_t visits, folds, shows;
    float strength; /* sum over shows */
    uint16_t child[POKER_BRANCHES];
};

struct feature_step {
    uint16_t node, parent; /* 0: not remembered yet */
    uint8_t branch;
    bool by_opponent;
};

struct feature_tree {
    struct feature_node node[FEATURE_NODES]; /* 0 unused; 1, 2: before any action, by position */
    int count;
    int position;
    struct feature_step path[FEATURE_PATH_MAX];
    int steps;
};

void feature_tree_begin(struct feature_tree *tree);
void feature_tree_deal(struct feature_tree *tree, int position);
void feature_tree_see(struct feature_tree *tree, const struct holdem *before,
                      struct holdem_action action);
/* Counts a hand at its end. */
void feature_tree_end(struct feature_tree *tree, const struct poker_end *end);

/* Inputs of a network for a step of the path: its frequency after the step before, later folds,
 * shows, mean strength shown, how sure that is, who acted, size of a raise. All 0 to 1. */
void feature_tree_inputs(const struct feature_tree *tree, int step,
                         float ret_inputs[FEATURE_INPUTS]);

#endif
