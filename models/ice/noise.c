/* Execution noise of the three official kinds of players, and of any covariance. */
#include "models/ice/noise.h"

#include "models/game/sheet.h"
#include "models/ice/random.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Digital Curling 2's rule for a draw: aim beside the target by the expected curl, 1.22 m at the
 * tee plus 3.35 cm for each metre beyond it, and turn by as much; then start with the speed that
 * reaches that point in a straight line. In that simulator's frame, for the spin that bends to its
 * +x: (x - 1.22 + 0.0335 (y - tee_y), y - 0.0335 (x - tee_x)). Here the same in the shot frame,
 * where it bends to -x. The delivery point is that simulator's, 36.4 m from the tee. */
#define DRAW_CURL_AT_TEE  1.22
#define DRAW_CURL_SLOPE   0.0335
#define DRAW_DELIVERY_Y   (SHEET_TEE_Y - 36.4)
#define DRAW_DECELERATION ICE_DC2_DECELERATION

static double sign(double x)
{
    return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : 0.0;
}

/* Vector from the delivery point to the point of aim of a draw. */
static struct vec2 draw_aim(struct vec2 target, double spin)
{
    double x = target.x - SHEET_TEE_X;
    double beyond_tee = target.y - SHEET_TEE_Y;

    return (struct vec2){target.x + spin * (DRAW_CURL_AT_TEE + DRAW_CURL_SLOPE * beyond_tee) -
                             SHEET_TEE_X,
                         target.y - spin * DRAW_CURL_SLOPE * x - DRAW_DELIVERY_Y};
}

/* v = unit(aim) sqrt(2 F |aim|) = k aim with this k. */
static double draw_scale(struct vec2 aim)
{
    return sqrt(2.0 * DRAW_DECELERATION / vec2_length(aim));
}

struct vec2 noise_gat_draw(struct vec2 target, double omega)
{
    struct vec2 aim = draw_aim(target, sign(omega));
    return vec2_scale(draw_scale(aim), aim);
}

struct noise noise_default(const struct ice_profile *ice, enum ice_noise kind)
{
    return (struct noise){.kind = kind, .settings = noise_settings_default(ice)};
}

struct noise noise_asked(const struct ice_profile *ice, const struct noise_settings *asked)
{
    struct noise noise = noise_default(ice, ice->noise);

    for (int k = 0; noise_setting_at(k); k++)
        if (!isnan(noise_setting_of(asked, k)))
            *noise_setting_value(&noise.settings, k) = noise_setting_of(asked, k);
    return noise;
}

/* Written so that NaN fails, like the checks below. */
static bool is_stddev(double x)
{
    return x >= 0.0 && isfinite(x);
}

static bool is_covariance(const struct noise_covariance *c)
{
    /* A matrix of rank one, computed as a product, may miss det = 0 by rounding. */
    const double slack = 1.0 + 1e-12;

    return is_stddev(c->xx) && is_stddev(c->yy) && c->xy * c->xy <= slack * c->xx * c->yy;
}

/* Whether the setting at this place of struct noise is within its range; no limit is, where that is
 * the default. */
