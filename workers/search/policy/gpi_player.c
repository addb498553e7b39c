/* The player `gpi`: the best of many random shots by the networks of shot_values.h. */
#include "workers/search/policy/gpi_player.h"

#include "workers/search/policy/policy_store.h"
#include "workers/search/policy/shot_values.h"
#include "workers/search/rules/rule_player.h"

enum { SET_WEIGHTS, SET_DRAWS };

static const struct player_setting settings[] = {
    [SET_WEIGHTS] = {"weights", SETTING_MODEL, 0, 1, 0, NULL, "the networks that value shots"},
    [SET_DRAWS] = {"draws", SETTING_WHOLE, GPI_DRAWS, 1, 1 << 20, NULL,
                   "random shots of which the best is thrown; 1: a random shot"},
    {0},
};

/* Fills in the chances of the end's score for the side to move. */
static void fill_value(const struct game *game, const struct valued_shot *best,
                       struct player_answer *ret_answer)
{
    struct score_distribution d = {.p = {0.0}};
    struct objective objective;

    objective_of_game(game, OBJECTIVE_SCORE, NULL, &objective);
    for (int k = 0; k < POLICY_SHOT_SCORES; k++)
        d.p[OBJECTIVE_ZERO + k - POLICY_SHOT_ZERO] = (double)best->scores[k];
    player_expect(ret_answer, &objective, &d);
    ret_answer->win_probability = NAN;
}

enum player_status gpi_choose(struct policy *policy, const struct player_query *query, int draws,
                              struct player_answer *ret_answer)
{
    const struct game *game = query->game;
    const struct shot_box box = shot_box_of(query->ice);
    struct valued_shot best[PLAYER_CANDIDATES_MAX];
    struct random_key key = query->key;
    struct shot_scene scene;
    int most = query->candidates < 1 ? 1 : query->candidates;

    key.purpose = RANDOM_CHOICE;
    shot_scene_of(game->rules, query->ice, &game->position, game->shot, &scene);
    int count = shot_values_best(policy, &scene, &box, &key, draws, most, best);
    if (count == 0)
        return PLAYER_FAILED;
    ret_answer->shot = best[0].shot;
    fill_value(game, &best[0], ret_answer);
    ret_answer->candidates = query->candidates < count ? query->candidates : count;
    for (int k = 0; k < ret_answer->candidates; k++) {
        ret_answer->candidate[k] = player_candidate_of(candidate_of_shot(best[k].shot));
        ret_answer->candidate[k].value = best[k].points;
        ret_answer->candidate[k].expected_score = best[k].points;
    }
    return PLAYER_OK;
}

bool gpi_check_rules(const struct player *player, const struct rules *rules, size_t size,
                     char *ret_error)
{
    if (rules->shots == POLICY_THROWN && !rules->preplaced)
        return true;
    snprintf(ret_error, size, "player %s: it has networks for ends of %d shots, %s has others",
             player->class->name, POLICY_THROWN, rules->name);
    return false;
}

static enum player_status choose(const struct player *player, const struct player_query *query,
                                 struct player_answer *ret_answer)
{
    struct policy *policy = policy_store_borrow(player->model, player->weights_sha256);
    enum player_status status =
        policy ? gpi_choose(policy, query, (int)player->setting[SET_DRAWS], ret_answer)
               : PLAYER_FAILED;

    policy_store_return(policy);
    return status;
}

extern const struct player_class player_gpi; /* named in players.c */
const struct player_class player_gpi = {
    .name = "gpi",
    .about = "the best of many random shots by networks that value single shots (generalised "
             "policy iteration)",
    .settings = settings,
    .models = PLAYER_MODELS_SHOTS,
    .check_rules = gpi_check_rules,
    .choose = choose,
};
