/* The tree of the searches with kernel regression, for continuous actions under execution noise (T.
 * Yee, V. Lisy, M. Bowling, "Monte Carlo tree search in continuous action spaces with execution
 * uncertainty", IJCAI 2016; K. Lee, S.-A. Kim, J. Choi, S.-W. Lee, "Deep reinforcement learning in
 * continuous action spaces: a case study in the game of simulated curling", ICML 2018, eq. 8 and
 * 9).
 *
 * A node is a position with a stone to throw. It keeps intended shots and their kernel sums
 * (kernel.h). One iteration, from the root down:
 *
 * - kr_tree_select() picks the shot with the largest E[v|a] + c sqrt(log sum_b W(b) / W(a)), where
 * v is the worth of the end for the side to throw, scaled to -1 … 1 (points / 8 if it plays for
 * points). Unvisited shots come first, in their order.
 *
 * - kr_tree_widen() adds a shot instead if widening * sqrt(visits) >= number of shots: it draws
 * `samples` shots around the chosen one where K > tau, and adds the one with the smallest W.
 *
 * - kr_tree_next() picks the child. The executed shot is the intended one plus noise, so a shot
 * leads to many positions. A shot visited n times has at most ceil(outcomes * sqrt(n)) children,
 * each the position after one noisy execution; beyond that the child with the fewest visits is
 * entered again. This is one reading of "noisy transitions"; without the limit every child would be
 * entered only once, and the tree would not look at replies. outcomes = 0 is the other reading,
 * that of the KR-DL-UCT program: one child, executed without noise, which then only enters through
 * the kernel. The last shot of the end is always executed anew: nothing follows it.
 *
 * - kr_tree_execute() throws the shot if there is no such child: a new position.
 *
 * - kr_tree_record() adds the value of that position to the tried shot of every node on the way
 * and, through the kernel, to that shot's neighbours.
 *
 * The players choose the first shots of a node and the value of a new position: kr_uct.c,
 * dl_search.h. At the end they play the shot with the largest E[v|a] - c_final sqrt(log sum_b W(b)
 * / W(a)) (final=lcb, Yee), or with the largest W (final=visits, Lee): kr_answer.c. */
#ifndef RINKD_WORKERS_SEARCH_TREE_KR_TREE_H
#define RINKD_WORKERS_SEARCH_TREE_KR_TREE_H

#include "workers/search/player/player.h"
#include "workers/search/shots/kernel.h"

struct kr_settings {
    int64_t iterations; /* used when the query has no limits */
    int64_t bound;      /* of iterations for a query with a limit of time; 0: none */
    bool has_kernel;    /* results of a shot count for its neighbours, too */
    bool has_priors;    /* shots come with a prior */
    double c, tau, widening, outcomes;
    int samples;
    enum objective_kind objective;
    const struct win_table *table; /* NULL: that of the profile; needed only by kr_tree_start() */
    double c_final;                /* shots are ranked by E - c_final sqrt(log sum W / W) … */
    bool by_weight;                /* … or by W */
    int memory_mb;
};

/* The positions that followed a shot. */
struct kr_branch {
    struct kr_node *first; /* linked by node->sibling */
    int outcomes;
    int pending; /* unfinished iterations through it; they count as lost until valued */
};

/* A node; the first member of a player's own kind of node. A new node is all zero. */
struct kr_node {
    struct position position;
    int shot;       /* number of the next shot in the end */
    int branches;   /* capacity of `branch` and `prior` */
    int64_t visits; /* iterations that entered it */
    bool entered;   /* has its first shots */
    struct kr_node *sibling;
    struct kernel_set shots;
    struct kr_branch *branch; /* one per shot */
    double *prior;            /* likewise; NULL without priors */
};

/* Data that only the root's shots have. */
struct kr_root_shot {
    struct candidate candidate;
    double scores[OBJECTIVE_SCORES]; /* how often each score came, for the side to move */
    int64_t throws, successes;
};

struct kr_tree {
    const struct player_query *query;
    struct kr_settings set;
    const struct rules *rules;
    bool team0_has_hammer;
    enum seat seat; /* the side to move at the root */
    struct objective objective;
    double middle, half_range; /* value = (worth - middle) / half_range */
    struct random_key planning, choice;
    uint64_t plans, choices; /* random samples used up */

    size_t node_size;
    struct kr_node *root;
    struct kr_root_shot *root_shot;      /* one per shot of the root */
    int64_t throws, throw_limit;         /* limit 0: none */
    int64_t iterations, iteration_limit; /* likewise; the players count them */
    size_t bytes, bytes_limit;           /* of the tree */
};

