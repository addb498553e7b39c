/* Lines of the log, as they come out of standard error. */
#include "service/base/log.h"

#include <fcntl.h>
#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static int kept_stderr, file = -1;

static int catch_stderr(void **state)
{
    char name[] = "/tmp/rinkd-log-XXXXXX";

    (void)state;
    kept_stderr = dup(STDERR_FILENO);
    file = mkstemp(name);
    unlink(name);
    return kept_stderr >= 0 && dup2(file, STDERR_FILENO) == STDERR_FILENO ? 0 : -1;
}

/* What was logged so far; standard error is as before afterwards. */
static const char *caught(void)
{
    static char text[16384];
    ssize_t got = pread(file, text, sizeof text - 1, 0);

    text[got > 0 ? got : 0] = '\0';
    dup2(kept_stderr, STDERR_FILENO);
    return text;
}

static int release_stderr(void **state)
{
    (void)state;
    close(kept_stderr);
    close(file);
    log_setup(false, LOG_INFO);
    return 0;
}

static void a_line_for_people(void **state)
{
    (void)state;
    log_line(LOG_INFO, "job done", "job=%d note=\"a b\"", 7);
    log_line(LOG_DEBUG, "left out", "job=%d", 8);
    const char *text = caught();
    assert_non_null(strstr(text, "Z info job done job=7 note=\"a b\"\n"));
    assert_null(strstr(text, "left out"));
}

static void a_line_as_json(void **state)
{
    (void)state;
    log_setup(true, LOG_DEBUG);
    log_line(LOG_DEBUG, "job done", "job=%d ms=%.3f neg=-4 zero=007 word=x1 note=\"a \\ b\"", 7,
             1.5);
    json_t *line = json_loads(caught(), 0, NULL);
    assert_non_null(line);
    assert_string_equal(json_string_value(json_object_get(line, "level")), "debug");
    assert_string_equal(json_string_value(json_object_get(line, "what")), "job done");
    assert_int_equal(json_integer_value(json_object_get(line, "job")), 7);
    assert_true(json_real_value(json_object_get(line, "ms")) == 1.5);
    assert_int_equal(json_integer_value(json_object_get(line, "neg")), -4);
    assert_string_equal(json_string_value(json_object_get(line, "zero")), "007");
    assert_string_equal(json_string_value(json_object_get(line, "word")), "x1");
    assert_string_equal(json_string_value(json_object_get(line, "note")), "a \\ b");
    json_decref(line);
}

static void any_text_gives_one_line_of_json(void **state)
{
    static const char *const texts[] = {"a=\x01\n\x7f\xff",
                                        "a=\"open",
                                        "no pairs at all",
                                        "=",
                                        "a=",
                                        "a=- b=. c=1. d=1.2.3 e=12345678901234567890123"};
    char large[6000];

    (void)state;
    log_setup(true, LOG_DEBUG);
    memset(large, '"', sizeof large);
    memcpy(large, "a=", 2);
    large[sizeof large - 1] = '\0';
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
        log_line(LOG_ERROR, "what\n", "%s", texts[k]);
    log_line(LOG_ERROR, "large", "%s", large);
    memset(large + 2, '\x01', sizeof large - 3);
    log_line(LOG_ERROR, "large", "%s", large);
    char *copy = strdup(caught()), *rest = copy, *line;
    int lines = 0;
    while ((line = strsep(&rest, "\n")) != NULL && *line) {
        json_t *document = json_loads(line, 0, NULL);
        assert_non_null(document);
        json_decref(document);
        lines++;
    }
    assert_int_equal(lines, sizeof texts / sizeof *texts + 2);
    free(copy);
}

#define LOG_TEST(function) cmocka_unit_test_setup_teardown(function, catch_stderr, release_stderr)

int main(void)
{
    const struct CMUnitTest tests[] = {
        LOG_TEST(a_line_for_people),
        LOG_TEST(a_line_as_json),
        LOG_TEST(any_text_gives_one_line_of_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
