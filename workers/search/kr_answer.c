/* From the root's shots to an answer; the loop of a search. */
#include "workers/search/kr_answer.h"

#include <math.h>
#include <stdlib.h>

struct ranked {
    int shot;
    double rank, lower;
};

static int by_rank(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank > y->rank ? -1 : 1;
    return x->shot < y->shot ? -1 : 1;
}

/* What the tree thinks of the end's score after shot `index` of the root: the scores seen, weighted
 * like the values. All weight on 0 when nothing is known. */
static struct score_distribution distribution_of(const struct kr_root *root, int index)
{
    const struct kernel_set *shots = root->shots;
    const struct kernel_point *point = &shots->point[index];
    struct score_distribution d = {{0.0}};

    if (point->weight <= 0.0) {
        d.p[OBJECTIVE_ZERO] = 1.0;
        return d;
    }
    for (int b = 0; b < shots->count; b++) {
        double density = root->has_kernel
                             ? kernel_density(&point->kernel, shots->point[b].kernel.centre)
                             : (b == index ? 1.0 : 0.0);
        for (int k = 0; k < OBJECTIVE_SCORES && density > 0.0; k++)
            d.p[k] += density * root->root_shot[b].scores[k] / point->weight;
    }
    return d;
}

static struct player_candidate candidate_of(const struct kr_root *root, const struct ranked *ranked)
{
    const struct kernel_point *point = &root->shots->point[ranked->shot];
    const struct kr_root_shot *shot = &root->root_shot[ranked->shot];
    struct score_distribution d = distribution_of(root, ranked->shot);
    double lower = root->middle + root->half_range * ranked->lower;
    bool named = shot->candidate.kind != SHOT_OTHER && shot->throws > 0;

    return (struct player_candidate){
        .candidate = shot->candidate,
        .visits = (int64_t)point->visits,
        .value = objective_worth(root->objective, &d),
        .lower_bound = fmax(lower, root->objective->worth[0]),
        .expected_score = objective_score(&d),
        .win_probability = objective_win(root->objective, &d),
        .prior = shot->prior,
        .success = named ? (double)shot->successes / (double)shot->throws : NAN,
    };
}

enum player_status kr_root_answer(const struct kr_root *root, int wanted,
                                  struct player_answer *ret_answer)
{
    const struct kernel_set *shots = root->shots;
    double log_weights = kr_log_of_weights(shots);
    struct ranked *ranked = malloc((size_t)shots->count * sizeof *ranked);
    if (!ranked)
        return PLAYER_NO_MEMORY;

    for (int k = 0; k < shots->count; k++) {
        const struct kernel_point *point = &shots->point[k];
        double lower =
            point->weight > 0.0 ? kr_bound(point, -root->c_final, log_weights) : -INFINITY;
        ranked[k] = (struct ranked){k, root->by_weight ? point->weight : lower, lower};
    }
    qsort(ranked, (size_t)shots->count, sizeof *ranked, by_rank);

    ret_answer->candidates = wanted < shots->count ? wanted : shots->count;
    for (int k = 0; k < ret_answer->candidates; k++)
        ret_answer->candidate[k] = candidate_of(root, &ranked[k]);
    ret_answer->shot = shots->point[ranked[0].shot].kernel.centre;
    ret_answer->distribution = distribution_of(root, ranked[0].shot);
    ret_answer->expected_score = objective_score(&ret_answer->distribution);
    ret_answer->win_probability = objective_win(root->objective, &ret_answer->distribution);
    ret_answer->has_value = true;
    ret_answer->simulations = root->throws;
    free(ranked);
    return PLAYER_OK;
}

double kr_log_of_weights(const struct kernel_set *shots)
{
    double sum = 0.0;
    for (int k = 0; k < shots->count; k++)
        sum += shots->point[k].weight;
    return sum > 1.0 ? log(sum) : 0.0;
}

double kr_bound(const struct kernel_point *point, double c, double log_weights)
{
    return point->weighted_value / point->weight + c * sqrt(log_weights / point->weight);
}

static double seconds_since(const struct timespec *start)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - start->tv_sec) + 1e-9 * (double)(now.tv_nsec - start->tv_nsec);
}

enum player_status kr_search_run(const struct kr_search *search, const struct player_query *query,
                                 int64_t iterations, struct player_answer *ret_answer)
{
    const struct player_limits *limits = &query->limits;
    bool limited = limits->time_s > 0.0 || limits->simulations > 0;
    double reported_s = 0.0;
    enum player_status status = PLAYER_OK;

    while (status == PLAYER_OK) {
        if (limited ? search->is_used_up(search->tree)
                    : search->iterations(search->tree) >= iterations)
            break;
        if (query->cancel && atomic_load(query->cancel)) {
            ret_answer->cancelled = true;
            break;
        }
        double elapsed_s =
            limits->time_s > 0.0 || query->report ? seconds_since(&search->start) : 0.0;
        /* One step at least, so that the answer can be had again by its simulations. */
        if (limits->time_s > 0.0 && elapsed_s >= limits->time_s && search->throws(search->tree) > 0)
            break;
        if (query->report && elapsed_s - reported_s >= query->report_interval_s) {
            struct player_answer so_far = {.elapsed_s = elapsed_s};
            if (search->answer(search->tree, &so_far) == PLAYER_OK)
                query->report(query->context, &so_far);
            reported_s = elapsed_s;
        }
        status = search->step(search->tree);
    }
    return status == PLAYER_OK ? search->answer(search->tree, ret_answer) : status;
}
