/* The players `policy` and `nfsp`: play an action of a network, without search. `nfsp` has the
 * network that is shipped for the profile. `policy` also plays by networks that value shots, as the
 * player `gpi` does. */
#include "workers/search/policy/gpi_player.h"
#include "workers/search/policy/policy_look.h"
#include "workers/search/policy/policy_store.h"
#include "workers/search/rules/rule_player.h"

#include <stdlib.h>

/* The settings of `policy`; `nfsp` has all but the weights. */
enum { SET_WEIGHTS, SET_CHOICE, SET_TEMPERATURE, SET_MIRROR };
enum { LIKELIEST, SAMPLE };
static const char *const choices[] = {[LIKELIEST] = "likeliest", [SAMPLE] = "sample", NULL};

#define CHOICE_ROW                                      \
    "choice", SETTING_CHOICE, LIKELIEST, 0, 1, choices, \
        "the action it thinks best, or one drawn by its probabilities"

static const struct player_setting settings[] = {
    [SET_WEIGHTS] = {"weights", SETTING_MODEL, 0, 1, 0, NULL, "the policy to play by"},
    [SET_CHOICE] = {CHOICE_ROW},
    [SET_TEMPERATURE] = {POLICY_TEMPERATURE_SETTING},
    [SET_MIRROR] = {POLICY_MIRROR_SETTING(false)},
    {0},
};

/* The mean of both views is the better player (workers/learn/reproduction.md). */
static const struct player_setting nfsp_settings[] = {
    [SET_CHOICE - 1] = {CHOICE_ROW},
    [SET_TEMPERATURE - 1] = {POLICY_TEMPERATURE_SETTING},
    [SET_MIRROR - 1] = {POLICY_MIRROR_SETTING(true)},
    {0},
};

extern const struct player_class player_policy, player_nfsp; /* named in players.c */

static double setting_of(const struct player *player, int setting)
{
    return player->setting[setting - (player->class == &player_nfsp)];
}

/* Fills in the probabilities of the end's score for the side to move. */
static void fill_value(const struct game *game, const struct policy_look *look,
                       struct player_answer *ret_answer)
{
    struct score_distribution d;
    struct objective objective;
    bool gote = game_next_seat(game) == SEAT_GOTE;

    objective_of_game(game, OBJECTIVE_SCORE, NULL, &objective);
    for (int k = 0; k < OBJECTIVE_SCORES; k++)
        d.p[k] = (double)look->scores[gote ? OBJECTIVE_SCORES - 1 - k : k];
    player_expect(ret_answer, &objective, &d);
}

/* Returns the action as a candidate; its kind and target come from a throw without noise. */
static struct candidate candidate_of(const struct player_query *query, int action)
{
    const struct game *game = query->game;
    const struct throw_request request =
        player_throw(game, query->ice, action_table(query->ice)[action]);
    struct candidate candidate = candidate_of_shot(request.shot);
    struct throw_result result;

    if (throw_fast(&request, &result) == THROW_OK) {
        candidate.kind = shot_kind_of_result(game->rules, &game->position, request.stone, &result);
        if (position_has(&result.after, request.stone))
            candidate.target = result.after.stone[request.stone];
    }
    return candidate;
}

struct ranked {
    float chance;
    int action;
};

static int by_chance(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->chance != y->chance)
        return x->chance > y->chance ? -1 : 1;
    return x->action - y->action;
}

/* Adds the likeliest actions after the played one. */
static void fill_candidates(const struct player_query *query, const struct policy_look *look,
                            int played, struct player_answer *ret_answer)
{
    struct ranked ranked[ACTIONS];
    for (int a = 0; a < ACTIONS; a++)
        ranked[a] = (struct ranked){a == played ? 2.0f : look->chance[a], a};
    qsort(ranked, ACTIONS, sizeof *ranked, by_chance);

    ret_answer->candidates = 0;
    for (int k = 0; k < query->candidates && k < PLAYER_CANDIDATES_MAX; k++) {
        if (ranked[k].chance <= 0.0f)
            break;
        struct player_candidate *candidate = &ret_answer->candidate[ret_answer->candidates++];
        *candidate = player_candidate_of(candidate_of(query, ranked[k].action));
        candidate->prior = (double)look->chance[ranked[k].action];
    }
}

static int draw_action(const struct player_query *query, const struct policy_look *look)
{
    double left = rule_uniform(query, 0);
    int action = policy_look_best(look); /* used if rounding leaves a remainder */

    for (int a = 0; a < ACTIONS; a++) {
        left -= (double)look->chance[a];
        if (left < 0.0)
            return a;
    }
    return action;
}

static enum player_status choose_action(struct policy *policy, const struct player *player,
                                        const struct player_query *query,
                                        struct player_answer *ret_answer)
{
    const struct game *game = query->game;
    struct policy_look *look = malloc(sizeof *look);
    enum player_status status = PLAYER_FAILED;

    if (look && policy_look(policy, &game->position, 1, game->shot, game_next_seat(game),
                            setting_of(player, SET_TEMPERATURE),
                            setting_of(player, SET_MIRROR) != 0.0, look) == NET_OK) {
        int action = (int)setting_of(player, SET_CHOICE) == SAMPLE ? draw_action(query, look)
                                                                   : policy_look_best(look);
        ret_answer->shot = action_table(query->ice)[action];
        ret_answer->win_probability = NAN;
        if (policy->form.has_scores)
            fill_value(game, look, ret_answer);
        fill_candidates(query, look, action, ret_answer);
        status = PLAYER_OK;
    }
    free(look);
    return status;
}

static enum player_status choose(const struct player *player, const struct player_query *query,
                                 struct player_answer *ret_answer)
{
    struct policy *policy = policy_store_borrow_for(player, query->game->rules);
    enum player_status status = PLAYER_FAILED;

    if (policy && policy->form.sees == POLICY_SEES_SHOTS)
        status = gpi_choose(policy, query, GPI_DRAWS, ret_answer);
    else if (policy)
        status = choose_action(policy, player, query, ret_answer);
    policy_store_return(policy);
    return status;
}

static bool check_rules(const struct player *player, const struct rules *rules, size_t size,
                        char *ret_error)
{
    return !policy_store_values_shots(player->model, player->weights_sha256) ||
           gpi_check_rules(player, rules, size, ret_error);
}

const struct player_class player_policy = {
    .name = "policy",
    .about = "one of the 960 discretised shots by a trained network, without search",
    .settings = settings,
    .models = PLAYER_MODELS_ANY,
    .check_rules = check_rules,
    .choose = choose,
};
const struct player_class player_nfsp = {
    .name = "nfsp",
    .about = "the policy that NFSP learned for the profile, as shipped: one of the 960 discretised "
             "shots, without search",
    .settings = nfsp_settings,
    .check_rules = policy_store_has_for,
    .choose = choose,
};
