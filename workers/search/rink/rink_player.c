/* The player "rink": its settings. rink.h describes the search. */
#include "api/base/clock.h"
#include "models/ice/action_grid.h"
#include "models/tables/profiles.h"
#include "workers/search/player/win_table.h"
#include "workers/search/policy/policy_look.h"
#include "workers/search/policy/policy_store.h"
#include "workers/search/policy/value_store.h"
#include "workers/search/rink/rink.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SET_OBJECTIVE,
    SET_VALUE,
    SET_OPPONENT,
    SET_SIMULATIONS,
    SET_TIME_MS,
    SET_REFINED,
    SET_CAUTION,
    SET_REPLY_SHARE,
    SET_REPLY_THROWS,
    SET_POLICY,
    SET_PROPOSALS,
    SET_VALUES,
    SET_SETUP
};

static const char *const values[] = {[JUDGE_BY_NETWORK] = "network",
                                     [JUDGE_BY_COUNTING] = "count",
                                     [JUDGE_BY_ASKING] = "policy",
                                     NULL};

enum { OPPONENT_FALLIBLE, OPPONENT_BEST, OPPONENT_MODEL };

static const char *const opponents[] = {
    [OPPONENT_FALLIBLE] = "fallible", [OPPONENT_BEST] = "best", [OPPONENT_MODEL] = "model", NULL};

/* A chance of errors this near to 0 or 1 counts as that. */
#define SURE 0.05

enum { SETUP_BY_TABLE, SETUP_ALWAYS_HOUSE, SETUP_ALWAYS_POWER };

static const char *const setups[] = {[SETUP_BY_TABLE] = "table",
                                     [SETUP_ALWAYS_HOUSE] = "house",
                                     [SETUP_ALWAYS_POWER] = "power",
                                     NULL};

static const struct player_setting rink_player_settings[] = {
    [SET_OBJECTIVE] = {OBJECTIVE_SETTING(OBJECTIVE_WIN)},
    [SET_VALUE] =
        {"value", SETTING_CHOICE, JUDGE_BY_NETWORK, 0, 2, values,
         "value of positions inside an end: the shipped network, the score so far, or the "
         "scores of the policy"},
    [SET_OPPONENT] =
        {"opponent", SETTING_CHOICE, OPPONENT_MODEL, 0, 2, opponents,
         "fallible: expected to err now and then, as a rule-based player does (in dc2 "
         "only by the side that throws first); best: never errs; model: in between or like a "
         "known player, by what its throws so far tell of its style, which its chances of winning "
         "show; values go by it with value=network"},
    [SET_SIMULATIONS] = {"simulations", SETTING_WHOLE, 50000, 1, 1e9, NULL,
                         "simulated throws a move, where the query names none; any other number "
                         "bounds a move with a time, too"},
    [SET_TIME_MS] = {"time_ms", SETTING_NUMBER, 0, 0, 3.6e6, NULL,
                     "most time of a move, where the query names no simulations, 0: none"},
    [SET_REFINED] = {"refined", SETTING_WHOLE, 4, 0, 32, NULL,
                     "new candidates around each of the best eight after a round"},
    [SET_CAUTION] = {"caution", SETTING_NUMBER, 0.5, 0, 10, NULL,
                     "standard errors between the mean and the bound that ranks candidates"},
    [SET_REPLY_SHARE] = {"reply_share", SETTING_NUMBER, 0.8, 0, 0.95, NULL,
                         "share of the throws that look for the opponent's best replies"},
    [SET_REPLY_THROWS] = {"reply_throws", SETTING_WHOLE, 1500, 50, 1e6, NULL,
                          "throws by which one reply is found"},
    [SET_POLICY] = {"policy", SETTING_MODEL, 0, 0, 0, NULL, "a policy that proposes shots too"},
    [SET_PROPOSALS] = {"proposals", SETTING_WHOLE, 32, 0, RINK_PROPOSALS_MAX, NULL,
                       "likeliest actions of the policy that are tried"},
    [SET_VALUES] = {"values", SETTING_VALUES, 0, 0, 0, NULL,
                    "an end-value network of a training, as RUN.value, in place of the shipped "
                    "one for opponents that never err; with value=network"},
    [SET_SETUP] = {"setup", SETTING_CHOICE, SETUP_BY_TABLE, 0, 2, setups,
                   "mixed doubles: the choice at the start of an end, by the table of winning "
                   "probabilities, throw last without power play, or the power play at once"},
    {0},
};

