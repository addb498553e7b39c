/* Reading shot queries. See shot_json.h; shot_answer_json.c writes. */
#include "api/shot_json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Larger numbers are mistakes. */
#define COORDINATE_MAX_M  100.0
#define ANGLE_MAX_RAD     1e9 /* Digital Curling 3 does not wrap the angles of stones */
#define CLOCK_MAX_S       1e9
#define TIME_MAX_MS       86400000 /* a day */
#define SIMULATIONS_MAX   INT64_C(1000000000000)
#define STDDEV_SPEED_MAX  10.0
#define STDDEV_ANGLE_MAX  3.2
#define MAX_SPEED_MAX     100.0
#define STDDEV_AT_TEE_MAX 100.0
#define INTERVAL_LEAST_MS 10

static const char *const teams[] = {"team0", "team1", NULL};

/* ---- one field each ---- */

static void read_profile(const struct strict_place *root, struct shot_query *query)
{
    const struct strict_place place = strict_member(root, "profile");
    const char *name;
    char list[256] = "";
    size_t used = 0;

    if (!strict_text(&place, 64, &name))
        return;
    query->game.rules = rules_find(name);
    if (query->game.rules)
        return;
    const struct rules *row;
    for (int k = 0; (row = rules_at(k)) != NULL && used < sizeof list; k++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", k ? ", " : "", row->name);
    strict_refuse(&place, "value", "no such profile; there are %s", list);
}

/* Both numbers keep the profile's values where the query says nothing. */
static void read_setting(const struct strict_place *root, struct game *game)
{
    static const char *const keys[] = {"max_end", "extra_ends", NULL};
    const struct strict_place setting = strict_member(root, "setting");
    int64_t number;

    game->ends = game->rules ? game->rules->ends : 8;
    game->extra_ends = game->rules ? game->rules->extra_ends : RULES_ENDS_MAX;
    if (strict_is_missing(&setting) || !strict_object(&setting, keys))
        return;
    const struct strict_place ends = strict_member(&setting, "max_end");
    const struct strict_place extra = strict_member(&setting, "extra_ends");
    if (!strict_is_missing(&ends) && strict_whole(&ends, 1, RULES_ENDS_MAX, &number))
        game->ends = (int)number;
    if (!strict_is_missing(&extra) && strict_whole(&extra, 0, RULES_ENDS_MAX, &number))
        game->extra_ends = (int)number;
}

static void read_limits(const struct strict_place *root, struct shot_query *query)
{
    static const char *const keys[] = {"time_ms", "simulations", NULL};
    const struct strict_place limits = strict_member(root, "limits");
    int64_t time_ms;

    if (strict_is_missing(&limits) || !strict_object(&limits, keys))
        return;
    const struct strict_place time = strict_member(&limits, "time_ms");
    const struct strict_place simulations = strict_member(&limits, "simulations");
    if (!strict_is_missing(&time) && strict_whole(&time, 1, TIME_MAX_MS, &time_ms))
        query->time_s = (double)time_ms / 1000.0;
    if (!strict_is_missing(&simulations))
        strict_whole(&simulations, 1, SIMULATIONS_MAX, &query->simulations);
}

/* Each profile knows one kind of noise: a deviation of the other kind would silently do nothing. */
void shot_noise_decode(const struct strict_place *document, const char *profile,
                       struct shot_query_noise *ret_noise)
{
    const struct rules *rules = profile ? rules_find(profile) : NULL;
    bool has_gat = profile && strcmp(rules ? rules->ice : profile, "dc2") == 0;
    struct shot_query_noise *noise = ret_noise;
    static const char *const keys[] = {"gat_stddev_x", "gat_stddev_y", "stddev_speed",
                                       "stddev_angle", "max_speed",    NULL};
    static const double most[] = {STDDEV_AT_TEE_MAX, STDDEV_AT_TEE_MAX, STDDEV_SPEED_MAX,
                                  STDDEV_ANGLE_MAX, MAX_SPEED_MAX};
    double *const into[] = {&noise->gat_stddev_x_m, &noise->gat_stddev_y_m,
                            &noise->stddev_speed_mps, &noise->stddev_angle_rad,
                            &noise->max_speed_mps};
    const struct strict_place place = strict_member(document, "noise");

    for (int k = 0; keys[k]; k++)
        *into[k] = NAN;
    if (strict_is_missing(&place) || !strict_object(&place, keys))
        return;
    for (int k = 0; keys[k]; k++) {
        const struct strict_place field = strict_member(&place, keys[k]);
        if (strict_is_missing(&field))
            continue;
        bool is_gat = k < 2;
        if (profile && is_gat != has_gat)
            strict_refuse(&field, "not_applicable", "the noise of profile %s has no such setting",
                          profile);
        else
            strict_number(&field, 0.0, most[k], into[k]);
    }
}

/* A number of milliseconds that may be absent. */
static void read_milliseconds(const struct strict_place *root, const char *key, int64_t least,
                              double *ret_s)
{
    const struct strict_place place = strict_member(root, key);
    int64_t number;

    if (!strict_is_missing(&place) && strict_whole(&place, least, TIME_MAX_MS, &number))
        *ret_s = (double)number / 1000.0;
}

static void read_whole(const struct strict_place *root, const char *key, int64_t most,
                       int64_t *number)
{
    const struct strict_place place = strict_member(root, key);

    if (!strict_is_missing(&place))
        strict_whole(&place, 0, most, number);
}

static void read_player(const struct strict_place *root, struct shot_query *query)
{
    const struct strict_place place = strict_member(root, "player");
    const char *text;

    if (!strict_is_missing(&place) && strict_text(&place, SHOT_PLAYER_MAX, &text))
        memcpy(query->player, text, strlen(text) + 1);
}

/* ---- the state ---- */

/* {"team0": …, "team1": …}: the two members. */
static bool read_teams(const struct strict_place *place, struct strict_place ret_team[2])
{
    if (!strict_object(place, teams))
        return false;
    for (int team = 0; team < 2; team++)
        ret_team[team] = strict_member(place, teams[team]);
    return true;
}

static void read_scores(const struct strict_place *state, struct game *game)
{
    const struct strict_place scores = strict_member(state, "scores");
    struct strict_place team[2];

    if (!read_teams(&scores, team))
        return;
    for (int t = 0; t < 2; t++) {
        if (!strict_array(&team[t], 0, (size_t)game->ends))
            continue;
        for (int end = 0; end < game->ends; end++) {
            const struct strict_place entry = strict_element(&team[t], (size_t)end);
            bool is_there = !strict_is_missing(&entry) && !json_is_null(entry.value);
            int64_t score;

            if (end >= game->end && is_there)
                strict_refuse(&entry, "value", "end %d has not been played yet: must be null", end);
            else if (end < game->end && !is_there)
                strict_refuse(&entry, "missing", "missing: end %d has been played", end);
            else if (is_there && strict_whole(&entry, 0, POSITION_STONES / 2, &score))
                game->scores[t][end] = (int8_t)score;
        }
    }
}

/* Of the extra end that was played last. While a game goes on extra ends have been blank. */
static void read_extra_end_score(const struct strict_place *state)
{
    const struct strict_place place = strict_member(state, "extra_end_score");
    struct strict_place team[2];
    int64_t score;

    if (strict_is_missing(&place) || !read_teams(&place, team))
        return;
    for (int t = 0; t < 2; t++)
        if (!strict_is_missing(&team[t]) && !json_is_null(team[t].value) &&
            strict_whole(&team[t], 0, POSITION_STONES / 2, &score) && score != 0)
            strict_refuse(&team[t], "value", "an extra end that was not blank ends the game");
}

static void read_thinking_time(const struct strict_place *state)
{
    const struct strict_place place = strict_member(state, "thinking_time_remaining");
    struct strict_place team[2];
    double clock_s;

    if (strict_is_missing(&place) || !read_teams(&place, team))
        return;
    for (int t = 0; t < 2; t++)
        if (!strict_is_missing(&team[t]))
            strict_number(&team[t], -CLOCK_MAX_S, CLOCK_MAX_S, &clock_s);
}

static void read_stone(const struct strict_place *slot, int stone, struct position *position)
{
    static const char *const keys[] = {"position", "angle", NULL};
    static const char *const point_keys[] = {"x", "y", NULL};

    if (json_is_null(slot->value) || !strict_object(slot, keys))
        return;
    const struct strict_place angle = strict_member(slot, "angle");
    const struct strict_place point = strict_member(slot, "position");
    double angle_rad;
    struct vec2 at;

    if (!strict_is_missing(&angle))
        strict_number(&angle, -ANGLE_MAX_RAD, ANGLE_MAX_RAD, &angle_rad);
    if (!strict_object(&point, point_keys))
        return;
    const struct strict_place x = strict_member(&point, "x"), y = strict_member(&point, "y");
    bool has_x = strict_number(&x, -COORDINATE_MAX_M, COORDINATE_MAX_M, &at.x);
    bool has_y = strict_number(&y, -COORDINATE_MAX_M, COORDINATE_MAX_M, &at.y);
    if (has_x && has_y)
        position_put(position, stone, at);
}

static void read_stones(const struct strict_place *state, struct game *game)
{
    const struct strict_place stones = strict_member(state, "stones");
    const size_t slots_max = POSITION_STONES / 2;
    struct strict_place team[2];

    if (!read_teams(&stones, team))
        return;
    for (int t = 0; t < 2; t++) {
        if (!strict_array(&team[t], 0, slots_max))
            continue;
        for (size_t slot = 0; slot < json_array_size(team[t].value); slot++) {
            const struct strict_place place = strict_element(&team[t], slot);
            int stone = stone_of_slot(t, (int)slot, game_team0_has_hammer(game));
            read_stone(&place, stone, &game->position);
        }
    }
}

static void read_state(const struct strict_place *root, struct game *game)
{
    static const char *const keys[] = {"end",         "shot",
                                       "hammer",      "scores",
                                       "stones",      "extra_end_score",
                                       "game_result", "thinking_time_remaining",
                                       NULL};
    const struct strict_place state = strict_member(root, "state");
    int64_t number;

    game->result.winner = -1;
    if (!strict_object(&state, keys))
        return;
    const struct strict_place end = strict_member(&state, "end");
    const struct strict_place shot = strict_member(&state, "shot");
    const struct strict_place hammer = strict_member(&state, "hammer");
    const struct strict_place result = strict_member(&state, "game_result");
    int shots = game->rules ? game->rules->shots : POSITION_STONES;

    bool has_end = strict_whole(&end, 0, RULES_ENDS_MAX, &number);
    if (has_end)
        game->end = (int)number;
    if (strict_whole(&shot, 0, shots - 1, &number))
        game->shot = (int)number;
    bool is_over = !strict_is_missing(&result) && !json_is_null(result.value);
    if (is_over)
        strict_refuse(&result, "value", "must be null: a game that is over has no next shot");
    else
        strict_choice(&hammer, teams, &game->hammer_team);
    if (has_end)
        read_scores(&state, game);
    read_extra_end_score(&state);
    read_stones(&state, game);
    read_thinking_time(&state);
}

/* "scores.team1[2]" -> "/state/scores/team1/2", "setting.max_end" -> "/setting/max_end" */
static void pointer_of_path(const char *path, size_t size, char *ret_pointer)
{
    bool is_setting = strncmp(path, "setting.", strlen("setting.")) == 0;
    size_t used = (size_t)snprintf(ret_pointer, size, "%s", is_setting ? "" : "/state");

    strict_pointer_of_path(path, size - used, ret_pointer + used);
}

/* What the fields mean together. */
static void check_game(const struct game *game, struct strict_errors *errors)
{
    struct game_fault fault;
    char path[64], pointer[96];

    if (game_check(game, &fault) == GAME_OK) {
        unsigned placed = (1u << 2 * game->rules->preplaced) - 1;
        if (game->shot == 0 && (game->position.in_play & placed) != placed)
            strict_refuse_at(errors, "/state/stones", "value", "%s",
                             game_error_text(GAME_NOT_SET_UP));
        return;
    }
    game_fault_path(game, &fault, sizeof path, path);
    pointer_of_path(path, sizeof pointer, pointer);
    if (fault.error != GAME_BAD_STONES) {
        strict_refuse_at(errors, pointer, "value", "%s", game_error_text(fault.error));
    } else if (fault.position.error == POSITION_OVERLAP) {
        bool team0_has_hammer = game_team0_has_hammer(game);
        int other = fault.position.other;
        strict_refuse_at(errors, pointer, "value", "overlaps stone %d of team%d",
                         slot_of_stone(other), team_of_stone(other, team0_has_hammer));
    } else {
        strict_refuse_at(errors, pointer, "value", "%s", position_error_text(fault.position.error));
    }
}

/* ---- the query ---- */

bool shot_query_decode(json_t *document, struct shot_query *ret_query, struct strict_id *ret_id,
                       struct strict_errors *ret_errors)
{
    static const char *const keys[] = {"id",
                                       "profile",
                                       "state",
                                       "setting",
                                       "player",
                                       "limits",
                                       "noise",
                                       "seed",
                                       "top_k",
                                       "timeout_ms",
                                       "report_interval_ms",
                                       NULL};
    struct shot_query query = {.candidates = SHOT_CANDIDATES_DEFAULT};
    int64_t candidates = SHOT_CANDIDATES_DEFAULT;

    ret_errors->count = ret_errors->dropped = 0;
    const struct strict_place root = strict_root(document, ret_errors);
    if (strict_object(&root, keys)) {
        const struct strict_place id = strict_member(&root, "id");
        if (!strict_is_missing(&id))
            strict_read_id(&id, &query.id);
        read_profile(&root, &query);
        read_setting(&root, &query.game);
        read_state(&root, &query.game);
        read_player(&root, &query);
        read_limits(&root, &query);
        shot_noise_decode(&root, query.game.rules ? query.game.rules->name : NULL, &query.noise);
        read_whole(&root, "seed", INT64_MAX, &query.seed);
        read_whole(&root, "top_k", SHOT_CANDIDATES_MAX, &candidates);
        read_milliseconds(&root, "timeout_ms", 1, &query.timeout_s);
        read_milliseconds(&root, "report_interval_ms", INTERVAL_LEAST_MS, &query.report_interval_s);
    }
    query.candidates = (int)candidates;
    if (ret_errors->count == 0)
        check_game(&query.game, ret_errors);
    if (ret_id)
        *ret_id = query.id;
    if (ret_errors->count > 0)
        return false;
    *ret_query = query;
    return true;
}

bool shot_board_decode(json_t *document, struct shot_board *ret_board,
                       struct strict_errors *ret_errors)
{
    static const char *const keys[] = {"profile", "stones", "hammer", NULL};
    struct shot_query query = {.game = {.hammer_team = 1}};
    struct game *game = &query.game;
    struct position_fault fault;
    char path[64], pointer[96];

    ret_errors->count = ret_errors->dropped = 0;
    const struct strict_place root = strict_root(document, ret_errors);
    if (!strict_object(&root, keys))
        return false;
    const struct strict_place hammer = strict_member(&root, "hammer");
    read_profile(&root, &query);
    if (!strict_is_missing(&hammer))
        strict_choice(&hammer, teams, &game->hammer_team);
    read_stones(&root, game);
    if (ret_errors->count > 0)
        return false;
    bool team0_has_hammer = game_team0_has_hammer(game);
    if (position_check(game->rules, &game->position, game->rules->shots, &fault) != POSITION_OK) {
        position_fault_path(&fault, team0_has_hammer, sizeof path, path);
        pointer_of_path(path, sizeof pointer, pointer);
        return strict_refuse_at(ret_errors, pointer + strlen("/state"), "value", "%s",
                                position_error_text(fault.error));
    }
    *ret_board = (struct shot_board){game->rules, team0_has_hammer, game->position};
    return true;
}

bool shot_query_read(const char *text, size_t length, struct shot_query *ret_query,
                     struct strict_id *ret_id, struct strict_errors *ret_errors)
{
    ret_errors->count = ret_errors->dropped = 0;
    json_t *document =
        strict_parse(text, length, SHOT_QUERY_BYTES_MAX, SHOT_QUERY_DEPTH_MAX, ret_errors);
    if (!document) {
        if (ret_id)
            *ret_id = (struct strict_id){.kind = STRICT_ID_NONE};
        return false;
    }
    bool good = shot_query_decode(document, ret_query, ret_id, ret_errors);
    json_decref(document);
    return good;
}
