/* Digital Curling 3: lines of JSON, in lock-step.
 *
 *   dc -> dc_ok, is_ready -> ready_ok, new_game, then update after update, each of ours -> move,
 *   at the end game_over
 */
#include "workers/compete/talk.h"

#include "api/base/utf8.h"
#include "api/curling/dc3_json.h"
#include "api/curling/game_json.h"
#include "models/tables/profiles.h"
#include "workers/search/player/hand_noise.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLAYERS = DC3_PLAYERS, PROTOCOL_MAJOR = 1, DECIDING = 6, COMMANDS = 5 };

enum stage { AWAIT_DC, AWAIT_IS_READY, AWAIT_NEW_GAME, PLAYING };

struct dc3 {
    enum stage stage;
    const struct profile *profile;
    int ends;
    struct noise players[2][PLAYERS]; /* in the order of throwing */
};

/* ---- before the game ---- */

static double error_of(const struct noise *hand)
{
    return hand->kind == ICE_NOISE_NONE ? 0.0 : hand->stddev_speed_mps + hand->stddev_angle_rad;
}

/* Puts our surest hands last, where a shot decides most; equal hands keep their order. */
static void order_players(struct noise players[PLAYERS], int ret_order[PLAYERS])
{
    struct noise sorted[PLAYERS];

    for (int k = 0; k < PLAYERS; k++) {
        int at = k;
        for (; at > 0 && error_of(&sorted[at - 1]) < error_of(&players[k]); at--) {
            sorted[at] = sorted[at - 1];
            ret_order[at] = ret_order[at - 1];
        }
        sorted[at] = players[k];
        ret_order[at] = k;
    }
    memcpy(players, sorted, sizeof sorted);
}

static enum talk_next hear_is_ready(struct talk *talk, const struct strict_place *root)
{
    static const char *const teams[] = {"team0", "team1", NULL};
    struct dc3 *own = talk->own;
    const struct strict_place team = strict_member(root, "team");
    const struct strict_place place = strict_member(root, "game");
    struct dc3_game game;
    int order[PLAYERS];

    if (!strict_choice(&team, teams, &talk->team) || !dc3_game_decode(&place, &game)) {
        const struct strict_error *error = &root->errors->error[0];
        return strcmp(error->code, DC3_UNPLAYABLE) == 0
                   ? talk_because(talk, TALK_REFUSE, "%s", error->message)
                   : talk_blame(talk, "is_ready", root->errors);
    }
    own->ends = game.max_end;
    own->profile = profile_find(game.profile);
    for (int t = 0; t < 2; t++)
        for (int k = 0; k < PLAYERS; k++)
            own->players[t][k] = hand_noise(&game.hands[t][k], own->profile->ice);
    order_players(own->players[talk->team], order);
    talk_say(talk, json_pack("{s:s, s:[i, i, i, i]}", "cmd", "ready_ok", "player_order", order[0],
                             order[1], order[2], order[3]));
    own->stage = AWAIT_NEW_GAME;
    return TALK_LISTEN;
}

static enum talk_next hear_dc(struct talk *talk, const struct strict_place *root)
{
    static const char *const version_keys[] = {"major", "minor", NULL};
    struct dc3 *own = talk->own;
    const struct strict_place version = strict_member(root, "version");
    const struct strict_place major = strict_member(&version, "major");
    int64_t number = PROTOCOL_MAJOR;

    if (!strict_is_untold(&version, "1.0") &&
        (!strict_object(&version, version_keys) ||
         (!strict_is_untold(&major, "1") && !strict_whole(&major, 0, INT32_MAX, &number))))
        return talk_blame(talk, "dc", root->errors);
    if (number != PROTOCOL_MAJOR)
        return talk_because(talk, TALK_REFUSE, "cannot speak version %lld of the protocol",
                            (long long)number);
    talk_say(talk, json_pack("{s:s, s:s}", "cmd", "dc_ok", "name", talk->setting->name));
    own->stage = AWAIT_IS_READY;
    return TALK_LISTEN;
}

static enum talk_next hear_new_game(struct talk *talk, const struct strict_place *root)
{
    struct dc3 *own = talk->own;
    const json_t *names = json_object_get(root->value, "name");

    for (int team = 0; team < 2; team++) {
        const char *name = json_string_value(json_object_get(names, game_team_name(team)));
        talk_name(talk, team, name);
    }
    own->stage = PLAYING;
    return TALK_LISTEN;
}

/* ---- the game ---- */

