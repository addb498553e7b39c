/* The steps of kr_tree.h, one after the other. */
#include "workers/search/kr_tree.h"

#include "models/game/free_guard_zone.h"
#include "models/game/score.h"

#include <math.h>
#include <stdlib.h>

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

bool kr_widens(double widening, double visits, int shots)
{
    return widening * sqrt(visits) >= shots;
}

struct step {
    struct kr_node *node;
    int shot;
};

static bool is_full(const struct kr_tree *tree)
{
    return tree->bytes >= tree->bytes_limit;
}

bool kr_tree_is_used_up(const struct kr_tree *tree)
{
    return tree->throw_limit > 0 && tree->throws >= tree->throw_limit;
}

/* One simulated throw, with the noise of the hand or without, up to the position from which play
 * goes on. */
static void throw_shot(struct kr_tree *tree, const struct position *before, int number,
                       struct shot shot, bool noisy, struct throw_result *ret_result,
                       struct position *ret_settled)
{
    const struct player_query *query = tree->query;
    if (noisy)
        shot = noise_apply(query->noise, query->ice, shot,
                           random_normal_pair(&tree->planning, tree->plans++));
    struct throw_request request = {.ice = query->ice,
                                    .before = before,
                                    .stone = rules_stone_of_shot(tree->rules, number),
                                    .shot = shot,
                                    .team0_has_hammer = tree->team0_has_hammer};
    struct throw_result result = {.after = *before}; /* what a shot that cannot be thrown does */

    tree->throws++;
    (void)throw_fast(&request, &result);
    free_guard_zone_settle(tree->rules, before, &result.after, number, ret_settled);
    *ret_result = result;
}

/* Plays on from `position` and returns the score for the side to move at the root. */
static int play_out(struct kr_tree *tree, struct position *position, int number)
{
    int last = number + (int)tree->set[KR_ROLLOUT];
    if (last > tree->rules->shots)
        last = tree->rules->shots;
    for (; number < last && !kr_tree_is_used_up(tree); number++) {
        struct throw_result result;
        uint64_t bits[4];
        random_bits(&tree->choice, tree->choices++, 0, bits);
        struct shot shot = rollout_choose(&tree->rollout, position, number, bits);
        throw_shot(tree, position, number, shot, true, &result, position);
    }
    int score = score_position(tree->rules, position, tree->team0_has_hammer);
    return tree->seat == SEAT_SENTE ? score : -score;
}