/* Proposes the likeliest actions of the policy as candidates. */
static enum player_status propose(const struct player *player, struct policy *policy,
                                  const struct player_query *query, struct rink_settings *settings,
                                  struct candidate *ret_candidates)
{
    const struct game *game = query->game;
    struct policy_proposal proposals[RINK_PROPOSALS_MAX];
    struct policy_look *look = malloc(sizeof *look);
    bool good = look && policy_look(policy, &game->position, 1, game->shot, game_next_seat(game),
                                    1.0, false, look) == NET_OK;

    if (good) {
        int most = (int)player->setting[SET_PROPOSALS];
        settings->proposal_count = most > 0 ? policy_propose(look, most, proposals) : 0;
        settings->proposals = ret_candidates;
    }
    for (int k = 0; k < settings->proposal_count; k++)
        ret_candidates[k] = candidate_of_shot(action_table(query->ice)[proposals[k].action]);
    free(look);
    return good ? PLAYER_OK : PLAYER_FAILED;
}

/* Fills in the scores that the player's policy expects; each thread has its own copy. */
static void ask_policy(void *context, const struct position *position, int thrown,
                       float ret_chance[OBJECTIVE_SCORES])
{
    struct rink_opened *opened = context;
    const struct player *player = opened->player;
    struct policy *policy = policy_store_borrow(player->model, player->weights_sha256);

    if (!policy || !policy_expect(policy, position, thrown, seat_of_stone(thrown), ret_chance)) {
        atomic_store(&opened->failed, true); /* the caller then fails */
        for (int k = 0; k < OBJECTIVE_SCORES; k++)
            ret_chance[k] = k == OBJECTIVE_ZERO ? 1.0f : 0.0f;
    }
    policy_store_return(policy);
}

static bool check_rules(const struct player *player, const struct rules *rules, size_t size,
                        char *ret_error)
{
    return !player->values[0] || value_store_fits(player->values_sha256, rules, size, ret_error);
}

static bool check(const struct player *player, size_t size, char *ret_error)
{
    if (player->values[0] && (int)player->setting[SET_VALUE] != JUDGE_BY_NETWORK) {
        snprintf(ret_error, size, "player rink: values=MODEL goes with value=network alone");
        return false;
    }
    if ((int)player->setting[SET_VALUE] != JUDGE_BY_ASKING ||
        (player->model[0] && policy_store_has_scores(player->model, player->weights_sha256)))
        return true;
    snprintf(ret_error, size, "player rink: value=policy needs policy=MODEL that has scores");
    return false;
}

/* Nothing for the rules of mixed doubles, whose ends are others. */
static void add_style(struct win_mix *mix, const struct rules *rules, const struct style_row *style,
                      double share)
{
    const struct win_table *table = rules->preplaced == 0 ? win_table_against(style) : NULL;

    if (!table || share < SURE)
        return;
    assert(mix->count < WIN_PARTS_MAX);
    mix->part[mix->count].table = table;
    mix->part[mix->count++].share = share;
}

/* Lets the opponent throw like a player with a chance, 0 to 1: `file` values positions if it throws
 * `share` of its shots so. False, and nothing changes, if no file or player is named. A file that
 * cannot be read leaves no network, which rink_open() tells. */
static bool expect_throws(struct rink_opened *opened, const char *file, const char *like,
                          double chance, double share)
{
    struct rink_settings *settings = &opened->settings;
    char why[200];

    if (chance == 0.0 || !file || !player_read(like, &opened->fallible, sizeof why, why))
        return false;
    const struct end_value *against = end_value_shipped(file);
    if (chance == 1.0 || !against || !settings->value.network) {
        settings->value.network = against;
    } else {
        settings->value.other = against;
        settings->value.other_share = (float)chance;
    }
    settings->fallible = &opened->fallible;
    settings->fallible_share = chance * share;
    return true;
}

/* A chance that is hardly one, or hardly none. */
static double settle(double chance)
{
    return chance < SURE ? 0.0 : chance > 1.0 - SURE ? 1.0 : chance;
}

/* Expects the throws of the one style that is likelier than all others together, if a network
 * against it is shipped. */
static bool expect_known(struct rink_opened *opened, const struct player_query *query,
                         const struct opponent *opponent)
{
    const struct profile_weights *weights = &profile_of(query->game->rules)->weights;
    const enum seat seat = game_next_seat(query->game);

    int k = 0;

    while (k < opponent->styles && opponent->weight[k] <= 0.5)
        k++;
    if (k == opponent->styles)
        return false;
    for (int n = 0; n < PROFILE_KNOWN_MAX && weights->known[n].player; n++)
        if (strcmp(weights->known[n].player, opponent->style[k]->player) == 0)
            return expect_throws(opened, weights->known[n].file[seat], weights->known[n].player,
                                 settle(opponent->weight[k]), 1.0);
    return false;
}

/* Sets how the opponent is expected to throw, and the chances of winning against it that are told.
 */
