/* rink-simulate as its users run it: lines, files, usage. */
#include "tests/programs/simulate_run.h"
#include "tests/programs/usage.h"

/* ---- lines ---- */

static void an_empty_input_exits_with_0(void **state)
{
    (void)state;
    struct program_run run = simulate("", NULL);

    assert_int_equal(run.status, 0);
    assert_int_equal(run.length, 0);
    program_free(&run);
}

static void blank_lines_crlf_and_a_missing_last_end_do_no_harm(void **state)
{
    (void)state;
    struct program_run run =
        simulate("\n" DC2_LINE("1") "\r\n\r\n  \t \n" FCV1_LINE("2") "\nbad\n" DC2_LINE("3"), NULL);

    assert_int_equal(run.status, 2);
    assert_int_equal(lines_of(&run), 4);
    outcome_at(&run, 0, 1);
    outcome_at(&run, 1, 2);
    error_at(&run, 2, 6, "not JSON");
    outcome_at(&run, 3, 3);
    program_free(&run);
}

static void a_bad_line_is_answered_in_its_place_and_the_run_goes_on(void **state)
{
    (void)state;
    struct program_run run =
        simulate(DC2_LINE("1") "\n{\"id\":\"b\",\"model\":\"dc2\",\"n\":99}\n[]\n" FCV1_LINE_OF(
                     "dc3", "4", "99", "1") "\n" FCV1_LINE_OF("dc4", "5", "2.4", "-1") "\n",
                 NULL);

    assert_int_equal(run.status, 2);
    assert_string_equal(run.errors, "");
    assert_int_equal(lines_of(&run), 5);
    outcome_at(&run, 0, 1);
    error_at(&run, 1, 2, "is not in");
    error_at(&run, 2, 3, "must be an object");
    error_at(&run, 3, 4, "shot.speed: ");
    outcome_at(&run, 4, 5);

    json_t *root = line_of(&run, 1);
    assert_string_equal(json_string_value(json_object_get(root, "id")), "b");
    json_decref(root);
    root = line_of(&run, 2);
    assert_null(json_object_get(root, "id"));
    json_decref(root);
    program_free(&run);
}

static void nul_bytes_and_noise_are_bad_lines(void **state)
{
    (void)state;
    const char input[] = "\0\0\n{\"id\":1,\0}\n\xff\xfe\xfd\n" DC2_LINE("7") "\n\0";
    struct program_run run = simulate_bytes(input, sizeof input - 1, NULL);

    assert_int_equal(run.status, 2);
    assert_int_equal(lines_of(&run), 5);
    for (int k = 0; k < 3; k++)
        error_at(&run, k, k + 1, "not JSON");
    outcome_at(&run, 3, 7);
    error_at(&run, 4, 5, "not JSON");
    program_free(&run);
}

static void lines_over_a_mebibyte_are_refused_and_skipped(void **state)
{
    (void)state;
    const size_t mebibyte = 1 << 20;
    const char *line = DC2_LINE("3");
    size_t length = strlen(line);
    char *input = malloc(6 * mebibyte), *end = input;

    assert_non_null(input);
    /* 1: of the maximum length. 2, 3: one byte longer, with
     *  and with \r
     * . 4: very long. 5: good. */
    memset(input, ' ', 6 * mebibyte);
    memcpy(end, line, length);
    end += mebibyte;
    *end++ = '\n';
    memcpy(end, line, length);
    end += mebibyte + 1;
    *end++ = '\n';
    memcpy(end, line, length);
    end += mebibyte + 1;
    memcpy(end, "\r\n", 2);
    end += 2;
    memset(end, 'x', 2 * mebibyte);
    end += 2 * mebibyte;
    *end++ = '\n';
    memcpy(end, line, length);
    end += length;
    struct program_run run = simulate_bytes(input, (size_t)(end - input), NULL);

    assert_int_equal(run.status, 2);
    assert_int_equal(lines_of(&run), 5);
    outcome_at(&run, 0, 3);
    for (int k = 1; k <= 3; k++)
        error_at(&run, k, k + 1, "longer than 1048576 bytes");
    outcome_at(&run, 4, 3);
    free(input);
    program_free(&run);
}

static void an_interactive_user_gets_each_answer_before_the_next_question(void **state)
{
    (void)state;
    const char *argv[] = {RINK_SIMULATE, NULL};
    struct program_talk talk = program_start(argv);
    char line[4096];

    /* An answer that waited for more input would block here until ctest's time limit. */
    fputs(DC2_LINE("1") "\n", talk.to);
    fflush(talk.to);
    assert_non_null(fgets(line, sizeof line, talk.from));
    assert_non_null(strstr(line, "\"id\":1,"));
    fputs("oops\n{\"model\":\"dc2\",", talk.to); /* and half a line */
    fflush(talk.to);
    assert_non_null(fgets(line, sizeof line, talk.from));
    assert_non_null(strstr(line, "\"line\":2}"));
    const char *third = DC2_LINE("3");
    fputs(third + strlen("{\"model\":\"dc2\","), talk.to);
    fputs("\n", talk.to);
    fflush(talk.to);
    assert_non_null(fgets(line, sizeof line, talk.from));
    assert_non_null(strstr(line, "\"id\":3,"));
    assert_int_equal(program_finish(&talk), 2);
}

