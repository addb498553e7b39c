/* The particles of skill_hand.h. */
#include "workers/simulate/skill_hand.h"

#include "models/ice/random.h"
#include "workers/simulate/skill.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    EARLY_PARTICLES = 1000,
    LAST_PARTICLES = 6000,
    ROUNDS_MAX = 60,
    HALVINGS = 40, /* of the search for a power */
    TAIL = 6       /* degrees of freedom of the proposal; even */
};
#define COUNTING_SHARE 0.25 /* of the particles, when the power rises */
#define LEAST_RISE     1e-4 /* of the power */
#define WIDEN          1.3  /* covariance of a proposal over that of the particles */
#define FIRST_LOG      0.5  /* deviation of log s in the first proposal */
#define INVERSE_MOST   0.4  /* of 1/n */
#define HIT_DEVIATION  0.5  /* of log h */
#define RELEASE_PRIOR  0.5  /* deviation of r */
#define LOG_2PI        1.8378770664093454836

/* Parameters as they are sampled: log s0, log s1, 1/n, log h, r; those of the traits alone. */
struct fitting {
    int count;
    const struct skill_throw *throws;
    unsigned traits;
    int size, slot[SKILL_PARAMETERS]; /* parameter of each sampled number */
    double mean[SKILL_PARAMETERS], factor[SKILL_PARAMETERS][SKILL_PARAMETERS];
    double log_determinant; /* of `factor`, the lower Cholesky factor of the proposal */
    int particles;
    double (*x)[SKILL_PARAMETERS];
    double *log_likelihood, *log_rest /* log prior - log proposal */, *log_base, *weight;
    double log_first[2]; /* log s of the first proposal */
    uint64_t drawn;
};

/* ---- the density of a hand ---- */

/* As sampled, complete: without a trait its parameter is the one without effect. */
struct candidate_hand {
    double log_across, log_along, inverse_freedom, hit, release;
};

static struct candidate_hand hand_of(const struct fitting *fitting,
                                     const double x[SKILL_PARAMETERS])
{
    double value[SKILL_PARAMETERS] = {0.0};

    for (int k = 0; k < fitting->size; k++)
        value[fitting->slot[k]] = x[k];
    return (struct candidate_hand){value[SKILL_ACROSS], value[SKILL_ALONG], value[SKILL_FREEDOM],
                                   exp(value[SKILL_HIT]), value[SKILL_RELEASE]};
}

static double log_normal(double x, double deviation)
{
    double z = x / deviation;
    return -0.5 * z * z - log(deviation) - 0.5 * LOG_2PI;
}

static double log_prior(const struct fitting *fitting, const struct candidate_hand *hand)
{
    double sum = 0.0;

    if (fitting->traits & SKILL_TRAIT_STUDENT) {
        if (!(hand->inverse_freedom > 0.0 && hand->inverse_freedom < INVERSE_MOST))
            return -HUGE_VAL;
        sum -= log(INVERSE_MOST);
    }
    if (fitting->traits & SKILL_TRAIT_WEIGHT)
        sum += log_normal(log(hand->hit), HIT_DEVIATION);
    if (fitting->traits & SKILL_TRAIT_RELEASE)
        sum += log_normal(hand->release, RELEASE_PRIOR);
    return sum;
}

/* The logarithm of a product of numbers above 0, with few calls of log(). */
struct log_product {
    double log, product;
};

static inline void multiply(struct log_product *all, double factor)
{
    all->product *= factor;
    if (!(all->product < 1e100 && all->product > 1e-100)) {
        all->log += log(all->product);
        all->product = 1.0;
    }
}

