/* rink-post: the lines that it reads and writes. tests/api tests its messages. */
#include "tests/programs/program.h"
#include "tests/programs/usage.h"

#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct program_run post(const char *option, const char *input)
{
    const char *argv[] = {RINK_POST, option, NULL};
    return program_run(argv, input, strlen(input));
}

static void the_manual_page_names_every_option(void **state)
{
    struct program_run help = post("--help", "");
    char *page = usage_page(RINK_POST_PAGE);

    (void)state;
    usage_is_told(RINK_POST, "rink-post", "Usage: rink-post [OPTION...]\n");
    assert_int_equal(usage_page_has_options(page, help.output),
                     usage_page_has_no_others(page, help.output));
    free(page);
    program_free(&help);
}

static void wrong_usage_is_refused(void **state)
{
    (void)state;
    struct program_run run = post("--addresses=some", "");
    assert_int_equal(run.status, 1);
    assert_non_null(strstr(run.errors, "--addresses must be public, private or any, not 'some'"));
    program_free(&run);
}

/* A line that it cannot read is answered, and the lines after it count. */
static void lines_that_are_no_requests_are_answered(void **state)
{
    static const char input[] =
        "nothing\n"
        "{\"id\":3}\n"
        "{\"id\":4,\"url\":7,\"headers\":[],\"body\":\"{}\"}\n"
        "{\"id\":5,\"url\":\"http://a/\",\"headers\":[1],\"body\":\"{}\"}\n";
    static const int ids[] = {0, 3, 4, 5};
    struct program_run run = post("--addresses=any", input);
    char *line = strtok(run.output, "\n");

    (void)state;
    assert_int_equal(run.status, 0);
    for (size_t k = 0; k < sizeof ids / sizeof *ids; k++, line = strtok(NULL, "\n")) {
        assert_non_null(line);
        json_t *answer = json_loads(line, 0, NULL);
        assert_int_equal(json_integer_value(json_object_get(answer, "id")), ids[k]);
        assert_int_equal(json_integer_value(json_object_get(answer, "status")), 0);
        assert_string_equal(json_string_value(json_object_get(answer, "reason")),
                            "the request cannot be read or sent");
        json_decref(answer);
    }
    assert_null(line);
    program_free(&run);
}

/* An answer of a talk. */
static json_t *answer_to(struct program_talk *talk, const char *line)
{
    char text[1024];

    assert_true(fputs(line, talk->to) >= 0 && fflush(talk->to) == 0);
    assert_non_null(fgets(text, sizeof text, talk->from));
    json_t *answer = json_loads(text, 0, NULL);
    assert_non_null(answer);
    return answer;
}

static void addresses_that_are_not_allowed_are_not_connected_to(void **state)
{
    static const struct {
        const char *option, *url;
    } refused[] = {{NULL, "http://127.0.0.1:1/"},
                   {NULL, "http://localhost:1/"},
                   {NULL, "http://2130706433:1/"}, /* 127.0.0.1 as a number */
                   {"--addresses=private", "http://1.1.1.1/"}};

    (void)state;
    for (size_t k = 0; k < sizeof refused / sizeof *refused; k++) {
        const char *const argv[] = {RINK_POST, refused[k].option, NULL};
        struct program_talk talk = program_start(argv);
        char line[200];
        snprintf(line, sizeof line, "{\"id\":1,\"url\":\"%s\",\"headers\":[],\"body\":\"{}\"}\n",
                 refused[k].url);
        json_t *answer = answer_to(&talk, line);
        const char *reason = json_string_value(json_object_get(answer, "reason"));
        if (!reason || !strstr(reason, "rinkd's setting webhook_addresses is"))
            fail_msg("%s: %s", refused[k].url, reason ? reason : "sent");
        json_decref(answer);
        assert_int_equal(program_finish(&talk), 0);
    }
}

static void only_http_is_spoken(void **state)
{
    const char *const argv[] = {RINK_POST, "--addresses=any", NULL};
    struct program_talk talk = program_start(argv);
    json_t *answer = answer_to(&talk, "{\"id\":1,\"url\":\"file:///etc/hostname\",\"headers\":[],"
                                      "\"body\":\"{}\"}\n");

    (void)state;
    assert_int_equal(json_integer_value(json_object_get(answer, "status")), 0);
    assert_non_null(strstr(json_string_value(json_object_get(answer, "reason")), "rotocol"));
    json_decref(answer);
    assert_int_equal(program_finish(&talk), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_manual_page_names_every_option),
        cmocka_unit_test(wrong_usage_is_refused),
        cmocka_unit_test(lines_that_are_no_requests_are_answered),
        cmocka_unit_test(addresses_that_are_not_allowed_are_not_connected_to),
        cmocka_unit_test(only_http_is_spoken),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
