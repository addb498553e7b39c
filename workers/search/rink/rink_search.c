/* State and threads of a search. */
#include "workers/search/rink/rink_search.h"

#include "models/ice/quasi.h"

#include <assert.h>
#include <stdlib.h>

enum { ALONE_THROWS = 200 }; /* waking another thread costs as much as some dozen throws */

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
    struct judge judge = judge_of(query, settings->objective, settings->value, errors);
    judge_throw(&judge, &judged, throws);
    return judged_distribution(&judged);
}

enum player_status rink_search_start(const struct rink_settings *settings,
                                     const struct player_query *query,
                                     struct rink_search *ret_search)
{
    *ret_search = (struct rink_search){
        .settings = settings,
        .query = query,
        .key = query->key,
        .start_s = settings->start_s > 0.0 ? settings->start_s : clock_now_s(),
        .deadline_s = settings->stop_s,
        .pool = malloc(RINK_POOL_MAX * sizeof *ret_search->pool),
        .ranked = malloc(RINK_POOL_MAX * sizeof *ret_search->ranked),
        .errors = malloc(RINK_SAMPLES_MAX * sizeof *ret_search->errors),
        .threads = pool_new(query->limits.threads),
    };
    ret_search->key.purpose = RANDOM_PLANNING;
    ret_search->judge = judge_of(query, settings->objective, settings->value, ret_search->errors);
    return ret_search->pool && ret_search->ranked && ret_search->errors && ret_search->threads
               ? PLAYER_OK
               : PLAYER_NO_MEMORY;
}

void rink_search_free(struct rink_search *search)
{
    free(search->pool);
    free(search->ranked);
    free(search->errors);
    pool_free(search->threads);
}

void rink_search_run(struct rink_search *search, int count, pool_task *task, void *context,
                     int64_t throws)
{
    if (throws > ALONE_THROWS)
        pool_run(search->threads, (size_t)count, task, context);
    else
        for (int k = 0; k < count; k++)
            task(context, (size_t)k, 0);
    if (rink_search_must_stop(search))
        search->stopped = true;
}

int rink_search_next_size(const struct rink_search *search, int size, double took_s, int least,
                          int most)
{
    double interval_s = search->query->report_interval_s;

    if (!search->query->report)
        return most;
    if (took_s <= 0.0)
        return least;
    if (took_s < interval_s / 8)
        return size < most / 2 ? 2 * size : most;
    if (took_s > interval_s / 2)
        return size / 2 > least ? size / 2 : least;
    return size;
}
