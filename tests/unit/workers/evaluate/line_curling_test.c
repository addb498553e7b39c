/* Line curling: the rules by hand, and the values of backward induction that are known. */
#include "workers/evaluate/line_curling.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A state from a picture: 's' and 'g' are stones, '.' is an empty cell; cell -4 first. */
static int line(const char *picture)
{
    int state = 0;
    assert_int_equal(strlen(picture), LINE_CELLS);
    for (int cell = LINE_CELLS - 1; cell >= 0; cell--)
        state = 3 * state + (picture[cell] == 's' ? 1 : picture[cell] == 'g' ? 2 : 0);
    return state;
}

enum { DRAW = 0, HIT = LINE_CELLS, SHORT = 0, STRAIGHT = 1, LONG = 2 };

static void draws_stop_where_there_is_room(void **state)
{
    (void)state;
    /* On an empty line a draw stops where it is aimed, one lower or one higher. */
    assert_int_equal(line_play(0, SEAT_SENTE, DRAW + 4, STRAIGHT), line("....s...."));
    assert_int_equal(line_play(0, SEAT_SENTE, DRAW + 4, SHORT), line("...s....."));
    assert_int_equal(line_play(0, SEAT_GOTE, DRAW + 4, LONG), line(".....g..."));
    /* Slipped off either end it is lost. */
    assert_int_equal(line_play(0, SEAT_SENTE, DRAW + 0, SHORT), 0);
    assert_int_equal(line_play(0, SEAT_SENTE, DRAW + 8, LONG), 0);
    /* A stone in the way: one cell lower, if that is free and on the line. */
    assert_int_equal(line_play(line("....s...."), SEAT_GOTE, DRAW + 4, STRAIGHT),
                     line("...gs...."));
    assert_int_equal(line_play(line("...gs...."), SEAT_GOTE, DRAW + 4, STRAIGHT),
                     line("...gs...."));
    assert_int_equal(line_play(line("s........"), SEAT_GOTE, DRAW + 0, STRAIGHT),
                     line("s........"));
}

static void hits_take_the_place_of_what_they_hit(void **state)
{
    (void)state;
    assert_int_equal(line_play(line("....s...."), SEAT_GOTE, HIT + 4, STRAIGHT), line("....g...."));
    assert_int_equal(line_play(line("....s...."), SEAT_GOTE, HIT + 3, LONG), line("....g...."));
    /* An own stone is replaced by an own stone. */
    assert_int_equal(line_play(line("....s...."), SEAT_SENTE, HIT + 4, STRAIGHT),
                     line("....s...."));
    /* A miss goes through, and so does one beyond the end. */
    assert_int_equal(line_play(line("....s...."), SEAT_GOTE, HIT + 4, LONG), line("....s...."));
    assert_int_equal(line_play(line("........s"), SEAT_GOTE, HIT + 8, LONG), line("........s"));
}

static void the_nearest_side_counts_what_is_nearer(void **state)
{
    (void)state;
    assert_int_equal(line_score(0), 0);
    assert_int_equal(line_score(line("....s...g")), 1);
    assert_int_equal(line_score(line("..gsss..g")), 3);
    assert_int_equal(line_score(line("..g.s.s.g")), 1); /* one of both at distance 2 */
    assert_int_equal(line_score(line("..s...g..")), 0);
    assert_int_equal(line_score(line("g..s...gg")), 1);
    assert_int_equal(line_score(line("ggg.....g")), -4);
    assert_int_equal(line_score(line("s..gg...s")), -2);
}

/* The table of the design, whose numbers came from another program. */
static const struct {
    double optimum; /* of gote */
    double uniform[2], greedy[2];
} known[LINE_STONES_MAX] = {
    {.25, {.888888889, .777777778}, {1.0, -.25}},
    {.3671875, {1.630208333, 1.436149691}, {.972656250, -.355468750}},
    {.551757812, {2.228328584, 1.923846879}, {.993652344, -.505371094}},
    {.637023926, {2.711883024, 2.287417017}, {1.036560059, -.533752441}},
};

#define DIGITS 6e-10 /* the table has nine places after the point */

