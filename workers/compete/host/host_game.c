/* What games of both protocols share: throws, ends, and how the game stands. See host.h. */
#include "workers/compete/host/host.h"

#include "api/base/build_json.h"
#include "api/base/utf8.h"
#include "api/curling/game_json.h"
#include "models/ice/random.h"
#include "models/tables/profiles.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { SHOTS_KEY = 16, ENDS_MAX = PAIR_ENDS_MAX + PAIR_EXTRA_ENDS_MAX };

bool host_game_end(struct host_game *hosted, enum session_end end, const char *format, ...)
{
    va_list arguments;

    if (hosted->why[0])
        return false;
    hosted->end = end;
    va_start(arguments, format);
    vsnprintf(hosted->why, sizeof hosted->why, format, arguments);
    va_end(arguments);
    return false;
}

bool host_game_blame(struct host_game *hosted, int team, enum session_end end, const char *format,
                     ...)
{
    va_list arguments;

    if (hosted->why[0])
        return false;
    hosted->end = end;
    hosted->blamed = team;
    va_start(arguments, format);
    vsnprintf(hosted->why, sizeof hosted->why, format, arguments);
    va_end(arguments);
    return false;
}

void host_game_name(struct host_game *hosted)
{
    const struct host_setting *setting = hosted->setting;

    for (int team = 0; team < 2; team++) {
        struct session_report names = {.team = 1 - team};
        utf8_copy(names.names[team], sizeof names.names[team], hosted->teams[team]);
        if (setting->player[team])
            utf8_copy(hosted->names[team], RECORDER_NAME_MAX, setting->player[team]);
        else if (setting->program[team])
            snprintf(hosted->names[team], RECORDER_NAME_MAX, "external:%s",
                     setting->program[team]->name);
        else
            recorder_opponent(setting->protocol, &names, hosted->names[team]);
        hosted->left_s[team] = setting->time_s;
    }
}

bool host_game_is_over(const struct host_game *hosted)
{
    return hosted->game.rules && hosted->game.result.reason != GAME_RUNNING;
}

bool host_game_throw(struct host_game *hosted, struct host_move *move, struct trajectory *path,
                     struct game_turn *ret_turn)
{
    const struct host_setting *setting = hosted->setting;
    const struct ice_profile *ice = setting->profile->ice;
    struct game *game = &hosted->game;
    const struct random_key key = {.seed = setting->seed,
                                   .shot = (uint32_t)(SHOTS_KEY * game->end + game->shot),
                                   .purpose = RANDOM_EXECUTION};

    move->actual = noise_apply(&setting->noise, ice, move->selected, random_normal_pair(&key, 0));
    struct throw_request request = player_throw(game, ice, move->actual);
    struct throw_result result;
    request.trajectory = path;
    enum throw_status status = setting->engine(&request, &result);
    if (status != THROW_OK)
        return host_game_end(hosted, SESSION_FAILED, "the stone cannot be thrown: %s",
                             throw_status_text(status));
    move->path = path;
    move->before = game->position;
    move->stone = request.stone;
    move->team0_has_hammer = request.team0_has_hammer;
    game_play(game, &result.after, ret_turn);
    move->after = ret_turn->board;
    move->foul = ret_turn->offended >= 0;
    return true;
}

void host_game_note_end(struct host_game *hosted, const struct game *before)
{
    const struct game *game = &hosted->game;
    int end = before->end;

    if (end >= ENDS_MAX)
        return;
    hosted->record.end[end].score = (int8_t)(game->scores[0][end] - game->scores[1][end]);
    hosted->record.end[end].hammer = before->hammer_team == 0;
    hosted->record.ends = end + 1;
}

void host_game_finish(struct host_game *hosted)
{
    const struct game *game = &hosted->game;

    hosted->end = SESSION_OVER;
    hosted->record.half_points = game->result.winner < 0 ? 1 : 2 * !game->result.winner;
    if (game->end <= ENDS_MAX)
        host_log_result(&hosted->log, &hosted->record);
}

/* {"team0":…, "team1":…} of the ports, by what they are for. */
static json_t *ports_json(const struct host_game *hosted)
{
    return hosted->setting->protocol == &protocol_dc4
               ? json_pack("{s:i}", "http", hosted->ports[0])
               : json_pack("{s:i, s:i}", "team0", hosted->ports[0], "team1", hosted->ports[1]);
}

void host_game_show(const struct host_game *hosted)
{
    const struct game *game = &hosted->game;
    const struct host_setting *setting = hosted->setting;
    bool is_running = game->rules && !host_game_is_over(hosted);
    json_t *state =
        json_pack("{s:s, s:i, s:{s:s, s:s}}", "profile", setting->profile->name, "ends",
                  setting->ends, "names", "team0", hosted->teams[0], "team1", hosted->teams[1]);

    build_add(state, "ports", ports_json(hosted));
    if (setting->protocol == &protocol_dc4)
        build_add(state, "match", json_string(hosted->log.id));
    if (game->rules) {
        build_add(
            state, "points",
            json_pack("{s:i, s:i}", "team0", game_total(game, 0), "team1", game_total(game, 1)));
        build_add(state, "left",
                  json_pack("{s:f, s:f}", "team0", hosted->left_s[0], "team1", hosted->left_s[1]));
    }
    if (is_running) {
        double played = game->end + (double)game->shot / game->rules->shots;
        build_add(state, "progress", json_real(fmin(played / game->ends, 1.0)));
        build_add(state, "end_number", json_integer(game->end + 1));
        build_add(state, "shot", json_integer(game->shot + 1));
        build_add(state, "state", game_state_json(game));
    }
    if (!host_write(setting->folder, HOST_STATE_FILE, state, false))
        perror(HOST_STATE_FILE);
}

json_t *host_game_result(const struct host_game *hosted)
{
    const struct host_setting *setting = hosted->setting;
    const struct game *game = &hosted->game;
    bool is_whole = hosted->end == SESSION_OVER && game->end <= ENDS_MAX;
    int half_points = is_whole ? 2 * hosted->record.half_points : -1;
    json_t *result =
        json_pack("{s:s, s:s, s:s, s:s, s:i, s:i, s:I, s:s, s:i}", "end", session_word(hosted->end),
                  "why", hosted->why, "protocol", setting->protocol->name, "profile",
                  setting->profile->name, "ends", setting->ends, "extra_ends", setting->extra_ends,
                  "seed", (json_int_t)setting->seed, "noise", "server", "shots", hosted->shots);

    build_add(result, "names",
              json_pack("{s:s, s:s}", "team0", hosted->teams[0], "team1", hosted->teams[1]));
    build_add(result, "a", json_pack("{s:s}", "player", hosted->names[0]));
    build_add(result, "b", json_pack("{s:s}", "player", hosted->names[1]));
    build_add(result, "pentanomial",
              json_pack("[i, i, i, i, i]", half_points == 0, half_points == 1, half_points == 2,
                        half_points == 3, half_points == 4));
    build_add(result, "points",
              json_pack("{s:i, s:i}", "team0", game_total(game, 0), "team1", game_total(game, 1)));
    build_add(result, "left",
              json_pack("{s:f, s:f}", "team0", hosted->left_s[0], "team1", hosted->left_s[1]));
    if (hosted->end == SESSION_OVER) {
        int winner = game->result.winner;
        build_add(result, "winner", winner < 0 ? json_null() : json_string(game_team_name(winner)));
        build_add(result, "reason", json_string(game_reason_name(game->result.reason)));
    }
    return result;
}
