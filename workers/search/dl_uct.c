/* The players `dl-uct` and `kr-dl-uct`: the tree of dl_tree.h with their settings. One thread each.
 * kr-dl-uct.md tells where the defaults come from and how strong they are. */
#include "workers/search/dl_tree.h"
#include "workers/search/policy_store.h"

#include <math.h>
#include <stdio.h>

_Static_assert((int)DL_SETTINGS <= (int)PLAYER_SETTINGS_MAX, "too many settings");

enum final { FINAL_LCB, FINAL_VISITS };
static const char *const finals[] = {[FINAL_LCB] = "lcb", [FINAL_VISITS] = "visits", NULL};
static const char *const objectives[] = {
    [OBJECTIVE_SCORE] = "score", [OBJECTIVE_WIN] = "win", NULL};
static const char *const values[] = {
    [DL_VALUE_POLICY] = "policy", [DL_VALUE_NETWORK] = "network", [DL_VALUE_COUNT] = "count", NULL};

/* What both have, with the defaults in which they differ. */
#define PLAIN_SETTINGS(c, init)                                                                  \
    [DL_WEIGHTS] = {"weights", SETTING_MODEL, 0, 1, 0, NULL, "the policy that proposes shots"},  \
    [DL_SIMULATIONS] = {"simulations",                                                           \
                        SETTING_WHOLE,                                                           \
                        1600,                                                                    \
                        1,                                                                       \
                        1e9,                                                                     \
                        NULL,                                                                    \
                        "iterations of the tree, unless the query has limits"},                  \
    [DL_C] = {"c", SETTING_NUMBER, c, 0, 100, NULL, "weight of exploration"},                    \
    [DL_INIT] = {"init",                                                                         \
                 SETTING_WHOLE,                                                                  \
                 init,                                                                           \
                 1,                                                                              \
                 DL_INIT_MAX,                                                                    \
                 NULL,                                                                           \
                 "likeliest actions that a position starts with"},                               \
    [DL_TEMPERATURE] = {"temperature",                                                           \
                        SETTING_NUMBER,                                                          \
                        1,                                                                       \
                        1e-3,                                                                    \
                        1e3,                                                                     \
                        NULL,                                                                    \
                        "what logits or values are divided by before they become chances"},      \
    [DL_MIRROR] = {"mirror",                                                                     \
                   SETTING_BOOL,                                                                 \
                   0,                                                                            \
                   0,                                                                            \
                   1,                                                                            \
                   NULL,                                                                         \
                   "asks about the mirror image too and takes the mean"},                        \
    [DL_VALUE] = {"value",                                                                       \
                  SETTING_CHOICE,                                                                \
                  DL_VALUE_POLICY,                                                               \
                  0,                                                                             \
                  2,                                                                             \
                  values,                                                                        \
                  "of positions inside an end: the scores in the policy's file, the shipped "    \
                  "network, or the score so far"},                                               \
    [DL_OUTCOMES] = {"outcomes",                                                                 \
                     SETTING_NUMBER,                                                             \
                     4,                                                                          \
                     0,                                                                          \
                     1000,                                                                       \
                     NULL,                                                                       \
                     "executions kept by the square root of a shot's visits, 0: one, no noise"}, \
    [DL_OBJECTIVE] = {"objective",                                                               \
                      SETTING_CHOICE,                                                            \
                      OBJECTIVE_WIN,                                                             \
                      0,                                                                         \
                      1,                                                                         \
                      objectives,                                                                \
                      "plays for points of the end or for winning the game"},                    \
    [DL_BATCH] = {"batch",                                                                       \
                  SETTING_WHOLE,                                                                 \
                  1,                                                                             \
                  1,                                                                             \
                  DL_BATCH_MAX,                                                                  \
                  NULL,                                                                          \
                  "new positions that the network is asked about together"},                     \
    [DL_MEMORY] = {"memory_mb",                                                                  \
                   SETTING_WHOLE,                                                                \
                   64,                                                                           \
                   1,                                                                            \
                   4096,                                                                         \
                   NULL,                                                                         \
                   "size of the tree; when full it is searched but does not grow"}

static const struct player_setting dl_settings[] = {
    PLAIN_SETTINGS(1.0, 64),
    [DL_PLAIN_SETTINGS] = {0},
};

