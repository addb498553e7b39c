/* See valuation.h. */
#include "workers/search/maps/valuation.h"

#include "models/ice/quasi.h"

#include <stdlib.h>

static const struct normal_pair no_error[1] = {{0.0, 0.0}};

enum player_status valuation_open(struct valuation *valuation, const struct player *player,
                                  const struct player_query *query)
{
    valuation->query = query;
    valuation->throws = 0;
    valuation->threads = pool_new(query->limits.threads);
    enum player_status status = rink_open(player, query, &valuation->opened);
    if (status != PLAYER_OK)
        return status;
    if (!valuation->threads)
        return PLAYER_NO_MEMORY;
    const struct rink_settings *by = &valuation->opened.settings;
    valuation->judge = judge_of(query, by->objective, by->value, NULL);
    valuation->exact = valuation->judge;
    valuation->exact.errors = no_error;
    return PLAYER_OK;
}

enum player_status valuation_close(struct valuation *valuation, enum player_status status)
{
    pool_free(valuation->threads);
    return rink_close(&valuation->opened) ? status : PLAYER_FAILED;
}

struct normal_pair *valuation_errors(const struct valuation *valuation, uint32_t purpose, int count)
{
    struct random_key key = valuation->query->key;
    struct normal_pair *errors = malloc((size_t)count * sizeof *errors);

    key.purpose = purpose;
    if (errors)
        quasi_normal_pairs(&key, 0, (size_t)count, errors);
    return errors;
}

struct score_distribution valuation_exact(const struct valuation *valuation, struct shot shot)
{
    struct judged once = {.candidate = candidate_of_shot(shot)};

    judge_throw(&valuation->exact, &once, 1);
    return judged_distribution(&once);
}

/* What the throw without an error is and gives. */
static void throw_exactly(const struct valuation *valuation, struct valued *valued)
{
    const struct game *game = valuation->query->game;
    const struct ice_profile *ice = valuation->query->ice;
    struct shot shot = valued->candidate.shot;
    struct score_distribution scores = valuation_exact(valuation, shot);
    struct throw_request request =
        player_throw(game, ice, noise_apply(valuation->judge.noise, ice, shot, no_error[0]));
    struct throw_result result;

    valued->exact_win = objective_win(&valuation->judge.objective, &scores);
    valued->exact_points = objective_score(&scores);
    valued->kind = SHOT_OTHER;
    if (throw_fast(&request, &result) == THROW_OK)
        valued->kind = shot_kind_of_result(game->rules, &game->position, request.stone, &result);
}

bool valuation_appraise(struct valuation *valuation, const struct normal_pair *errors, int throws,
                        struct valued *list, int count)
{
    struct candidate *candidates = calloc((size_t)count, sizeof *candidates);
    struct appraised *appraised = malloc((size_t)count * sizeof *appraised);
    struct judge judge = valuation->judge;
    bool good = candidates && appraised;

    judge.errors = errors;
    for (int k = 0; good && k < count; k++)
        candidates[k] = list[k].candidate;
    good = good && appraise(&judge, valuation->threads, valuation->query, candidates, count, throws,
                            appraised);
    for (int k = 0; good && k < count; k++) {
        list[k].appraised = appraised[k];
        throw_exactly(valuation, &list[k]);
    }
    valuation->throws += (int64_t)count * (throws + 1);
    free(candidates);
    free(appraised);
    return good;
}
