/* Writes profiles, and the schemas generated from their table. See profile_json.h. */
#include "api/curling/profile_json.h"

#include "api/base/build_json.h"
#include "models/game/setup.h"

static const char *const protections[] = {[RULES_PROTECT_GUARDS] = "guards",
                                          [RULES_PROTECT_GUARDS_IN_ZONE] = "guards_in_zone",
                                          [RULES_PROTECT_ALL_STONES] = "all_stones",
                                          NULL};
static const char *const ties[] = {
    [RULES_TIE_NOBODY] = "nobody", [RULES_TIE_TEAM0] = "team0", NULL};
static const char *const laws[] = {[ICE_DC2] = "dc2", [ICE_FCV1] = "fcv1", NULL};

static json_t *area_json(const struct rules_area *area)
{
    return json_pack("{s:f, s:f, s:f}", "side_x", area->side_x, "near_y", area->near_y, "far_y",
                     area->far_y);
}

static json_t *rules_json(const struct rules *rules)
{
    json_t *guards = json_pack("{s:f, s:f, s:f, s:f}", "near_y", rules->guard_near_y, "far_y",
                               rules->guard_far_y, "house_radius", rules->guard_house_radius,
                               "no_tick_half_width", rules->no_tick_half_width);

    return json_pack("{s:i, s:i, s:i, s:i, s:b, s:i, s:s, s:o, s:f, s:b, s:s, s:o, s:o}", "shots",
                     rules->shots, "preplaced", rules->preplaced, "ends", rules->ends, "extra_ends",
                     rules->extra_ends, "can_concede", rules->can_concede, "protected_shots",
                     rules->protected_shots, "protection", protections[rules->protection], "guards",
                     guards, "score_radius", rules->score_radius, "score_radius_inclusive",
                     rules->score_radius_inclusive, "tie", ties[rules->tie], "sheet",
                     area_json(&rules->sheet), "play", area_json(&rules->play));
}

static json_t *place_json(struct vec2 at)
{
    return json_pack("{s:f, s:f}", "x", at.x, "y", at.y);
}

/* {"center_house":{"house":{"x","y"},"guards":[{"x","y"}, one for each pattern]}, …} */
static json_t *setups_json(void)
{
    json_t *setups = json_object();
    bool good = true;

    for (int k = 0; k < SETUP_COUNT; k++) {
        json_t *guards = json_array();
        for (int pattern = 0; pattern < SETUP_PATTERNS; pattern++)
            good =
                build_append(guards, place_json(setup_position((enum setup)k, pattern).stone[0])) &&
                good;
        struct vec2 house = setup_position((enum setup)k, 0).stone[1];
        good = build_add(setups, setup_word((enum setup)k),
                         json_pack("{s:o, s:o}", "house", place_json(house), "guards", guards)) &&
               good;
    }
    return build_done(setups, good);
}

static json_t *ice_json(const struct ice_profile *ice)
{
    return json_pack("{s:s, s:s, s:s, s:{s:f, s:f}, s:f, s:f, s:f, s:f, s:f, s:f}", "name",
                     ice->name, "about", ice->about, "law", laws[ice->law], "hack", "x",
                     ice->hack.x, "y", ice->hack.y, "max_speed", ice->max_speed, "max_omega",
                     ice->max_omega, "spin", ice->spin, "side_x", ice->side_x, "back_y",
                     ice->back_y, "hog_y", ice->hog_y);
}

static json_t *noise_json(const struct ice_profile *ice)
{
    const struct noise_settings usual = noise_settings_default(ice);
    const struct noise_kind *kind = noise_kind_at((int)ice->noise);
    const struct noise_setting *setting;
    json_t *settings = json_array();
    bool good = true;

    for (int k = 0; (setting = noise_setting_at(k)) != NULL; k++)
        if (noise_setting_fits(setting, ice->noise) && setting->most > 0.0)
            good = build_append(settings, json_pack("{s:s, s:s, s:b, s:o, s:f, s:f, s:s}", "name",
                                                    setting->name, "unit", setting->unit,
                                                    "of_people", (int)setting->of_people, "default",
                                                    build_real(noise_setting_of(&usual, k)),
                                                    "minimum", setting->least, "maximum",
                                                    setting->most, "about", setting->about)) &&
                   good;
    return build_done(json_pack("{s:s, s:s, s:o}", "kind", kind->name, "about", kind->about,
                                "settings", settings),
                      good);
}

json_t *profile_json(const struct profile *profile)
{
    static const char *const words[][4] = {
        [PROFILE_WORDS_DC2] = {"native"},
        [PROFILE_WORDS_DC3] = {NULL},
        [PROFILE_WORDS_DC4] = {"translational_velocity", "shot_angle", "angular_velocity"}};

    json_t *root =
        json_pack("{s:s, s:s, s:b, s:b, s:o, s:o, s:o, s:o}", "name", profile->name, "about",
                  profile->about, "jobs", 1, "trainings", 1, "shot_members",
                  build_texts(words[profile->words]), "rules", rules_json(&profile->rules), "ice",
                  ice_json(profile->ice), "noise", noise_json(profile->ice));
    return build_done(root,
                      profile->rules.preplaced == 0 || build_add(root, "setups", setups_json()));
}

/* ---- schemas ---- */

json_t *profile_name_schema(void)
{
    const struct profile *profile;
    json_t *names = json_array();
    bool good = true;

    for (int k = 0; (profile = profile_at(k)) != NULL; k++)
        good = build_append(names, json_string(profile->name)) && good;
    return build_done(json_pack("{s:s, s:s, s:o}", "description",
                                "Rules, ice and hand under one name", "type", "string", "enum",
                                names),
                      good);
}

json_t *noise_schema(void)
{
    const struct noise_setting *setting;
    json_t *properties = json_object();
    bool good = true;

    for (int k = 0; (setting = noise_setting_at(k)) != NULL; k++)
        if (setting->most > 0.0)
            good = build_add(properties, setting->name,
                             json_pack("{s:o, s:s, s:o, s:f}", "description",
                                       json_sprintf("%s: %s, %s",
                                                    setting->kind == ICE_NOISE_PEOPLE
                                                        ? "any"
                                                        : noise_kind_at((int)setting->kind)->name,
                                                    setting->about, setting->unit),
                                       "type", "number", "minimum",
                                       setting->least == 0.0 ? json_integer(0)
                                                             : json_real(setting->least),
                                       "maximum", setting->most)) &&
                   good;
    return build_done(
        json_pack("{s:s, s:s, s:b, s:o}", "description",
                  "Errors of both teams' hands: settings of the profile's kind of noise; absent "
                  "ones keep the profile's values",
                  "type", "object", "additionalProperties", 0, "properties", properties),
        good);
}

json_t *profile_choices(void)
{
    return json_pack("{s:{s:s, s:o}, s:{s:s, s:o}, s:{s:s, s:o}}", "Protection", "type", "string",
                     "enum", build_texts(protections), "Tie", "type", "string", "enum",
                     build_texts(ties), "Law", "type", "string", "enum", build_texts(laws));
}
