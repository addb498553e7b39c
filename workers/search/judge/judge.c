/* Noisy executions of a candidate, and the value of the positions they leave. */
#include "workers/search/judge/judge.h"

#include "models/game/free_guard_zone.h"
#include "models/game/score.h"

#include <assert.h>

struct judge judge_of(const struct player_query *query, enum objective_kind objective,
                      struct judge_source source, const struct normal_pair *errors)
{
    const struct game *game = query->game;
    struct judge judge = {.game = game,
                          .ice = query->ice,
                          .noise = player_hand(query, game->shot),
                          .source = source,
                          .errors = errors,
                          .stone = game_next_stone(game),
                          .team0_has_hammer = game_team0_has_hammer(game)};

    judge.gote = seat_of_stone(judge.stone) == SEAT_GOTE;
    objective_of_game(game, objective, source.table, &judge.objective);
    if (source.opponent)
        objective_tell_against(source.opponent, game, &judge.objective);
    return judge;
}

/* Fills in the probabilities of the end's score for sente, for settled positions after `thrown`
 * shots. */
static void score_chances(const struct judge *judge, const struct position *const *positions,
                          int count, int thrown, float (*ret_chance)[OBJECTIVE_SCORES])
{
    const struct rules *rules = judge->game->rules;

    if (judge->source.by == JUDGE_BY_NETWORK && thrown < rules->shots) {
        const struct judge_source *source = &judge->source;
        if (source->other)
            end_value_scores_mixed(source->network, source->other, source->other_share, positions,
                                   count, thrown, ret_chance);
        else
            end_value_scores_of(source->network, positions, count, thrown, ret_chance);
        return;
    }
    for (int i = 0; i < count; i++) {
        if (judge->source.by == JUDGE_BY_ASKING && thrown < rules->shots) {
            judge->source.asked(judge->source.asked_context, positions[i], thrown, ret_chance[i]);
            continue;
        }
        for (int k = 0; k < OBJECTIVE_SCORES; k++)
            ret_chance[i][k] = 0.0f;
        int score = score_position(rules, positions[i], judge->team0_has_hammer);
        ret_chance[i][OBJECTIVE_ZERO + score] = 1.0f;
    }
}

/* Throws the candidate's shot with error number `sample` of the hand, and returns the position
 * after it; a foul restores the one before. */
static const struct position *execute(const struct judge *judge, const struct candidate *candidate,
                                      int sample, struct throw_result *ret_result)
{
    const struct position *before = &judge->game->position;
    struct throw_request request =
        player_throw(judge->game, judge->ice,
                     noise_apply(judge->noise, judge->ice, candidate->shot, judge->errors[sample]));

    if (throw_fast(&request, ret_result) != THROW_OK)
        *ret_result = (struct throw_result){.after = *before}; /* the shot cannot be thrown */
    bool foul = free_guard_zone_offended(judge->game->rules, before, &ret_result->after,
                                         judge->game->shot) >= 0;
    return foul ? before : &ret_result->after;
}

/* Converts sente's scores to those of the side to move. */
static void turn_chances(const struct judge *judge, const float sente[OBJECTIVE_SCORES],
                         float ret_chance[OBJECTIVE_SCORES])
{
    for (int k = 0; k < OBJECTIVE_SCORES; k++)
        ret_chance[k] = sente[judge->gote ? OBJECTIVE_SCORES - 1 - k : k];
}

void judge_position(const struct judge *judge, const struct position *after,
                    float ret_chance[OBJECTIVE_SCORES])
{
    float sente[1][OBJECTIVE_SCORES];

    score_chances(judge, &after, 1, judge->game->shot + 1, sente);
    turn_chances(judge, sente[0], ret_chance);
}

void judge_execute(const struct judge *judge, const struct judged *judged, int sample,
                   struct position *ret_after, float ret_chance[OBJECTIVE_SCORES])
{
    struct throw_result result;
    const struct position *after = execute(judge, &judged->candidate, sample, &result);

