/* See review_record.h. */
#include "workers/evaluate/review/review_record.h"

#include "api/curling/game_json.h"
#include "api/curling/match_record.h"
#include "workers/search/player/hand_noise.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEAD_MAX = 8 * RULES_ENDS_MAX, PLAYERS_MAX = 1 << 20, FAR_M = 100 };

/* ---- single values ---- */

/* Two numbers in an array. */
static bool read_pair(const struct strict_place *place, double most, struct vec2 *ret_pair)
{
    if (!strict_array(place, 2, 2))
        return false;
    const struct strict_place x = strict_element(place, 0), y = strict_element(place, 1);
    return strict_number(&x, -most, most, &ret_pair->x) &&
           strict_number(&y, -most, most, &ret_pair->y);
}

static bool read_stones(const struct strict_place *place, struct position *ret_position)
{
    struct position position = {.in_play = 0};

    if (!strict_array(place, POSITION_STONES, POSITION_STONES))
        return false;
    for (int k = 0; k < POSITION_STONES; k++) {
        const struct strict_place element = strict_element(place, (size_t)k);
        struct vec2 at;
        if (json_is_null(element.value))
            continue;
        if (!read_pair(&element, FAR_M, &at))
            return false;
        position_put(&position, k, at);
    }
    *ret_position = position;
    return true;
}

static bool read_shot(const struct strict_place *place, const struct ice_profile *ice,
                      struct shot *ret_shot)
{
    if (!strict_object(place, NULL))
        return false;
    const struct strict_place velocity = strict_member(place, "velocity");
    const struct strict_place omega = strict_member(place, "omega");
    return read_pair(&velocity, GAME_SPEED_MAX_MPS, &ret_shot->velocity) &&
           strict_number(&omega, -SHOT_TURN_MAX_RADPS, SHOT_TURN_MAX_RADPS, &ret_shot->omega) &&
           game_shot_fits(place, ice, ret_shot);
}

static void read_name(const struct strict_place *head, const char *key, char *ret_name)
{
    const struct strict_place place = strict_member(head, key);
    const char *text = json_string_value(place.value);

    snprintf(ret_name, REVIEW_NAME_MAX, "%s", text ? text : "");
}

/* ---- lines ---- */

static bool read_head(const struct strict_place *head, struct review_game *game)
{
    const struct strict_place name = strict_member(head, "profile");
    int64_t ends = 0, extra_ends = 0;
    const char *text;

    if (!strict_object(head, NULL) || !strict_text(&name, 64, &text))
        return false;
    game->profile = profile_find(text);
    if (!game->profile)
        return strict_refuse(&name, "value", "no such profile");
    const struct strict_place place = strict_member(head, "ends");
    if (!strict_whole(&place, 1, RULES_ENDS_MAX, &ends))
        return false;
    strict_optional_whole(head, "extra_ends", 0, RULES_ENDS_MAX, &extra_ends);
    game->ends = (int)ends;
    game->extra_ends = (int)extra_ends;
    game->is_broken_off =
        json_is_null(json_object_get(json_object_get(head->value, "result"), "half_points"));
    read_name(head, "throws_first", game->name[0]);
    read_name(head, "throws_last", game->name[1]);
    return head->errors->count == 0;
}

/* The score before a shot, as far as the lead tells it: one end may stand for several. */
static void set_lead(struct game *game, const struct review_move *before, int lead0)
{
    memset(game->scores, 0, sizeof game->scores);
    if (before)
        memcpy(game->scores, before->before.scores, sizeof game->scores);
    int won = lead0 - (game_total(game, 0) - game_total(game, 1));
    if (won != 0 && game->end > 0)
        game->scores[won > 0 ? 0 : 1][game->end - 1] = (int8_t)abs(won);
}

/* The setup of an end of mixed doubles, if the line of its first shot has one. */
static bool read_setup(const struct strict_place *line, int64_t first, struct game *game)
{
    static const char *const keys[] = {"choice", "pattern", "player", NULL};
    const struct strict_place place = strict_member(line, "setup");
    enum setup setup = SETUP_HOUSE;
    const char *word;
    int64_t chooser;

    if (strict_is_missing(&place))
        return true;
    if (!strict_object(&place, keys))
        return false;
    const struct strict_place choice = strict_member(&place, "choice");
    const struct strict_place player = strict_member(&place, "player");
    if (!strict_text(&choice, 32, &word) || !strict_whole(&player, 0, PLAYERS_MAX, &chooser))
        return false;
    if (game->rules->preplaced == 0 || game->shot > 0 || !setup_find(word, &setup))
        return strict_refuse(&choice, "value", "no setup of this end");
    int team = chooser == first ? 0 : 1;
    if ((setup == SETUP_GUARD) != (team != game->hammer_team))
        return strict_refuse(&choice, "value", "does not fit to the hammer");
    game->gave_hammer = setup == SETUP_GUARD;
    if (setup_is_power(setup) && (game->power_used[team] || game->end >= game->ends))
        return strict_refuse(&choice, "value", "a second power play, or one in an extra end");
    game->power_used[team] = game->power_used[team] || setup_is_power(setup);
    return true;
}

