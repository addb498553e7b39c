/* Shots that meet other stones: contacts solved for each stone, weight and spin.
 *
 * A weight is named by how far the stone would run on past the stone that it meets: touch 0.3 m,
 * nudge 0.8 m, weak 1.7 m, middle 5 m; strong is the player's limit, action_max_speed(), less a
 * small margin. */
#include "workers/search/shots/candidate_builder.h"

#include "models/ice/aim.h"
#include "models/ice/throw.h"

#define TOUCH_M       0.3
#define NUDGE_M       0.8
#define WEAK_M        1.7
#define STRONG        HUGE_VAL
#define STRONG_ROOM_M 0.05 /* margin below the longest run at full weight: paths are bent */
#define PEEL_OFFSET_M 0.2  /* 44 degrees: both stones keep enough speed to leave */
#define LEAST_FULL    0.3  /* the thinnest contact: cosine of 72 degrees */
/* The share of its squared tangential speed that a stone keeps: friction passes on a sixth of the
 * speed. */
#define SLID_ON (25.0 / 36.0)

/* Returns the highest speed at which a shot can meet a stone at `at`. */
static double strong_speed(const struct candidate_builder *b, struct vec2 at)
{
    double run = b->max_run - vec2_distance(b->ice->hack, at) - STRONG_ROOM_M;
    return aim_speed_to_run(b->ice, run);
}

/* The heading with which a shot of this speed and spin reaches a place. It is the same, within 0.5
 * degrees, for all contacts with a stone there. */
static bool heading_at(const struct candidate_builder *b, struct vec2 at, double speed,
                       double omega, struct vec2 *ret_heading)
{
    struct shot shot;
    struct shot_path path;

    if (aim_pass(b->ice, at, speed, omega, &shot) != AIM_OK || !shot_path_of(b->ice, &shot, &path))
        return false;
    *ret_heading = shot_path_heading(&path, shot_path_run(b->table, speed));
    return true;
}

/* The same for a strong hit on a stone; each result is cached. */
static bool strong_heading(struct candidate_builder *b, int about, int side,
                           struct vec2 *ret_heading)
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

/* Aims a shot at a stone so that the line from centre to centre has the direction `normal`. False
 * where the shot would be too hard or its path is blocked. */
static bool aim_contact(const struct candidate_builder *b, int about, struct vec2 normal,
                        double speed, double omega, struct shot *ret_shot)
{
    /* Engines detect a contact at the next step: on average half a step late. */
    double late = 0.5 * ICE_STEP_S * speed * normal.y;
    struct vec2 centre =
        vec2_sub(b->position->stone[about], vec2_scale(CANDIDATE_CONTACT_M - late, normal));
    return aim_pass(b->ice, centre, speed, omega, ret_shot) == AIM_OK &&
           vec2_length(ret_shot->velocity) <= b->max_speed &&
           candidate_is_open(b, ret_shot, shot_path_run(b->table, speed), about);
}

/* Friction of a contact at `angle` off its normal. Returns the tangential speed passed to the
 * struck stone, as a share of the approach speed along the normal. A sticking contact of two discs
 * passes on a sixth of the tangential speed. */
static double passed_on(const struct candidate_builder *b, double angle)
{
    return fmin(tan(angle) / 6.0, b->ice->contact_friction);
}

/* Returns the angle between heading and contact normal that sends the struck stone away at `angle`
 * off the heading (0 … 1.2 rad): friction drags it towards the heading. */
static double contact_angle(const struct candidate_builder *b, double angle)
{
    double contact = angle;
    for (int k = 0; k < 12; k++)
        contact = angle + atan(passed_on(b, fmin(contact, 1.4)));
    return contact;
}

