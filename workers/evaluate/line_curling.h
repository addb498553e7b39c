/* Line curling: a toy with the structure of curling that can be solved exactly.
 *
 * The sheet is a line of nine cells, -4 … 4, with the tee at 0. Each side has N stones; sente
 * throws first and gote last. A throw is a draw or a hit at one of the nine cells and slips by
 * -1, 0 or +1 cells with probability 1/4, 1/2, 1/4; off the line it is lost. A draw onto an
 * occupied cell stops one cell lower if that is free and is lost otherwise; a hit takes the place
 * of the stone that it removes, and goes through an empty cell. The side with the nearest stone
 * scores its stones that are nearer than the other side's nearest; equally near, nobody scores.
 *
 * Perfect information, chance and at most 8 throws: backward induction gives the value of any pair
 * of policies, best responses and the optimum without error. That makes it the yardstick for
 * rewards, for learning and for the measurement of exploitability. */
#ifndef RINKD_WORKERS_EVALUATE_LINE_CURLING_H
#define RINKD_WORKERS_EVALUATE_LINE_CURLING_H

#include "models/game/position.h"
#include "workers/evaluate/exploitability.h"

enum {
    LINE_CELLS = 9,
    LINE_TEE = 4,        /* its cell, counted from 0 */
    LINE_STATES = 19683, /* 3 to the power of the cells */
    LINE_ACTIONS = 18,   /* draws at cell 0 … 8, then hits at cell 0 … 8 */
    LINE_SLIPS = 3,      /* slip number k moves the throw by k - 1 cells */
    LINE_STONES_MAX = 4  /* of a side */
};

/* A state is a number in base 3 with one digit for each cell, the lowest first: 0 empty, 1 a stone
 * of sente, 2 a stone of gote. 0 is the empty line. */

/* Probabilities of the slips. */
extern const double line_slip_probability[LINE_SLIPS];

/* The state after `seat` has thrown `action` and it slipped. */
int line_play(int state, enum seat seat, int action, int slip);

/* Points if the end stopped now, positive for sente. */
int line_score(int state);

/* A policy: the probabilities of the actions before shot number `shot` (even: sente's). What are
 * none (line_are_probabilities()) says that it could not choose. */
typedef void line_policy(void *context, int shot, int state, double ret_p[LINE_ACTIONS]);

/* Whether `count` numbers are probabilities: none is negative or no number, their sum is 1. */
bool line_are_probabilities(const double *p, int count);

/* All actions alike. Context: not used. */
line_policy line_uniform;
/* The action after which the end, stopped at once, is expected to be worth most for the mover; the
 * first of equals. Context: not used. */
line_policy line_greedy;
/* The move with the best value in a solver, the first of equals. Context: the struct line_solver.
 */
line_policy line_best;

/* Who plays a seat. policy NULL: plays as well as can be against the other seat. */
struct line_side {
    line_policy *policy;
    void *context;
};

/* The values of all states that the two sides can reach, computed when first asked for; for one
 * thread at a time. */
struct line_solver;

/* `stones` of each side, 1 … LINE_STONES_MAX; sides[seat] plays that seat, their contexts must
 * outlive the solver. NULL: no memory. The caller frees it with line_solver_free(). */
struct line_solver *line_solver_new(int stones, const struct line_side sides[2]);
void line_solver_free(struct line_solver *solver); /* NULL is fine */

/* Expected score of the end, positive for sente, from `state` before shot number `shot` (0 … 2
 * stones). line_solver_value(solver, 0, 0) is that of the end. NAN: a policy could not choose. */
double line_solver_value(struct line_solver *solver, int shot, int state);

/* What the best response to a policy gains when the policy plays `seat`, in points of an end:
 *     e(sente) = max_b E[score(gote b) - score(policy)], e(gote) likewise.
 * The sum of both is at least 0, and 0 for optimal play. EXPLOITABILITY_OK, _NO_MEMORY or _FAILED:
 * the policy could not choose. */
enum exploitability_status line_exploitability(int stones, enum seat seat, struct line_side policy,
                                               double *ret_exploitability);

#endif
