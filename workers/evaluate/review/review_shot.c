/* Judges one shot. See review.h. */
#include "workers/evaluate/review/review.h"

#include "models/game/free_guard_zone.h"
#include "models/ice/quasi.h"
#include "workers/search/rink/appraise.h"
#include "workers/search/rink/rink.h"
#include "workers/search/shots/kernel.h"

#include <stdlib.h>

/* between two points of a path, before it is thinned out */
#define PATH_INTERVAL_S 0.02
/* A recorded place that differs by more from the simulated one counts instead of it. */
#define SAME_PLACE_M 0.01

/* ---- throws without error ---- */

/* Throws a shot as it is; returns the kind of what happened. *ret_after: the stones by the rules.
 */
static enum shot_kind throw_exactly(const struct game *game, const struct ice_profile *ice,
                                    struct shot shot, struct throw_result *ret_result)
{
    struct throw_request request = player_throw(game, ice, shot);

    if (throw_fast(&request, ret_result) != THROW_OK)
        *ret_result = (struct throw_result){.after = game->position};
    return shot_kind_of_result(game->rules, &game->position, request.stone, ret_result);
}

int review_path(const struct review_game *game, const struct review_move *move, struct shot shot,
                struct vec2 ret_path[REVIEW_PATH_MAX])
{
    struct throw_request request = player_throw(&move->before, game->profile->ice, shot);
    struct trajectory trajectory;
    struct throw_result result;
    int points = 0;

    trajectory_init(&trajectory, PATH_INTERVAL_S);
    request.trajectory = &trajectory;
    if (throw_fast(&request, &result) == THROW_OK) {
        const struct trajectory_path *path = &trajectory.stone[request.stone];
        size_t step = path->count / REVIEW_PATH_MAX + 1;
        for (size_t k = 0; k + 1 < path->count && points < REVIEW_PATH_MAX - 1; k += step)
            ret_path[points++] = path->points[k].at;
        if (path->count > 0)
            ret_path[points++] = path->points[path->count - 1].at;
    }
    trajectory_free(&trajectory);
    return points;
}

/* ---- the call ---- */

/* Finds the shot worth considering that a hand is likeliest to have meant when it threw this one:
 * the nearest in the metric of its errors. */
static struct candidate likeliest_call(const struct review_move *move,
                                       const struct player_query *query)
{
    static _Thread_local struct candidate candidates[CANDIDATES_MAX];
    const struct game *game = &move->before;
    int count = candidates_generate(query->ice, game->rules, &game->position, game_next_stone(game),
                                    candidates, CANDIDATES_MAX);
    struct candidate nearest = candidate_of_shot(move->thrown);
    double most = 0.0;

    for (int k = 0; k < count; k++) {
        const struct kernel kernel = kernel_at(query->noise, candidates[k].shot);
        double density = kernel_density(&kernel, move->thrown);
        if (density > most) {
            most = density;
            nearest = candidates[k];
        }
    }
    return nearest;
}

/* ---- judging ---- */

static bool is_same_position(const struct position *a, const struct position *b)
{
    if (a->in_play != b->in_play)
        return false;
    for (int k = 0; k < POSITION_STONES; k++)
        if (position_has(a, k) && vec2_distance(a->stone[k], b->stone[k]) > SAME_PLACE_M)
            return false;
    return true;
}

static struct review_value value_of(const struct judge *judge, const struct position *after)
{
    float chance[OBJECTIVE_SCORES];
    struct review_value value = {0.0, 0.0};

    judge_position(judge, after, chance);
    for (int k = 0; k < OBJECTIVE_SCORES; k++) {
        value.win += (double)chance[k] * judge->objective.win[k];
        value.points += (double)chance[k] * (k - OBJECTIVE_ZERO);
    }
    return value;
}

/* Compares the called shot (0) with the best one that was found (1), and fills in what follows. */
static void write_values(const struct judge *judge, bool for_points,
                         const struct appraised appraised[2], const struct position *after,
                         struct review_shot *shot)
{
    const struct appraised *called = &appraised[0], *best = &appraised[1];
    const struct appraised_mean *less = for_points ? &best->points_less : &best->win_less;

