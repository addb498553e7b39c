/* Geometry of the shots worth considering. Places and weights follow the hand-made generators of
 * published programs; each stone's contacts are solved for the two spins separately.
 *
 * Weights of hits are named by how far the stone would run on behind the one it meets:
 *   touch 0.3 m, weak 1.7 m, middle 5 m, strong: the player's limit, action_max_speed(), less a
 *   little room. What would have to be thrown harder than that limit is left out. */
#include "workers/search/candidates.h"

#include "models/game/free_guard_zone.h"
#include "models/game/sheet.h"
#include "models/ice/action_grid.h"
#include "models/ice/aim.h"
#include "models/ice/throw.h"
#include "workers/search/shot_path.h"

#define TOUCH_M       0.3
#define NUDGE_M       0.8
#define WEAK_M        1.7
#define MIDDLE_M      5.0
#define STRONG_ROOM_M 0.05 /* left unused of the longest run at full weight: paths are bent */
#define STRONG        HUGE_VAL
#define PEEL_OFFSET_M 0.2 /* 44 degrees: both stones keep enough speed to leave */
#define CONTACT_M     (2.0 * STONE_RADIUS)
#define HOUSE_M       1.974 /* a stone this near to the tee touches the house */
#define THROUGH_M     2.5   /* beyond the tee line, to which a through has to be clear */
/* Of the square of its tangential speed a stone keeps this: friction passes on a sixth. */
#define SLID_ON        (25.0 / 36.0)
#define AROUND_ROOM_M  0.03 /* past the edge of the stone that is come around */
#define BEHIND_MIN_COS 0.3  /* a contact has to be at least so full: cosine of 72 degrees */

/* Two shots of one spin are the same if they differ by less than this, metres across and along at
 * the tee: a quarter of the standard deviations of a hand's error. */
#define SAME_ACROSS_M 0.018
#define SAME_ALONG_M  0.07

/* A blocked shot stays worth a try where this error across, metres at the tee, gets past: about one
 * standard deviation and a half. */
#define SLIP_M 0.1

struct builder {
    const struct ice_profile *ice;
    const struct rules *rules;
    const struct position *position;
    const struct glide_table *table;
    int stone, most, count;
    double reach;                             /* from the hack to the tee, m */
    double max_speed;                         /* of a release, m/s */
    double max_run;                           /* of such a release, m */
    double across_per_speed, along_per_speed; /* metres at the tee per m/s of a tee draw's error */
    struct candidate *candidates;
    struct {
        bool known, reached;
        struct vec2 heading;
    } strong[POSITION_STONES][2]; /* how full-weight shots of each spin come in at the stones */
};

/* What a shot is about, before it is aimed. */
struct purpose {
    enum shot_kind kind;
    int stone, other_stone;
    struct vec2 target;
};

static struct vec2 tee_plus(double x, double y)
{
    return (struct vec2){SHEET_TEE_X + x, SHEET_TEE_Y + y};
}

static struct vec2 turned(struct vec2 v, double angle)
{
    return vec2_turn(v, (struct vec2){cos(angle), sin(angle)});
}

static struct vec2 unit(struct vec2 v)
{
    return vec2_scale(1.0 / vec2_length(v), v);
}

/* --- The list --------------------------------------------------------------------------------- */

static bool have_alike(const struct builder *b, const struct shot *shot)
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

static void add(struct builder *b, const struct purpose *purpose, const struct shot *shot)
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
static bool is_open(const struct builder *b, const struct shot *shot, double until_left, int about)
{
    struct shot_path path;
    return shot_path_of(b->ice, shot, &path) &&
           shot_path_is_clear(&path, b->position, until_left, about, SLIP_M / b->reach);
}

static double spin_of(const struct builder *b, int side)
{
    return side == 0 ? b->ice->spin : -b->ice->spin;
}

/* --- Stones that come to rest ------------------------------------------------------------------
 */

