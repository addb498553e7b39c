/* Reading and writing games and shots. See game_json.h. */
#include "api/curling/game_json.h"

#include "api/base/build_json.h"
#include "api/curling/dc2_json.h"
#include "models/game/frame.h"
#include "models/tables/profiles.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Larger numbers are refused as mistakes. */
#define ANGLE_MAX_RAD 1e9 /* Digital Curling 3 does not wrap the angles of stones */
#define CLOCK_MAX_S   1e9

/* Tolerance between the two forms of a shot: nine digits written, float32 computed. */
#define SAME_SHARE 1e-5

static const char *const teams[] = {"team0", "team1", NULL};

const char *game_team_name(int team)
{
    return teams[team];
}

/* ---- reading a game ---- */

static void read_profile(const struct strict_place *root, struct game *game)
{
    const struct strict_place place = strict_member(root, "profile");
    const char *name;
    char list[PROFILE_LIST_MAX];

    if (!strict_text(&place, 64, &name))
        return;
    game->rules = rules_find(name);
    if (!game->rules)
        strict_refuse(&place, "value", "no such profile; there are %s", profile_list(false, list));
}

/* Absent members keep the profile's values; read_scores() may change the number of ends. Returns
 * whether max_end is there. */
static bool read_setting(const struct strict_place *root, struct game *game)
{
    static const char *const keys[] = {"max_end", "extra_ends", NULL};
    const struct strict_place setting = strict_member(root, "setting");
    int64_t ends = game->rules ? game->rules->ends : 8;
    int64_t extra_ends = game->rules ? game->rules->extra_ends : RULES_ENDS_MAX;

    if (!strict_is_missing(&setting) && strict_object(&setting, keys)) {
        strict_optional_whole(&setting, "max_end", 1, RULES_ENDS_MAX, &ends);
        strict_optional_whole(&setting, "extra_ends", 0, RULES_ENDS_MAX, &extra_ends);
    }
    game->ends = (int)ends;
    game->extra_ends = (int)extra_ends;
    return json_object_get(setting.value, "max_end") != NULL;
}

/* {"team0": …, "team1": …}: the two members. */
static bool read_teams(const struct strict_place *place, struct strict_place ret_team[2])
{
    if (!strict_object(place, teams))
        return false;
    for (int team = 0; team < 2; team++)
        ret_team[team] = strict_member(place, teams[team]);
    return true;
}

/* Number of regulation ends that the length of `scores` implies, 0 if unknown. The list covers all
 * regulation ends if there is an extra_end_score (an update of Digital Curling 3), or if the list
 * includes ends not yet played or stops before the current end. A list of just the ends played says
 * nothing about the total. */
static size_t ends_of_scores(const struct strict_place *state, const struct strict_place team[2],
                             int end)
{
    const struct strict_place extra = strict_member(state, "extra_end_score");
    size_t entries[2] = {json_array_size(team[0].value), json_array_size(team[1].value)};
    size_t longest = entries[0] > entries[1] ? entries[0] : entries[1];

    return longest != (size_t)end || !strict_is_missing(&extra) ? longest : 0;
}

/* `has_max_end`: the setting has the number of ends; otherwise the scores may imply another one
 * than the profile's. */