/* Rows of one kind of hits and with the same run_m are adjacent: they share one heading. */
static const struct weight {
    enum candidate_hits hits;
    double run_m;  /* past the stone, or STRONG */
    double past_m; /* the struck stone must run at least this far beyond the back line; negative: no
                      minimum */
    double offset_m;
    enum shot_kind kind;
} weights[] = {
    {CANDIDATE_TAKE_OUTS, CANDIDATE_MIDDLE_M, 1.5, 0.0, SHOT_HIT},
    {CANDIDATE_TAKE_OUTS, CANDIDATE_MIDDLE_M, 1.0, 0.12, SHOT_HIT_AND_ROLL},
    {CANDIDATE_TAKE_OUTS, CANDIDATE_MIDDLE_M, 1.0, -0.12, SHOT_HIT_AND_ROLL},
    {CANDIDATE_TAKE_OUTS, CANDIDATE_MIDDLE_M, 1.5, 0.06, SHOT_HIT},
    {CANDIDATE_TAKE_OUTS, CANDIDATE_MIDDLE_M, 1.5, -0.06, SHOT_HIT},
    {CANDIDATE_TAKE_OUTS, CANDIDATE_MIDDLE_M, 1.0, 0.19, SHOT_HIT_AND_ROLL},
    {CANDIDATE_TAKE_OUTS, CANDIDATE_MIDDLE_M, 1.0, -0.19, SHOT_HIT_AND_ROLL},
    {CANDIDATE_TAKE_OUTS, STRONG, -1.0, 0.0, SHOT_HIT},
    {CANDIDATE_TAKE_OUTS, STRONG, -1.0, 0.09, SHOT_HIT_AND_ROLL},
    {CANDIDATE_TAKE_OUTS, STRONG, -1.0, -0.09, SHOT_HIT_AND_ROLL},
    {CANDIDATE_TAKE_OUTS, STRONG, -1.0, PEEL_OFFSET_M, SHOT_PEEL},
    {CANDIDATE_TAKE_OUTS, STRONG, -1.0, -PEEL_OFFSET_M, SHOT_PEEL},
    {CANDIDATE_WEAK_TAKE_OUTS, WEAK_M, 0.5, 0.0, SHOT_HIT},
    {CANDIDATE_WEAK_TAKE_OUTS, WEAK_M, 0.5, 0.15, SHOT_HIT_AND_ROLL},
    {CANDIDATE_WEAK_TAKE_OUTS, WEAK_M, 0.5, -0.15, SHOT_HIT_AND_ROLL},
    {CANDIDATE_TAPS, TOUCH_M, -1.0, 0.0, SHOT_TAP_BACK},
    {CANDIDATE_TAPS, NUDGE_M, -1.0, 0.0, SHOT_TAP_BACK},
};

enum { WEIGHTS = sizeof weights / sizeof weights[0] };

/* Returns the speed (m/s) of a row's hit on a stone at `at`. */
static double speed_of_weight(const struct candidate_builder *b, const struct weight *row,
                              struct vec2 at)
{
    if (row->run_m == STRONG)
        return strong_speed(b, at);
    double run = row->run_m;
    if (row->past_m >= 0.0) {
        /* The struck stone's share of the run follows from its share of the speed. */
        double sine = row->offset_m / CANDIDATE_CONTACT_M;
        run = fmax(run, (b->ice->back_y - at.y + row->past_m) / (1.0 - sine * sine));
    }
    return aim_speed_to_run(b->ice, run);
}

void candidate_add_hits(struct candidate_builder *b, int about, enum candidate_hits hits)
{
    struct vec2 at = b->position->stone[about];

    for (int side = 0; side < 2; side++) {
        const struct weight *before = NULL;
        double omega = spin_of(b, side);
        struct vec2 heading = {0.0, 1.0};
        bool reached = false;
        for (const struct weight *row = weights; row < weights + WEIGHTS; row++) {
            if (row->hits != hits)
                continue;
            double speed = speed_of_weight(b, row, at);
            if (!before || row->run_m != before->run_m)
                reached = heading_at(b, at, speed, omega, &heading);
            before = row;
            struct shot shot;
            /* A stone that comes from the right pushes to the left. The other spin is mirrored, so
             * that mirror images have the same order. */
            double offset = side == 0 ? row->offset_m : -row->offset_m;
            double angle = asin(offset / CANDIDATE_CONTACT_M);
            struct vec2 normal = turned(heading, angle);
            struct purpose purpose = {row->kind, about, -1, at};
            if (!reached)
                continue;
            if (row->kind == SHOT_HIT_AND_ROLL) {
                /* The struck stone takes the speed along the normal; the rest carries the delivered
                 * stone sideways. */
                double aside = speed * (sin(fabs(angle)) - cos(angle) * passed_on(b, fabs(angle)));
                struct vec2 way = turned(normal, angle > 0.0 ? -0.5 * M_PI : 0.5 * M_PI);
                purpose.target = vec2_add(vec2_sub(at, vec2_scale(CANDIDATE_CONTACT_M, normal)),
                                          vec2_scale(shot_path_run(b->table, aside), way));
                if (!rules_area_has(&b->rules->play, purpose.target))
                    continue;
            }
            if (aim_contact(b, about, normal, speed, omega, &shot))
                candidate_add(b, &purpose, &shot);
        }
    }
}