static void add_rest(struct builder *b, enum shot_kind kind, int about, struct vec2 target)
{
    const struct purpose purpose = {kind, about, -1, target};

    if (!rules_area_has(&b->rules->play, target))
        return;
    for (int side = 0; side < 2; side++) {
        struct shot shot;
        /* A freeze comes as near to its stone as it was told. */
        if (aim_draw(b->ice, target, spin_of(b, side), &shot) == AIM_OK &&
            is_open(b, &shot, 0.0, kind == SHOT_FREEZE ? about : -1))
            add(b, &purpose, &shot);
    }
}

/* Draws: the tee, four points about the button, the sides of the four-foot circle, the ring 1.54 m
 * out every 45 degrees. Guards: centre guards at three depths, corner guards near and wide. */
static void add_places(struct builder *b)
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
static void add_through(struct builder *b)
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
            if (aim_pass(b->ice, place, aim_speed_to_run(b->ice, MIDDLE_M), spin_of(b, side),
                         &shot) == AIM_OK &&
                shot_path_of(b->ice, &shot, &path) &&
                shot_path_is_clear(&path, b->position, MIDDLE_M - THROUGH_M, -1, 0.0)) {
                add(b, &purpose, &shot);
                break;
            }
        }
}

/* In front of a stone of the house, and beside its front by 45 degrees. */
static void add_freezes(struct builder *b, int about)
{
    struct vec2 at = b->position->stone[about];
    struct vec2 back = unit(vec2_sub(b->ice->hack, at));

    for (int k = 0; k < 3; k++) {
        double angle = k == 0 ? 0.0 : k == 1 ? -0.25 * M_PI : 0.25 * M_PI;
        add_rest(b, SHOT_FREEZE, about,
                 vec2_add(at, vec2_scale(CONTACT_M + 0.02, turned(back, angle))));
    }
}

/* Behind a stone, on the line from the hack through it, if that is in the house. Where the path
 * does not bend enough to get round, the place is moved out to the side from which the stone comes
 * until it does: then it is covered in part. */
static void add_come_arounds(struct builder *b, int about)
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
            if (behind[k] < 2.0 * CONTACT_M || aim_draw(b->ice, target, omega, &shot) != AIM_OK ||
                !shot_path_of(b->ice, &shot, &path))
                continue;
            /* What bends to the left passes with the stone on its left. */
            double clear = shot_path_beside(&path, at, 0.0, &left) * (omega > 0.0 ? -1.0 : 1.0);
            double out =
                (CONTACT_M + AROUND_ROOM_M - clear) * b->reach / vec2_distance(b->ice->hack, at);
            if (out > 0.0)
                target.x += omega > 0.0 ? out : -out;
            const struct purpose purpose = {SHOT_COME_AROUND, about, -1, target};
            if (out < CONTACT_M && tee_distance_squared(target) < HOUSE_M * HOUSE_M &&
                (out <= 0.0 || aim_draw(b->ice, target, omega, &shot) == AIM_OK) &&
                is_open(b, &shot, 0.0, -1))
                add(b, &purpose, &shot);
        }
}

/* Guards of an own stone in the house: in front of it, on the line from the hack, if that is
 * outside the house. */
static void add_guards_of(struct builder *b, int about)
{
    struct vec2 at = b->position->stone[about];
    struct vec2 back = unit(vec2_sub(b->ice->hack, at));

    for (int k = 1; k <= 3; k++) {
        struct vec2 target = vec2_add(at, vec2_scale(k, back));
        if (target.y < SHEET_TEE_Y && tee_distance_squared(target) > HOUSE_M * HOUSE_M)
            add_rest(b, SHOT_GUARD, about, target);
    }
}

/* --- Stones that meet others -------------------------------------------------------------------
 */

