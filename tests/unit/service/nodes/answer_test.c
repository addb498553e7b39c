/* The hash of a task's answer. */
#include "service/nodes/answer.h"
#include "tests/unit/short_lines.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static char path[] = "/tmp/rinkd-answer-XXXXXX";

static void write_text(const char *text)
{
    FILE *file = fopen(path, "we");

    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void times_do_not_count(void **state)
{
    json_t *result = json_pack("{s:i, s:f}", "games", 2, "cpu_s", 1.5);
    json_t *later = json_pack("{s:i, s:f}", "games", 2, "cpu_s", 2.5);
    char one[ANSWER_MAX], two[ANSWER_MAX];

    (void)state;
    write_text("{\"pair\":1,\"used_ms\":3}\n{\"pair\":2}\n");
    assert_int_equal(answer_hash(result, path, one), API_OK);
    write_text("{\"pair\":1,\"used_ms\":4}\n{\"pair\":2}\n");
    assert_int_equal(answer_hash(later, path, two), API_OK);
    assert_string_equal(one, two);
    write_text("{\"pair\":1,\"used_ms\":4}\n");
    assert_int_equal(answer_hash(later, path, two), API_OK);
    assert_string_not_equal(one, two);
    json_decref(result);
    json_decref(later);
}

/* Else two right answers differ, and an honest node is taken for a liar. */
static void a_file_that_is_read_in_part_has_no_hash(void **state)
{
    json_t *result = json_pack("{s:i}", "games", 2);
    char answer[ANSWER_MAX];

    (void)state;
    write_text("{\"pair\":1}\n{\"pair\":2}\n");
    for (int n = 1; n <= 3; n++) {
        short_lines_fail(n);
        assert_int_equal(answer_hash(result, path, answer), API_NO_MEMORY);
    }
    short_lines_fail(0);
    assert_int_equal(answer_hash(result, "/nowhere/file", answer), API_NOT_FOUND);
    json_decref(result);
}

static int begin(void **state)
{
    (void)state;
    int fd = mkstemp(path);
    return fd >= 0 ? close(fd) : -1;
}

static int end(void **state)
{
    (void)state;
    return unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_do_not_count),
        cmocka_unit_test(a_file_that_is_read_in_part_has_no_hash),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
