/* The posterior of a hand that stays. skill_drift.c has the one that changes. */
#include "workers/simulate/skill.h"

#include "models/ice/aim.h"
#include "models/ice/noise.h"
#include "models/tables/profiles.h"
#include "workers/simulate/skill_hand.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The posterior of u = log(s / rms): its density is exp(-n u - n (exp(-2u) - 1) / 2). */
static double density(int count, double u)
{
    return exp(-count * (u + 0.5 * expm1(-2.0 * u)));
}

struct skill_interval skill_deviation(int count, double squares)
{
    enum { CELLS = 4000 };
    static const double share[] = {0.025, 0.5, 0.975};
    /* 12 deviations on both sides; on the right the density falls like exp(-n u). */
    const double width = 12.0 / sqrt(2.0 * count), step = 2.0 * width / CELLS;
    double sum[CELLS + 1], found[3], rms = sqrt(squares / count);

    assert(count > 0);
    sum[0] = 0.0;
    for (int k = 0; k < CELLS; k++)
        sum[k + 1] = sum[k] + density(count, -width + (k + 0.5) * step);
    for (int q = 0, k = 0; q < 3; q++) {
        double wanted = share[q] * sum[CELLS];
        while (k + 1 < CELLS && sum[k + 1] < wanted)
            k++;
        found[q] = rms * exp(-width + step * (k + (wanted - sum[k]) / (sum[k + 1] - sum[k])));
    }
    return (struct skill_interval){.low = found[0], .value = found[1], .high = found[2]};
}

/* The errors of all throws. */
struct errors {
    const struct skill_query *query;
    const struct ice_profile *ice;
    double *error[SKILL_SETTINGS]; /* one block with spin_error */
    double *spin_error;            /* shares */
    bool spin_errs;                /* all thrown rates of turn are told, and one differs */
    struct skill_throw *throw, *some;
};

static enum skill_status refuse(const struct skill_query *query, int index, const char *member,
                                const char *text, struct scene_error *ret_error)
{
    char field[64];

    snprintf(field, sizeof field, "shots[%d].%s", index, member);
    scene_error_set(ret_error, &query->id, field, "%s", text);
    return SKILL_BAD_FIELD;
}

static enum skill_status read_error(struct errors *errors, int index, struct scene_error *ret_error)
{
    const struct skill_query *query = errors->query;
    const struct skill_shot *shot = &query->shot[index];
    const struct noise noise = noise_default(errors->ice, errors->ice->noise);
    const char *member = shot->has_rest ? "rest" : "thrown";
    struct shot thrown = shot->thrown;
    double error[NOISE_ERRORS];

    if (shot->has_rest &&
        aim_pass(errors->ice, shot->rest, 0.0, shot->called.omega, &thrown) != AIM_OK)
        return refuse(query, index, member, "no throw comes to rest there", ret_error);
    if (!noise_errors(&noise, shot->called, thrown, error))
        return refuse(query, index, member, "cannot be the called shot with an error of a hand",
                      ret_error);
    for (int k = 0; k < SKILL_SETTINGS; k++) {
        if (!(fabs(error[k]) <= noise_setting_at(skill_setting(noise.kind, k))->most))
            return refuse(query, index, member, "is too far from the called shot", ret_error);
        errors->error[k][index] = error[k];
    }
    const bool is_gat = noise.kind == ICE_NOISE_GAT;
    const double omega = shot->called.omega;
    errors->throw[index] = (struct skill_throw){
        .across = is_gat ? error[0] : -error[1], /* the angle counts to the left */
        .along = is_gat ? error[1] : error[0],
        .weight = noise_weight(&noise, shot->called),
        .turn = omega > 0.0   ? -1.0 /* curls to the left */
                : omega < 0.0 ? 1.0
                              : 0.0};
    errors->spin_error[index] = shot->has_rest || omega == 0.0 ? 0.0 : thrown.omega / omega - 1.0;
    return SKILL_OK;
}

/* ---- a hand in settings of the noise ---- */

static int setting_named(const char *name)
{
    int index = 0;

    while (strcmp(noise_setting_at(index)->name, name) != 0)
        index++;
    return index;
}

/* Keeps a value within the range that queries may set. */
static double in_range(int index, double value)
{
    const struct noise_setting *setting = noise_setting_at(index);
    return fmin(fmax(value, setting->least), setting->most);
}

static void add_setting(struct skill_hand *hand, int index, const struct skill_interval *interval)
{
    hand->setting[hand->settings] = index;
    hand->value[hand->settings++] =
        (struct skill_interval){.value = in_range(index, interval->value),
                                .low = in_range(index, interval->low),
                                .high = in_range(index, interval->high)};
}

