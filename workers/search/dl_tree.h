/* The tree of DL-UCT and KR-DL-UCT: search guided by a policy network, which proposes shots and
 * values positions (K. Lee, S.-A. Kim, J. Choi, S.-W. Lee, "Deep reinforcement learning in
 * continuous action spaces: a case study in the game of simulated curling", ICML 2018, algorithm
 * 1).
 *
 * A node is a position with a stone to throw. Its first shots are the `init` likeliest actions of
 * the policy. One iteration goes down from the root:
 *   1. KR-DL-UCT chooses the shot with the largest E[v|a] + c sqrt(log sum_b W(b) / W(a)), the sums
 *      of kernel.h over the node's shots; shots of which nothing is known first, the likeliest
 *      before the others. If widening * sqrt(visits) >= number of shots a shot is added instead: of
 *      `samples` drawn around the chosen one where K > tau, the one with the smallest W.
 *      DL-UCT chooses the largest Q(a) + c P(a) sqrt(sum_b n_b) / (1 + n_a) (PUCT) among the
 *      actions, each of which knows of itself alone; one never tried has the network's value of the
 *      node for Q. P are the policy's chances among the node's shots.
 *   2. The chosen shot leads to positions as in kr_tree.h (`outcomes`; 0: one, without noise).
 *   3. A new position is valued by the 17 scores of the network, or of another one, see dl_value; a
 *      finished end by its score. The value goes to the tried shot of every node on the way, in
 *      KR-DL-UCT through the kernel to its neighbours.
 *
 * `batch` new positions are collected before the network is asked about all of them. Those on the
 * way count as lost until then, so that the next iterations look elsewhere; an iteration that would
 * enter a position that waits ends the collection. The order is fixed: the same query gives the
 * same answer whatever the number of threads; one is used. */
#ifndef RINKD_WORKERS_SEARCH_DL_TREE_H
#define RINKD_WORKERS_SEARCH_DL_TREE_H

#include "models/networks/end_value.h"
#include "workers/search/kr_answer.h"
#include "workers/search/policy_look.h"

/* The settings of both players, in their order; DL-UCT ends at DL_PLAIN_SETTINGS. */
enum dl_setting {
    DL_WEIGHTS,
    DL_SIMULATIONS,
    DL_C,
    DL_INIT,
    DL_TEMPERATURE,
    DL_MIRROR,
    DL_VALUE,
    DL_OUTCOMES,
    DL_OBJECTIVE,
    DL_BATCH,
    DL_MEMORY,
    DL_PLAIN_SETTINGS,
    DL_TAU = DL_PLAIN_SETTINGS,
    DL_SAMPLES,
    DL_WIDENING,
    DL_FINAL,
    DL_C_FINAL,
    DL_SETTINGS
};

/* Who values positions inside an end. */
enum dl_value {
    DL_VALUE_POLICY,  /* the scores of the policy's file */
    DL_VALUE_NETWORK, /* the shipped network of the ice (end_value.h) */
    DL_VALUE_COUNT    /* the score as if the end stopped there */
};

enum { DL_BATCH_MAX = 256, DL_INIT_MAX = 256 };

/* The positions that a shot led to. */
struct dl_branch {
    struct dl_node *first; /* linked by node->sibling */
    int outcomes;
    int pending; /* iterations through it whose value is not known yet */
    double prior;
};

struct dl_node {
    struct position position;
    int shot;                         /* number of the next one in the end */
    int64_t visits;                   /* from above */
    bool waits;                       /* for the network */
    bool entered;                     /* has its first shots */
    double value;                     /* by the network, for whom is to throw */
    struct policy_proposal *proposal; /* what the network said, until it is entered */
    int proposals;
    struct dl_node *sibling;
    struct kernel_set shots;
    struct dl_branch *branch; /* one a shot */
    int branches;             /* room for so many */
};

struct dl_step {
    struct dl_node *node;
    int shot;
};

/* An iteration whose value is not known yet. */
struct dl_leaf {
    struct dl_step path[POSITION_STONES];
    int steps;
    struct position position;    /* after the last step */
    int number;                  /* of the next shot in the end */
    struct dl_node *child;       /* that this became, NULL: none */
    float scores[POLICY_SCORES]; /* chances for sente */
    bool is_known;
};

struct dl_tree {
    const struct player_query *query;
    const double *set;
    bool has_kernel; /* KR-DL-UCT */
    struct policy *policy;
    const struct end_value *network; /* for DL_VALUE_NETWORK */
    const struct rules *rules;
    const struct shot *actions; /* the table */
    bool team0_has_hammer;
    enum seat seat; /* of the side to move at the root */
    struct objective objective;
    double middle, half_range; /* of its worths */
    struct random_key planning, choice;
    uint64_t plans, choices; /* random samples used up */

    struct dl_node root;
    struct kr_root_shot *root_shot; /* one a shot of the root */
    int root_shots;                 /* room for so many */
    int64_t throws, throw_limit;    /* limit 0: none */
    int64_t iterations, iteration_limit;
    size_t bytes, bytes_limit; /* of the tree */

    struct dl_leaf *leaf; /* [batch] */
    struct policy_look *look;
    struct position *position;
};

/* A tree with the first shots of the root. All is borrowed until dl_tree_clear(): the query, `set`
 * (DL_SETTINGS values; DL-UCT looks at the first DL_PLAIN_SETTINGS), the policy, and the network,
 * which is needed for DL_VALUE_NETWORK alone. PLAYER_OK; else nothing is to be cleared. */
enum player_status dl_tree_start(const struct player_query *query, const double *set,
                                 bool has_kernel, struct policy *policy,
                                 const struct end_value *network, struct dl_tree *ret_tree);

/* At most `batch` iterations, each of one throw: at least one, none above the limits unless
 * they are reached already. PLAYER_OK, or a failure after which only dl_tree_clear() makes sense.
 */
enum player_status dl_tree_step(struct dl_tree *tree);

/* Whether there are no throws left. */
bool dl_tree_is_used_up(const struct dl_tree *tree);

void dl_tree_clear(struct dl_tree *tree);

#endif