#define IN_RANGE(noise, name, suffix) \
    is_in_range(&(noise)->settings,   \
                offsetof(struct noise_settings, name##_##suffix) / sizeof(double))

static bool is_in_range(const struct noise_settings *settings, size_t index)
{
    const struct noise_setting *setting = noise_setting_at((int)index);
    double value = noise_setting_of(settings, (int)index);

    return (value >= setting->least && value <= setting->most) || value == setting->initial;
}

static enum noise_status check_people(const struct noise *noise)
{
    if (!IN_RANGE(noise, degrees_of_freedom, count))
        return NOISE_BAD_DEGREES_OF_FREEDOM;
    if (!IN_RANGE(noise, hit_factor, ratio))
        return NOISE_BAD_HIT_FACTOR;
    if (!IN_RANGE(noise, release, deviations))
        return NOISE_BAD_RELEASE;
    if (noise->kind == ICE_NOISE_NORMAL_DIST && !IN_RANGE(noise, stddev_spin, share))
        return NOISE_BAD_STDDEV_SPIN;
    return NOISE_OK;
}

enum noise_status noise_check(const struct noise *noise)
{
    switch (noise->kind) {
    case ICE_NOISE_NONE:
        return NOISE_OK;
    case ICE_NOISE_GAT:
        if (!is_stddev(noise->gat_stddev_x_m))
            return NOISE_BAD_GAT_STDDEV_X;
        if (!is_stddev(noise->gat_stddev_y_m))
            return NOISE_BAD_GAT_STDDEV_Y;
        return check_people(noise);
    case ICE_NOISE_NORMAL_DIST:
        if (!is_stddev(noise->stddev_speed_mps))
            return NOISE_BAD_STDDEV_SPEED;
        if (!is_stddev(noise->stddev_angle_rad))
            return NOISE_BAD_STDDEV_ANGLE;
        if (!(noise->max_speed_mps >= 0.0))
            return NOISE_BAD_MAX_SPEED;
        if (!is_stddev(noise->min_omega_radps) ||
            !(noise->max_omega_radps >= noise->min_omega_radps))
            return NOISE_BAD_OMEGA_RANGE;
        return check_people(noise);
    case ICE_NOISE_COVARIANCE:
        return is_covariance(&noise->covariance) ? NOISE_OK : NOISE_BAD_COVARIANCE;
    case ICE_NOISE_PEOPLE:
        break;
    }
    return NOISE_BAD_KIND;
}

const char *noise_status_text(enum noise_status status)
{
    static const char *const texts[] = {
#define X(name, text) [name] = text,
        NOISE_STATUSES(X)
#undef X
    };
    return texts[status];
}

/* Digital Curling 2 subtracts the draw to the disturbed target. Its frame is ours turned by 180
 * degrees, so e there is -e here. */
static struct vec2 gat_error(const struct noise *noise, double omega, struct normal_pair pair)
{
    struct vec2 tee = {SHEET_TEE_X, SHEET_TEE_Y};
    struct vec2 e = {noise->gat_stddev_x_m * pair.z0, noise->gat_stddev_y_m * pair.z1};

    return vec2_sub(noise_gat_draw(tee, omega), noise_gat_draw(vec2_sub(tee, e), omega));
}

/* First order of the above: the derivative of the draw at the tee times e. With v = k a, k =
 * sqrt(2F/|a|): dv/da = k (1 - u u'/2), u the heading of the aim a; da/dtarget = a turn and stretch
 * by (1, -spin slope). */
static struct noise_covariance gat_covariance(const struct noise *noise, double omega)
{
    double spin = sign(omega);
    struct vec2 aim = draw_aim((struct vec2){SHEET_TEE_X, SHEET_TEE_Y}, spin);
    struct vec2 u = vec2_scale(1.0 / vec2_length(aim), aim);
    struct vec2 turn = {1.0, -spin * DRAW_CURL_SLOPE};
    struct vec2 column[2] = {vec2_turn((struct vec2){noise->gat_stddev_x_m, 0.0}, turn),
                             vec2_turn((struct vec2){0.0, noise->gat_stddev_y_m}, turn)};
    struct noise_covariance sum = {0.0, 0.0, 0.0};

    for (int k = 0; k < 2; k++) {
        struct vec2 along = vec2_scale(0.5 * vec2_dot(u, column[k]), u);
        struct vec2 v = vec2_scale(draw_scale(aim), vec2_sub(column[k], along));
        sum.xx += v.x * v.x;
        sum.xy += v.x * v.y;
        sum.yy += v.y * v.y;
    }
    return sum;
}

/* A shot with its velocity as speed and heading; without speed it heads down the sheet. */
struct polar_shot {
    double speed;
    struct vec2 heading;
    double omega;
};

/* Limits a shot to a normal_dist player's range. NaN stays NaN. */
static struct polar_shot limited_shot(const struct noise *noise, struct shot shot)
{
    struct polar_shot limited = {vec2_length(shot.velocity), {0.0, 1.0}, shot.omega};

    if (limited.speed != 0.0)
        limited.heading = vec2_scale(1.0 / limited.speed, shot.velocity);
    if (limited.speed > noise->max_speed_mps)
        limited.speed = noise->max_speed_mps;
    if (fabs(shot.omega) < noise->min_omega_radps)
        limited.omega = shot.omega < 0.0 ? -noise->min_omega_radps : noise->min_omega_radps;
    else if (fabs(shot.omega) > noise->max_omega_radps)
        limited.omega = shot.omega < 0.0 ? -noise->max_omega_radps : noise->max_omega_radps;
    return limited;
}

/* Cuts the speed, so that noise alone never makes a shot that the engines refuse. */
static struct vec2 cut_speed(const struct ice_profile *ice, double speed_before, struct vec2 noisy)
{
    /* Just inside, as the length of the cut vector is rounded. */
    const double inside = 1.0 - 1e-15;
    double speed = vec2_length(noisy);

    if (speed > ice->max_speed && speed_before <= ice->max_speed)
        return vec2_scale(inside * ice->max_speed / speed, noisy);
    return noisy;
}

/* Cuts the turn in the same way. */
static struct shot cut_turn(const struct ice_profile *ice, const struct shot *before,
                            struct shot noisy)
{
    double most, of_before;

    if (ice_shot_check(ice, &noisy, &most) == ICE_SHOT_TURNS_TOO_FAST &&
        ice_shot_check(ice, before, &of_before) == ICE_SHOT_GOOD)
        noisy.omega = copysign(most, noisy.omega);
    return noisy;
}

/* ---- people ---- */

bool noise_is_of_people(const struct noise *noise)
{
    return (noise->kind == ICE_NOISE_GAT || noise->kind == ICE_NOISE_NORMAL_DIST) &&
           (noise->degrees_of_freedom_count != HUGE_VAL || noise->hit_factor_ratio != 1.0 ||
            noise->release_deviations != 0.0 ||
            (noise->kind == ICE_NOISE_NORMAL_DIST && noise->stddev_spin_share != 0.0));
}

double noise_weight(const struct noise *noise, struct shot shot)
{
    double speed = vec2_length(shot.velocity);

    if (noise->kind == ICE_NOISE_NORMAL_DIST && speed > noise->max_speed_mps)
        speed = noise->max_speed_mps;
    double weight =
        (speed - noise->draw_speed_mps) / (noise->hit_speed_mps - noise->draw_speed_mps);
    return weight > 1.0 ? 1.0 : weight > 0.0 ? weight : 0.0;
}

static double factor_at(const struct noise *noise, struct shot shot)
{
    return 1.0 + (noise->hit_factor_ratio - 1.0) * noise_weight(noise, shot);
}

/* From |z|^2 of a normal pair: the factor that makes it one of Student's t. */
static double student_stretch(double freedom, double square)
{
    double stretched = freedom * expm1(square / freedom);

    if (stretched > NOISE_DEVIATIONS_MOST * NOISE_DEVIATIONS_MOST)
        stretched = NOISE_DEVIATIONS_MOST * NOISE_DEVIATIONS_MOST;
    return sqrt(stretched / square);
}

/* The pair as the hand of a person errs. */
static struct normal_pair people_pair(const struct noise *noise, struct shot shot,
                                      struct normal_pair pair)
{
    double factor = factor_at(noise, shot), square = pair.z0 * pair.z0 + pair.z1 * pair.z1;

    if (square == 0.0)
        return pair;
    if (noise->degrees_of_freedom_count != HUGE_VAL)
        factor *= student_stretch(noise->degrees_of_freedom_count, square);
    return (struct normal_pair){factor * pair.z0 - noise->release_deviations * sign(shot.omega),
                                factor * pair.z1};
}

/* A third standard normal number out of a pair; the same for its mirror image. */
static double third_normal(struct normal_pair pair)
{
    const double z[2] = {fabs(pair.z0), pair.z1};
    uint64_t bits[2];

    memcpy(bits, z, sizeof bits);
    uint64_t x = bits[0] * 0x9e3779b97f4a7c15u + bits[1];
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u; /* the finish of SplitMix64 */
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return normal_quantile(random_unit(x ^ (x >> 31)));
}

static double people_spin(const struct noise *noise, double omega, struct normal_pair pair)
{
    const double least = 0.05;

    if (noise->stddev_spin_share == 0.0 || (pair.z0 == 0.0 && pair.z1 == 0.0))
        return omega;
    double factor = 1.0 + noise->stddev_spin_share * third_normal(pair);
    return omega * (factor > least ? factor : least);
}

/* A normal hand with the second moments of this one. */
static struct noise moments_at(const struct noise *noise, struct shot shot)
{
    struct noise same = *noise;
    double square = factor_at(noise, shot), freedom = noise->degrees_of_freedom_count;

    square *= square;
    if (freedom < NOISE_FREEDOM_LEAST)
        freedom = NOISE_FREEDOM_LEAST;
    if (freedom != HUGE_VAL)
        square *= freedom / (freedom - 2.0);
    double along = sqrt(square),
           across = sqrt(square + noise->release_deviations * noise->release_deviations);
    same.gat_stddev_x_m *= across;
    same.gat_stddev_y_m *= along;
    same.stddev_angle_rad *= across;
    same.stddev_speed_mps *= along;
    return same;
}

/* ---- a shot with its error ---- */

static struct shot apply_normal_dist(const struct noise *noise, const struct ice_profile *ice,
                                     struct shot shot, struct normal_pair pair)
{
    struct polar_shot limited = limited_shot(noise, shot);
    double speed = limited.speed + noise->stddev_speed_mps * pair.z1;
    double angle = -noise->stddev_angle_rad * pair.z0;

    if (speed < 0.0)
        speed = 0.0;
    struct vec2 heading = vec2_turn(limited.heading, (struct vec2){cos(angle), sin(angle)});
    return (struct shot){cut_speed(ice, limited.speed, vec2_scale(speed, heading)), limited.omega};
}

/* L z with L L' = c. */
static struct vec2 correlated(const struct noise_covariance *c, struct normal_pair pair)
{
    double lxx = sqrt(c->xx);
    double lyx = lxx > 0.0 ? c->xy / lxx : 0.0;
    double rest = c->yy - lyx * lyx;
    double lyy = rest > 0.0 ? sqrt(rest) : 0.0;

    return (struct vec2){lxx * pair.z0, lyx * pair.z0 + lyy * pair.z1};
}

struct shot noise_apply(const struct noise *noise, const struct ice_profile *ice, struct shot shot,
                        struct normal_pair pair)
{
    const struct normal_pair drawn = pair;
    struct shot noisy;
    struct vec2 error;

    assert(noise_check(noise) == NOISE_OK);
    if (noise_is_of_people(noise))
        pair = people_pair(noise, shot, pair);
    switch (noise->kind) {
    case ICE_NOISE_GAT:
        error = gat_error(noise, shot.omega, pair);
        break;
    case ICE_NOISE_COVARIANCE:
        error = correlated(&noise->covariance, pair);
        break;
    case ICE_NOISE_NORMAL_DIST:
        noisy = apply_normal_dist(noise, ice, shot, pair);
        noisy.omega = people_spin(noise, noisy.omega, drawn);
        return cut_turn(ice, &shot, noisy);
    case ICE_NOISE_NONE:
    default:
        return shot;
    }
    noisy = (struct shot){
        cut_speed(ice, vec2_length(shot.velocity), vec2_add(shot.velocity, error)), shot.omega};
    return cut_turn(ice, &shot, noisy);
}

struct noise_covariance noise_covariance_at(const struct noise *noise, struct shot shot)
{
    struct noise moments;

    if (noise_is_of_people(noise)) {
        moments = moments_at(noise, shot);
        noise = &moments;
    }
    switch (noise->kind) {
    case ICE_NOISE_GAT:
        return gat_covariance(noise, shot.omega);
    case ICE_NOISE_COVARIANCE:
        return noise->covariance;
    case ICE_NOISE_NORMAL_DIST: {
        struct polar_shot limited = limited_shot(noise, shot);
        struct vec2 u = limited.heading;
        double across = limited.speed * noise->stddev_angle_rad;
        double aa = across * across;
        double ll = noise->stddev_speed_mps * noise->stddev_speed_mps;
        return (struct noise_covariance){ll * u.x * u.x + aa * u.y * u.y, (ll - aa) * u.x * u.y,
                                         ll * u.y * u.y + aa * u.x * u.x};
    }
    case ICE_NOISE_NONE:
    default:
        return (struct noise_covariance){0.0, 0.0, 0.0};
    }
}

/* Newton's method on the error of a unit deviation: it is nearly linear. */
static bool gat_errors(double omega, struct vec2 wanted, double ret_errors[NOISE_ERRORS])
{
    enum { STEPS = 30 };
    const double step = 1e-6, close = 1e-11;
    const struct noise unit = {.kind = ICE_NOISE_GAT, .gat_stddev_x_m = 1.0, .gat_stddev_y_m = 1.0};
    struct normal_pair e = {0.0, 0.0};

    for (int k = 0; k < STEPS; k++) {
        struct vec2 here = gat_error(&unit, omega, e), rest = vec2_sub(wanted, here);
        if (vec2_length(rest) < close) {
            ret_errors[0] = e.z0;
            ret_errors[1] = e.z1;
            return true;
        }
        struct vec2 dx =
            vec2_sub(gat_error(&unit, omega, (struct normal_pair){e.z0 + step, e.z1}), here);
        struct vec2 dy =
            vec2_sub(gat_error(&unit, omega, (struct normal_pair){e.z0, e.z1 + step}), here);
        double determinant = (dx.x * dy.y - dx.y * dy.x) / step;
        e.z0 += (rest.x * dy.y - rest.y * dy.x) / determinant;
        e.z1 += (dx.x * rest.y - dx.y * rest.x) / determinant;
        if (!isfinite(e.z0) || !isfinite(e.z1))
            return false;
    }
    return false;
}

bool noise_errors(const struct noise *noise, struct shot intended, struct shot thrown,
                  double ret_errors[NOISE_ERRORS])
{
    if (noise->kind == ICE_NOISE_GAT)
        return gat_errors(intended.omega, vec2_sub(thrown.velocity, intended.velocity), ret_errors);
    if (noise->kind != ICE_NOISE_NORMAL_DIST)
        return false;
    struct polar_shot meant = limited_shot(noise, intended);
    double speed = vec2_length(thrown.velocity);
    if (!(speed > 0.0) || !isfinite(speed))
        return false; /* without speed there is no angle */
    double across = meant.heading.x * thrown.velocity.y - meant.heading.y * thrown.velocity.x;
    ret_errors[0] = speed - meant.speed;
    ret_errors[1] = atan2(across, vec2_dot(meant.heading, thrown.velocity));
    return isfinite(ret_errors[0]) && isfinite(ret_errors[1]);
}
