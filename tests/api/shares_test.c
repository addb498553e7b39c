/* Several callers at once, each with a token: a greedy one leaves the others their share of
 * shots. */
#include "tests/api/daemon.h"
#include "tests/api/sharing.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

enum { GREEDY_CONNECTIONS = 24, POLITE_QUERIES = 15 };

/* Starts a daemon with one search process, a setting and tokens of a greedy and a polite caller. */
static void start(struct daemon_process *daemon, const char *setting, const char *value,
                  char greedy_header[SHARING_HEADER_MAX], char polite_header[SHARING_HEADER_MAX])
{
    char tokens[160];
    int status;

    snprintf(tokens, sizeof tokens, "%s/tokens", daemon->folder);
    FILE *file = fopen(tokens, "w");
    assert_non_null(file);
    sharing_add_token("greedy", file, greedy_header);
    sharing_add_token("polite", file, polite_header);
    assert_int_equal(fclose(file), 0);
    const char *const flags[] = {
        "--tokens", tokens, "--search-processes", "1", "--workers", "0", setting, value, NULL};
    assert_true(daemon_start(daemon, flags, &status));
    daemon_wait_ready(daemon);
}

static void leave_a_share(struct daemon_process *daemon, const char *waiting_max)
{
    static struct greedy greedy;
    char greedy_header[SHARING_HEADER_MAX], polite_header[SHARING_HEADER_MAX];
    pthread_t threads[GREEDY_CONNECTIONS];
    int answered = 0;

    start(daemon, "--search-waiting-max", waiting_max, greedy_header, polite_header);

    greedy = (struct greedy){.port = daemon->port};
    greedy.header = greedy_header;
    for (int k = 0; k < GREEDY_CONNECTIONS; k++)
        assert_int_equal(pthread_create(&threads[k], NULL, sharing_be_greedy, &greedy), 0);
    while (atomic_load(&greedy.refused) < 10) /* queue full */
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    for (int k = 0; k < POLITE_QUERIES; k++) {
        struct reply reply = sharing_ask(daemon->port, polite_header, -k - 1 + 1000000);
        answered += reply.status == 200;
        reply_free(&reply);
    }
    atomic_store(&greedy.is_over, true);
    for (int k = 0; k < GREEDY_CONNECTIONS; k++)
        pthread_join(threads[k], NULL);
    assert_int_equal(answered, POLITE_QUERIES);
    assert_true(atomic_load(&greedy.answered) >=
                POLITE_QUERIES / 3); /* the greedy caller gets its share too */
    assert_int_equal(atomic_load(&greedy.refused), atomic_load(&greedy.refused_well));
    assert_int_equal(daemon_end(daemon, SIGTERM), 0);
}

static void one_caller_leaves_the_others_their_share(void **state)
{
    leave_a_share(*state, "4");
}

static void a_short_line_is_shared_as_well(void **state)
{
    leave_a_share(*state, "1");
    leave_a_share(*state, "0");
}

/* Queries of a caller that run for an hour occupy all places and fill the line. */
static void long_searches_keep_no_other_caller_out(void **state)
{
    struct daemon_process *daemon = *state;
    char greedy_header[SHARING_HEADER_MAX], polite_header[SHARING_HEADER_MAX];

    start(daemon, "--search-waiting-max", "1", greedy_header, polite_header);
    for (int k = 0; k < 2; k++) {
        struct reply reply = sharing_ask_long(daemon->port, greedy_header, k, true);
        assert_int_equal(reply.status, 202);
        reply_free(&reply);
    }
    for (int k = 0; k < 3; k++) {
        struct reply reply = sharing_ask(daemon->port, polite_header, k);
        assert_int_equal(reply.status, 200);
        reply_free(&reply);
    }
    assert_int_equal(daemon_end(daemon, SIGTERM), 0);
}

static void the_administrator_bounds_the_time_of_a_query(void **state)
{
    struct daemon_process *daemon = *state;
    char greedy_header[SHARING_HEADER_MAX], polite_header[SHARING_HEADER_MAX];

    start(daemon, "--search-max-ms", "300", greedy_header, polite_header);
    struct reply reply = sharing_ask_long(daemon->port, greedy_header, 1, false);
    assert_int_equal(reply.status, 200);
    assert_string_equal(json_string_value(json_object_get(reply.json, "stopped")), "timeout");
    reply_free(&reply);
    assert_int_equal(daemon_end(daemon, SIGTERM), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(one_caller_leaves_the_others_their_share,
                                        daemon_prepare_here, daemon_remove_here),
        cmocka_unit_test_setup_teardown(a_short_line_is_shared_as_well, daemon_prepare_here,
                                        daemon_remove_here),
        cmocka_unit_test_setup_teardown(long_searches_keep_no_other_caller_out, daemon_prepare_here,
                                        daemon_remove_here),
        cmocka_unit_test_setup_teardown(the_administrator_bounds_the_time_of_a_query,
                                        daemon_prepare_here, daemon_remove_here),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