/* The fastest a shot may meet a stone at `at`. */
static double strong_speed(const struct builder *b, struct vec2 at)
{
    double run = b->max_run - vec2_distance(b->ice->hack, at) - STRONG_ROOM_M;
    return aim_speed_to_run(b->ice, run);
}

/* How a shot of that speed and spin comes in at a place: the same for all contacts of a stone
 * there, to within 0.5 degrees. */
static bool heading_at(const struct builder *b, struct vec2 at, double speed, double omega,
                       struct vec2 *ret_heading)
{
    struct shot shot;
    struct shot_path path;

    if (aim_pass(b->ice, at, speed, omega, &shot) != AIM_OK || !shot_path_of(b->ice, &shot, &path))
        return false;
    *ret_heading = shot_path_heading(&path, shot_path_run(b->table, speed));
    return true;
}

/* The same for a strong hit on a stone, remembered. */
static bool strong_heading(struct builder *b, int about, int side, struct vec2 *ret_heading)
{
    if (!b->strong[about][side].known) {
        struct vec2 at = b->position->stone[about];
        b->strong[about][side].known = true;
        b->strong[about][side].reached = heading_at(b, at, strong_speed(b, at), spin_of(b, side),
                                                    &b->strong[about][side].heading);
    }
    *ret_heading = b->strong[about][side].heading;
    return b->strong[about][side].reached;
}

/* The shot that meets a stone so that the line from centre to centre has the direction `normal`;
 * false where it would be too hard or the way is blocked. */
static bool aim_contact(const struct builder *b, int about, struct vec2 normal, double speed,
                        double omega, struct shot *ret_shot)
{
    /* Engines see a touch at their next step, on average half a step's way too late. */
    double late = 0.5 * ICE_STEP_S * speed * normal.y;
    struct vec2 centre = vec2_sub(b->position->stone[about], vec2_scale(CONTACT_M - late, normal));
    return aim_pass(b->ice, centre, speed, omega, ret_shot) == AIM_OK &&
           vec2_length(ret_shot->velocity) <= b->max_speed &&
           is_open(b, ret_shot, shot_path_run(b->table, speed), about);
}

/* Friction of a contact that comes in at `angle` off its normal: the share of the approach speed
 * along the normal that goes into the tangent of the struck stone. A sticking contact of two discs
 * passes on a sixth of the tangential speed. */
static double passed_on(const struct builder *b, double angle)
{
    return fmin(tan(angle) / 6.0, b->ice->contact_friction);
}

/* Angle between heading and contact normal that sends the struck stone away at `angle` off the
 * heading (0 … 1.2 rad): friction drags it towards the heading. */
static double contact_angle(const struct builder *b, double angle)
{
    double contact = angle;
    for (int k = 0; k < 12; k++)
        contact = angle + atan(passed_on(b, fmin(contact, 1.4)));
    return contact;
}

/* Whether the free guard zone lets this stone be put out of play now. */
static bool may_remove(const struct builder *b, int stone)
{
    int shot = b->stone - 2 * b->rules->preplaced;
    if (shot >= b->rules->protected_shots)
        return true;
    return b->rules->protection != RULES_PROTECT_ALL_STONES &&
           !free_guard_zone_has(b->rules, b->position->stone[stone]);
}

struct weight {
    double run_m; /* behind the stone; STRONG */
    double past_m; /* … but enough for the struck stone to be so far beyond the back line; negative:
                    * not asked for */
    double offset_m;
    enum shot_kind kind;
};

/* The speed (m/s) of a row's hit on a stone at `at`. */
static double speed_of_weight(const struct builder *b, const struct weight *row, struct vec2 at)
{
    if (row->run_m == STRONG)
        return strong_speed(b, at);
    double run = row->run_m;
    if (row->past_m >= 0.0) {
        /* The struck stone gets the share of the run that goes with its share of the speed. */
        double sine = row->offset_m / CONTACT_M;
        run = fmax(run, (b->ice->back_y - at.y + row->past_m) / (1.0 - sine * sine));
    }
    return aim_speed_to_run(b->ice, run);
}

