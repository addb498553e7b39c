/* Games from first shot to result. */
#include "models/game/game.h"

#include "models/tables/profiles.h"
#include "tests/unit/models/game/started.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* Returns a board on which `team` scores `points`; without scoring stones for 0 points. */
static struct position board_scoring(const struct game *game, int team, int points)
{
    struct position position = {0};
    for (int slot = 0; slot < points; slot++)
        position_put(&position, stone_of_slot(team, slot, game_team0_has_hammer(game)),
                     (struct vec2){-1.2 + 0.3 * slot, TEE});
    return position;
}

/* Places the two stones of an end of mixed doubles, as the host does. */
static void set_up_end(struct game *game, int hammer_team, struct vec2 sente, struct vec2 gote)
{
    game->position = (struct position){0};
    position_put(&game->position, 0, sente);
    position_put(&game->position, 1, gote);
    game->hammer_team = hammer_team;
}

/* `team` runs out of time: the shot that was due counts as taken. */
static void time_out(struct game *game, int team)
{
    game->shot++;
    game->result.reason = GAME_WON_BY_TIME;
    game->result.winner = 1 - team;
}

/* Plays the current end: every stone goes through the house except the scoring ones, which appear
 * at rest when thrown. */
static struct game_turn play_end(struct game *game, int team, int points)
{
    struct game_turn turn = {.end_finished = false};
    struct position all = board_scoring(game, team, points);

    if (game->rules->preplaced)
        set_up_end(game, game->hammer_team, (struct vec2){-1.2, TEE}, (struct vec2){0.0, 35.0});
    while (!turn.end_finished) {
        struct position after = game->position;
        int stone = rules_stone_of_shot(game->rules, game->shot);
        assert_int_equal(game_next_team(game), team_of_stone(stone, game_team0_has_hammer(game)));
        if (position_has(&all, stone))
            position_put(&after, stone, all.stone[stone]);
        assert_int_equal(game_check(game, NULL), GAME_OK);
        assert_int_equal(game_play(game, &after, &turn), GAME_OK);
        assert_int_equal(turn.offended, -1);
    }
    assert_int_equal(game_check(game, NULL), GAME_OK);
    return turn;
}

static void new_game_waits_for_the_team_without_the_hammer(void **state)
{
    (void)state;
    struct game game = started("dc3", 8, 1);

    assert_int_equal(game.end, 0);
    assert_int_equal(game.shot, 0);
    assert_int_equal(game.hammer_team, 1);
    assert_int_equal(game_next_team(&game), 0);
    assert_int_equal(game.position.in_play, 0);
    assert_int_equal(game.result.reason, GAME_RUNNING);
    assert_int_equal(game.result.winner, -1);
    assert_int_equal(game_total(&game, 0), 0);
    assert_int_equal(game_check(&game, NULL), GAME_OK);
}

static void settings_out_of_range_start_no_game(void **state)
{
    (void)state;
    struct game game, untouched;
    memset(&game, 0x5a, sizeof game);
    memcpy(&untouched, &game, sizeof game);
    const struct rules *rules = rules_find("dc3");

    assert_int_equal(game_start(rules, 0, 1, 1, &game), GAME_BAD_ENDS);
    assert_int_equal(game_start(rules, 256, 1, 1, &game), GAME_BAD_ENDS);
    assert_int_equal(game_start(rules, 8, -1, 1, &game), GAME_BAD_EXTRA_ENDS);
    assert_int_equal(game_start(rules, 8, 256, 1, &game), GAME_BAD_EXTRA_ENDS);
    assert_int_equal(game_start(rules, 8, 1, 2, &game), GAME_BAD_TEAM);
    assert_int_equal(game_start(rules, 8, 1, -1, &game), GAME_BAD_TEAM);
    assert_memory_equal(&game, &untouched, sizeof game);
    assert_int_equal(game_start(rules, 255, 255, 0, &game), GAME_OK);
    assert_int_equal(game_next_team(&game), 1);
}

