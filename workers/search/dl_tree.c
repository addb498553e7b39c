/* The steps of dl_tree.h, one after the other. */
#include "workers/search/dl_tree.h"

#include "models/game/free_guard_zone.h"
#include "models/game/score.h"
#include "workers/search/kr_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_full(const struct dl_tree *tree)
{
    return tree->bytes >= tree->bytes_limit;
}

bool dl_tree_is_used_up(const struct dl_tree *tree)
{
    return tree->throw_limit > 0 && tree->throws >= tree->throw_limit;
}

static enum seat mover_at(const struct dl_tree *tree, int number)
{
    return seat_of_stone(rules_stone_of_shot(tree->rules, number));
}

/* The value of chances of the score, for the seat that throws stone number `number`. */
static double value_for(const struct dl_tree *tree, const float scores[POLICY_SCORES], int number)
{
    double worth = 0.0;
    if (tree->half_range <= 0.0)
        return 0.0;
    for (int k = 0; k < POLICY_SCORES; k++) {
        int own = tree->seat == SEAT_SENTE ? k : POLICY_SCORES - 1 - k;
        worth += (double)scores[k] * tree->objective.worth[own];
    }
    double value = (worth - tree->middle) / tree->half_range;
    return mover_at(tree, number) == tree->seat ? value : -value;
}

/* ---- nodes ---- */

/* Adds a shot to a node; at the root it is remembered what it was for. */
static enum player_status add_shot(struct dl_tree *tree, struct dl_node *node,
                                   const struct candidate *candidate, double prior)
{
    struct kernel kernel = kernel_at(tree->query->noise, candidate->shot);
    if (node->shots.count == node->branches) {
        int room = node->branches > 0 ? 2 * node->branches : 16;
        struct dl_branch *branch = realloc(node->branch, (size_t)room * sizeof *branch);
        if (!branch)
            return PLAYER_NO_MEMORY;
        tree->bytes +=
            (size_t)(room - node->branches) * (sizeof *branch + sizeof *node->shots.point);
        node->branch = branch;
        node->branches = room;
    }
    if (node == &tree->root && node->shots.count == tree->root_shots) {
        int room = tree->root_shots > 0 ? 2 * tree->root_shots : 64;
        struct kr_root_shot *root_shot = realloc(tree->root_shot, (size_t)room * sizeof *root_shot);
        if (!root_shot)
            return PLAYER_NO_MEMORY;
        tree->root_shot = root_shot;
        tree->root_shots = room;
    }
    if (!kernel_set_add(&node->shots, &kernel))
        return PLAYER_NO_MEMORY;
    int index = node->shots.count - 1;
    if (!tree->has_kernel) /* what its neighbours have shown is nothing to it */
        node->shots.point[index].weight = node->shots.point[index].weighted_value = 0.0;
    node->branch[index] = (struct dl_branch){.first = NULL, .prior = prior};
    if (node == &tree->root)
        tree->root_shot[index] = (struct kr_root_shot){.candidate = *candidate, .prior = prior};
    return PLAYER_OK;
}

/* Takes down what the network says of a node. */
static enum player_status take_look(struct dl_tree *tree, struct dl_node *node,
                                    const struct policy_look *look)
{
    struct policy_proposal proposals[DL_INIT_MAX];
    int count = policy_propose(look, (int)tree->set[DL_INIT], proposals);

    node->proposal = malloc((size_t)count * sizeof *proposals);
    if (!node->proposal)
        return PLAYER_NO_MEMORY;
    memcpy(node->proposal, proposals, (size_t)count * sizeof *proposals);
    node->proposals = count;
    tree->bytes += (size_t)count * sizeof *proposals;
    return PLAYER_OK;
}

static enum player_status look_at(struct dl_tree *tree, const struct position *positions, int count,
                                  int number, struct policy_look *ret_looks)
{
    switch (policy_look(tree->policy, positions, count, number, mover_at(tree, number),
                        tree->set[DL_TEMPERATURE], tree->set[DL_MIRROR] != 0.0, ret_looks)) {
    case NET_OK:
        return PLAYER_OK;
    case NET_NO_MEMORY:
        return PLAYER_NO_MEMORY;
    default:
        return PLAYER_FAILED;
    }
}

/* Gives a node its first shots. Where the network has not been asked for its value, it has not been
 * asked at all. */
static enum player_status enter(struct dl_tree *tree, struct dl_node *node)
{
    enum player_status status = PLAYER_OK;
    double sum = 0.0;

