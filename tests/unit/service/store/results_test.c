/* Results as rink-evaluate writes them, and the data read from them. */
#include "tests/unit/service/store/stage.h"

#include "service/store/results.h"

#include <stdio.h>
#include <string.h>

static const char match_ab[] = "{\"kind\":\"match\",\"profile\":\"dc2\",\"noise\":\"gat\",\"ends\":"
                               "2,\"extra_ends\":0,\"seed\":1,\"pairs\":6,"
                               "\"pentanomial\":[0,1,2,3,0],\"a\":{\"player\":\"apple\"},"
                               "\"b\":{\"player\":\"berry\"}}";
static const char match_ba[] =
    "{\"profile\":\"dc2\",\"noise\":\"gat\",\"ends\":2,\"seed\":2,\"pentanomial\":[4,0,0,0,1],"
    "\"a\":{\"player\":\"berry\"},\"b\":{\"player\":\"apple\"}}";
static const char tournament[] =
    "{\"kind\":\"tournament\",\"profile\":\"dc3\",\"noise\":\"gat\",\"seed\":1,\"ends\":2,"
    "\"anchor\":0,\"ladder\":["
    "{\"number\":1,\"player\":\"berry\",\"elo\":9.5},{\"number\":0,\"player\":\"apple\",\"elo\":0},"
    "{\"number\":2,\"player\":\"cherry\",\"elo\":-3}],\"pairings\":["
    "{\"players\":[0,1],\"pairs\":2,\"pentanomial\":[2,0,0,0,0]},"
    "{\"players\":[0,2],\"pairs\":0,\"pentanomial\":[0,0,0,0,0]},"
    "{\"players\":[1,2],\"pairs\":2,\"pentanomial\":[0,0,2,0,0]}]}";
static const char exploitability[] =
    "{\"player\":\"apple\",\"profile\":\"dc2\",\"seed\":0,\"ends\":1000,"
    "\"sente\":{\"points\":-1.0,\"standard_error\":0.5},"
    "\"gote\":{\"points\":2,\"standard_error\":0.25},"
    "\"nash_conv\":{\"points\":1.0,\"standard_error\":0.6}}";
static const char rate[] =
    "{\"profile\":\"dc2\",\"ends\":2,\"anchor\":\"apple\","
    "\"ladder\":["
    "{\"player\":\"apple\",\"elo\":0,\"interval\":[0,0],\"pairs\":11},"
    "{\"player\":\"berry\",\"elo\":12.5,\"interval\":[-5.0,30],\"pairs\":11}]}";
static const char extra_rate[] =
    "{\"profile\":\"dc2\",\"ends\":2,\"extra_ends\":10,\"anchor\":\"berry\",\"ladder\":["
    "{\"player\":\"berry\",\"elo\":0,\"interval\":[0,0],\"pairs\":1}]}";

/* Games of profile dc2 with this many ends and extra ends. */
#define DC2(ends, extra_ends) (&(const struct ladder_games){"dc2", ends, extra_ends})

static enum api_error keep(struct stage *s, int64_t job, const char *kind, const char *result)
{
    return IN_COMMIT(s, results_keep(s->store, job, kind, result, 1000));
}

static int matches(struct stage *s, const struct match_filter *filter)
{
    struct store_page page = {.limit = 50};

    assert_int_equal(results_matches(s->reader, filter, &page), API_OK);
    int count = (int)json_array_size(page.items);
    json_decref(page.items);
    return count;
}

static void a_match_is_shown_as_it_was_written(void **state)
{
    struct stage *s = *state;
    int64_t job = stage_add(s, "match");
    json_t *match;

    assert_int_equal(keep(s, job, "match", match_ab), API_OK);
    assert_int_equal(results_match(s->reader, 1, &match), API_OK);
    json_t *expected = json_pack("{s:i, s:I, s:s, s:i, s:i, s:s, s:s, s:i, s:o, s:s}", "id", 1,
                                 "job", (json_int_t)job, "profile", "dc2", "ends", 2, "extra_ends",
                                 0, "a", "apple", "b", "berry", "pairs", 6, "result",
                                 json_loads(match_ab, 0, NULL), "at", "1970-01-01T00:00:01.000Z");
    assert_true(json_equal(match, expected));
    json_decref(expected);
    json_decref(match);
    assert_int_equal(results_match(s->reader, 2, &match), API_NOT_FOUND);
}

