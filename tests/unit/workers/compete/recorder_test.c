/* The records of a game in progress survive a worker that cannot read them. */
#include "workers/compete/recorder.h"

#include "tests/unit/short_lines.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char path[] = "/tmp/rinkd-recorder-XXXXXX";

static off_t bytes_of_file(void)
{
    struct stat status;

    assert_int_equal(stat(path, &status), 0);
    return status.st_size;
}

static void close_without_game(struct recorder *recorder)
{
    const struct session_report report = {.end = SESSION_FAILED, .team = -1};
    struct pair_game game;
    int index;

    assert_false(recorder_close(recorder, &report, false, &game, &index));
}

static void records_that_cannot_be_read_stay(void **state)
{
    static const char lines[] = "{\"record\":\"header\"}\n"
                                "{\"record\":\"shot\",\"end\":0,\"shot\":0}\n"
                                "{\"record\":\"shot\",\"end\":0,\"shot\":1}\n";
    FILE *file = fopen(path, "we");

    (void)state;
    assert_non_null(file);
    assert_true(fputs(lines, file) >= 0 && fputs("{\"record\":\"sh", file) >= 0);
    assert_int_equal(fclose(file), 0);
    const off_t before = bytes_of_file();
    for (int n = 1; n <= 4; n++) {
        short_lines_fail(n);
        assert_null(recorder_open(path, "rink"));
        assert_int_equal(errno, ENOMEM);
        assert_int_equal(bytes_of_file(), before);
    }
    short_lines_fail(0);
    struct recorder *recorder = recorder_open(path, "rink");
    assert_non_null(recorder);
    assert_int_equal(bytes_of_file(), sizeof lines - 1); /* without the broken line */
    close_without_game(recorder);
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(records_that_cannot_be_read_stay)};

    return cmocka_run_group_tests(tests, begin, end);
}
