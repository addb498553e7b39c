/* The rows of ice and of profiles. The numbers were measured on the official servers and
 * simulators; ordinates of Digital Curling 2 are written as 43.285 - y', with y' in that system's
 * own frame.
 *
 * A row similar to another starts as a copy of it and changes what differs. A new row is a function
 * and its name in the list below. */
#include "models/tables/profiles.h"

#include "models/game/position.h"
#include "models/game/sheet.h"
#include "models/game/shot.h"

#include <math.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* ---- ice ---- */

static struct ice_profile dc2_ice(void)
{
    return (struct ice_profile){
        .name = "dc2",
        .about = "Digital Curling 2 (GAT 2015-2018), the ice of the research papers",
        .law = ICE_DC2,
        .hack = {0.0, 43.285 - 41.28},
        .max_speed = 45.0,
        .top_speed = 45.02,
        .max_omega = SHOT_TURN_MAX_RADPS,
        .spin = SHOT_TURN_DC2_RADPS,
        .side_x = 2.375 - 0.145,
        .back_y = 43.285 - 2.905,
        .back = ICE_REMOVE_MOVING,
        .hog_y = 43.285 - 11.135,
        .hog = ICE_HOG_DELIVERED,
        .contact_friction = 12.009216,
        .restitution_threshold = 1.0,
        .velocity_iterations = 10,
        .position_iterations = 10,
        .noise = ICE_NOISE_GAT,
        .player_max_speed = HUGE_VAL, /* this ice is ten times as fast as real ice */
        .player_max_omega = HUGE_VAL,
        .draw_speed = 29.57,
        .hit_speed = 35.0, /* passes the tee with 19 m/s */
    };
}

static struct ice_profile dc3_ice(void)
{
    return (struct ice_profile){
        .name = "dc3",
        .about = "Digital Curling 3 (FCV1), the ice of today's competitions",
        .law = ICE_FCV1,
        .hack = {0.0, 0.0},
        .max_speed = 6.0,
        .top_speed = 6.09,
        .max_omega = SHOT_TURN_MAX_RADPS,
        .spin = SHOT_TURN_FCV1_RADPS,
        .side_x = 2.375 - 0.145,
        .back_y = 40.234 + 0.145,
        .back = ICE_REMOVE_MOVING,
        .hog_y = 32.004 + 0.145,
        .hog = ICE_HOG_ALL_STONES,
        .contact_friction = 0.2,
        .restitution_threshold = 0.0,
        .velocity_iterations = 8,
        .position_iterations = 3,
        .noise = ICE_NOISE_NORMAL_DIST,
        .player_max_speed = 4.0,
        .player_max_omega = HUGE_VAL,
        .draw_speed = 2.404,
        .hit_speed = 3.0, /* passes the tee with 1.9 m/s */
    };
}

static struct ice_profile dc4_ice(void)
{
    struct ice_profile ice = dc3_ice();

    ice.name = "dc4";
    ice.about = "Digital Curling 4 (FCV1 with free spin and its own rules)";
    ice.back = ICE_REMOVE_AT_REST;
    ice.hog = ICE_HOG_DELIVERED_UNTOUCHED;
    ice.player_min_omega = 0.52359877559829887308;
    ice.player_max_omega = 1.57079632679489661923;
    return ice;
}

static struct ice_profile (*const ice_rows[])(void) = {
    dc2_ice,
    dc3_ice,
    dc4_ice,
};
enum { ICES = sizeof ice_rows / sizeof ice_rows[0] };

/* ---- profiles ---- */

/* A stone lies wholly before the tee line when its centre is nearer to the thrower than this. */
#define BEFORE_TEE_LINE (SHEET_TEE_Y - STONE_RADIUS)
/* Limit of |x| for stones that touch neither side line. */
#define SIDE (SHEET_WIDTH / 2 - STONE_RADIUS)
/* Limit of y for stones that are not wholly beyond the back line. */
#define BACK (SHEET_BACK_LINE_Y + STONE_RADIUS)

/* Finds the row's `ice`; called after the table of ice has been built. */
static const struct ice_profile *ice_called(const char *name);

/* Copies a row under a new name, as the start of another row. */
static struct profile named(struct profile row, const char *name, const char *about)
{
    row.name = row.rules.name = name;
    row.about = about;
    return row;
}

static struct profile dc2(void)
{
    struct profile row = {
        .ice = ice_called("dc2"),
        .words = PROFILE_WORDS_DC2,
        .rules =
            {
                .shots = 16,
                .ends = 8,
                .extra_ends = 0,
                .can_concede = true,
                .protected_shots = 4,
                .protection = RULES_PROTECT_GUARDS,
                .guard_near_y = 43.285 - 11.135,
                .guard_far_y = 43.285 - 5.025,
                .guard_house_radius = 1.83 + 0.145,
                .score_radius = 1.98,
                .tie = RULES_TIE_NOBODY,
                /* A stone pushed back over the hog line is reported until the next shot, so near_y
                 * is the near end of the rink (y' = 45.55) and not of the play area. */
                .sheet = {2.23, 43.285 - 45.55 + 0.145, 43.285 - 2.905},
                .play = {2.23, 43.285 - 11.135, 43.285 - 2.905},
            },
        .weights =
            {
                .best = "end_value_dc2",
                .policy = "nfsp_dc2",
                .against = {[SEAT_SENTE] = {"end_value_dc2_for_sente", "ai-simple", 0.3}},
                .known = {{"ai-simple", {[SEAT_SENTE] = "end_value_dc2_for_sente_ai_simple"}}},
            },
        .end_scores = {0, 0, 0, 0, 2, 11, 72, 434, 1, 1858, 1082, 375, 125, 31, 8, 1, 0},
    };

