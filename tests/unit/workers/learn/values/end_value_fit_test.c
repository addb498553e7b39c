/* Fitting the end-value network, and the positions it is fitted to. */
#include "workers/learn/values/end_value_fit.h"

#include "models/game/sheet.h"
#include "models/game/vec2.h"
#include "models/ice/profile.h"
#include "workers/learn/values/end_states.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { EXAMPLES = 4000, EPOCHS = 12 };

/* Makes mid-end positions with the scores of a network of random weights, so that they can be
 * learned exactly. */
static void examples_of(const struct end_value_stage *teacher,
                        struct end_value_example *ret_examples)
{
    const struct rules *rules = rules_find("dc2");
    const struct ice_profile *ice = profile_of(rules)->ice;
    struct noise noise = noise_default(ice, ice->noise);

    for (int k = 0; k < EXAMPLES; k++) {
        struct random_key key = {.seed = 5, .game = (uint64_t)k, .purpose = RANDOM_CHOICE};
        struct end_value_example *example = &ret_examples[k];
        struct position position;

        end_state_random(rules, ice, &noise, key, 8, &position);
        struct end_value_inputs inputs;
        example->position = position;
        end_value_inputs(&position, &inputs);
        end_value_of_inputs(teacher, &inputs, example->scores);
    }
}

struct school {
    struct end_value_stage teacher, pupil, again;
    struct end_value_example examples[EXAMPLES];
};

static struct school *open_school(void)
{
    struct school *school = aligned_alloc(_Alignof(struct school), sizeof *school);
    struct random_key key = {.seed = 9, .purpose = RANDOM_CHOICE};
    assert_non_null(school);
    memset(school, 0, sizeof *school);
    end_value_fit_start(&key, &school->teacher);
    /* Like the pupil, the teacher does not distinguish left from right; and its answers vary
     * more. */
    for (int block = 0; block < END_FEATURES_BLOCKS; block++)
        memset(school->teacher.weight1[block * END_FEATURES_PER_STONE + END_FEATURES_X], 0,
               sizeof school->teacher.weight1[0]);
    for (int i = 0; i < END_VALUE_HIDDEN2; i++)
        for (int k = 0; k < END_VALUE_SCORES; k++)
            school->teacher.weight3[i][k] *= 4.0f;
    key.seed = 10;
    end_value_fit_start(&key, &school->pupil);
    return school;
}

static struct end_value_fit_report learn(struct school *school, uint64_t seed, int epochs)
{
    struct random_key key = {.seed = seed, .purpose = RANDOM_CHOICE};
    struct end_value_fit_report report;
    assert_true(
        end_value_fit(school->examples, EXAMPLES, epochs, 2e-3, &key, &school->pupil, &report));
    return report;
}

static void a_network_learns_from_a_network(void **state)
{
    (void)state;
    struct school *school = open_school();
    examples_of(&school->teacher, school->examples);
    struct end_value_fit_report before = learn(school, 1, 0), after = learn(school, 1, EPOCHS);
    print_message("error %.4f, then %.4f, of spread %.4f\n", before.score_rms, after.score_rms,
                  after.score_spread);
    assert_true(after.score_spread > 0.2);
    assert_true(before.score_rms > 0.9 * before.score_spread);
    assert_true(after.score_rms < 0.6 * after.score_spread);
    assert_true(after.entropy < before.entropy);
    free(school);
}

static void the_same_seed_gives_the_same_weights(void **state)
{
    (void)state;
    struct school *school = open_school();
    examples_of(&school->teacher, school->examples);
    struct end_value_stage start = school->pupil;
    learn(school, 1, 2);
    school->again = school->pupil;
    school->pupil = start;
    learn(school, 1, 2);
    assert_memory_equal(&school->pupil, &school->again, sizeof school->again);
    school->pupil = start;
    learn(school, 2, 2);
    assert_memory_not_equal(&school->pupil, &school->again, sizeof school->again);
    free(school);
}

/* Thrown stones, on the sheet, without overlap, the same for the same key. */
static void random_play_leaves_possible_positions(void **state)
{
    (void)state;
    const char *profiles[] = {"dc2", "dc3"};
    for (int p = 0; p < 2; p++) {
        const struct rules *rules = rules_find(profiles[p]);
        const struct ice_profile *ice = profile_of(rules)->ice;
        struct noise noise = noise_default(ice, ice->noise);
        int stones = 0, ends = 0;
        for (int thrown = 0; thrown <= POSITION_STONES; thrown++)
            for (uint64_t index = 0; index < 20; index++) {
                struct random_key key = {.seed = 3, .game = index};
                struct position position, again;
                end_state_random(rules, ice, &noise, key, thrown, &position);
                end_state_random(rules, ice, &noise, key, thrown, &again);
                assert_memory_equal(&position, &again, sizeof position);
                assert_int_equal(position.in_play >> thrown, 0);
                for (unsigned rest = position.in_play; rest; rest &= rest - 1) {
                    int a = __builtin_ctz(rest);
                    for (unsigned others = rest & (rest - 1); others; others &= others - 1) {
                        struct vec2 b = position.stone[__builtin_ctz(others)];
                        double x = position.stone[a].x - b.x, y = position.stone[a].y - b.y;
                        assert_true(sqrt(x * x + y * y) > 2 * STONE_RADIUS - 1e-3);
                    }
                }
                if (thrown == 12) {
                    stones += __builtin_popcount(position.in_play);
                    ends++;
                }
            }
        print_message("%s: %.1f stones after 12\n", profiles[p], (double)stones / ends);
        assert_true(stones > 3 * ends && stones < 12 * ends);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_network_learns_from_a_network),
        cmocka_unit_test(the_same_seed_gives_the_same_weights),
        cmocka_unit_test(random_play_leaves_possible_positions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