static const struct player_setting kr_dl_settings[] = {
    PLAIN_SETTINGS(0.1, 20),
    [DL_TAU] = {"tau", SETTING_NUMBER, 0.3, 1e-6, 1, NULL, "least density of an added shot"},
    [DL_SAMPLES] = {"samples", SETTING_WHOLE, 10, 1, 1000, NULL,
                    "shots drawn of which one is added"},
    [DL_WIDENING] = {"widening", SETTING_NUMBER, 3, 0, 100, NULL,
                     "shots of a node by the square root of its visits"},
    [DL_FINAL] = {"final", SETTING_CHOICE, FINAL_VISITS, 0, 1, finals,
                  "what decides: the lower confidence bound or the visits"},
    [DL_C_FINAL] = {"c_final", SETTING_NUMBER, 0.1, 0, 10, NULL,
                    "weight of exploration in the bound that decides at the end"},
    [DL_SETTINGS] = {0},
};

static bool is_used_up(const void *tree)
{
    return dl_tree_is_used_up(tree);
}

static int64_t iterations(const void *tree)
{
    return ((const struct dl_tree *)tree)->iterations;
}

static int64_t throws(const void *tree)
{
    return ((const struct dl_tree *)tree)->throws;
}

static enum player_status step(void *tree)
{
    return dl_tree_step(tree);
}

static enum player_status answer(const void *context, struct player_answer *ret_answer)
{
    const struct dl_tree *tree = context;
    const struct kr_root root = {
        .shots = &tree->root.shots,
        .root_shot = tree->root_shot,
        .objective = &tree->objective,
        .middle = tree->middle,
        .half_range = tree->half_range,
        .has_kernel = tree->has_kernel,
        .c_final = tree->has_kernel ? tree->set[DL_C_FINAL] : 0.0,
        .by_weight = !tree->has_kernel || (int)tree->set[DL_FINAL] == FINAL_VISITS,
        .throws = tree->throws,
    };
    return kr_root_answer(&root, tree->query->candidates, ret_answer);
}

static enum player_status search_with(struct policy *policy, const struct player *player,
                                      const struct player_query *query, bool has_kernel,
                                      const struct timespec *start,
                                      struct player_answer *ret_answer)
{
    const struct end_value *network = end_value_shipped(query->ice->name);
    double set[PLAYER_SETTINGS_MAX];
    struct dl_tree tree;
    const struct kr_search search = {&tree, is_used_up, iterations, throws, step, answer, *start};

    for (int k = 0; k < PLAYER_SETTINGS_MAX; k++)
        set[k] = player->setting[k];
    /* As rink does: no network was trained there. */
    if ((int)set[DL_VALUE] == DL_VALUE_NETWORK && (!network || query->game->rules->preplaced))
        set[DL_VALUE] = DL_VALUE_COUNT;
    enum player_status status = dl_tree_start(query, set, has_kernel, policy, network, &tree);
    if (status != PLAYER_OK)
        return status;
    status = kr_search_run(&search, query, (int64_t)set[DL_SIMULATIONS], ret_answer);
    dl_tree_clear(&tree);
    return status;
}

static enum player_status choose(const struct player *player, const struct player_query *query,
                                 bool has_kernel, struct player_answer *ret_answer)
{
    struct timespec start;

    clock_gettime(CLOCK_MONOTONIC, &start);
    struct policy *policy = policy_store_borrow(player->model, player->weights_sha256);
    enum player_status status =
        policy ? search_with(policy, player, query, has_kernel, &start, ret_answer) : PLAYER_FAILED;
    policy_store_return(policy);
    return status;
}

static enum player_status choose_plain(const struct player *player,
                                       const struct player_query *query,
                                       struct player_answer *ret_answer)
{
    return choose(player, query, false, ret_answer);
}

static enum player_status choose_kernel(const struct player *player,
                                        const struct player_query *query,
                                        struct player_answer *ret_answer)
{
    return choose(player, query, true, ret_answer);
}

static bool check(const struct player *player, size_t size, char *ret_error)
{
    if ((int)player->setting[DL_VALUE] != DL_VALUE_POLICY ||
        policy_store_has_scores(player->model, player->weights_sha256))
        return true;
    snprintf(ret_error, size,
             "player %s: weights: this model does not say how the end turns out; value=network "
             "values positions by the shipped network instead",
             player->class->name);
    return false;
}

extern const struct player_class player_dl_uct, player_kr_dl_uct; /* named in players.c */
const struct player_class player_dl_uct = {
    .name = "dl-uct",
    .about = "tree search over the actions that a policy proposes (PUCT)",
    .settings = dl_settings,
    .check = check,
    .choose = choose_plain,
};
const struct player_class player_kr_dl_uct = {
    .name = "kr-dl-uct",
    .about = "tree search with kernel regression around the shots that a policy proposes (Lee et "
             "al. 2018)",
    .settings = kr_dl_settings,
    .check = check,
    .choose = choose_kernel,
};
