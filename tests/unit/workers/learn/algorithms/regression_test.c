/* Values of actions from tries: checked by hand, as a double sum over the noise densities, and
 * unbiased in the long run. */
#include "workers/learn/algorithms/regression.h"

#include "models/ice/action_grid.h"
#include "workers/learn/games/curling_learner.h"
#include "workers/learn/games/line_learner.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

/* On the line: two draws at cell 3 that stopped at 3 and 4, one at cell 4 that stopped there, one
 * hit. */
static void sums_match_hand_calculation(void **state)
{
    (void)state;
    struct tried tried[] = {{.action = 3, .visits = 2},
                            {.action = 4, .visits = 1},
                            {.action = LINE_CELLS + 4, .visits = 1}};
    const struct tried_deed done[] = {
        {{{0, 3}}, 1.0}, {{{0, 4}}, 0.0}, {{{0, 4}}, -0.5}, {{{1, 5}}, 0.25}};
    regress(line_learner_game(2), 3, tried, 4, done);
    /* A draw at 3: p(3) = 1/2, p(4) = 1/4; one at 4 the reverse. Mixtures: at 3 2 (1/2) + 1/4 =
     * 5/4, at 4 2 (1/4) + 1/2 = 1. */
    double at3 = 0.5 / 1.25, at4 = 0.25;
    assert_true(fabs(tried[0].mean - (at3 - at4 * 0.5) / (at3 + 2.0 * at4)) < 1e-15);
    assert_true(fabs(tried[0].weight - (at3 + 2.0 * at4) * (at3 + 2.0 * at4) /
                                           (at3 * at3 + 2.0 * at4 * at4)) < 1e-14);
    at3 = 0.25 / 1.25;
    at4 = 0.5;
    assert_true(fabs(tried[1].mean - (at3 - at4 * 0.5) / (at3 + 2.0 * at4)) < 1e-15);
    assert_true(tried[2].mean == 0.25 && tried[2].weight == 1.0);

    assert_int_equal(regression_choice(3, tried, 0.0), 0); /* 0.306: the best mean */
    tried[2].weight = 100.0;
    assert_int_equal(regression_choice(3, tried, 0.5), 2); /* the certain one */
}

/* The same sums from the covariance of the noise, for every kind of ice. */
static void sums_are_those_of_the_noise(void **state)
{
    (void)state;
    static const char *const profiles[] = {"dc2", "dc3", "dc4"};
    enum { ACTIONS_TRIED = 60, DEEDS = 150 };
    for (int profile = 0; profile < 3; profile++) {
        struct curling_learner_settings settings =
            curling_learner_defaults(rules_find(profiles[profile]));
        const struct ice_profile *ice = ice_profile_find(profiles[profile]);
        char error[CURLING_LEARNER_ERROR_MAX];
        struct learner_game *game = curling_learner_new(&settings, error);
        struct tried tried[ACTIONS_TRIED] = {{0}};
        struct tried_deed done[DEEDS];
        static double p[ACTIONS_TRIED][DEEDS];
        int shared = 0;

        for (int a = 0; a < ACTIONS_TRIED; a++) /* neighbours: ten lines of six weights */
            tried[a].action =
                action_of_parts((struct action){10 + a % 10, a / 10, (enum action_spin)(a % 2)});
        for (int j = 0; j < DEEDS; j++) {
            struct random_key key = {.seed = 4, .game = (uint64_t)j, .purpose = RANDOM_CHOICE};
            int a = j < ACTIONS_TRIED ? j : (7 * j) % ACTIONS_TRIED;
            tried[a].visits += 1.0;
            game->deed(game, tried[a].action, &key, &done[j].deed);
            done[j].value = random_uniform(&key, 7) - 0.5;
        }
        regress(game, ACTIONS_TRIED, tried, DEEDS, done);
        for (int a = 0; a < ACTIONS_TRIED; a++)
            for (int j = 0; j < DEEDS; j++) {
                struct shot shot = action_shot(ice, tried[a].action);
                struct noise_covariance c = noise_covariance_at(&settings.noise, shot);
                double x = done[j].deed.at[0] - shot.velocity.x;
                double y = done[j].deed.at[1] - shot.velocity.y;
                double det = c.xx * c.yy - c.xy * c.xy;
                double square = (c.yy * x * x - 2.0 * c.xy * x * y + c.xx * y * y) / det;
                bool same_spin = (shot.omega > 0.0) == (done[j].deed.at[2] > 0.0);
                p[a][j] = same_spin && square <= 100.0 ? exp(-0.5 * square) / sqrt(det) : 0.0;
            }
        for (int a = 0; a < ACTIONS_TRIED; a++) {
            double sum = 0.0, squares = 0.0, values = 0.0;
            for (int j = 0; j < DEEDS; j++) {
                double all = 0.0;
                for (int b = 0; b < ACTIONS_TRIED; b++)
                    all += tried[b].visits * p[b][j];
                sum += p[a][j] / all;
                squares += p[a][j] / all * p[a][j] / all;
                values += p[a][j] / all * done[j].value;
            }
            assert_true(fabs(tried[a].mean - values / sum) < 1e-9);
            assert_true(fabs(tried[a].weight / (sum * sum / squares) - 1.0) < 1e-9);
            shared += tried[a].weight > tried[a].visits + 0.1;
        }
        assert_true(shared > ACTIONS_TRIED / 3);
        curling_learner_free(game);
    }
}

/* However unevenly the actions are tried, E[v|a] is the mean of v over the noise of a. */
static void the_estimate_is_unbiased(void **state)
{
    (void)state;
    const struct learner_game *line = line_learner_game(3);
    enum { DEEDS = 60000 };
    struct tried tried[LINE_CELLS] = {{0}};
    struct tried_deed *done = calloc(DEEDS, sizeof *done);
    for (int a = 0; a < LINE_CELLS; a++)
        tried[a].action = a;
    for (int j = 0; j < DEEDS; j++) {
        struct random_key key = {.seed = 6, .game = (uint64_t)j, .purpose = RANDOM_CHOICE};
        int a = j % 100 < 80 ? 4 : j % LINE_CELLS;
        tried[a].visits += 1.0;
        line->deed(line, a, &key, &done[j].deed);
        done[j].value = done[j].deed.at[1] * done[j].deed.at[1]; /* any curved function */
    }
    regress(line, LINE_CELLS, tried, DEEDS, done);
    for (int a = 0; a < LINE_CELLS; a++) {
        /* E (a + slip)^2 = a^2 + 1/2 */
        assert_true(fabs(tried[a].mean - (a * a + 0.5)) < 0.1 + 0.1 * a);
        assert_true(tried[a].weight > 0.5 * tried[a].visits);
    }
    free(done);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_match_hand_calculation),
        cmocka_unit_test(sums_are_those_of_the_noise),
        cmocka_unit_test(the_estimate_is_unbiased),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
