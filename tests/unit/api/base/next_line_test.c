/* The end of a file is told from lines that cannot be read. */
#include "api/base/next_line.h"
#include "tests/unit/short_lines.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static FILE *file_of(const char *text)
{
    FILE *file = tmpfile();

    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    rewind(file);
    return file;
}

static void lines_come_up_to_the_end(void **state)
{
    FILE *file = file_of("one\n\ntwo");
    char *line = NULL;
    size_t room = 0;

    (void)state;
    assert_int_equal(next_line(&line, &room, file), 4);
    assert_string_equal(line, "one\n");
    assert_int_equal(next_line(&line, &room, file), 1);
    assert_int_equal(next_line(&line, &room, file), 3);
    assert_string_equal(line, "two");
    errno = ENOMEM; /* of something before */
    assert_int_equal(next_line(&line, &room, file), 0);
    assert_int_equal(next_line(&line, &room, file), 0);
    free(line);
    fclose(file);
}

static void short_memory_is_not_the_end(void **state)
{
    FILE *file = file_of("one\ntwo\n");
    char *line = NULL;
    size_t room = 0;

    (void)state;
    short_lines_fail(2);
    assert_int_equal(next_line(&line, &room, file), 4);
    assert_int_equal(next_line(&line, &room, file), -1);
    assert_int_equal(errno, ENOMEM);
    assert_int_equal(next_line(&line, &room, file), 4); /* and nothing is lost */
    short_lines_fail(1);
    assert_int_equal(next_text(&line, &room, file), -1);
    free(line);
    fclose(file);
}

static void a_folder_cannot_be_read(void **state)
{
    FILE *file = fopen("/", "re");
    char *line = NULL, first[8];
    size_t room = 0;

    (void)state;
    assert_non_null(file);
    assert_int_equal(next_line(&line, &room, file), -1);
    assert_int_equal(errno, EISDIR);
    clearerr(file);
    assert_int_equal(first_line(file, first, sizeof first), -1);
    assert_int_equal(errno, EISDIR);
    assert_string_equal(first, "");
    free(line);
    fclose(file);
}

static void the_first_line_has_no_end(void **state)
{
    FILE *file = file_of("secret\r\nmore\n"), *empty = file_of("");
    char line[16];

    (void)state;
    assert_int_equal(first_line(file, line, sizeof line), 1);
    assert_string_equal(line, "secret");
    assert_int_equal(first_line(empty, line, sizeof line), 0);
    assert_string_equal(line, "");
    fclose(file);
    fclose(empty);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_come_up_to_the_end),
        cmocka_unit_test(short_memory_is_not_the_end),
        cmocka_unit_test(a_folder_cannot_be_read),
        cmocka_unit_test(the_first_line_has_no_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
