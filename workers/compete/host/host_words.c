/* The messages of a server of Digital Curling 3. See host.h. */
#include "workers/compete/host/host.h"

#include "api/base/build_json.h"
#include "api/base/load_json.h"
#include "api/base/strict_json.h"
#include "api/base/utf8.h"
#include "api/curling/dc3_json.h"
#include "api/curling/game_json.h"
#include "models/game/sheet.h"
#include "models/tables/profiles.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SECONDS_PER_FRAME 0.001

/* Both values by team; takes ownership. */
static json_t *by_team(json_t *first, json_t *second)
{
    return json_pack("{s:o, s:o}", game_team_name(0), first, game_team_name(1), second);
}

/* ---- before the game ---- */

json_t *host_dc(const char *id, const char *when)
{
    return json_pack("{s:s, s:s, s:s, s:{s:i, s:i}}", "cmd", "dc", "game_id", id, "date_time", when,
                     "version", "major", 1, "minor", 0);
}

static json_t *players_json(const struct noise *noise)
{
    json_t *list = json_array();
    bool good = true;

    for (int k = 0; k < DC3_PLAYERS; k++)
        good = build_append(list, json_pack("{s:s, s:f, s:f, s:f, s:n}", "type", "normal_dist",
                                            "max_speed", noise->max_speed_mps, "stddev_speed",
                                            noise->stddev_speed_mps, "stddev_angle",
                                            noise->stddev_angle_rad, "seed")) &&
               good;
    return build_done(list, good);
}

static json_t *seconds_json(double seconds)
{
    return by_team(json_real(seconds), json_real(seconds));
}

json_t *host_is_ready(const struct host_setting *setting, int team)
{
    bool five = strcmp(setting->profile->name, "dc3") == 0;

    return json_pack("{s:s, s:s?, s:{s:s, s:{s:i, s:b, s:f, s:o, s:o}, s:{s:s, s:f}, s:o}}", "cmd",
                     "is_ready", "team", team < 0 ? NULL : game_team_name(team), "game", "rule",
                     "normal", "setting", "max_end", setting->ends, "five_rock_rule", five,
                     "sheet_width", SHEET_WIDTH, "thinking_time", seconds_json(setting->time_s),
                     "extra_end_thinking_time", seconds_json(setting->extra_end_time_s),
                     "simulator", "type", "fcv1", "seconds_per_frame", SECONDS_PER_FRAME, "players",
                     by_team(players_json(&setting->noise), players_json(&setting->noise)));
}

json_t *host_new_game(const struct host_seat seats[2])
{
    return json_pack("{s:s, s:{s:s, s:s}}", "cmd", "new_game", "name", game_team_name(0),
                     seats[0].name, game_team_name(1), seats[1].name);
}

/* ---- a game ---- */

/* The official client wants the angle of each stone; it is not simulated here, so it is 0. */
static void add_angles(json_t *stones)
{
    json_t *stone;
    size_t k;

    for (int team = 0; team < 2; team++)
        json_array_foreach(json_object_get(stones, game_team_name(team)), k,
                           stone) if (json_is_object(stone))
            build_add(stone, "angle", json_real(0.0));
}

/* The points of the extra end that decided the game; null after blank ones. */
static json_t *extra_end_score(const struct game *game)
{
    int last = game->end - 1;

    if (game->end <= game->ends || game->scores[0][last] + game->scores[1][last] == 0)
        return by_team(json_null(), json_null());
    return by_team(json_integer(game->scores[0][last]), json_integer(game->scores[1][last]));
}

static json_t *state_json(const struct game *game, const double left_s[2])
{
    json_t *state = game_state_json(game);
    bool good = build_add(state, "extra_end_score", extra_end_score(game));

    if (game->result.reason == GAME_RUNNING)
        good = build_add(state, "game_result", json_null()) && good;
    /* As the official server: milliseconds. */
    good = build_add(state, "thinking_time_remaining",
                     by_team(json_real(round(left_s[0] * 1000.0) / 1000.0),
                             json_real(round(left_s[1] * 1000.0) / 1000.0))) &&
           good;
    add_angles(json_object_get(state, "stones"));
    return build_done(state, good);
}

json_t *host_shot_json(const struct shot *shot)
{
    return json_pack("{s:s, s:{s:f, s:f}, s:s}", "type", "shot", "velocity", "x", shot->velocity.x,
                     "y", shot->velocity.y, "rotation", shot->omega < 0.0 ? "cw" : "ccw");
}

json_t *host_move_json(const struct host_move *move, bool actual)
{
    if (move->conceded || move->late)
        return json_pack("{s:s}", "type", "concede");
    return host_shot_json(actual ? &move->actual : &move->selected);
}

json_t *host_update(const struct game *game, const double left_s[2], const struct host_move *move,
                    bool with_path)
{
    int next = game_next_team(game);
    json_t *last = json_null();

    if (move) {
        last = json_pack("{s:o, s:b}", "actual_move", host_move_json(move, true),
                         "free_guard_zone_foul", move->foul);
        if (with_path)
            build_add(last, "trajectory", move->path ? host_trajectory(move) : json_null());
    }
    return json_pack("{s:s, s:s?, s:o, s:o}", "cmd", "update", "next_team",
                     next < 0 ? NULL : game_team_name(next), "state", state_json(game, left_s),
                     "last_move", last);
}

/* ---- trajectories ---- */

static json_t *place_json(struct vec2 at)
{
    return json_pack("{s:f, s:{s:f, s:f}}", "angle", 0.0, "position", "x", at.x, "y", at.y);
}

