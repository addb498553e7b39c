/* Line curling: its rules, and backward induction over the states that can be reached. */
#include "workers/evaluate/line_curling.h"

#include <math.h>
#include <stdlib.h>

const double line_slip_probability[LINE_SLIPS] = {0.25, 0.5, 0.25};

/* Values that differ by less are equal: sums of quarters are exact or nearly so, thirds are not. */
#define EQUAL 1e-12

static const int digit[LINE_CELLS] = {1, 3, 9, 27, 81, 243, 729, 2187, 6561};

static int stone_at(int state, int cell)
{
    return state / digit[cell] % 3;
}

int line_play(int state, enum seat seat, int action, int slip)
{
    int stone = seat == SEAT_SENTE ? 1 : 2;
    int cell = action % LINE_CELLS + slip - 1;
    if (cell < 0 || cell >= LINE_CELLS)
        return state;
    int there = stone_at(state, cell);
    if (action >= LINE_CELLS) /* a hit */
        return there ? state + (stone - there) * digit[cell] : state;
    if (there && (--cell < 0 || stone_at(state, cell)))
        return state;
    return state + stone * digit[cell];
}

int line_score(int state)
{
    int count[2] = {0, 0}; /* stones of each seat out to the ring looked at */
    for (int ring = 0; ring <= LINE_TEE; ring++) {
        int before[2] = {count[0], count[1]};
        for (int side = ring ? -1 : 1; side <= 1; side += 2) {
            int there = stone_at(state, LINE_TEE + side * ring);
            if (there)
                count[there - 1]++;
        }
        if (count[0] && count[1]) /* the first ring that has stones of the second seat */
            return before[0] - before[1];
    }
    return count[0] - count[1];
}

static double sign_of(enum seat seat)
{
    return seat == SEAT_SENTE ? 1.0 : -1.0;
}

/* All of the probability on the largest value, the first of equals. */
static void choose_largest(const double value[LINE_ACTIONS], double ret_p[LINE_ACTIONS])
{
    int best = 0;
    for (int a = 0; a < LINE_ACTIONS; a++) {
        ret_p[a] = 0.0;
        if (value[a] > value[best] + EQUAL)
            best = a;
    }
    ret_p[best] = 1.0;
}

bool line_are_probabilities(const double *p, int count)
{
    double sum = 0.0;
    for (int k = 0; k < count; k++) {
        if (!(p[k] >= 0.0)) /* also what is not a number */
            return false;
        sum += p[k];
    }
    return fabs(sum - 1.0) < 1e-6;
}

void line_uniform(void *context, int shot, int state, double ret_p[LINE_ACTIONS])
{
    (void)context, (void)shot, (void)state;
    for (int a = 0; a < LINE_ACTIONS; a++)
        ret_p[a] = 1.0 / LINE_ACTIONS;
}

void line_greedy(void *context, int shot, int state, double ret_p[LINE_ACTIONS])
{
    (void)context;
    enum seat seat = seat_of_stone(shot);
    double value[LINE_ACTIONS];
    for (int a = 0; a < LINE_ACTIONS; a++) {
        value[a] = 0.0;
        for (int slip = 0; slip < LINE_SLIPS; slip++)
            value[a] += sign_of(seat) * line_slip_probability[slip] *
                        line_score(line_play(state, seat, a, slip));
    }
    choose_largest(value, ret_p);
}

struct line_solver {
    int shots;
    struct line_side sides[2];
    bool failed;                                        /* a policy could not choose */
    double value[2 * LINE_STONES_MAX + 1][LINE_STATES]; /* before each shot; NAN: not known yet */
};

struct line_solver *line_solver_new(int stones, const struct line_side sides[2])
{
    struct line_solver *solver = malloc(sizeof *solver);
    if (!solver)
        return NULL;
    solver->shots = 2 * stones;
    solver->failed = false;
    for (int seat = 0; seat < 2; seat++)
        solver->sides[seat] = sides[seat];
    for (int shot = 0; shot <= solver->shots; shot++)
        for (int state = 0; state < LINE_STATES; state++)
            solver->value[shot][state] = NAN;
    return solver;
}

void line_solver_free(struct line_solver *solver)
{
    free(solver);
}

/* Expected score after an action, positive for sente. */
static double value_of_action(struct line_solver *solver, int shot, int state, int action)
{
    double value = 0.0;
    for (int slip = 0; slip < LINE_SLIPS; slip++)
        value += line_slip_probability[slip] *
                 line_solver_value(solver, shot + 1,
                                   line_play(state, seat_of_stone(shot), action, slip));
    return value;
}

double line_solver_value(struct line_solver *solver, int shot, int state)
{
    double *known = &solver->value[shot][state];
    if (solver->failed || !isnan(*known))
        return solver->failed ? (double)NAN : *known;

    enum seat seat = seat_of_stone(shot);
    const struct line_side *side = &solver->sides[seat];
    double value = 0.0;
    if (shot == solver->shots) {
        value = line_score(state);
    } else if (side->policy) {
        double p[LINE_ACTIONS];
        side->policy(side->context, shot, state, p);
        solver->failed |= !line_are_probabilities(p, LINE_ACTIONS);
        for (int a = 0; a < LINE_ACTIONS; a++)
            if (p[a] > 0.0)
                value += p[a] * value_of_action(solver, shot, state, a);
    } else {
        value = -INFINITY;
        for (int a = 0; a < LINE_ACTIONS; a++)
            value = fmax(value, sign_of(seat) * value_of_action(solver, shot, state, a));
        value *= sign_of(seat);
    }
    if (solver->failed)
        return (double)NAN;
    *known = value;
    return value;
}

void line_best(void *context, int shot, int state, double ret_p[LINE_ACTIONS])
{
    double value[LINE_ACTIONS];
    for (int a = 0; a < LINE_ACTIONS; a++)
        value[a] = sign_of(seat_of_stone(shot)) * value_of_action(context, shot, state, a);
    choose_largest(value, ret_p);
}

enum exploitability_status line_exploitability(int stones, enum seat seat, struct line_side policy,
                                               double *ret_exploitability)
{
    struct line_side sides[2] = {{NULL, NULL}, {NULL, NULL}};
    sides[seat] = policy;
    struct line_solver *solver = line_solver_new(stones, sides);
    if (!solver)
        return EXPLOITABILITY_NO_MEMORY;
    double value = line_solver_value(solver, 0, 0);
    line_solver_free(solver);
    if (isnan(value))
        return EXPLOITABILITY_FAILED;
    *ret_exploitability = -sign_of(seat) * value;
    return EXPLOITABILITY_OK;
}
