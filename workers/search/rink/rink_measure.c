/* A few throws of one shot. */
#include "workers/search/rink/rink_measure.h"

#include "models/ice/quasi.h"
#include "workers/search/rink/rink_search.h"

#include <assert.h>

struct score_distribution rink_measure(const struct rink_settings *settings,
                                       const struct player_query *query, struct shot shot,
                                       int throws)
{
    struct normal_pair errors[RINK_MEASURED_MAX];
    struct random_key key = query->key;
    struct judged judged = {.candidate = candidate_of_shot(shot)};

    assert(throws >= 1 && throws <= RINK_MEASURED_MAX);
    key.purpose = RANDOM_EXECUTION;
    quasi_normal_pairs(&key, 0, (size_t)throws, errors);
    struct judge judge = rink_search_judge(settings, query, errors);
    judge_throw(&judge, &judged, throws);
    return judged_distribution(&judged);
}