static void teams_alternate_and_the_hammer_throws_last(void **state)
{
    (void)state;
    struct game game = started("dc2", 2, 0);

    for (int shot = 0; shot < 16; shot++) {
        struct position nothing = {0};
        struct game_turn turn;
        assert_int_equal(game.shot, shot);
        assert_int_equal(game_next_team(&game), shot % 2);
        assert_int_equal(game_play(&game, &nothing, &turn), GAME_OK);
        assert_int_equal(turn.end_finished, shot == 15);
    }
    assert_int_equal(game.end, 1);
    assert_int_equal(game.shot, 0);
}

static void scoring_team_loses_the_hammer(void **state)
{
    (void)state;
    struct game game = started("dc3", 8, 1);
    struct game_turn turn = play_end(&game, 1, 3);

    assert_int_equal(turn.score, -3);
    assert_int_equal(game.scores[0][0], 0);
    assert_int_equal(game.scores[1][0], 3);
    assert_int_equal(game.hammer_team, 0);
    assert_int_equal(game_next_team(&game), 1);
    assert_int_equal(game.end, 1);
    assert_int_equal(game.position.in_play, 0);
    /* The next end numbers its stones by the new seats. */
    turn = play_end(&game, 0, 2);
    assert_int_equal(turn.score, -2);
    assert_int_equal(game.scores[0][1], 2);
    assert_int_equal(game.hammer_team, 1);
}

static void steal_leaves_the_hammer_with_the_other_team(void **state)
{
    (void)state;
    struct game game = started("dc3", 8, 1);
    struct game_turn turn = play_end(&game, 0, 1);

    assert_int_equal(turn.score, 1);
    assert_int_equal(game.scores[0][0], 1);
    assert_int_equal(game.hammer_team, 1);
}

static void blank_end_keeps_the_hammer(void **state)
{
    (void)state;
    struct game game = started("dc2", 8, 1);
    struct game_turn turn = play_end(&game, 0, 0);

    assert_int_equal(turn.score, 0);
    assert_int_equal(game.hammer_team, 1);
    assert_int_equal(game.end, 1);
    assert_int_equal(game_total(&game, 0) + game_total(&game, 1), 0);
}

static void eight_enders_count_for_every_rule(void **state)
{
    (void)state;
    for (int k = 0; profile_at(k); k++) {
        int stones = rules_stones(&profile_at(k)->rules) / 2;
        struct game game = started(profile_at(k)->name, 1, 0);
        play_end(&game, 0, stones);
        assert_int_equal(game.scores[0][0], stones);
        assert_int_equal(game.result.reason, GAME_WON_BY_SCORE);
        assert_int_equal(game.result.winner, 0);
    }
}

static void more_points_after_the_last_end_win(void **state)
{
    (void)state;
    struct game game = started("dc3", 3, 1);

    play_end(&game, 0, 1);
    play_end(&game, 1, 4);
    assert_int_equal(game.result.reason, GAME_RUNNING);
    play_end(&game, 0, 2);
    assert_int_equal(game.result.reason, GAME_WON_BY_SCORE);
    assert_int_equal(game.result.winner, 1);
    assert_int_equal(game_total(&game, 0), 3);
    assert_int_equal(game_total(&game, 1), 4);
    assert_int_equal(game.end, 3);
    assert_int_equal(game_next_team(&game), -1);
}

static void nothing_moves_after_the_game_is_over(void **state)
{
    (void)state;
    struct game game = started("dc3", 1, 1), untouched;
    struct position nothing = {0};
    struct game_turn turn = {.offended = 77};

    play_end(&game, 1, 1);
    memcpy(&untouched, &game, sizeof game);
    assert_int_equal(game_play(&game, &nothing, &turn), GAME_OVER);
    assert_int_equal(turn.offended, 77);
    assert_int_equal(game_concede(&game, 1), GAME_OVER);
    assert_memory_equal(&game, &untouched, sizeof game);
}

static void tie_without_extra_ends_is_a_draw(void **state)
{
    (void)state;
    struct game game = started("dc2", 2, rules_find("dc2")->extra_ends);

    play_end(&game, 0, 2);
    play_end(&game, 1, 2);
    assert_int_equal(game.result.reason, GAME_DRAWN);
    assert_int_equal(game.result.winner, -1);
    assert_int_equal(game_next_team(&game), -1);
}

