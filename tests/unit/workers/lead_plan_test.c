/* Sizes, window and order of tasks. */
#include "workers/lead_plan.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* ---- helpers ---- */

static struct lead_plan plan_of(int64_t units, int threads, int64_t hands)
{
    const struct lead_stage stage = {.units = units, .share_after = 1.0};
    struct lead_plan plan = {.threads = threads, .hands = hands, .next_number = 1};

    lead_plan_begin(&plan, 0, &stage, 0);
    return plan;
}

static void hear(struct lead_plan *plan, const char *format, ...)
{
    char line[512];
    struct wire_message message;
    struct strict_errors errors;
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    assert_true(wire_read(line, strlen(line), &message, &errors));
    lead_plan_hear(plan, &message);
}

static void hear_done(struct lead_plan *plan, int64_t number, double seconds)
{
    hear(plan, "{\"type\":\"task\",\"number\":%d,\"state\":\"done\",\"result\":{},\"seconds\":%f}",
         (int)number, seconds);
}

/* Offers what may be offered now; returns how many tasks. */
static int offer_all(struct lead_plan *plan)
{
    int count = 0;

    for (int64_t size; (size = lead_plan_size(plan)) > 0; count++)
        assert_non_null(lead_plan_add(plan, plan->next_number, size));
    return count;
}

static int64_t units_of_last(const struct lead_plan *plan)
{
    return plan->tasks[plan->count - 1].count;
}

/* ---- scenarios ---- */

static void first_tasks_have_a_unit_for_each_thread(void **state)
{
    struct lead_plan plan = plan_of(1000, 3, 2);

    (void)state;
    assert_int_equal(offer_all(&plan), 2); /* one for each hand */
    for (size_t k = 0; k < plan.count; k++) {
        assert_int_equal(plan.tasks[k].count, 3);
        assert_int_equal(plan.tasks[k].first, 3 * (int64_t)k);
        assert_int_equal(plan.tasks[k].number, 1 + (int64_t)k);
    }
    lead_plan_free(&plan);
}

static void tasks_grow_towards_their_aim(void **state)
{
    struct lead_plan plan = plan_of(1000000, 1, 1);
    int64_t largest = 0;

    (void)state;
    offer_all(&plan);
    hear_done(&plan, 1, .01); /* a unit in 10 ms */
    plan.spent_s = 1000.0;    /* by earlier stages */
    assert_int_equal(offer_all(&plan), 4);
    assert_int_equal(units_of_last(&plan), 16);
    for (int k = 2; k < 60; k++) {
        hear_done(&plan, k, .01 * (double)plan.tasks[k - 1].count);
        assert_int_equal(offer_all(&plan), 1);
        assert_true(units_of_last(&plan) <= 16 * plan.largest);
        largest = units_of_last(&plan);
    }
    assert_int_equal(largest, 3000); /* 30 s */
    lead_plan_free(&plan);
}

static void tasks_shrink_towards_the_end_so_that_all_hands_end_together(void **state)
{
    struct lead_plan plan = plan_of(1000, 1, 4);

    (void)state;
    offer_all(&plan);
    for (int64_t k = 1; plan.offered < plan.stage.units; k++) {
        hear_done(&plan, k, 5.0 * (double)plan.tasks[k - 1].count);
        int64_t left = plan.stage.units - plan.offered;
        if (offer_all(&plan) == 1)
            assert_true(units_of_last(&plan) <= (left + 7) / 8);
    }
    assert_int_equal(units_of_last(&plan), 1);
    lead_plan_free(&plan);
}

static void first_results_come_soon(void **state)
{
    struct lead_plan plan = plan_of(1000000, 1, 1);

    (void)state;
    offer_all(&plan);
    for (int k = 1; k < 200; k++) {
        hear_done(&plan, k, .01 * (double)plan.tasks[k - 1].count);
        offer_all(&plan);
        double seconds = .01 * (double)units_of_last(&plan);
        assert_true(seconds <= 4.001 || seconds <= .25 * plan.spent_s + .001);
    }
    assert_true(units_of_last(&plan) == 3000);
    lead_plan_free(&plan);
}

