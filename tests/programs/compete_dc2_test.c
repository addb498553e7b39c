/* rink-compete dc2 against a simulated server: games in the server's own frame, both meanings of
 * its last word, and servers that break the protocol. */
#include "models/game/frame.h"
#include "models/tables/profiles.h"
#include "tests/programs/compete_peer.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ENDS = 2 };

static const char *const quick[] = {"--player=ai-simple", "--silence=200", NULL};

static void expect(struct peer *peer, const char *wanted)
{
    char *text = peer_hear(peer);

    assert_non_null(text);
    assert_string_equal(text, wanted);
    free(text);
}

static void greet(struct peer *peer)
{
    peer_accept(peer);
    peer_say(peer, "CONNECTED");
    expect(peer, "LOGIN rink none rink");
    peer_say(peer, "LOGIN OK");
    peer_say(peer, "ISREADY");
    expect(peer, "READYOK");
    peer_say(peer, "NEWGAME rink other");
}

/* The position and the state after a shot, or after an end with its board as it lies. `first` is
 * what the server calls the team that throws first. */
static void say_state(struct peer *peer, const struct game *game, const struct position *board,
                      int first)
{
    char text[2048] = "POSITION", state[64];
    int mover = game_next_team(game) < 0 ? 0 : game_next_team(game);

    for (int stone = 0; stone < POSITION_STONES; stone++) {
        struct vec2 at = {0.0, 0.0};
        if (position_has(board, stone))
            at = frame_dc2_point(board->stone[stone]);
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, " %f %f", at.x, at.y);
    }
    peer_say(peer, text);
    snprintf(state, sizeof state, "SETSTATE %d %d %d %d", game->shot, game->end, ENDS,
             mover == 0 ? first : 1 - first);
    peer_say(peer, state);
}

static struct shot hear_shot(struct peer *peer)
{
    char *text = peer_hear(peer);
    struct vec2 velocity;
    int spin;

    assert_non_null(text);
    assert_int_equal(sscanf(text, "BESTSHOT %lf %lf %d", &velocity.x, &velocity.y, &spin), 3);
    free(text);
    return (struct shot){frame_dc2_velocity(velocity),
                         spin == 1 ? -SHOT_TURN_DC2_RADPS : SHOT_TURN_DC2_RADPS};
}

/* Plays one game; the program is team `us`. Returns its shots. */
static int host_game(struct peer *peer, struct game *game, int us, int first)
{
    const struct profile *profile = profile_find("dc2");
    int shots = 0;

    assert_int_equal(game_start(&profile->rules, ENDS, 0, 1, game), GAME_OK);
    say_state(peer, game, &game->position, first);
    while (game_next_team(game) >= 0) {
        struct shot shot = peer_own_shot(game, profile->ice);
        if (game_next_team(game) == us) {
            peer_say(peer, "GO 438000 438000");
            shot = hear_shot(peer);
            shots++;
        }
        int end = game->end;
        struct position board = peer_throw(game, profile->ice, shot);
        peer_say(peer, "RUNSHOT 0.1 -30.0 1");
        say_state(peer, game, &board, first);
        if (game->end > end) {
            char text[32];
            int score = game->scores[0][end] - game->scores[1][end];
            snprintf(text, sizeof text, "SCORE %d", first == 0 ? score : -score);
            peer_say(peer, text);
        }
    }
    return shots;
}

static void say_result(struct peer *peer, const struct game *game, int us)
{
    int winner = game->result.winner;

    peer_say(peer, winner < 0 ? "GAMEOVER DRAW" : winner == us ? "GAMEOVER WIN" : "GAMEOVER LOSE");
}

static void play(const char *folder, int us, int first)
{
    struct peer peer;
    struct game game;

    peer_start(&peer, "dc2", folder, quick);
    greet(&peer);
    int shots = host_game(&peer, &game, us, first);
    say_result(&peer, &game, us);
    expect(&peer, "LOGOUT");
    json_t *result = peer_end(&peer, 0, "over");
    const json_t *points = json_object_get(result, "points");
    assert_int_equal(json_integer_value(json_object_get(points, "team0")), game_total(&game, 0));
    assert_int_equal(json_integer_value(json_object_get(points, "team1")), game_total(&game, 1));
    assert_string_equal(json_string_value(json_object_get(result, "team")),
                        us == 0 ? "team0" : "team1");
    assert_int_equal(json_integer_value(json_object_get(result, "fallbacks")), 0);
    json_decref(result);
    peer_check_replay(&peer, shots);
    free(peer.log);
}

static void a_game_is_played_to_its_end_with_equal_scores(void **state)
{
    play(*state, 0, 0);
}

static void a_server_with_the_other_sign_is_understood(void **state)
{
    play(*state, 1, 1);
}

