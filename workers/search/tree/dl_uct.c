/* The players `dl-uct` and `kr-dl-uct`: the searches of dl_search.h with their settings, on one
 * thread each. kr-dl-uct.md gives the sources of the defaults and the measured strength. */
#include "api/base/clock.h"
#include "models/tables/profiles.h"
#include "workers/search/player/win_table.h"
#include "workers/search/policy/policy_store.h"
#include "workers/search/tree/dl_search.h"
#include "workers/search/tree/kr_setting_rows.h"

#include <stdio.h>

extern const struct player_class player_dl_uct, player_kr_dl_uct; /* named in players.c */

/* The settings of both players, in their order; dl-uct ends at PLAIN_SETTINGS. */
enum setting {
    SET_WEIGHTS,
    SET_SIMULATIONS,
    SET_C,
    SET_INIT,
    SET_TEMPERATURE,
    SET_MIRROR,
    SET_VALUE,
    SET_OUTCOMES,
    SET_OBJECTIVE,
    SET_TABLE,
    SET_BATCH,
    SET_MEMORY,
    PLAIN_SETTINGS,
    SET_TAU = PLAIN_SETTINGS,
    SET_SAMPLES,
    SET_WIDENING,
    SET_FINAL,
    SET_C_FINAL,
    SETTINGS
};
_Static_assert((int)SETTINGS <= (int)PLAYER_SETTINGS_MAX, "too many settings");

static const char *const values[] = {
    [DL_VALUE_NETWORK] = "network", [DL_VALUE_POLICY] = "policy", [DL_VALUE_COUNT] = "count", NULL};

/* Where the chances of winning between two ends come from. */
enum { TABLE_PROFILE, TABLE_POLICY };
static const char *const win_tables[] = {
    [TABLE_PROFILE] = "profile", [TABLE_POLICY] = "policy", NULL};

/* Rows of both players; some differ in their defaults. */
#define WEIGHTS                              \
    "weights", SETTING_MODEL, 0, 0, 0, NULL, \
        "the policy that proposes shots; left out: the one shipped for the profile"
#define C(initial) "c", SETTING_NUMBER, initial, 0, 100, NULL, "weight of exploration"
#define INIT(initial)                                     \
    "init", SETTING_WHOLE, initial, 1, DL_INIT_MAX, NULL, \
        "likeliest actions that a position starts with"
#define VALUE                                                                                \
    "value", SETTING_CHOICE, DL_VALUE_NETWORK, 0, 2, values,                                 \
        "of positions inside an end: the shipped network, the scores in the policy's file, " \
        "or the score so far"
#define TABLE                                                                                      \
    "table", SETTING_CHOICE, TABLE_PROFILE, 0, 1, win_tables,                                      \
        "chances of winning after an end: by the ends of rink on this ice, or by the scores that " \
        "the policy's file expects of a new end"
#define BATCH                                         \
    "batch", SETTING_WHOLE, 1, 1, DL_BATCH_MAX, NULL, \
        "new positions that the network is asked about together"
#define PLAIN_ROWS(c, init)                                                               \
    [SET_WEIGHTS] = {WEIGHTS}, [SET_SIMULATIONS] = {KR_SIMULATIONS}, [SET_C] = {C(c)},    \
    [SET_INIT] = {INIT(init)}, [SET_TEMPERATURE] = {POLICY_TEMPERATURE_SETTING},          \
    [SET_MIRROR] = {POLICY_MIRROR_SETTING(false)}, [SET_VALUE] = {VALUE},                 \
    [SET_OUTCOMES] = {KR_OUTCOMES}, [SET_OBJECTIVE] = {OBJECTIVE_SETTING(OBJECTIVE_WIN)}, \
    [SET_TABLE] = {TABLE}, [SET_BATCH] = {BATCH}, [SET_MEMORY] = {KR_MEMORY}

static const struct player_setting dl_settings[] = {PLAIN_ROWS(1.0, 64), [PLAIN_SETTINGS] = {0}};

static const struct player_setting kr_dl_settings[] = {
    PLAIN_ROWS(0.1, 20),
    [SET_TAU] = {KR_TAU},
    [SET_SAMPLES] = {KR_SAMPLES},
    [SET_WIDENING] = {KR_WIDENING(3)},
    [SET_FINAL] = {KR_FINAL(KR_FINAL_VISITS)},
    [SET_C_FINAL] = {"c_final", SETTING_NUMBER, 0.1, 0, 10, NULL,
                     "weight of exploration in the bound that decides at the end"},
    [SETTINGS] = {0},
};

static bool needs_scores(const struct player *player)
{
    return (int)player->setting[SET_VALUE] == DL_VALUE_POLICY ||
           (int)player->setting[SET_TABLE] == TABLE_POLICY;
}