/* ---- usage and files ---- */

static void usage_errors_exit_with_1(void **state)
{
    (void)state;
    const char *const wrong[][OPTIONS_MAX] = {
        {"--profile=dc5"},
        {"--profile="},
        {"--engine=slow"},
        {"--noise=gauss"},
        {"--samples=0"},
        {"--samples=-1"},
        {"--samples=1.5"},
        {"--samples=10x"},
        {"--samples="},
        {"--samples= 3"},
        {"--samples=1000000001"},
        {"--seed=-1"},
        {"--seed=18446744073709551616"},
        {"--seed=0x10"},
        {"--threads=0"},
        {"--threads=257"},
        {"--threads=two"},
        {"--trajectory=0"},
        {"--trajectory=-1"},
        {"--trajectory=nan"},
        {"--trajectory=inf"},
        {"--trajectory=1e9"},
        {"--trajectory=0x1"},
        {"--trajectory=1s"},
        {"--trajectory="},
        {"--no-such-option"},
        {"--samples"},
        {"a.jsonl", "b.jsonl"},
    };

    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        struct program_run run = simulate(DC2_LINE("1") "\n", wrong[k]);
        if (run.status != 1 || run.length != 0 || !*run.errors)
            fail_msg("%s: status %d, output \"%s\"", wrong[k][0], run.status, run.output);
        program_free(&run);
    }
}

static void files_that_cannot_be_read_exit_with_1(void **state)
{
    (void)state;
    struct program_run run = simulate("", OPTIONS("/nowhere/scenes.jsonl"));
    assert_int_equal(run.status, 1);
    assert_non_null(strstr(run.errors, "/nowhere/scenes.jsonl: No such file"));
    program_free(&run);

    run = simulate("", OPTIONS("/"));
    assert_int_equal(run.status, 1);
    assert_non_null(strstr(run.errors, "Is a directory"));
    program_free(&run);
}

static void a_full_disk_exits_with_1(void **state)
{
    (void)state;
    const char *argv[] = {"/bin/sh", "-c", RINK_SIMULATE " >/dev/full", NULL};
    struct program_run run = program_run(argv, DC2_LINE("1") "\n", strlen(DC2_LINE("1") "\n"));

    assert_int_equal(run.status, 1);
    assert_non_null(strstr(run.errors, "standard output: No space left on device"));
    program_free(&run);
}

static void a_reader_that_goes_away_ends_the_run_quietly(void **state)
{
    (void)state;
    const char *argv[] = {"/bin/sh", "-c",
                          "{ " RINK_SIMULATE " --samples=1000000000; echo $? >&2; } | head -n 1",
                          NULL};
    struct program_run run = program_run(argv, DC2_LINE("1") "\n", strlen(DC2_LINE("1") "\n"));

    assert_int_equal(run.status, 0);
    outcome_at(&run, 0, 1);
    assert_string_equal(run.errors, "1\n");
    program_free(&run);
}

static void help_and_version_exit_with_0(void **state)
{
    (void)state;
    usage_is_told(RINK_SIMULATE, "rink-simulate", "Usage: rink-simulate [OPTION...] [FILE]");
}

static void the_manual_page_has_every_option(void **state)
{
    (void)state;
    struct program_run help = simulate("", OPTIONS("--help"));
    char *page = usage_page(RINK_SIMULATE_PAGE);

    assert_true(usage_page_has_options(page, help.output) >= 10);
    assert_int_equal(usage_page_has_defaults(page, help.output), 1);
    assert_int_equal(usage_page_has_no_others(page, help.output), 10);
    free(page);
    program_free(&help);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_input_exits_with_0),
        cmocka_unit_test(blank_lines_crlf_and_a_missing_last_end_do_no_harm),
        cmocka_unit_test(a_bad_line_is_answered_in_its_place_and_the_run_goes_on),
        cmocka_unit_test(nul_bytes_and_noise_are_bad_lines),
        cmocka_unit_test(lines_over_a_mebibyte_are_refused_and_skipped),
        cmocka_unit_test(an_interactive_user_gets_each_answer_before_the_next_question),
        cmocka_unit_test(usage_errors_exit_with_1),
        cmocka_unit_test(files_that_cannot_be_read_exit_with_1),
        cmocka_unit_test(a_full_disk_exits_with_1),
        cmocka_unit_test(a_reader_that_goes_away_ends_the_run_quietly),
        cmocka_unit_test(help_and_version_exit_with_0),
        cmocka_unit_test(the_manual_page_has_every_option),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