    return named(row, "dc2", "Digital Curling 2 (GAT 2015-2018), the rules of the research papers");
}

static struct profile dc3(void)
{
    /* Takes off every stone short of the hog line. */
    const struct rules_area area = {SIDE, SHEET_HOG_LINE_Y + STONE_RADIUS, BACK};
    struct profile row = {
        .ice = ice_called("dc3"),
        .words = PROFILE_WORDS_DC3,
        .rules =
            {
                .shots = 16,
                .ends = 8,
                .extra_ends = RULES_ENDS_MAX,
                .can_concede = true,
                .protected_shots = 5,
                .protection = RULES_PROTECT_GUARDS,
                .guard_near_y = SHEET_HOG_LINE_Y + STONE_RADIUS,
                .guard_far_y = BEFORE_TEE_LINE,
                .guard_house_radius = SHEET_TOUCHES_HOUSE,
                .score_radius = SHEET_TOUCHES_HOUSE,
                .tie = RULES_TIE_NOBODY,
                .sheet = area,
                .play = area,
            },
        .weights =
            {
                .best = "end_value_dc3",
                .policy = "nfsp_dc3",
                .against = {[SEAT_SENTE] = {"end_value_dc3_for_sente", "dc3-rulebased", 0.3},
                            [SEAT_GOTE] = {"end_value_dc3_for_gote", "dc3-rulebased", 0.3}},
                .known = {{"dc3-rulebased",
                           {[SEAT_SENTE] = "end_value_dc3_for_sente_dc3_rulebased"}}},
            },
        .end_scores = {0, 0, 0, 0, 1, 1, 32, 228, 1, 2515, 943, 223, 40, 16, 0, 0, 0},
    };

    return named(row, "dc3", "Digital Curling 3 with the five-rock rule");
}

static struct profile dc3_four_rock(void)
{
    struct profile row = dc3();

    row.rules.protected_shots = 4;
    return named(row, "dc3-four-rock", "Digital Curling 3 without the five-rock rule");
}

static struct profile dc4(void)
{
    struct profile row = dc3();

    row.ice = ice_called("dc4");
    row.words = PROFILE_WORDS_DC4;
    row.rules.can_concede = false;
    row.rules.score_radius_inclusive = true;
    row.rules.tie = RULES_TIE_TEAM0;
    /* Takes off only an untouched delivered stone, so one that was hit may lie short of the hog
     * line; the simulator ends at y - r = -1.829. */
    row.rules.sheet.near_y = -1.829 + STONE_RADIUS;
    row.rules.play = row.rules.sheet;
    row.rules.guard_near_y = row.rules.sheet.near_y;
    /* A guard beside the house may touch the tee line, as long as its centre is before it. */
    row.rules.guard_far_y = SHEET_TEE_Y;
    return named(row, "dc4", "Digital Curling 4 server, free guard zone rule");
}

static struct profile dc4_no_tick(void)
{
    struct profile row = dc4();

    row.rules.no_tick_half_width = STONE_RADIUS;
    return named(row, "dc4-no-tick", "Digital Curling 4 server, free guard zone and no-tick rule");
}

static struct profile dc4_modified(void)
{
    /* 2000 ends each, by 1000 throws a shot. */
    static const int ends[PROFILE_SCORES] = {0,   0,   0,   0,  1,  11, 39, 252, 1,
                                             842, 524, 222, 86, 20, 2,  0,  0};
    static const int powers[PROFILE_SCORES] = {0,   0,   0,   0,  0, 1, 13, 67, 0,
                                               954, 706, 184, 64, 7, 4, 0,  0};
    struct profile row = dc4();

    row.rules.shots = 10;
    row.rules.preplaced = 1;
    row.rules.protected_shots = 3;
    row.rules.protection = RULES_PROTECT_ALL_STONES;
    row.weights = (struct profile_weights){.best = "end_value_dc4_modified"};
    memcpy(row.end_scores, ends, sizeof ends);
    memcpy(row.power_scores, powers, sizeof powers);
    return named(row, "dc4-modified",
                 "Digital Curling 4 server, modified free guard zone rule of mixed doubles");
}

static struct profile dc4_library(void)
{
    struct profile row = dc4();