/* Finds the contact normal that sends a stone at `at` away along `way`, for a shot that arrives
 * with `heading`. False when the contact would be too thin. *ret_speed_share is the speed of the
 * struck stone over that of the shot. */
static bool normal_to_send(const struct candidate_builder *b, struct vec2 heading, struct vec2 way,
                           struct vec2 *ret_normal, double *ret_speed_share)
{
    double angle = atan2(vec2_cross(heading, way), vec2_dot(heading, way));
    if (!(cos(angle) > LEAST_FULL))
        return false;
    double contact = contact_angle(b, fabs(angle));
    if (!(cos(contact) > LEAST_FULL))
        return false;
    *ret_normal = turned(heading, angle < 0.0 ? -contact : contact);
    double tangent = passed_on(b, contact);
    *ret_speed_share = cos(contact) * sqrt(1.0 + tangent * tangent);
    return true;
}

/* Raises an own stone to `target`. Spin passed on by friction bends the path of the struck stone,
 * so the aim is corrected twice, by where that stone ends on a sheet without other stones. */
void candidate_add_raise(struct candidate_builder *b, int about, struct vec2 target)
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
            candidate_add(b, &purpose, &shot);
    }
}

/* True if a stone that slides straight from `from` towards `other` meets no other stone first.
 * Ignores `about`: the sliding stone, or the one that sets it moving. */
static bool is_straight_open(const struct candidate_builder *b, struct vec2 from, int about,
                             int other)
{
    struct vec2 way = vec2_sub(b->position->stone[other], from);
    double length = vec2_length(way);

    for (unsigned rest = b->position->in_play & ~(1u << about) & ~(1u << other); rest;
         rest &= rest - 1) {
        struct vec2 at = vec2_sub(b->position->stone[__builtin_ctz(rest)], from);
        double along = vec2_dot(at, way) / length;
        if (along > 0.0 && along < length &&
            fabs(vec2_cross(way, at)) / length < CANDIDATE_CONTACT_M)
            return false;
    }
    return true;
}

/* Removes two stones with one shot. After the first contact the delivered stone runs along the
 * tangent; the contact normal is chosen so that this run points at the centre of `other`. */
void candidate_add_double(struct candidate_builder *b, int about, int other)
{
    struct vec2 at = b->position->stone[about];
    struct vec2 between = vec2_sub(b->position->stone[other], at);
    double distance = vec2_length(between);
    if (!(distance > CANDIDATE_CONTACT_M + 0.05 && distance < 3.0))
        return;
    const struct purpose purpose = {SHOT_DOUBLE, about, other, at};
    double speed = strong_speed(b, at), off = acos(-CANDIDATE_CONTACT_M / distance);

    for (int side = 0; side < 2; side++) {
        struct vec2 heading;
        if (!strong_heading(b, about, side, &heading))
            continue;
        for (int hand = 0; hand < 2; hand++) {
            struct vec2 normal = turned(unit(between), hand == side ? off : -off);
            double fullness = vec2_dot(normal, heading);
            struct vec2 way = vec2_add(between, vec2_scale(CANDIDATE_CONTACT_M, normal));
            struct shot shot;
            /* The remaining run is shared by the squares of the shares of the speed. */
            double run = shot_path_run(b->table, speed);
            double square = fullness * fullness;
            if (fullness > 0.0 && vec2_dot(way, heading) > 0.0 &&
                run * square > b->ice->back_y - at.y &&
                run * (1.0 - square) * SLID_ON >
                    distance + b->ice->back_y - b->position->stone[other].y &&
                is_straight_open(b, vec2_sub(at, vec2_scale(CANDIDATE_CONTACT_M, normal)), about,
                                 other) &&
                aim_contact(b, about, normal, speed, spin_of(b, side), &shot))
                candidate_add(b, &purpose, &shot);
        }
    }
}

/* Sends any stone into an opponent's. */
void candidate_add_raise_take_out(struct candidate_builder *b, int about, int other)
{
    struct vec2 at = b->position->stone[about];
    struct vec2 way = vec2_sub(b->position->stone[other], at);
    double distance = vec2_length(way);
    if (!(distance > CANDIDATE_CONTACT_M && distance < 5.0 && way.y > 0.0) ||
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
            candidate_add(b, &purpose, &shot);
    }
}