static double log_likelihood(const struct fitting *fitting, const struct candidate_hand *hand)
{
    const double inverse = hand->inverse_freedom, across = exp(-hand->log_across),
                 along = exp(-hand->log_along);
    struct log_product factors = {0.0, 1.0}, tails = {0.0, 1.0};
    double squares = 0.0;

    for (int k = 0; k < fitting->count; k++) {
        const struct skill_throw *t = &fitting->throws[k];
        double f = 1.0 + (hand->hit - 1.0) * t->weight;
        double z0 = t->across * across - hand->release * t->turn, z1 = t->along * along;
        double square = (z0 * z0 + z1 * z1) / (f * f);
        multiply(&factors, f);
        if (inverse > 0.0)
            multiply(&tails, 1.0 + square * inverse);
        else
            squares += square;
    }
    double sum = inverse > 0.0 ? -0.5 * (1.0 / inverse + 2.0) * (tails.log + log(tails.product))
                               : -0.5 * squares;
    return sum - 2.0 * (factors.log + log(factors.product)) -
           fitting->count * (hand->log_across + hand->log_along + LOG_2PI);
}

/* log Gamma(twice / 2). Not lgamma(), which writes a global variable. */
static double log_gamma_half(int twice)
{
    double sum = twice % 2 ? 0.57236494292470008707 : 0.0; /* log sqrt(pi) */

    for (int k = twice % 2 ? 1 : 2; k < twice; k += 2)
        sum += log(0.5 * k);
    return sum;
}

/* ---- the proposal ---- */

/* Standard normal numbers and the stretch that makes them Student's t with TAIL degrees. */
static double draw(struct fitting *fitting, double ret_z[SKILL_PARAMETERS])
{
    const struct random_key key = {.seed = 20221, .purpose = RANDOM_CHOICE};
    double product = 1.0;

    for (int k = 0; k < fitting->size; k += 2) {
        const struct normal_pair pair = random_normal_pair(&key, fitting->drawn++);
        ret_z[k] = pair.z0;
        if (k + 1 < fitting->size)
            ret_z[k + 1] = pair.z1;
    }
    for (int k = 0; k < TAIL / 2; k++)
        product *= random_uniform(&key, fitting->drawn++);
    return sqrt(TAIL / (-2.0 * log(product))); /* chi-squared with TAIL degrees of freedom */
}

static double log_proposal(const struct fitting *fitting, const double t[SKILL_PARAMETERS])
{
    double square = 0.0, size = fitting->size;

    for (int k = 0; k < fitting->size; k++)
        square += t[k] * t[k];
    return log_gamma_half(TAIL + fitting->size) - log_gamma_half(TAIL) -
           0.5 * size * log(TAIL * 3.14159265358979323846) - fitting->log_determinant -
           0.5 * (TAIL + size) * log1p(square / TAIL);
}

static void draw_particles(struct fitting *fitting, int particles)
{
    fitting->particles = particles;
    for (int p = 0; p < particles; p++) {
        double t[SKILL_PARAMETERS];
        double stretch = draw(fitting, t);
        for (int k = 0; k < fitting->size; k++)
            t[k] *= stretch;
        for (int row = 0; row < fitting->size; row++) {
            fitting->x[p][row] = fitting->mean[row];
            for (int column = 0; column <= row; column++)
                fitting->x[p][row] += fitting->factor[row][column] * t[column];
        }
        const struct candidate_hand hand = hand_of(fitting, fitting->x[p]);
        double prior = log_prior(fitting, &hand);
        fitting->log_rest[p] = prior - log_proposal(fitting, t);
        fitting->log_likelihood[p] = isfinite(prior) ? log_likelihood(fitting, &hand) : 0.0;
        fitting->log_base[p] = log_normal(hand.log_across - fitting->log_first[0], FIRST_LOG) +
                               log_normal(hand.log_along - fitting->log_first[1], FIRST_LOG);
    }
}

/* Makes the mean and the covariance of the weighed particles those of the proposal. A covariance
 * that rounding has made flat keeps a least width. */