/* The chances of winning between two players of this policy. NULL: no memory, or the network
 * failed. */
static struct win_table *table_by(struct policy *policy)
{
    const struct position empty = {0};
    float scores[POLICY_SCORES]; /* for sente */
    double share[POLICY_SCORES]; /* for gote, which has the hammer */

    if (!policy_expect(policy, &empty, 0, SEAT_SENTE, scores))
        return NULL;
    for (int k = 0; k < POLICY_SCORES; k++)
        share[k] = (double)scores[POLICY_SCORES - 1 - k];
    return win_table_new(share);
}

static enum player_status search_with(struct policy *policy, const struct player *player,
                                      const struct player_query *query, double start_s,
                                      struct player_answer *ret_answer)
{
    const bool has_kernel = player->class == &player_kr_dl_uct;
    const double *set = player->setting;
    struct dl_settings settings = {
        .tree = {.iterations = (int64_t)set[SET_SIMULATIONS],
                 .bound = player_budget(player),
                 .has_kernel = has_kernel,
                 .has_priors = true,
                 .c = set[SET_C],
                 .outcomes = set[SET_OUTCOMES],
                 .objective = (enum objective_kind)set[SET_OBJECTIVE],
                 .by_weight = true,
                 .memory_mb = (int)set[SET_MEMORY]},
        .init = (int)set[SET_INIT],
        .temperature = set[SET_TEMPERATURE],
        .mirror = set[SET_MIRROR] != 0.0,
        .value = (enum dl_value)set[SET_VALUE],
        .network = end_value_shipped(profile_of(query->game->rules)->weights.best),
        .batch = (int)set[SET_BATCH],
    };

    if (settings.value == DL_VALUE_NETWORK && !settings.network)
        return PLAYER_FAILED; /* end_value_fault() says why */
    if (has_kernel) {
        settings.tree.tau = set[SET_TAU];
        settings.tree.samples = (int)set[SET_SAMPLES];
        settings.tree.widening = set[SET_WIDENING];
        settings.tree.by_weight = (int)set[SET_FINAL] == KR_FINAL_VISITS;
        settings.tree.c_final = set[SET_C_FINAL];
    }
    const bool has_table = (int)set[SET_TABLE] == TABLE_POLICY;
    struct win_table *table = has_table ? table_by(policy) : NULL;
    if (has_table && !table)
        return PLAYER_FAILED;
    settings.tree.table = table;
    enum player_status status = dl_search(query, &settings, policy, start_s, ret_answer);
    win_table_free(table);
    return status;
}

static enum player_status choose(const struct player *player, const struct player_query *query,
                                 struct player_answer *ret_answer)
{
    double start_s = clock_now_s();
    struct policy *policy = policy_store_borrow_for(player, query->game->rules);
    enum player_status status =
        policy ? search_with(policy, player, query, start_s, ret_answer) : PLAYER_FAILED;
    policy_store_return(policy);
    return status;
}

static bool check(const struct player *player, size_t size, char *ret_error)
{
    if (!needs_scores(player) || !player->model[0] ||
        policy_store_has_scores(player->model, player->weights_sha256))
        return true;
    snprintf(ret_error, size,
             "player %s: weights: this model does not predict the score of the end, which "
             "value=policy and table=policy want",
             player->class->name);
    return false;
}

static bool predicts_scores(const struct player *player, const struct rules *rules)
{
    struct policy *policy = policy_store_borrow_for(player, rules);
    bool predicts = policy && policy->form.has_scores;

    policy_store_return(policy);
    return predicts;
}

static bool check_rules(const struct player *player, const struct rules *rules, size_t size,
                        char *ret_error)
{
    if (!policy_store_has_for(player, rules, size, ret_error))
        return false;
    if ((int)player->setting[SET_TABLE] == TABLE_POLICY && rules->preplaced > 0) {
        snprintf(ret_error, size,
                 "player %s: table: in mixed doubles only that of the profile knows the setups",
                 player->class->name);
        return false;
    }
    if (!needs_scores(player) || predicts_scores(player, rules))
        return true;
    snprintf(ret_error, size,
             "player %s: weights: the policy shipped for %s does not predict the score of the end",
             player->class->name, rules->name);
    return false;
}

const struct player_class player_dl_uct = {
    .name = "dl-uct",
    .about = "tree search over the actions that a policy proposes (PUCT)",
    .settings = dl_settings,
    .check = check,
    .check_rules = check_rules,
    .choose = choose,
};
const struct player_class player_kr_dl_uct = {
    .name = "kr-dl-uct",
    .about = "tree search with kernel regression around the shots that a policy proposes (Lee et "
             "al. 2018)",
    .settings = kr_dl_settings,
    .check = check,
    .check_rules = check_rules,
    .choose = choose,
};
