/* The shots worth considering: the list, the stones that come to rest, and which stones are played
 * on. Places follow the hand-made generators of published programs. What would have to be thrown
 * harder than the player's limit, action_max_speed(), is left out. */
#include "workers/search/shots/candidates.h"

#include "models/ice/action_grid.h"
#include "models/ice/aim.h"
#include "workers/search/shots/candidate_builder.h"

#define THROUGH_M     2.5  /* beyond the tee line, to which a through has to be clear */
#define AROUND_ROOM_M 0.03 /* past the edge of the stone that is come around */

/* Two shots of one spin are the same if they differ by less than this, metres across and along at
 * the tee: a quarter of the standard deviations of a hand's error. */
#define SAME_ACROSS_M 0.018
#define SAME_ALONG_M  0.07

/* A blocked shot stays worth a try where this error across, metres at the tee, gets past: about one
 * standard deviation and a half. */
#define SLIP_M 0.1

/* --- The list --------------------------------------------------------------------------------- */

static bool have_alike(const struct candidate_builder *b, const struct shot *shot)
{
    for (int k = 0; k < b->count; k++) {
        const struct shot *other = &b->candidates[k].shot;
        if (other->omega == shot->omega &&
            fabs(other->velocity.x - shot->velocity.x) * b->across_per_speed < SAME_ACROSS_M &&
            fabs(other->velocity.y - shot->velocity.y) * b->along_per_speed < SAME_ALONG_M)
            return true;
    }
    return false;
}

void candidate_add(struct candidate_builder *b, const struct purpose *purpose,
                   const struct shot *shot)
{
    if (b->count >= b->most || vec2_length(shot->velocity) > b->max_speed || have_alike(b, shot))
        return;
    b->candidates[b->count++] = (struct candidate){
        .shot = *shot,
        .kind = purpose->kind,
        .stone = (int8_t)purpose->stone,
        .other_stone = (int8_t)purpose->other_stone,
        .target = purpose->target,
    };
}

/* Whether the way of the shot, or of one that errs by SLIP_M to a side, is clear of all stones but
 * `about` until it has `until_left` metres to run. */
bool candidate_is_open(const struct candidate_builder *b, const struct shot *shot,
                       double until_left, int about)
{
    struct shot_path path;
    return shot_path_of(b->ice, shot, &path) &&
           shot_path_is_clear(&path, b->position, until_left, about, SLIP_M / b->reach);
}

/* --- Stones that come to rest ------------------------------------------------------------ */

static void add_rest(struct candidate_builder *b, enum shot_kind kind, int about,
                     struct vec2 target)
{
    const struct purpose purpose = {kind, about, -1, target};

    if (!rules_area_has(&b->rules->play, target))
        return;
    for (int side = 0; side < 2; side++) {
        struct shot shot;
        /* A freeze comes as near to its stone as it was told. */
        if (aim_draw(b->ice, target, spin_of(b, side), &shot) == AIM_OK &&
            candidate_is_open(b, &shot, 0.0, kind == SHOT_FREEZE ? about : -1))
            candidate_add(b, &purpose, &shot);
    }
}

/* Draws: the tee, four points about the button, the sides of the four-foot circle, the ring 1.54 m
 * out every 45 degrees. Guards: centre guards at three depths, corner guards near and wide. */
static void add_places(struct candidate_builder *b)
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

/* One shot a spin that leaves all stones alone: through the middle, or beside it. */
static void add_through(struct candidate_builder *b)
{
    static const double lines[] = {0.0, 0.5, 1.0, 1.5, 1.9};

    for (int side = 0; side < 2; side++)
        for (int k = 0; k < 2 * 5; k++) {
            /* First the side to which the stone bends anyway, so that mirrors look alike. */
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

/* In front of a stone of the house, and beside its front by 45 degrees. */
static void add_freezes(struct candidate_builder *b, int about)
{
    struct vec2 at = b->position->stone[about];
    struct vec2 back = unit(vec2_sub(b->ice->hack, at));

    for (int k = 0; k < 3; k++) {
        double angle = k == 0 ? 0.0 : k == 1 ? -0.25 * M_PI : 0.25 * M_PI;
        add_rest(b, SHOT_FREEZE, about,
                 vec2_add(at, vec2_scale(CANDIDATE_CONTACT_M + 0.02, turned(back, angle))));
    }
}

/* Behind a stone, on the line from the hack through it, if that is in the house. Where the path
 * does not bend enough to get round, the place is moved out to the side from which the stone comes
 * until it does: then it is covered in part. */
static void add_come_arounds(struct candidate_builder *b, int about)
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
            /* What bends to the left passes with the stone on its left. */
            double clear = shot_path_beside(&path, at, 0.0, &left) * (omega > 0.0 ? -1.0 : 1.0);
            double out = (CANDIDATE_CONTACT_M + AROUND_ROOM_M - clear) * b->reach /
                         vec2_distance(b->ice->hack, at);
            if (out > 0.0)
                target.x += omega > 0.0 ? out : -out;
            const struct purpose purpose = {SHOT_COME_AROUND, about, -1, target};
            if (out < CANDIDATE_CONTACT_M &&
                tee_distance_squared(target) < CANDIDATE_HOUSE_M * CANDIDATE_HOUSE_M &&
                (out <= 0.0 || aim_draw(b->ice, target, omega, &shot) == AIM_OK) &&
                candidate_is_open(b, &shot, 0.0, -1))
                candidate_add(b, &purpose, &shot);
        }
}