    shot->value_called = (struct review_value){called->win.mean, called->points.mean};
    shot->value_thrown = value_of(judge, after);
    shot->execution_error = (struct review_value){called->win.error, called->points.error};
    shot->value_best = shot->value_called;
    shot->is_best = !(less->mean < 0.0); /* the call less the best shot */
    if (shot->is_best) {
        shot->best = shot->called;
    } else {
        shot->value_best = (struct review_value){best->win.mean, best->points.mean};
        shot->call_error = (struct review_value){best->win_less.error, best->points_less.error};
    }
    shot->call = (struct review_value){shot->value_best.win - shot->value_called.win,
                                       shot->value_best.points - shot->value_called.points};
    shot->execution = (struct review_value){shot->value_called.win - shot->value_thrown.win,
                                            shot->value_called.points - shot->value_thrown.points};
}

/* Values the call and the best shot by fresh throws. */
static enum review_status appraise_both(const struct review_setting *setting,
                                        const struct player_query *query, struct candidate best,
                                        const struct position *after, struct review_shot *shot)
{
    const struct candidate candidates[2] = {shot->called, best};
    struct normal_pair *errors = malloc((size_t)setting->throws * sizeof *errors);
    struct pool *alone = pool_new(1);
    struct rink_opened opened;
    struct appraised appraised[2];
    struct random_key key = query->key;
    enum review_status status = errors && alone ? REVIEW_OK : REVIEW_NO_MEMORY;

    if (status == REVIEW_OK) {
        if (rink_open(setting->judge, query, &opened) == PLAYER_OK) {
            const struct rink_settings *by = &opened.settings;
            struct judge judge = judge_of(query, by->objective, by->value, errors);
            key.purpose = RANDOM_LUCK;
            quasi_normal_pairs(&key, 0, (size_t)setting->throws, errors);
            if (!appraise(&judge, alone, query, candidates, 2, setting->throws, appraised))
                status = player_is_cancelled(query) ? REVIEW_CANCELLED : REVIEW_NO_MEMORY;
            else
                write_values(&judge, by->objective == OBJECTIVE_SCORE, appraised, after, shot);
        } else {
            status = REVIEW_FAILED;
        }
        if (!rink_close(&opened))
            status = REVIEW_FAILED;
    }
    free(errors);
    pool_free(alone);
    return status;
}

enum review_status review_shot(const struct review_setting *setting, const struct review_move *move,
                               int number, const atomic_bool *cancel, struct review_shot *ret_shot)
{
    const struct game *game = &move->before;
    struct player_query query = {.game = game,
                                 .ice = profile_of(game->rules)->ice,
                                 .noise = move->has_hand && !setting->has_noise ? &move->hand
                                                                                : &setting->noise,
                                 .limits = setting->limits,
                                 .key = {.seed = setting->seed, .shot = (uint32_t)number},
                                 .candidates = 1,
                                 .cancel = cancel};
    struct player_answer *answer = malloc(sizeof *answer); /* large */
    struct throw_result of_call, of_throw;
    struct position after;

    if (!answer)
        return REVIEW_NO_MEMORY;
    query.limits.threads = 1;
    *ret_shot = (struct review_shot){.team = game_next_team(game), .is_estimated = !move->has_call};
    ret_shot->called =
        move->has_call ? candidate_of_shot(move->called) : likeliest_call(move, &query);
    ret_shot->kind = throw_exactly(game, query.ice, ret_shot->called.shot, &of_call);
    ret_shot->thrown_kind = throw_exactly(game, query.ice, move->thrown, &of_throw);
    ret_shot->success =
        shot_succeeded(game->rules, &game->position, game_next_stone(game), &of_call, &of_throw);
    ret_shot->foul =
        free_guard_zone_settle(game->rules, &game->position, &of_throw.after, game->shot, &after);
    if (move->has_after && !is_same_position(&after, &move->after))
        after = move->after;
    enum player_status played = player_choose(setting->judge, &query, answer);
    enum review_status status = played == PLAYER_NO_MEMORY ? REVIEW_NO_MEMORY
                                : played != PLAYER_OK      ? REVIEW_FAILED
                                : answer->cancelled        ? REVIEW_CANCELLED
                                                           : REVIEW_OK;
    if (status == REVIEW_OK) {
        ret_shot->best = answer->candidate[0].candidate;
        status = appraise_both(setting, &query, ret_shot->best, &after, ret_shot);
    }
    free(answer);
    return status;
}
