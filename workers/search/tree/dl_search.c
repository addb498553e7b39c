/* The parts that dl_search.h adds to the tree: proposals, PUCT, and values for many positions at
 * once. */
#include "workers/search/tree/dl_search.h"

#include "models/game/score.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The most positions between two checks of the clock: large networks take milliseconds for each. */
enum { LOOKS_AT_ONCE = 32 };

struct dl_node {
    struct kr_node node;
    bool waits; /* for the network */
    int proposals;
    double value;                     /* by the network, for the side to throw */
    struct policy_proposal *proposal; /* proposals of the network until the node is entered */
};

/* An iteration whose value is not known yet. */
struct leaf {
    struct kr_leaf way;
    float scores[POLICY_SCORES]; /* probabilities for sente */
    bool is_known;
};

struct search {
    struct kr_tree tree;
    const struct dl_settings *set;
    struct policy *policy;
    const struct shot *actions; /* the table */
    struct leaf *leaf;          /* [batch] */
    struct policy_look *look;
    struct position *position;
};

/* All nodes of the tree are struct dl_node. */
static struct dl_node *own(struct kr_node *node)
{
    return (struct dl_node *)node;
}

/* Returns the expected worth of a distribution of scores. */
static double worth_of(const struct kr_tree *tree, const float scores[POLICY_SCORES])
{
    double worth = 0.0;
    for (int k = 0; k < POLICY_SCORES; k++) {
        int score = tree->seat == SEAT_SENTE ? k : POLICY_SCORES - 1 - k;
        worth += (double)scores[k] * tree->objective.worth[score];
    }
    return worth;
}

/* Values a leaf by the score as the stones lie. */
static void count_score(const struct kr_tree *tree, struct leaf *leaf)
{
    int score = score_position(tree->rules, &leaf->way.position, tree->team0_has_hammer);
    memset(leaf->scores, 0, sizeof leaf->scores);
    leaf->scores[POLICY_SCORE_ZERO + score] = 1.0f;
}

/* ---- nodes ---- */

/* Keeps the proposals of the network for a node. */
static enum player_status take_look(struct search *search, struct dl_node *node,
                                    const struct policy_look *look)
{
    struct policy_proposal proposals[DL_INIT_MAX];
    int count = policy_propose(look, search->set->init, proposals);

    node->proposal = malloc((size_t)count * sizeof *proposals);
    if (!node->proposal)
        return PLAYER_NO_MEMORY;
    memcpy(node->proposal, proposals, (size_t)count * sizeof *proposals);
    node->proposals = count;
    search->tree.bytes += (size_t)count * sizeof *proposals;
    return PLAYER_OK;
}

static enum player_status look_at(struct search *search, const struct position *positions,
                                  int count, int number, struct policy_look *ret_looks)
{
    enum seat mover = seat_of_stone(rules_stone_of_shot(search->tree.rules, number));
    switch (policy_look(search->policy, positions, count, number, mover, search->set->temperature,
                        search->set->mirror, ret_looks)) {
    case NET_OK:
        return PLAYER_OK;
    case NET_NO_MEMORY:
        return PLAYER_NO_MEMORY;
    default:
        return PLAYER_FAILED;
    }
}

/* Gives a node its first shots. Asks the network unless the node's value already did. */
static enum player_status enter(struct search *search, struct dl_node *node)
{
    enum player_status status = PLAYER_OK;
    double sum = 0.0;

    if (!node->proposal) {
        status = look_at(search, &node->node.position, 1, node->node.shot, search->look);
        if (status == PLAYER_OK)
            status = take_look(search, node, search->look);
    }
    for (int k = 0; k < node->proposals; k++)
        sum += (double)node->proposal[k].chance;
    for (int k = 0; k < node->proposals && status == PLAYER_OK; k++) {
        const struct candidate candidate =
            candidate_of_shot(search->actions[node->proposal[k].action]);
        status = kr_tree_add_shot(&search->tree, &node->node, &candidate,
                                  (double)node->proposal[k].chance / sum);
    }
    search->tree.bytes -= (size_t)node->proposals * sizeof *node->proposal;
    free(node->proposal);
    node->proposal = NULL;
    node->proposals = 0;
    node->node.entered = true;
    return status;
}

