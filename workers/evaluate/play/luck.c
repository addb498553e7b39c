/* Expectations over the errors of the hand, by the judge of shots. */
#include "workers/evaluate/play/luck.h"

#include "models/ice/quasi.h"
#include "models/tables/profiles.h"

#include <assert.h>

struct luck_setting luck_setting_of(const struct rules *rules, int throws)
{
    const char *network = profile_of(rules)->weights.best;

    if (throws == 0 || !network)
        return (struct luck_setting){throws, {.by = JUDGE_BY_COUNTING}};
    return (struct luck_setting){throws,
                                 {.by = JUDGE_BY_NETWORK, .network = end_value_shipped(network)}};
}

const char *luck_setting_check(const struct luck_setting *setting)
{
    if (setting->throws < 0 || setting->throws > LUCK_THROWS_MAX)
        return "the throws that measure luck are too many";
    if (setting->throws > 0 && setting->value.by == JUDGE_BY_NETWORK && !setting->value.network)
        return end_value_blame("luck needs a value network");
    return NULL;
}

struct pair_luck luck_of_throw(const struct luck_setting *setting, const struct player_query *query,
                               struct shot shot)
{
    struct judge judge = judge_of(query, OBJECTIVE_WIN, setting->value, NULL);
    struct judged mean = {.candidate = candidate_of_shot(shot)}, played = mean;
    struct random_key key = query->key;
    struct normal_pair errors[LUCK_THROWS_MAX], error;

    assert(setting->throws > 0 && setting->throws <= LUCK_THROWS_MAX);
    key.purpose = RANDOM_EXECUTION;
    error = random_normal_pair(&key, 0);
    judge.errors = &error;
    judge_throw(&judge, &played, 1);

    key.purpose = RANDOM_LUCK;
    quasi_normal_pairs(&key, 0, (size_t)setting->throws, errors);
    judge.errors = errors;
    judge_throw(&judge, &mean, setting->throws);

    const struct score_distribution came = judged_distribution(&played),
                                    expected = judged_distribution(&mean);
    return (struct pair_luck){.win = objective_win(&judge.objective, &came) -
                                     objective_win(&judge.objective, &expected),
                              .points = objective_score(&came) - objective_score(&expected)};
}