static void tie_goes_to_extra_ends_until_someone_scores(void **state)
{
    (void)state;
    struct game game = started("dc3", 2, rules_find("dc3")->extra_ends);

    play_end(&game, 1, 1);
    play_end(&game, 0, 1);
    assert_int_equal(game.result.reason, GAME_RUNNING);
    assert_int_equal(game.end, 2);
    assert_int_equal(game.hammer_team, 1); /* team 0 scored last */
    for (int blank = 0; blank < 5; blank++) {
        play_end(&game, 0, 0);
        assert_int_equal(game.result.reason, GAME_RUNNING);
        assert_int_equal(game.end, 3 + blank);
        assert_int_equal(game.hammer_team, 1);
    }
    play_end(&game, 0, 1);
    assert_int_equal(game.result.reason, GAME_WON_BY_SCORE);
    assert_int_equal(game.result.winner, 0);
    assert_int_equal(game.scores[0][7], 1);
    assert_int_equal(game_total(&game, 0), 2);
}

static void allowed_extra_ends_run_out(void **state)
{
    (void)state;
    struct game game = started("dc3", 1, 2);

    play_end(&game, 0, 0);
    play_end(&game, 0, 0);
    assert_int_equal(game.result.reason, GAME_RUNNING);
    play_end(&game, 0, 0);
    assert_int_equal(game.result.reason, GAME_DRAWN);
    assert_int_equal(game.end, 3);
}

static void endless_blank_ends_are_drawn_at_255(void **state)
{
    (void)state;
    struct game game = started("dc3", 8, rules_find("dc3")->extra_ends);

    for (int end = 0; end < 255; end++) {
        assert_int_equal(game.result.reason, GAME_RUNNING);
        play_end(&game, 0, 0);
    }
    assert_int_equal(game.result.reason, GAME_DRAWN);
    assert_int_equal(game.end, 255);
}

static void foul_gives_the_stones_back_and_counts_the_shot(void **state)
{
    (void)state;
    struct game game = started("dc3", 8, 1);
    struct game_turn turn;
    struct position guard = board({0, 0.4, 35.0});
    struct position hit = board({1, 0.4, 35.1});

    assert_int_equal(game_play(&game, &guard, &turn), GAME_OK);
    assert_int_equal(turn.offended, -1);
    assert_int_equal(game_play(&game, &hit, &turn), GAME_OK);
    assert_int_equal(turn.offended, 0);
    assert_int_equal(turn.board.in_play, 1u << 0);
    assert_int_equal(game.position.in_play, 1u << 0);
    assert_near(game.position.stone[0].y, 35.0, 0.0);
    assert_int_equal(game.shot, 2);
    assert_int_equal(game_next_team(&game), 0);
}

/* Play order, fouls, and the score of the last shot, stone by stone. */
static void last_shot_counts_the_board_it_leaves(void **state)
{
    (void)state;
    struct game game = started("dc2", 1, 0);
    struct game_turn turn;
    struct position position = {0};

    for (int shot = 0; shot < 15; shot++) {
        if (shot == 14)
            position_put(&position, 14, (struct vec2){0.2, TEE});
        assert_int_equal(game_play(&game, &position, &turn), GAME_OK);
        assert_int_equal(turn.score, 0);
    }
    position_put(&position, 15, (struct vec2){-0.1, TEE});
    assert_int_equal(game_play(&game, &position, &turn), GAME_OK);
    assert_true(turn.end_finished);
    assert_int_equal(turn.score, -1);
    assert_int_equal(turn.board.in_play, 1u << 14 | 1u << 15); /* still visible */
    assert_int_equal(game.position.in_play, 0);
    assert_int_equal(game.result.winner, 1);
}

static void exact_tie_is_decided_by_team_not_by_seat(void **state)
{
    (void)state;
    for (int hammer = 0; hammer < 2; hammer++) {
        struct game game;
        struct game_turn turn = {.end_finished = false};
        struct position tie = board({0, 0.5, TEE}, {1, -0.5, TEE});
        assert_int_equal(game_start(rules_find("dc4"), 1, 0, hammer, &game), GAME_OK);
        for (int shot = 0; shot < 16; shot++) {
            struct position after = tie;
            after.in_play &= (uint16_t)((2u << shot) - 1);
            assert_int_equal(game_play(&game, &after, &turn), GAME_OK);
        }
        assert_int_equal(turn.score, hammer == 0 ? -1 : 1);
        assert_int_equal(game.result.winner, 0);
    }
}

