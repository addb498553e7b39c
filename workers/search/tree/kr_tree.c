/* The steps of an iteration, see kr_tree.h. */
#include "workers/search/tree/kr_tree.h"

#include "models/game/free_guard_zone.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool kr_tree_is_full(const struct kr_tree *tree)
{
    return tree->bytes >= tree->bytes_limit;
}

bool kr_tree_is_used_up(const struct kr_tree *tree)
{
    return (tree->throw_limit > 0 && tree->throws >= tree->throw_limit) ||
           (tree->iteration_limit > 0 && tree->iterations >= tree->iteration_limit);
}

/* ---- nodes ---- */

static struct kr_node *make_node(const struct kr_tree *tree, const struct position *position,
                                 int shot)
{
    struct kr_node *node = malloc(tree->node_size);
    if (!node)
        return NULL;
    memset(node, 0, tree->node_size);
    node->position = *position;
    node->shot = shot;
    return node;
}

/* Makes room for more shots. */
static bool grow(struct kr_tree *tree, struct kr_node *node)
{
    int room = node->branches > 0 ? 2 * node->branches : 16;
    size_t prior_size = tree->set.has_priors ? sizeof *node->prior : 0;

    struct kr_branch *branch = realloc(node->branch, (size_t)room * sizeof *branch);
    if (!branch)
        return false;
    node->branch = branch;
    if (tree->set.has_priors) {
        double *prior = realloc(node->prior, (size_t)room * sizeof *prior);
        if (!prior)
            return false;
        node->prior = prior;
    }
    if (node == tree->root) {
        struct kr_root_shot *root_shot =
            realloc(tree->root_shot, (size_t)room * sizeof *tree->root_shot);
        if (!root_shot)
            return false;
        tree->root_shot = root_shot;
    }
    tree->bytes +=
        (size_t)(room - node->branches) * (sizeof *branch + prior_size + sizeof *node->shots.point);
    node->branches = room;
    return true;
}

enum player_status kr_tree_add_shot(struct kr_tree *tree, struct kr_node *node,
                                    const struct candidate *candidate, double prior)
{
    struct kernel kernel = kernel_at(player_hand(tree->query, node->shot), candidate->shot);
    if (node->shots.count == node->branches && !grow(tree, node))
        return PLAYER_NO_MEMORY;
    if (!kernel_set_add(&node->shots, &kernel))
        return PLAYER_NO_MEMORY;
    int index = node->shots.count - 1;
    if (!tree->set.has_kernel) /* without a kernel, neighbours give no information about it */
        node->shots.point[index].weight = node->shots.point[index].weighted_value = 0.0;
    node->branch[index] = (struct kr_branch){.first = NULL};
    if (tree->set.has_priors)
        node->prior[index] = prior;
    if (node == tree->root)
        tree->root_shot[index] = (struct kr_root_shot){.candidate = *candidate};
    return PLAYER_OK;
}

/* ---- shots ---- */

int kr_pick(const struct noise *noise, const struct candidate *candidates, int count, int most,
            int *ret_picked)
{
    const double nearly_the_same = 0.9;
    int picked = 0, next[SHOT_KIND_COUNT] = {0};
    struct kernel kernels[CANDIDATES_MAX];

    for (bool found = true; found;) {
        found = false;
        for (int kind = 0; kind < SHOT_KIND_COUNT; kind++) {
            bool taken = false;
            for (; next[kind] < count && picked < most && !taken; next[kind]++) {
                const struct candidate *candidate = &candidates[next[kind]];
                taken = (int)candidate->kind == kind;
                for (int k = 0; k < picked && taken; k++)
                    taken = kernel_density(&kernels[k], candidate->shot) <= nearly_the_same;
                if (taken) {
                    kernels[picked] = kernel_at(noise, candidate->shot);
                    ret_picked[picked++] = next[kind];
                    found = true;
                }
            }
        }
    }
    return picked;
}

double kr_node_visits(const struct kr_node *node)
{
    double visits = 0.0;
    for (int k = 0; k < node->shots.count; k++)
        visits += node->shots.point[k].visits + node->branch[k].pending;
    return visits;
}

