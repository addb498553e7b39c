/* Ranking, reports and the answer. */
#include "workers/search/rink/rink_search.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Returns the lower confidence bound; NAN for a single sample, which has no measurable error. */
static double bound(const struct rink_search *search, const struct judged *judged)
{
    if (judged->samples < 2)
        return NAN;
    return judged_mean(judged) - search->settings->caution * judged_error(judged);
}

/* Ranking key; single-sample candidates sort behind all with more. */
static double merit(const struct rink_search *search, const struct judged *judged)
{
    static const double far = 1e6; /* larger than any end's worth */
    if (judged->samples == 0)
        return -INFINITY;
    return judged->samples == 1 ? judged_mean(judged) - far : bound(search, judged);
}

struct place {
    double merit;
    int index;
};

static int compare_places(const void *a, const void *b)
{
    const struct place *p = a, *q = b;
    if (p->merit != q->merit)
        return p->merit > q->merit ? -1 : 1;
    return p->index - q->index;
}

/* Fills `ranked` with the pool in order of rank. */
static void fill_ranked(struct rink_search *search, int some)
{
    struct place place[RINK_POOL_MAX];

    assert(some <= search->count && search->count <= RINK_POOL_MAX);
    for (int k = 0; k < some; k++)
        place[k] = (struct place){merit(search, &search->pool[k]), k};
    qsort(place, (size_t)some, sizeof *place, compare_places);
    for (int k = 0; k < search->count; k++)
        search->ranked[k] = search->pool[k < some ? place[k].index : k];
}

void rink_answer_rank(struct rink_search *search, int some)
{
    fill_ranked(search, some);
    struct judged *swap = search->pool;
    search->pool = search->ranked;
    search->ranked = swap;
}

/* Differences within a quarter of the best mean's error are no differences: all candidates meet the
 * same errors of the hand, so that a difference is more accurate than a mean. */
#define EQUAL_ERRORS 0.25
/* A share of successes of fewer throws tells no call from another. */
enum { SAFETY_SAMPLES = 64 };

/* The share of throws that keep what the candidate is for; 0: it is for nothing in particular. */
static double safety(const struct judged *judged)
{
    return judged->candidate.kind == SHOT_OTHER ? 0.0 : (double)judged->successes / judged->samples;
}

void rink_answer_prefer_safe(struct rink_search *search)
{
    struct judged *pool = search->pool;
    const int64_t closeness = rink_answer_closeness(search, &pool[0]);
    int safest = 0;

    if (pool[0].samples < SAFETY_SAMPLES)
        return;
    const double least = judged_mean(&pool[0]) - EQUAL_ERRORS * judged_error(&pool[0]);
    for (int k = 1; k < search->count; k++)
        if (rink_answer_closeness(search, &pool[k]) >= closeness &&
            judged_mean(&pool[k]) >= least && safety(&pool[k]) > safety(&pool[safest]))
            safest = k;
    const struct judged first = pool[safest];
    memmove(&pool[1], &pool[0], (size_t)safest * sizeof *pool);
    pool[0] = first;
}

int64_t rink_answer_closeness(const struct rink_search *search, const struct judged *judged)
{
    return judged->samples + judged->replies * search->reply_cost;
}

void rink_answer_fill(const struct rink_search *search, const struct judged *ranked, int64_t plan,
                      struct player_answer *ret_answer)
{
    const struct judge *judge = &search->judge;
    int wanted = search->query->candidates;

    ret_answer->shot = ranked->candidate.shot;
    ret_answer->simulations = search->used_before + search->used;
    ret_answer->simulations_to_repeat = plan;
    const struct score_distribution expected = judged_distribution(ranked);
    player_expect(ret_answer, &judge->objective, &expected);
    ret_answer->has_value = ranked->samples > 0;
    ret_answer->candidates = 0;
    for (int k = 0; k < search->count && k < wanted && k < PLAYER_CANDIDATES_MAX; k++) {
        const struct judged *judged = &ranked[k];
        struct score_distribution d = judged_distribution(judged);
        if (judged->samples == 0)
            break;
        ret_answer->candidate[ret_answer->candidates++] = (struct player_candidate){
            .candidate = judged->candidate,
            .visits = judged->samples,
            .value = judged_mean(judged),
            .lower_bound = bound(search, judged),
            .expected_score = objective_score(&d),
            .win_probability = objective_win(&judge->objective, &d),
            .prior = NAN,
            .difference = NAN,
            .difference_error = NAN,
            .success = judged->candidate.kind == SHOT_OTHER
                           ? NAN
                           : (double)judged->successes / judged->samples,
        };
    }
}

void rink_answer_report(struct rink_search *search, bool is_ranked)
{
    const struct player_query *query = search->query;
    const struct judged *ranked = search->pool;
    struct player_answer so_far = {.candidates = 0};

    if (!query->report || search->stopped ||
        rink_search_elapsed_s(search) - search->reported_s < query->report_interval_s)
        return;
    if (!is_ranked) {
        fill_ranked(search, search->count);
        ranked = search->ranked;
    }
    if (search->standing && rink_answer_closeness(search, ranked) < search->standing_closeness)
        so_far = *search->standing;
    else
        rink_answer_fill(search, ranked, 0, &so_far);
    so_far.simulations = search->used_before + search->used;
    so_far.simulations_to_repeat = 0;
    so_far.elapsed_s = rink_search_elapsed_s(search);
    query->report(query->context, &so_far);
    search->reported_s = so_far.elapsed_s;
}