static void expect_opponent(struct rink_opened *opened, const struct player_query *query)
{
    const struct rules *rules = query->game->rules;
    const struct profile_weights *weights = &profile_of(rules)->weights;
    const enum seat seat = game_next_seat(query->game);
    const int expects = (int)opened->player->setting[SET_OPPONENT];
    const bool has_network = opened->settings.value.by == JUDGE_BY_NETWORK;
    double errs = expects == OPPONENT_FALLIBLE ? 1.0 : 0.0;
    struct opponent opponent;

    opened->against = (struct win_mix){0};
    if (expects == OPPONENT_MODEL) {
        opponent_of(rules, query->seen, query->seen_count, &opponent);
        for (int k = 0; k < opponent.styles; k++)
            add_style(&opened->against, rules, opponent.style[k],
                      opponent.confidence * opponent.weight[k]);
        opened->settings.value.opponent = &opened->against;
        if (has_network && expect_known(opened, query, &opponent))
            return;
        errs = settle(opponent.errs);
    }
    if (has_network)
        expect_throws(opened, weights->against[seat].file, weights->against[seat].like, errs,
                      weights->against[seat].share);
}

enum player_status rink_open(const struct player *player, const struct player_query *query,
                             struct rink_opened *ret_opened)
{
    const struct rules *rules = query->game->rules;
    const bool has_values = player->values[0] != '\0';
    const char *network = profile_of(rules)->weights.best;
    const double *set = player->setting;
    struct rink_opened *opened = ret_opened;
    struct rink_settings *settings = &opened->settings;

    assert(player->class == &player_rink);
    opened->player = player;
    opened->policy = NULL;
    atomic_init(&opened->failed, false);
    *settings = (struct rink_settings){
        .objective = (enum objective_kind)set[SET_OBJECTIVE],
        .value = {.by = (enum judge_value)set[SET_VALUE],
                  .network = has_values ? value_store_get(player->values_sha256)
                                        : end_value_shipped(network),
                  .asked = ask_policy,
                  .asked_context = opened},
        .start_s = clock_now_s(), /* the time to load the policy counts */
        .simulations = (int64_t)set[SET_SIMULATIONS],
        .bound = player_budget(player),
        .time_s = set[SET_TIME_MS] / 1000.0,
        .refined = (int)set[SET_REFINED],
        .caution = set[SET_CAUTION],
        .reply_share = set[SET_REPLY_SHARE],
        .reply_throws = (int64_t)set[SET_REPLY_THROWS],
    };
    char why[PLAYER_ERROR_MAX];
    if (has_values && !check_rules(player, rules, sizeof why, why))
        return PLAYER_FAILED;
    if (!network && !has_values && settings->value.by == JUDGE_BY_NETWORK)
        settings->value.by = JUDGE_BY_COUNTING;
    expect_opponent(opened, query);
    if (settings->value.by == JUDGE_BY_NETWORK && !settings->value.network)
        return PLAYER_FAILED; /* end_value_fault() says why */
    if (!player->model[0])
        return PLAYER_OK;
    /* Borrowed until the end, so that the store keeps it for the threads. */
    opened->policy = policy_store_borrow(player->model, player->weights_sha256);
    return opened->policy ? propose(player, opened->policy, query, settings, opened->proposals)
                          : PLAYER_FAILED;
}

bool rink_close(struct rink_opened *opened)
{
    policy_store_return(opened->policy);
    return !atomic_load(&opened->failed);
}

static bool looks_at_opponent(const struct player *player)
{
    return (int)player->setting[SET_OPPONENT] == OPPONENT_MODEL;
}

static enum player_status choose(const struct player *player, const struct player_query *query,
                                 struct player_answer *ret_answer)
{
    struct rink_opened opened;
    enum player_status status = rink_open(player, query, &opened);

    if (status == PLAYER_OK)
        status = rink_choose(&opened.settings, query, ret_answer);
    return rink_close(&opened) ? status : PLAYER_FAILED;
}

static enum setup set_up(const struct player *player, const struct game *game, int64_t game_number)
{
    (void)game_number;
    switch ((int)player->setting[SET_SETUP]) {
    case SETUP_ALWAYS_HOUSE:
        return SETUP_HOUSE;
    case SETUP_ALWAYS_POWER: /* the house where the rules refuse it */
        return SETUP_LEFT;
    default:
        return win_table_setup(game);
    }
}

const struct player_class player_rink = {
    .name = "rink",
    .about = "noise-integrated sequential halving over all geometric shots",
    .settings = rink_player_settings,
    .check = check,
    .check_rules = check_rules,
    .set_up = set_up,
    .looks_at_opponent = looks_at_opponent,
    .choose = choose,
};
