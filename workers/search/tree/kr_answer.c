/* The loop of a search, and the answer from the root's shots. */
#include "workers/search/tree/kr_tree.h"

#include "api/base/clock.h"

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

/* True if shot `index` of the root or a neighbour has visits: its value is then defined. */
static bool is_known(const struct kr_tree *tree, int index)
{
    return tree->root->shots.point[index].weight > 0.0;
}

/* Returns the distribution of the end's scores after shot `index` of the root, weighted like the
 * values. The shot must be known. */
static struct score_distribution distribution_of(const struct kr_tree *tree, int index)
{
    const struct kernel_set *shots = &tree->root->shots;
    const struct kernel_point *point = &shots->point[index];
    struct score_distribution d = {{0.0}};

    for (int b = 0; b < shots->count; b++) {
        double density = tree->set.has_kernel
                             ? kernel_density(&point->kernel, shots->point[b].kernel.centre)
                             : (b == index ? 1.0 : 0.0);
        for (int k = 0; k < OBJECTIVE_SCORES && density > 0.0; k++)
            d.p[k] += density * tree->root_shot[b].scores[k] / point->weight;
    }
    return d;
}

static struct player_candidate candidate_of(const struct kr_tree *tree, const struct ranked *ranked)
{
    const struct kernel_point *point = &tree->root->shots.point[ranked->shot];
    const struct kr_root_shot *shot = &tree->root_shot[ranked->shot];
    struct player_candidate candidate = player_candidate_of(shot->candidate);

    candidate.visits = (int64_t)point->visits;
    if (tree->set.has_priors)
        candidate.prior = tree->root->prior[ranked->shot];
    if (shot->candidate.kind != SHOT_OTHER && shot->throws > 0)
        candidate.success = (double)shot->successes / (double)shot->throws;
    if (is_known(tree, ranked->shot)) {
        struct score_distribution d = distribution_of(tree, ranked->shot);
        double lower = tree->middle + tree->half_range * ranked->lower;
        candidate.value = objective_worth(&tree->objective, &d);
        candidate.lower_bound = fmax(lower, tree->objective.worth[0]);
        candidate.expected_score = objective_score(&d);
        candidate.win_probability = objective_win(&tree->objective, &d);
    }
    return candidate;
}

/* Writes the ranked shots, and the expectation of the first one. */
static enum player_status answer(const struct kr_tree *tree, struct player_answer *ret_answer)
{
    const struct kernel_set *shots = &tree->root->shots;
    int wanted = tree->query->candidates;
    double log_weights = kernel_set_log_weights(shots);
    struct ranked *ranked = malloc((size_t)shots->count * sizeof *ranked);
    if (!ranked)
        return PLAYER_NO_MEMORY;

    for (int k = 0; k < shots->count; k++) {
        const struct kernel_point *point = &shots->point[k];
        double lower =
            point->weight > 0.0 ? kernel_bound(point, -tree->set.c_final, log_weights) : -INFINITY;
        ranked[k] = (struct ranked){k, tree->set.by_weight ? point->weight : lower, lower};
    }
    qsort(ranked, (size_t)shots->count, sizeof *ranked, by_rank);

    ret_answer->candidates = wanted < shots->count ? wanted : shots->count;
    for (int k = 0; k < ret_answer->candidates; k++)
        ret_answer->candidate[k] = candidate_of(tree, &ranked[k]);
    ret_answer->shot = shots->point[ranked[0].shot].kernel.centre;
    if (is_known(tree, ranked[0].shot)) {
        const struct score_distribution d = distribution_of(tree, ranked[0].shot);
        player_expect(ret_answer, &tree->objective, &d);
    }
    ret_answer->simulations = ret_answer->simulations_to_repeat = tree->throws;
    free(ranked);
    return PLAYER_OK;
}

enum player_status kr_search(struct kr_tree *tree, kr_step *step, double start_s,
                             struct player_answer *ret_answer)
{
    const struct player_query *query = tree->query;
    double time_s = query->limits.time_s, reported_s = 0.0;
    enum player_status status = PLAYER_OK;

    while (status == PLAYER_OK && !kr_tree_is_used_up(tree)) {
        if (player_is_cancelled(query)) {
            ret_answer->cancelled = true;
            break;
        }
        double elapsed_s = time_s > 0.0 || query->report ? clock_now_s() - start_s : 0.0;
        /* After at least one step, so that the number of simulations reproduces the answer. */
        if (time_s > 0.0 && elapsed_s >= time_s && tree->throws > 0)
            break;
        if (query->report && elapsed_s - reported_s >= query->report_interval_s) {
            struct player_answer so_far = {.elapsed_s = elapsed_s};
            if (answer(tree, &so_far) == PLAYER_OK) {
                so_far.simulations_to_repeat = 0;
                query->report(query->context, &so_far);
            }
            reported_s = elapsed_s;
        }
        status = step(tree);
    }
    return status == PLAYER_OK ? answer(tree, ret_answer) : status;
}