static double sum_of_squares(int count, const double *x)
{
    double sum = 0.0;

    for (int k = 0; k < count; k++)
        sum += x[k] * x[k];
    return sum;
}

static void set_hand(const struct errors *errors, unsigned traits, const struct skill_fit *fit,
                     struct skill_hand *ret_hand)
{
    const enum ice_noise kind = errors->ice->noise;
    static const struct {
        unsigned trait;
        const char *name;
        int parameter;
    } rows[] = {{SKILL_TRAIT_STUDENT, "degrees_of_freedom", SKILL_FREEDOM},
                {SKILL_TRAIT_WEIGHT, "hit_factor", SKILL_HIT},
                {SKILL_TRAIT_RELEASE, "release", SKILL_RELEASE}};

    *ret_hand = (struct skill_hand){.settings = 0};
    for (int k = 0; k < SKILL_SETTINGS; k++) {
        bool is_across = kind == ICE_NOISE_GAT ? k == 0 : k == 1;
        add_setting(ret_hand, skill_setting(kind, k),
                    &fit->parameter[is_across ? SKILL_ACROSS : SKILL_ALONG]);
    }
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++)
        if (traits & rows[k].trait)
            add_setting(ret_hand, setting_named(rows[k].name), &fit->parameter[rows[k].parameter]);
}

/* Adds the deviation of the spin, where there is one to see. */
static void add_spin(const struct errors *errors, struct skill_hand *hand)
{
    const struct skill_query *query = errors->query;

    if (!errors->spin_errs)
        return;
    const struct skill_interval spin =
        skill_deviation(query->count, sum_of_squares(query->count, errors->spin_error));
    add_setting(hand, setting_named("stddev_spin"), &spin);
}

/* ---- the answer ---- */

/* Whether some throw errs across, and some along. */
static bool errs(const struct skill_throw *throws, int count)
{
    double across = 0.0, along = 0.0;

    for (int k = 0; k < count; k++) {
        across += throws[k].across * throws[k].across;
        along += throws[k].along * throws[k].along;
    }
    return across > 0.0 && along > 0.0;
}

/* The hand of the shots of a kind. Returns false when memory is short. */
static bool fit_kind(const struct errors *errors, int kind, unsigned traits,
                     struct skill_answer *answer)
{
    struct skill_fit fit;
    int count = 0;

    for (int k = 0; k < errors->query->count; k++)
        if (errors->query->shot[k].kind == kind)
            errors->some[count++] = errors->throw[k];
    answer->kind_shots[kind] = count;
    if (count < SKILL_SHOTS_LEAST)
        return true;
    /* One kind of shot has one weight; without errors there is nothing to tell hands apart by. */
    traits = errs(errors->some, count) ? traits & ~(unsigned)SKILL_TRAIT_WEIGHT : 0;
    if (!skill_fit_hand(count, errors->some, traits, &fit))
        return false;
    set_hand(errors, traits, &fit, &answer->of_kind[kind]);
    return true;
}

static int by_probability(const void *a, const void *b)
{
    const struct skill_comparison *x = a, *y = b;
    return x->probability != y->probability
               ? (y->probability > x->probability) - (y->probability < x->probability)
               : x->hand - y->hand;
}

/* The traits that the throws can show: draws alone say nothing of hits. */
static unsigned shown_traits(const struct errors *errors)
{
    const double least = 0.25; /* between the lightest and the heaviest throw */
    double light = 1.0, heavy = 0.0, turns = 0.0;

    for (int k = 0; k < errors->query->count; k++) {
        light = fmin(light, errors->throw[k].weight);
        heavy = fmax(heavy, errors->throw[k].weight);
        turns += fabs(errors->throw[k].turn);
    }
    return SKILL_TRAIT_STUDENT | (heavy - light >= least ? SKILL_TRAIT_WEIGHT : 0u) |
           (turns > 0.0 ? SKILL_TRAIT_RELEASE : 0u);
}

