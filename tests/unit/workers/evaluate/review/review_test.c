/* Reviews: what they add up to, what they find, and which records they refuse. */
#include "workers/evaluate/review/review_json.h"
#include "workers/evaluate/review/review_record.h"

#include "tests/unit/models/ice/throw_or_fail.h"
#include "workers/search/rink/rink.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SIMULATIONS = 600, THROWS = 128 };

static struct player player_of(const char *spec)
{
    struct player player;
    char error[PLAYER_ERROR_MAX];

    if (!player_read(spec, &player, sizeof error, error))
        fail_msg("%s", error);
    return player;
}

/* Plays a game of ai-simple against itself; move number `plant` (-1: none) is thrown through. */
static struct review_game play(const char *profile_name, int ends, uint64_t seed, int plant)
{
    const struct profile *profile = profile_find(profile_name);
    const struct noise noise = noise_default(profile->ice, profile->ice->noise);
    struct player player = player_of("ai-simple");
    struct review_game game = {.profile = profile, .ends = ends, .name = {"one", "two"}};
    struct game now;

    game.move = calloc(REVIEW_SHOTS_MAX, sizeof *game.move);
    assert_non_null(game.move);
    assert_int_equal(game_start(&profile->rules, ends, 0, 1, &now), GAME_OK);
    while (now.result.reason == GAME_RUNNING) {
        struct review_move *move = &game.move[game.count];
        struct player_answer answer;
        struct random_key key = {.seed = seed, .shot = (uint32_t)(16 * now.end + now.shot)};
        const struct player_query query = {
            .game = &now, .ice = profile->ice, .noise = &noise, .key = key};
        *move = (struct review_move){.before = now, .has_call = true};
        assert_int_equal(player_choose(&player, &query, &answer), PLAYER_OK);
        move->called = answer.shot;
        if (game.count == plant)
            move->called.velocity = (struct vec2){0.0, profile->ice->max_speed};
        key.purpose = RANDOM_EXECUTION;
        move->thrown = noise_apply(&noise, profile->ice, move->called, random_normal_pair(&key, 0));
        struct throw_result result =
            throw_or_fail(profile->ice, &now.position, game_next_stone(&now), move->thrown);
        assert_int_equal(game_play(&now, &result.after, NULL), GAME_OK);
        game.count++;
    }
    return game;
}

static struct review_setting setting_of(const struct player *judge, const struct review_game *game,
                                        int threads)
{
    const struct ice_profile *ice = game->profile->ice;
    return (struct review_setting){.judge = judge,
                                   .noise = noise_default(ice, ice->noise),
                                   .limits = {.simulations = SIMULATIONS, .threads = threads},
                                   .throws = THROWS,
                                   .seed = 5};
}

static struct review review_of(const struct review_game *game, int threads)
{
    struct player judge = player_of("rink:opponent=best");
    const struct review_setting setting = setting_of(&judge, game, threads);
    struct review review;

    assert_int_equal(review_game(&setting, game, NULL, NULL, NULL, &review), REVIEW_OK);
    return review;
}

static void assert_balanced(const struct review *review)
{
    struct review_value off = review_imbalance(review);
    assert_true(fabs(off.win) < 1e-9 && fabs(off.points) < 1e-9);
}

static void start_losses_gains_and_revisions_add_up_to_the_result(void **state)
{
    (void)state;
    const char *profiles[] = {"dc2", "dc3"};

    for (int p = 0; p < 2; p++) {
        struct review_game game = play(profiles[p], 2, 3 + (uint64_t)p, -1);
        struct review review = review_of(&game, 2);
        assert_balanced(&review);
        assert_int_equal(review.count, 32);
        assert_int_equal(review.ends_played, 2);
        int lead = 0;
        for (int end = 0; end < 2; end++)
            lead += review.scores[0][end] - review.scores[1][end];
        assert_true(review.sums.result.points == lead);
        assert_true(review.sums.result.win == (lead > 0 ? 1.0 : lead < 0 ? 0.0 : 0.5));
        for (int k = 0; k < review.count; k++) {
            assert_true(review.shot[k].call.win >= 0.0);
            assert_false(review.shot[k].is_estimated);
        }
        review_free(&review);
        review_record_free(&game);
    }
}

