/* The words of a server of Digital Curling 4. See dc4.h. */
#include "workers/compete/host/dc4.h"

#include "api/base/build_json.h"
#include "api/base/strict_json.h"
#include "api/base/utf8.h"
#include "api/curling/game_json.h"
#include "models/tables/profiles.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static json_t *team_or_null(int team)
{
    return team < 0 ? json_null() : json_string(game_team_name(team));
}

/* ---- the match ---- */

/* 0 fgz, 1 no_tick, 2 modified. */
static int rule_of(const struct profile *profile)
{
    return profile->rules.preplaced > 0 ? 2 : profile->rules.no_tick_half_width > 0.0 ? 1 : 0;
}

static json_t *mixed_json(const struct dc4_match *match)
{
    if (!match->is_mixed)
        return json_null();
    json_t *ends = json_object();
    bool good = ends != NULL;

    for (int team = 0; team < 2; team++)
        good = build_add(ends, game_team_name(team),
                         match->power_end[team] < 0 ? json_null()
                                                    : json_integer(match->power_end[team])) &&
               good;
    return json_pack("{s:i, s:s, s:o}", "positioned_stones_pattern", match->hosted.setting->pattern,
                     "end_setup_team", game_team_name(match->chooser), "power_play_end",
                     build_done(ends, good));
}

json_t *dc4_score_json(const struct game *game)
{
    json_t *score = json_object();
    bool good = score != NULL;

    for (int team = 0; team < 2; team++) {
        json_t *list = json_array();
        int extra = 0;
        for (int end = 0; end < game->ends; end++)
            good = build_append(list, json_integer(game->scores[team][end])) && good;
        for (int end = game->ends; end < RULES_ENDS_MAX; end++)
            extra += game->scores[team][end];
        good = build_append(list, json_integer(extra)) && good;
        good = build_add(score, game_team_name(team), list) && good;
    }
    return build_done(score, good);
}

/* The official server knows teams by such an id. */
static const char *const team_ids[] = {"00000000-0000-4000-8000-000000000000",
                                       "00000000-0000-4000-8000-000000000001"};

json_t *dc4_asked_json(const json_t *state)
{
    static const char *const members[][2] = {{"winner_team", "winner_team_id"},
                                             {"next_shot_team", "next_shot_team_id"}};
    json_t *json = json_copy((json_t *)state);
    bool good = json != NULL;

    for (int k = 0; k < 2 && good; k++) {
        const char *name = json_string_value(json_object_get(state, members[k][0]));
        good = build_add(json, members[k][1],
                         name ? json_string(team_ids[strcmp(name, game_team_name(1)) == 0])
                              : json_null());
    }
    return build_done(json, good);
}

json_t *dc4_match_json(const struct dc4_match *match)
{
    const struct host_game *hosted = &match->hosted;
    const struct host_setting *setting = hosted->setting;
    int winner = hosted->game.rules ? hosted->game.result.winner : -1;
    struct game none = {.ends = setting->ends};
    json_t *json = json_pack(
        "{s:s, s:s, s:s?, s:s?, s:s, s:s, s:o, s:o, s:f, s:f, s:i, s:i, s:s, s:s, s:{s:s}, "
        "s:{s:s}}",
        "match_id", hosted->log.id, "match_name", "rinkd", "first_team_name",
        match->seats[0].is_taken ? hosted->teams[0] : NULL, "second_team_name",
        match->seats[1].is_taken ? hosted->teams[1] : NULL, "first_team_id", team_ids[0],
        "second_team_id", team_ids[1], "winner_team", team_or_null(winner), "winner_team_id",
        winner < 0 ? json_null() : json_string(team_ids[winner]), "time_limit", setting->time_s,
        "extra_end_time_limit", setting->extra_end_time_s, "standard_end_count", setting->ends,
        "applied_rule", rule_of(setting->profile), "game_mode",
        match->is_mixed ? "mixed_doubles" : "standard", "created_at", hosted->log.when, "simulator",
        "simulator_name", "fcv1", "tournament", "tournament_name", "rinkd");

    /* Clients of both ages read it. */
    bool good = build_add(json, "mixed_doubles_settings", mixed_json(match)) &&
                build_add(json, "mix_doubles_settings", mixed_json(match));
    good = build_add(json, "score", dc4_score_json(hosted->game.rules ? &hosted->game : &none)) &&
           good;
    return build_done(json, good);
}

/* ---- states ---- */

/* Stones not in play are at (0, 0). */
static json_t *stones_json(const struct game *game)
{
    int slots = rules_stones(game->rules) / 2;
    json_t *stones = json_object();
    bool good = stones != NULL;

    for (int team = 0; team < 2; team++) {
        json_t *list = json_array();
        for (int slot = 0; slot < slots; slot++) {
            int stone = stone_of_slot(team, slot, game_team0_has_hammer(game));
            struct vec2 at = {0.0, 0.0};
            if (position_has(&game->position, stone))
                at = game->position.stone[stone];
            good = build_append(list, json_pack("{s:f, s:f}", "x", at.x, "y", at.y)) && good;
        }
        good = build_add(stones, game_team_name(team), list) && good;
    }
    return json_pack("{s:o}", "data", build_done(stones, good));
}