/* The path from the root to a position that needs a value. */
struct kr_leaf {
    struct {
        struct kr_node *node;
        int shot;
    } step[POSITION_STONES];
    int steps;
    struct position position; /* after the last step */
    int number;               /* of the next shot in the end */
    struct kr_node *child;    /* the position's node in the tree; NULL: none */
};

/* Starts a tree whose root has no shots; nodes take `node_size` bytes. Borrows the query until
 * kr_tree_clear(). Returns PLAYER_OK, or PLAYER_NO_MEMORY with nothing to clear. */
enum player_status kr_tree_start(const struct player_query *query, const struct kr_settings *set,
                                 size_t node_size, struct kr_tree *ret_tree);
void kr_tree_clear(struct kr_tree *tree); /* a zeroed tree is fine */

/* True if the throws or iterations are used up. */
bool kr_tree_is_used_up(const struct kr_tree *tree);

/* True if the tree has reached its size limit. */
bool kr_tree_is_full(const struct kr_tree *tree);

/* If one of the following returns PLAYER_NO_MEMORY, only kr_tree_clear() may follow. */

/* Appends a shot to a node; the root also keeps the candidate. Uses the prior if the tree has
 * priors. PLAYER_OK or PLAYER_NO_MEMORY. */
enum player_status kr_tree_add_shot(struct kr_tree *tree, struct kr_node *node,
                                    const struct candidate *candidate, double prior);

/* Returns the statistics of a shot with virtual loss; W may be 0. */
static inline struct kernel_point kr_node_known(const struct kr_node *node, int shot)
{
    struct kernel_point point = node->shots.point[shot];
    point.visits += node->branch[shot].pending;
    point.weight += node->branch[shot].pending;
    point.weighted_value -= node->branch[shot].pending;
    return point;
}

/* Returns the visits of all shots of a node, unfinished ones included. */
double kr_node_visits(const struct kr_node *node);

/* Returns the index of the shot to visit next; 0 without one. */
int kr_tree_select(const struct kr_tree *tree, const struct kr_node *node);

/* Adds the least known shot around shot *chosen if the node has too few shots for `visits` visits;
 * *chosen becomes the new shot, which inherits the prior. Adds nothing where the ice allows no such
 * shot. PLAYER_OK or PLAYER_NO_MEMORY. */
enum player_status kr_tree_widen(struct kr_tree *tree, struct kr_node *node, double visits,
                                 int *chosen);

/* Returns the child to enter after a shot of a node; NULL: the shot must be executed. */
struct kr_node *kr_tree_next(const struct kr_tree *tree, const struct kr_node *node, int shot);

/* Simulates one throw, with or without noise, and returns the position from which play goes on;
 * *ret_settled may be *before. Counts as a throw of the tree. */
void kr_tree_throw(struct kr_tree *tree, const struct position *before, int number,
                   struct shot shot, bool noisy, struct throw_result *ret_result,
                   struct position *ret_settled);

/* Executes the last step of a leaf and sets its position; adds a child unless the end is over or
 * the tree full. PLAYER_OK or PLAYER_NO_MEMORY. */
enum player_status kr_tree_execute(struct kr_tree *tree, struct kr_leaf *leaf);

/* Returns the worth of an end (tree->objective) as a value for the side that throws shot
 * `number`. */
double kr_tree_value(const struct kr_tree *tree, double worth, int number);

/* Counts one visit of the leaf and of every node on the path to it, with this worth. */
void kr_tree_record(struct kr_tree *tree, const struct kr_leaf *leaf, double worth);

/* Picks at most `most` (at most CANDIDATES_MAX) of the candidates: the first of each kind, then the
 * second of each kind, and so on, without shots that nearly repeat an earlier one (K > 0.9). Writes
 * their indices, returns how many. */
int kr_pick(const struct noise *noise, const struct candidate *candidates, int count, int most,
            int *ret_picked);

/* --- the loop of a search, and its answer: kr_answer.c --- */

/* Runs some iterations of a player: at least one, and none beyond the limits unless they are
 * already reached. PLAYER_OK, or a failure after which only kr_tree_clear() may be called. */
typedef enum player_status kr_step(struct kr_tree *tree);

/* Steps until the limits of the query (without any: the iterations of the settings) are reached or
 * the query is cancelled, reporting in between; then writes the answer. `start_s` (clock_now_s()):
 * when the query arrived. Returns PLAYER_OK, PLAYER_NO_MEMORY or the failure of `step`. */
enum player_status kr_search(struct kr_tree *tree, kr_step *step, double start_s,
                             struct player_answer *ret_answer);

#endif