/* Reads the members of a state that decide a game; others are the server's affair. */
static bool read_game(struct talk *talk, const struct strict_place *root, struct game *ret_game)
{
    /* Of these the first decide a game. */
    static const char *const members[] = {"end",         "shot",
                                          "hammer",      "scores",
                                          "stones",      "extra_end_score",
                                          "game_result", "thinking_time_remaining",
                                          NULL};
    struct dc3 *own = talk->own;
    const struct strict_place told = strict_member(root, "state");
    json_t *state = told.value, *known = json_object();
    char note[TALK_WHY_MAX];

    strict_object(&told, members);
    for (int k = 0; k < DECIDING; k++)
        if (json_object_get(state, members[k]))
            json_object_set(known, members[k], json_object_get(state, members[k]));
    json_t *document =
        json_pack("{s:s, s:o, s:{s:i, s:i}}", "profile", own->profile->name, "state", known,
                  "setting", "max_end", own->ends, "extra_ends", (int)RULES_ENDS_MAX);
    struct strict_errors errors = {.count = 0};
    const struct strict_place place = strict_root_of_others(document, &errors, root->notes);
    bool good = document && game_decode(&place, ret_game);
    if (!good && errors.count > 0 && strncmp(errors.error[0].pointer, "/state/stones", 13) == 0 &&
        strcmp(errors.error[0].code, "value") == 0 && ret_game->rules &&
        situation_settle(ret_game, sizeof note, note)) {
        talk_note(talk, "stones taken off: %s", note);
        good = true;
    } else if (!good) {
        talk_blame(talk, "update", &errors);
    }
    json_decref(document);
    return good;
}

static double remaining_of(const json_t *state, int team)
{
    const json_t *clocks = json_object_get(state, "thinking_time_remaining");
    const json_t *clock = json_object_get(clocks, game_team_name(team));

    return json_is_number(clock) ? json_number_value(clock) : (double)NAN;
}

/* Points of an end; what cannot be any counts as none. */
static int points_of(const json_t *score)
{
    json_int_t points = json_integer_value(score);

    return points >= 0 && points <= POSITION_STONES / 2 ? (int)points : 0;
}

static void read_points(const json_t *state, int ret_points[2])
{
    const json_t *lists = json_object_get(state, "scores");
    const json_t *extra = json_object_get(state, "extra_end_score");
    const json_t *score;
    size_t k;

    for (int team = 0; team < 2; team++) {
        ret_points[team] = points_of(json_object_get(extra, game_team_name(team)));
        json_array_foreach(json_object_get(lists, game_team_name(team)), k, score)
            ret_points[team] += points_of(score);
    }
}

static enum talk_next hear_result(struct talk *talk, const json_t *state, const json_t *result)
{
    const char *winner = json_string_value(json_object_get(result, "winner"));
    const char *reason = json_string_value(json_object_get(result, "reason"));
    struct outcome *outcome = &talk->outcome;

    if (outcome->is_known)
        return TALK_LISTEN;
    *outcome = (struct outcome){.is_known = true, .winner = -1, .games = 1};
    for (int team = 0; team < 2; team++)
        if (winner && strcmp(winner, game_team_name(team)) == 0)
            outcome->winner = team;
    snprintf(outcome->reason, sizeof outcome->reason, "%s", reason ? reason : "");
    utf8_make_line(outcome->reason);
    read_points(state, outcome->points);
    outcome->won = outcome->winner == talk->team;
    outcome->lost = outcome->winner == 1 - talk->team;
    return TALK_LISTEN;
}

/* Reads the stones at rest after the last shot of an end, which the next state no longer shows: the
 * end of their paths, where the server tells it. */
static bool read_final(const json_t *last, const struct game *before, struct position *ret_final)
{
    const json_t *finish = json_object_get(json_object_get(last, "trajectory"), "finish");
    const json_t *stone;
    size_t k;

    *ret_final = (struct position){.in_play = 0};
    for (int team = 0; team < 2; team++) {
        const json_t *slots = json_object_get(finish, game_team_name(team));
        if (json_array_size(slots) != POSITION_STONES / 2)
            return false;
        json_array_foreach(slots, k, stone)
        {
            const json_t *at = json_object_get(stone, "position");
            const struct vec2 place = {json_number_value(json_object_get(at, "x")),
                                       json_number_value(json_object_get(at, "y"))};
            if (json_is_null(stone))
                continue;
            if (!rules_area_has(&before->rules->sheet, place))
                return false;
            position_put(ret_final, stone_of_slot(team, (int)k, game_team0_has_hammer(before)),
                         place);
        }
    }
    return true;
}

/* What the last shot was, as it left the hand. */
static void see_last_move(struct talk *talk, const json_t *update)
{
    const json_t *last = json_object_get(update, "last_move");
    const json_t *move = json_object_get(last, "actual_move");
    const json_t *velocity = json_object_get(move, "velocity");
    const char *rotation = json_string_value(json_object_get(move, "rotation"));
    const char *type = json_string_value(json_object_get(move, "type"));
    struct seen *seen = &talk->seen;

    seen->has_thrown = rotation && json_is_number(json_object_get(velocity, "x"));
    seen->thrown = (struct shot){{json_number_value(json_object_get(velocity, "x")),
                                  json_number_value(json_object_get(velocity, "y"))},
                                 rotation && strcmp(rotation, "cw") == 0 ? -SHOT_TURN_FCV1_RADPS
                                                                         : SHOT_TURN_FCV1_RADPS};
    seen->conceded = type && strcmp(type, "concede") == 0;
    seen->foul = json_is_true(json_object_get(last, "free_guard_zone_foul"));
    seen->has_final = seen->has_game && !seen->conceded &&
                      seen->game.shot == seen->game.rules->shots - 1 &&
                      read_final(last, &seen->game, &seen->final);
}