/* A hit on an opponent's stone for each row. Rows of the same run_m stand together: they share one
 * heading. */
static void add_hits(struct builder *b, int about, const struct weight *rows, int count)
{
    struct vec2 at = b->position->stone[about];

    for (int side = 0; side < 2; side++) {
        double omega = spin_of(b, side);
        struct vec2 heading = {0.0, 1.0};
        bool reached = false;
        for (int k = 0; k < count; k++) {
            double speed = speed_of_weight(b, &rows[k], at);
            if (k == 0 || rows[k].run_m != rows[k - 1].run_m)
                reached = heading_at(b, at, speed, omega, &heading);
            struct shot shot;
            /* A stone that comes from the right pushes to the left. Mirrored for the other spin, so
             * that mirror images stand in the same order. */
            double offset = side == 0 ? rows[k].offset_m : -rows[k].offset_m;
            double angle = asin(offset / CONTACT_M);
            struct vec2 normal = turned(heading, angle);
            struct purpose purpose = {rows[k].kind, about, -1, at};
            if (!reached)
                continue;
            if (rows[k].kind == SHOT_HIT_AND_ROLL) {
                /* The whole speed along the normal is given away, the rest runs on to the side. */
                double aside = speed * (sin(fabs(angle)) - cos(angle) * passed_on(b, fabs(angle)));
                struct vec2 way = turned(normal, angle > 0.0 ? -0.5 * M_PI : 0.5 * M_PI);
                purpose.target = vec2_add(vec2_sub(at, vec2_scale(CONTACT_M, normal)),
                                          vec2_scale(shot_path_run(b->table, aside), way));
                if (!rules_area_has(&b->rules->play, purpose.target))
                    continue;
            }
            if (aim_contact(b, about, normal, speed, omega, &shot))
                add(b, &purpose, &shot);
        }
    }
}

static const struct weight take_outs[] = {
    {MIDDLE_M, 1.5, 0.0, SHOT_HIT},
    {MIDDLE_M, 1.0, 0.12, SHOT_HIT_AND_ROLL},
    {MIDDLE_M, 1.0, -0.12, SHOT_HIT_AND_ROLL},
    {MIDDLE_M, 1.5, 0.06, SHOT_HIT},
    {MIDDLE_M, 1.5, -0.06, SHOT_HIT},
    {MIDDLE_M, 1.0, 0.19, SHOT_HIT_AND_ROLL},
    {MIDDLE_M, 1.0, -0.19, SHOT_HIT_AND_ROLL},
    {STRONG, -1.0, 0.0, SHOT_HIT},
    {STRONG, -1.0, 0.09, SHOT_HIT_AND_ROLL},
    {STRONG, -1.0, -0.09, SHOT_HIT_AND_ROLL},
    {STRONG, -1.0, PEEL_OFFSET_M, SHOT_PEEL},
    {STRONG, -1.0, -PEEL_OFFSET_M, SHOT_PEEL},
};

/* As weak as will just do, and taps: tried on stones in the house. */
static const struct weight weak_take_outs[] = {
    {WEAK_M, 0.5, 0.0, SHOT_HIT},
    {WEAK_M, 0.5, 0.15, SHOT_HIT_AND_ROLL},
    {WEAK_M, 0.5, -0.15, SHOT_HIT_AND_ROLL},
};

static const struct weight taps[] = {
    {TOUCH_M, -1.0, 0.0, SHOT_TAP_BACK},
    {NUDGE_M, -1.0, 0.0, SHOT_TAP_BACK},
};

#define COUNT(rows) ((int)(sizeof(rows) / sizeof(rows)[0]))

/* The contact normal that sends a stone at `at` away along `way`, for a shot that comes in with
 * `heading`; false when that would take too thin a contact. *ret_speed_share: speed of the struck
 * stone over that of the shot. */