/* Adds a shot to a node; at the root it is remembered what it was for. */
static enum player_status add_shot(struct kr_tree *tree, struct kr_node *node,
                                   const struct candidate *candidate)
{
    struct kernel kernel = kernel_at(tree->query->noise, candidate->shot);
    if (node->shots.count == node->branches) {
        int room = node->branches > 0 ? 2 * node->branches : 16;
        struct kr_branch *branch = realloc(node->branch, (size_t)room * sizeof *branch);
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
    node->branch[node->shots.count - 1] = (struct kr_branch){NULL, 0};
    if (node == &tree->root)
        tree->root_shot[node->shots.count - 1] =
            (struct kr_root_shot){.candidate = *candidate, .prior = NAN};
    return PLAYER_OK;
}

/* Gives the root its first shots. */
static enum player_status enter_root(struct kr_tree *tree)
{
    struct kr_node *root = &tree->root;
    struct candidate candidates[CANDIDATES_MAX];
    int picked[CANDIDATES_MAX];
    int stone = rules_stone_of_shot(tree->rules, root->shot);
    int count = candidates_generate(tree->query->ice, tree->rules, &root->position, stone,
                                    candidates, CANDIDATES_MAX);
    int picks = kr_pick(tree->query->noise, candidates, count, (int)tree->set[KR_INIT], picked);
    enum player_status status = PLAYER_OK;

    root->entered = true;
    for (int k = 0; k < picks && status == PLAYER_OK; k++)
        status = add_shot(tree, root, &candidates[picked[k]]);
    return status;
}

/* Gives a node its first shots; the root too if nothing could be aimed at there. */
static enum player_status enter(struct kr_tree *tree, struct kr_node *node)
{
    struct shot shots[ROLLOUT_SHOTS_MAX];
    int count = rollout_shots(&tree->rollout, &node->position, node->shot, shots);
    enum player_status status = PLAYER_OK;

    node->entered = true;
    for (int k = 0; k < count && status == PLAYER_OK; k++) {
        struct candidate plain = {
            .shot = shots[k], .kind = SHOT_OTHER, .stone = -1, .other_stone = -1};
        status = add_shot(tree, node, &plain);
    }
    return status;
}

static int select_shot(const struct kr_tree *tree, const struct kr_node *node)
{
    double log_weights = kr_log_of_weights(&node->shots), best = -INFINITY;
    int chosen = 0;
    for (int k = 0; k < node->shots.count; k++) {
        const struct kernel_point *point = &node->shots.point[k];
        double upper =
            point->weight > 0.0 ? kr_bound(point, tree->set[KR_C], log_weights) : INFINITY;
        if (upper > best) {
            best = upper;
            chosen = k;
        }
    }
    return chosen;
}

bool kr_least_known(const struct player_query *query, const struct kernel_set *shots,
                    const struct kernel *around, double tau, int samples,
                    const struct random_key *key, uint64_t *sample, struct shot *ret_shot)
{
    double radius = kernel_radius(tau), least = INFINITY;

    for (int k = 0; k < samples; k++) {
        uint64_t bits[4];
        random_bits(key, (*sample)++, 0, bits);
        /* The square root makes the points even over the area. */
        struct shot shot = kernel_shot_on_ellipse(around, radius * sqrt(random_unit(bits[0])),
                                                  random_unit(bits[1]));
        struct kernel kernel = kernel_at(query->noise, shot);
        double weight = kernel_set_weight(shots, &kernel);
        if (weight < least && vec2_length(shot.velocity) <= query->ice->max_speed) {
            least = weight;
            *ret_shot = shot;
        }
    }
    return least < INFINITY;
}

/* Adds the least known shot around shot `chosen`: its index is then the last. Where the ice allows
 * none, nothing is added. */
static enum player_status widen(struct kr_tree *tree, struct kr_node *node, int chosen)
{
    const struct kernel around = node->shots.point[chosen].kernel;
    struct candidate added = {.kind = SHOT_OTHER, .stone = -1, .other_stone = -1};

    if (!kr_least_known(tree->query, &node->shots, &around, tree->set[KR_TAU],
                        (int)tree->set[KR_SAMPLES], &tree->choice, &tree->choices, &added.shot))
        return PLAYER_OK;
    if (node == &tree->root)
        added.target = tree->root_shot[chosen].candidate.target;
    return add_shot(tree, node, &added);
}

static struct kr_node *least_visited(const struct kr_branch *branch)
{
    struct kr_node *least = branch->first;
    for (struct kr_node *child = least; child; child = child->sibling)
        if (child->visits < least->visits)
            least = child;
    return least;
}

/* Whether the next visit of a shot executes it anew. */
static bool wants_execution(const struct kr_tree *tree, const struct kr_branch *branch,
                            double visits)
{
    double most = ceil(tree->set[KR_OUTCOMES] * sqrt(visits + 1.0));
    return branch->outcomes < (most > 1.0 ? most : 1.0);
}

/* The value of an end's score at a node where stone number `shot` is thrown. */
static double value_for(const struct kr_tree *tree, int score, int shot)
{
    if (tree->half_range <= 0.0)
        return 0.0;
    double value =
        (tree->objective.worth[OBJECTIVE_ZERO + score] - tree->middle) / tree->half_range;
    return seat_of_stone(rules_stone_of_shot(tree->rules, shot)) == tree->seat ? value : -value;
}

/* Step 1 to 6 of the header. */
enum player_status kr_tree_iterate(struct kr_tree *tree)
{
    struct step path[POSITION_STONES];
    int steps = 0;
    struct kr_node *node = &tree->root;
    struct position position;
    int number;

    for (;;) {
        if (!node->entered) {
            if (is_full(tree)) {
                position = node->position;
                number = node->shot;
                break;
            }
            enum player_status status = enter(tree, node);
            if (status != PLAYER_OK)
                return status;
        }
        int chosen = select_shot(tree, node);
        double visits = 0.0;
        for (int k = 0; k < node->shots.count; k++)
            visits += node->shots.point[k].visits;
        if (kr_widens(tree->set[KR_WIDENING], visits, node->shots.count) && !is_full(tree)) {
            int before = node->shots.count;
            enum player_status status = widen(tree, node, chosen);
            if (status != PLAYER_OK)
                return status;
            if (node->shots.count > before)
                chosen = before;
        }
        path[steps++] = (struct step){node, chosen};

        struct kr_branch *branch = &node->branch[chosen];
        bool last = node->shot + 1 == tree->rules->shots;
        if (!last && branch->first &&
            !wants_execution(tree, branch, node->shots.point[chosen].visits)) {
            node = least_visited(branch);
            node->visits++;
            continue;
        }
        struct throw_result result;
        throw_shot(tree, &node->position, node->shot, node->shots.point[chosen].kernel.centre,
                   tree->set[KR_OUTCOMES] > 0.0, &result, &position);
        number = node->shot + 1;
        if (node == &tree->root) {
            struct kr_root_shot *root = &tree->root_shot[chosen];
            root->throws++;
            if (root->candidate.kind != SHOT_OTHER)
                root->successes +=
                    candidate_succeeded(tree->rules, &root->candidate, &node->position,
                                        rules_stone_of_shot(tree->rules, node->shot), &result);
        }
        if (!last && !is_full(tree)) {
            struct kr_node *child = malloc(sizeof *child);
            if (!child)
                return PLAYER_NO_MEMORY;
            tree->bytes += sizeof *child;
            *child = (struct kr_node){
                .position = position, .shot = number, .visits = 1, .sibling = branch->first};
            branch->first = child;
            branch->outcomes++;
        }
        break;
    }
    tree->iterations++;
    int score = play_out(tree, &position, number);
    for (int k = 0; k < steps; k++)
        kernel_set_record(&path[k].node->shots, path[k].shot,
                          value_for(tree, score, path[k].node->shot));
    tree->root_shot[path[0].shot].scores[OBJECTIVE_ZERO + score] += 1.0;
    return PLAYER_OK;
}

static void node_clear(struct kr_node *node)
{
    for (int k = 0; k < node->shots.count; k++)
        for (struct kr_node *child = node->branch[k].first; child;) {
            struct kr_node *next = child->sibling;
            node_clear(child);
            free(child);
            child = next;
        }
    free(node->branch);
    kernel_set_clear(&node->shots);
}

enum player_status kr_tree_start(const struct player_query *query, const double *set,
                                 struct kr_tree *ret_tree)
{
    const struct game *game = query->game;
    struct kr_tree tree = {
        .query = query,
        .set = set,
        .rules = game->rules,
        .team0_has_hammer = game_team0_has_hammer(game),
        .seat = seat_of_stone(rules_stone_of_shot(game->rules, game->shot)),
        .planning = query->key,
        .choice = query->key,
        .root = {.position = game->position, .shot = game->shot},
        .throw_limit = query->limits.simulations,
        .bytes_limit = (size_t)set[KR_MEMORY] << 20,
    };

    tree.planning.purpose = RANDOM_PLANNING;
    tree.choice.purpose = RANDOM_CHOICE;
    objective_of_game(game, (enum objective_kind)set[KR_OBJECTIVE], &tree.objective);
    const double *worth = tree.objective.worth;
    tree.middle = (worth[OBJECTIVE_SCORES - 1] + worth[0]) / 2.0;
    tree.half_range = (worth[OBJECTIVE_SCORES - 1] - worth[0]) / 2.0;
    rollout_prepare(query->ice, game->rules, set[KR_HIT], set[KR_GUARD], &tree.rollout);

    enum player_status status = enter_root(&tree);
    if (status == PLAYER_OK && tree.root.shots.count == 0)
        status = enter(&tree, &tree.root);
    if (status == PLAYER_OK)
        *ret_tree = tree;
    else
        kr_tree_clear(&tree);
    return status;
}

void kr_tree_clear(struct kr_tree *tree)
{
    node_clear(&tree->root);
    free(tree->root_shot);
}
