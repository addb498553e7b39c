/* The player `kr-uct`: the tree of kr_tree.h, with shots from geometry and values from play-outs.
 *
 * A node gets its first shots when it is entered. The root gets `init` of the shots of
 * candidates_generate(), of all kinds (kr_pick()). Later nodes, which have far fewer visits, get
 * the few shots of play-outs (rollout_shots()). From a new position rollout.h plays on for at most
 * `rollout` shots, by default to the end of the end; the value is the score at that point.
 *
 * This player is the baseline for others. It uses one thread, even if the query allows more. All
 * throws count as simulations: those in the tree and those of the play-outs. Its setting
 * `simulations`, as in the papers, counts iterations.
 *
 * The answer's distribution, expected score and win probability are those of play-outs between two
 * plain rule players (rollout.h) after the first shots. They guide the search; early in an end they
 * are no forecast. kr-uct.md explains the defaults. */
#include "api/base/clock.h"
#include "models/game/score.h"
#include "workers/search/judge/rollout.h"
#include "workers/search/tree/kr_setting_rows.h"
#include "workers/search/tree/kr_tree.h"

#include <math.h>

/* The settings of the player, in its order. */
enum setting {
    SET_SIMULATIONS,
    SET_C,
    SET_C_FINAL,
    SET_TAU,
    SET_SAMPLES,
    SET_WIDENING,
    SET_INIT,
    SET_OUTCOMES,
    SET_ROLLOUT,
    SET_HIT,
    SET_GUARD,
    SET_FINAL,
    SET_OBJECTIVE,
    SET_MEMORY,
    SETTINGS
};
_Static_assert((int)SETTINGS <= (int)PLAYER_SETTINGS_MAX, "too many settings");

static const struct player_setting settings[] = {
    [SET_SIMULATIONS] = {KR_SIMULATIONS},
    [SET_C] = {"c", SETTING_NUMBER, 0.3, 0, 10, NULL, "weight of exploration"},
    [SET_C_FINAL] = {"c_final", SETTING_NUMBER, 0.1, 0, 10, NULL,
                     "the same in the bound that decides at the end"},
    [SET_TAU] = {KR_TAU},
    [SET_SAMPLES] = {KR_SAMPLES},
    [SET_WIDENING] = {KR_WIDENING(4)},
    [SET_INIT] = {"init", SETTING_WHOLE, 80, 1, CANDIDATES_MAX, NULL, "first shots of the root"},
    [SET_OUTCOMES] = {KR_OUTCOMES},
    [SET_ROLLOUT] = {"rollout", SETTING_WHOLE, 16, 1, 16, NULL, "shots of a play-out at most"},
    [SET_HIT] = {"hit", SETTING_NUMBER, 1, 0, 1, NULL, "chance of take-outs in a play-out"},
    [SET_GUARD] = {"guard", SETTING_NUMBER, 0.5, 0, 1, NULL, "chance of guards in a play-out"},
    [SET_FINAL] = {KR_FINAL(KR_FINAL_LCB)},
    [SET_OBJECTIVE] = {OBJECTIVE_SETTING(OBJECTIVE_WIN)},
    [SET_MEMORY] = {KR_MEMORY},
    [SETTINGS] = {0},
};

struct search {
    struct kr_tree tree;
    struct rollout rollout;
    int play_out_most; /* shots */
};

/* Gives the root its first shots. */
static enum player_status enter_root(struct search *search, int most)
{
    struct kr_tree *tree = &search->tree;
    struct kr_node *root = tree->root;
    struct candidate candidates[CANDIDATES_MAX];
    int picked[CANDIDATES_MAX];
    int stone = rules_stone_of_shot(tree->rules, root->shot);
    int count = candidates_generate(tree->query->ice, tree->rules, &root->position, stone,
                                    candidates, CANDIDATES_MAX);
    int picks = kr_pick(player_hand(tree->query, root->shot), candidates, count, most, picked);
    enum player_status status = PLAYER_OK;

    root->entered = true;
    for (int k = 0; k < picks && status == PLAYER_OK; k++)
        status = kr_tree_add_shot(tree, root, &candidates[picked[k]], NAN);
    return status;
}

/* Gives a node its first shots; also the root if no candidate could be aimed. */
static enum player_status enter(struct search *search, struct kr_node *node)
{
    struct shot shots[ROLLOUT_SHOTS_MAX];
    int count = rollout_shots(&search->rollout, &node->position, node->shot, shots);
    enum player_status status = PLAYER_OK;

