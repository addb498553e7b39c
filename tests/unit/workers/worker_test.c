/* A worker that cannot say a line ends: the daemon would believe that all was said. */
#include "workers/worker.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { MESSAGE_MAX = 4096 };

static void *no_memory(size_t size)
{
    (void)size;
    return NULL;
}

/* Loses an offer for want of memory, which is there again for the last word. */
static json_t *offer_in_vain(struct worker *worker, const struct wire_job *job)
{
    json_t *tasks = json_pack("[{s:i, s:i, s:{}}]", "number", 1, "cores", 1, "spec");

    (void)job;
    json_set_alloc_funcs(no_memory, free);
    worker_offer(worker, tasks);
    json_set_alloc_funcs(malloc, free);
    return worker_fail(worker, "went-on", true, "the offer was lost");
}

/* A result that no line holds. */
static json_t *say_too_much(struct worker *worker, const struct wire_job *job)
{
    char *text = malloc(WIRE_LINE_MAX + 1);

    (void)worker;
    (void)job;
    memset(text, 'x', WIRE_LINE_MAX);
    text[WIRE_LINE_MAX] = '\0';
    json_t *result = json_pack("{s:s}", "text", text);
    free(text);
    return result;
}

/* Does a job in a process; returns its exit status, and all that it said. */
static int run(worker_function *function, char ret_said[MESSAGE_MAX])
{
    static const char job[] =
        "{\"type\":\"job\",\"id\":1,\"attempt\":1,\"kind\":\"match\",\"folder\":"
        "\"/tmp\",\"spec\":{},\"runs\":[]}\n";
    const struct worker_kind kinds[] = {{"match", function, false}, {0}};
    size_t length = 0;
    ssize_t got;
    int ends[2], status;

    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    pid_t process = fork();
    assert_true(process >= 0);
    if (process == 0) {
        close(ends[0]);
        _exit(worker_run(ends[1], ends[1], "0", kinds));
    }
    close(ends[1]);
    assert_int_equal(write(ends[0], job, sizeof job - 1), sizeof job - 1);
    while ((got = read(ends[0], ret_said + length, MESSAGE_MAX - 1 - length)) > 0)
        length += (size_t)got;
    ret_said[length] = '\0';
    close(ends[0]);
    assert_int_equal(waitpid(process, &status, 0), process);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void a_worker_that_cannot_write_a_line_ends(void **state)
{
    char said[MESSAGE_MAX];

    (void)state;
    assert_int_equal(run(offer_in_vain, said), 1);
    assert_non_null(strstr(said, "\"hello\""));
    assert_null(strstr(said, "went-on"));
}

static void a_result_that_no_line_holds_is_no_end_of_the_job(void **state)
{
    char said[MESSAGE_MAX];

    (void)state;
    assert_int_equal(run(say_too_much, said), 1);
    assert_null(strstr(said, "done"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_worker_that_cannot_write_a_line_ends),
        cmocka_unit_test(a_result_that_no_line_holds_is_no_end_of_the_job),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
