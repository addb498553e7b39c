/* The line of waiting queries: who is served next, and who loses a place. */
#include "service/shots/fair_line.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void join(struct fair_line *line, struct fair_place *place, const char *name)
{
    assert_int_equal(fair_line_join(line, place, name), API_OK);
}

/* Checks that this place is next, and serves it to its end. */
static void assert_serves(struct fair_line *line, struct fair_place *place)
{
    assert_ptr_equal(fair_line_first(line), place);
    fair_line_serve(line, place);
    fair_line_leave(line, place);
}

static void assert_is_empty(const struct fair_line *line)
{
    assert_null(fair_line_first(line));
    assert_null(fair_line_walk(line, NULL));
    assert_null(LIST_FIRST(&line->callers));
    assert_int_equal(line->waiting, 0);
}

static void callers_take_turns(void **state)
{
    struct fair_line line = {.waiting = 0};
    struct fair_place ann[3] = {0}, bob[2] = {0}, eve[1] = {0};

    (void)state;
    for (int k = 0; k < 3; k++)
        join(&line, &ann[k], "ann");
    for (int k = 0; k < 2; k++)
        join(&line, &bob[k], "bob");
    join(&line, &eve[0], "eve");
    assert_int_equal(line.waiting, 6);
    assert_serves(&line, &ann[0]);
    assert_serves(&line, &bob[0]);
    assert_serves(&line, &eve[0]);
    assert_serves(&line, &ann[1]);
    assert_serves(&line, &bob[1]);
    assert_serves(&line, &ann[2]);
    assert_is_empty(&line);
}

static void the_caller_served_least_is_next(void **state)
{
    struct fair_line line = {.waiting = 0};
    struct fair_place ann[3] = {0}, bob[2] = {0};

    (void)state;
    for (int k = 0; k < 3; k++)
        join(&line, &ann[k], "ann");
    fair_line_serve(&line, &ann[0]);
    fair_line_serve(&line, &ann[1]);
    join(&line, &bob[0], "bob");
    join(&line, &bob[1], "bob");
    fair_line_serve(&line, &bob[0]);
    assert_ptr_equal(fair_line_first(&line), &bob[1]); /* one of bob's is served, two of ann's */
    fair_line_leave(&line, &ann[0]);
    fair_line_leave(&line, &ann[1]);
    assert_ptr_equal(fair_line_first(&line), &ann[2]);
    fair_line_leave(&line, &ann[2]);
    fair_line_leave(&line, &bob[0]);
    fair_line_leave(&line, &bob[1]);
    fair_line_leave(&line, &bob[1]); /* leaving twice has no effect */
    assert_is_empty(&line);
}

/* Two callers with one question each at all times must not keep a third one out. */
static void rejoining_callers_gain_nothing(void **state)
{
    struct fair_line line = {.waiting = 0};
    struct fair_place patient[2] = {0}, one = {0}, other = {0};
    int served = 0;

    (void)state;
    join(&line, &patient[0], "ann");
    join(&line, &patient[1], "ann");
    join(&line, &one, "bob");
    join(&line, &other, "eve");
    for (int k = 0; k < 6; k++) {
        struct fair_place *first = fair_line_first(&line);
        assert_non_null(first);
        fair_line_serve(&line, first);
        fair_line_leave(&line, first);
        if (first == &one)
            join(&line, &one, "bob");
        else if (first == &other)
            join(&line, &other, "eve");
        else
            served++;
    }
    assert_int_equal(served, 2);
    fair_line_leave(&line, &one);
    fair_line_leave(&line, &other);
    assert_is_empty(&line);
}

static void the_caller_with_most_questions_loses_its_last_one(void **state)
{
    struct fair_line line = {.waiting = 0};
    struct fair_place ann[4] = {0}, bob[2] = {0};
    enum api_error error = API_OK;

    (void)state;
    assert_null(fair_line_victim(&line, "ann", &error)); /* nobody waits, and no place is free */
    assert_int_equal(error, API_BUSY);
    for (int k = 0; k < 4; k++)
        join(&line, &ann[k], "ann");
    assert_null(fair_line_victim(&line, "ann", &error));
    assert_int_equal(error, API_BUSY); /* it holds all of them */
    assert_ptr_equal(fair_line_victim(&line, "bob", &error), &ann[3]);
    fair_line_leave(&line, &ann[3]);
    join(&line, &bob[0], "bob");
    assert_ptr_equal(fair_line_victim(&line, "bob", &error), &ann[2]);
    fair_line_leave(&line, &ann[2]);
    join(&line, &bob[1], "bob");
    assert_null(fair_line_victim(&line, "bob", &error));
    assert_int_equal(error, API_SHARE_FULL);
    assert_null(fair_line_victim(&line, "ann", &error));
    assert_int_equal(error, API_SHARE_FULL);
    assert_ptr_equal(fair_line_victim(&line, "eve", &error), &bob[1]);
    fair_line_leave(&line, &bob[1]);
    fair_line_leave(&line, &bob[0]);
    fair_line_leave(&line, &ann[0]);
    join(&line, &bob[0], "bob");
    assert_null(fair_line_victim(&line, "eve", &error)); /* each holds one */
    assert_int_equal(error, API_BUSY);
    fair_line_leave(&line, &bob[0]);
    fair_line_leave(&line, &ann[1]);
    assert_is_empty(&line);
}

