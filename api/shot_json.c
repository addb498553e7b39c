/* Reads shot queries; shot_answer_json.c writes answers. See shot_json.h. */
#include "api/shot_json.h"

#include "api/game_json.h"
#include "api/player_spec.h"
#include "models/tables/profiles.h"

#include <math.h>
#include <string.h>

#define INTERVAL_LEAST_MS 10

/* ---- one field each ---- */

static void read_limits(const struct strict_place *root, struct shot_query *query)
{
    static const char *const keys[] = {"time_ms", "simulations", NULL};
    const struct strict_place limits = strict_member(root, "limits");
    int64_t time_ms;

    if (strict_is_missing(&limits) || !strict_object(&limits, keys))
        return;
    if (strict_optional_whole(&limits, "time_ms", 1, PLAYER_TIME_MAX_MS, &time_ms))
        query->time_s = (double)time_ms / 1000.0;
    strict_optional_whole(&limits, "simulations", 1, PLAYER_SIMULATIONS_MAX, &query->simulations);
}

/* Each profile has one kind of noise; settings of other kinds have no effect, so they are refused.
 */
void shot_noise_decode(const struct strict_place *document, const char *profile,
                       struct noise_settings *ret_noise)
{
    const struct profile *row = profile ? profile_find(profile) : NULL;
    const struct ice_profile *ice = row ? row->ice : profile ? ice_profile_find(profile) : NULL;
    const struct strict_place place = strict_member(document, "noise");
    const char *keys[NOISE_SETTINGS_MAX + 1] = {NULL};
    const struct noise_setting *setting;
    int count = 0;

    for (int k = 0; (setting = noise_setting_at(k)) != NULL; k++) {
        *noise_setting_value(ret_noise, k) = NAN;
        if (setting->most > 0.0)
            keys[count++] = setting->name;
    }
    if (strict_is_missing(&place) || !strict_object(&place, keys))
        return;
    for (int k = 0; (setting = noise_setting_at(k)) != NULL; k++) {
        const struct strict_place field = strict_member(&place, setting->name);
        if (strict_is_missing(&field) || setting->most == 0.0)
            continue;
        if (ice && setting->kind != ice->noise)
            strict_refuse(&field, "not_applicable", "the noise of profile %s has no such setting",
                          profile);
        else
            strict_number(&field, 0.0, setting->most, noise_setting_value(ret_noise, k));
    }
}

/* A number of milliseconds that may be absent. */
static void read_milliseconds(const struct strict_place *root, const char *key, int64_t least,
                              double *ret_s)
{
    int64_t number;

    if (strict_optional_whole(root, key, least, PLAYER_TIME_MAX_MS, &number))
        *ret_s = (double)number / 1000.0;
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
        const struct strict_place player = strict_member(&root, "player");
        const char *text;
        if (!strict_is_missing(&id))
            strict_read_id(&id, &query.id);
        game_decode(&root, &query.game);
        if (!strict_is_missing(&player) && strict_text(&player, SHOT_PLAYER_MAX, &text))
            memcpy(query.player, text, strlen(text) + 1);
        read_limits(&root, &query);
        shot_noise_decode(&root, query.game.rules ? query.game.rules->name : NULL, &query.noise);
        strict_optional_whole(&root, "seed", 0, INT64_MAX, &query.seed);
        strict_optional_whole(&root, "top_k", 0, SHOT_CANDIDATES_MAX, &candidates);
        read_milliseconds(&root, "timeout_ms", 1, &query.timeout_s);
        read_milliseconds(&root, "report_interval_ms", INTERVAL_LEAST_MS, &query.report_interval_s);
    }
    query.candidates = (int)candidates;
    if (ret_id)
        *ret_id = query.id;
    if (ret_errors->count > 0)
        return false;
    *ret_query = query;
    return true;
}
