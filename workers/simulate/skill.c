/* The posterior of a hand that stays. skill_drift.c has the one that changes. */
#include "workers/simulate/skill.h"

#include "models/ice/aim.h"
#include "models/ice/noise.h"
#include "models/tables/profiles.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

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
    double *error[SKILL_SETTINGS]; /* one block */
};

static enum skill_status refuse(const struct skill_query *query, int index, const char *member,
                                const char *text, struct scene_error *ret_error)
{
    char field[64];

    snprintf(field, sizeof field, "shots[%d].%s", index, member);
    scene_error_set(ret_error, &query->id, field, "%s", text);
    return SKILL_BAD_FIELD;
}

static enum skill_status read_error(const struct errors *errors, int index,
                                    struct scene_error *ret_error)
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
    return SKILL_OK;
}

/* The deviation over the shots of a kind; -1: over all. Returns how many these are. */
static int estimate(const struct errors *errors, int kind, int k, struct skill_interval *ret_found)
{
    double squares = 0.0;
    int count = 0;

    for (int index = 0; index < errors->query->count; index++) {
        if (kind >= 0 && errors->query->shot[index].kind != kind)
            continue;
        squares += errors->error[k][index] * errors->error[k][index];
        count++;
    }
    if (count > 0)
        *ret_found = skill_deviation(count, squares);
    return count;
}

static enum skill_status estimate_all(const struct errors *errors, struct skill_answer *answer,
                                      struct scene_error *ret_error)
{
    const struct skill_query *query = errors->query;

    for (int index = 0; index < query->count; index++) {
        enum skill_status status = read_error(errors, index, ret_error);
        if (status != SKILL_OK)
            return status;
    }
    for (int k = 0; k < SKILL_SETTINGS; k++) {
        estimate(errors, -1, k, &answer->all[k]);
        if (!(answer->all[k].value > 0.0)) {
            scene_error_set(
                ret_error, &query->id, "shots",
                "each was thrown exactly as called: there is no error to estimate %s by",
                noise_setting_at(skill_setting(errors->ice->noise, k))->name);
            return SKILL_BAD_FIELD;
        }
        for (int kind = 0; kind < query->kinds; kind++)
            answer->kind_shots[kind] = estimate(errors, kind, k, &answer->of_kind[kind][k]);
        if (query->drift && !skill_drift(query->count, errors->error[k], &answer->drift[k]))
            return SKILL_NO_MEMORY;
    }
    return SKILL_OK;
}

enum skill_status skill_estimate(const struct skill_query *query, struct skill_answer *ret_answer,
                                 struct scene_error *ret_error)
{
    struct errors errors = {.query = query, .ice = profile_of(query->rules)->ice};

    *ret_answer = (struct skill_answer){.query = query};
    errors.error[0] = calloc((size_t)(SKILL_SETTINGS * query->count), sizeof **errors.error);
    if (!errors.error[0])
        return SKILL_NO_MEMORY;
    for (int k = 1; k < SKILL_SETTINGS; k++)
        errors.error[k] = errors.error[0] + (ptrdiff_t)k * query->count;
    enum skill_status status = estimate_all(&errors, ret_answer, ret_error);
    if (status != SKILL_OK)
        skill_answer_free(ret_answer);
    free(errors.error[0]);
    return status;
}

void skill_answer_free(struct skill_answer *answer)
{
    for (int k = 0; k < SKILL_SETTINGS; k++) {
        free(answer->drift[k].path);
        answer->drift[k].path = NULL;
    }
}
