/* DQN and PPO give the same runs on any number of threads. */
#include "workers/learn/algorithms/toy_numbers.h"

#include "tests/unit/workers/learn/games/toy_games.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static const struct learner_class *const classes[] = {&learner_dqn, &learner_ppo};

/* Four slices, the last one with fewer tables, and half of the games against programs. */
static const struct learner_number numbers[] = {
    {"parallel", 56}, {"self_share", 0.5}, {"warm_up", 200}, {"batch", 32}, {"minibatch", 32},
};

static struct learner_hyper hyper_of(const struct learner_class *class,
                                     struct learner_number room[TOY_NUMBERS_MAX])
{
    return toy_numbers(class, numbers, sizeof numbers / sizeof numbers[0], room);
}

static struct learner_common common_of(int threads, uint64_t seed)
{
    return (struct learner_common){.network = {.architecture = "mlp", .hidden = {16}},
                                   .device = "cpu",
                                   .threads = threads,
                                   .seed = seed};
}

/* Returns a whole run as bytes after this many steps, first on some threads, then on others;
 * malloc'ed. */
static char *after(const struct learner_class *class, uint64_t seed, int threads, int then_threads,
                   size_t *ret_size)
{
    char error[LEARNER_ERROR_MAX], *bytes = NULL;
    struct learner_number room[TOY_NUMBERS_MAX];
    const struct learner_hyper hyper = hyper_of(class, room);
    for (int half = 0; half < 2; half++) {
        struct learner_common common = common_of(half ? then_threads : threads, seed);
        struct learner *learner;
        if (half == 0) {
            learner = class->make(class, &throws_game, &common, &hyper, error);
        } else {
            FILE *file = fmemopen(bytes, *ret_size, "rb");
            learner = class->read(class, &throws_game, &common, &hyper, file, error);
            fclose(file);
            free(bytes);
        }
        if (!learner)
            fail_msg("%s: %s", class->name, error);
        for (int k = 0; k < 70; k++)
            if (!class->step(learner, error))
                fail_msg("%s: %s", class->name, error);
        FILE *file = open_memstream(&bytes, ret_size);
        assert_true(class->write(learner, file));
        fclose(file);
        struct learner_report report;
        class->report(learner, &report);
        assert_true(report.updates > 10 && report.games > 1000);
        learner_free(learner);
    }
    return bytes;
}

static void threads_change_nothing(void **state)
{
    static const int threads[][2] = {{1, 1}, {2, 2}, {3, 5}, {1, 4}};
    (void)state;
    for (int c = 0; c < 2; c++) {
        size_t size, other_size;
        char *bytes = after(classes[c], 1, threads[0][0], threads[0][1], &size);
        for (int k = 1; k < 4; k++) {
            char *other = after(classes[c], 1, threads[k][0], threads[k][1], &other_size);
            assert_int_equal(size, other_size);
            assert_memory_equal(bytes, other, size);
            free(other);
        }
        free(bytes);
    }
}

static void seeds_change_the_network(void **state)
{
    (void)state;
    for (int c = 0; c < 2; c++) {
        struct learner_policy_view views[LEARNER_POLICIES_MAX];
        char error[LEARNER_ERROR_MAX], hash[2][65];
        for (int k = 0; k < 2; k++) {
            struct learner_common common = common_of(1, 7 + (uint64_t)k);
            struct learner_number room[TOY_NUMBERS_MAX];
            const struct learner_hyper hyper = hyper_of(classes[c], room);
            struct learner *learner =
                classes[c]->make(classes[c], &throws_game, &common, &hyper, error);
            assert_non_null(learner);
            classes[c]->policies(learner, views);
            net_sha256(views[0].net[0], hash[k]);
            learner_free(learner);
        }
        assert_string_not_equal(hash[0], hash[1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(seeds_change_the_network),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
