/* The tree of KR-UCT: search in continuous actions under execution noise, with kernel regression
 * over the shots (T. Yee, V. Lisy, M. Bowling, "Monte Carlo tree search in continuous action spaces
 * with execution uncertainty", IJCAI 2016; K. Lee, S.-A. Kim, J. Choi, S.-W. Lee, "Deep
 * reinforcement learning in continuous action spaces: a case study in the game of simulated
 * curling", ICML 2018, eq. 8 and 9).
 *
 * A node is a position with a stone to throw. It keeps intended shots and their kernel sums
 * (kernel.h). One iteration goes down from the root:
 *   1. A node that is entered for the first time gets its first shots: the root `init` of those
 *      that candidates_generate() finds, of all kinds (kr_pick()); later nodes, which are
 *      visited far less, the few shots between which play-outs choose (rollout_shots()).
 *   2. Choose the shot with the largest E[v|a] + c sqrt(log sum_b W(b) / W(a)); v is the worth of
 *      the end for whom is to throw, scaled to -1 … 1 (points / 8 if it plays for points).
 *   3. If widening * sqrt(visits) >= number of shots, add a shot instead: of `samples` shots drawn
 *      around the chosen one where K > tau, the one with the smallest W.
 *   4. The hand errs: what is executed is the shot plus noise, so a shot leads to many positions.
 *      Reading of "noisy transitions": a shot visited n times has at most
 *      ceil(outcomes * sqrt(n)) children, each the position after one noisy execution; beyond that
 *      the child visited least is entered again. Without that limit no child would ever be entered
 *      twice, and the tree would not look at replies. outcomes = 0 is the other reading, that of
 *      the KR-DL-UCT program: one child, executed without noise, which then only enters through
 *      the kernel. The last shot of the end is always executed anew: nothing follows it.
 *   5. From a new child play on by rollout.h for at most `rollout` shots, by default to the end of
 *      the end; the value is the score as it stands then.
 *   6. The value goes to the tried shot of every node on the way and, through the kernel, to that
 *      shot's neighbours.
 * At the end the player (kr_uct.c) takes the shot with the largest E[v|a] - c_final sqrt(log sum_b
 * W(b) / W(a)) (final=lcb, Yee), or with the largest W (final=visits, Lee). */
#ifndef RINKD_WORKERS_SEARCH_KR_TREE_H
#define RINKD_WORKERS_SEARCH_KR_TREE_H

#include "workers/search/kr_answer.h"
#include "workers/search/rollout.h"

/* The settings of the player, in its order. */
enum kr_setting {
    KR_SIMULATIONS,
    KR_C,
    KR_C_FINAL,
    KR_TAU,
    KR_SAMPLES,
    KR_WIDENING,
    KR_INIT,
    KR_OUTCOMES,
    KR_ROLLOUT,
    KR_HIT,
    KR_GUARD,
    KR_FINAL,
    KR_OBJECTIVE,
    KR_MEMORY,
    KR_SETTINGS
};

/* The positions that a shot led to. */
struct kr_branch {
    struct kr_node *first; /* linked by node->sibling */
    int outcomes;
};

struct kr_node {
    struct position position;
    int shot;       /* number of the next one in the end */
    int64_t visits; /* from above */
    bool entered;   /* has its first shots */
    struct kr_node *sibling;
    struct kernel_set shots;
    struct kr_branch *branch; /* one a shot */
    int branches;             /* room for so many */
};

struct kr_tree {
    const struct player_query *query;
    const double *set;
    const struct rules *rules;
    bool team0_has_hammer;
    enum seat seat; /* of the side to move at the root */
    struct objective objective;
    double middle, half_range; /* of its worths */
    struct rollout rollout;
    struct random_key planning, choice;
    uint64_t plans, choices; /* random samples used up */

    struct kr_node root;
    struct kr_root_shot *root_shot; /* one a shot of the root */
    int root_shots;                 /* room for so many */
    int64_t throws, throw_limit;    /* limit 0: none */
    int64_t iterations;
    size_t bytes, bytes_limit; /* of the tree */
};

/* A tree with the first shots of the root. `query` and `set` (KR_SETTINGS values) are borrowed
 * until kr_tree_clear(). PLAYER_OK, else PLAYER_NO_MEMORY: then there is nothing to clear. */
enum player_status kr_tree_start(const struct player_query *query, const double *set,
                                 struct kr_tree *ret_tree);

/* One iteration: at least one throw, never one above throw_limit if that is not reached yet.
 * PLAYER_OK or PLAYER_NO_MEMORY, after which only kr_tree_clear() makes sense. */
enum player_status kr_tree_iterate(struct kr_tree *tree);

/* Whether there are no throws left. */
bool kr_tree_is_used_up(const struct kr_tree *tree);

void kr_tree_clear(struct kr_tree *tree);

/* The shots that the root starts from: at most `most` (at most CANDIDATES_MAX) of the candidates,
 * the first of each kind, then the second of each kind, …; none that nearly does the same as one
 * before (K > 0.9). Writes their indices, returns how many. */
int kr_pick(const struct noise *noise, const struct candidate *candidates, int count, int most,
            int *ret_picked);

/* Of `samples` shots drawn around one where K > tau, the one with the smallest W in the set; false
 * when the ice allows none of them. *sample counts the random samples of the key that are used up.
 */
bool kr_least_known(const struct player_query *query, const struct kernel_set *shots,
                    const struct kernel *around, double tau, int samples,
                    const struct random_key *key, uint64_t *sample, struct shot *ret_shot);

/* Whether a node whose shots have been tried `visits` times in all has too few of them. */
bool kr_widens(double widening, double visits, int shots);

#endif
