/* Mixed doubles: who chooses, what the choice does, power plays, protected stones. */
#include "models/game/setup.h"

#include "models/game/free_guard_zone.h"
#include "models/game/game.h"
#include "models/tables/profiles.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct game new_game(int ends, int extra_ends)
{
    struct game game;
    assert_int_equal(game_start(rules_find("dc4-modified"), ends, extra_ends, 1, &game), GAME_OK);
    return game;
}

/* Plays the end out; `scorer` (-1: nobody) has one stone on the tee at the end. */
static void play_end(struct game *game, enum setup setup, int scorer)
{
    struct game_turn turn = {.end_finished = false};

    assert_true(game_wants_setup(game));
    assert_int_equal(game_set_up(game, setup, 2), GAME_OK);
    assert_false(game_wants_setup(game));
    while (!turn.end_finished) {
        struct position after = game->position;
        int stone = game_next_stone(game), team = game_next_team(game);
        if (game->shot == 3) /* nothing is protected any longer */
            after.in_play = 0;
        if (game->shot >= game->rules->shots - 2 && team == scorer)
            position_put(&after, stone, (struct vec2){SHEET_TEE_X, SHEET_TEE_Y});
        assert_int_equal(game_play(game, &after, &turn), GAME_OK);
        assert_int_equal(turn.offended, -1);
    }
}

static void the_choice_gives_the_hammer_and_the_stones(void **state)
{
    (void)state;
    static const struct {
        enum setup setup;
        int hammer;
        struct vec2 guard, house;
    } cases[] = {{SETUP_HOUSE, 1, {0.0, 34.435}, {0.0, 38.870}},
                 {SETUP_GUARD, 0, {0.0, 34.435}, {0.0, 38.870}},
                 {SETUP_LEFT, 1, {-1.073, 34.435}, {-1.219, 38.260}},
                 {SETUP_RIGHT, 1, {1.073, 34.435}, {1.219, 38.260}}};

    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        struct game game = new_game(8, 0);
        assert_int_equal(game_chooser(&game), 1); /* team 1 in the first end */
        assert_int_equal(game_play(&game, &game.position, NULL), GAME_NOT_SET_UP);
        assert_int_equal(game_set_up(&game, cases[k].setup, 2), GAME_OK);
        assert_int_equal(game.hammer_team, cases[k].hammer);
        assert_int_equal(game_chooser(&game), 1);
        /* Stone 0 is that of the first thrower. */
        assert_int_equal(game.position.in_play, 3);
        assert_true(game.position.stone[0].x == cases[k].guard.x &&
                    game.position.stone[0].y == cases[k].guard.y);
        assert_true(game.position.stone[1].x == cases[k].house.x &&
                    game.position.stone[1].y == cases[k].house.y);
        assert_int_equal(game.power_used[1], k >= 2);
        assert_false(game.power_used[0]);
        assert_int_equal(game_check(&game, NULL), GAME_OK);
        assert_int_equal(game_set_up(&game, SETUP_HOUSE, 2), GAME_BAD_SETUP); /* it is set up */
    }
}

static void words_are_those_of_the_protocol(void **state)
{
    (void)state;
    static const char *const words[] = {"center_house", "center_guard", "pp_left", "pp_right"};
    enum setup found;

    for (int k = 0; k < SETUP_COUNT; k++) {
        assert_string_equal(setup_word((enum setup)k), words[k]);
        assert_true(setup_find(words[k], &found));
        assert_int_equal(found, k);
        assert_int_equal(setup_is_power((enum setup)k), k >= 2);
    }
    assert_false(setup_find("center", &found));
}

/* A centred stone has the same coordinates, sign included, for every choice. */
static void no_place_is_minus_zero(void **state)
{
    (void)state;
    for (int k = 0; k < SETUP_COUNT; k++)
        for (int pattern = 0; pattern < SETUP_PATTERNS; pattern++) {
            struct position position = setup_position((enum setup)k, pattern);
            for (int stone = 0; stone < 2; stone++)
                assert_true(position.stone[stone].x != 0.0 || !signbit(position.stone[stone].x));
        }
}

