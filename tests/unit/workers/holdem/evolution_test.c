/* Evolution: the same bytes for any number of threads and after a stop, curricula, and that it
 * learns. */
#include "workers/holdem/evolution.h"

#include "tests/slow.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct evolution_settings tiny(void)
{
    return (struct evolution_settings){.seed = 4,
                                       .form = {4, 8},
                                       .population = 12,
                                       .hands = 10,
                                       .finalists = 3,
                                       .validation_hands = 10,
                                       .survival = .25,
                                       .mutation_rate = .25,
                                       .mutation_strength = .15,
                                       .mutation_fall = 10,
                                       .curriculum = 4,
                                       .stage = 1,
                                       .opponents = 3,
                                       .opponent = {0, 1, 3}};
}

static void run_to(struct evolution *evolution, int64_t generation)
{
    while (evolution_report(evolution).generation < generation)
        evolution_step(evolution);
}

/* The bytes of the whole state; the caller frees them. */
static char *state_of(const struct evolution *evolution, size_t *ret_size)
{
    char *bytes = NULL;
    FILE *file = open_memstream(&bytes, ret_size);

    assert_non_null(file);
    assert_true(evolution_write(evolution, file));
    fclose(file);
    return bytes;
}

static void threads_do_not_change_the_result(void **state)
{
    (void)state;
    const struct evolution_settings settings = tiny();
    char *bytes[2];
    size_t size[2];

    for (int k = 0; k < 2; k++) {
        struct evolution *evolution = evolution_new(&settings, 1 + 2 * k);
        assert_non_null(evolution);
        run_to(evolution, 4);
        bytes[k] = state_of(evolution, &size[k]);
        evolution_free(evolution);
    }
    assert_int_equal(size[0], size[1]);
    assert_memory_equal(bytes[0], bytes[1], size[0]);
    free(bytes[0]);
    free(bytes[1]);
}

static void a_stopped_run_goes_on_with_the_same_bytes(void **state)
{
    (void)state;
    const struct evolution_settings settings = tiny();
    struct evolution *whole = evolution_new(&settings, 1), *first = evolution_new(&settings, 1),
                     *second = evolution_new(&settings, 2);
    size_t size, sizes[2];

    run_to(whole, 5);
    run_to(first, 2);
    char *bytes = state_of(first, &size);
    FILE *file = fmemopen(bytes, size, "r");
    assert_true(evolution_read(second, file));
    fclose(file);
    run_to(second, 5);
    char *a = state_of(whole, &sizes[0]), *b = state_of(second, &sizes[1]);
    assert_int_equal(sizes[0], sizes[1]);
    assert_memory_equal(a, b, sizes[0]);

    for (size_t cut = 0; cut < size; cut += size / 7 + 1) {
        file = fmemopen(bytes, cut + 1, "r");
        assert_false(evolution_read(first, file));
        fclose(file);
    }
    free(a);
    free(b);
    free(bytes);
    evolution_free(whole);
    evolution_free(first);
    evolution_free(second);
}

static void impossible_settings_are_refused(void **state)
{
    (void)state;
    struct evolution_settings settings = tiny();

    assert_null(evolution_check(&settings));
    settings.survival = .1;
    assert_non_null(evolution_check(&settings));
    assert_null(evolution_new(&settings, 1));
    settings = tiny();
    settings.finalists = 13;
    assert_non_null(evolution_check(&settings));
}

/* Hands of a generation show how many opponents it has: agents and finalists play each of them. */
static void a_curriculum_adds_opponents(void **state)
{
    skip_one_thread();
    (void)state;
    static const int opponents[EVOLUTION_CURRICULA][4] = {
        {3, 3, 3, 3}, {1, 2, 3, 3}, {2, 3, 3, 3}, {2, 1, 3, 3}};

    for (int k = 0; k < EVOLUTION_CURRICULA; k++) {
        struct evolution_settings settings = tiny();
        settings.curriculum = k + 1;
        struct evolution *evolution = evolution_new(&settings, 1);
        int64_t hands = 0;
        for (int generation = 0; generation < 4; generation++) {
            run_to(evolution, generation + 1);
            int64_t now = evolution_report(evolution).hands;
            assert_int_equal(now - hands, opponents[k][generation] * (12 + 3) * 10 * 2);
            hands = now;
        }
        evolution_free(evolution);
    }
}

/* Against a player that gives up after the flop there is much to win. */
static void it_learns(void **state)
{
    skip_one_thread();
    (void)state;
    struct evolution_settings settings = tiny();
    settings.population = 40;
    settings.hands = 60;
    settings.validation_hands = 300;
    settings.finalists = 5;
    settings.opponents = 1;
    settings.opponent[0] = 6;
    struct evolution *evolution = evolution_new(&settings, 1);

    run_to(evolution, 12);
    const struct evolution_report report = evolution_report(evolution);
    print_message("the champion wins %.0f mbb/hand\n", report.won_mbb);
    assert_true(report.won_mbb > 500.0);
    assert_true(report.best >= report.mean);
    evolution_free(evolution);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_do_not_change_the_result),
        cmocka_unit_test(a_stopped_run_goes_on_with_the_same_bytes),
        cmocka_unit_test(impossible_settings_are_refused),
        cmocka_unit_test(a_curriculum_adds_opponents),
        cmocka_unit_test(it_learns),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
