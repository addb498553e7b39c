/* Does POST /v1/skills find the hand? Draws a hand, throws with it, estimates it again, many times.
 * Prints for each deviation the bias, the median error and how often the interval of 95 % holds the
 * true one; and how often drift is claimed where there is none, and where the hand grows to four
 * times or shrinks to a quarter. Fails (status 1) outside the gate: bias below 2 %, median error
 * below 10 %, cover 93 to 97 %, false claims of drift below 5 %, true ones above 75 %.
 *
 *   bench_skills [--simulations N] [--shots N] [--drifts N] [--seed N]
 */
#include "models/game/sheet.h"
#include "models/ice/aim.h"
#include "models/ice/noise.h"
#include "models/ice/random.h"
#include "models/ice/throw.h"
#include "models/tables/profiles.h"
#include "workers/simulate/skill.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BIAS_MOST     0.02
#define ERROR_MOST    0.10
#define COVER         0.95
#define COVER_SLACK   0.02
#define GATE_COUNT    1000.0 /* fewer simulations have more slack, as their error grows */
#define CLAIMS_MOST   0.05   /* without drift */
#define FOUND_LEAST   0.75   /* with drift */
#define AREA_M        0.5    /* targets about the tee */
#define FACTOR_LEAST  0.5    /* the hand, as a share of the profile's own */
#define FACTOR_MOST   1.25
#define HIT_SPEED_MPS 1.0 /* beyond a draw */

struct settings {
    int simulations, shots, drifts, seed;
};

struct trial {
    const struct settings *settings;
    int number; /* added to the seed */
    const char *profile;
    bool by_rest;
    int drift; /* 0; +1 to four times, -1 to a quarter */
};

static double uniform(struct random_key *key, uint64_t sample)
{
    key->purpose = RANDOM_SCENE;
    return random_uniform(key, sample);
}

/* A draw to a place about the tee; in a trial by thrown shots every third is a hit. */
static struct shot call(const struct trial *trial, const struct ice_profile *ice,
                        struct random_key *key, int k)
{
    double omega = k % 2 ? ice->spin : -ice->spin;
    struct vec2 at = {SHEET_TEE_X + AREA_M * (2.0 * uniform(key, 3 * (uint64_t)k + 1) - 1.0),
                      SHEET_TEE_Y + AREA_M * (2.0 * uniform(key, 3 * (uint64_t)k + 2) - 1.0)};
    struct shot shot = {.omega = omega};
    enum aim_status status = trial->by_rest || k % 3 != 0
                                 ? aim_draw(ice, at, omega, &shot)
                                 : aim_pass(ice, at, HIT_SPEED_MPS, omega, &shot);

    if (status != AIM_OK) {
        fprintf(stderr, "bench_skills: no shot to (%g, %g)\n", at.x, at.y);
        exit(1);
    }
    return shot;
}

/* Where the stone comes to rest on an empty sheet. */
static struct vec2 rest_of(const struct ice_profile *ice, struct shot shot)
{
    struct position empty = {.in_play = 0};
    struct throw_result result;
    const struct throw_request request = {.ice = ice, .before = &empty, .shot = shot};

    if (throw_fast(&request, &result) != THROW_OK || !position_has(&result.after, 0)) {
        fprintf(stderr, "bench_skills: a stone was lost\n");
        exit(1);
    }
    return result.after.stone[0];
}

/* Fills the query with the throws of a hand drawn at random; returns the hand. */
static struct noise throw_all(const struct trial *trial, int number, struct skill_query *query)
{
    const struct ice_profile *ice = profile_of(query->rules)->ice;
    struct random_key key = {.seed = (uint64_t)trial->settings->seed + (uint64_t)trial->number,
                             .game = (uint64_t)number};
    struct noise noise = noise_default(ice, ice->noise);

    for (int k = 0; k < SKILL_SETTINGS; k++) {
        key.stream = (uint64_t)k + 1;
        *noise_setting_value(&noise.settings, skill_setting(noise.kind, k)) *=
            FACTOR_LEAST + (FACTOR_MOST - FACTOR_LEAST) * uniform(&key, 0);
    }
    key.stream = 0;
    for (int k = 0; k < query->count; k++) {
        struct skill_shot *shot = &query->shot[k];
        double part = (double)k / (query->count - 1) - 0.5,
               factor = exp2(2.0 * trial->drift * part);
        struct noise now = noise;
        for (int s = 0; s < SKILL_SETTINGS; s++)
            *noise_setting_value(&now.settings, skill_setting(noise.kind, s)) *= factor;
        shot->kind = -1;
        shot->called = call(trial, ice, &key, k);
        key.purpose = RANDOM_EXECUTION;
        shot->thrown = noise_apply(&now, ice, shot->called, random_normal_pair(&key, (uint64_t)k));
        shot->has_rest = trial->by_rest;
        if (shot->has_rest)
            shot->rest = rest_of(ice, shot->thrown);
    }
    return noise;
}

