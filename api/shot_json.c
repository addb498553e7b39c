/* Reads shot queries; shot_answer_json.c writes answers. See shot_json.h. */
#include "api/shot_json.h"

#include "api/build_json.h"
#include "api/game_json.h"
#include "api/job_field_rows.h"
#include "api/load_json.h"
#include "api/openapi.h"
#include "api/profile_json.h"
#include "models/tables/profiles.h"

#include <math.h>
#include <string.h>

/* ---- the fields ---- */

enum { PLAYER, LIMITS_OF_MOVE, SEED_OF_CHANCE, TOP_K, DIVERSITY, TIMEOUT_MS, FIELDS_END };

enum { DIVERSITY_KIND, DIVERSITY_NONE };
static const char *const diversities[] = {
    [DIVERSITY_KIND] = "kind", [DIVERSITY_NONE] = "none", NULL};

const struct field shot_fields[] = {
    [PLAYER] = {.name = "player",
                .type = FIELD_PLAYER,
                .absent = FIELD_LEFT_OUT,
                .about = "player that answers (without it, the server's default player)"},
    [LIMITS_OF_MOVE] = LIMITS,
    [SEED_OF_CHANCE] = SEED,
    [TOP_K] = WHOLE("top_k", 0, SHOT_CANDIDATES_MAX, 5, "most candidates in the answer"),
    [DIVERSITY] = CHOICE("diversity", diversities,
                         "candidates of the answer: the best one of each kind, with its difference "
                         "to the best, or simply the best ones"),
    [TIMEOUT_MS] = LIMIT("timeout_ms", 1, PLAYER_TIME_MAX_MS,
                         "milliseconds from the arrival of the query, including the wait"),
    [FIELDS_END] = {0}};
static const struct field report_interval =
    LIMIT("report_interval_ms", 10, PLAYER_TIME_MAX_MS, "milliseconds between two partial answers");

json_t *shot_query_schema(void)
{
    json_t *schema = load_json_text(shot_schema);
    json_t *properties = json_object_get(schema, "properties");
    bool good = build_add(properties, "profile", profile_name_schema()) &&
                build_add(properties, "noise", noise_schema()) &&
                build_add(properties, report_interval.name, field_schema(&report_interval));

    for (const struct field *field = shot_fields; field->name; field++)
        good = build_add(properties, field->name, field_schema(field)) && good;
    return build_done(schema, good);
}

/* ---- one field each ---- */

static int64_t read_whole(const struct strict_place *object, const struct field *field)
{
    int64_t number = field->whole.initial;

    strict_optional_whole(object, field->name, field->whole.least, field->whole.most, &number);
    return number;
}

/* Returns the number of the choice. */
static int read_choice(const struct strict_place *object, const struct field *field)
{
    const struct strict_place place = strict_member(object, field->name);
    int choice = 0;

    if (!strict_is_missing(&place))
        strict_choice(&place, field->choices, &choice);
    return choice;
}

static double read_milliseconds(const struct strict_place *object, const struct field *field)
{
    return (double)read_whole(object, field) / 1000.0;
}

static void read_limits(const struct strict_place *root, struct shot_query *query)
{
    const char *const keys[] = {limits_fields[LIMITS_TIME_MS].name,
                                limits_fields[LIMITS_SIMULATIONS].name, NULL};
    const struct strict_place limits = strict_member(root, "limits");

    if (strict_is_missing(&limits) || !strict_object(&limits, keys))
        return;
    query->time_s = read_milliseconds(&limits, &limits_fields[LIMITS_TIME_MS]);
    query->simulations = read_whole(&limits, &limits_fields[LIMITS_SIMULATIONS]);
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

/* ---- the query ---- */

bool shot_query_decode(json_t *document, struct shot_query *ret_query, struct strict_id *ret_id,
                       struct strict_errors *ret_errors)
{
    static const char *const keys[] = {"id",     "profile",   "state",      "setting",
                                       "player", "limits",    "noise",      "seed",
                                       "top_k",  "diversity", "timeout_ms", "report_interval_ms",
                                       NULL};
    struct shot_query query = {.seed = 0};

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
        query.seed = read_whole(&root, &shot_fields[SEED_OF_CHANCE]);
        query.candidates = (int)read_whole(&root, &shot_fields[TOP_K]);
        query.diverse = read_choice(&root, &shot_fields[DIVERSITY]) == DIVERSITY_KIND;
        query.timeout_s = read_milliseconds(&root, &shot_fields[TIMEOUT_MS]);
        query.report_interval_s = read_milliseconds(&root, &report_interval);
    }
    if (ret_id)
        *ret_id = query.id;
    if (ret_errors->count > 0)
        return false;
    *ret_query = query;
    return true;
}
