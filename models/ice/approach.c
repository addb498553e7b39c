/* The bounds by which the fast engine skips steps. Each is derived where it is used. */
#include "models/ice/approach.h"

static const double touch = 2.0 * ICE_STONE_RADIUS;

/* fmax() and fmin() handle NaN and are calls; these are one instruction each. */
static double larger(double a, double b)
{
    return a > b ? a : b;
}

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

static const double slack = APPROACH_SLACK;

/* Steps are rounded up from the tables' fractions; this covers their error (tests: < 0.015; in the
 * last 200 steps the error is under 1e-5 m, which the slack covers). */
static const double step_slack = 0.02;

/* First step after `step` at which `path` metres are covered. (At least one step later: callers
 * have just looked at `step`.) */
static int32_t step_after_path(const struct glide_table *table, int32_t step, double sigma,
                               double path_left, double path)
{
    double steps = sigma - glide_sigma_of_path(table, path_left - path) - step_slack;
    return step + 1 + (steps > 0.0 ? (int32_t)steps : 0);
}

void approach_hull(const struct glide *glide, struct approach_hull *ret_hull)
{
    struct vec2 way = vec2_sub(glide->rest, glide->from);
    double length = vec2_length(way);
    ret_hull->chord_length = length;
    ret_hull->chord = vec2_scale(1.0 / length, way);

    double turn = vec2_cross(glide->heading, glide->end_heading);
    double along = fabs(turn) > 1e-9 ? vec2_cross(way, glide->end_heading) / turn : 0.0;
    ret_hull->corner = vec2_add(glide->from, vec2_scale(along, glide->heading));
    ret_hull->side = glide->turn < 0.0 ? -1.0 : 1.0;
}

uint32_t approach_filter(const struct glide *glide, const struct approach_hull *hull,
                         const struct approach_places *places)
{
    const float from_x = (float)(glide->from.x - SHEET_TEE_X);
    const float from_y = (float)(glide->from.y - SHEET_TEE_Y);
    const float side = (float)hull->side, beyond = (float)hull->chord_length;
    const float ex = (float)glide->heading.x, ey = (float)glide->heading.y;
    const float fx = (float)glide->end_heading.x, fy = (float)glide->end_heading.y;
    const float cx = (float)hull->chord.x, cy = (float)hull->chord.y;
    float apart[POSITION_STONES];

    /* `apart` is the largest of three lower bounds of a place's distance from the path:
     *  - By (F2) the path is on the inner side of the start tangent and on the outer side of the
     *    chord (both one line where it is straight); a centre further than 2r on the wrong side of
     *    either is never within 2r of the path.
     *  - No point of the triangle is further along the chord than its end, since by (F1) the
     *    tangents make less than 90 degrees with it.
     *  - By (F1) every point of the path is from + a e + b f with a, b >= 0. If D points against
     *    both, |D - a e - b f|^2 = |D|^2 - 2a D.e - 2b D.f + |a e + b f|^2 >= |D|^2: the stone only
     * moves away, so |D| itself is such a bound.
     * Written in float32 and without branches so that the compiler takes four places at a time. On
     * 40 m of sheet float32 is good to some 1e-5 m; the slack is ten times that. */
    for (int k = 0; k < POSITION_STONES; k++) {
        float dx = places->x[k] - from_x, dy = places->y[k] - from_y;
        float outer = side * (ey * dx - ex * dy), inner = side * (cx * dy - cy * dx);
        float past = cx * dx + cy * dy - beyond;
        float ahead = ex * dx + ey * dy, ahead_end = fx * dx + fy * dy;
        float towards = ahead > ahead_end ? ahead : ahead_end;
        float near = dx * dx + dy * dy < (float)(touch * touch + 1e-3) ? 0.0f : 1e3f;
        float away = towards > 0.0f ? 0.0f : near;
        float most = outer > inner ? outer : inner;
        most = most > past ? most : past;
        apart[k] = most > away ? most : away;
    }
    uint32_t possible = 0;
    for (int k = 0; k < POSITION_STONES; k++)
        possible |= (uint32_t)(apart[k] <= (float)(touch + 1e-4)) << k;
    return possible;
}

int32_t approach_soonest(const struct glide_table *table, const struct glide *glide, struct vec2 at)
{
    /* The path to a place 2r from `at` is at least as long as the straight way: s >= |D| - 2r. */
    double gap = vec2_distance(glide->from, at) - touch;
    if (gap > glide->path + slack)
        return APPROACH_NEVER;
    return step_after_path(table, glide->start_step - 1, glide->sigma + 1.0, glide->path,
                           gap - slack);
}

int32_t approach_resting(const struct glide_table *table, const struct glide *glide, int32_t step,
                         struct vec2 at)
{
    double sigma = glide_sigma_at(glide, step);
    struct vec2 d = vec2_sub(at, glide_position(table, glide, sigma));
    double distance2 = vec2_dot(d, d), gap2 = distance2 - touch * touch;
    if (gap2 <= 0.0)
        return APPROACH_TOUCH;
    if (sigma <= 0.0)
        return APPROACH_NEVER;