static bool normal_to_send(const struct builder *b, struct vec2 heading, struct vec2 way,
                           struct vec2 *ret_normal, double *ret_speed_share)
{
    double angle = atan2(vec2_cross(heading, way), vec2_dot(heading, way));
    if (!(cos(angle) > BEHIND_MIN_COS))
        return false;
    double contact = contact_angle(b, fabs(angle));
    if (!(cos(contact) > BEHIND_MIN_COS))
        return false;
    *ret_normal = turned(heading, angle < 0.0 ? -contact : contact);
    double tangent = passed_on(b, contact);
    *ret_speed_share = cos(contact) * sqrt(1.0 + tangent * tangent);
    return true;
}

/* An own stone to the tee. Spin passed on by friction bends the way of the struck stone, so the
 * aim is corrected twice by what becomes of it on a sheet without other stones. */
static void add_raise(struct builder *b, int about, struct vec2 target)
{
    struct vec2 at = b->position->stone[about];
    const struct purpose purpose = {SHOT_RAISE, about, -1, target};
    struct position alone = {0};
    position_put(&alone, about, at);

    for (int side = 0; side < 2; side++) {
        double omega = spin_of(b, side), share;
        struct vec2 aim = target, heading, normal;
        struct shot shot;
        bool aimed = false;
        double speed = aim_speed_to_run(b->ice, vec2_distance(at, target));
        for (int round = 0; round < 3; round++) {
            struct vec2 way = vec2_sub(aim, at);
            struct throw_result result;
            aimed = heading_at(b, at, speed, omega, &heading) &&
                    normal_to_send(b, heading, unit(way), &normal, &share);
            if (!aimed)
                break;
            speed = aim_speed_to_run(b->ice, vec2_length(way)) / share;
            aimed = speed < b->max_speed && aim_contact(b, about, normal, speed, omega, &shot);
            if (!aimed || round == 2)
                break;
            const struct throw_request request = {
                .ice = b->ice, .before = &alone, .stone = b->stone, .shot = shot};
            if (throw_fast(&request, &result) != THROW_OK || !position_has(&result.after, about))
                break;
            aim = vec2_add(aim, vec2_sub(target, result.after.stone[about]));
        }
        if (aimed)
            add(b, &purpose, &shot);
    }
}

/* Whether a stone that slides straight from `from` to where `other` lies meets that one first;
 * `about` is the stone that slides, or that sets it going. */
static bool is_straight_open(const struct builder *b, struct vec2 from, int about, int other)
{
    struct vec2 way = vec2_sub(b->position->stone[other], from);
    double length = vec2_length(way);

    for (unsigned rest = b->position->in_play & ~(1u << about) & ~(1u << other); rest;
         rest &= rest - 1) {
        struct vec2 at = vec2_sub(b->position->stone[__builtin_ctz(rest)], from);
        double along = vec2_dot(at, way) / length;
        if (along > 0.0 && along < length && fabs(vec2_cross(way, at)) / length < CONTACT_M)
            return false;
    }
    return true;
}

/* One stone off the other, by the delivered stone's run along the tangent of the first contact: its
 * normal stands so that this run goes for the middle of `other`. */