    judge_position(judge, after, ret_chance);
    *ret_after = *after;
}

/* Counts one more execution. */
static void count_outcome(const struct judge *judge, struct judged *judged,
                          const float chance[OBJECTIVE_SCORES])
{
    double worth = 0.0;

    for (int k = 0; k < OBJECTIVE_SCORES; k++) {
        judged->scores[k] += chance[k];
        worth += (double)chance[k] * judge->objective.worth[k];
    }
    judged->samples++;
    judged->sum += worth;
    judged->sum_of_squares += worth * worth;
}

int judge_chances(const struct judge *judge, const struct candidate *candidate, int from, int count,
                  float (*ret_chance)[OBJECTIVE_SCORES])
{
    struct throw_result result[JUDGE_AT_ONCE];
    const struct position *after[JUDGE_AT_ONCE] = {NULL};
    float sente[JUDGE_AT_ONCE][OBJECTIVE_SCORES];
    int successes = 0;

    assert(judge->errors && count <= JUDGE_AT_ONCE);
    for (int k = 0; k < count; k++) {
        after[k] = execute(judge, candidate, from + k, &result[k]);
        successes += candidate_succeeded(judge->game->rules, candidate, &judge->game->position,
                                         judge->stone, &result[k]);
    }
    score_chances(judge, after, count, judge->game->shot + 1, sente);
    for (int k = 0; k < count; k++)
        turn_chances(judge, sente[k], ret_chance[k]);
    return successes;
}

void judge_throw(const struct judge *judge, struct judged *judged, int until)
{
    assert(judged->samples <= until);
    while (judged->samples < until) {
        float chance[JUDGE_AT_ONCE][OBJECTIVE_SCORES];
        int from = judged->samples, left = until - from;
        int count = left < JUDGE_AT_ONCE ? left : JUDGE_AT_ONCE;

        judged->successes += judge_chances(judge, &judged->candidate, from, count, chance);
        for (int k = 0; k < count; k++)
            count_outcome(judge, judged, chance[k]);
    }
}

void judge_count_reply(const struct judge *judge, struct judged *judged,
                       const double more[OBJECTIVE_SCORES])
{
    double shift = 0.0;
    for (int k = 0; k < OBJECTIVE_SCORES; k++) {
        judged->reply_scores[k] += more[k];
        shift += more[k] * judge->objective.worth[k];
    }
    judged->replies++;
    judged->reply_sum += shift;
    judged->reply_sum_of_squares += shift * shift;
}

double judged_mean(const struct judged *judged)
{
    double mean = judged->samples > 0 ? judged->sum / judged->samples : 0.0;
    return judged->replies > 0 ? mean + judged->reply_sum / judged->replies : mean;
}

double judged_error(const struct judged *judged)
{
    if (judged->samples < 2)
        return INFINITY;
    double n = judged->samples, mean = judged->sum / n;
    double variance = (judged->sum_of_squares - n * mean * mean) / (n - 1.0) / n;
    if (judged->replies > 1) {
        double m = judged->replies, shift = judged->reply_sum / m;
        variance += (judged->reply_sum_of_squares - m * shift * shift) / (m - 1.0) / m;
    }
    return variance > 0.0 ? sqrt(variance) : 0.0;
}

struct score_distribution judged_distribution(const struct judged *judged)
{
    struct score_distribution d = {{0.0}};
    for (int k = 0; k < OBJECTIVE_SCORES && judged->samples > 0; k++)
        d.p[k] = judged->scores[k] / judged->samples;
    if (judged->replies == 0)
        return d;
    double sum = 0.0;
    for (int k = 0; k < OBJECTIVE_SCORES; k++) {
        d.p[k] = fmax(0.0, d.p[k] + judged->reply_scores[k] / judged->replies);
        sum += d.p[k];
    }
    for (int k = 0; k < OBJECTIVE_SCORES && sum > 0.0; k++)
        d.p[k] /= sum;
    return d;
}
