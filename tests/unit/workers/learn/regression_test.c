/* Kernel regression over actions: the sums of workers/search/kernel.h, and those of a pencil. */
#include "workers/learn/regression.h"

#include "models/ice/action_grid.h"
#include "workers/learn/curling_learner.h"
#include "workers/learn/line_learner.h"
#include "workers/search/kernel.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Draws at cells 3, 4 and 6 of the line, once, twice and once; a hit at cell 4. */
static void sums_are_right_by_hand(void **state)
{
    (void)state;
    struct tried tried[] = {{.action = 3, .visits = 1, .value_sum = 1.0},
                            {.action = 4, .visits = 2, .value_sum = -1.0},
                            {.action = 6, .visits = 1, .value_sum = 0.25},
                            {.action = LINE_CELLS + 4, .visits = 3, .value_sum = 0.75}};
    regress(line_learner_game(2), 4, tried);
    assert_true(fabs(tried[0].weight - (1.0 + 0.5 * 2.0)) < 1e-15);
    assert_true(fabs(tried[0].mean - (1.0 - 0.5 * 1.0) / 2.0) < 1e-15);
    assert_true(fabs(tried[1].weight - (2.0 + 0.5)) < 1e-15);
    assert_true(fabs(tried[1].mean - (-1.0 + 0.5) / 2.5) < 1e-15);
    assert_true(tried[2].weight == 1.0 && tried[2].mean == 0.25);
    assert_true(tried[3].weight == 3.0 && tried[3].mean == 0.25);

    /* 0.25 each; the one that was tried more often is surer. Without a bound the first one wins. */
    assert_int_equal(regression_choice(4, tried, 0.1), 3);
    assert_int_equal(regression_choice(4, tried, 0.0), 0);
}

/* The same as the search's kernel sums, for curling's noise, on every kind of ice. */
static void sums_are_those_of_the_search(void **state)
{
    (void)state;
    static const char *const profiles[] = {"dc2", "dc3", "dc4"};
    enum { TRIED = 80 };
    for (int p = 0; p < 3; p++) {
        struct curling_learner_settings settings =
            curling_learner_defaults(rules_find(profiles[p]));
        const struct ice_profile *ice = ice_profile_find(profiles[p]);
        char error[CURLING_LEARNER_ERROR_MAX];
        struct learner_game *game = curling_learner_new(&settings, error);
        struct random_key key = {.seed = 4, .game = (uint64_t)p};
        struct tried tried[TRIED] = {{0}};
        struct kernel_set set = {0};
        int shared = 0;
        for (int k = 0; k < TRIED; k++) {
            /* Of one quarter of the sheet, so that many are neighbours. */
            tried[k].action = 960 / 4 + 6 * k / 2 * 2 % 240 + k % 2;
            struct kernel kernel = kernel_at(&settings.noise, action_shot(ice, tried[k].action));
            assert_true(kernel_set_add(&set, &kernel));
        }
        for (int visit = 0; visit < 300; visit++) {
            int k = visit < TRIED ? visit : (int)(TRIED * random_uniform(&key, (uint64_t)visit));
            double value = random_uniform(&key, (uint64_t)visit + 1000) - 0.5;
            tried[k].visits += 1.0;
            tried[k].value_sum += value;
            kernel_set_record(&set, k, value);
        }
        regress(game, TRIED, tried);
        for (int k = 0; k < TRIED; k++) {
            const struct kernel_point *point = &set.point[k];
            assert_true(fabs(tried[k].weight / point->weight - 1.0) < 1e-12);
            assert_true(fabs(tried[k].mean - point->weighted_value / point->weight) < 1e-12);
            shared += tried[k].weight > tried[k].visits + 0.1;
        }
        assert_true(shared > TRIED / 4);
        kernel_set_clear(&set);
        curling_learner_free(game);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_right_by_hand),
        cmocka_unit_test(sums_are_those_of_the_search),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
