/* The codec of results: what is written is read back, and nothing else is. */
#include "api/jobs/job_results.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct result_match match = {"rink @ 50 ms", "generator", {1, 0, 2, 0, 4}};

static void a_match_has_the_members_of_its_list(void **state)
{
    (void)state;
    json_t *written = result_write(result_match_members, &match);
    char *text = json_dumps(written, JSON_COMPACT);

    assert_string_equal(text, "{\"pentanomial\":[1,0,2,0,4],\"a\":{\"player\":\"rink @ 50 ms\"},"
                              "\"b\":{\"player\":\"generator\"}}");
    free(text);
    json_decref(written);
}

static void every_member_is_read_back(void **state)
{
    (void)state;
    const struct result_games games = {"dc3", "gat", 2, 10, 7};
    const struct result_exploitability measured = {"rink",      "dc2",       1000,
                                                   {0.1, 0.25}, {-1.0, 0.5}, {-0.9, 0.75}};
    struct result_games read_games = {.seed = 0};
    struct result_match read_match;
    struct result_exploitability read_measured;
    json_t *written[] = {result_write(result_games_members, &games),
                         result_write(result_match_members, &match),
                         result_write(result_exploitability_members, &measured)};

    assert_true(result_read(result_games_members, written[0], &read_games));
    assert_string_equal(read_games.profile, "dc3");
    assert_string_equal(read_games.noise, "gat");
    assert_int_equal(read_games.ends, 2);
    assert_int_equal(read_games.extra_ends, 10);
    assert_int_equal(read_games.seed, 7);
    assert_true(result_read(result_match_members, written[1], &read_match));
    assert_string_equal(read_match.a, match.a);
    assert_string_equal(read_match.b, match.b);
    assert_memory_equal(read_match.pentanomial, match.pentanomial, sizeof match.pentanomial);
    assert_true(result_read(result_exploitability_members, written[2], &read_measured));
    assert_memory_equal(&read_measured.sente, &measured.sente, 3 * sizeof measured.sente);
    for (size_t k = 0; k < 3; k++)
        json_decref(written[k]);
}

static bool reads_games(const char *text)
{
    struct result_games games = {.extra_ends = 5};
    json_t *object = json_loads(text, 0, NULL);
    bool good = result_read(result_games_members, object, &games);

    assert_int_equal(games.extra_ends, 5); /* no text here has it */
    json_decref(object);
    return good;
}

static void a_member_may_be_absent_only_if_it_is_optional(void **state)
{
    (void)state;
    assert_true(reads_games("{\"profile\":\"dc2\",\"noise\":\"gat\",\"ends\":2,\"seed\":1,"
                            "\"unknown\":{}}"));
    assert_false(reads_games("{\"noise\":\"gat\",\"ends\":2,\"seed\":1}"));
    assert_false(reads_games("{\"profile\":\"dc2\",\"noise\":\"gat\",\"ends\":2}"));
    assert_false(reads_games("{\"profile\":1,\"noise\":\"gat\",\"ends\":2,\"seed\":1}"));
    assert_false(reads_games("{\"profile\":\"dc2\",\"noise\":\"gat\",\"ends\":2.5,\"seed\":1}"));
    assert_false(reads_games("[]"));
}

/* JSON integers hold 63 bits here. */
static void a_large_seed_is_a_text(void **state)
{
    (void)state;
    json_t *small = result_seed_json(INT64_MAX), *large = result_seed_json(UINT64_MAX);

    assert_int_equal(json_integer_value(small), INT64_MAX);
    assert_string_equal(json_string_value(large), "18446744073709551615");
    json_decref(small);
    json_decref(large);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_match_has_the_members_of_its_list),
        cmocka_unit_test(every_member_is_read_back),
        cmocka_unit_test(a_member_may_be_absent_only_if_it_is_optional),
        cmocka_unit_test(a_large_seed_is_a_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