int kr_tree_select(const struct kr_tree *tree, const struct kr_node *node)
{
    double log_weights = kernel_set_log_weights(&node->shots), best = -INFINITY;
    int chosen = 0;
    for (int k = 0; k < node->shots.count; k++) {
        const struct kernel_point point = kr_node_known(node, k);
        double upper =
            point.weight > 0.0 ? kernel_bound(&point, tree->set.c, log_weights) : INFINITY;
        if (upper > best) {
            best = upper;
            chosen = k;
        }
    }
    return chosen;
}

/* Draws shots around one and picks the one with the smallest W over the node's shots. False when
 * the ice allows none of them. */
static bool least_known(struct kr_tree *tree, const struct kr_node *node,
                        const struct kernel *around, struct shot *ret_shot)
{
    const struct noise *hand = player_hand(tree->query, node->shot);
    double radius = sqrt(-2.0 * log(tree->set.tau)), least = INFINITY; /* of density tau */

    for (int k = 0; k < tree->set.samples; k++) {
        uint64_t bits[4];
        random_bits(&tree->choice, tree->choices++, 0, bits);
        /* The square root spreads the points evenly over the area. */
        struct shot shot = kernel_shot_on_ellipse(around, radius * sqrt(random_unit(bits[0])),
                                                  random_unit(bits[1]));
        struct kernel kernel = kernel_at(hand, shot);
        double weight = kernel_set_weight(&node->shots, &kernel);
        if (weight < least && vec2_length(shot.velocity) <= tree->query->ice->max_speed) {
            least = weight;
            *ret_shot = shot;
        }
    }
    return least < INFINITY;
}

enum player_status kr_tree_widen(struct kr_tree *tree, struct kr_node *node, double visits,
                                 int *chosen)
{
    if (tree->set.widening * sqrt(visits) < node->shots.count || kr_tree_is_full(tree))
        return PLAYER_OK;

    const struct kernel around = node->shots.point[*chosen].kernel;
    struct shot shot;
    if (!least_known(tree, node, &around, &shot))
        return PLAYER_OK;
    struct candidate added = candidate_of_shot(shot);
    /* A shot inherits the purpose of the shot around which it was drawn. */
    if (node == tree->root) {
        added = tree->root_shot[*chosen].candidate;
        added.shot = shot;
    }
    enum player_status status =
        kr_tree_add_shot(tree, node, &added, tree->set.has_priors ? node->prior[*chosen] : NAN);
    if (status == PLAYER_OK)
        *chosen = node->shots.count - 1;
    return status;
}

/* ---- positions ---- */

struct kr_node *kr_tree_next(const struct kr_tree *tree, const struct kr_node *node, int shot)
{
    const struct kr_branch *branch = &node->branch[shot];
    double visits = node->shots.point[shot].visits + branch->pending;
    double most = ceil(tree->set.outcomes * sqrt(visits + 1.0));
    struct kr_node *least = branch->first;

    if (branch->outcomes < (most > 1.0 ? most : 1.0))
        return NULL;
    for (struct kr_node *child = least; child; child = child->sibling)
        if (child->visits < least->visits)
            least = child;
    return least;
}

void kr_tree_throw(struct kr_tree *tree, const struct position *before, int number,
                   struct shot shot, bool noisy, struct throw_result *ret_result,
                   struct position *ret_settled)
{
    const struct player_query *query = tree->query;
    if (noisy)
        shot = noise_apply(player_hand(query, number), query->ice, shot,
                           random_normal_pair(&tree->planning, tree->plans++));
    struct throw_request request = {.ice = query->ice,
                                    .before = before,
                                    .stone = rules_stone_of_shot(tree->rules, number),
                                    .shot = shot,
                                    .team0_has_hammer = tree->team0_has_hammer};
    struct throw_result result = {.after = *before};

    tree->throws++;
    (void)throw_fast(&request, &result); /* a shot that cannot be thrown changes nothing */
    free_guard_zone_settle(tree->rules, before, &result.after, number, ret_settled);
    *ret_result = result;
}

enum player_status kr_tree_execute(struct kr_tree *tree, struct kr_leaf *leaf)
{
    assert(leaf->steps > 0 && leaf->steps <= POSITION_STONES);
    struct kr_node *node = leaf->step[leaf->steps - 1].node;
    int shot = leaf->step[leaf->steps - 1].shot;
    struct kr_branch *branch = &node->branch[shot];
    struct throw_result result;