static void who_did_not_score_chooses_and_a_blank_end_passes_the_choice(void **state)
{
    (void)state;
    struct game game = new_game(8, 0);

    play_end(&game, SETUP_HOUSE, 1); /* team 1 chose and scored */
    assert_int_equal(game.scores[1][0], 1);
    assert_int_equal(game_chooser(&game), 0);
    play_end(&game, SETUP_GUARD, 0); /* team 0 chose, threw first and stole */
    assert_int_equal(game.scores[0][1], 1);
    assert_int_equal(game_chooser(&game), 1);
    play_end(&game, SETUP_HOUSE, -1);
    assert_int_equal(game_chooser(&game), 0);
    play_end(&game, SETUP_GUARD, -1); /* the hammer was with team 1, but team 0 chose */
    assert_int_equal(game_chooser(&game), 1);
    play_end(&game, SETUP_HOUSE, 0); /* a steal */
    assert_int_equal(game_chooser(&game), 1);
    assert_int_equal(game.end, 5);
}

static void the_power_play_is_taken_once_and_not_in_extra_ends(void **state)
{
    (void)state;
    struct game game = new_game(4, 2);

    play_end(&game, SETUP_LEFT, 0); /* team 1's */
    assert_true(game.power_used[1] && !game.power_used[0]);
    assert_int_equal(game_chooser(&game), 1);
    assert_false(game_allows_setup(&game, SETUP_LEFT));
    assert_false(game_allows_setup(&game, SETUP_RIGHT));
    assert_int_equal(game_set_up(&game, SETUP_RIGHT, 0), GAME_BAD_SETUP);
    assert_int_equal(game_set_up(&game, SETUP_HOUSE, 6), GAME_BAD_SETUP);
    assert_int_equal(game_set_up(&game, SETUP_HOUSE, -1), GAME_BAD_SETUP);
    assert_true(game_wants_setup(&game));
    play_end(&game, SETUP_HOUSE, 1);
    play_end(&game, SETUP_HOUSE, -1); /* team 0 chose */
    play_end(&game, SETUP_HOUSE, -1);
    assert_int_equal(game.end, 4); /* one all */
    assert_int_equal(game_chooser(&game), 0);
    assert_false(game.power_used[0]);
    assert_int_equal(game_set_up(&game, SETUP_LEFT, 0), GAME_BAD_SETUP);
    play_end(&game, SETUP_HOUSE, 0);
    assert_int_equal(game.result.winner, 0);
    assert_int_equal(game_set_up(&game, SETUP_HOUSE, 0), GAME_OVER);
}

static void no_stone_of_either_team_is_removed_before_the_fourth_shot(void **state)
{
    (void)state;
    for (int shot = 0; shot < 6; shot++)
        for (int stone = 0; stone < 2; stone++) {
            struct game game = new_game(8, 0);
            assert_int_equal(game_set_up(&game, SETUP_HOUSE, 0), GAME_OK);
            struct position before = game.position, after = before;
            after.in_play = (uint16_t)(after.in_play & ~(1u << stone));
            assert_int_equal(free_guard_zone_offended(game.rules, &before, &after, shot),
                             shot < 3 ? stone : -1);
        }
}

static void the_four_person_game_wants_no_setup(void **state)
{
    (void)state;
    struct game game;

    assert_int_equal(game_start(rules_find("dc4"), 8, 0, 1, &game), GAME_OK);
    assert_false(game_wants_setup(&game));
    assert_int_equal(game_set_up(&game, SETUP_HOUSE, 0), GAME_BAD_SETUP);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_choice_gives_the_hammer_and_the_stones),
        cmocka_unit_test(words_are_those_of_the_protocol),
        cmocka_unit_test(no_place_is_minus_zero),
        cmocka_unit_test(who_did_not_score_chooses_and_a_blank_end_passes_the_choice),
        cmocka_unit_test(the_power_play_is_taken_once_and_not_in_extra_ends),
        cmocka_unit_test(no_stone_of_either_team_is_removed_before_the_fourth_shot),
        cmocka_unit_test(the_four_person_game_wants_no_setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
