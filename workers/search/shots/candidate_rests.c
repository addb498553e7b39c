/* Draws, guards, freezes, come-arounds and throughs. */
#include "workers/search/shots/candidate_builder.h"

#include "models/ice/aim.h"

#define THROUGH_M     2.5  /* a through must be clear until here, beyond the tee line */
#define AROUND_ROOM_M 0.03 /* gap between the edges of the stones on the way around */

static void add_rest(struct candidate_builder *b, enum shot_kind kind, int about,
                     struct vec2 target)
{
    const struct purpose purpose = {kind, about, -1, target};

    if (!rules_area_has(&b->rules->play, target))
        return;
    for (int side = 0; side < 2; side++) {
        struct shot shot;
        /* A freeze must come near its stone. */
        if (aim_draw(b->ice, target, spin_of(b, side), &shot) == AIM_OK &&
            candidate_is_open(b, &shot, 0.0, kind == SHOT_FREEZE ? about : -1))
            candidate_add(b, &purpose, &shot);
    }
}

/* Draws: the tee, four points about the button, the sides of the four-foot circle, the ring 1.54 m
 * out every 45 degrees. Guards: centre guards at three depths, corner guards near and wide. */
void candidate_add_places(struct candidate_builder *b)
{
    static const struct vec2 draws[] = {
        {0.0, 0.0},   {-0.37, 0.0}, {0.37, 0.0},   {0.0, -0.58},   {0.0, 0.58},
        {-0.9, 0.0},  {0.9, 0.0},   {0.0, -1.54},  {-1.09, -1.09}, {1.09, -1.09},
        {-1.54, 0.0}, {1.54, 0.0},  {-1.09, 1.09}, {1.09, 1.09},   {0.0, 1.54},
    };
    static const struct vec2 guards[] = {
        {0.0, -3.0},  {0.0, -2.3},   {0.0, -3.7},  {-0.6, -2.17},
        {0.6, -2.17}, {-1.25, -2.7}, {1.25, -2.7},
    };
    for (size_t k = 0; k < sizeof draws / sizeof draws[0]; k++)
        add_rest(b, SHOT_DRAW, -1, tee_plus(draws[k].x, draws[k].y));
    for (size_t k = 0; k < sizeof guards / sizeof guards[0]; k++)
        add_rest(b, SHOT_GUARD, -1, tee_plus(guards[k].x, guards[k].y));
}

/* One shot per spin that touches no stone: through the middle, or beside it. */
void candidate_add_through(struct candidate_builder *b)
{
    static const double lines[] = {0.0, 0.5, 1.0, 1.5, 1.9};

    for (int side = 0; side < 2; side++)
        for (int k = 0; k < 2 * 5; k++) {
            /* The side to which the stone curls comes first, so that mirror images have the same
             * order. */
            double x = lines[k / 2] * (k % 2 == side ? -1.0 : 1.0);
            struct vec2 place = tee_plus(x, 0.0);
            const struct purpose purpose = {SHOT_THROUGH, -1, -1, place};
            struct shot_path path;
            struct shot shot;
            if (aim_pass(b->ice, place, aim_speed_to_run(b->ice, CANDIDATE_MIDDLE_M),
                         spin_of(b, side), &shot) == AIM_OK &&
                shot_path_of(b->ice, &shot, &path) &&
                shot_path_is_clear(&path, b->position, CANDIDATE_MIDDLE_M - THROUGH_M, -1, 0.0)) {
                candidate_add(b, &purpose, &shot);
                break;
            }
        }
}

/* Freezes in front of a stone in the house, straight and at 45 degrees to either side. */
void candidate_add_freezes(struct candidate_builder *b, int about)
{
    struct vec2 at = b->position->stone[about];
    struct vec2 back = unit(vec2_sub(b->ice->hack, at));

    for (int k = 0; k < 3; k++) {
        double angle = k == 0 ? 0.0 : k == 1 ? -0.25 * M_PI : 0.25 * M_PI;
        add_rest(b, SHOT_FREEZE, about,
                 vec2_add(at, vec2_scale(CANDIDATE_CONTACT_M + 0.02, turned(back, angle))));
    }
}

/* Places behind a stone, on the line from the hack through it, if they are in the house. Where the
 * path does not curl enough, the place moves out, towards the side from which the stone comes,
 * until it does; the guard then covers it in part. */
void candidate_add_come_arounds(struct candidate_builder *b, int about)
{
    struct vec2 at = b->position->stone[about];
    struct vec2 ray = unit(vec2_sub(at, b->ice->hack));
    const double behind[] = {1.0, 2.2, 3.5, (SHEET_TEE_Y - at.y) / ray.y};

    for (int k = 0; k < 4; k++)
        for (int side = 0; side < 2; side++) {
            struct vec2 target = vec2_add(at, vec2_scale(behind[k], ray));
            double omega = spin_of(b, side), left;
            struct shot_path path;
            struct shot shot;
            if (behind[k] < 2.0 * CANDIDATE_CONTACT_M ||
                aim_draw(b->ice, target, omega, &shot) != AIM_OK ||
                !shot_path_of(b->ice, &shot, &path))
                continue;
            /* A shot that curls to the left passes with the stone on its left. */
            double clear = shot_path_beside(&path, at, 0.0, &left) * (omega > 0.0 ? -1.0 : 1.0);
            double out = (CANDIDATE_CONTACT_M + AROUND_ROOM_M - clear) * b->reach /
                         vec2_distance(b->ice->hack, at);
            if (out > 0.0)
                target.x += omega > 0.0 ? out : -out;
            const struct purpose purpose = {SHOT_COME_AROUND, about, -1, target};
            if (out < CANDIDATE_CONTACT_M &&
                tee_distance_squared(target) < SHEET_TOUCHES_HOUSE * SHEET_TOUCHES_HOUSE &&
                (out <= 0.0 || aim_draw(b->ice, target, omega, &shot) == AIM_OK) &&
                candidate_is_open(b, &shot, 0.0, -1))
                candidate_add(b, &purpose, &shot);
        }
}

/* Guards of an own stone in the house: in front of it, on the line from the hack, if that place is
 * outside the house. */
void candidate_add_guards_of(struct candidate_builder *b, int about)
{
    struct vec2 at = b->position->stone[about];
    struct vec2 back = unit(vec2_sub(b->ice->hack, at));

    for (int k = 1; k <= 3; k++) {
        struct vec2 target = vec2_add(at, vec2_scale(k, back));
        if (target.y < SHEET_TEE_Y &&
            tee_distance_squared(target) > SHEET_TOUCHES_HOUSE * SHEET_TOUCHES_HOUSE)
            add_rest(b, SHOT_GUARD, about, target);
    }
}