/* Frees the proposals of a node and of all nodes below it. */
static void free_proposals(struct kr_node *node)
{
    for (int k = 0; k < node->shots.count; k++)
        for (struct kr_node *child = node->branch[k].first; child; child = child->sibling)
            free_proposals(child);
    free(own(node)->proposal);
}

/* ---- one iteration ---- */

/* Returns the index of the shot that PUCT visits next. */
static int select_by_prior(const struct kr_tree *tree, struct dl_node *dl_node, double visits)
{
    const struct kr_node *node = &dl_node->node;
    /* At least 1, so that the prior decides before the first visit. */
    double root_of_visits = sqrt(visits > 1.0 ? visits : 1.0), best = -INFINITY;
    int chosen = 0;
    for (int k = 0; k < node->shots.count; k++) {
        const struct kernel_point point = kr_node_known(node, k);
        double q = point.visits > 0.0 ? point.weighted_value / point.weight : dl_node->value;
        double upper = q + tree->set.c * node->prior[k] * root_of_visits / (1.0 + point.visits);
        if (upper > best) {
            best = upper;
            chosen = k;
        }
    }
    return chosen;
}

/* Descends to a new position. *ret_blocked: the path leads to one that waits for the network. */
static enum player_status descend(struct search *search, struct leaf *leaf, bool *ret_blocked)
{
    struct kr_tree *tree = &search->tree;
    struct kr_node *node = tree->root;
    struct kr_leaf *way = &leaf->way;
    enum player_status status = PLAYER_OK;

    *leaf = (struct leaf){.is_known = false};
    *ret_blocked = false;
    while (node) {
        if (!node->entered && (status = enter(search, own(node))) != PLAYER_OK)
            return status;
        double visits = kr_node_visits(node);
        int chosen = tree->set.has_kernel ? kr_tree_select(tree, node)
                                          : select_by_prior(tree, own(node), visits);
        if (tree->set.has_kernel &&
            (status = kr_tree_widen(tree, node, visits, &chosen)) != PLAYER_OK)
            return status;
        way->step[way->steps].node = node;
        way->step[way->steps++].shot = chosen;
        node = kr_tree_next(tree, node, chosen);
        if (node && !node->entered && kr_tree_is_full(tree))
            node = NULL;
        if (node && own(node)->waits) {
            *ret_blocked = true;
            return PLAYER_OK;
        }
    }
    status = kr_tree_execute(tree, way);
    if (way->child)
        own(way->child)->waits = true;
    leaf->is_known = way->number == tree->rules->shots;
    if (leaf->is_known)
        count_score(tree, leaf);
    for (int k = 0; k < way->steps; k++)
        way->step[k].node->branch[way->step[k].shot].pending++;
    return status;
}

/* ---- values ---- */

/* Values at most LOOKS_AT_ONCE leaves that have the same number of thrown stones as leaf
 * `first`. */
static enum player_status value_alike(struct search *search, int first, int count)
{
    const int number = search->leaf[first].way.number;
    enum player_status status = PLAYER_OK;
    int alike = 0, end = first;

    for (; end < count && alike < LOOKS_AT_ONCE; end++)
        if (!search->leaf[end].is_known && search->leaf[end].way.number == number)
            search->position[alike++] = search->leaf[end].way.position;
    status = look_at(search, search->position, alike, number, search->look);
    alike = 0;
    for (int k = first; k < end && status == PLAYER_OK; k++) {
        struct leaf *leaf = &search->leaf[k];
        if (leaf->is_known || leaf->way.number != number)
            continue;
        const struct policy_look *look = &search->look[alike++];
        memcpy(leaf->scores, look->scores, sizeof leaf->scores);
        leaf->is_known = true;
        if (leaf->way.child)
            status = take_look(search, own(leaf->way.child), look);
    }
    return status;
}

/* Values all leaves, unless the query is cancelled. */
static enum player_status value_leaves(struct search *search, int count)
{
    enum player_status status = PLAYER_OK;

