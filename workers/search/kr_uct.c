/* The player `kr-uct`: the tree of kr_tree.h, its settings, and the answer that is read off it.
 *
 * The baseline that later players are measured against. It runs on the calling thread alone,
 * whatever the query allows. All throws count as simulations: those in the tree and those of the
 * play-outs. Its setting `simulations`, as in the papers, counts iterations.
 *
 * The answer's distribution, expected score and win probability are those of play-outs between two
 * plain rule players (rollout.h) after the first shots: the search's own measure and, early in an
 * end, no forecast. kr-uct.md tells how the defaults were found. */
#include "workers/search/kr_tree.h"

_Static_assert((int)KR_SETTINGS <= (int)PLAYER_SETTINGS_MAX, "too many settings");

enum final { FINAL_LCB, FINAL_VISITS };
static const char *const finals[] = {[FINAL_LCB] = "lcb", [FINAL_VISITS] = "visits", NULL};
static const char *const objectives[] = {
    [OBJECTIVE_SCORE] = "score", [OBJECTIVE_WIN] = "win", NULL};

static const struct player_setting settings[] = {
    [KR_SIMULATIONS] = {"simulations", SETTING_WHOLE, 1600, 1, 1e9, NULL,
                        "iterations of the tree, unless the query has limits"},
    [KR_C] = {"c", SETTING_NUMBER, 0.3, 0, 10, NULL, "weight of exploration"},
    [KR_C_FINAL] = {"c_final", SETTING_NUMBER, 0.1, 0, 10, NULL,
                    "the same in the bound that decides at the end"},
    [KR_TAU] = {"tau", SETTING_NUMBER, 0.3, 1e-6, 1, NULL, "least density of an added shot"},
    [KR_SAMPLES] = {"samples", SETTING_WHOLE, 10, 1, 1000, NULL,
                    "shots drawn of which one is added"},
    [KR_WIDENING] = {"widening", SETTING_NUMBER, 4, 0, 100, NULL,
                     "shots of a node by the square root of its visits"},
    [KR_INIT] = {"init", SETTING_WHOLE, 80, 1, CANDIDATES_MAX, NULL, "first shots of the root"},
    [KR_OUTCOMES] = {"outcomes", SETTING_NUMBER, 4, 0, 1000, NULL,
                     "executions kept by the square root of a shot's visits, 0: one, no noise"},
    [KR_ROLLOUT] = {"rollout", SETTING_WHOLE, 16, 1, 16, NULL, "shots of a play-out at most"},
    [KR_HIT] = {"hit", SETTING_NUMBER, 1, 0, 1, NULL, "chance of take-outs in a play-out"},
    [KR_GUARD] = {"guard", SETTING_NUMBER, 0.5, 0, 1, NULL, "chance of guards in a play-out"},
    [KR_FINAL] = {"final", SETTING_CHOICE, FINAL_LCB, 0, 1, finals,
                  "what decides: the lower confidence bound or the visits"},
    [KR_OBJECTIVE] = {"objective", SETTING_CHOICE, OBJECTIVE_WIN, 0, 1, objectives,
                      "plays for points of the end or for winning the game"},
    [KR_MEMORY] = {"memory_mb", SETTING_WHOLE, 64, 1, 4096, NULL,
                   "size of the tree; when full it is searched but does not grow"},
    [KR_SETTINGS] = {0},
};

static bool is_used_up(const void *tree)
{
    return kr_tree_is_used_up(tree);
}

static int64_t iterations(const void *tree)
{
    return ((const struct kr_tree *)tree)->iterations;
}

static int64_t throws(const void *tree)
{
    return ((const struct kr_tree *)tree)->throws;
}

static enum player_status iterate(void *tree)
{
    return kr_tree_iterate(tree);
}

static enum player_status answer(const void *context, struct player_answer *ret_answer)
{
    const struct kr_tree *tree = context;
    const struct kr_root root = {
        .shots = &tree->root.shots,
        .root_shot = tree->root_shot,
        .objective = &tree->objective,
        .middle = tree->middle,
        .half_range = tree->half_range,
        .has_kernel = true,
        .c_final = tree->set[KR_C_FINAL],
        .by_weight = (int)tree->set[KR_FINAL] == FINAL_VISITS,
        .throws = tree->throws,
    };
    return kr_root_answer(&root, tree->query->candidates, ret_answer);
}

static enum player_status choose(const struct player *player, const struct player_query *query,
                                 struct player_answer *ret_answer)
{
    struct kr_tree tree;
    struct kr_search search = {&tree, is_used_up, iterations, throws, iterate, answer, {0}};

    clock_gettime(CLOCK_MONOTONIC, &search.start);
    enum player_status status = kr_tree_start(query, player->setting, &tree);
    if (status != PLAYER_OK)
        return status;
    status = kr_search_run(&search, query, (int64_t)player->setting[KR_SIMULATIONS], ret_answer);
    kr_tree_clear(&tree);
    return status;
}

extern const struct player_class player_kr_uct; /* named in players.c */
const struct player_class player_kr_uct = {
    .name = "kr-uct",
    .about = "tree search with kernel regression over the shots (Yee et al. 2016); one thread",
    .settings = settings,
    .choose = choose,
};