json_t *dc4_shot_json(const struct shot *shot, bool as_asked)
{
    return json_pack("{s:f, s:f, s:f}", "translational_velocity", vec2_length(shot->velocity),
                     "angular_velocity", as_asked ? 0.0 - shot->omega : shot->omega, "shot_angle",
                     atan2(shot->velocity.y, shot->velocity.x));
}

json_t *dc4_state_json(const struct dc4_match *match, const struct dc4_board *board)
{
    const struct host_game *hosted = &match->hosted;
    bool waits = board->total < 0;
    json_t *json = json_pack(
        "{s:s, s:o, s:s, s:s, s:i, s:o, s:f, s:f, s:f, s:f}", "match_id", hosted->log.id,
        "winner_team", team_or_null(board->winner), "first_team_name", hosted->teams[0],
        "second_team_name", hosted->teams[1], "end_number", board->game->end, "next_shot_team",
        team_or_null(board->next), "first_team_remaining_time", match->clock_s[DC4_ENDS][0],
        "second_team_remaining_time", match->clock_s[DC4_ENDS][1],
        "first_team_extra_end_remaining_time", match->clock_s[DC4_EXTRA_ENDS][0],
        "second_team_extra_end_remaining_time", match->clock_s[DC4_EXTRA_ENDS][1]);
    static const char *const numbers[] = {"team_shot_number", "shot_number"};
    bool good =
        build_add(json, "total_shot_number", waits ? json_null() : json_integer(board->total));

    for (int k = 0; k < 2; k++)
        good = build_add(json, numbers[k], waits ? json_null() : json_integer(board->total / 2)) &&
               good;
    good = build_add(json, "mixed_doubles_settings", mixed_json(match)) && good;
    good = build_add(json, "mix_doubles_settings", mixed_json(match)) && good;
    good = build_add(json, "last_move",
                     match->has_last && board->total > 0 ? dc4_shot_json(&match->last, false)
                                                         : json_null()) &&
           good;
    good = build_add(json, "stone_coordinate", stones_json(board->game)) && good;
    good = build_add(json, "score", dc4_score_json(board->game)) && good;
    return build_done(json, good);
}

char *dc4_event(const json_t *state, bool is_latest)
{
    char *text = json_dumps(state, JSON_COMPACT), *event = NULL;

    if (text && asprintf(&event, "event: %s\ndata: %s\n\n",
                         is_latest ? "latest_state_update" : "state_update", text) < 0)
        event = NULL;
    free(text);
    return event;
}

char *dc4_detail(const char *text)
{
    json_t *json = json_pack("{s:s}", "detail", text);
    char *body = json ? json_dumps(json, JSON_COMPACT) : NULL;

    json_decref(json);
    return body;
}

/* ---- what clients send ---- */

static bool blame(const struct strict_errors *errors, char ret_why[HOST_WHY_MAX])
{
    if (errors->count == 0)
        return true;
    snprintf(ret_why, HOST_WHY_MAX, "%.100s: %.150s", errors->error[0].pointer,
             errors->error[0].message);
    return false;
}

/* As the server's simulator takes it: a turn of 0 is counter-clockwise, a slow one is made faster
 * by the hand's limits. */
bool dc4_read_shot(json_t *body, struct shot *ret_shot, char ret_why[HOST_WHY_MAX])
{
    static const char *const names[] = {"translational_velocity", "angular_velocity", "shot_angle"};
    struct strict_errors errors = {.count = 0};
    const struct strict_place root = strict_root(body, &errors);
    double value[3] = {0.0, 0.0, 0.0};

    for (int k = 0; strict_object(&root, NULL) && k < 3; k++) {
        const struct strict_place place = strict_member(&root, names[k]);
        strict_number(&place, -1e3, 1e3, &value[k]);
    }
    double speed = fmin(fmax(value[0], 0.0), GAME_SPEED_MAX_MPS);
    *ret_shot = (struct shot){{speed * cos(value[2]), speed * sin(value[2])},
                              value[1] == 0.0 ? SHOT_TURN_FCV1_RADPS / 3.0 : -value[1]};
    return blame(&errors, ret_why);
}

bool dc4_read_team(json_t *body, char ret_name[HOST_NAME_MAX], char ret_why[HOST_WHY_MAX])
{
    struct strict_errors errors = {.count = 0};
    const struct strict_place root = strict_root(body, &errors);
    const struct strict_place name = strict_member(&root, "team_name");
    const char *text = "";

    if (strict_object(&root, NULL))
        strict_text(&name, HOST_BODY_MAX, &text);
    if (!utf8_read_name(text, HOST_NAME_MAX, ret_name))
        strict_refuse(&name, "no_memory", "out of memory");
    return blame(&errors, ret_why);
}
