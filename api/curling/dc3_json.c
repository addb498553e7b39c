/* Games and hands. See dc3_json.h. */
#include "api/curling/dc3_json.h"

#include "api/base/utf8.h"
#include "api/curling/game_json.h"
#include "models/game/sheet.h"
#include "models/tables/profiles.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FRAME_S 0.001

static struct hand ordinary_hand(void)
{
    struct hand hand = {.is_exact = false};

    for (int k = 0; noise_setting_at(k); k++)
        *noise_setting_value(&hand.settings, k) = NAN;
    return hand;
}

int hand_keys(const char **ret_keys)
{
    const struct noise_setting *setting;
    int count = 0;

    for (int k = 0; (setting = noise_setting_at(k)) != NULL; k++)
        if (setting->most > 0.0)
            ret_keys[count++] = setting->name;
    return count;
}

/* Each profile has one kind of noise; settings of other kinds have no effect, so they are refused.
 */
void hand_settings_read(const struct strict_place *place, const char *profile,
                        struct noise_settings *settings)
{
    const struct profile *row = profile ? profile_find(profile) : NULL;
    const struct ice_profile *ice = row ? row->ice : profile ? ice_profile_find(profile) : NULL;
    const struct noise_setting *setting;

    for (int k = 0; (setting = noise_setting_at(k)) != NULL; k++) {
        const struct strict_place field = strict_member(place, setting->name);
        bool fits = !ice || noise_setting_fits(setting, ice->noise);
        bool is_told_by_servers = fits && !setting->of_people;
        if (setting->most == 0.0 ||
            (is_told_by_servers ? strict_is_untold(&field, "that of the usual hand")
                                : strict_is_missing(&field)))
            continue;
        if (!fits)
            strict_refuse(&field, "not_applicable", "the noise of profile %s has no such setting",
                          profile);
        else
            strict_number(&field, setting->least, setting->most, noise_setting_value(settings, k));
    }
}

void hand_decode(const struct strict_place *place, const char *profile, struct hand *ret_hand)
{
    static const char *const types[] = {"normal_dist", "identical", NULL};
    const char *keys[NOISE_SETTINGS_MAX + 3] = {"type", "seed"};
    const struct strict_place type = strict_member(place, "type");
    int kind = 0;

    *ret_hand = ordinary_hand();
    hand_keys(keys + 2);
    if (json_is_null(place->value) || !strict_object(place, keys))
        return;
    if (!strict_is_untold(&type, types[0]))
        strict_choice(&type, types, &kind);
    ret_hand->is_exact = kind == 1;
    if (!ret_hand->is_exact || !place->notes)
        hand_settings_read(place, profile, &ret_hand->settings);
}

/* ---- the game ---- */

/* Refuses a value by its text. */
static void refuse_value(const struct strict_place *place, const char *what)
{
    char *text = place->value ? json_dumps(place->value, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;

    strict_refuse(place, DC3_UNPLAYABLE, "cannot play with %s %.*s", what,
                  text ? utf8_fit(text, 100) : 7, text ? text : "missing");
    free(text);
}

/* Whether a number is this, where it is told. */
static bool is_number(const struct strict_place *place, double number)
{
    char taken[32];

    snprintf(taken, sizeof taken, "%g", number);
    return strict_is_untold(place, taken) ||
           (json_is_number(place->value) && fabs(json_number_value(place->value) - number) < 1e-9);
}

static void refuse_others(const struct strict_place *game)
{
    const struct strict_place rule = strict_member(game, "rule");
    const struct strict_place setting = strict_member(game, "setting");
    const struct strict_place width = strict_member(&setting, "sheet_width");
    const struct strict_place simulator = strict_member(game, "simulator");
    const struct strict_place frame = strict_member(&simulator, "seconds_per_frame");
    static const char *const keys[] = {"rule", "setting", "simulator", "players", NULL};
    static const char *const simulator_keys[] = {"type", "seconds_per_frame", NULL};
    const char *name = json_string_value(rule.value);
    const char *type = json_string_value(json_object_get(simulator.value, "type"));

    if (game->notes && strict_object(game, keys) && json_is_object(simulator.value))
        strict_object(&simulator, simulator_keys);
    if (!name || strcmp(name, "normal") != 0)
        refuse_value(&rule, "rule");
    if (!is_number(&width, SHEET_WIDTH))
        refuse_value(&width, "sheet_width");
    if (!type || strcmp(type, "fcv1") != 0 || !is_number(&frame, FRAME_S))
        refuse_value(&simulator, "simulator");
}

static void read_hands(const struct strict_place *game, struct dc3_game *ret_game)
{
    static const char *const teams[] = {"team0", "team1", NULL};
    struct strict_notes ignored = {.kept = 0};
    struct strict_place players = strict_member(game, "players");

    if (!players.notes)
        players.notes = &ignored;
    if (json_is_object(players.value))
        strict_object(&players, teams);
    for (int team = 0; team < 2; team++) {
        const struct strict_place list = strict_member(&players, game_team_name(team));
        for (size_t k = 0; k < DC3_PLAYERS; k++)
            ret_game->hands[team][k] = ordinary_hand();
        if (strict_is_untold(&list, "four usual hands") ||
            !strict_array(&list, DC3_PLAYERS, DC3_PLAYERS))
            continue;
        for (size_t k = 0; k < DC3_PLAYERS; k++) {
            const struct strict_place player = strict_element(&list, k);
            hand_decode(&player, ret_game->profile, &ret_game->hands[team][k]);
        }
    }
}

bool dc3_game_decode(const struct strict_place *game, struct dc3_game *ret_game)
{
    static const char *const keys[] = {"max_end",       "five_rock_rule",          "sheet_width",
                                       "thinking_time", "extra_end_thinking_time", NULL};
    const int before = strict_mistakes(game);
    const struct strict_place setting = strict_member(game, "setting");
    const struct strict_place max_end = strict_member(&setting, "max_end");
    const struct strict_place rock = strict_member(&setting, "five_rock_rule");
    int64_t ends = 0;
    bool five = true;

    *ret_game = (struct dc3_game){.profile = "dc3"};
    if (!strict_object(game, NULL) || !strict_object(&setting, game->notes ? keys : NULL))
        return false;
    refuse_others(game);
    strict_whole(&max_end, 1, RULES_ENDS_MAX, &ends);
    if (!strict_is_untold(&rock, "true"))
        strict_flag(&rock, &five);
    ret_game->profile = five ? "dc3" : "dc3-four-rock";
    ret_game->max_end = (int)ends;
    read_hands(game, ret_game);
    return strict_mistakes(game) == before;
}
