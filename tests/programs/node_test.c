/* rink-node as a user starts it: its command line, what it refuses, and what it sends first.
 * tests/cluster runs it with a daemon. */
#include "api/jobs/wire.h"
#include "tests/patience.h"
#include "tests/programs/http_stand_in.h"
#include "tests/programs/program.h"
#include "tests/programs/usage.h"

#include <jansson.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* Runs it with up to three options in a folder of its own. */
static struct program_run run(const char *folder, const char *a, const char *b, const char *c)
{
    char cache[256];
    const char *argv[] = {RINK_NODE, "--cache", cache, "--programs", folder, a, b, c, NULL};

    snprintf(cache, sizeof cache, "%s/cache", folder);
    return program_run(argv, "", 0);
}

static void assert_refused(struct program_run ended, int status, const char *words)
{
    if (ended.status != status || !strstr(ended.errors, words))
        fail_msg("not %d with '%s': %d %s", status, words, ended.status, ended.errors);
    program_free(&ended);
}

static void the_manual_page_names_every_option(void **state)
{
    const char *const argv[] = {RINK_NODE, "--help", NULL};
    struct program_run help = program_run(argv, "", 0);
    char *page = usage_page(RINK_NODE_PAGE);

    (void)state;
    usage_is_told(RINK_NODE, "rink-node", "Usage: rink-node [OPTION...]\n");
    assert_int_equal(usage_page_has_options(page, help.output),
                     usage_page_has_no_others(page, help.output));
    free(page);
    program_free(&help);
}

static void wrong_usage_is_refused(void **state)
{
    const char *folder = *state;
    char empty[256], option[300];

    assert_refused(run(folder, "--url=ftp://host", NULL, NULL), 1, "--url must be like");
    assert_refused(run(folder, "--url=host:80:90", NULL, NULL), 1, "--url must be like");
    assert_refused(run(folder, "--name=a b", NULL, NULL), 1, "--name has 1 to 63 letters");
    assert_refused(run(folder, "--cores=0", NULL, NULL), 1, "cores");
    assert_refused(run(folder, "--token-file=/no/such", NULL, NULL), 1, "/no/such: No such file");
    snprintf(empty, sizeof empty, "%s/empty", folder);
    fclose(fopen(empty, "we"));
    snprintf(option, sizeof option, "--token-file=%s", empty);
    assert_refused(run(folder, option, NULL, NULL), 1, "there is no token in its first line");
}

static void a_token_is_not_sent_unencrypted_to_others(void **state)
{
    const char *folder = *state;

    assert_refused(run(folder, "--url=http://192.0.2.1:8080", NULL, NULL), 1,
                   "the token would be sent unencrypted");
    assert_refused(run(folder, "--url=http://localhost.example.org", NULL, NULL), 1, "--insecure");
}

/* The service answers the registration as given; the node ends with status 2 and says why. */
static void refused_by(const char *folder, const char *answer, const char *words, char *ret_request)
{
    static struct http_stand_in stand_in;
    const char *const answers[] = {answer, NULL};
    char url[64];

    stand_in_start(&stand_in, answers);
    snprintf(url, sizeof url, "--url=http://127.0.0.1:%d", stand_in.port);
    assert_refused(run(folder, url, "--name=lab-7", "--cores=3"), 2, words);
    stand_in_end(&stand_in);
    memcpy(ret_request, stand_in.requests[0], STAND_IN_REQUEST_BYTES);
}

#define JSON "Content-Type: application/json\r\n"

static void a_node_that_is_not_wanted_says_why(void **state)
{
    static char request[STAND_IN_REQUEST_BYTES];
    const char *folder = *state;

    assert_int_equal(setenv("RINKD_TOKEN", "sesame", 1), 0);
    refused_by(
        folder,
        STAND_IN_ANSWER("401", JSON, "{\"title\":\"A valid token is needed\",\"status\":401}"),
        "A valid token is needed", request);
    assert_int_equal(unsetenv("RINKD_TOKEN"), 0);
    assert_int_equal(strncmp(request, "POST /v1/nodes HTTP/1.1\r\n", 25), 0);
    assert_non_null(strstr(request, "Authorization: Bearer sesame\r\n"));
    json_t *body = json_loads(strstr(request, "\r\n\r\n") + 4, 0, NULL);
    assert_string_equal(json_string_value(json_object_get(body, "name")), "lab-7");
    assert_int_equal(json_integer_value(json_object_get(body, "cores")), 3);
    assert_int_equal(
        json_integer_value(json_object_get(json_object_get(body, "versions"), "protocol")),
        WIRE_PROTOCOL);
    json_decref(body);

    refused_by(
        folder,
        STAND_IN_ANSWER("422", JSON,
                        "{\"title\":\"A field\",\"errors\":[{\"pointer\":\"/versions/protocol\","
                        "\"message\":\"install the same version\"}]}"),
        "/versions/protocol: install the same version", request);
    refused_by(
        folder,
        STAND_IN_ANSWER("201", JSON,
                        "{\"session\":\"0123456789abcdef0123456789abcdef\",\"lease_ms\":1000,"
                        "\"kinds\":[],\"refused\":[{\"kind\":\"match\",\"reason\":\"the golden "
                        "number throws/dc2 is 7 there and 8 here\"}]}"),
        "no match here: the golden number throws/dc2 is 7 there and 8 here", request);
}

static void one_node_uses_a_cache_at_a_time(void **state)
{
    const char *folder = *state;
    char cache[256], work[300];
    const char *const argv[] = {
        RINK_NODE, "--cache", cache, "--programs", folder, "--url", "http://127.0.0.1:1", NULL};

    snprintf(cache, sizeof cache, "%s/cache", folder);
    snprintf(work, sizeof work, "%s/work", cache);
    rmdir(work);
    struct program_talk first = program_start(argv);
    for (double end_s = 0; access(work, F_OK) != 0;) { /* until the first one has it */
        assert_true(patience_left(&end_s));
        usleep(10000);
    }
    struct program_run second = program_run(argv, "", 0);
    assert_refused(second, 1, "another node uses it");
    kill(first.pid, SIGTERM);
    assert_int_equal(program_finish(&first), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_manual_page_names_every_option),
        cmocka_unit_test(wrong_usage_is_refused),
        cmocka_unit_test(a_token_is_not_sent_unencrypted_to_others),
        cmocka_unit_test(a_node_that_is_not_wanted_says_why),
        cmocka_unit_test(one_node_uses_a_cache_at_a_time),
    };

    return cmocka_run_group_tests(tests, program_make_folder, program_remove_folder);
}
