/* See calls.h. */
#include "workers/search/maps/calls.h"

#include "models/game/free_guard_zone.h"

#include <stdlib.h>

enum { OTHER_ERRORS = 64 }; /* of the other coordinate, for each deviation */

/* Throws the first errors of the set and notes where the delivered stone stays. */
static void note_ends(const struct valuation *valuation, const struct normal_pair *errors,
                      struct call_value *value)
{
    const struct player_query *query = valuation->query;
    const struct game *game = query->game;

    value->ends_count = 0;
    for (int k = 0; k < CALL_ENDS; k++) {
        struct shot thrown = noise_apply(valuation->judge.noise, query->ice,
                                         value->valued.candidate.shot, errors[k]);
        struct throw_request request = player_throw(game, query->ice, thrown);
        struct throw_result result;
        struct position after;
        if (throw_fast(&request, &result) != THROW_OK)
            continue;
        free_guard_zone_settle(game->rules, &game->position, &result.after, game->shot, &after);
        if (position_has(&after, request.stone))
            value->ends[value->ends_count++] = after.stone[request.stone];
    }
}

/* Returns the chance of winning after a shot, over a set of OTHER_ERRORS errors. */
static double mean_win(const struct valuation *valuation, struct shot shot,
                       const struct normal_pair *errors)
{
    struct judged judged = {.candidate = candidate_of_shot(shot)};
    struct judge judge = valuation->judge;

    judge.errors = errors;
    judge_throw(&judge, &judged, OTHER_ERRORS);
    struct score_distribution scores = judged_distribution(&judged);
    return objective_win(&judge.objective, &scores);
}

struct sensitivity {
    const struct valuation *valuation;
    const struct normal_pair *errors;
    struct call_value *value;
};

/* One deviation of one call, of the line and of the weight. */
static void deviate(void *context, size_t index, int thread)
{
    const struct sensitivity *all = context;
    struct call_value *value = &all->value[index / CALL_DEVIATIONS];
    struct shot shot = value->valued.candidate.shot;
    int k = (int)index % CALL_DEVIATIONS;
    double deviation = CALLS_DEVIATION_FIRST + CALLS_DEVIATION_STEP * k;
    struct normal_pair of_line[OTHER_ERRORS], of_weight[OTHER_ERRORS];

    (void)thread;
    for (int i = 0; i < OTHER_ERRORS; i++) {
        of_line[i] = (struct normal_pair){deviation, all->errors[i].z1};
        of_weight[i] = (struct normal_pair){all->errors[i].z0, deviation};
    }
    value->line[k] = mean_win(all->valuation, shot, of_line);
    value->weight[k] = mean_win(all->valuation, shot, of_weight);
}

static bool value_all(struct valuation *valuation, const struct shot *shots, int count, int throws,
                      struct call_value *ret_value)
{
    int many = throws > CALL_ENDS ? throws : CALL_ENDS;
    struct normal_pair *errors = valuation_errors(valuation, RANDOM_EXECUTION, many);
    struct valued valued[CALLS_MAX];
    bool good = errors != NULL;

    for (int k = 0; k < count; k++)
        valued[k].candidate = candidate_of_shot(shots[k]);
    good = good && valuation_appraise(valuation, errors, throws, valued, count);
    for (int k = 0; good && k < count; k++) {
        ret_value[k].valued = valued[k];
        note_ends(valuation, errors, &ret_value[k]);
    }
    struct sensitivity sensitivity = {valuation, errors, ret_value};
    if (good)
        pool_run(valuation->threads, (size_t)(count * CALL_DEVIATIONS), deviate, &sensitivity);
    valuation->throws += (int64_t)count * (CALL_ENDS + 2 * CALL_DEVIATIONS * OTHER_ERRORS);
    free(errors);
    return good;
}

enum player_status calls_value(const struct player *player, const struct player_query *query,
                               const struct shot *shots, int count, int throws,
                               struct call_value *ret_value, int64_t *ret_simulations,
                               bool *ret_cancelled)
{
    struct valuation valuation;
    enum player_status status = valuation_open(&valuation, player, query);

    *ret_cancelled = false;
    if (status == PLAYER_OK && !value_all(&valuation, shots, count, throws, ret_value)) {
        *ret_cancelled = player_is_cancelled(query);
        status = *ret_cancelled ? PLAYER_OK : PLAYER_NO_MEMORY;
    }
    *ret_simulations = valuation.throws;
    return valuation_close(&valuation, status);
}
