/* The player `kr-uct`: the tree of kr_tree.h, its settings, and the answer that is read off it.
 *
 * The baseline that later players are measured against. It runs on the calling thread alone,
 * whatever the query allows. All throws count as simulations: those in the tree and those of the
 * play-outs. Its setting `simulations`, as in the papers, counts iterations.
 *
 * The answer's distribution, expected score and win probability are those of play-outs between two
 * plain rule players (rollout.h) after the first shots: the search's own measure and, early in an
 * end, no forecast. kr-uct.md tells how the defaults were found. */
#include "workers/search/kr_tree.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

_Static_assert((int)KR_SETTINGS <= (int)PLAYER_SETTINGS_MAX, "too many settings");

enum final { FINAL_LCB, FINAL_VISITS };
static const char *const finals[] = {[FINAL_LCB] = "lcb", [FINAL_VISITS] = "visits", NULL};
static const char *const objectives[] = {
    [OBJECTIVE_SCORE] = "score", [OBJECTIVE_WIN] = "win", NULL};

static const struct player_setting settings[] = {
    [KR_SIMULATIONS] = {"simulations", SETTING_WHOLE, 1600, 1, 1e9, NULL,
                        "iterations of the tree, unless the query has limits"},
    [KR_C] = {"c", SETTING_NUMBER, 0.3, 0, 10, NULL, "weight of exploration"},
    [KR_C_FINAL] = {"c_final", SETTING_NUMBER, 0.1, 0, 10, NULL,
                    "the same in the bound that decides at the end"},
    [KR_TAU] = {"tau", SETTING_NUMBER, 0.3, 1e-6, 1, NULL, "least density of an added shot"},
    [KR_SAMPLES] = {"samples", SETTING_WHOLE, 10, 1, 1000, NULL,
                    "shots drawn of which one is added"},
    [KR_WIDENING] = {"widening", SETTING_NUMBER, 4, 0, 100, NULL,
                     "shots of a node by the square root of its visits"},
    [KR_INIT] = {"init", SETTING_WHOLE, 80, 1, CANDIDATES_MAX, NULL, "first shots of the root"},
    [KR_OUTCOMES] = {"outcomes", SETTING_NUMBER, 4, 0, 1000, NULL,
                     "executions kept by the square root of a shot's visits, 0: one, no noise"},
    [KR_ROLLOUT] = {"rollout", SETTING_WHOLE, 16, 1, 16, NULL, "shots of a play-out at most"},
    [KR_HIT] = {"hit", SETTING_NUMBER, 1, 0, 1, NULL, "chance of take-outs in a play-out"},
    [KR_GUARD] = {"guard", SETTING_NUMBER, 0.5, 0, 1, NULL, "chance of guards in a play-out"},
    [KR_FINAL] = {"final", SETTING_CHOICE, FINAL_LCB, 0, 1, finals,
                  "what decides: the lower confidence bound or the visits"},
    [KR_OBJECTIVE] = {"objective", SETTING_CHOICE, OBJECTIVE_WIN, 0, 1, objectives,
                      "plays for points of the end or for winning the game"},
    [KR_MEMORY] = {"memory_mb", SETTING_WHOLE, 64, 1, 4096, NULL,
                   "size of the tree; when full it is searched but does not grow"},
    [KR_SETTINGS] = {0},
};

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
static struct score_distribution distribution_of(const struct kr_tree *tree, int index)
{
    const struct kernel_set *shots = &tree->root.shots;
    const struct kernel_point *point = &shots->point[index];
    struct score_distribution d = {{0.0}};

    if (point->weight <= 0.0) {
        d.p[OBJECTIVE_ZERO] = 1.0;
        return d;
    }
    for (int b = 0; b < shots->count; b++) {
        double density = kernel_density(&point->kernel, shots->point[b].kernel.centre);
        for (int k = 0; k < OBJECTIVE_SCORES && density > 0.0; k++)
            d.p[k] += density * tree->root_shot[b].scores[k] / point->weight;
    }
    return d;
}

static struct player_candidate candidate_of(const struct kr_tree *tree, const struct ranked *ranked)
{
    const struct kernel_point *point = &tree->root.shots.point[ranked->shot];
    const struct kr_root_shot *root = &tree->root_shot[ranked->shot];
    struct score_distribution d = distribution_of(tree, ranked->shot);
    double lower = tree->middle + tree->half_range * ranked->lower;
    bool named = root->candidate.kind != SHOT_OTHER && root->throws > 0;