static void pairings_are_summed_over_both_orders(void **state)
{
    struct stage *s = *state;
    int64_t job = stage_add(s, "match");
    json_t *pairings;

    keep(s, job, "match", match_ab);
    keep(s, job, "match", match_ba);
    keep(s, job, "tournament", tournament); /* of another profile */
    /* With other hands than the profile's: shown, but not rated. */
    assert_int_equal(keep(s, job, "match",
                          "{\"profile\":\"dc2\",\"noise\":\"gat\",\"ends\":2,\"seed\":3,"
                          "\"pentanomial\":[9,9,9,9,9],\"hand\":{\"hit_factor\":2.0},"
                          "\"a\":{\"player\":\"apple\"},\"b\":{\"player\":\"berry\"}}"),
                     API_OK);
    assert_int_equal(results_pairings(s->reader, DC2(2, 0), &pairings), API_OK);
    json_t *expected = json_pack("[{s:s, s:s, s:i, s:[i, i, i, i, i]}]", "a", "apple", "b", "berry",
                                 "pairs", 11, "half_points", 1, 1, 2, 3, 4);
    assert_true(json_equal(pairings, expected));
    json_decref(expected);
    json_decref(pairings);
    assert_int_equal(
        results_pairings(s->reader, &(const struct ladder_games){"dc4", 2, 0}, &pairings), API_OK);
    assert_int_equal(json_array_size(pairings), 0);
    json_decref(pairings);
}

/* Repeating a match with the same seed adds nothing; a longer match begins with the games of the
 * shorter ones. Other limits make other players, other lengths other games. */
static void the_same_games_are_counted_once(void **state)
{
    static const char text[] =
        "{\"profile\":\"dc2\",\"noise\":\"%s\",\"ends\":%d,\"extra_ends\":%d,\"seed\":%d,"
        "\"pentanomial\":[0,0,%d,0,0],\"a\":{\"player\":\"%s\"},"
        "\"b\":{\"player\":\"%s\"}}";
    static const struct {
        const char *noise;
        int ends, extra_ends, seed, pairs;
        const char *a, *b;
    } played[] = {
        {"gat", 2, 0, 1, 10, "apple", "berry"},  {"gat", 2, 0, 1, 30, "apple", "berry"},
        {"gat", 2, 0, 1, 20, "berry", "apple"},  {"gat", 2, 0, 1, 30, "apple", "berry"},
        {"gat", 2, 0, 2, 100, "apple", "berry"}, {"none", 2, 0, 1, 1000, "apple", "berry"},
        {"gat", 8, 0, 1, 5, "apple", "berry"},   {"gat", 2, 0, 1, 7, "apple @ 50 ms", "berry"},
        {"gat", 2, 10, 1, 40, "apple", "berry"}, {"gat", 2, 1, 1, 9, "apple", "berry"},
    };
    struct stage *s = *state;
    int64_t job = stage_add(s, "match");
    char result[512];
    json_t *pairings;

    for (size_t k = 0; k < sizeof played / sizeof played[0]; k++) {
        snprintf(result, sizeof result, text, played[k].noise, played[k].ends, played[k].extra_ends,
                 played[k].seed, played[k].pairs, played[k].a, played[k].b);
        assert_int_equal(keep(s, job, "match", result), API_OK);
    }
    assert_int_equal(results_pairings(s->reader, DC2(2, 0), &pairings), API_OK);
    assert_int_equal(json_array_size(pairings), 2);
    json_t *plain = json_array_get(pairings, 0), *limited = json_array_get(pairings, 1);
    assert_int_equal(json_integer_value(json_object_get(plain, "pairs")), 30 + 100 + 1000);
    assert_string_equal(json_string_value(json_object_get(limited, "a")), "apple @ 50 ms");
    assert_int_equal(json_integer_value(json_object_get(limited, "pairs")), 7);
    json_decref(pairings);
    assert_int_equal(results_pairings(s->reader, DC2(8, 0), &pairings), API_OK);
    assert_int_equal(json_integer_value(json_object_get(json_array_get(pairings, 0), "pairs")), 5);
    json_decref(pairings);
    assert_int_equal(results_pairings(s->reader, DC2(2, 10), &pairings), API_OK);
    assert_int_equal(json_array_size(pairings), 1);
    assert_int_equal(json_integer_value(json_object_get(json_array_get(pairings, 0), "pairs")), 40);
    json_decref(pairings);
    assert_int_equal(matches(s, &(struct match_filter){.player = "apple"}), 10);
    assert_int_equal(matches(s, &(struct match_filter){.player = "apple @ 50 ms"}), 1);
    assert_int_equal(matches(s, &(struct match_filter){.player = "app"}), 0);
}