static void estimate(const struct skill_query *query, struct skill_answer *ret_answer)
{
    struct scene_error error;

    if (skill_estimate(query, ret_answer, &error) != SKILL_OK) {
        fprintf(stderr, "bench_skills: %s: %s\n", error.field, error.text);
        exit(1);
    }
}

static struct skill_query query_of(const struct trial *trial)
{
    struct skill_query query = {.rules = rules_find(trial->profile),
                                .count = trial->settings->shots};

    query.shot = calloc((size_t)query.count, sizeof *query.shot);
    if (!query.shot)
        exit(1);
    return query;
}

static int by_size(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Whether the trial passes the gate. */
static bool run(const struct trial *trial)
{
    const int count = trial->settings->simulations;
    struct skill_query query = query_of(trial);
    double *error[SKILL_SETTINGS], sum[SKILL_SETTINGS] = {0.0};
    int held[SKILL_SETTINGS] = {0};
    bool good = true;

    for (int k = 0; k < SKILL_SETTINGS; k++)
        if ((error[k] = calloc((size_t)count, sizeof **error)) == NULL)
            exit(1);
    for (int number = 0; number < count; number++) {
        struct skill_answer answer;
        const struct noise noise = throw_all(trial, number, &query);
        estimate(&query, &answer);
        for (int k = 0; k < SKILL_SETTINGS; k++) {
            double truth = noise_setting_of(&noise.settings, skill_setting(noise.kind, k));
            double off = answer.all[k].value / truth - 1.0;
            sum[k] += off;
            error[k][number] = fabs(off);
            held[k] += answer.all[k].low <= truth && truth <= answer.all[k].high;
        }
        skill_answer_free(&answer);
    }
    const enum ice_noise kind = profile_of(query.rules)->ice->noise;
    for (int k = 0; k < SKILL_SETTINGS; k++) {
        qsort(error[k], (size_t)count, sizeof **error, by_size);
        double bias = sum[k] / count, median = error[k][count / 2];
        double cover = (double)held[k] / count;
        bool passes = fabs(bias) < BIAS_MOST && median < ERROR_MOST &&
                      fabs(cover - COVER) <= COVER_SLACK * sqrt(fmax(1.0, GATE_COUNT / count));
        printf("%s %-6s %-12s  bias %+.2f %%  median error %.2f %%  covered %.1f %%  %s\n",
               trial->profile, trial->by_rest ? "rest" : "thrown",
               noise_setting_at(skill_setting(kind, k))->name, 100.0 * bias, 100.0 * median,
               100.0 * cover, passes ? "good" : "FAILS");
        good = good && passes;
        free(error[k]);
    }
    skill_query_free(&query);
    return good;
}

/* How often drift is claimed, by either deviation, each counted. */
static double claims(const struct trial *trial)
{
    struct skill_query query = query_of(trial);
    int claimed = 0;

    query.drift = true;
    for (int number = 0; number < trial->settings->drifts; number++) {
        struct skill_answer answer;
        throw_all(trial, number, &query);
        estimate(&query, &answer);
        for (int k = 0; k < SKILL_SETTINGS; k++)
            claimed += answer.drift[k].is_supported;
        skill_answer_free(&answer);
    }
    skill_query_free(&query);
    return (double)claimed / (SKILL_SETTINGS * trial->settings->drifts);
}

static bool run_drift(const struct settings *settings)
{
    bool good = true;

    for (int drift = -1; drift <= 1; drift++) {
        double share = claims(&(struct trial){settings, 5 + drift, "dc3", false, drift});
        bool passes = drift ? share >= FOUND_LEAST : share <= CLAIMS_MOST;
        printf("drift %s: claimed %.1f %%  %s\n",
               drift < 0   ? "to a quarter"
               : drift > 0 ? "to four times"
                           : "none",
               100.0 * share, passes ? "good" : "FAILS");
        good = good && passes;
    }
    return good;
}

static struct settings read_settings(int argc, char **argv)
{
    struct settings settings = {1000, 100, 100, 22801};
    const struct {
        const char *name;
        int *value, least;
    } options[] = {{"--simulations", &settings.simulations, 1},
                   {"--shots", &settings.shots, SKILL_SHOTS_LEAST},
                   {"--drifts", &settings.drifts, 1},
                   {"--seed", &settings.seed, 0}};
    const int count = sizeof options / sizeof *options;

    for (int k = 1; k < argc; k += 2) {
        int row = 0;
        while (row < count && strcmp(argv[k], options[row].name) != 0)
            row++;
        if (row == count || k + 1 >= argc ||
            (*options[row].value = atoi(argv[k + 1])) < options[row].least) {
            fprintf(stderr, "bench_skills [--simulations N] [--shots N] [--drifts N] [--seed N]\n");
            exit(1);
        }
    }
    return settings;
}

int main(int argc, char **argv)
{
    const struct settings settings = read_settings(argc, argv);
    static const char *const profiles[] = {"dc2", "dc3"};
    bool good = true;

    for (int k = 0; k < 4; k++)
        good = run(&(struct trial){&settings, k, profiles[k / 2], k % 2 != 0, 0}) && good;
    good = run_drift(&settings) && good;
    return good ? 0 : 1;
}