static void read_scores(const struct strict_place *state, bool has_max_end, struct game *game)
{
    const struct strict_place scores = strict_member(state, "scores");
    struct strict_place team[2];

    if (!read_teams(&scores, team))
        return;
    size_t said = ends_of_scores(state, team, game->end);
    if (!has_max_end && said > 0 && said <= RULES_ENDS_MAX)
        game->ends = (int)said;
    for (int t = 0; t < 2; t++) {
        size_t entries = json_array_size(team[t].value), ends = (size_t)game->ends;
        if (entries > ends || (entries > (size_t)game->end && entries < ends)) {
            strict_refuse(&team[t], "size",
                          "has %zu entries, but the game has %zu ends (%s); extra ends have no "
                          "entries",
                          entries, ends,
                          has_max_end                          ? "/setting/max_end"
                          : said > 0 && said <= RULES_ENDS_MAX ? "the longer of the two lists"
                                                               : "the profile");
            continue;
        }
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

/* The score of the last extra end: while a game goes on, all extra ends were blank. */
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
    double clock_s;

    if (strict_is_missing(&place) || !strict_object(&place, teams))
        return;
    for (int team = 0; team < 2; team++)
        strict_optional_number(&place, teams[team], -CLOCK_MAX_S, CLOCK_MAX_S, &clock_s);
}

static void read_stone(const struct strict_place *slot, int stone, struct position *position)
{
    static const char *const keys[] = {"position", "angle", NULL};
    static const char *const point_keys[] = {"x", "y", NULL};

    if (json_is_null(slot->value) || !strict_object(slot, keys))
        return;
    const struct strict_place point = strict_member(slot, "position");
    double angle_rad, at[2];

    strict_optional_number(slot, "angle", -ANGLE_MAX_RAD, ANGLE_MAX_RAD, &angle_rad);
    if (strict_pair(&point, point_keys, GAME_COORDINATE_MAX_M, at))
        position_put(position, stone, (struct vec2){at[0], at[1]});
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

static void read_state(const struct strict_place *state, bool has_max_end, struct game *game)
{
    static const char *const keys[] = {"end",         "shot",
                                       "hammer",      "scores",
                                       "stones",      "extra_end_score",
                                       "game_result", "thinking_time_remaining",
                                       NULL};
    int64_t number;

    game->result.winner = -1;
    if (!strict_object(state, keys))
        return;
    const struct strict_place end = strict_member(state, "end");
    const struct strict_place shot = strict_member(state, "shot");
    const struct strict_place hammer = strict_member(state, "hammer");
    const struct strict_place result = strict_member(state, "game_result");
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
        read_scores(state, has_max_end, game);
    read_extra_end_score(state);
    read_stones(state, game);
    read_thinking_time(state);
}

/* Reads a state in the words of a Digital Curling 2 server. */
static void read_native_state(const struct strict_place *state, const struct strict_place *native,
                              bool has_max_end, struct game *game)
{
    static const char *const keys[] = {"native", "thinking_time_remaining", NULL};

    game->result.winner = -1;
    if (game->rules && profile_of(game->rules)->words != PROFILE_WORDS_DC2) {
        strict_refuse(native, "not_applicable", "only profile dc2 has a native state");
        return;
    }
    json_t *plain = strict_object(state, keys) ? dc2_state_json(native) : NULL;
    json_t *document = plain ? json_pack("{s:o}", "state", plain) : NULL;
    if (!document)
        return;
    const struct strict_place root = strict_root(document, native->errors);
    const struct strict_place place = strict_member(&root, "state");
    read_state(&place, has_max_end, game);
    read_thinking_time(state);
    json_decref(document);
}

/* Adds an error at a path such as "scores.team1[2]" below the pointer of an object. */
static void refuse_path(struct strict_errors *errors, const char *object, const char *path,
                        const char *text)
{
    char pointer[96];
    size_t used = (size_t)snprintf(pointer, sizeof pointer, "%s", object);

    strict_pointer_of_path(path, sizeof pointer - used, pointer + used);
    strict_refuse_at(errors, pointer, "value", "%s", text);
}

/* Refuses the stones of an object. */
static void refuse_stones(struct strict_errors *errors, const char *object,
                          const struct position_fault *fault, bool team0_has_hammer)
{
    char path[64], text[128];

    position_fault_path(fault, team0_has_hammer, sizeof path, path);
    if (fault->error == POSITION_OVERLAP)
        snprintf(text, sizeof text, "overlaps stone %d of team%d", slot_of_stone(fault->other),
                 team_of_stone(fault->other, team0_has_hammer));
    else
        snprintf(text, sizeof text, "%s", position_error_text(fault->error));
    refuse_path(errors, object, path, text);
}

/* Checks the fields of the state at a pointer against each other. */
static void check_game(const struct game *game, const char *state, struct strict_errors *errors)
{
    struct game_fault fault;
    char path[64];

    if (game_check(game, &fault) == GAME_OK) {
        if (game_wants_setup(game))
            refuse_path(errors, state, "stones", game_error_text(GAME_NOT_SET_UP));
    } else if (fault.error == GAME_BAD_STONES) {
        refuse_stones(errors, state, &fault.position, game_team0_has_hammer(game));
    } else {
        game_fault_path(game, &fault, sizeof path, path);
        bool is_setting = strncmp(path, "setting.", strlen("setting.")) == 0;
        refuse_path(errors, is_setting ? "" : state, path, game_error_text(fault.error));
    }
}

/* Reads a state in either words. */
static void read_any_state(const struct strict_place *state, bool has_max_end, struct game *game)
{
    const struct strict_place native = strict_member(state, "native");

    if (strict_is_missing(&native))
        read_state(state, has_max_end, game);
    else
        read_native_state(state, &native, has_max_end, game);
}

bool game_decode(const struct strict_place *document, struct game *ret_game)
{
    int before = strict_mistakes(document);

    *ret_game = (struct game){.rules = NULL};
    read_profile(document, ret_game);
    bool has_max_end = read_setting(document, ret_game);
    const struct strict_place state = strict_member(document, "state");
    read_any_state(&state, has_max_end, ret_game);
    if (strict_mistakes(document) == before)
        check_game(ret_game, "/state", document->errors);
    return strict_mistakes(document) == before;
}

/* ---- reading throws that were seen ---- */

/* Reads the stones at rest after a throw: those that lay before it, and the thrown one. */
static void read_after(const struct strict_place *place, const char *pointer,
                       const struct game *before, struct throw_seen *seen)
{
    static const char *const keys[] = {"stones", NULL};
    bool team0_has_hammer = game_team0_has_hammer(before);
    int mistakes = strict_mistakes(place);
    struct game after = *before;
    struct position_fault fault;

    after.position = (struct position){.in_play = 0};
    if (!strict_object(place, keys))
        return;
    read_stones(place, &after);
    if (strict_mistakes(place) > mistakes)
        return;
    if (position_check(before->rules, &after.position, before->shot + 1, &fault) != POSITION_OK) {
        refuse_stones(place->errors, pointer, &fault, team0_has_hammer);
        return;
    }
    unsigned known = before->position.in_play | 1u << game_next_stone(before);
    unsigned strange = after.position.in_play & ~known;
    seen->has_after = true;
    seen->after = after.position;
    if (strange) {
        fault = (struct position_fault){.stone = __builtin_ctz(strange), .other = -1};
        char path[64];
        position_fault_path(&fault, team0_has_hammer, sizeof path, path);
        refuse_path(place->errors, pointer, path,
                    "lies there after the throw, but did not before it");
    }
}

bool game_throw_read(const struct strict_place *entry, const char *pointer, const struct game *like,
                     struct throw_seen *ret_seen)
{
    static const char *const keys[] = {"before", "after", "shot", NULL};
    int mistakes = strict_mistakes(entry);
    char at[STRICT_POINTER_MAX];
    struct game before = {.rules = like->rules, .ends = like->ends, .extra_ends = like->extra_ends};

    if (!strict_object(entry, keys))
        return false;
    const struct strict_place state = strict_member(entry, "before");
    const struct strict_place after = strict_member(entry, "after");
    const struct strict_place shot = strict_member(entry, "shot");
    read_any_state(&state, false, &before);
    if (strict_mistakes(entry) == mistakes) {
        snprintf(at, sizeof at, "%s/before", pointer);
        check_game(&before, at, entry->errors);
    }
    if (strict_mistakes(entry) > mistakes)
        return false;
    if (strict_is_missing(&after) && strict_is_missing(&shot))
        return strict_refuse(entry, "missing", "needs after (the stones at rest) or shot");
    throw_seen_set(ret_seen, &before, NULL, NULL);
    ret_seen->has_thrown = !strict_is_missing(&shot);
    snprintf(at, sizeof at, "%s/after", pointer);
    if (!strict_is_missing(&after))
        read_after(&after, at, &before, ret_seen);
    if (ret_seen->has_thrown)
        game_shot_read(&shot, like->rules, &ret_seen->thrown);
    return strict_mistakes(entry) == mistakes;
}

/* ---- reading stones alone ---- */

bool game_board_decode(json_t *document, struct game_board *ret_board,
                       struct strict_errors *ret_errors)
{
    static const char *const keys[] = {"profile", "stones", "hammer", NULL};
    struct game game = {.hammer_team = 1};
    struct position_fault fault;

    ret_errors->count = ret_errors->dropped = 0;
    const struct strict_place root = strict_root(document, ret_errors);
    if (!strict_object(&root, keys))
        return false;
    const struct strict_place hammer = strict_member(&root, "hammer");
    read_profile(&root, &game);
    if (!strict_is_missing(&hammer))
        strict_choice(&hammer, teams, &game.hammer_team);
    read_stones(&root, &game);
    if (ret_errors->count > 0)
        return false;
    bool team0_has_hammer = game_team0_has_hammer(&game);
    if (position_check(game.rules, &game.position, game.rules->shots, &fault) != POSITION_OK) {
        refuse_stones(ret_errors, "", &fault, team0_has_hammer);
        return false;
    }
    *ret_board = (struct game_board){game.rules, team0_has_hammer, game.position};
    return true;
}

/* ---- reading a shot ---- */

/* The parts of a shot read so far. */
struct said {
    bool velocity, turn;
    struct shot shot;
};

static double float32(double number)
{
    return (double)(float)number;
}

static void say_velocity(const struct strict_place *place, struct vec2 velocity, struct said *said)
{
    double off = hypot(velocity.x - said->shot.velocity.x, velocity.y - said->shot.velocity.y);

    if (!said->velocity)
        said->shot.velocity = velocity;
    else if (!(off <= SAME_SHARE * (1.0 + vec2_length(velocity))))
        strict_refuse(place, "value", "is another shot than velocity gives");
    said->velocity = true;
}

/* -1, 0 or 1: no spin counts as a third direction. */
static int sign(double number)
{
    return (number > 0.0) - (number < 0.0);
}

/* `is_rate`: omega is a rate, not only a direction. */
static void say_turn(const struct strict_place *place, double omega, bool is_rate,
                     struct said *said)
{
    if (said->turn && sign(omega) != sign(said->shot.omega))
        strict_refuse(place, "value", "contradicts rotation");
    if (!said->turn || is_rate)
        said->shot.omega = omega;
    said->turn = true;
}

static void read_velocity(const struct strict_place *shot, struct said *said)
{
    static const char *const keys[] = {"x", "y", NULL};
    const struct strict_place place = strict_member(shot, "velocity");
    double velocity[2];

    if (!strict_is_missing(&place) && strict_pair(&place, keys, GAME_SPEED_MAX_MPS, velocity))
        say_velocity(&place, (struct vec2){float32(velocity[0]), float32(velocity[1])}, said);
}

/* The rate of an ordinary delivery. null means no rotation, which only dc4 knows. */
static void read_rotation(const struct strict_place *shot, enum profile_words words,
                          struct said *said)
{
    static const char *const turns[] = {"cw", "ccw", NULL};
    const struct strict_place place = strict_member(shot, "rotation");
    double rate = words == PROFILE_WORDS_DC2 ? SHOT_TURN_DC2_RADPS : SHOT_TURN_FCV1_RADPS;
    int turn;

    if (strict_is_missing(&place))
        return;
    if (words == PROFILE_WORDS_DC4 && json_is_null(place.value))
        say_turn(&place, 0.0, false, said);
    else if (strict_choice(&place, turns, &turn))
        say_turn(&place, float32(turn == 0 ? -rate : rate), false, said);
}

static void read_native(const struct strict_place *shot, struct said *said)
{
    static const char *const keys[] = {"vx", "vy", "spin", NULL};
    const struct strict_place place = strict_member(shot, "native");
    double velocity[2];
    int64_t spin;

    if (strict_is_missing(&place))
        return;
    if (strict_pair(&place, keys, GAME_SPEED_MAX_MPS, velocity))
        say_velocity(&place,
                     frame_dc2_velocity((struct vec2){float32(velocity[0]), float32(velocity[1])}),
                     said);
    const struct strict_place spin_place = strict_member(&place, "spin");
    if (json_is_object(place.value) && strict_whole(&spin_place, 0, 1, &spin))
        say_turn(&spin_place, spin == 0 ? SHOT_TURN_DC2_RADPS : -SHOT_TURN_DC2_RADPS, false, said);
}

/* As in Digital Curling 4, the velocity is (speed cosf(angle), speed sinf(angle)). */
static void read_dc4(const struct strict_place *shot, struct said *said)
{
    const struct strict_place speed_place = strict_member(shot, "translational_velocity");
    const struct strict_place angle_place = strict_member(shot, "shot_angle");
    const struct strict_place rate_place = strict_member(shot, "angular_velocity");
    double speed, angle, rate;

    if (!strict_is_missing(&speed_place) || !strict_is_missing(&angle_place)) {
        bool good = strict_number(&speed_place, 0.0, GAME_SPEED_MAX_MPS, &speed);
        good = strict_number(&angle_place, -GAME_SHOT_ANGLE_MAX_RAD, GAME_SHOT_ANGLE_MAX_RAD,
                             &angle) &&
               good;
        if (good) {
            float length = (float)speed, at = (float)angle;
            say_velocity(&speed_place,
                         (struct vec2){(double)(length * cosf(at)), (double)(length * sinf(at))},
                         said);
        }
    }
    if (strict_optional_number(shot, "angular_velocity", -GAME_SPIN_RATE_MAX_RADPS,
                               GAME_SPIN_RATE_MAX_RADPS, &rate))
        say_turn(&rate_place, 0.0 - float32(rate), true, said);
}

bool game_shot_read(const struct strict_place *shot, const struct rules *rules,
                    struct shot *ret_shot)
{
    static const char *const keys[][6] = {
        [PROFILE_WORDS_DC2] = {"velocity", "rotation", "native"},
        [PROFILE_WORDS_DC3] = {"velocity", "rotation"},
        [PROFILE_WORDS_DC4] = {"velocity", "rotation", "translational_velocity", "shot_angle",
                               "angular_velocity"},
    };
    enum profile_words words = profile_of(rules)->words;
    int before = strict_mistakes(shot);
    struct said said = {.shot.omega = 0.0};

    if (!strict_object(shot, keys[words]))
        return false;
    read_velocity(shot, &said);
    read_rotation(shot, words, &said);
    if (words == PROFILE_WORDS_DC2)
        read_native(shot, &said);
    else if (words == PROFILE_WORDS_DC4)
        read_dc4(shot, &said);
    if (strict_mistakes(shot) > before)
        return false;
    const struct strict_place velocity = strict_member(shot, "velocity");
    const struct strict_place rotation = strict_member(shot, "rotation");
    if (!said.velocity)
        strict_refuse(&velocity, "missing", "missing");
    if (!said.turn)
        strict_refuse(&rotation, "missing", "missing");
    *ret_shot = said.shot;
    return strict_mistakes(shot) == before;
}

/* The first member of an object that is there; the object itself if none is. */
static struct strict_place first_member(const struct strict_place *object, const char *const *keys)
{
    for (; *keys; keys++)
        if (json_object_get(object->value, *keys))
            return strict_member(object, *keys);
    return *object;
}

bool game_shot_fits(const struct strict_place *shot, const struct ice_profile *ice,
                    const struct shot *told)
{
    static const char *const speeds[] = {
        "translational_velocity", "velocity", "native", "speed", "vx", NULL};
    static const char *const turns[] = {"angular_velocity", "omega", "rotation", NULL};
    double most;
    const enum ice_shot_fault fault = ice_shot_check(ice, told, &most);
    const struct strict_place speed = first_member(shot, speeds);
    const struct strict_place turn = first_member(shot, turns);

    if (fault == ICE_SHOT_TOO_FAST)
        return strict_refuse(&speed, "range", "%g m/s is more than %g m/s, the most on %s ice",
                             vec2_length(told->velocity), most, ice->name);
    if (fault == ICE_SHOT_TURNS_TOO_FAST)
        return strict_refuse(&turn, "range",
                             "%g rad/s is more than %g rad/s, the most at this speed on %s ice",
                             fabs(told->omega), most, ice->name);
    return true;
}

bool game_shot_decode(const struct strict_place *document, const struct rules *rules,
                      struct shot *ret_shot)
{
    const struct strict_place shot = strict_member(document, "shot");

    return game_shot_read(&shot, rules, ret_shot) &&
           game_shot_fits(&shot, profile_of(rules)->ice, ret_shot);
}

/* ---- writing ---- */

static json_t *stone_json(const struct position *position, int stone)
{
    if (!position_has(position, stone))
        return json_null();
    struct vec2 at = position->stone[stone];
    return json_pack("{s:{s:f,s:f}}", "position", "x", at.x, "y", at.y);
}

static json_t *slots_json(const struct position *position, int team, bool team0_has_hammer)
{
    json_t *list = json_array();
    bool good = true;

    for (int slot = 0; slot < POSITION_STONES / 2; slot++) {
        int stone = stone_of_slot(team, slot, team0_has_hammer);
        good = build_append(list, stone_json(position, stone)) && good;
    }
    return build_done(list, good);
}

json_t *game_stones_json(const struct position *position, bool team0_has_hammer)
{
    return json_pack("{s:o,s:o}", teams[0], slots_json(position, 0, team0_has_hammer), teams[1],
                     slots_json(position, 1, team0_has_hammer));
}

static json_t *scores_json(const struct game *game, int team)
{
    json_t *list = json_array();
    bool good = true;

    for (int end = 0; end < game->ends; end++) {
        json_t *score = end < game->end ? json_integer(game->scores[team][end]) : json_null();
        good = build_append(list, score) && good;
    }
    return build_done(list, good);
}

/* The score of the last extra end; null before the first one, as in Digital Curling 3. */
static json_t *extra_end_score_json(const struct game *game)
{
    if (game->end == game->ends)
        return json_pack("{s:n,s:n}", teams[0], teams[1]);
    return json_pack("{s:i,s:i}", teams[0], game->scores[0][game->end - 1], teams[1],
                     game->scores[1][game->end - 1]);
}

static json_t *result_json(const struct game *game)
{
    int winner = game->result.winner;

    return json_pack("{s:s?,s:s}", "winner", winner < 0 ? NULL : teams[winner], "reason",
                     game_reason_name(game->result.reason));
}

json_t *game_state_json(const struct game *game)
{
    bool is_over = game->result.reason != GAME_RUNNING;
    json_t *state = json_object();
    bool good =
        build_add(state, "end", json_integer(game->end)) &&
        build_add(state, "shot", json_integer(game->shot)) &&
        build_add(state, "hammer", is_over ? json_null() : json_string(teams[game->hammer_team])) &&
        build_add(state, "scores",
                  json_pack("{s:o,s:o}", teams[0], scores_json(game, 0), teams[1],
                            scores_json(game, 1))) &&
        (game->end < game->ends || (is_over && game->end == game->ends) ||
         build_add(state, "extra_end_score", extra_end_score_json(game))) &&
        build_add(state, "stones",
                  game_stones_json(&game->position, game_team0_has_hammer(game))) &&
        (!is_over || build_add(state, "game_result", result_json(game)));

    return build_done(state, good);
}

json_t *game_shot_json(const struct rules *rules, const struct shot *shot)
{
    enum profile_words words = profile_of(rules)->words;
    json_t *object =
        json_pack("{s:{s:f,s:f}}", "velocity", "x", shot->velocity.x, "y", shot->velocity.y);
    json_t *rotation =
        shot->omega == 0.0 ? json_null() : json_string(shot->omega < 0.0 ? "cw" : "ccw");
    bool good = build_add(object, "rotation", rotation);

    if (words == PROFILE_WORDS_DC2) {
        struct vec2 native = frame_dc2_velocity(shot->velocity);
        good = build_add(object, "native",
                         json_pack("{s:f,s:f,s:i}", "vx", native.x, "vy", native.y, "spin",
                                   shot->omega < 0.0 ? 1 : 0)) &&
               good;
    } else if (words == PROFILE_WORDS_DC4) {
        double angle = atan2(shot->velocity.y, shot->velocity.x);
        good =
            build_add(object, "translational_velocity", json_real(vec2_length(shot->velocity))) &&
            build_add(object, "shot_angle", json_real(angle)) &&
            /* 0 - x instead of -x: no spin is written as 0, not -0. */
            build_add(object, "angular_velocity", json_real(0.0 - shot->omega)) && good;
    }
    return build_done(object, good);
}