static void backward_induction_gives_the_known_values(void **state)
{
    (void)state;
    for (int stones = 1; stones <= LINE_STONES_MAX; stones++) {
        const struct line_side best[2] = {{NULL, NULL}, {NULL, NULL}};
        struct line_solver *solver = line_solver_new(stones, best);
        assert_non_null(solver);
        assert_true(fabs(-line_solver_value(solver, 0, 0) - known[stones - 1].optimum) < DIGITS);
        for (int seat = 0; seat < 2; seat++) {
            double e;
            assert_int_equal(line_exploitability(stones, (enum seat)seat,
                                                 (struct line_side){line_uniform, NULL}, &e),
                             EXPLOITABILITY_OK);
            assert_true(fabs(e - known[stones - 1].uniform[seat]) < DIGITS);
            assert_int_equal(line_exploitability(stones, (enum seat)seat,
                                                 (struct line_side){line_greedy, NULL}, &e),
                             EXPLOITABILITY_OK);
            assert_true(fabs(e - known[stones - 1].greedy[seat]) < DIGITS);
            /* Nobody wins anything against optimal play but the value of the end. */
            assert_int_equal(line_exploitability(stones, (enum seat)seat,
                                                 (struct line_side){line_best, solver}, &e),
                             EXPLOITABILITY_OK);
            double value =
                seat == SEAT_SENTE ? known[stones - 1].optimum : -known[stones - 1].optimum;
            assert_true(fabs(e - value) < DIGITS);
        }
        line_solver_free(solver);
    }
}

/* Nothing is won from who does not say what he plays: neither at the first shot, nor later on. */
static void mute_at(void *context, int shot, int state, double ret_p[LINE_ACTIONS])
{
    const int *at = context;
    line_uniform(NULL, shot, state, ret_p);
    if (shot == *at)
        ret_p[3] = NAN;
}

static void a_policy_without_probabilities_is_an_error(void **state)
{
    (void)state;
    const double evenly[] = {0.5, 0.5}, negative[] = {1.5, -0.5}, less[] = {0.5, 0.25};
    assert_true(line_are_probabilities(evenly, 2));
    assert_false(line_are_probabilities(negative, 2));
    assert_false(line_are_probabilities(less, 2));
    for (int at = 0; at < 2 * LINE_STONES_MAX; at++) {
        double e = -9.0;
        assert_int_equal(line_exploitability(LINE_STONES_MAX, seat_of_stone(at),
                                             (struct line_side){mute_at, &at}, &e),
                         EXPLOITABILITY_FAILED);
        assert_true(e == -9.0);
    }
}

/* The mirror of what one side wins is what the other loses: uniform against uniform, by playing
 * out all ends of one stone a side by hand. */
static void value_of_two_policies_is_the_mean_over_all_ends(void **state)
{
    (void)state;
    const struct line_side sides[2] = {{line_uniform, NULL}, {line_greedy, NULL}};
    struct line_solver *solver = line_solver_new(1, sides);
    assert_non_null(solver);
    double mean = 0.0;
    for (int a = 0; a < LINE_ACTIONS; a++)
        for (int slip = 0; slip < LINE_SLIPS; slip++) {
            int after = line_play(0, SEAT_SENTE, a, slip);
            double p[LINE_ACTIONS];
            line_greedy(NULL, 1, after, p);
            for (int b = 0; b < LINE_ACTIONS; b++)
                for (int slip2 = 0; slip2 < LINE_SLIPS; slip2++)
                    mean += line_slip_probability[slip] / LINE_ACTIONS * p[b] *
                            line_slip_probability[slip2] *
                            line_score(line_play(after, SEAT_GOTE, b, slip2));
        }
    assert_true(mean < -0.5);
    assert_true(fabs(line_solver_value(solver, 0, 0) - mean) < 1e-12);
    line_solver_free(solver);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(draws_stop_where_there_is_room),
        cmocka_unit_test(hits_take_the_place_of_what_they_hit),
        cmocka_unit_test(the_nearest_side_counts_what_is_nearer),
        cmocka_unit_test(backward_induction_gives_the_known_values),
        cmocka_unit_test(a_policy_without_probabilities_is_an_error),
        cmocka_unit_test(value_of_two_policies_is_the_mean_over_all_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