static void threads_do_not_change_a_review(void **state)
{
    (void)state;
    struct review_game game = play("dc2", 1, 8, -1);
    struct review one = review_of(&game, 1), two = review_of(&game, 3);

    for (int k = 0; k < one.count; k++) {
        assert_true(one.shot[k].call.win == two.shot[k].call.win);
        assert_true(one.shot[k].execution.points == two.shot[k].execution.points);
    }
    assert_memory_equal(&one.sums, &two.sums, sizeof one.sums);
    review_free(&one);
    review_free(&two);
    review_record_free(&game);
}

/* The last stone of the game, thrown away on purpose with one to win. */
static void a_stone_thrown_away_is_the_most_expensive_call(void **state)
{
    (void)state;
    struct review_game game = play("dc2", 1, 21, -1);
    struct review_move *last = &game.move[15];

    last->before.position = (struct position){.in_play = 0};
    position_put(&last->before.position, 14, (struct vec2){0.9, SHEET_TEE_Y});
    last->called.velocity = last->thrown.velocity =
        (struct vec2){0.0, game.profile->ice->max_speed};
    struct review review = review_of(&game, 2);
    assert_true(review.keys > 0);
    assert_int_equal(review.key[0], 15);
    assert_true(review.shot[15].call.win > 0.5);
    assert_balanced(&review);
    review_free(&review);
    review_record_free(&game);
}

static void a_call_that_is_not_recorded_is_estimated(void **state)
{
    (void)state;
    struct review_game game = play("dc2", 1, 4, -1);
    int same = 0;

    for (int k = 0; k < game.count; k++)
        game.move[k].has_call = false;
    struct review review = review_of(&game, 2);
    for (int k = 0; k < game.count; k++)
        game.move[k].has_call = true;
    struct review told = review_of(&game, 2);
    for (int k = 0; k < review.count; k++) {
        assert_true(review.shot[k].is_estimated);
        assert_false(told.shot[k].is_estimated);
        same += review.shot[k].kind == told.shot[k].kind;
    }
    print_message("kind of the call found for %d of %d throws\n", same, review.count);
    assert_true(same > 10);
    review_free(&told);
    assert_balanced(&review);
    review_free(&review);
    review_record_free(&game);
}

static void a_concession_ends_a_review(void **state)
{
    (void)state;
    struct review_game game = play("dc2", 2, 6, -1);

    game.count = 21;
    game.move[20].conceded = true;
    struct review review = review_of(&game, 2);
    assert_int_equal(review.count, 20);
    assert_true(review.conceded);
    assert_int_equal(review.ends_played, 1);
    assert_true(review.sums.result.win == (game_next_team(&game.move[20].before) == 0 ? 0.0 : 1.0));
    assert_balanced(&review);
    review_free(&review);
    review_record_free(&game);
}

static void a_cancelled_review_ends(void **state)
{
    (void)state;
    struct review_game game = play("dc2", 1, 6, -1);
    struct player judge = player_of("rink");
    const struct review_setting setting = setting_of(&judge, &game, 2);
    const atomic_bool cancel = true;
    struct review review;

    assert_int_equal(review_game(&setting, &game, &cancel, NULL, NULL, &review), REVIEW_CANCELLED);
    review_free(&review);
    review_record_free(&game);
}

/* ---- records ---- */

#define HEAD     "{\"profile\":\"dc2\",\"ends\":2,\"throws_first\":\"a\",\"throws_last\":\"b\"}"
#define NO_STONE "null,null,null,null,null,null,null,null"
#define NOTHING  "[" NO_STONE "," NO_STONE "]"
#define SHOT     "{\"velocity\":[0.99,29.5],\"omega\":0.07}"
#define LINE(end, shot, player, hammer, lead)                                         \
    "{\"end\":" #end ",\"shot\":" #shot ",\"player\":" #player ",\"hammer\":" #hammer \
    ",\"lead\":" #lead ",\"stones\":" NOTHING ",\"intended\":" SHOT ",\"executed\":" SHOT "}"

static void check_record(const char *text, const char *pointer)
{
    struct strict_errors errors = {.count = 0};
    json_t *document = json_loads(text, 0, NULL);
    struct review_game game;

    assert_non_null(document);
    const struct strict_place root = strict_root(document, &errors);
    bool good = review_record_read(&root, &game);
    if (pointer) {
        assert_false(good);
        assert_string_equal(errors.error[0].pointer, pointer);
    } else {
        assert_true(good);
    }
    review_record_free(&game);
    json_decref(document);
}