static void add_double(struct builder *b, int about, int other)
{
    struct vec2 at = b->position->stone[about];
    struct vec2 between = vec2_sub(b->position->stone[other], at);
    double distance = vec2_length(between);
    if (!(distance > CONTACT_M + 0.05 && distance < 3.0))
        return;
    const struct purpose purpose = {SHOT_DOUBLE, about, other, at};
    double speed = strong_speed(b, at), off = acos(-CONTACT_M / distance);

    for (int side = 0; side < 2; side++) {
        struct vec2 heading;
        if (!strong_heading(b, about, side, &heading))
            continue;
        for (int hand = 0; hand < 2; hand++) {
            struct vec2 normal = turned(unit(between), hand == side ? off : -off);
            double fullness = vec2_dot(normal, heading);
            struct vec2 way = vec2_add(between, vec2_scale(CONTACT_M, normal));
            struct shot shot;
            /* The stones share the run that is left by the squares of their shares of the speed. */
            double run = shot_path_run(b->table, speed);
            double square = fullness * fullness;
            if (fullness > 0.0 && vec2_dot(way, heading) > 0.0 &&
                run * square > b->ice->back_y - at.y &&
                run * (1.0 - square) * SLID_ON >
                    distance + b->ice->back_y - b->position->stone[other].y &&
                is_straight_open(b, vec2_sub(at, vec2_scale(CONTACT_M, normal)), about, other) &&
                aim_contact(b, about, normal, speed, spin_of(b, side), &shot))
                add(b, &purpose, &shot);
        }
    }
}

/* Any stone sent into an opponent's. */
static void add_raise_take_out(struct builder *b, int about, int other)
{
    struct vec2 at = b->position->stone[about];
    struct vec2 way = vec2_sub(b->position->stone[other], at);
    double distance = vec2_length(way);
    if (!(distance > CONTACT_M && distance < 5.0 && way.y > 0.0) ||
        !is_straight_open(b, at, about, other))
        return;
    const struct purpose purpose = {SHOT_RAISE_TAKEOUT, about, other, b->position->stone[other]};
    double speed = strong_speed(b, at), share;

    for (int side = 0; side < 2; side++) {
        struct vec2 heading, normal;
        struct shot shot;
        if (strong_heading(b, about, side, &heading) &&
            normal_to_send(b, heading, unit(way), &normal, &share) && share > 0.5 &&
            aim_contact(b, about, normal, speed, spin_of(b, side), &shot))
            add(b, &purpose, &shot);
    }
}

/* --- All of them -------------------------------------------------------------------------------
 */

static void add_for_stone(struct builder *b, int about, bool mine)
{
    struct vec2 at = b->position->stone[about];
    bool in_house = tee_distance_squared(at) < HOUSE_M * HOUSE_M;

    if (at.y < SHEET_HOG_LINE_Y || at.y > b->ice->back_y)
        return; /* short of the hog line: dc2 clears it away before the throw */
    if (!mine && may_remove(b, about))
        add_hits(b, about, take_outs, COUNT(take_outs));
    if (in_house)
        add_freezes(b, about);
    if (at.y < SHEET_TEE_Y)
        add_come_arounds(b, about);
    if (mine) {
        if (in_house)
            add_guards_of(b, about);
        if (tee_distance_squared(at) > 0.3 * 0.3)
            add_raise(b, about, tee_plus(0.0, 0.0));
        return;
    }
    if (in_house) {
        if (may_remove(b, about))
            add_hits(b, about, weak_take_outs, COUNT(weak_take_outs));
        add_hits(b, about, taps, COUNT(taps));
    }
}

int candidates_generate(const struct ice_profile *ice, const struct rules *rules,
                        const struct position *position, int stone,
                        struct candidate *ret_candidates, int most)
{
    struct vec2 tee = {SHEET_TEE_X, SHEET_TEE_Y};
    struct builder b = {
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
        if (!may_remove(&b, other))
            continue;
        for (unsigned rest = position->in_play & ~(1u << other); rest; rest &= rest - 1) {
            int about = __builtin_ctz(rest);
            bool mine = (own >> about) & 1;
            if (!mine && !may_remove(&b, about))
                continue;
            if (!mine)
                add_double(&b, about, other);
            add_raise_take_out(&b, about, other);
        }
    }
    if (b.count == 0) { /* everything is walled up: at least one shot to play */
        const struct purpose purpose = {SHOT_DRAW, -1, -1, tee};
        struct shot shot;
        if (aim_draw(ice, tee, ice->spin, &shot) == AIM_OK)
            add(&b, &purpose, &shot);
    }
    return b.count;
}
