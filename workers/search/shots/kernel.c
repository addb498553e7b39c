/* Kernel sums, updated visit by visit: O(number of shots) each. */
#include "workers/search/shots/kernel.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

struct kernel kernel_at(const struct noise *noise, struct shot shot)
{
    struct noise_covariance c = noise_covariance_at(noise, shot);
    double least = KERNEL_LEAST_WIDTH * vec2_length(shot.velocity);
    if (least <= 0.0)
        least = KERNEL_LEAST_WIDTH;
    least *= least;

    double determinant = c.xx * c.yy - c.xy * c.xy;
    /* The smaller eigenvalue is at least determinant / trace; add the floor where it is missing. */
    if (!(determinant > least * (c.xx + c.yy))) {
        c.xx += least;
        c.yy += least;
        determinant = c.xx * c.yy - c.xy * c.xy;
    }
    double l11 = sqrt(c.xx), l21 = c.xy / l11;
    return (struct kernel){
        .centre = shot,
        .xx = c.yy / determinant,
        .xy = -c.xy / determinant,
        .yy = c.xx / determinant,
        .l11 = l11,
        .l21 = l21,
        .l22 = sqrt(determinant) / l11,
    };
}

static bool same_spin(double omega_a, double omega_b)
{
    return (omega_a > 0.0) == (omega_b > 0.0) && (omega_a < 0.0) == (omega_b < 0.0);
}

double kernel_density(const struct kernel *kernel, struct shot b)
{
    if (!same_spin(kernel->centre.omega, b.omega))
        return 0.0;
    double dx = b.velocity.x - kernel->centre.velocity.x;
    double dy = b.velocity.y - kernel->centre.velocity.y;
    double square = kernel->xx * dx * dx + 2.0 * kernel->xy * dx * dy + kernel->yy * dy * dy;
    return square > 100.0 ? 0.0 : exp(-0.5 * square); /* below 2e-22: count it as 0 */
}

struct shot kernel_shot_on_ellipse(const struct kernel *kernel, double radius, double turn)
{
    const double full_turn = 6.283185307179586;
    double a = radius * cos(full_turn * turn), b = radius * sin(full_turn * turn);
    struct shot shot = kernel->centre;
    shot.velocity.x += kernel->l11 * a;
    shot.velocity.y += kernel->l21 * a + kernel->l22 * b;
    return shot;
}

bool kernel_set_add(struct kernel_set *set, const struct kernel *kernel)
{
    if (set->count == set->capacity) {
        int capacity = set->capacity > 0 ? 2 * set->capacity : 16;
        struct kernel_point *point = realloc(set->point, (size_t)capacity * sizeof *set->point);
        if (!point)
            return false;
        set->point = point;
        set->capacity = capacity;
    }
    struct kernel_point new = {.kernel = *kernel};
    for (int k = 0; k < set->count; k++) {
        const struct kernel_point *other = &set->point[k];
        double density = kernel_density(kernel, other->kernel.centre);
        new.weight += density * other->visits;
        new.weighted_value += density * other->value_sum;
    }
    set->point[set->count++] = new;
    return true;
}

void kernel_set_record(struct kernel_set *set, int index, double value)
{
    struct kernel_point *visited = &set->point[index];
    assert(index >= 0 && index < set->count);
    visited->visits += 1.0;
    visited->value_sum += value;
    for (int k = 0; k < set->count; k++) {
        struct kernel_point *point = &set->point[k];
        double density = k == index ? 1.0 : kernel_density(&point->kernel, visited->kernel.centre);
        point->weight += density;
        point->weighted_value += density * value;
    }
}

double kernel_set_weight(const struct kernel_set *set, const struct kernel *kernel)
{
    double weight = 0.0;
    for (int k = 0; k < set->count; k++)
        weight += set->point[k].visits * kernel_density(kernel, set->point[k].kernel.centre);
    return weight;
}

double kernel_set_log_weights(const struct kernel_set *set)
{
    double sum = 0.0;
    for (int k = 0; k < set->count; k++)
        sum += set->point[k].weight;
    return sum > 1.0 ? log(sum) : 0.0;
}

void kernel_set_clear(struct kernel_set *set)
{
    free(set->point);
    *set = (struct kernel_set){0};
}