static void a_tournament_is_a_match_for_each_pairing_that_was_played(void **state)
{
    struct stage *s = *state;
    int64_t job = stage_add(s, "tournament"), other = stage_add(s, "match");
    json_t *match;

    keep(s, other, "match", match_ab);
    assert_int_equal(keep(s, job, "tournament", tournament), API_OK);
    assert_int_equal(matches(s, &(struct match_filter){.job = job}), 2);
    assert_int_equal(matches(s, &(struct match_filter){.player = "berry"}), 3);
    assert_int_equal(matches(s, &(struct match_filter){.player = "cherry", .profile = "dc3"}), 1);
    assert_int_equal(matches(s, &(struct match_filter){.profile = "dc2"}), 1);
    assert_int_equal(matches(s, &(struct match_filter){.profile = "dc2", .job = job}), 0);
    assert_int_equal(results_match(s->reader, 3, &match), API_OK);
    assert_string_equal(json_string_value(json_object_get(match, "a")), "berry");
    assert_string_equal(json_string_value(json_object_get(match, "b")), "cherry");
    json_decref(match);
}

static void the_ladder_is_replaced_as_a_whole(void **state)
{
    struct stage *s = *state;
    int64_t job = stage_add(s, "rate");
    json_t *head, *items;

    assert_int_equal(results_ratings(s->reader, DC2(2, 0), &head, &items), API_OK);
    assert_true(json_is_null(head));
    assert_int_equal(json_array_size(items), 0);
    json_decref(items);
    assert_int_equal(keep(s, job, "rate", rate), API_OK);
    assert_int_equal(keep(s, job, "rate", rate), API_OK);
    assert_int_equal(results_ratings(s->reader, DC2(2, 0), &head, &items), API_OK);
    json_t *expected_head =
        json_pack("{s:s, s:n, s:s, s:I}", "anchor", "apple", "seat_advantage_elo", "at",
                  "1970-01-01T00:00:01.000Z", "job", (json_int_t)job);
    assert_true(json_equal(head, expected_head));
    json_t *expected =
        json_pack("[{s:s, s:f, s:f, s:f, s:i}, {s:s, s:f, s:f, s:f, s:i}]", "player", "berry",
                  "elo", 12.5, "low", -5.0, "high", 30.0, "pairs", 11, "player", "apple", "elo",
                  0.0, "low", 0.0, "high", 0.0, "pairs", 11);
    assert_true(json_equal(items, expected));
    json_decref(expected_head);
    json_decref(expected);
    json_decref(head);
    json_decref(items);

    /* Games with extra ends have a ladder of their own. */
    assert_int_equal(keep(s, job, "rate", extra_rate), API_OK);
    assert_int_equal(results_ratings(s->reader, DC2(2, 0), &head, &items), API_OK);
    assert_int_equal(json_array_size(items), 2);
    json_decref(head);
    json_decref(items);
    assert_int_equal(results_ratings(s->reader, DC2(2, 10), &head, &items), API_OK);
    assert_string_equal(json_string_value(json_object_get(head, "anchor")), "berry");
    assert_int_equal(json_array_size(items), 1);
    json_decref(head);
    json_decref(items);
    assert_int_equal(results_ratings(s->reader, DC2(2, 9), &head, &items), API_OK);
    assert_true(json_is_null(head));
    json_decref(items);
}