static void follow_particles(struct fitting *fitting)
{
    double c[SKILL_PARAMETERS][SKILL_PARAMETERS] = {{0.0}}, mean[SKILL_PARAMETERS] = {0.0};

    for (int p = 0; p < fitting->particles; p++)
        for (int k = 0; k < fitting->size; k++)
            mean[k] += fitting->weight[p] * fitting->x[p][k];
    for (int p = 0; p < fitting->particles; p++)
        for (int row = 0; row < fitting->size; row++)
            for (int column = 0; column <= row; column++)
                c[row][column] += WIDEN * fitting->weight[p] * (fitting->x[p][row] - mean[row]) *
                                  (fitting->x[p][column] - mean[column]);
    fitting->log_determinant = 0.0;
    for (int row = 0; row < fitting->size; row++) {
        fitting->mean[row] = mean[row];
        for (int column = 0; column <= row; column++) {
            double rest = c[row][column];
            for (int k = 0; k < column; k++)
                rest -= fitting->factor[row][k] * fitting->factor[column][k];
            fitting->factor[row][column] =
                column < row ? rest / fitting->factor[column][column] : sqrt(fmax(rest, 1e-12));
        }
        fitting->log_determinant += log(fitting->factor[row][row]);
    }
}

/* ---- weights ---- */

/* Weighs the particles by the likelihood to this power, and by the base to the rest of 1: without
 * the likelihood the flat prior would let them run away. Returns how many count (the effective
 * number), and the logarithm of the mean weight. */
static double weigh(struct fitting *fitting, double power, double *ret_log_mean)
{
    double most = -HUGE_VAL, sum = 0.0, squares = 0.0;

    for (int p = 0; p < fitting->particles; p++) {
        fitting->weight[p] = fitting->log_rest[p] + power * fitting->log_likelihood[p] +
                             (1.0 - power) * fitting->log_base[p];
        most = fmax(most, fitting->weight[p]);
    }
    for (int p = 0; p < fitting->particles; p++) {
        fitting->weight[p] = exp(fitting->weight[p] - most);
        sum += fitting->weight[p];
        squares += fitting->weight[p] * fitting->weight[p];
    }
    for (int p = 0; p < fitting->particles; p++)
        fitting->weight[p] /= sum;
    *ret_log_mean = most + log(sum / fitting->particles);
    return sum * sum / squares;
}

/* Weighs with the largest power from `power` to 1 at which enough particles count; returns it. */
static double raise_power(struct fitting *fitting, double power)
{
    double low = power, high = 1.0, ignored;
    const double enough = COUNTING_SHARE * fitting->particles;

    if (weigh(fitting, 1.0, &ignored) >= enough)
        return 1.0;
    for (int k = 0; k < HALVINGS; k++) {
        double middle = 0.5 * (low + high);
        if (weigh(fitting, middle, &ignored) >= enough)
            low = middle;
        else
            high = middle;
    }
    low = fmin(fmax(low, power + LEAST_RISE), 1.0);
    weigh(fitting, low, &ignored);
    return low;
}

/* ---- results ---- */

struct weighed {
    double x, weight;
};

static int by_value(const void *a, const void *b)
{
    const struct weighed *x = a, *y = b;
    return (x->x > y->x) - (x->x < y->x);
}

static double quantile(const struct weighed *sorted, int count, double share)
{
    double sum = 0.0;
    int k = 0;

    while (k < count - 1 && sum + sorted[k].weight < share)
        sum += sorted[k++].weight;
    return sorted[k].x;
}

/* A sampled number as the parameter. */
static double parameter_of(int slot, double x)
{
    return slot == SKILL_RELEASE ? x : slot == SKILL_FREEDOM ? 1.0 / x : exp(x);
}

static void read_intervals(const struct fitting *fitting, struct weighed *room,
                           struct skill_fit *fit)
{
    for (int k = 0; k < fitting->size; k++) {
        int slot = fitting->slot[k];
        struct skill_interval *found = &fit->parameter[slot];
        for (int p = 0; p < fitting->particles; p++)
            room[p] = (struct weighed){fitting->x[p][k], fitting->weight[p]};
        qsort(room, (size_t)fitting->particles, sizeof *room, by_value);
        found->low = parameter_of(slot, quantile(room, fitting->particles, 0.025));
        found->value = parameter_of(slot, quantile(room, fitting->particles, 0.5));
        found->high = parameter_of(slot, quantile(room, fitting->particles, 0.975));
        if (found->low > found->high) { /* 1/n falls as n rises */
            double low = found->low;
            found->low = found->high;
            found->high = low;
        }
    }
}