static enum talk_next hear_update(struct talk *talk, const struct strict_place *root)
{
    struct dc3 *own = talk->own;
    json_t *state = json_object_get(root->value, "state");
    const json_t *result = json_object_get(state, "game_result");
    const char *next = json_string_value(json_object_get(root->value, "next_team"));
    struct situation *situation = &talk->situation;
    struct game game;

    if (!json_is_object(state))
        return talk_because(talk, TALK_BROKEN, "update.state: missing");
    see_last_move(talk, root->value);
    if (json_is_object(result)) {
        talk_see(talk, NULL);
        return hear_result(talk, state, result);
    }
    if (!read_game(talk, root, &game))
        return TALK_BROKEN;
    talk_see(talk, &game);
    int team = game_next_team(&game);
    if (next && strcmp(next, game_team_name(team)) != 0)
        return talk_because(talk, TALK_BROKEN,
                            "update.next_team: is %.20s, but the state says team%d", next, team);
    if (team != talk->team)
        return TALK_LISTEN;
    *situation = (struct situation){.game = game, .ice = own->profile->ice, .team = team};
    for (int shot = 0; shot < own->profile->rules.shots; shot++) {
        int thrower = team_of_stone(shot, game_team0_has_hammer(&game));
        situation->hands[shot] = own->players[thrower][rules_thrower_of_shot(game.rules, shot)];
    }
    situation->remaining_s = remaining_of(state, team);
    situation->has_clock = isfinite(situation->remaining_s);
    situation->clock_period = game.end < game.ends ? 0 : game.end;
    situation->clock_ends = game.end < game.ends ? game.ends - 1 - game.end : 0;
    return TALK_THINK;
}

static enum talk_next hear_game_over(struct talk *talk, const struct strict_place *root)
{
    (void)root;
    if (!talk->outcome.is_known)
        return talk_because(talk, TALK_BROKEN, "game_over without a result");
    return TALK_OVER;
}

static enum talk_next hear(struct talk *talk, const struct heard *heard)
{
    static const struct {
        const char *cmd;
        enum stage stage;
        enum talk_next (*hear)(struct talk *talk, const struct strict_place *root);
        const char *keys[6];
    } commands[COMMANDS] = {
        {"dc", AWAIT_DC, hear_dc, {"cmd", "version", "game_id", "date_time"}},
        {"is_ready", AWAIT_IS_READY, hear_is_ready, {"cmd", "team", "game"}},
        {"new_game", AWAIT_NEW_GAME, hear_new_game, {"cmd", "name"}},
        {"update", PLAYING, hear_update, {"cmd", "next_team", "state", "last_move"}},
        {"game_over", PLAYING, hear_game_over, {"cmd"}},
    };
    const struct dc3 *own = talk->own;
    struct strict_errors errors = {.count = 0};
    struct strict_notes notes = {.kept = 0};
    json_t *document = talk_parse(talk, heard);
    const char *cmd = json_string_value(json_object_get(document, "cmd"));
    enum talk_next next = TALK_BROKEN;

    if (!document)
        return TALK_BROKEN;
    if (!cmd) {
        talk_because(talk, TALK_BROKEN, "a message without cmd");
    } else {
        size_t k = 0;
        while (k < COMMANDS && strcmp(cmd, commands[k].cmd) != 0)
            k++;
        if (k == COMMANDS) {
            talk_note(talk, "the unknown command %.*s is ignored", utf8_fit(cmd, 40), cmd);
            next = TALK_LISTEN;
        } else if (own->stage != commands[k].stage) {
            talk_because(talk, TALK_BROKEN, "%s at the wrong time", cmd);
        } else {
            const struct strict_place root = strict_root_of_others(document, &errors, &notes);
            strict_object(&root, commands[k].keys);
            next = commands[k].hear(talk, &root);
            talk_note_reading(talk, cmd, &notes);
        }
    }
    json_decref(document);
    return next;
}

static void answer(struct talk *talk, const struct decision *decision)
{
    const struct shot *shot = &decision->shot;

    if (decision->concede)
        talk_say(talk, json_pack("{s:s, s:{s:s}}", "cmd", "move", "move", "type", "concede"));
    else
        talk_say(talk, json_pack("{s:s, s:{s:s, s:{s:f, s:f}, s:s}}", "cmd", "move", "move", "type",
                                 "shot", "velocity", "x", shot->velocity.x, "y", shot->velocity.y,
                                 "rotation", shot->omega < 0.0 ? "cw" : "ccw"));
}

const struct protocol protocol_dc3 = {.name = "dc3",
                                      .profile = "dc3",
                                      .own_size = sizeof(struct dc3),
                                      .hear = hear,
                                      .answer = answer};