    if (!node->proposal) {
        status = look_at(tree, &node->position, 1, node->shot, tree->look);
        if (status == PLAYER_OK)
            status = take_look(tree, node, tree->look);
    }
    for (int k = 0; k < node->proposals; k++)
        sum += (double)node->proposal[k].chance;
    for (int k = 0; k < node->proposals && status == PLAYER_OK; k++) {
        struct candidate candidate = {.shot = tree->actions[node->proposal[k].action],
                                      .kind = SHOT_OTHER,
                                      .stone = -1,
                                      .other_stone = -1};
        status = add_shot(tree, node, &candidate, (double)node->proposal[k].chance / sum);
    }
    tree->bytes -= (size_t)node->proposals * sizeof *node->proposal;
    free(node->proposal);
    node->proposal = NULL;
    node->proposals = 0;
    node->entered = true;
    return status;
}

/* ---- one iteration ---- */

/* What is known of a shot, if those under way are lost; W may be 0. */
static struct kernel_point known(const struct dl_node *node, int k)
{
    struct kernel_point point = node->shots.point[k];
    point.visits += node->branch[k].pending;
    point.weight += node->branch[k].pending;
    point.weighted_value -= node->branch[k].pending;
    return point;
}

static double upper_bound(const struct dl_tree *tree, const struct dl_node *node, int k,
                          double log_weights, double root_of_visits)
{
    const struct kernel_point point = known(node, k);
    if (tree->has_kernel)
        return point.weight > 0.0 ? kr_bound(&point, tree->set[DL_C], log_weights) : INFINITY;
    double q = point.visits > 0.0 ? point.weighted_value / point.weight : node->value;
    return q + tree->set[DL_C] * node->branch[k].prior * root_of_visits / (1.0 + point.visits);
}

static int select_shot(const struct dl_tree *tree, const struct dl_node *node, double visits)
{
    double log_weights = kr_log_of_weights(&node->shots), best = -INFINITY;
    /* So that the prior decides before the first visit. */
    double root_of_visits = sqrt(visits > 1.0 ? visits : 1.0);
    int chosen = 0;
    for (int k = 0; k < node->shots.count; k++) {
        double upper = upper_bound(tree, node, k, log_weights, root_of_visits);
        if (upper > best) {
            best = upper;
            chosen = k;
        }
    }
    return chosen;
}

/* Adds the least known shot around shot `chosen`: its index is then the last. Where the ice allows
 * none, nothing is added. */
static enum player_status widen(struct dl_tree *tree, struct dl_node *node, int chosen)
{
    const struct kernel around = node->shots.point[chosen].kernel;
    struct candidate added = {.kind = SHOT_OTHER, .stone = -1, .other_stone = -1};

    if (!kr_least_known(tree->query, &node->shots, &around, tree->set[DL_TAU],
                        (int)tree->set[DL_SAMPLES], &tree->choice, &tree->choices, &added.shot))
        return PLAYER_OK;
    if (node == &tree->root)
        added.target = tree->root_shot[chosen].candidate.target;
    return add_shot(tree, node, &added, node->branch[chosen].prior);
}

static struct dl_node *least_visited(const struct dl_branch *branch)
{
    struct dl_node *least = branch->first;
    for (struct dl_node *child = least; child; child = child->sibling)
        if (child->visits < least->visits)
            least = child;
    return least;
}

/* Whether the next visit of a shot executes it anew. */
static bool wants_execution(const struct dl_tree *tree, const struct dl_branch *branch,
                            double visits)
{
    double most = ceil(tree->set[DL_OUTCOMES] * sqrt(visits + 1.0));
    return branch->outcomes < (most > 1.0 ? most : 1.0);
}

/* Executes the last step of a leaf: where it leads, and a child for it if there is room. */
static enum player_status execute(struct dl_tree *tree, struct dl_leaf *leaf)
{
    const struct player_query *query = tree->query;
    const struct dl_step *step = &leaf->path[leaf->steps - 1];
    struct dl_node *node = step->node;
    struct dl_branch *branch = &node->branch[step->shot];
    struct throw_request request = {.ice = query->ice,
                                    .before = &node->position,
                                    .stone = rules_stone_of_shot(tree->rules, node->shot),
                                    .shot = node->shots.point[step->shot].kernel.centre,
                                    .team0_has_hammer = tree->team0_has_hammer};
    struct throw_result result = {.after = node->position}; /* of a shot that cannot be thrown */

    if (tree->set[DL_OUTCOMES] > 0.0)
        request.shot = noise_apply(query->noise, query->ice, request.shot,
                                   random_normal_pair(&tree->planning, tree->plans++));
    tree->throws++;
    (void)throw_fast(&request, &result);
    free_guard_zone_settle(tree->rules, &node->position, &result.after, node->shot,
                           &leaf->position);
    leaf->number = node->shot + 1;
    if (node == &tree->root)
        tree->root_shot[step->shot].throws++;
    leaf->is_known = leaf->number == tree->rules->shots;
    if (leaf->is_known) {
        int score = score_position(tree->rules, &leaf->position, tree->team0_has_hammer);
        memset(leaf->scores, 0, sizeof leaf->scores);
        leaf->scores[POLICY_SCORE_ZERO + score] = 1.0f;
    } else if (!is_full(tree)) {
        struct dl_node *child = malloc(sizeof *child);
        if (!child)
            return PLAYER_NO_MEMORY;
        tree->bytes += sizeof *child;
        *child = (struct dl_node){.position = leaf->position,
                                  .shot = leaf->number,
                                  .waits = true,
                                  .sibling = branch->first};
        branch->first = child;
        branch->outcomes++;
        leaf->child = child;
    }
    return PLAYER_OK;
}