static void choose_slots(struct fitting *fitting)
{
    const unsigned trait[SKILL_PARAMETERS] = {[SKILL_FREEDOM] = SKILL_TRAIT_STUDENT,
                                              [SKILL_HIT] = SKILL_TRAIT_WEIGHT,
                                              [SKILL_RELEASE] = SKILL_TRAIT_RELEASE};

    for (int k = 0; k < SKILL_PARAMETERS; k++)
        if (!trait[k] || (fitting->traits & trait[k]))
            fitting->slot[fitting->size++] = k;
}

/* Wide, about a normal hand. */
static void propose_first(struct fitting *fitting)
{
    double squares[2] = {0.0, 0.0};
    const double mean[SKILL_PARAMETERS] = {[SKILL_FREEDOM] = 0.5 * INVERSE_MOST};
    const double width[SKILL_PARAMETERS] = {FIRST_LOG, FIRST_LOG, 0.5 * INVERSE_MOST, HIT_DEVIATION,
                                            RELEASE_PRIOR};

    for (int k = 0; k < fitting->count; k++) {
        squares[0] += fitting->throws[k].across * fitting->throws[k].across;
        squares[1] += fitting->throws[k].along * fitting->throws[k].along;
    }
    for (int k = 0; k < 2; k++)
        fitting->log_first[k] = 0.5 * log(squares[k] / fitting->count);
    for (int k = 0; k < fitting->size; k++) {
        int slot = fitting->slot[k];
        fitting->mean[k] = slot <= SKILL_ALONG ? fitting->log_first[slot] : mean[slot];
        fitting->factor[k][k] = width[slot];
        fitting->log_determinant += log(width[slot]);
    }
}

static void run_filter(struct fitting *fitting, struct skill_fit *fit)
{
    double power = 0.0;

    propose_first(fitting);
    for (int round = 0; round < ROUNDS_MAX && power < 1.0; round++) {
        draw_particles(fitting, EARLY_PARTICLES);
        power = raise_power(fitting, power);
        follow_particles(fitting);
    }
    draw_particles(fitting, EARLY_PARTICLES);
    weigh(fitting, 1.0, &fit->log_evidence);
    follow_particles(fitting);
    draw_particles(fitting, LAST_PARTICLES);
    weigh(fitting, 1.0, &fit->log_evidence);
}

/* The normal hand: chi-squared, and a product of gamma functions. */
static void fit_normal(const struct fitting *fitting, struct skill_fit *fit)
{
    double squares[2] = {0.0, 0.0}, n = fitting->count;

    for (int k = 0; k < fitting->count; k++) {
        squares[0] += fitting->throws[k].across * fitting->throws[k].across;
        squares[1] += fitting->throws[k].along * fitting->throws[k].along;
    }
    for (int k = 0; k < 2; k++) {
        fit->parameter[k] = skill_deviation(fitting->count, squares[k]);
        fit->log_evidence +=
            log_gamma_half(fitting->count) - log(2.0) - 0.5 * n * (log(0.5 * squares[k]) + LOG_2PI);
    }
}

bool skill_fit_hand(int count, const struct skill_throw *throws, unsigned traits,
                    struct skill_fit *ret_fit)
{
    struct fitting fitting = {.count = count, .throws = throws, .traits = traits};
    struct weighed *room;

    *ret_fit = (struct skill_fit){.log_evidence = 0.0};
    if (traits == 0) {
        fit_normal(&fitting, ret_fit);
        return true;
    }
    fitting.x = calloc(LAST_PARTICLES, sizeof *fitting.x);
    fitting.log_likelihood = calloc(4 * LAST_PARTICLES, sizeof(double));
    room = calloc(LAST_PARTICLES, sizeof *room);
    bool good = fitting.x && fitting.log_likelihood && room;
    if (good) {
        fitting.log_rest = fitting.log_likelihood + LAST_PARTICLES;
        fitting.log_base = fitting.log_rest + LAST_PARTICLES;
        fitting.weight = fitting.log_base + LAST_PARTICLES;
        choose_slots(&fitting);
        run_filter(&fitting, ret_fit);
        read_intervals(&fitting, room, ret_fit);
    }
    free(room);
    free(fitting.log_likelihood);
    free(fitting.x);
    return good;
}