    for (int k = 0; k < count && status == PLAYER_OK && !player_is_cancelled(search->tree.query);
         k++) {
        struct leaf *leaf = &search->leaf[k];
        if (leaf->is_known)
            continue;
        switch (search->set->value) {
        case DL_VALUE_POLICY:
            status = value_alike(search, k, count);
            break;
        case DL_VALUE_NETWORK:
            end_value_scores(search->set->network, &leaf->way.position, leaf->way.number,
                             leaf->scores);
            leaf->is_known = true;
            break;
        case DL_VALUE_COUNT:
            count_score(&search->tree, leaf);
            leaf->is_known = true;
            break;
        }
    }
    return status;
}

/* Passes the value of a leaf up its path. */
static void record(struct kr_tree *tree, const struct leaf *leaf)
{
    const struct kr_leaf *way = &leaf->way;
    double worth = worth_of(tree, leaf->scores);

    for (int k = 0; k < way->steps; k++) {
        assert(way->step[k].node->branch[way->step[k].shot].pending > 0);
        way->step[k].node->branch[way->step[k].shot].pending--;
    }
    kr_tree_record(tree, way, worth);
    if (way->child) {
        own(way->child)->waits = false;
        own(way->child)->value = kr_tree_value(tree, worth, way->number);
    }
    double *scores = tree->root_shot[way->step[0].shot].scores;
    for (int k = 0; k < POLICY_SCORES; k++)
        scores[tree->seat == SEAT_SENTE ? k : POLICY_SCORES - 1 - k] += (double)leaf->scores[k];
}

/* Runs at most `batch` iterations, each of one throw. */
static enum player_status step(struct kr_tree *tree)
{
    struct search *search = (struct search *)tree;
    enum player_status status = PLAYER_OK;
    bool blocked = false;
    int count = 0;

    while (count < search->set->batch && !blocked && status == PLAYER_OK &&
           (count == 0 || !kr_tree_is_used_up(tree))) {
        status = descend(search, &search->leaf[count], &blocked);
        count += !blocked;
        tree->iterations += !blocked;
    }
    if (status == PLAYER_OK)
        status = value_leaves(search, count);
    for (int k = 0; k < count && status == PLAYER_OK; k++)
        if (search->leaf[k].is_known) /* otherwise the search was cancelled */
            record(tree, &search->leaf[k]);
    return status;
}

/* ---- beginning and end ---- */

/* Asks the network about the root: its first shots, and the value of unvisited shots for PUCT. */
static enum player_status enter_root(struct search *search)
{
    struct dl_node *root = own(search->tree.root);
    enum player_status status = PLAYER_OK;

    /* The shipped network cannot value the empty sheet; it counts as even. */
    if (root->node.shot > 0 || search->set->value != DL_VALUE_NETWORK) {
        search->leaf[0] =
            (struct leaf){.way = {.position = root->node.position, .number = root->node.shot}};
        status = value_leaves(search, 1);
        root->value = kr_tree_value(&search->tree, worth_of(&search->tree, search->leaf[0].scores),
                                    root->node.shot);
    }
    return status == PLAYER_OK ? enter(search, root) : status;
}

enum player_status dl_search(const struct player_query *query, const struct dl_settings *set,
                             struct policy *policy, double start_s,
                             struct player_answer *ret_answer)
{
    const size_t batch = (size_t)set->batch;
    struct search search = {
        .set = set,
        .policy = policy,
        .actions = action_table(query->ice),
        .leaf = malloc(batch * sizeof *search.leaf),
        .look = malloc(batch * sizeof *search.look),
        .position = malloc(batch * sizeof *search.position),
    };
    enum player_status status = PLAYER_NO_MEMORY;

    if (search.leaf && search.look && search.position)
        status = kr_tree_start(query, &set->tree, sizeof(struct dl_node), &search.tree);
    if (status == PLAYER_OK) {
        status = enter_root(&search);
        if (status == PLAYER_OK)
            status = kr_search(&search.tree, step, start_s, ret_answer);
        free_proposals(search.tree.root);
        kr_tree_clear(&search.tree);
    }
    free(search.leaf);
    free(search.look);
    free(search.position);
    return status;
}