    kr_tree_throw(tree, &node->position, node->shot, node->shots.point[shot].kernel.centre,
                  tree->set.outcomes > 0.0, &result, &leaf->position);
    leaf->number = node->shot + 1;
    leaf->child = NULL;
    if (node == tree->root) {
        struct kr_root_shot *root = &tree->root_shot[shot];
        root->throws++;
        if (root->candidate.kind != SHOT_OTHER)
            root->successes +=
                candidate_succeeded(tree->rules, &root->candidate, &node->position,
                                    rules_stone_of_shot(tree->rules, node->shot), &result);
    }
    if (leaf->number == tree->rules->shots || kr_tree_is_full(tree))
        return PLAYER_OK;
    struct kr_node *child = make_node(tree, &leaf->position, leaf->number);
    if (!child)
        return PLAYER_NO_MEMORY;
    tree->bytes += tree->node_size;
    child->sibling = branch->first;
    branch->first = child;
    branch->outcomes++;
    leaf->child = child;
    return PLAYER_OK;
}

/* ---- values ---- */

double kr_tree_value(const struct kr_tree *tree, double worth, int number)
{
    if (tree->half_range <= 0.0)
        return 0.0;
    double value = (worth - tree->middle) / tree->half_range;
    return seat_of_stone(rules_stone_of_shot(tree->rules, number)) == tree->seat ? value : -value;
}

/* Counts one visit of a shot and leaves its neighbours alone. */
static void record_alone(struct kernel_point *point, double value)
{
    point->visits += 1.0;
    point->weight += 1.0;
    point->value_sum += value;
    point->weighted_value += value;
}

void kr_tree_record(struct kr_tree *tree, const struct kr_leaf *leaf, double worth)
{
    for (int k = 0; k < leaf->steps; k++) {
        struct kr_node *node = leaf->step[k].node;
        int shot = leaf->step[k].shot;
        double value = kr_tree_value(tree, worth, node->shot);
        node->visits++;
        if (tree->set.has_kernel)
            kernel_set_record(&node->shots, shot, value);
        else
            record_alone(&node->shots.point[shot], value);
    }
    if (leaf->child)
        leaf->child->visits++;
}

/* ---- beginning and end ---- */

enum player_status kr_tree_start(const struct player_query *query, const struct kr_settings *set,
                                 size_t node_size, struct kr_tree *ret_tree)
{
    const struct game *game = query->game;
    struct kr_tree tree = {
        .query = query,
        .set = *set,
        .rules = game->rules,
        .team0_has_hammer = game_team0_has_hammer(game),
        .seat = game_next_seat(game),
        .planning = query->key,
        .choice = query->key,
        .node_size = node_size,
        .throw_limit = query->limits.simulations,
        .bytes_limit = (size_t)set->memory_mb << 20,
    };

    if (query->limits.time_s > 0.0)
        tree.iteration_limit = set->bound;
    else if (query->limits.simulations <= 0)
        tree.iteration_limit = set->iterations;
    tree.planning.purpose = RANDOM_PLANNING;
    tree.choice.purpose = RANDOM_CHOICE;
    objective_of_game(game, set->objective, set->table, &tree.objective);
    const double *worth = tree.objective.worth;
    tree.middle = (worth[OBJECTIVE_SCORES - 1] + worth[0]) / 2.0;
    tree.half_range = (worth[OBJECTIVE_SCORES - 1] - worth[0]) / 2.0;
    tree.root = make_node(&tree, &game->position, game->shot);
    if (!tree.root)
        return PLAYER_NO_MEMORY;
    *ret_tree = tree;
    return PLAYER_OK;
}

static void node_free(struct kr_node *node)
{
    for (int k = 0; k < node->shots.count; k++)
        for (struct kr_node *child = node->branch[k].first; child;) {
            struct kr_node *next = child->sibling;
            node_free(child);
            child = next;
        }
    free(node->branch);
    free(node->prior);
    kernel_set_clear(&node->shots);
    free(node);
}

void kr_tree_clear(struct kr_tree *tree)
{
    if (tree->root)
        node_free(tree->root);
    free(tree->root_shot);
}
