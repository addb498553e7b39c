/* The searches DL-UCT and KR-DL-UCT: the tree of kr_tree.h guided by a policy network, which
 * proposes shots and values positions (K. Lee, S.-A. Kim, J. Choi, S.-W. Lee, "Deep reinforcement
 * learning in continuous action spaces: a case study in the game of simulated curling", ICML 2018,
 * algorithm 1).
 *
 * A node's first shots are the `init` likeliest actions of the policy, the likeliest before the
 * others. With a kernel (KR-DL-UCT) all goes on as in kr_tree.h. Without one (DL-UCT) nothing is
 * added to them, and the one with the largest Q(a) + c P(a) sqrt(sum_b n_b) / (1 + n_a) (PUCT) is
 * chosen: each knows of itself alone, and one never tried has the network's value of the node for
 * Q. P are the policy's chances among the node's shots.
 *
 * A new position is valued by the 17 scores of a network, see dl_value; a finished end by its
 * score. A full tree throws again where it would have to enter a position.
 *
 * `batch` new positions are collected before the network is asked about all of them. Those on the
 * way count as lost until then, so that the next iterations look elsewhere; an iteration that would
 * enter a position that waits ends the collection. The order is fixed: the same query gives the
 * same answer whatever the number of threads; one is used. */
#ifndef RINKD_WORKERS_SEARCH_TREE_DL_SEARCH_H
#define RINKD_WORKERS_SEARCH_TREE_DL_SEARCH_H

#include "models/networks/end_value.h"
#include "workers/search/policy/policy_look.h"
#include "workers/search/tree/kr_answer.h"

/* Who values positions inside an end. */
enum dl_value {
    DL_VALUE_NETWORK, /* the shipped network of the ice (end_value.h) */
    DL_VALUE_POLICY,  /* the scores of the policy's file */
    DL_VALUE_COUNT    /* the score as if the end stopped there */
};

enum { DL_BATCH_MAX = 256, DL_INIT_MAX = 256 };

struct dl_settings {
    struct kr_settings tree; /* with priors */
    int init;                /* at most DL_INIT_MAX */
    double temperature;      /* of policy_look() */
    bool mirror;             /* likewise */
    enum dl_value value;
    const struct end_value *network; /* for DL_VALUE_NETWORK */
    int batch;                       /* at most DL_BATCH_MAX */
};

/* The answer of a player with these settings that was asked at `start_s` (clock_now_s()).
 * PLAYER_OK, PLAYER_NO_MEMORY, or PLAYER_FAILED if the policy fails. */
enum player_status dl_search(const struct player_query *query, const struct dl_settings *set,
                             struct policy *policy, double start_s,
                             struct player_answer *ret_answer);

#endif