static void several_games_are_played_on_one_connection(void **state)
{
    const char *const options[] = {"--player=random", "--games=2", "--silence=200", NULL};
    struct peer peer;
    struct game game;

    peer_start(&peer, "dc2", *state, options);
    greet(&peer);
    host_game(&peer, &game, 0, 0);
    say_result(&peer, &game, 0);
    peer_say(&peer, "NEWGAME other rink");
    host_game(&peer, &game, 1, 0);
    say_result(&peer, &game, 1);
    expect(&peer, "LOGOUT");
    json_t *result = peer_end(&peer, 0, "over");
    assert_int_equal(json_integer_value(json_object_get(result, "games")), 2);
    json_decref(result);
    free(peer.log);
}

/* The natural guess about the frame mirrors the board: a stone on the server's right must be hit
 * there. The only stone lies on a side; a player that hits it shows which side it believes in. */
static void the_frame_of_the_server_is_turned_by_half(void **state)
{
    const struct profile *profile = profile_find("dc2");
    struct peer peer;
    struct game game;

    peer_start(&peer, "dc2", *state, quick);
    greet(&peer);
    assert_int_equal(game_start(&profile->rules, ENDS, 0, 1, &game), GAME_OK);
    game.shot = 14; /* after the guards are free to hit; ours is the last but one */
    position_put(&game.position, 1, (struct vec2){1.0, SHEET_TEE_Y - 0.5});
    say_state(&peer, &game, &game.position, 0);
    peer_say(&peer, "GO 0 0"); /* no limit */
    peer_throw(&game, profile->ice, hear_shot(&peer));
    assert_false(position_has(&game.position, 1) &&
                 fabs(game.position.stone[1].x - 1.0) < 1e-3); /* it was met */
    peer_say(&peer, "GAMEOVER DRAW");
    expect(&peer, "LOGOUT");
    json_decref(peer_end(&peer, 0, "over"));
    free(peer.log);
}

static void broken_servers_end_the_game_and_are_told(void **state)
{
    static const struct {
        const char *text;
        int status;
        const char *word, *why;
    } broken[] = {
        {"POSITION 1 2 3", 4, "broken", "POSITION with 3 numbers"},
        {"SETSTATE 0 0", 4, "broken", "SETSTATE is not"},
        {"SETSTATE 0 0 two 1", 4, "broken", "SETSTATE is not"},
        {"SETSTATE 16 0 2 1", 4, "broken", "SETSTATE is not"},
        {"GO 1 1", 4, "broken", "GO before"},
        {"SCORE 99", 4, "broken", "SCORE is not"},
        {"SCORE 1", 4, "broken", "before an end"},
        {"GAMEOVER MAYBE", 4, "broken", "GAMEOVER is not"},
        {"LOGIN NG", 3, "refused", "does not admit"},
        {"DISCONNECT", 4, "broken", "before a game"},
    };

    for (size_t k = 0; k < sizeof broken / sizeof broken[0]; k++) {
        struct peer peer;
        peer_start(&peer, "dc2", *state, quick);
        greet(&peer);
        peer_say(&peer, broken[k].text);
        json_t *result = peer_end(&peer, broken[k].status, broken[k].word);
        const char *why = json_string_value(json_object_get(result, "why"));
        if (!strstr(why, broken[k].why))
            fail_msg("%s: '%s' without '%s'", broken[k].text, why, broken[k].why);
        json_decref(result);
        free(peer.log);
    }
}

static void the_password_is_not_in_the_log(void **state)
{
    char path[256], option[300], text[4096];
    snprintf(path, sizeof path, "%s/password", (const char *)*state);
    FILE *file = fopen(path, "we");
    assert_true(file && fputs("secret-word\n", file) >= 0 && fclose(file) == 0);
    snprintf(option, sizeof option, "--password-file=%s", path);
    const char *const options[] = {"--player=random", "--silence=200", "--user=me", option, NULL};
    struct peer peer;

    peer_start(&peer, "dc2", *state, options);
    peer_accept(&peer);
    peer_say(&peer, "CONNECTED");
    expect(&peer, "LOGIN me secret-word rink");
    peer_hang_up(&peer);
    json_decref(peer_end(&peer, 5, "closed"));
    file = fopen(peer.log, "re");
    while (fgets(text, sizeof text, file))
        assert_null(strstr(text, "secret-word"));
    fclose(file);
    free(peer.log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_game_is_played_to_its_end_with_equal_scores),
        cmocka_unit_test(a_server_with_the_other_sign_is_understood),
        cmocka_unit_test(several_games_are_played_on_one_connection),
        cmocka_unit_test(the_frame_of_the_server_is_turned_by_half),
        cmocka_unit_test(broken_servers_end_the_game_and_are_told),
        cmocka_unit_test(the_password_is_not_in_the_log),
    };

    return cmocka_run_group_tests(tests, program_make_folder, program_remove_folder);
}