static bool compare(const struct errors *errors, struct skill_answer *answer)
{
    const unsigned shown = shown_traits(errors);
    double evidence[SKILL_HAND_COUNT], most = -HUGE_VAL, sum = 0.0;
    int rows = 0;

    for (int hand = 0; hand < SKILL_HAND_COUNT; hand++) {
        struct skill_comparison *row = &answer->comparison[rows];
        struct skill_fit fit;
        if (skill_hand_at(hand)->traits & ~shown)
            continue;
        if (!skill_fit_hand(errors->query->count, errors->throw, skill_hand_at(hand)->traits, &fit))
            return false;
        row->hand = hand;
        set_hand(errors, skill_hand_at(hand)->traits, &fit, &row->found);
        add_spin(errors, &row->found);
        evidence[rows++] = fit.log_evidence;
        most = fmax(most, fit.log_evidence);
    }
    for (int k = 0; k < rows; k++)
        sum += exp(evidence[k] - most);
    for (int k = 0; k < rows; k++) {
        answer->comparison[k].probability = exp(evidence[k] - most) / sum;
        answer->comparison[k].log10_evidence = (evidence[k] - evidence[0]) / log(10.0);
    }
    answer->compared = rows;
    qsort(answer->comparison, (size_t)rows, sizeof answer->comparison[0], by_probability);
    return true;
}

static bool fit_all(const struct errors *errors, struct skill_answer *answer)
{
    const struct skill_query *query = errors->query;
    struct skill_fit fit;

    if (query->compare && !compare(errors, answer))
        return false;
    answer->hand = query->hand >= 0   ? query->hand
                   : answer->compared ? answer->comparison[0].hand
                                      : 0;
    const unsigned traits = skill_hand_at(answer->hand)->traits;
    if (!skill_fit_hand(query->count, errors->throw, traits, &fit))
        return false;
    set_hand(errors, traits, &fit, &answer->all);
    if (query->hand >= 0 || query->compare)
        add_spin(errors, &answer->all);
    for (int kind = 0; kind < query->kinds; kind++)
        if (!fit_kind(errors, kind, traits, answer))
            return false;
    for (int k = 0; k < SKILL_SETTINGS && query->drift; k++)
        if (!skill_drift(query->count, errors->error[k], &answer->drift[k]))
            return false;
    return true;
}

/* Copies the errors into the answer, if they are asked for. */
static bool tell_errors(const struct errors *errors, struct skill_answer *answer)
{
    const int count = errors->query->count;

    if (!errors->query->throws)
        return true;
    answer->error = calloc((size_t)count, sizeof *answer->error);
    for (int k = 0; answer->error && k < count; k++) {
        const struct skill_throw *t = &errors->throw[k];
        answer->error[k] = (struct skill_error){t->across, t->along, t->weight, t->turn < 0.0};
    }
    return answer->error != NULL;
}

static enum skill_status estimate_all(struct errors *errors, struct skill_answer *answer,
                                      struct scene_error *ret_error)
{
    const struct skill_query *query = errors->query;
    bool has_spins = errors->ice->noise == ICE_NOISE_NORMAL_DIST;

    for (int index = 0; index < query->count; index++) {
        enum skill_status status = read_error(errors, index, ret_error);
        if (status != SKILL_OK)
            return status;
        has_spins = has_spins && !query->shot[index].has_rest;
    }
    errors->spin_errs = has_spins && sum_of_squares(query->count, errors->spin_error) > 0.0;
    for (int k = 0; k < SKILL_SETTINGS; k++)
        if (!(sum_of_squares(query->count, errors->error[k]) > 0.0)) {
            scene_error_set(
                ret_error, &query->id, "shots",
                "each was thrown exactly as called: there is no error to estimate %s by",
                noise_setting_at(skill_setting(errors->ice->noise, k))->name);
            return SKILL_BAD_FIELD;
        }
    return fit_all(errors, answer) && tell_errors(errors, answer) ? SKILL_OK : SKILL_NO_MEMORY;
}

enum skill_status skill_estimate(const struct skill_query *query, struct skill_answer *ret_answer,
                                 struct scene_error *ret_error)
{
    const size_t count = (size_t)query->count;
    struct errors errors = {.query = query, .ice = profile_of(query->rules)->ice};
    enum skill_status status = SKILL_NO_MEMORY;

    *ret_answer = (struct skill_answer){.query = query};
    errors.error[0] = calloc((SKILL_SETTINGS + 1) * count, sizeof **errors.error);
    errors.throw = calloc(2 * count, sizeof *errors.throw);
    if (errors.error[0] && errors.throw) {
        errors.error[1] = errors.error[0] + count;
        errors.spin_error = errors.error[1] + count;
        errors.some = errors.throw +count;
        status = estimate_all(&errors, ret_answer, ret_error);
    }
    if (status != SKILL_OK)
        skill_answer_free(ret_answer);
    free(errors.throw);
    free(errors.error[0]);
    return status;
}

void skill_answer_free(struct skill_answer *answer)
{
    for (int k = 0; k < SKILL_SETTINGS; k++) {
        free(answer->drift[k].path);
        answer->drift[k].path = NULL;
    }
    free(answer->error);
    answer->error = NULL;
}
