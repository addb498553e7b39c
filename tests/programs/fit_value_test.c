/* rink-fit-value as run to remake the shipped weights, with few positions. */
#include "models/game/sheet.h"
#include "models/networks/end_value.h"
#include "models/networks/weights.h"
#include "tests/programs/program.h"
#include "tests/slow.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* Fits two stages with one more option (NULL: none); --out is the file NAME in the folder. */
static struct program_run fit(const char *folder, const char *name, const char *more,
                              const char *threads)
{
    char out[300];
    const char *argv[] = {FIT_VALUE,   "--states=100", "--epochs=2", "--first=15",
                          "--last=14", "--seed=3",     threads,      "--simulations=100",
                          out,         more,           NULL};
    snprintf(out, sizeof out, "--out=%s/%s", folder, name);
    return program_run(argv, "", 0);
}

/* Reads the network from a file of the folder; false if it is not one. */
static bool read_network(const char *folder, const char *name, struct end_value *ret_network)
{
    char path[300];
    char error[WEIGHTS_ERROR_MAX];
    struct weights weights;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (!weights_map(path, &weights, error))
        return false;
    bool good = end_value_read(weights.bytes, weights.size, ret_network) == NET_OK;
    weights_unmap(&weights);
    return good;
}

static void a_sweep_is_the_same_for_any_number_of_threads(void **state)
{
    static struct end_value one, three, next;
    const char *folder = *state;
    struct program_run run = fit(folder, "one", NULL, "--threads=1");
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.output, "shots thrown 15: error"));
    assert_non_null(strstr(run.output, "shots thrown 14: error"));
    assert_null(strstr(run.output, "shots thrown 13"));
    program_free(&run);
    run = fit(folder, "three", NULL, "--threads=3");
    assert_int_equal(run.status, 0);
    program_free(&run);
    assert_true(read_network(folder, "one", &one) && read_network(folder, "three", &three));
    assert_memory_equal(&one, &three, sizeof one);

    /* A further sweep starts from existing weights and from play by them. */
    char from[300];
    snprintf(from, sizeof from, "--from=%s/one", folder);
    run = fit(folder, "next", from, "--threads=2");
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.output, "25 ends played"));
    program_free(&run);
    assert_true(read_network(folder, "next", &next));
    assert_memory_not_equal(&next.stage[14], &one.stage[14], sizeof one.stage[14]);
    assert_memory_equal(&next.stage[0], &one.stage[0], sizeof one.stage[0]); /* not retrained */
}

/* Returns the mean score of sente that a network expects when a sente stone lies on the tee and
 * gote has the last shot. */
static double expected(const struct end_value *network)
{
    struct position position = {0};
    float p[END_VALUE_SCORES];
    double sum = 0.0;
    position_put(&position, 0, (struct vec2){0.0, SHEET_TEE_Y});
    end_value_scores(network, &position, 15, p);
    for (int k = 0; k < END_VALUE_SCORES; k++)
        sum += (double)p[k] * (k - END_VALUE_ZERO);
    return sum;
}

static void share_of_mistakes_raises_expected_points(void **state)
{
    static struct end_value network;
    const char *folder = *state;
    const char *const more[] = {"--share=0.0", "--share=1.0"};
    double points[2];
    for (int k = 0; k < 2; k++) {
        char out[300];
        const char *argv[] = {FIT_VALUE,
                              SLOW_OR("--states=600", "--states=2000"),
                              "--epochs=10",
                              "--first=15",
                              "--last=15",
                              "--simulations=100",
                              "--like=random",
                              "--fallible=gote",
                              more[k],
                              out,
                              NULL};
        snprintf(out, sizeof out, "--out=%s/network", folder);
        struct program_run run = program_run(argv, "", 0);
        assert_int_equal(run.status, 0);
        program_free(&run);
        assert_true(read_network(folder, "network", &network));
        points[k] = expected(&network);
    }
    print_message("points of sente: %.2f, %.2f\n", points[0], points[1]);
    assert_true(points[1] > points[0] + 0.2);

    /* A seat that never errs plays as well as the best. */
    static struct end_value plain, never;
    struct program_run run = fit(folder, "plain", NULL, "--threads=1");
    assert_int_equal(run.status, 0);
    program_free(&run);
    char out[300];
    const char *argv[] = {
        FIT_VALUE,  "--states=100",      "--epochs=2",       "--first=15", "--last=14",
        "--seed=3", "--simulations=100", "--fallible=sente", "--share=0",  out,
        NULL};
    snprintf(out, sizeof out, "--out=%s/never", folder);
    run = program_run(argv, "", 0);
    assert_int_equal(run.status, 0);
    program_free(&run);
    assert_true(read_network(folder, "plain", &plain) && read_network(folder, "never", &never));
    assert_memory_equal(&plain, &never, sizeof plain);
}

static void errors_are_named_and_nothing_is_written(void **state)
{
    const char *folder = *state;
    char path[300], option[310];
    snprintf(path, sizeof path, "%s/broken", folder);
    snprintf(option, sizeof option, "--from=%s", path);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("not a network", file);
    fclose(file);

    const struct {
        const char *more, *part;
    } wrong[] = {{option, "broken: the file of weights is not safetensors"},
                 {"--from=/no/such/file", "--from: /no/such/file: No such file"},
                 {"--first=13", "--first: 13 is before --last, 14"},
                 {"--first=14", "--from=FILE is missing"},
                 {"--profile=mixed", "--profile=mixed: no such profile"},
                 {"--states=5", "states"},
                 {"--fallible=both", "--fallible=both: neither sente nor gote"},
                 {"--like=nobody", "--like: "},
                 {"--share=1.5", "share"},
                 {"--last=0", "last"},
                 {"--threads=0", "threads"}};
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        struct program_run run = fit(folder, "out", wrong[k].more, "--threads=1");
        assert_int_not_equal(run.status, 0);
        if (!strstr(run.errors, wrong[k].part))
            fail_msg("'%s' does not say '%s'", run.errors, wrong[k].part);
        program_free(&run);
        snprintf(path, sizeof path, "%s/out", folder);
        assert_int_equal(access(path, F_OK), -1);
    }
    struct program_run run = fit("/no/such/folder", "out", NULL, "--threads=1");
    assert_int_equal(run.status, 1);
    assert_non_null(strstr(run.errors, "/no/such/folder/out"));
    program_free(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_sweep_is_the_same_for_any_number_of_threads,
                                        program_make_folder, program_remove_folder),
        cmocka_unit_test_setup_teardown(share_of_mistakes_raises_expected_points,
                                        program_make_folder, program_remove_folder),
        cmocka_unit_test_setup_teardown(errors_are_named_and_nothing_is_written,
                                        program_make_folder, program_remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
