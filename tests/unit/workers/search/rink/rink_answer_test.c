/* The first of the ranked candidates: among equals the one that succeeds most often. */
#include "workers/search/rink/rink_search.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { SAMPLES = 100 };

/* A candidate that won so many of its throws, and succeeded in so many. */
static struct judged judged_of(enum shot_kind kind, int won, int succeeded, int samples)
{
    return (struct judged){.candidate = {.kind = kind},
                           .samples = samples,
                           .successes = succeeded,
                           .sum = won,
                           .sum_of_squares = won};
}

static enum shot_kind first_of(struct judged *pool, int count)
{
    struct rink_search search = {.pool = pool, .count = count};

    rink_answer_prefer_safe(&search);
    return pool[0].candidate.kind;
}

static void equal_chances_go_to_the_safer_call(void **state)
{
    struct judged pool[] = {judged_of(SHOT_HIT, 60, 40, SAMPLES),
                            judged_of(SHOT_FREEZE, 60, 30, SAMPLES),
                            judged_of(SHOT_DRAW, 59, 80, SAMPLES)};

    (void)state;
    assert_int_equal(first_of(pool, 3), SHOT_DRAW);     /* an error is 4.9 */
    assert_int_equal(pool[1].candidate.kind, SHOT_HIT); /* the others keep their order */
    assert_int_equal(pool[2].candidate.kind, SHOT_FREEZE);
}

static void what_is_better_stays_first(void **state)
{
    struct judged worse[] = {judged_of(SHOT_HIT, 60, 40, SAMPLES),
                             judged_of(SHOT_DRAW, 58, 80, SAMPLES)},
                  fewer[] = {judged_of(SHOT_HIT, 60, 40, SAMPLES),
                             judged_of(SHOT_DRAW, 30, 50, SAMPLES / 2)},
                  nameless[] = {judged_of(SHOT_HIT, 60, 40, SAMPLES),
                                judged_of(SHOT_OTHER, 60, 100, SAMPLES)},
                  certain[] = {judged_of(SHOT_HIT, SAMPLES, 40, SAMPLES),
                               judged_of(SHOT_DRAW, SAMPLES - 1, 80, SAMPLES)},
                  single[] = {judged_of(SHOT_HIT, 1, 0, 1), judged_of(SHOT_DRAW, 1, 1, 1)};

    (void)state;
    assert_int_equal(first_of(worse, 2), SHOT_HIT);
    assert_int_equal(first_of(fewer, 2), SHOT_HIT); /* it was looked at less closely */
    assert_int_equal(first_of(nameless, 2), SHOT_HIT);
    assert_int_equal(first_of(certain, 2), SHOT_HIT); /* without an error nothing is equal */
    assert_int_equal(first_of(single, 2), SHOT_HIT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_chances_go_to_the_safer_call),
        cmocka_unit_test(what_is_better_stays_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