/* Guards of an own stone in the house: in front of it, on the line from the hack, if that is
 * outside the house. */
static void add_guards_of(struct candidate_builder *b, int about)
{
    struct vec2 at = b->position->stone[about];
    struct vec2 back = unit(vec2_sub(b->ice->hack, at));

    for (int k = 1; k <= 3; k++) {
        struct vec2 target = vec2_add(at, vec2_scale(k, back));
        if (target.y < SHEET_TEE_Y &&
            tee_distance_squared(target) > CANDIDATE_HOUSE_M * CANDIDATE_HOUSE_M)
            add_rest(b, SHOT_GUARD, about, target);
    }
}

/* --- All of them ------------------------------------------------------------------------- */

static void add_for_stone(struct candidate_builder *b, int about, bool mine)
{
    struct vec2 at = b->position->stone[about];
    bool in_house = tee_distance_squared(at) < CANDIDATE_HOUSE_M * CANDIDATE_HOUSE_M;

    if (at.y < SHEET_HOG_LINE_Y || at.y > b->ice->back_y)
        return; /* short of the hog line: dc2 clears it away before the throw */
    if (!mine && candidate_may_remove(b, about))
        candidate_add_take_outs(b, about);
    if (in_house)
        add_freezes(b, about);
    if (at.y < SHEET_TEE_Y)
        add_come_arounds(b, about);
    if (mine) {
        if (in_house)
            add_guards_of(b, about);
        if (tee_distance_squared(at) > 0.3 * 0.3)
            candidate_add_raise(b, about, tee_plus(0.0, 0.0));
        return;
    }
    if (in_house) {
        if (candidate_may_remove(b, about))
            candidate_add_weak_take_outs(b, about);
        candidate_add_taps(b, about);
    }
}

int candidates_generate(const struct ice_profile *ice, const struct rules *rules,
                        const struct position *position, int stone,
                        struct candidate *ret_candidates, int most)
{
    struct vec2 tee = {SHEET_TEE_X, SHEET_TEE_Y};
    struct candidate_builder b = {
        .ice = ice,
        .rules = rules,
        .position = position,
        .table = glide_table(ice->law),
        .stone = stone,
        .most = most < CANDIDATES_MAX ? most : CANDIDATES_MAX,
        .reach = vec2_distance(ice->hack, tee),
        .max_speed = action_max_speed(ice),
        .max_run = action_max_run_m(ice),
        .candidates = ret_candidates,
    };
    /* Run grows about with the square of the speed, so twice the reach over the speed a m/s. */
    double tee_speed = aim_speed_to_run(ice, b.reach);
    b.across_per_speed = b.reach / tee_speed;
    b.along_per_speed = 2.0 * b.reach / tee_speed;

    unsigned own = seat_of_stone(stone) == SEAT_SENTE ? POSITION_SENTE_MASK : POSITION_GOTE_MASK;
    add_places(&b);
    add_through(&b);
    for (unsigned rest = position->in_play; rest; rest &= rest - 1) {
        int about = __builtin_ctz(rest);
        add_for_stone(&b, about, (own >> about) & 1);
    }
    for (unsigned others = position->in_play & ~own; others; others &= others - 1) {
        int other = __builtin_ctz(others);
        if (!candidate_may_remove(&b, other))
            continue;
        for (unsigned rest = position->in_play & ~(1u << other); rest; rest &= rest - 1) {
            int about = __builtin_ctz(rest);
            bool mine = (own >> about) & 1;
            if (!mine && !candidate_may_remove(&b, about))
                continue;
            if (!mine)
                candidate_add_double(&b, about, other);
            candidate_add_raise_take_out(&b, about, other);
        }
    }
    if (b.count == 0) { /* everything is walled up: at least one shot to play */
        const struct purpose purpose = {SHOT_DRAW, -1, -1, tee};
        struct shot shot;
        if (aim_draw(ice, tee, ice->spin, &shot) == AIM_OK)
            candidate_add(&b, &purpose, &shot);
    }
    return b.count;
}