    row.rules.protected_shots = 6;
    row.rules.guard_far_y = BEFORE_TEE_LINE;
    row.rules.protection = RULES_PROTECT_GUARDS_IN_ZONE;
    return named(row, "dc4-library",
                 "Digital Curling 4 client library's reading of the free guard zone");
}

static struct profile (*const profile_rows[])(void) = {
    dc2, dc3, dc3_four_rock, dc4, dc4_no_tick, dc4_modified, dc4_library,
};
enum { PROFILES = sizeof profile_rows / sizeof profile_rows[0] };
_Static_assert((int)PROFILES <= (int)PROFILES_MAX, "arrays have room");
_Static_assert((int)ICES <= (int)ICE_PROFILES_MAX, "arrays have room");

/* ---- reading ---- */

static struct ice_profile ices[ICES];
static struct profile profiles[PROFILES];

static const struct ice_profile *ice_called(const char *name)
{
    for (int k = 0; k < ICES; k++)
        if (strcmp(ices[k].name, name) == 0)
            return &ices[k];
    return NULL;
}

static void build_rows(void)
{
    for (int k = 0; k < ICES; k++)
        ices[k] = ice_rows[k]();
    for (int k = 0; k < PROFILES; k++)
        profiles[k] = profile_rows[k]();
}

static void need_rows(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, build_rows);
}

const struct ice_profile *ice_profile_at(int index)
{
    need_rows();
    return index >= 0 && index < ICES ? &ices[index] : NULL;
}

const struct ice_profile *ice_profile_find(const char *name)
{
    need_rows();
    return ice_called(strcmp(name, "fcv1") == 0 ? "dc3" : name);
}

/* The energy of a turn as the square of a speed. In dc2 its sign alone acts. */
static double turn_squares(const struct ice_profile *ice, double omega)
{
    return ice->law == ICE_FCV1 ? 0.5 * STONE_RADIUS * STONE_RADIUS * omega * omega : 0.0;
}

enum ice_shot_fault ice_shot_check(const struct ice_profile *ice, const struct shot *shot,
                                   double *ret_most)
{
    const double inside = 1.0 - 1e-12; /* of the limit, as it is rounded */
    const double squares = vec2_dot(shot->velocity, shot->velocity);
    const double all = ice->top_speed * ice->top_speed;

    /* NaN fails the comparisons. */
    *ret_most = ice->max_speed;
    if (!(squares <= ice->max_speed * ice->max_speed))
        return ICE_SHOT_TOO_FAST;
    if (fabs(shot->omega) <= ice->max_omega && squares + turn_squares(ice, shot->omega) <= all)
        return ICE_SHOT_GOOD;
    *ret_most = ice->max_omega;
    if (squares + turn_squares(ice, ice->max_omega) > all)
        *ret_most *= inside * sqrt((all - squares) / turn_squares(ice, ice->max_omega));
    return ICE_SHOT_TURNS_TOO_FAST;
}

const struct profile *profile_at(int index)
{
    need_rows();
    return index >= 0 && index < PROFILES ? &profiles[index] : NULL;
}

const struct profile *profile_find(const char *name)
{
    need_rows();
    for (int k = 0; k < PROFILES; k++)
        if (strcmp(profiles[k].name, name) == 0)
            return &profiles[k];
    return NULL;
}

const struct rules *rules_find(const char *name)
{
    const struct profile *profile = profile_find(name);
    return profile ? &profile->rules : NULL;
}

const struct profile *profile_of(const struct rules *rules)
{
    return profile_find(rules->name);
}

bool profile_is_learnable(const struct profile *profile)
{
    return profile->rules.preplaced == 0;
}

struct noise_settings noise_settings_default(const struct ice_profile *ice)
{
    const struct noise_setting *setting;
    struct noise_settings usual;

    for (int k = 0; (setting = noise_setting_at(k)) != NULL; k++)
        *noise_setting_value(&usual, k) = setting->initial;
    usual.max_speed_mps = ice->player_max_speed;
    usual.min_omega_radps = ice->player_min_omega;
    usual.max_omega_radps = ice->player_max_omega;
    usual.draw_speed_mps = ice->draw_speed;
    usual.hit_speed_mps = ice->hit_speed;
    return usual;
}

/* Adds a name to a list that has room for it. */
static void list_add(const char *name, char list[PROFILE_LIST_MAX])
{
    size_t used = strlen(list);
    snprintf(list + used, PROFILE_LIST_MAX - used, "%s%s", used ? ", " : "", name);
}

const char *profile_list(bool learnable_only, char ret_text[PROFILE_LIST_MAX])
{
    const struct profile *profile;

    ret_text[0] = '\0';
    for (int k = 0; (profile = profile_at(k)) != NULL; k++)
        if (!learnable_only || profile_is_learnable(profile))
            list_add(profile->name, ret_text);
    return ret_text;
}

const char *ice_profile_list(char ret_text[PROFILE_LIST_MAX])
{
    const struct ice_profile *ice;

    ret_text[0] = '\0';
    for (int k = 0; (ice = ice_profile_at(k)) != NULL; k++)
        list_add(ice->name, ret_text);
    return ret_text;
}