static json_t *stones_json(const struct position *position, bool team0_has_hammer)
{
    json_t *stones = game_stones_json(position, team0_has_hammer);

    add_angles(stones);
    return stones;
}

static json_t *change_json(const struct host_move *move, int stone, json_t *value)
{
    return json_pack("{s:s, s:i, s:o}", "team",
                     game_team_name(team_of_stone(stone, move->team0_has_hammer)), "index",
                     slot_of_stone(stone), "value", value);
}

/* A list of frames: each names the stones that moved since the one before. */
json_t *host_trajectory(const struct host_move *move)
{
    const struct trajectory *path = move->path;
    double frame_s = path->interval_steps * SECONDS_PER_FRAME;
    json_t *frames = json_array();
    size_t next[POSITION_STONES] = {0};
    bool is_moving = true, good = true;
    struct position start = move->before;

    position_put(&start, move->stone, (struct vec2){0.0, 0.0});
    for (int frame = 1; is_moving && good; frame++) {
        json_t *changes = json_array();
        is_moving = false;
        for (int stone = 0; stone < POSITION_STONES; stone++) {
            const struct trajectory_path *line = &path->stone[stone];
            size_t at = next[stone];
            while (next[stone] < line->count &&
                   line->points[next[stone]].t_s <= frame * frame_s + 1e-9)
                next[stone]++;
            is_moving = is_moving || next[stone] < line->count;
            if (next[stone] == at)
                continue;
            bool is_gone = next[stone] == line->count && !position_has(&move->after, stone);
            json_t *value = is_gone ? json_null() : place_json(line->points[next[stone] - 1].at);
            good = build_append(changes, change_json(move, stone, value)) && good;
        }
        good = build_append(frames, changes) && good;
    }
    return json_pack("{s:f, s:o, s:o, s:o}", "seconds_per_frame", frame_s, "start",
                     stones_json(&start, move->team0_has_hammer), "finish",
                     stones_json(&move->after, move->team0_has_hammer), "frames",
                     build_done(frames, good));
}

/* ---- what clients say ---- */

static bool blame(const struct strict_errors *errors, const char *cmd, char ret_why[HOST_WHY_MAX])
{
    if (errors->count == 0)
        return true;
    snprintf(ret_why, HOST_WHY_MAX, "%s%.100s: %.150s", cmd, errors->error[0].pointer,
             errors->error[0].message);
    return false;
}

bool host_hear(const char *line, const char *cmd, json_t **ret_message, char ret_why[HOST_WHY_MAX])
{
    json_t *message = load_json(line, strlen(line), 0, NULL);
    const char *said = json_string_value(json_object_get(message, "cmd"));
    char shown[32];

    if (said && strcmp(said, cmd) == 0) {
        *ret_message = message;
        return true;
    }
    utf8_copy(shown, sizeof shown, said ? said : "");
    utf8_make_line(shown);
    if (!json_is_object(message))
        snprintf(ret_why, HOST_WHY_MAX, "said a line that is no JSON object, instead of %s", cmd);
    else
        snprintf(ret_why, HOST_WHY_MAX, "said '%s' instead of %s", shown, cmd);
    json_decref(message);
    return false;
}

bool host_read_order(json_t *message, char ret_why[HOST_WHY_MAX])
{
    struct strict_errors errors = {.count = 0};
    const struct strict_place root = strict_root(message, &errors);
    const struct strict_place list = strict_member(&root, "player_order");
    unsigned seen = 0;

    if (!strict_array(&list, DC3_PLAYERS, DC3_PLAYERS))
        return blame(&errors, "ready_ok", ret_why);
    for (size_t k = 0; k < DC3_PLAYERS; k++) {
        const struct strict_place place = strict_element(&list, k);
        int64_t player = 0;
        if (strict_whole(&place, 0, DC3_PLAYERS - 1, &player))
            seen |= 1u << player;
    }
    if (errors.count == 0 && seen != (1u << DC3_PLAYERS) - 1)
        strict_refuse(&list, "value", "names a player twice");
    return blame(&errors, "ready_ok", ret_why);
}

/* As the official server: numbers become float32, and each rotation but "cw" is counter-clockwise.
 */
bool host_read_move(json_t *message, struct host_move *ret_move, char ret_why[HOST_WHY_MAX])
{
    struct strict_errors errors = {.count = 0};
    const struct strict_place root = strict_root(message, &errors);
    const struct strict_place move = strict_member(&root, "move");
    const struct strict_place type = strict_member(&move, "type");
    const struct strict_place velocity = strict_member(&move, "velocity");
    const struct strict_place x = strict_member(&velocity, "x"), y = strict_member(&velocity, "y");
    const struct strict_place rotation = strict_member(&move, "rotation");
    static const char *const types[] = {"shot", "concede", NULL};
    double speed[2] = {0.0, 0.0};
    const char *word = "";
    int kind = 0;

    if (strict_object(&move, NULL) && strict_choice(&type, types, &kind) && kind == 0 &&
        strict_object(&velocity, NULL)) {
        strict_number(&x, -GAME_SPEED_MAX_MPS, GAME_SPEED_MAX_MPS, &speed[0]);
        strict_number(&y, -GAME_SPEED_MAX_MPS, GAME_SPEED_MAX_MPS, &speed[1]);
        strict_text(&rotation, HOST_LINE_MAX, &word);
    }
    *ret_move = (struct host_move){
        .conceded = kind == 1,
        .selected = {{(double)(float)speed[0], (double)(float)speed[1]},
                     strcmp(word, "cw") == 0 ? -SHOT_TURN_FCV1_RADPS : SHOT_TURN_FCV1_RADPS}};
    return blame(&errors, "move", ret_why);
}
