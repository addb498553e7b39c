/* Programs report failure when their output is lost. */
#include "tests/programs/program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const struct {
    const char *name, *path;
} programs[] = {
    {"rink-compete", RINK_COMPETE},
    {"rink-data", RINK_DATA},
    {"rink-evaluate", RINK_EVALUATE},
    {"rink-fit-value", RINK_FIT_VALUE},
    {"rink-learn", RINK_LEARN},
    {"rink-node", RINK_NODE},
    {"rink-post", RINK_POST},
    {"rink-search", RINK_SEARCH},
    {"rink-simulate", RINK_SIMULATE},
    {"rinkctl", RINKCTL},
    {"rinkd", RINKD},
};

enum { PROGRAMS = sizeof programs / sizeof programs[0] };

/* Runs the program with an option through the shell, with output redirected `to`. */
static struct program_run run_to(const char *path, const char *option, const char *to)
{
    char line[1024];
    const char *const argv[] = {"/bin/sh", "-c", line, NULL};

    snprintf(line, sizeof line, "'%s' %s %s", path, option, to);
    return program_run(argv, "", 0);
}

static void expect_lost(const char *name, const char *path, const char *option)
{
    static const struct {
        const char *to, *why;
    } lost[] = {{">/dev/full", "No space left on device"}, {">&-", "Bad file descriptor"}};
    char message[128];

    for (size_t k = 0; k < sizeof lost / sizeof lost[0]; k++) {
        struct program_run run = run_to(path, option, lost[k].to);
        snprintf(message, sizeof message, "%s: standard output: %s\n", name, lost[k].why);
        if (run.status != 1 || strcmp(run.errors, message) != 0)
            fail_msg("%s %s %s: status %d, '%s'", name, option, lost[k].to, run.status, run.errors);
        program_free(&run);
    }
    struct program_run good = run_to(path, option, "");
    assert_int_equal(good.status, 0);
    assert_true(good.length > 0);
    assert_string_equal(good.errors, "");
    program_free(&good);
}

static void help_and_version_that_are_lost_exit_with_1(void **state)
{
    (void)state;
    for (size_t k = 0; k < PROGRAMS; k++) {
        expect_lost(programs[k].name, programs[k].path, "--help");
        expect_lost(programs[k].name, programs[k].path, "--version");
    }
    expect_lost("rink-evaluate", RINK_EVALUATE, "match --help");
    expect_lost("rink-learn", RINK_LEARN, "train --help");
    expect_lost("rink-search", RINK_SEARCH, "--list-players");
    expect_lost("rink-search", RINK_SEARCH, "--list-players --json");
    expect_lost("rinkctl", RINKCTL, "jobs --help");
    expect_lost("rinkd", RINKD, "--new-token read");
}

/* Wrong usage keeps its status and message. */
static void other_statuses_are_left_alone(void **state)
{
    (void)state;
    for (size_t k = 0; k < PROGRAMS; k++) {
        struct program_run lost = run_to(programs[k].path, "--no-such-option", ">/dev/full");
        struct program_run run = run_to(programs[k].path, "--no-such-option", "");
        assert_int_not_equal(run.status, 0);
        assert_int_equal(lost.status, run.status);
        assert_string_equal(lost.errors, run.errors);
        program_free(&lost);
        program_free(&run);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(help_and_version_that_are_lost_exit_with_1),
        cmocka_unit_test(other_statuses_are_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