    node->entered = true;
    for (int k = 0; k < count && status == PLAYER_OK; k++) {
        const struct candidate plain = candidate_of_shot(shots[k]);
        status = kr_tree_add_shot(&search->tree, node, &plain, NAN);
    }
    return status;
}

/* Descends to a new position; in a full tree it may end at a node that cannot be entered. */
static enum player_status descend(struct search *search, struct kr_leaf *leaf)
{
    struct kr_tree *tree = &search->tree;
    struct kr_node *node = tree->root;
    enum player_status status = PLAYER_OK;

    leaf->steps = 0;
    for (;;) {
        if (!node->entered && kr_tree_is_full(tree)) {
            leaf->position = node->position;
            leaf->number = node->shot;
            leaf->child = node;
            return PLAYER_OK;
        }
        if (!node->entered && (status = enter(search, node)) != PLAYER_OK)
            return status;
        int chosen = kr_tree_select(tree, node);
        status = kr_tree_widen(tree, node, kr_node_visits(node), &chosen);
        if (status != PLAYER_OK)
            return status;
        leaf->step[leaf->steps].node = node;
        leaf->step[leaf->steps++].shot = chosen;
        node = kr_tree_next(tree, node, chosen);
        if (!node)
            return kr_tree_execute(tree, leaf);
    }
}

/* Plays on from a leaf and returns the score for the side to move at the root. */
static int play_out(struct search *search, struct kr_leaf *leaf)
{
    struct kr_tree *tree = &search->tree;
    int last = leaf->number + search->play_out_most;
    if (last > tree->rules->shots)
        last = tree->rules->shots;
    for (int number = leaf->number; number < last && !kr_tree_is_used_up(tree); number++) {
        struct throw_result result;
        uint64_t bits[4];
        random_bits(&tree->choice, tree->choices++, 0, bits);
        struct shot shot = rollout_choose(&search->rollout, &leaf->position, number, bits);
        kr_tree_throw(tree, &leaf->position, number, shot, true, &result, &leaf->position);
    }
    int score = score_position(tree->rules, &leaf->position, tree->team0_has_hammer);
    return tree->seat == SEAT_SENTE ? score : -score;
}

static enum player_status iterate(struct kr_tree *tree)
{
    struct search *search = (struct search *)tree;
    struct kr_leaf leaf;
    enum player_status status = descend(search, &leaf);

    if (status != PLAYER_OK)
        return status;
    int score = OBJECTIVE_ZERO + play_out(search, &leaf);
    kr_tree_record(tree, &leaf, tree->objective.worth[score]);
    tree->root_shot[leaf.step[0].shot].scores[score] += 1.0;
    tree->iterations++;
    return PLAYER_OK;
}

static enum player_status choose(const struct player *player, const struct player_query *query,
                                 struct player_answer *ret_answer)
{
    const double *set = player->setting;
    const struct kr_settings tree_settings = {
        .iterations = (int64_t)set[SET_SIMULATIONS],
        .bound = player_budget(player),
        .has_kernel = true,
        .c = set[SET_C],
        .tau = set[SET_TAU],
        .samples = (int)set[SET_SAMPLES],
        .widening = set[SET_WIDENING],
        .outcomes = set[SET_OUTCOMES],
        .objective = (enum objective_kind)set[SET_OBJECTIVE],
        .c_final = set[SET_C_FINAL],
        .by_weight = (int)set[SET_FINAL] == KR_FINAL_VISITS,
        .memory_mb = (int)set[SET_MEMORY],
    };
    struct search search = {.play_out_most = (int)set[SET_ROLLOUT]};
    double start_s = clock_now_s();

    rollout_prepare(query->ice, query->game->rules, set[SET_HIT], set[SET_GUARD], &search.rollout);
    enum player_status status =
        kr_tree_start(query, &tree_settings, sizeof(struct kr_node), &search.tree);
    if (status != PLAYER_OK)
        return status;
    status = enter_root(&search, (int)set[SET_INIT]);
    if (status == PLAYER_OK && search.tree.root->shots.count == 0)
        status = enter(&search, search.tree.root);
    if (status == PLAYER_OK)
        status = kr_search(&search.tree, iterate, start_s, ret_answer);
    kr_tree_clear(&search.tree);
    return status;
}

extern const struct player_class player_kr_uct; /* named in players.c */
const struct player_class player_kr_uct = {
    .name = "kr-uct",
    .about = "tree search with kernel regression over the shots (Yee et al. 2016); one thread",
    .settings = settings,
    .set_up = player_set_up_by_table,
    .choose = choose,
};
