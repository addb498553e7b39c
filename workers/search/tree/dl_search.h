/* The searches DL-UCT and KR-DL-UCT: the tree of kr_tree.h guided by a policy network, which
 * proposes shots and values positions (K. Lee, S.-A. Kim, J. Choi, S.-W. Lee, "Deep reinforcement
 * learning in continuous action spaces: a case study in the game of simulated curling", ICML 2018,
 * algorithm 1).
 *
 * A node's first shots are the `init` likeliest actions of the policy, the likeliest first. With a
 * kernel (KR-DL-UCT) the search is that of kr_tree.h. Without one (DL-UCT) no shots are added, and
 * the shot with the largest Q(a) + c P(a) sqrt(sum_b n_b) / (1 + n_a) (PUCT) is chosen. There shots
 * share no information; the Q of an unvisited shot is the network's value of the node. P(a) is the
 * policy's probability of shot a among the node's shots.
 *
 * A network values a new position by the probabilities of 17 scores, see dl_value; a finished end
 * is worth its score. A full tree throws again where it would have to enter a position.
 *
 * The search collects `batch` new positions, then the network evaluates all of them. Until then
 * they count as lost, so that the next iterations look elsewhere; an iteration that would enter a
 * waiting position ends the collection. The order is fixed and there is one thread, so the same
 * query gives the same answer for any number of threads. */
#ifndef RINKD_WORKERS_SEARCH_TREE_DL_SEARCH_H
#define RINKD_WORKERS_SEARCH_TREE_DL_SEARCH_H

#include "models/networks/end_value.h"
#include "workers/search/policy/policy_look.h"
#include "workers/search/tree/kr_tree.h"

/* The source of values for positions inside an end. */
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
    bool mirror;             /* of policy_look(), too */
    enum dl_value value;
    const struct end_value *network; /* for DL_VALUE_NETWORK */
    int batch;                       /* at most DL_BATCH_MAX */
};

/* Answers a query that arrived at `start_s` (clock_now_s()) with these settings. Returns PLAYER_OK,
 * PLAYER_NO_MEMORY, or PLAYER_FAILED if the policy fails. */
enum player_status dl_search(const struct player_query *query, const struct dl_settings *set,
                             struct policy *policy, double start_s,
                             struct player_answer *ret_answer);

#endif
