/* Importance sampling among neighbouring shots: O(pairs of neighbours). */
#include "workers/search/judge/reuse.h"

#include "workers/search/shots/kernel.h"

#include <math.h>
#include <stdlib.h>

/* Squared distance in standard deviations of the hand beyond which shots are no neighbours: of
 * executions within three deviations of the one next to none is within three of the other. */
#define NEIGHBOUR_SQUARE 36.0

struct execution {
    struct shot shot;
    double worth;
    double expected; /* sum over c of n_c p_c(shot) */
};

struct aimed_shot {
    struct kernel kernel; /* around where the hand throws without error */
    double peak;          /* of the density, but for 1 / 2 pi */
    int kept;
    struct execution execution[REUSE_KEPT];
};

struct reuse {
    int shots;
    struct aimed_shot *shot;
};

struct reuse *reuse_new(int shots)
{
    struct reuse *reuse = malloc(sizeof *reuse);
    if (!reuse)
        return NULL;
    reuse->shots = shots;
    reuse->shot = malloc((size_t)shots * sizeof *reuse->shot);
    if (!reuse->shot) {
        free(reuse);
        return NULL;
    }
    reuse_clear(reuse);
    return reuse;
}

void reuse_free(struct reuse *reuse)
{
    if (!reuse)
        return;
    free(reuse->shot);
    free(reuse);
}

void reuse_clear(struct reuse *reuse)
{
    for (int k = 0; k < reuse->shots; k++)
        reuse->shot[k].kept = 0;
}

void reuse_note(struct reuse *reuse, int number, const struct noise *noise,
                const struct ice_profile *ice, struct shot aimed, struct shot executed,
                double worth)
{
    struct aimed_shot *shot = &reuse->shot[number];

    if (shot->kept == REUSE_KEPT)
        return;
    if (shot->kept == 0) {
        /* A hand may have limits; its errors are around what these leave of the shot. */
        struct shot centre = noise_apply(noise, ice, aimed, (struct normal_pair){0.0, 0.0});
        shot->kernel = kernel_at(noise, centre);
        shot->peak = 1.0 / (shot->kernel.l11 * shot->kernel.l22);
    }
    shot->execution[shot->kept++] = (struct execution){.shot = executed, .worth = worth};
}

static double density(const struct aimed_shot *shot, struct shot executed)
{
    return shot->peak * kernel_density(&shot->kernel, executed);
}

static bool are_neighbours(const struct aimed_shot *a, const struct aimed_shot *b)
{
    const struct kernel *kernel = &a->kernel;
    double dx = b->kernel.centre.velocity.x - kernel->centre.velocity.x;
    double dy = b->kernel.centre.velocity.y - kernel->centre.velocity.y;

    return kernel->centre.omega == b->kernel.centre.omega &&
           kernel->xx * dx * dx + 2.0 * kernel->xy * dx * dy + kernel->yy * dy * dy <
               NEIGHBOUR_SQUARE;
}

void reuse_weigh(struct reuse *reuse, int number)
{
    struct aimed_shot *shot = &reuse->shot[number];

    for (int i = 0; i < shot->kept; i++)
        shot->execution[i].expected = 0.0;
    for (int c = 0; c < reuse->shots && shot->kept > 0; c++) {
        const struct aimed_shot *other = &reuse->shot[c];
        if (other->kept == 0 || !are_neighbours(other, shot))
            continue;
        for (int i = 0; i < shot->kept; i++)
            shot->execution[i].expected += other->kept * density(other, shot->execution[i].shot);
    }
}

bool reuse_mean(const struct reuse *reuse, int number, int samples, double *ret_mean,
                double *ret_error)
{
    const struct aimed_shot *shot = &reuse->shot[number];
    double sum = 0.0, sum_of_squares = 0.0, worth = 0.0, worth_squared = 0.0;

    for (int a = 0; a < reuse->shots && shot->kept > 0; a++) {
        const struct aimed_shot *other = &reuse->shot[a];
        if (other->kept == 0 || !are_neighbours(shot, other))
            continue;
        for (int i = 0; i < other->kept; i++) {
            const struct execution *execution = &other->execution[i];
            if (execution->expected <= 0.0) /* by its own shot alone, and far out there */
                continue;
            double w = density(shot, execution->shot) / execution->expected;
            sum += w;
            sum_of_squares += w * w;
            worth += w * execution->worth;
            worth_squared += w * execution->worth * execution->worth;
        }
    }
    if (sum_of_squares <= 0.0)
        return false;
    double effective = sum * sum / sum_of_squares;
    if (effective < REUSE_LEAST_EFFECTIVE || effective < samples)
        return false;
    double mean = worth / sum, variance = worth_squared / sum - mean * mean;
    *ret_mean = mean;
    *ret_error = variance > 0.0 ? sqrt(variance / (effective - 1.0)) : 0.0;
    return true;
}