static void stones_that_were_never_thrown_are_refused(void **state)
{
    (void)state;
    struct game game = started("dc3", 8, 1), untouched;
    struct position ghost = board({0, 0.0, TEE}, {5, 1.0, TEE});

    memcpy(&untouched, &game, sizeof game);
    assert_int_equal(game_play(&game, &ghost, NULL), GAME_BAD_STONES);
    assert_memory_equal(&game, &untouched, sizeof game);

    /* A removed stone does not come back either. */
    struct position stone = board({0, 0.0, TEE}), nothing = {0};
    assert_int_equal(game_play(&game, &stone, NULL), GAME_OK);
    assert_int_equal(game_play(&game, &nothing, NULL), GAME_OK);
    assert_int_equal(game_play(&game, &stone, NULL), GAME_BAD_STONES);

    /* In mixed doubles shot 2 throws stone 4; stone 2 went through and stays out. */
    struct game mixed = started("dc4-modified", 8, 1);
    set_up_end(&mixed, 1, (struct vec2){0, 35}, (struct vec2){0, 38.6});
    struct position placed = mixed.position, back = mixed.position;
    position_put(&back, 2, (struct vec2){1.0, 36.0});
    assert_int_equal(game_play(&mixed, &placed, NULL), GAME_OK);
    assert_int_equal(game_play(&mixed, &placed, NULL), GAME_OK);
    assert_int_equal(game_play(&mixed, &back, NULL), GAME_BAD_STONES);
}

static void conceding_gives_the_game_to_the_other_team(void **state)
{
    (void)state;
    static const char *const names[] = {"dc2", "dc3", "dc3-four-rock"};
    for (int k = 0; k < 3; k++)
        for (int team = 0; team < 2; team++) {
            struct game game = started(names[k], 8, 1);
            play_end(&game, team, 4); /* it leads, yet concedes */
            assert_int_equal(game_concede(&game, 2), GAME_BAD_TEAM);
            assert_int_equal(game_concede(&game, -1), GAME_BAD_TEAM);
            assert_int_equal(game_concede(&game, team), GAME_OK);
            assert_int_equal(game.result.reason, GAME_WON_BY_CONCESSION);
            assert_int_equal(game.result.winner, 1 - team);
            assert_int_equal(game.end, 1);
            assert_int_equal(game.shot, 1);
            assert_int_equal(game_next_team(&game), -1);
            assert_int_equal(game_check(&game, NULL), GAME_OK);
        }
}

static void digital_curling_4_knows_no_concession(void **state)
{
    (void)state;
    static const char *const names[] = {"dc4", "dc4-no-tick", "dc4-modified", "dc4-library"};
    for (int k = 0; k < 4; k++) {
        struct game game = started(names[k], 8, 1);
        assert_int_equal(game_concede(&game, 0), GAME_NO_CONCEDE);
        assert_int_equal(game.result.reason, GAME_RUNNING);
    }
}

static void team_out_of_time_loses(void **state)
{
    (void)state;
    for (int k = 0; profile_at(k); k++) {
        struct game game = started(profile_at(k)->name, 8, 1);
        time_out(&game, 0);
        assert_int_equal(game.result.reason, GAME_WON_BY_TIME);
        assert_int_equal(game.result.winner, 1);
        assert_int_equal(game.shot, 1);
        assert_int_equal(game_check(&game, NULL), GAME_OK);
    }
}

static void last_shot_of_an_end_may_time_out(void **state)
{
    (void)state;
    struct game game = started("dc3", 1, 0);
    struct position nothing = {0};

    for (int shot = 0; shot < 15; shot++)
        assert_int_equal(game_play(&game, &nothing, NULL), GAME_OK);
    time_out(&game, 1);
    assert_int_equal(game.shot, 16);
    assert_int_equal(game.end, 0);
    assert_int_equal(game.result.winner, 0);
    assert_int_equal(game_check(&game, NULL), GAME_OK);
}