/* Goes down to a new position. *ret_blocked: the way leads to one that waits for the network. */
static enum player_status descend(struct dl_tree *tree, struct dl_leaf *leaf, bool *ret_blocked)
{
    struct dl_node *node = &tree->root;
    enum player_status status = PLAYER_OK;

    *leaf = (struct dl_leaf){.steps = 0};
    *ret_blocked = false;
    for (;;) {
        if (!node->entered && (status = enter(tree, node)) != PLAYER_OK)
            return status;
        double visits = 0.0;
        for (int k = 0; k < node->shots.count; k++)
            visits += known(node, k).visits;
        int chosen = select_shot(tree, node, visits);
        if (tree->has_kernel && kr_widens(tree->set[DL_WIDENING], visits, node->shots.count) &&
            !is_full(tree)) {
            int before = node->shots.count;
            if ((status = widen(tree, node, chosen)) != PLAYER_OK)
                return status;
            chosen = node->shots.count > before ? before : chosen;
        }
        leaf->path[leaf->steps++] = (struct dl_step){node, chosen};
        const struct dl_branch *branch = &node->branch[chosen];
        struct dl_node *next = branch->first ? least_visited(branch) : NULL;
        /* A full tree throws again where it would have to enter a position. */
        if (!next || wants_execution(tree, branch, known(node, chosen).visits) ||
            (!next->entered && is_full(tree))) {
            status = execute(tree, leaf);
            break;
        }
        node = next;
        if (node->waits) {
            *ret_blocked = true;
            return PLAYER_OK;
        }
    }
    for (int k = 0; k < leaf->steps; k++)
        leaf->path[k].node->branch[leaf->path[k].shot].pending++;
    return status;
}

/* ---- values ---- */

/* Has the leaves valued that have the same number of stones thrown as leaf `first`. */
static enum player_status value_alike(struct dl_tree *tree, int first, int count)
{
    const int number = tree->leaf[first].number;
    enum player_status status = PLAYER_OK;
    int alike = 0;

    for (int k = first; k < count; k++)
        if (!tree->leaf[k].is_known && tree->leaf[k].number == number)
            tree->position[alike++] = tree->leaf[k].position;
    status = look_at(tree, tree->position, alike, number, tree->look);
    alike = 0;
    for (int k = first; k < count && status == PLAYER_OK; k++) {
        struct dl_leaf *leaf = &tree->leaf[k];
        if (leaf->is_known || leaf->number != number)
            continue;
        const struct policy_look *look = &tree->look[alike++];
        memcpy(leaf->scores, look->scores, sizeof leaf->scores);
        leaf->is_known = true;
        if (leaf->child)
            status = take_look(tree, leaf->child, look);
    }
    return status;
}

static enum player_status value_leaves(struct dl_tree *tree, int count)
{
    enum player_status status = PLAYER_OK;

    for (int k = 0; k < count && status == PLAYER_OK; k++) {
        struct dl_leaf *leaf = &tree->leaf[k];
        if (leaf->is_known)
            continue;
        switch ((enum dl_value)tree->set[DL_VALUE]) {
        case DL_VALUE_POLICY:
            status = value_alike(tree, k, count);
            break;
        case DL_VALUE_NETWORK:
            end_value_scores(tree->network, &leaf->position, leaf->number, leaf->scores);
            break;
        case DL_VALUE_COUNT:
            memset(leaf->scores, 0, sizeof leaf->scores);
            leaf->scores[POLICY_SCORE_ZERO + score_position(tree->rules, &leaf->position,
                                                            tree->team0_has_hammer)] = 1.0f;
            break;
        }
    }
    return status;
}

/* One visit of a shot alone. */
static void record_alone(struct kernel_point *point, double value)
{
    point->visits += 1.0;
    point->weight += 1.0;
    point->value_sum += value;
    point->weighted_value += value;
}