/* Even where one may wait at most, the one who has the processes makes room. */
static void running_questions_count_for_the_share(void **state)
{
    struct fair_line line = {.waiting = 0};
    struct fair_place ann[3] = {0}, bob = {0};
    enum api_error error = API_OK;

    (void)state;
    assert_false(fair_line_is_new(&line, "ann")); /* nobody else is here */
    join(&line, &ann[0], "ann");
    fair_line_serve(&line, &ann[0]);
    assert_true(fair_line_is_new(&line, "bob"));
    assert_null(fair_line_victim(&line, "bob", &error)); /* nobody waits */
    join(&line, &ann[1], "ann");
    assert_ptr_equal(fair_line_victim(&line, "bob", &error), &ann[1]);
    assert_null(fair_line_victim(&line, "ann", &error)); /* its own place is no gain */
    fair_line_leave(&line, &ann[1]);
    join(&line, &bob, "bob");
    assert_false(fair_line_is_new(&line, "bob"));
    assert_true(fair_line_is_new(&line, "eve"));
    fair_line_leave(&line, &bob);
    fair_line_leave(&line, &ann[0]);
    assert_is_empty(&line);
}

static void the_estimated_wait_counts_the_turns_of_other_callers(void **state)
{
    struct fair_line line = {.waiting = 0};
    struct fair_place ann[5] = {0}, bob[1] = {0};
    int walked = 0;

    (void)state;
    assert_int_equal(fair_line_ahead(&line, "ann"), 0);
    for (int k = 0; k < 5; k++)
        join(&line, &ann[k], "ann");
    assert_int_equal(fair_line_ahead(&line, "ann"), 5);
    assert_int_equal(fair_line_ahead(&line, "bob"), 1);
    join(&line, &bob[0], "bob");
    assert_int_equal(fair_line_ahead(&line, "ann"), 6);
    assert_int_equal(fair_line_ahead(&line, "bob"), 3); /* its own and two of ann's */
    assert_true(fair_place_is_of(&bob[0], "bob"));
    assert_false(fair_place_is_of(&bob[0], "ann"));
    for (struct fair_place *at = NULL; (at = fair_line_walk(&line, at)) != NULL;)
        walked++;
    assert_int_equal(walked, 6);
    for (int k = 0; k < 5; k++)
        fair_line_leave(&line, &ann[k]);
    fair_line_leave(&line, &bob[0]);
    assert_is_empty(&line);
}

static void a_returned_place_is_the_first_of_its_caller(void **state)
{
    struct fair_line line = {.waiting = 0};
    struct fair_place ann[2] = {0}, bob = {0};

    (void)state;
    join(&line, &ann[0], "ann");
    join(&line, &ann[1], "ann");
    join(&line, &bob, "bob");
    assert_int_equal(fair_line_unserved(&line), 2);
    fair_line_serve(&line, &ann[0]);
    assert_true(fair_line_serves(&line, "ann") && !fair_line_serves(&line, "bob"));
    assert_true(fair_place_is_further(&ann[1]) && !fair_place_is_further(&ann[0]));
    assert_int_equal(fair_line_unserved(&line), 1);
    fair_line_return(&line, &ann[0]);
    assert_false(fair_line_serves(&line, "ann"));
    assert_int_equal(line.waiting, 3);
    assert_serves(&line, &bob); /* its turn was longer ago */
    assert_serves(&line, &ann[0]);
    assert_serves(&line, &ann[1]);
    assert_is_empty(&line);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(callers_take_turns),
        cmocka_unit_test(the_caller_served_least_is_next),
        cmocka_unit_test(rejoining_callers_gain_nothing),
        cmocka_unit_test(the_caller_with_most_questions_loses_its_last_one),
        cmocka_unit_test(running_questions_count_for_the_share),
        cmocka_unit_test(a_returned_place_is_the_first_of_its_caller),
        cmocka_unit_test(the_estimated_wait_counts_the_turns_of_other_callers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
