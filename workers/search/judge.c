/* Noisy executions of one candidate, and the value of where they end. */
#include "workers/search/judge.h"

#include "models/game/free_guard_zone.h"
#include "models/game/score.h"

/* The end's score from a settled position with `thrown` shots thrown, for sente. */
static void score_chances(const struct judge *judge, const struct position *position, int thrown,
                          float ret_chance[OBJECTIVE_SCORES])
{
    const struct rules *rules = judge->game->rules;

    if (judge->by == JUDGE_BY_NETWORK && thrown < rules->shots) {
        end_value_scores(judge->network, position, thrown, ret_chance);
        return;
    }
    for (int k = 0; k < OBJECTIVE_SCORES; k++)
        ret_chance[k] = 0.0f;
    int score = score_position(rules, position, judge->team0_has_hammer);
    ret_chance[OBJECTIVE_ZERO + score] = 1.0f;
}

void judge_throw(const struct judge *judge, struct judged *judged, int until)
{
    const struct rules *rules = judge->game->rules;
    const struct position *before = &judge->game->position;
    struct throw_request request = {.ice = judge->ice,
                                    .before = before,
                                    .stone = judge->stone,
                                    .team0_has_hammer = judge->team0_has_hammer};

    for (; judged->samples < until; judged->samples++) {
        struct throw_result result;
        float chance[OBJECTIVE_SCORES];

        request.shot = noise_apply(judge->noise, judge->ice, judged->candidate.shot,
                                   judge->errors[judged->samples]);
        if (throw_fast(&request, &result) != THROW_OK)
            result = (struct throw_result){.after = *before}; /* a shot that cannot be thrown */
        judged->successes +=
            candidate_succeeded(rules, &judged->candidate, before, judge->stone, &result);
        bool foul = free_guard_zone_offended(rules, before, &result.after, judge->game->shot) >= 0;
        score_chances(judge, foul ? before : &result.after, judge->game->shot + 1, chance);

        double worth = 0.0;
        for (int k = 0; k < OBJECTIVE_SCORES; k++) {
            double p = chance[judge->gote ? OBJECTIVE_SCORES - 1 - k : k];
            judged->scores[k] += p;
            worth += p * judge->objective.worth[k];
        }
        judged->sum += worth;
        judged->sum_of_squares += worth * worth;
    }
}

double judged_mean(const struct judged *judged)
{
    return judged->samples > 0 ? judged->sum / judged->samples : 0.0;
}

double judged_error(const struct judged *judged)
{
    if (judged->samples < 2)
        return INFINITY;
    double n = judged->samples, mean = judged->sum / n;
    double variance = (judged->sum_of_squares - n * mean * mean) / (n - 1.0);
    return variance > 0.0 ? sqrt(variance / n) : 0.0;
}

struct score_distribution judged_distribution(const struct judged *judged)
{
    struct score_distribution d = {{0.0}};
    for (int k = 0; k < OBJECTIVE_SCORES && judged->samples > 0; k++)
        d.p[k] = judged->scores[k] / judged->samples;
    return d;
}