/* Starting a process takes time, too: it counts less the larger a task is. */
static void the_largest_tasks_tell_the_pace(void **state)
{
    struct lead_plan plan = plan_of(1000000, 1, 1);

    (void)state;
    offer_all(&plan);
    plan.spent_s = 1000.0;
    hear_done(&plan, 1, 1.001);
    offer_all(&plan);
    hear_done(&plan, 2, 1.016);
    assert_int_equal(plan.timed_units, 16);
    assert_true(plan.seconds == 1.016);
    hear_done(&plan, 3, 1.016);
    assert_int_equal(plan.timed_units, 32);
    lead_plan_free(&plan);
}

/* Starting a process is not worth it for less. */
static void quick_units_are_not_split_too_far(void **state)
{
    struct lead_plan plan = plan_of(20000, 1, 4);

    (void)state;
    offer_all(&plan);
    for (int64_t k = 1; plan.offered < plan.stage.units; k++) {
        hear_done(&plan, k, .001 * (double)plan.tasks[k - 1].count);
        int64_t left = plan.stage.units - plan.offered;
        if (offer_all(&plan) == 1 && plan.largest >= 250)
            assert_true(units_of_last(&plan) >= (left < 3990 ? left : 3990));
    }
    lead_plan_free(&plan);
}

static void no_more_tasks_are_open_than_the_hands_need(void **state)
{
    struct lead_plan plan = plan_of(100000, 1, 2);

    (void)state;
    assert_int_equal(offer_all(&plan), 2);
    assert_int_equal(lead_plan_size(&plan), 0);
    hear_done(&plan, 1, 40.0);
    assert_int_equal(offer_all(&plan), 5); /* 2 * hands + 2 */
    plan.hands = 5;
    assert_int_equal(offer_all(&plan), 6);
    /* Nor more that wait for a straggler than the daemon keeps. */
    for (int64_t k = 2; plan.count < WIRE_TASKS_OPEN; k++) {
        hear_done(&plan, k, 40.0 * (double)plan.tasks[k - 1].count);
        assert_true(offer_all(&plan) > 0);
    }
    hear_done(&plan, 2 + plan.next_number / 2, 40.0);
    assert_int_equal(offer_all(&plan), 0);
    lead_plan_free(&plan);
}

static void outputs_are_merged_in_order(void **state)
{
    struct lead_plan plan = plan_of(6, 1, 6);

    (void)state;
    assert_int_equal(offer_all(&plan), 6);
    hear_done(&plan, 3, 1.0);
    hear_done(&plan, 2, 1.0);
    assert_int_equal(lead_plan_next(&plan)->number, 1);
    assert_int_equal(lead_plan_next(&plan)->state, LEAD_OPEN);
    hear_done(&plan, 1, 1.0);
    for (int64_t k = 1; k <= 3; k++) {
        assert_int_equal(lead_plan_next(&plan)->number, k);
        assert_int_equal(lead_plan_next(&plan)->state, LEAD_DONE);
        lead_plan_merged(&plan);
        assert_int_equal(plan.merged, k);
    }
    assert_int_equal(lead_plan_next(&plan)->state, LEAD_OPEN);
    hear_done(&plan, 1, 1.0); /* merged long ago */
    hear_done(&plan, 99, 1.0);
    assert_int_equal(plan.count, 3);
    lead_plan_free(&plan);
}

static void a_state_that_is_told_twice_changes_nothing(void **state)
{
    struct lead_plan plan = plan_of(100, 1, 1);

    (void)state;
    offer_all(&plan);
    hear_done(&plan, 1, 2.0);
    hear_done(&plan, 1, 50.0);
    hear(&plan,
         "{\"type\":\"task\",\"number\":1,\"state\":\"failed\",\"code\":\"c\",\"detail\":\"d\"}");
    assert_int_equal(lead_plan_next(&plan)->state, LEAD_DONE);
    assert_true(plan.seconds == 2.0);
    assert_false(lead_plan_has_failed(&plan));
    lead_plan_free(&plan);
}

