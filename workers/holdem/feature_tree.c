/* The tree of sequences of actions. */
#include "workers/holdem/feature_tree.h"

/* A node that was visited so often is half sure. */
#define HALF_SURE 8.0f

void feature_tree_begin(struct feature_tree *tree)
{
    tree->node[0] = tree->node[1] = tree->node[2] = (struct feature_node){.visits = 0};
    tree->count = 3;
    tree->steps = 0;
}

void feature_tree_deal(struct feature_tree *tree, int position)
{
    tree->position = position;
    tree->steps = 0;
}

static uint16_t root_of(const struct feature_tree *tree)
{
    return (uint16_t)(1 + tree->position);
}

void feature_tree_see(struct feature_tree *tree, const struct holdem *before,
                      struct holdem_action action)
{
    if (tree->steps == FEATURE_PATH_MAX)
        return;
    struct feature_step *step = &tree->path[tree->steps];
    int branch = poker_branch(before, action);
    uint16_t parent = tree->steps > 0 ? step[-1].node : root_of(tree);

    *step = (struct feature_step){.parent = parent,
                                  .node = parent ? tree->node[parent].child[branch] : 0,
                                  .branch = (uint8_t)branch,
                                  .by_opponent = before->mover != tree->position};
    tree->steps++;
}

/* The child of a node, made if there is room; 0: there is none. */
static uint16_t child_of(struct feature_tree *tree, uint16_t parent, int branch)
{
    uint16_t *child = &tree->node[parent].child[branch];

    if (*child == 0 && tree->count < FEATURE_NODES) {
        *child = (uint16_t)tree->count++;
        tree->node[*child] = (struct feature_node){.visits = 0};
    }
    return *child;
}

void feature_tree_end(struct feature_tree *tree, const struct poker_end *end)
{
    uint16_t at = root_of(tree);

    for (int k = 0;; k++) {
        struct feature_node *node = &tree->node[at];
        node->visits++;
        node->folds += end->opponent_folded;
        node->shows += end->shown;
        node->strength += end->shown ? (float)end->strength : 0.0f;
        if (k == tree->steps || (at = child_of(tree, at, tree->path[k].branch)) == 0)
            return;
    }
}

void feature_tree_inputs(const struct feature_tree *tree, int step,
                         float ret_inputs[FEATURE_INPUTS])
{
    const struct feature_step *at = &tree->path[step];
    const struct feature_node *node = &tree->node[at->node], *parent = &tree->node[at->parent];
    float visits = (float)node->visits, shows = (float)node->shows;

    ret_inputs[0] = at->parent && parent->visits ? visits / (float)parent->visits : 0.0f;
    ret_inputs[1] = visits > 0.0f ? (float)node->folds / visits : 0.0f;
    ret_inputs[2] = visits > 0.0f ? shows / visits : 0.0f;
    ret_inputs[3] = shows > 0.0f ? node->strength / shows : 0.0f;
    ret_inputs[4] = visits / (visits + HALF_SURE);
    ret_inputs[5] = at->by_opponent ? 1.0f : 0.0f;
    ret_inputs[6] = (float)at->branch / (float)(POKER_BRANCHES - 1);
}