    double left = glide_path_left(table, sigma), most = left + touch + slack;
    if (distance2 > most * most) /* s >= |D| - 2r, and only `left` metres remain */
        return APPROACH_NEVER;

    struct vec2 v = glide_velocity(table, glide, sigma);
    double per_speed = 1.0 / vec2_length(v);
    double ahead = per_speed * vec2_dot(v, d);                 /* a = D.e */
    double inner = per_speed * vec2_cross(v, d) * glide->turn; /* > 0: on the side it bends to */
    bool straight = sigma < glide->straight_sigma || glide->turn == 0.0;

    double hook = straight ? 0.0 : table->hook_path;

    /* Let g(s) = |D(s)|^2 - 4r^2 after s metres of path. g' = -2 D.e and
     *     g''/2 = 1 - k(s) l(s),    k = curvature, l = D's component towards the inner side,
     * and l' = -k D.e: l falls while the stone is ahead. On 0 <= s <= S therefore
     *     g''/2 >= c = 1 - k(S) max(0, l(0)),
     * by (F3), so g(s) >= gap2 - 2 a s + c s^2 there: no contact before the first root of that.
     * S = 1.25 a reaches past the stone; the last `hook` metres, where k is large, are left out. */
    if (ahead > 0.0) {
        double reach = smaller(1.25 * ahead, left - hook);
        double c = 1.0, path = 0.0;
        if (inner > 0.0 && !straight) {
            c -= inner * glide_curvature(table, left - reach);
            path = sqrt(distance2) - touch; /* if c is poor, the straight way is the better bound */
        }
        double root2 = ahead * ahead - c * gap2;
        if (root2 >= 0.0) {
            double s = gap2 / (ahead + sqrt(root2));
            path = larger(path, smaller(s, reach));
            return step_after_path(table, step, sigma, left, path - slack);
        }
        /* No root: no contact on 0..S. If S = 1.25 a and c >= 0.8, D.e has fallen to a - 0.8 S = 0
         * by then: the stone has passed. Otherwise go on from S. */
        if (c < 0.8 || reach < 1.25 * ahead)
            return step_after_path(table, step, sigma, left, larger(path, reach) - slack);
    }
    /* The stone is going away. D.e can rise again only where k l > 1; near enough to touch, l <=
     * 2r, so only where k > 1/(2r): in the last `hook` metres (where k 4r > 1, for room). */
    if (straight || vec2_distance(at, glide->rest) > touch + hook + slack)
        return APPROACH_NEVER;
    double gap = sqrt(distance2) - touch;
    return step_after_path(table, step, sigma, left, larger(gap, left - hook) - slack);
}

/* Safe upper bound of the acceleration (m/s^2) of a gliding stone: friction and curl together.
 * dc2: F sqrt(1 + A^2). FCV1: (A/B + C) G = 0.371 at rest, 0.0082 u^0.2 across. */
static double acceleration_limit(enum ice_law law)
{
    return law == ICE_DC2 ? 12.04 : 0.40;
}

/* Two gliding stones, seen at `step` from a to b along m = D/|D|. Let c_b be the least component of
 * b's headings along m and c_a the largest of a's. By (F1) they are at an end of the turn, except
 * that c_a is 1 where a turns through m. (If b turned through -m, both its ends would be negative.)
 * If c_a <= 0 and c_b >= 0 they part. If c_a > 0, then with speeds u(t) under one law of friction
 *     (D.m)' >= c u_b - c_a u_a,    c = min(c_b, c_a) > 0,
 * stays >= 0 once it is: at a zero of it u_b >= u_a, and a faster stone never decelerates more
 * (FCV1) or always equally (dc2), so the derivative there is >= 0 while a moves, and after a has
 * stopped the first term is alone. Then |D| >= D.m never falls below its present value. */
static bool parting(const struct glide *a, const struct glide *b, struct vec2 va, struct vec2 vb,
                    double speed_a, double speed_b, struct vec2 d)
{
    double ahead_a = vec2_dot(va, d), end_a = vec2_dot(a->end_heading, d);
    double ahead_b = vec2_dot(vb, d), end_b = vec2_dot(b->end_heading, d);
    double c_a = larger(ahead_a, end_a * speed_a);  /* times |D| u_a */
    double c_b = smaller(ahead_b, end_b * speed_b); /* times |D| u_b */
    if (c_b < 0.0)
        return false;
    if (c_a <= 0.0)
        return true;
    if (vec2_cross(va, d) * vec2_cross(a->end_heading, d) < 0.0)
        c_a = speed_a * vec2_length(d);
    return smaller(c_b, c_a * speed_b / speed_a) >= c_a;
}

