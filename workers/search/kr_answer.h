/* What the tree searches share when they are done, and while they run: the answer read off the
 * shots of the root, and the loop that keeps to the limits of a query. */
#ifndef RINKD_WORKERS_SEARCH_KR_ANSWER_H
#define RINKD_WORKERS_SEARCH_KR_ANSWER_H

#include "workers/search/kernel.h"
#include "workers/search/player.h"

#include <time.h>

/* What only the root's shots are asked for in the end. */
struct kr_root_shot {
    struct candidate candidate;
    double scores[OBJECTIVE_SCORES]; /* how often each came, for the side to move */
    int64_t throws, successes;
    double prior; /* of a policy, NAN: none */
};

/* The root of a tree, borrowed. */
struct kr_root {
    const struct kernel_set *shots;
    const struct kr_root_shot *root_shot; /* one a shot */
    const struct objective *objective;
    double middle, half_range; /* of its worths: values in the tree are (worth - middle) / half */
    bool has_kernel;           /* shots tell about their neighbours; else each about itself alone */
    double c_final;            /* shots are ranked by E - c_final sqrt(log sum W / W) … */
    bool by_weight;            /* … or by W */
    int64_t throws;
};

/* The ranked shots, at most `wanted`, and what is expected of the first one. PLAYER_OK or
 * PLAYER_NO_MEMORY. */
enum player_status kr_root_answer(const struct kr_root *root, int wanted,
                                  struct player_answer *ret_answer);

/* log sum_b W(b), at least 0. */
double kr_log_of_weights(const struct kernel_set *shots);

/* E[v|a] + c sqrt(log_weights / W(a)), for W(a) > 0. */
double kr_bound(const struct kernel_point *point, double c, double log_weights);

/* A search that goes on in steps; `tree` is handed to its functions. */
struct kr_search {
    void *tree;
    bool (*is_used_up)(const void *tree);    /* no throws are left */
    int64_t (*iterations)(const void *tree); /* done so far */
    int64_t (*throws)(const void *tree);     /* likewise */
    enum player_status (*step)(void *tree);  /* some iterations */
    enum player_status (*answer)(const void *tree, struct player_answer *ret_answer);
    struct timespec start; /* CLOCK_MONOTONIC when the player was asked */
};

/* Steps until the limits of the query or, where it has none, `iterations` are reached, or until it
 * is cancelled; reports on the way; the answer at the end. */
enum player_status kr_search_run(const struct kr_search *search, const struct player_query *query,
                                 int64_t iterations, struct player_answer *ret_answer);

#endif
