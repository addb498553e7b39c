/* Several callers at once, each with a token: a greedy one leaves the others their share of
 * shots. */
#include "tests/api/client.h"
#include "tests/api/daemon.h"

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

enum { GREEDY_CONNECTIONS = 24, POLITE_QUERIES = 15, TOKEN_MAX = 64 };

struct greedy {
    int port;
    const char *header;
    atomic_bool is_over;
    atomic_int seed, answered, refused, refused_well;
};

/* Makes a token and writes its line to the file. */
static void add_token(const char *name, FILE *tokens, char ret_header[128])
{
    char command[256], line[256], token[TOKEN_MAX];

    snprintf(command, sizeof command, "'%s' --new-token query:%s", RINKD, name);
    FILE *out = popen(command, "re");
    assert_non_null(out);
    assert_int_equal(fscanf(out, "%63s ", token), 1);
    assert_non_null(fgets(line, sizeof line, out));
    assert_int_equal(pclose(out), 0);
    fputs(line, tokens);
    snprintf(ret_header, 128, "Authorization: Bearer %s", token);
}

static struct reply ask(int port, const char *header, int seed)
{
    static const char query[] = "{\"profile\":\"dc3\",\"seed\":%d,"
                                "\"limits\":{\"time_ms\":60},\"timeout_ms\":20000,"
                                "\"state\":{\"end\":0,\"shot\":0,\"hammer\":\"team1\","
                                "\"scores\":{\"team0\":[],\"team1\":[]},"
                                "\"stones\":{\"team0\":[null,null,null,null,null,null,null,null],"
                                "\"team1\":[null,null,null,null,null,null,null,null]}}}";
    const char *const headers[] = {header, "Content-Type: application/json", NULL};
    char body[sizeof query + 16];

    snprintf(body, sizeof body, query, seed);
    return client_call(port,
                       &(struct client_call){
                           .method = "POST", .path = "/v1/shots", .body = body, .header = headers});
}

static void *be_greedy(void *context)
{
    struct greedy *greedy = context;
    char seconds[16];

    while (!atomic_load(&greedy->is_over)) {
        struct reply reply =
            ask(greedy->port, greedy->header, atomic_fetch_add(&greedy->seed, 1) + 1);
        const char *type = json_string_value(json_object_get(reply.json, "type"));
        if (reply.status == 200)
            atomic_fetch_add(&greedy->answered, 1);
        if (reply.status == 503) {
            atomic_fetch_add(&greedy->refused, 1);
            if (type && *reply_header(&reply, "Retry-After", sizeof seconds, seconds) &&
                (strcmp(type, "/problems/share-full") == 0 || strcmp(type, "/problems/busy") == 0))
                atomic_fetch_add(&greedy->refused_well, 1);
        }
        reply_free(&reply);
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    return NULL;
}

static void leave_a_share(struct daemon_process *daemon, const char *waiting_max)
{
    static struct greedy greedy;
    char tokens[160], greedy_header[128], polite_header[128];
    pthread_t threads[GREEDY_CONNECTIONS];
    int status, answered = 0;

    snprintf(tokens, sizeof tokens, "%s/tokens", daemon->folder);
    FILE *file = fopen(tokens, "w");
    assert_non_null(file);
    add_token("greedy", file, greedy_header);
    add_token("polite", file, polite_header);
    assert_int_equal(fclose(file), 0);
    const char *const flags[] = {"--tokens",
                                 tokens,
                                 "--search-processes",
                                 "1",
                                 "--search-waiting-max",
                                 waiting_max,
                                 "--workers",
                                 "0",
                                 NULL};
    assert_true(daemon_start(daemon, flags, &status));
    daemon_wait_ready(daemon);

    greedy = (struct greedy){.port = daemon->port};
    greedy.header = greedy_header;
    for (int k = 0; k < GREEDY_CONNECTIONS; k++)
        assert_int_equal(pthread_create(&threads[k], NULL, be_greedy, &greedy), 0);
    while (atomic_load(&greedy.refused) < 10) /* queue full */
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    for (int k = 0; k < POLITE_QUERIES; k++) {
        struct reply reply = ask(daemon->port, polite_header, -k - 1 + 1000000);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(one_caller_leaves_the_others_their_share,
                                        daemon_prepare_here, daemon_remove_here),
        cmocka_unit_test_setup_teardown(a_short_line_is_shared_as_well, daemon_prepare_here,
                                        daemon_remove_here),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