    return (struct player_candidate){
        .candidate = root->candidate,
        .visits = (int64_t)point->visits,
        .value = objective_worth(&tree->objective, &d),
        .lower_bound = fmax(lower, tree->objective.worth[0]),
        .expected_score = objective_score(&d),
        .win_probability = objective_win(&tree->objective, &d),
        .prior = NAN,
        .success = named ? (double)root->successes / (double)root->throws : NAN,
    };
}

static enum player_status fill_answer(const struct kr_tree *tree, struct player_answer *ret_answer)
{
    const struct kernel_set *shots = &tree->root.shots;
    double log_weights = kr_log_of_weights(shots);
    struct ranked *ranked = malloc((size_t)shots->count * sizeof *ranked);
    if (!ranked)
        return PLAYER_NO_MEMORY;

    for (int k = 0; k < shots->count; k++) {
        const struct kernel_point *point = &shots->point[k];
        double lower =
            point->weight > 0.0 ? kr_bound(point, -tree->set[KR_C_FINAL], log_weights) : -INFINITY;
        bool by_weight = (int)tree->set[KR_FINAL] == FINAL_VISITS;
        ranked[k] = (struct ranked){k, by_weight ? point->weight : lower, lower};
    }
    qsort(ranked, (size_t)shots->count, sizeof *ranked, by_rank);

    int wanted = tree->query->candidates;
    ret_answer->candidates = wanted < shots->count ? wanted : shots->count;
    for (int k = 0; k < ret_answer->candidates; k++)
        ret_answer->candidate[k] = candidate_of(tree, &ranked[k]);
    ret_answer->shot = shots->point[ranked[0].shot].kernel.centre;
    ret_answer->distribution = distribution_of(tree, ranked[0].shot);
    ret_answer->expected_score = objective_score(&ret_answer->distribution);
    ret_answer->win_probability = objective_win(&tree->objective, &ret_answer->distribution);
    ret_answer->has_value = true;
    ret_answer->simulations = tree->throws;
    free(ranked);
    return PLAYER_OK;
}

static double seconds_since(const struct timespec *start)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - start->tv_sec) + 1e-9 * (double)(now.tv_nsec - start->tv_nsec);
}

static enum player_status run(struct kr_tree *tree, const struct timespec *start,
                              struct player_answer *ret_answer)
{
    const struct player_query *query = tree->query;
    const struct player_limits *limits = &query->limits;
    bool limited = limits->time_s > 0.0 || limits->simulations > 0;
    double reported_s = 0.0;
    enum player_status status = PLAYER_OK;

    for (int64_t k = 0; status == PLAYER_OK; k++) {
        if (limited ? kr_tree_is_used_up(tree) : k >= (int64_t)tree->set[KR_SIMULATIONS])
            break;
        if (query->cancel && atomic_load(query->cancel)) {
            ret_answer->cancelled = true;
            break;
        }
        double elapsed_s = limits->time_s > 0.0 || query->report ? seconds_since(start) : 0.0;
        /* One iteration at least, so that the answer can be had again by its simulations. */
        if (limits->time_s > 0.0 && elapsed_s >= limits->time_s && tree->throws > 0)
            break;
        if (query->report && elapsed_s - reported_s >= query->report_interval_s) {
            struct player_answer so_far = {.elapsed_s = elapsed_s};
            if (fill_answer(tree, &so_far) == PLAYER_OK)
                query->report(query->context, &so_far);
            reported_s = elapsed_s;
        }
        status = kr_tree_iterate(tree);
    }
    return status == PLAYER_OK ? fill_answer(tree, ret_answer) : status;
}

static enum player_status choose(const struct player *player, const struct player_query *query,
                                 struct player_answer *ret_answer)
{
    struct timespec start;
    struct kr_tree tree;

    clock_gettime(CLOCK_MONOTONIC, &start);
    enum player_status status = kr_tree_start(query, player->setting, &tree);
    if (status != PLAYER_OK)
        return status;
    status = run(&tree, &start, ret_answer);
    kr_tree_clear(&tree);
    return status;
}

extern const struct player_class player_kr_uct; /* named in players.c */
const struct player_class player_kr_uct = {
    .name = "kr-uct",
    .about = "tree search with kernel regression over the shots (Yee et al. 2016); one thread",
    .settings = settings,
    .choose = choose,
};