static void mixed_doubles_end_starts_with_two_placed_stones(void **state)
{
    (void)state;
    struct game game = started("dc4-modified", 8, 1);
    struct position placed;
    struct game_turn turn;

    assert_int_equal(game_play(&game, &game.position, &turn), GAME_NOT_SET_UP);
    set_up_end(&game, 0, (struct vec2){0, 35}, (struct vec2){0, 38.6});
    assert_int_equal(game.hammer_team, 0);
    assert_int_equal(game.position.in_play, 3);
    assert_int_equal(game_next_team(&game), 1);
    assert_int_equal(game_check(&game, NULL), GAME_OK);

    /* Shot 0 throws stone 2; a placed stone that it knocks away comes back, whichever team's it
     * is. */
    placed = game.position;
    struct position after = board({1, 0.0, 38.6}, {2, 0.0, 35.1});
    assert_int_equal(game_play(&game, &after, &turn), GAME_OK);
    assert_int_equal(turn.offended, 0);
    assert_memory_equal(&game.position.stone, &placed.stone, sizeof placed.stone);
    assert_int_equal(game.shot, 1);
}

static void mixed_doubles_end_has_ten_shots_and_counts_placed_stones(void **state)
{
    (void)state;
    struct game game = started("dc4-modified", 8, 1);
    struct game_turn turn = {.end_finished = false};
    int shots = 0;

    set_up_end(&game, 1, (struct vec2){0, 35}, (struct vec2){0, 38.6});
    while (!turn.end_finished) {
        struct position same = game.position;
        assert_int_equal(game_play(&game, &same, &turn), GAME_OK);
        shots++;
    }
    assert_int_equal(shots, 10);
    assert_int_equal(turn.score, -1);
    assert_int_equal(game.scores[1][0], 1);
    /* The next end waits for its placed stones. */
    assert_int_equal(game_play(&game, &game.position, NULL), GAME_NOT_SET_UP);
}

static void names_and_texts_are_those_of_the_protocol(void **state)
{
    (void)state;
    assert_null(game_reason_name(GAME_RUNNING));
    assert_string_equal(game_reason_name(GAME_WON_BY_SCORE), "score");
    assert_string_equal(game_reason_name(GAME_WON_BY_CONCESSION), "concede");
    assert_string_equal(game_reason_name(GAME_WON_BY_TIME), "time_limit");
    assert_string_equal(game_reason_name(GAME_DRAWN), "draw");
    assert_null(game_reason_name((enum game_reason)99));
    for (int k = 0; k <= GAME_BAD_STONES; k++)
        for (int other = 0; other < k; other++)
            assert_string_not_equal(game_error_text((enum game_error)k),
                                    game_error_text((enum game_error)other));
    assert_string_equal(game_error_text((enum game_error)99), "unknown error");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(new_game_waits_for_the_team_without_the_hammer),
        cmocka_unit_test(settings_out_of_range_start_no_game),
        cmocka_unit_test(teams_alternate_and_the_hammer_throws_last),
        cmocka_unit_test(scoring_team_loses_the_hammer),
        cmocka_unit_test(steal_leaves_the_hammer_with_the_other_team),
        cmocka_unit_test(blank_end_keeps_the_hammer),
        cmocka_unit_test(eight_enders_count_for_every_rule),
        cmocka_unit_test(more_points_after_the_last_end_win),
        cmocka_unit_test(nothing_moves_after_the_game_is_over),
        cmocka_unit_test(tie_without_extra_ends_is_a_draw),
        cmocka_unit_test(tie_goes_to_extra_ends_until_someone_scores),
        cmocka_unit_test(allowed_extra_ends_run_out),
        cmocka_unit_test(endless_blank_ends_are_drawn_at_255),
        cmocka_unit_test(foul_gives_the_stones_back_and_counts_the_shot),
        cmocka_unit_test(last_shot_counts_the_board_it_leaves),
        cmocka_unit_test(exact_tie_is_decided_by_team_not_by_seat),
        cmocka_unit_test(stones_that_were_never_thrown_are_refused),
        cmocka_unit_test(conceding_gives_the_game_to_the_other_team),
        cmocka_unit_test(digital_curling_4_knows_no_concession),
        cmocka_unit_test(team_out_of_time_loses),
        cmocka_unit_test(last_shot_of_an_end_may_time_out),
        cmocka_unit_test(mixed_doubles_end_starts_with_two_placed_stones),
        cmocka_unit_test(mixed_doubles_end_has_ten_shots_and_counts_placed_stones),
        cmocka_unit_test(names_and_texts_are_those_of_the_protocol),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