int32_t approach_gliding(const struct glide_table *table, const struct glide *a,
                         const struct glide *b, int32_t step)
{
    double sigma_a = glide_sigma_at(a, step), sigma_b = glide_sigma_at(b, step);
    struct vec2 pa, pb, va, vb;
    glide_state(table, a, step, sigma_a, &pa, &va);
    glide_state(table, b, step, sigma_b, &pb, &vb);
    struct vec2 d = vec2_sub(pb, pa);
    double distance2 = vec2_dot(d, d);
    if (distance2 <= touch * touch)
        return APPROACH_TOUCH;

    double speed_a = vec2_length(va), speed_b = vec2_length(vb);
    if (parting(a, b, va, vb, speed_a, speed_b, d) ||
        parting(b, a, vb, va, speed_b, speed_a, vec2_scale(-1.0, d)))
        return APPROACH_NEVER;

    double gap = sqrt(distance2) - touch;
    if (gap > glide_path_left(table, sigma_a) + glide_path_left(table, sigma_b) + slack)
        return APPROACH_NEVER;

    /* With w the relative velocity now and B a bound on the relative acceleration,
     *     |D(t)| >= |D + w t| - B t^2 / 2.
     * Walk t forward by steps that stay below the first t at which the right side is 2r: from t on,
     * the right side falls at most like  gap - closing tau - B tau^2 / 2. */
    const double limit = 2.0 * acceleration_limit(table->law);
    struct vec2 w = vec2_sub(vb, va);
    double t = 0.0, length = gap + touch;
    struct vec2 at = d;
    for (int k = 0; k < 4; k++) {
        double now = length - touch - 0.5 * limit * t * t - slack;
        if (now <= 0.0)
            break;
        double opening = vec2_dot(at, w) / length - limit * t;
        double tau = (opening + sqrt(opening * opening + 2.0 * limit * now)) / limit;
        t += tau;
        if (tau < 0.5 * ICE_STEP_S)
            break;
        at = vec2_add(d, vec2_scale(t, w));
        length = vec2_length(at);
        if (length < touch)
            break;
    }
    double steps = t / ICE_STEP_S - step_slack;
    int32_t next = step + 1 + (steps > 0.0 ? (int32_t)smaller(steps, 1e8) : 0);
    /* After both have stopped they cannot touch. */
    int32_t stop = a->stop_step > b->stop_step ? a->stop_step : b->stop_step;
    return next > stop + 1 ? APPROACH_NEVER : next;
}

enum approach_fate approach_fate(const struct ice_profile *ice, const struct glide *glide,
                                 const struct approach_hull *hull)
{
    /* For each wall, y is the distance of a point beyond it: by (F2) the path does not cross a wall
     * that the triangle does not reach. It bends one way, so it meets a line at most twice; if it
     * ends beyond the line it meets it once and stays beyond. */
    bool leaves = false;
    for (int wall = 0; wall < (ice->back == ICE_REMOVE_MOVING ? 3 : 2); wall++) {
        double limit = wall < 2 ? ice->side_x : ice->back_y;
        double from = wall == 0 ? glide->from.x : wall == 1 ? -glide->from.x : glide->from.y;
        double rest = wall == 0 ? glide->rest.x : wall == 1 ? -glide->rest.x : glide->rest.y;
        double corner = wall == 0 ? hull->corner.x : wall == 1 ? -hull->corner.x : hull->corner.y;
        if (larger(larger(from, rest), corner) < limit - slack)
            continue;
        if (!(rest > limit + slack))
            return APPROACH_UNSURE;
        leaves = true;
    }
    return leaves ? APPROACH_LEAVES : APPROACH_STAYS;
}

int32_t approach_exit(const struct ice_profile *ice, const struct glide_table *table,
                      const struct glide *glide, int32_t step)
{
    double sigma = glide_sigma_at(glide, step);
    struct vec2 p = glide_position(table, glide, sigma);
    if (approach_is_out(ice, p))
        return APPROACH_TOUCH;
    if (sigma <= 0.0)
        return APPROACH_NEVER;

    /* To come `gap` metres nearer to a wall with outward normal n, a path whose headings satisfy
     * e.n <= c needs at least gap / c metres; by (F1) c is the larger of its two ends, or 1 where
     * it turns through n: then the ends are on either side of n. The slack is subtracted from the
     * gap: along a wall c is small, and a small error across is a long way along. */
    struct vec2 v = glide_velocity(table, glide, sigma), end = glide->end_heading;
    struct vec2 e = vec2_scale(1.0 / vec2_length(v), v);
    bool over_x = e.y * end.y < 0.0, over_y = e.x * end.x < 0.0; /* turns through +-x, +-y */
    double least = INFINITY;
    double c = larger(e.x, end.x);
    if (c > 0.0)
        least = smaller(least, (ice->side_x - p.x - slack) / (over_x ? 1.0 : c));
    c = larger(-e.x, -end.x);
    if (c > 0.0)
        least = smaller(least, (ice->side_x + p.x - slack) / (over_x ? 1.0 : c));
    c = larger(e.y, end.y);
    if (c > 0.0 && ice->back == ICE_REMOVE_MOVING)
        least = smaller(least, (ice->back_y - p.y - slack) / (over_y ? 1.0 : c));

    double left = glide_path_left(table, sigma);
    if (least > left + slack)
        return APPROACH_NEVER;
    return step_after_path(table, step, sigma, left, least);
}