/* The value of a leaf goes up its way. */
static void record(struct dl_tree *tree, const struct dl_leaf *leaf)
{
    for (int k = 0; k < leaf->steps; k++) {
        struct dl_node *node = leaf->path[k].node;
        double value = value_for(tree, leaf->scores, node->shot);
        node->visits++;
        node->branch[leaf->path[k].shot].pending--;
        if (tree->has_kernel)
            kernel_set_record(&node->shots, leaf->path[k].shot, value);
        else
            record_alone(&node->shots.point[leaf->path[k].shot], value);
    }
    if (leaf->child) {
        leaf->child->waits = false;
        leaf->child->visits = 1;
        leaf->child->value = value_for(tree, leaf->scores, leaf->number);
    }
    double *scores = tree->root_shot[leaf->path[0].shot].scores;
    for (int k = 0; k < POLICY_SCORES; k++)
        scores[tree->seat == SEAT_SENTE ? k : POLICY_SCORES - 1 - k] += (double)leaf->scores[k];
}

enum player_status dl_tree_step(struct dl_tree *tree)
{
    int batch = (int)tree->set[DL_BATCH], count = 0;
    enum player_status status = PLAYER_OK;
    bool blocked = false;

    while (count < batch && !blocked && status == PLAYER_OK) {
        if (count > 0 &&
            (dl_tree_is_used_up(tree) ||
             (tree->iteration_limit > 0 && tree->iterations + count >= tree->iteration_limit)))
            break;
        status = descend(tree, &tree->leaf[count], &blocked);
        count += !blocked;
    }
    if (status == PLAYER_OK)
        status = value_leaves(tree, count);
    for (int k = 0; k < count && status == PLAYER_OK; k++)
        record(tree, &tree->leaf[k]);
    tree->iterations += count;
    return status;
}

/* ---- beginning and end ---- */

static void node_clear(struct dl_node *node)
{
    for (int k = 0; k < node->shots.count; k++)
        for (struct dl_node *child = node->branch[k].first; child;) {
            struct dl_node *next = child->sibling;
            node_clear(child);
            free(child);
            child = next;
        }
    free(node->branch);
    free(node->proposal);
    kernel_set_clear(&node->shots);
}

void dl_tree_clear(struct dl_tree *tree)
{
    node_clear(&tree->root);
    free(tree->root_shot);
    free(tree->leaf);
    free(tree->look);
    free(tree->position);
}

/* The root is asked for itself: its first shots, and what PUCT thinks of shots not tried. */
static enum player_status enter_root(struct dl_tree *tree)
{
    struct dl_leaf root = {.position = tree->root.position, .number = tree->root.shot};

    tree->leaf[0] = root;
    /* The shipped network knows no empty sheet, which is even. */
    bool is_valued = root.number > 0 || (int)tree->set[DL_VALUE] != DL_VALUE_NETWORK;
    enum player_status status = is_valued ? value_leaves(tree, 1) : PLAYER_OK;
    if (status == PLAYER_OK && is_valued)
        tree->root.value = value_for(tree, tree->leaf[0].scores, tree->root.shot);
    return status == PLAYER_OK ? enter(tree, &tree->root) : status;
}

enum player_status dl_tree_start(const struct player_query *query, const double *set,
                                 bool has_kernel, struct policy *policy,
                                 const struct end_value *network, struct dl_tree *ret_tree)
{
    const struct game *game = query->game;
    const size_t batch = (size_t)set[DL_BATCH];
    struct dl_tree tree = {
        .query = query,
        .set = set,
        .has_kernel = has_kernel,
        .policy = policy,
        .network = network,
        .rules = game->rules,
        .actions = action_table(query->ice),
        .team0_has_hammer = game_team0_has_hammer(game),
        .planning = query->key,
        .choice = query->key,
        .root = {.position = game->position, .shot = game->shot},
        .throw_limit = query->limits.simulations,
        .bytes_limit = (size_t)set[DL_MEMORY] << 20,
        .leaf = malloc(batch * sizeof *tree.leaf),
        .look = malloc(batch * sizeof *tree.look),
        .position = malloc(batch * sizeof *tree.position),
    };

    if (query->limits.simulations <= 0 && query->limits.time_s <= 0.0)
        tree.iteration_limit = (int64_t)set[DL_SIMULATIONS];
    tree.planning.purpose = RANDOM_PLANNING;
    tree.choice.purpose = RANDOM_CHOICE;
    tree.seat = mover_at(&tree, game->shot);
    objective_of_game(game, (enum objective_kind)set[DL_OBJECTIVE], &tree.objective);
    const double *worth = tree.objective.worth;
    tree.middle = (worth[OBJECTIVE_SCORES - 1] + worth[0]) / 2.0;
    tree.half_range = (worth[OBJECTIVE_SCORES - 1] - worth[0]) / 2.0;

    enum player_status status = PLAYER_NO_MEMORY;
    if (tree.leaf && tree.look && tree.position)
        status = enter_root(&tree);
    if (status == PLAYER_OK)
        *ret_tree = tree;
    else
        dl_tree_clear(&tree);
    return status;
}
