/* The aiming rules of the official sample programs. */
#include "models/ice/sample_shots.h"

#include "models/game/frame.h"
#include "models/ice/glide.h"
#include "models/ice/noise.h"

struct shot sample_dc2_draw(struct vec2 target, double omega)
{
    return (struct shot){noise_gat_draw(target, omega), omega};
}

/* The ordinate to which a power carries the line through the target, in the frame of Digital
 * Curling 2 (hog line 11.28, tee line 4.88, decreasing down the sheet). Piecewise linear. */
static double ordinate_of_power(double power)
{
    if (power <= 1.0)
        return 11.28 - 0.76 * power;
    if (power <= 3.0)
        return 10.52 - 1.52 * (power - 1.0);
    if (power <= 4.0)
        return 7.47 - 0.76 * (power - 3.0);
    if (power <= 10.0)
        return 6.71 - 0.61 * (power - 4.0);
    return 3.05 - 1.52 * (power - 10.0);
}

/* `velocity` turned by the angle from `from` to `to`. */
static struct vec2 turn(struct vec2 velocity, struct vec2 from, struct vec2 to)
{
    double scale = 1.0 / (vec2_length(from) * vec2_length(to));
    return vec2_turn(velocity, vec2_scale(scale, vec2_turn(to, vec2_conjugate(from))));
}

struct shot sample_dc2_hit(const struct ice_profile *ice, struct vec2 target, double power,
                           double omega)
{
    struct vec2 way = vec2_sub(target, ice->hack);
    double far_y = frame_dc2_point((struct vec2){0.0, ordinate_of_power(power)}).y;
    struct vec2 far = vec2_add(ice->hack, vec2_scale((far_y - ice->hack.y) / way.y, way));
    struct shot shot = sample_dc2_draw(far, omega);
    struct glide glide;

    if (!glide_of_shot(ice, &shot, &glide))
        return shot;
    const struct glide_table *table = glide_table(ice->law);
    double distance = vec2_length(way);
    /* More steps left to rest mean a smaller distance from the hack. */
    double near = glide.sigma, beyond = 0.0;
    for (int k = 0; k < 60; k++) {
        double middle = 0.5 * (near + beyond);
        if (vec2_distance(ice->hack, glide_position(table, &glide, middle)) > distance)
            beyond = middle;
        else
            near = middle;
    }
    struct vec2 passes = vec2_sub(glide_position(table, &glide, beyond), ice->hack);
    shot.velocity = turn(shot.velocity, passes, way);
    return shot;
}

/* The release speed of the Digital Curling 3 sample for a target `r` metres from the hack. */
static double release_speed(double r, double speed)
{
    double c0, c1, c2;
    if (speed <= 0.05) {
        c0 = 0.00050481 * r + 0.27562;
        c1 = -0.00046670 * log(r - 29.899) - 0.0014031;
        c2 = 0.13968688 * r + 0.41120940;
    } else {
        c0 = ((1.0833e-6 * r - 1.21329e-4) * r + 4.578093e-3) * r + 0.97670069;
        c1 = -0.07950648 * log(r - 8.228226) - 0.05601306;
        c2 = 0.14140440 * r + 0.38757825;
    }
    return sqrt((c0 * speed + c1) * speed + c2);
}

struct shot sample_fcv1_shot(const struct ice_profile *ice, struct vec2 target, double speed,
                             double omega)
{
    struct vec2 way = vec2_sub(target, ice->hack);
    struct shot shot = {{0.0, release_speed(vec2_length(way), speed)}, omega};
    struct glide glide;

    if (!glide_of_shot(ice, &shot, &glide))
        return shot;
    const struct glide_table *table = glide_table(ice->law);
    /* More steps left to rest mean a higher speed. */
    double slow = 0.0, fast = glide.sigma;
    for (int k = 0; k < 60; k++) {
        double middle = 0.5 * (slow + fast);
        if (vec2_length(glide_velocity(table, &glide, middle)) > speed)
            fast = middle;
        else
            slow = middle;
    }
    shot.velocity =
        turn(shot.velocity, vec2_sub(glide_position(table, &glide, slow), ice->hack), way);
    return shot;
}