/* The situation before a shot; team 0 is the player `first`. */
static bool read_situation(const struct strict_place *line, const struct review_game *record,
                           const struct review_move *last, int64_t first, struct game *ret_game)
{
    struct game game = {.rules = &record->profile->rules,
                        .ends = record->ends,
                        .extra_ends = record->extra_ends,
                        .result = {GAME_RUNNING, -1}};
    const struct strict_place end = strict_member(line, "end"), shot = strict_member(line, "shot");
    const struct strict_place player = strict_member(line, "player");
    const struct strict_place hammer = strict_member(line, "hammer");
    const struct strict_place lead = strict_member(line, "lead");
    const struct strict_place stones = strict_member(line, "stones");
    int64_t end_number, shot_number, thrower, ahead;
    bool has_hammer;

    if (!strict_whole(&end, 0, RULES_ENDS_MAX - 1, &end_number) ||
        !strict_whole(&shot, 0, game.rules->shots - 1, &shot_number) ||
        !strict_whole(&player, 0, PLAYERS_MAX, &thrower) || !strict_flag(&hammer, &has_hammer) ||
        !strict_whole(&lead, -LEAD_MAX, LEAD_MAX, &ahead) || !read_stones(&stones, &game.position))
        return false;
    int team = thrower == first ? 0 : 1;
    game.end = (int)end_number;
    game.shot = (int)shot_number;
    game.hammer_team = has_hammer ? team : 1 - team;
    if (game_next_team(&game) != team)
        return strict_refuse(&hammer, "value", "does not fit to the number of the shot");
    if (last && (game.end < last->before.end || game.end > last->before.end + 1 ||
                 (game.end == last->before.end && game.shot != last->before.shot + 1)))
        return strict_refuse(&shot, "value", "does not follow the shot before it");
    if (last) {
        memcpy(game.power_used, last->before.power_used, sizeof game.power_used);
        game.gave_hammer = last->before.end == game.end && last->before.gave_hammer;
    }
    if (!read_setup(line, first, &game))
        return false;
    int lead0 = (int)(team == 0 ? ahead : -ahead);
    int before0 = last ? game_total(&last->before, 0) - game_total(&last->before, 1) : 0;
    if (abs(lead0 - before0) > 8 || (lead0 != before0 && (!last || game.end == last->before.end)))
        return strict_refuse(&lead, "value", "does not follow from the end before it");
    set_lead(&game, last, lead0);
    struct game_fault fault;
    if (game_check(&game, &fault) != GAME_OK)
        return strict_refuse(line, "value", "%s", game_error_text(fault.error));
    if (game_wants_setup(&game))
        return strict_refuse(&stones, "value", "%s", game_error_text(GAME_NOT_SET_UP));
    *ret_game = game;
    return true;
}

static bool read_hand(const struct strict_place *line, const struct ice_profile *ice,
                      struct review_move *move)
{
    const struct strict_place place = strict_member(line, "hand");
    const int before = strict_mistakes(&place);
    struct hand hand;

    if (strict_is_missing(&place))
        return true;
    hand_decode(&place, ice->name, &hand);
    move->has_hand = strict_mistakes(&place) == before;
    if (move->has_hand)
        move->hand = hand_noise(&hand, ice);
    return move->has_hand;
}

static bool read_move(const struct strict_place *line, const struct ice_profile *ice,
                      struct review_move *move)
{
    const struct strict_place called = strict_member(line, "intended");
    const struct strict_place thrown = strict_member(line, "executed");
    const struct strict_place final = strict_member(line, "final");
    const struct strict_place conceded = strict_member(line, "conceded");

    if (!strict_is_missing(&conceded) && !strict_flag(&conceded, &move->conceded))
        return false;
    if (move->conceded)
        return true;
    if (!read_hand(line, ice, move))
        return false;
    move->has_call = !strict_is_missing(&called) && !json_is_null(called.value);
    move->has_after = !strict_is_missing(&final);
    return (!move->has_call || read_shot(&called, ice, &move->called)) &&
           read_shot(&thrown, ice, &move->thrown) &&
           (!move->has_after || read_stones(&final, &move->after));
}

bool review_record_read(const struct strict_place *place, struct review_game *ret_game)
{
    struct review_game *game = ret_game;
    int64_t first = -1;

    *game = (struct review_game){.count = 0};
    if (!strict_array(place, 2, REVIEW_SHOTS_MAX + 1))
        return false;
    const struct strict_place head = strict_element(place, 0);
    if (!read_head(&head, game))
        return false;
    size_t count = json_array_size(place->value) - 1;
    game->move = calloc(count, sizeof *game->move);
    if (!game->move)
        return strict_refuse(place, "no_memory", "out of memory");
    for (size_t k = 0; k < count; k++) {
        const struct strict_place line = strict_element(place, k + 1);
        struct review_move *move = &game->move[k], *last = k > 0 ? move - 1 : NULL;
        if (!strict_object(&line, NULL))
            return false;
        if (last && last->conceded)
            return strict_refuse(&line, "value", "follows a concession");
        if (k == 0)
            first = json_integer_value(json_object_get(line.value, "player"));
        if (!read_situation(&line, game, last, first, &move->before) ||
            !read_move(&line, game->profile->ice, move))
            return false;
        if (last && last->before.end == move->before.end) {
            last->has_after = true;
            last->after = move->before.position;
        }
        game->count++;
    }
    return true;
}

void review_record_free(struct review_game *game)
{
    free(game->move);
    game->move = NULL;
    game->count = 0;
}
