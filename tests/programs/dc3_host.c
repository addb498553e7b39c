/* Greets, keeps a game, says updates. See dc3_host.h. */
#include "tests/programs/dc3_host.h"

#include "api/curling/game_json.h"
#include "models/tables/profiles.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

void dc3_greet(struct peer *peer)
{
    peer_say(peer, DC);
    json_t *ok = peer_hear_cmd(peer, "dc_ok");
    assert_string_equal(json_string_value(json_object_get(ok, "name")), "rink");
    json_decref(ok);
    peer_say(peer, IS_READY);
    json_t *ready = peer_hear_cmd(peer, "ready_ok");
    const json_t *order = json_object_get(ready, "player_order");
    /* The player without errors throws last; the others keep their order. */
    const int wanted[] = {0, 2, 3, 1};
    for (size_t k = 0; k < 4; k++)
        assert_int_equal(json_integer_value(json_array_get(order, k)), wanted[k]);
    json_decref(ready);
    peer_say(peer, NEW_GAME);
}

static json_t *last_move_json(const struct shot *shot)
{
    return json_pack("{s:{s:s, s:{s:f, s:f}, s:s}, s:b}", "actual_move", "type", "shot", "velocity",
                     "x", shot->velocity.x, "y", shot->velocity.y, "rotation",
                     shot->omega < 0.0 ? "cw" : "ccw", "free_guard_zone_foul", 0);
}

static void say_update(struct peer *peer, const struct dc3_host *host, const struct shot *last)
{
    const struct game *game = &host->game;
    int next = game_next_team(game);
    json_t *state = game_state_json(game), *stone;
    const char *team;
    size_t k;

    json_object_set_new(state, "thinking_time_remaining",
                        json_pack("{s:f, s:f}", "team0", host->clock_s, "team1", host->clock_s));
    json_t *teams = json_object_get(state, "stones"), *list;
    json_object_foreach(teams, team, list)
    {
        json_array_foreach(list, k, stone)
        {
            if (json_is_object(stone))
                json_object_set_new(stone, "angle", json_real(37.9));
        }
    }
    json_t *scores = json_object_get(state, "scores");
    json_object_foreach(scores, team, list)
    {
        while (json_array_size(list) < (size_t)game->ends)
            json_array_append_new(list, json_null());
    }
    if (!json_object_get(state, "hammer"))
        json_object_set_new(state, "hammer", json_null());
    peer_say_json(peer, json_pack("{s:s, s:o, s:o, s:o}", "cmd", "update", "last_move",
                                  last ? last_move_json(last) : json_null(), "next_team",
                                  next < 0 ? json_null() : json_string(game_team_name(next)),
                                  "state", state));
}

static struct shot hear_move(struct peer *peer)
{
    json_t *message = peer_hear_cmd(peer, "move");
    const json_t *move = json_object_get(message, "move");
    const json_t *velocity = json_object_get(move, "velocity");
    const char *rotation = json_string_value(json_object_get(move, "rotation"));

    assert_string_equal(json_string_value(json_object_get(move, "type")), "shot");
    assert_non_null(rotation);
    const struct shot shot = {{json_number_value(json_object_get(velocity, "x")),
                               json_number_value(json_object_get(velocity, "y"))},
                              strcmp(rotation, "cw") == 0 ? -SHOT_TURN_FCV1_RADPS
                                                          : SHOT_TURN_FCV1_RADPS};
    json_decref(message);
    return shot;
}

int dc3_host_game(struct peer *peer, struct dc3_host *host)
{
    struct shot shot;
    int shots = 0, thrown = 0;

    while (game_next_team(&host->game) >= 0) {
        say_update(peer, host, thrown ? &shot : NULL);
        if (host->watch)
            host->watch(host->context, thrown);
        thrown++;
        shot = peer_own_shot(&host->game, host->ice);
        if (game_next_team(&host->game) == host->us) {
            shot = hear_move(peer);
            host->clock_s -= 0.01;
            shots++;
        }
        peer_throw(&host->game, host->ice, shot);
    }
    say_update(peer, host, &shot);
    peer_say(peer, "{\"cmd\":\"game_over\"}");
    return shots;
}