static void exploitability_is_listed_newest_first(void **state)
{
    struct stage *s = *state;
    int64_t job = stage_add(s, "exploitability");
    struct store_page page = {.limit = 1};

    assert_int_equal(keep(s, job, "exploitability", exploitability), API_OK);
    assert_int_equal(keep(s, job, "exploitability", exploitability), API_OK);
    assert_int_equal(results_exploitability(
                         s->reader, &(struct match_filter){.player = "apple", .job = job}, &page),
                     API_OK);
    assert_int_equal(json_array_size(page.items), 1);
    assert_string_not_equal(page.next, "");
    json_t *row = json_array_get(page.items, 0);
    assert_int_equal(json_integer_value(json_object_get(row, "id")), 2);
    assert_true(json_number_value(json_object_get(json_object_get(row, "gote"), "points")) == 2.0);
    assert_true(json_number_value(json_object_get(json_object_get(row, "sum"), "points")) == 1.0);
    json_decref(page.items);
    assert_int_equal(
        results_exploitability(s->reader, &(struct match_filter){.player = "berry"}, &page),
        API_OK);
    assert_int_equal(json_array_size(page.items), 0);
    json_decref(page.items);
}

static void a_result_of_another_form_is_refused(void **state)
{
    struct stage *s = *state;
    int64_t job = stage_add(s, "match");
    static const char *const bad[][2] = {
        {"match", "{"},
        {"match", "[]"},
        {"match", "{\"profile\":\"dc2\"}"},
        {"match",
         "{\"profile\":\"dc2\",\"noise\":\"gat\",\"seed\":1,\"ends\":2,\"pentanomial\":[1,2,3],"
         "\"a\":{\"player\":\"x\"},\"b\":{\"player\":\"y\"}}"},
        {"match", "{\"profile\":\"dc2\",\"noise\":\"gat\",\"seed\":1,\"ends\":2,\"pentanomial\":[1,"
                  "2,-3,4,5],"
                  "\"a\":{\"player\":\"x\"},\"b\":{\"player\":\"y\"}}"},
        {"tournament",
         "{\"profile\":\"dc2\",\"noise\":\"gat\",\"seed\":1,\"ends\":2,\"ladder\":[],\"pairings\":["
         "{\"players\":[0,1],\"pentanomial\":[2,0,0,0,0]}]}"},
        {"tournament", "{\"profile\":\"dc2\",\"noise\":\"gat\",\"seed\":1,\"ends\":2,\"ladder\":[],"
                       "\"pairings\":7}"},
        {"exploitability", "{\"player\":\"x\",\"profile\":\"dc2\",\"ends\":9,\"sente\":{}}"},
        {"rate", "{\"profile\":\"dc2\",\"ends\":2,\"anchor\":\"x\",\"ladder\":[{}]}"},
        {"rate", "{\"profile\":\"dc2\",\"ends\":2,\"anchor\":\"x\",\"ladder\":["
                 "{\"player\":\"x\",\"elo\":0,\"interval\":[0,0],\"pairs\":1},"
                 "{\"player\":\"x\",\"elo\":0,\"interval\":[0,0],\"pairs\":1}]}"},
    };

    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++)
        if (keep(s, job, bad[k][0], bad[k][1]) != API_BAD_FIELD)
            fail_msg("accepted: %s %s", bad[k][0], bad[k][1]);
    assert_int_equal(keep(s, job, "train", "{\"anything\":1}"), API_OK);
    assert_int_equal(matches(s, &(struct match_filter){.job = 0}), 0);
}

int main(void)
{
#define SCENE(name) cmocka_unit_test_setup_teardown(name, stage_open, stage_close)
    const struct CMUnitTest tests[] = {
        SCENE(a_match_is_shown_as_it_was_written),
        SCENE(pairings_are_summed_over_both_orders),
        SCENE(the_same_games_are_counted_once),
        SCENE(a_tournament_is_a_match_for_each_pairing_that_was_played),
        SCENE(the_ladder_is_replaced_as_a_whole),
        SCENE(exploitability_is_listed_newest_first),
        SCENE(a_result_of_another_form_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