static void records_that_are_no_game_are_refused_with_the_place(void **state)
{
    (void)state;
    check_record("[" HEAD "," LINE(0, 0, 0, false, 0) "," LINE(0, 1, 1, true, 0) "]", NULL);
    check_record("[" HEAD "]", "");
    check_record("[{\"profile\":\"none\"},{}]", "/0/profile");
    check_record("[" HEAD ",7]", "/1");
    check_record("[" HEAD ",{}]", "/1/end");
    check_record("[" HEAD "," LINE(0, 0, 0, true, 0) "]", "/1/hammer");
    check_record("[" HEAD "," LINE(0, 16, 0, false, 0) "]", "/1/shot");
    check_record("[" HEAD "," LINE(9, 0, 0, false, 0) "]", "/1");
    check_record("[" HEAD "," LINE(0, 0, 0, false, 0) "," LINE(0, 3, 1, true, 0) "]", "/2/shot");
    check_record("[" HEAD "," LINE(0, 0, 0, false, 0) "," LINE(0, 1, 1, true, 5) "]", "/2/lead");
    check_record("[" HEAD ",{\"end\":0,\"shot\":0,\"player\":0,\"hammer\":false,\"lead\":0,"
                 "\"stones\":[[1]]}]",
                 "/1/stones");
    check_record("[" HEAD ",{\"end\":0,\"shot\":0,\"player\":0,\"hammer\":false,\"lead\":0,"
                 "\"stones\":" NOTHING "}]",
                 "/1/executed");
}

/* Losses that are certain, and large enough for people to mind. */
static void only_losses_of_a_hundredth_of_the_game_are_mistakes(void **state)
{
    (void)state;
    struct review_game game = play("dc3", 2, 9, 7);
    struct player judge = player_of("rink:opponent=best");
    const struct review_setting setting = setting_of(&judge, &game, 2);
    struct review review = review_of(&game, 2);
    json_t *result = review_json(&setting, &review), *shot;
    int mistakes = 0, small = 0;
    size_t k;

    json_array_foreach(json_object_get(result, "shots"), k, shot)
    {
        const struct review_shot *judged = &review.shot[k];
        bool certain = judged->call.win > 1.96 * judged->call_error.win;
        bool mistake = json_is_true(json_object_get(shot, "mistake"));
        assert_int_equal(mistake, certain && judged->call.win >= 0.01);
        mistakes += mistake;
        small += certain && judged->call.win > 0.0 && !mistake;
    }
    assert_true(mistakes > 0);
    assert_true(small > 0);
    json_decref(result);
    review_free(&review);
    review_record_free(&game);
}

static void a_review_is_told_in_full(void **state)
{
    (void)state;
    struct review_game game = play("dc3", 1, 9, 7);
    struct player judge = player_of("rink:opponent=best");
    const struct review_setting setting = setting_of(&judge, &game, 2);
    struct review review = review_of(&game, 2);
    json_t *result = review_json(&setting, &review);

    assert_non_null(result);
    assert_int_equal(json_array_size(json_object_get(result, "shots")), 16);
    assert_int_equal(json_array_size(json_object_get(result, "teams")), 2);
    assert_int_equal(json_array_size(json_object_get(result, "key")), review.keys);
    const json_t *key = json_array_get(json_object_get(result, "key"), 0);
    const json_t *paths = json_object_get(key, "paths");
    assert_true(json_array_size(json_object_get(paths, "best")) > 10);
    json_decref(result);
    review_free(&review);
    review_record_free(&game);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(start_losses_gains_and_revisions_add_up_to_the_result),
        cmocka_unit_test(threads_do_not_change_a_review),
        cmocka_unit_test(a_stone_thrown_away_is_the_most_expensive_call),
        cmocka_unit_test(a_call_that_is_not_recorded_is_estimated),
        cmocka_unit_test(a_concession_ends_a_review),
        cmocka_unit_test(a_cancelled_review_ends),
        cmocka_unit_test(records_that_are_no_game_are_refused_with_the_place),
        cmocka_unit_test(only_losses_of_a_hundredth_of_the_game_are_mistakes),
        cmocka_unit_test(a_review_is_told_in_full),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
