/* The rule tables. Facts measured on the official servers and simulators; those of Digital Curling
 * 2 are written as 43.285 - y', y' being the ordinate in that system's own frame. */
#include "models/game/rules.h"

#include "models/game/sheet.h"

#include <stddef.h>
#include <string.h>

/* A stone is in the house, or touches it, when its centre is nearer to the tee than this. */
#define TOUCHES_HOUSE 1.974
/* A stone lies wholly before the tee line when its centre is nearer to the thrower than this. */
#define BEFORE_TEE_LINE (SHEET_TEE_Y - STONE_RADIUS)
/* A stone touches neither side line … */
#define SIDE (SHEET_WIDTH / 2 - STONE_RADIUS)
/* … and is not wholly beyond the back line. */
#define BACK (SHEET_BACK_LINE_Y + STONE_RADIUS)

/* dc3 takes off every stone short of the hog line. */
#define DC3_AREA                                    \
    {                                               \
        SIDE, SHEET_HOG_LINE_Y + STONE_RADIUS, BACK \
    }

/* dc4 takes off only an untouched delivered stone, so one that was hit may lie short of the hog
 * line; the simulator ends at y - r = -1.829. */
#define DC4_NEAR_Y (-1.829 + STONE_RADIUS)
#define DC4_AREA               \
    {                          \
        SIDE, DC4_NEAR_Y, BACK \
    }

static const struct rules rows[] = {
    {
        .name = "dc2",
        .ice = "dc2",
        .about = "Digital Curling 2 (GAT 2015-2018), the rules of the research papers",
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
        /* A stone pushed back over the hog line is reported until the next shot, hence the rink's
         * own near end (y' = 45.55) and not the play area's. */
        .sheet = {2.23, 43.285 - 45.55 + 0.145, 43.285 - 2.905},
        .play = {2.23, 43.285 - 11.135, 43.285 - 2.905},
    },
    {
        .name = "dc3",
        .ice = "dc3",
        .about = "Digital Curling 3 with the five-rock rule",
        .shots = 16,
        .ends = 8,
        .extra_ends = RULES_ENDS_MAX,
        .can_concede = true,
        .protected_shots = 5,
        .protection = RULES_PROTECT_GUARDS,
        .guard_near_y = SHEET_HOG_LINE_Y + STONE_RADIUS,
        .guard_far_y = BEFORE_TEE_LINE,
        .guard_house_radius = TOUCHES_HOUSE,
        .score_radius = TOUCHES_HOUSE,
        .tie = RULES_TIE_NOBODY,
        .sheet = DC3_AREA,
        .play = DC3_AREA,
    },
    {
        .name = "dc3-four-rock",
        .ice = "dc3",
        .about = "Digital Curling 3 without the five-rock rule",
        .shots = 16,
        .ends = 8,
        .extra_ends = RULES_ENDS_MAX,
        .can_concede = true,
        .protected_shots = 4,
        .protection = RULES_PROTECT_GUARDS,
        .guard_near_y = SHEET_HOG_LINE_Y + STONE_RADIUS,
        .guard_far_y = BEFORE_TEE_LINE,
        .guard_house_radius = TOUCHES_HOUSE,
        .score_radius = TOUCHES_HOUSE,
        .tie = RULES_TIE_NOBODY,
        .sheet = DC3_AREA,
        .play = DC3_AREA,
    },
    {
        .name = "dc4",
        .ice = "dc4",
        .about = "Digital Curling 4 server, free guard zone rule",
        .shots = 16,
        .ends = 8,
        .extra_ends = RULES_ENDS_MAX,
        .can_concede = false,
        .protected_shots = 5,
        .protection = RULES_PROTECT_GUARDS,
        .guard_near_y = DC4_NEAR_Y,
        .guard_far_y = BEFORE_TEE_LINE,
        .guard_house_radius = TOUCHES_HOUSE,
        .score_radius = TOUCHES_HOUSE,
        .score_radius_inclusive = true,
        .tie = RULES_TIE_TEAM0,
        .sheet = DC4_AREA,
        .play = DC4_AREA,
    },
    {
        .name = "dc4-no-tick",
        .ice = "dc4",
        .about = "Digital Curling 4 server, free guard zone and no-tick rule",
        .shots = 16,
        .ends = 8,
        .extra_ends = RULES_ENDS_MAX,
        .can_concede = false,
        .protected_shots = 5,
        .protection = RULES_PROTECT_GUARDS,
        .guard_near_y = DC4_NEAR_Y,
        .guard_far_y = BEFORE_TEE_LINE,
        .guard_house_radius = TOUCHES_HOUSE,
        .no_tick_half_width = STONE_RADIUS,
        .score_radius = TOUCHES_HOUSE,
        .score_radius_inclusive = true,
        .tie = RULES_TIE_TEAM0,
        .sheet = DC4_AREA,
        .play = DC4_AREA,
    },
    {
        .name = "dc4-modified",
        .ice = "dc4",
        .about = "Digital Curling 4 server, modified free guard zone rule of mixed doubles",
        .shots = 10,
        .preplaced = 1,
        .ends = 8,
        .extra_ends = RULES_ENDS_MAX,
        .can_concede = false,
        .protected_shots = 3,
        .protection = RULES_PROTECT_ALL_STONES,
        .guard_near_y = DC4_NEAR_Y,
        .guard_far_y = BEFORE_TEE_LINE,
        .guard_house_radius = TOUCHES_HOUSE,
        .score_radius = TOUCHES_HOUSE,
        .score_radius_inclusive = true,
        .tie = RULES_TIE_TEAM0,
        .sheet = DC4_AREA,
        .play = DC4_AREA,
    },
    {
        .name = "dc4-library",
        .ice = "dc4",
        .about = "Digital Curling 4 client library's reading of the free guard zone",
        .shots = 16,
        .ends = 8,
        .extra_ends = RULES_ENDS_MAX,
        .can_concede = false,
        .protected_shots = 6,
        .protection = RULES_PROTECT_GUARDS_IN_ZONE,
        .guard_near_y = DC4_NEAR_Y,
        .guard_far_y = BEFORE_TEE_LINE,
        .guard_house_radius = TOUCHES_HOUSE,
        .score_radius = TOUCHES_HOUSE,
        .score_radius_inclusive = true,
        .tie = RULES_TIE_TEAM0,
        .sheet = DC4_AREA,
        .play = DC4_AREA,
    },
};

enum { ROWS = sizeof rows / sizeof rows[0] };

const struct rules *rules_at(int index)
{
    return index >= 0 && index < ROWS ? &rows[index] : NULL;
}

const struct rules *rules_find(const char *name)
{
    for (int k = 0; k < ROWS; k++)
        if (strcmp(rows[k].name, name) == 0)
            return &rows[k];
    return NULL;
}