static void progress_counts_what_runs(void **state)
{
    struct lead_plan plan = plan_of(4, 1, 2);
    const struct lead_stage half = {.units = 2, .share_before = .5, .share_after = 1.0};

    (void)state;
    offer_all(&plan);
    assert_true(lead_plan_progress(&plan) == 0.0);
    hear(&plan, "{\"type\":\"task\",\"number\":2,\"state\":\"running\",\"progress\":0.5}");
    assert_true(lead_plan_runs(&plan));
    assert_true(lead_plan_progress(&plan) == .125);
    hear_done(&plan, 1, 1.0);
    assert_true(lead_plan_progress(&plan) == .375);
    lead_plan_merged(&plan);
    assert_true(lead_plan_progress(&plan) == .375);
    lead_plan_free(&plan);
    lead_plan_begin(&plan, 1, &half, 1);
    assert_true(lead_plan_progress(&plan) == .75);
}

/* Stages of one kind take turns with others; the pace of the first tells that of the third. */
static void like_stages_have_the_same_pace(void **state)
{
    const struct lead_stage items = {.units = 10000, .least = 64, .pace = 1},
                            other = {.units = 2, .most = 1, .at_once = true};
    struct lead_plan plan = {.threads = 1, .hands = 2, .next_number = 1};

    (void)state;
    lead_plan_begin(&plan, 0, &items, 0);
    assert_int_equal(offer_all(&plan), 2);
    assert_int_equal(units_of_last(&plan), 64);
    hear_done(&plan, 1, 1.0);
    lead_plan_free(&plan);
    lead_plan_begin(&plan, 1, &other, 2);
    assert_int_equal(plan.largest, 0);
    lead_plan_begin(&plan, 2, &items, 0);
    assert_int_equal(plan.largest, 64);
    assert_true(offer_all(&plan) > 2 && plan.tasks[0].count == 256); /* LEAST_S */
    lead_plan_free(&plan);
    /* What is left, though it is less. */
    lead_plan_begin(&plan, 3, &items, 9990);
    assert_int_equal(offer_all(&plan), 1);
    assert_int_equal(units_of_last(&plan), 10);
    lead_plan_free(&plan);
}

static void nothing_is_offered_after_a_failure(void **state)
{
    struct lead_plan plan = plan_of(1000, 1, 2);

    (void)state;
    offer_all(&plan);
    hear_done(&plan, 1, 1.0);
    hear(&plan,
         "{\"type\":\"task\",\"number\":2,\"state\":\"failed\",\"code\":\"c\",\"detail\":\"d\"}");
    assert_int_equal(offer_all(&plan), 0);
    assert_string_equal(plan.tasks[1].code, "c");
    lead_plan_free(&plan);
}

static void all_seeds_are_offered_at_once(void **state)
{
    const struct lead_stage stage = {.units = 32, .most = 1, .at_once = true, .share_after = 1.0};
    struct lead_plan plan = {.threads = 1, .hands = 1, .next_number = 1};

    (void)state;
    lead_plan_begin(&plan, 0, &stage, 0);
    assert_int_equal(offer_all(&plan), 32);
    lead_plan_free(&plan);
}

static void tasks_of_an_earlier_lead_must_follow_each_other(void **state)
{
    struct lead_plan plan = plan_of(100, 1, 1);

    (void)state;
    plan.next_number = 8;
    assert_null(lead_plan_add(&plan, 9, 5));
    assert_non_null(lead_plan_add(&plan, 8, 5));
    assert_int_equal(plan.offered, 5);
    assert_int_equal(plan.next_number, 9);
    lead_plan_free(&plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_tasks_have_a_unit_for_each_thread),
        cmocka_unit_test(tasks_grow_towards_their_aim),
        cmocka_unit_test(tasks_shrink_towards_the_end_so_that_all_hands_end_together),
        cmocka_unit_test(first_results_come_soon),
        cmocka_unit_test(the_largest_tasks_tell_the_pace),
        cmocka_unit_test(quick_units_are_not_split_too_far),
        cmocka_unit_test(no_more_tasks_are_open_than_the_hands_need),
        cmocka_unit_test(outputs_are_merged_in_order),
        cmocka_unit_test(a_state_that_is_told_twice_changes_nothing),
        cmocka_unit_test(progress_counts_what_runs),
        cmocka_unit_test(like_stages_have_the_same_pace),
        cmocka_unit_test(nothing_is_offered_after_a_failure),
        cmocka_unit_test(all_seeds_are_offered_at_once),
        cmocka_unit_test(tasks_of_an_earlier_lead_must_follow_each_other),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
