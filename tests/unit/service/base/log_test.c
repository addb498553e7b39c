/* Lines of the log, as written to standard error. */
#include "service/base/log.h"

#include <fcntl.h>
#include <jansson.h>
#include <math.h>
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

/* Returns the text logged so far and restores standard error. */
static const char *caught(void)
{
    static char text[131072];
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

static void plain_lines_have_every_field(void **state)
{
    (void)state;
    log_line(LOG_INFO, "job done", log_whole("job", -7), log_real("s", 1.5),
             log_text("kind", "match"), log_text("note", "a b"), log_text("none", NULL),
             log_text("empty", ""));
    log_line(LOG_DEBUG, "left out", log_whole("job", 8));
    const char *text = caught();
    assert_non_null(
        strstr(text, "Z info job done job=-7 s=1.500 kind=match note=\"a b\" empty=\"\"\n"));
    assert_null(strstr(text, "left out"));
}

static void json_lines_have_every_field(void **state)
{
    (void)state;
    log_setup(true, LOG_DEBUG);
    log_line(LOG_DEBUG, "job done", log_whole("job", 7), log_real("ms", 1.5), log_real("eta", NAN),
             log_text("none", NULL), log_text("digits", "12"), log_text("note", "a \\ \"b\""));
    json_t *line = json_loads(caught(), 0, NULL);
    assert_non_null(line);
    assert_string_equal(json_string_value(json_object_get(line, "level")), "debug");
    assert_string_equal(json_string_value(json_object_get(line, "what")), "job done");
    assert_int_equal(json_integer_value(json_object_get(line, "job")), 7);
    assert_true(json_real_value(json_object_get(line, "ms")) == 1.5);
    assert_true(json_is_null(json_object_get(line, "eta")));
    assert_null(json_object_get(line, "none"));
    assert_string_equal(json_string_value(json_object_get(line, "digits")), "12");
    assert_string_equal(json_string_value(json_object_get(line, "note")), "a \\ \"b\"");
    json_decref(line);
}

/* Texts that others can put into a log: a worker's detail, a request's path. */
static const char *const hostile[] = {
    "x\" level=\"error\" job=\"9",
    "x\",\"level\":\"error\",\"job\":\"9",
    "a=b c=d",
    "line\n2026-01-01T00:00:00.000Z error forged",
    "line\r\n{\"forged\":true}",
    "\x1b]0;title\a\x1b[2J",
    "\\",
    "\"",
    "\\\"",
    "\xff\xfe\xc0\x80\xed\xa0\x80\xf5\x80\x80\x80\xe2\x82",
    "\x7f\xc2\x9b\xe2\x80\xae\xe2\x80\xa8\xef\xbb\xbf",
    "Zürich 東京 🥌",
    "G\x85\x80T \x9b\xb1",
};
enum { HOSTILE = sizeof hostile / sizeof *hostile };

static void no_text_forges_a_line_or_a_member(void **state)
{
    (void)state;
    log_setup(true, LOG_DEBUG);
    for (int k = 0; k < HOSTILE; k++)
        log_line(LOG_INFO, "what\n", log_text("detail", hostile[k]), log_whole("k", k));
    char *copy = strdup(caught()), *rest = copy, *line;
    int lines = 0;
    while ((line = strsep(&rest, "\n")) != NULL && *line) {
        json_t *document = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
        assert_non_null(document);
        assert_int_equal(json_object_size(document), 5);
        assert_string_equal(json_string_value(json_object_get(document, "level")), "info");
        assert_string_equal(json_string_value(json_object_get(document, "what")), "what\n");
        assert_int_equal(json_integer_value(json_object_get(document, "k")), lines);
        if (lines != 9 && lines != 12) /* not UTF-8 */
            assert_string_equal(json_string_value(json_object_get(document, "detail")),
                                hostile[lines]);
        for (const char *byte = line; *byte; byte++)
            assert_true((unsigned char)*byte >= 0x20 && *byte != 0x7f);
        json_decref(document);
        lines++;
    }
    assert_int_equal(lines, HOSTILE);
    assert_non_null(strstr(caught(), "Zürich 東京 🥌"));
    assert_null(strstr(caught(), "\xe2\x80\xae"));
    free(copy);
}

static void people_see_one_line_and_where_a_text_ends(void **state)
{
    (void)state;
    for (int k = 0; k < HOSTILE; k++)
        log_line(LOG_INFO, "what\n", log_text("detail", hostile[k]), log_whole("k", k));
    const char *text = caught();
    int lines = 0;
    for (const char *byte = text; *byte; byte++) {
        lines += *byte == '\n';
        assert_true((unsigned char)*byte >= 0x20 || *byte == '\n');
    }
    assert_int_equal(lines, HOSTILE);
    assert_non_null(
        strstr(text, "info what\\n detail=\"x\\\" level=\\\"error\\\" job=\\\"9\" k=0\n"));
    assert_non_null(strstr(text, "detail=\"a=b c=d\" k=2\n"));
    assert_non_null(strstr(text, "detail=\"line\\n2026-01-01T00:00:00.000Z error forged\" k=3\n"));
    assert_non_null(strstr(text, "detail=\"\\u001b]0;title\\u0007\\u001b[2J\" k=5\n"));
    assert_non_null(strstr(text, "detail=\"\\u007f\\u009b\\u202e\\u2028\\ufeff\" k=10\n"));
    assert_non_null(strstr(text, "detail=\"Zürich 東京 🥌\" k=11\n"));
    assert_null(strchr(text, '\xff'));
}

/* A long path must not displace the caller's name. */
static void a_long_text_is_cut_and_other_fields_remain(void **state)
{
    char large[9000];

    (void)state;
    log_setup(true, LOG_DEBUG);
    for (int k = 0; k < 2; k++) {
        memset(large, k == 0 ? 'x' : '\x01', sizeof large);
        large[sizeof large - 1] = '\0';
        log_line(LOG_ERROR, "large", log_text("a", large), log_text("b", large),
                 log_text("caller", "ann"), log_whole("status", 200));
    }
    for (int k = 0; k < 12; k++) /* more than fits */
        log_line(LOG_ERROR, large, log_text("a", large), log_text("b", large), log_text("c", large),
                 log_text("d", large), log_text("e", large), log_text("f", large),
                 log_text("g", large), log_text("h", large), log_text("i", large));
    char *copy = strdup(caught()), *rest = copy, *line;
    int lines = 0;
    while ((line = strsep(&rest, "\n")) != NULL && *line) {
        json_t *document = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
        assert_non_null(document);
        if (lines < 2) {
            const char *text = json_string_value(json_object_get(document, "a"));
            assert_true(strlen(text) <= LOG_TEXT_MAX + 3);
            assert_string_equal(text + strlen(text) - 3, "…");
            assert_int_equal(json_integer_value(json_object_get(document, "status")), 200);
        }
        json_decref(document);
        lines++;
    }
    assert_int_equal(lines, 14);
    free(copy);
}

#define LOG_TEST(function) cmocka_unit_test_setup_teardown(function, catch_stderr, release_stderr)

int main(void)
{
    const struct CMUnitTest tests[] = {
        LOG_TEST(plain_lines_have_every_field),
        LOG_TEST(json_lines_have_every_field),
        LOG_TEST(no_text_forges_a_line_or_a_member),
        LOG_TEST(people_see_one_line_and_where_a_text_ends),
        LOG_TEST(a_long_text_is_cut_and_other_fields_remain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
