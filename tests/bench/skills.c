/* Does POST /v1/skills find the hand? Draws a hand, throws with it, estimates it again, many times.
 * Prints for each deviation the bias, the median error and how often the interval of 95 % holds the
 * true one; and how often drift is claimed where there is none, and where the hand grows to four
 * times or shrinks to a quarter. Fails (status 1) outside the gate: bias below 2 %, median error
 * below 10 %, cover 93 to 97 %, false claims of drift below 5 %, true ones above 75 %.
 *
 *   bench_skills [--simulations N] [--shots N] [--drifts N] [--seed N]
 *   bench_skills --hands N [--only KIND] [--shots N] [--seed N]
 *
 * The second form does the same for N hands of people of each of four kinds, with the seeds of
 * `--seed` (default 22811) and the next three; KIND: 0 to 3, one of them. The hands are drawn from
 * the priors of skill_hand.h, then one fixed hand is thrown with N times. The gate is for the two
 * deviations; what else a hand has is printed beside them. Prints, too, how often the comparison of
 * all hands names the true one first and how probable it holds it, on a twentieth of the hands.
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

#define BIAS_MOST    0.02
#define ERROR_MOST   0.10
#define COVER        0.95
#define COVER_SLACK  0.02
#define GATE_COUNT   1000.0 /* fewer simulations have more slack, as their error grows */
#define CLAIMS_MOST  0.05   /* without drift */
#define FOUND_LEAST  0.75   /* with drift */
#define AREA_M       0.5    /* targets about the tee */
#define FACTOR_LEAST 0.5    /* the hand, as a share of the profile's own */
#define FACTOR_MOST  1.25

struct settings {
    int simulations, shots, drifts, hands, only, seed;
};

struct trial {
    const struct settings *settings;
    int number; /* added to the seed */
    const char *profile;
    bool by_rest;
    double hit_speed_mps; /* at the target */
    int drift;            /* 0; +1 to four times, -1 to a quarter */
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
                                 : aim_pass(ice, at, trial->hit_speed_mps, omega, &shot);

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
    struct skill_query query = {
        .rules = rules_find(trial->profile), .hand = -1, .count = trial->settings->shots};

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
            double off = answer.all.value[k].value / truth - 1.0;
            sum[k] += off;
            error[k][number] = fabs(off);
            held[k] += answer.all.value[k].low <= truth && truth <= answer.all.value[k].high;
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

/* ---- hands of people ---- */

struct person {
    const char *hand;
    int number; /* of the seed */
};

static const struct person persons[] = {
    {"normal", 0}, {"student", 1}, {"weight", 2}, {"student_weight_release", 3}};

static int hand_named(const char *name)
{
    int hand = 0;

    while (strcmp(skill_hand_at(hand)->name, name) != 0)
        hand++;
    return hand;
}

/* A hand of these traits: from the priors, or a fixed one. */
static struct noise person_of(const struct ice_profile *ice, unsigned traits, bool is_fixed,
                              struct random_key *key)
{
    struct noise noise = noise_default(ice, ice->noise);
    struct normal_pair pair;
    double deviations[SKILL_SETTINGS];

    key->purpose = RANDOM_SCENE;
    for (int k = 0; k < SKILL_SETTINGS; k++) {
        key->stream = (uint64_t)k + 1;
        deviations[k] =
            is_fixed ? 1.0 : FACTOR_LEAST + (FACTOR_MOST - FACTOR_LEAST) * uniform(key, 0);
        *noise_setting_value(&noise.settings, skill_setting(noise.kind, k)) *= deviations[k];
    }
    key->stream = SKILL_SETTINGS + 1;
    if (traits & SKILL_TRAIT_STUDENT)
        noise.degrees_of_freedom_count =
            is_fixed ? 5.0 : fmin(1.0 / (0.4 * uniform(key, 0)), 1000.0);
    pair = random_normal_pair(key, 1);
    if (traits & SKILL_TRAIT_WEIGHT)
        noise.hit_factor_ratio = is_fixed ? 1.5 : fmin(exp(0.5 * pair.z0), 10.0);
    if (traits & SKILL_TRAIT_RELEASE)
        noise.release_deviations = is_fixed ? 0.4 : 0.5 * pair.z1;
    key->stream = 0;
    return noise;
}

static void throw_person(const struct noise *noise, const struct trial *trial,
                         struct random_key *key, struct skill_query *query)
{
    const struct ice_profile *ice = profile_of(query->rules)->ice;

    for (int k = 0; k < query->count; k++) {
        struct skill_shot *shot = &query->shot[k];
        shot->kind = -1;
        shot->called = call(trial, ice, key, k);
        key->purpose = RANDOM_EXECUTION;
        shot->thrown = noise_apply(noise, ice, shot->called, random_normal_pair(key, (uint64_t)k));
        shot->has_rest = false;
    }
}

struct scores {
    int count, held;
    double *off; /* relative; of the release: in deviations */
    double sum;
};

static void score(struct scores *scores, int setting, const struct skill_interval *found,
                  double truth)
{
    bool is_share = strcmp(noise_setting_at(setting)->name, "release") != 0;
    double off = is_share ? found->value / truth - 1.0 : found->value - truth;

    scores->sum += off;
    scores->off[scores->count++] = fabs(off);
    scores->held += found->low <= truth && truth <= found->high;
}

static bool print_scores(const char *label, int setting, struct scores *scores)
{
    bool is_gated = !noise_setting_at(setting)->of_people;
    double bias = scores->sum / scores->count;

    qsort(scores->off, (size_t)scores->count, sizeof *scores->off, by_size);
    double median = scores->off[scores->count / 2], cover = (double)scores->held / scores->count;
    bool passes = fabs(bias) < BIAS_MOST && median < ERROR_MOST &&
                  fabs(cover - COVER) <= COVER_SLACK * sqrt(fmax(1.0, GATE_COUNT / scores->count));
    printf("%s %-18s  bias %+.2f %%  median error %.2f %%  covered %.1f %%  %s\n", label,
           noise_setting_at(setting)->name, 100.0 * bias, 100.0 * median, 100.0 * cover,
           !is_gated ? ""
           : passes  ? "good"
                     : "MISSES");
    free(scores->off);
    return passes || !is_gated;
}

/* Whether the deviations pass the gate. */
static bool run_person(const struct settings *settings, const struct person *person,
                       const char *profile, bool is_fixed)
{
    const struct ice_profile *ice = profile_find(profile)->ice;
    /* A hit of the hit's weight, but for what the ice has not yet taken. */
    const struct trial trial = {
        settings,
        person->number,
        profile,
        false,
        sqrt(ice->hit_speed * ice->hit_speed - ice->draw_speed * ice->draw_speed),
        0};
    const int hand = hand_named(person->hand);
    struct skill_query query = query_of(&trial);
    struct scores scores[SKILL_HAND_SETTINGS_MAX] = {0};
    int found_first = 0, compared = 0, setting[SKILL_HAND_SETTINGS_MAX], values = 0;
    double probability = 0.0;
    char label[64];
    bool good = true;

    for (int k = 0; k < SKILL_HAND_SETTINGS_MAX; k++)
        if ((scores[k].off = calloc((size_t)settings->hands, sizeof(double))) == NULL)
            exit(1);
    for (int number = 0; number < settings->hands; number++) {
        struct random_key key = {.seed = (uint64_t)(settings->seed + person->number),
                                 .game = (uint64_t)number + (is_fixed ? 1000000 : 0)};
        const struct noise noise = person_of(ice, skill_hand_at(hand)->traits, is_fixed, &key);
        struct skill_answer answer;
        query.hand = hand;
        query.compare = number % 20 == 0;
        throw_person(&noise, &trial, &key, &query);
        estimate(&query, &answer);
        values = answer.all.settings;
        for (int k = 0; k < values; k++) {
            setting[k] = answer.all.setting[k];
            score(&scores[k], setting[k], &answer.all.value[k],
                  noise_setting_of(&noise.settings, setting[k]));
        }
        for (int k = 0; k < answer.compared; k++)
            if (answer.comparison[k].hand == hand) {
                compared++;
                found_first += k == 0;
                probability += answer.comparison[k].probability;
            }
        skill_answer_free(&answer);
    }
    snprintf(label, sizeof label, "%s %s %-22s", profile, is_fixed ? "fixed" : "drawn",
             person->hand);
    for (int k = 0; k < SKILL_HAND_SETTINGS_MAX; k++)
        if (k < values)
            good = print_scores(label, setting[k], &scores[k]) && good;
        else
            free(scores[k].off);
    printf("%s comparison: first %d of %d, mean probability %.2f\n", label, found_first, compared,
           probability / compared);
    fflush(stdout);
    skill_query_free(&query);
    return good;
}

static bool run_persons(const struct settings *settings)
{
    bool good = true;

    /* Under dc2 the same numbers make the same errors in deviations. */
    for (int is_fixed = 0; is_fixed < 2; is_fixed++)
        for (size_t k = 0; k < sizeof persons / sizeof *persons; k++)
            if (settings->only < 0 || settings->only == persons[k].number)
                good = run_person(settings, &persons[k], "dc3", is_fixed) && good;
    return good;
}

static bool run_drift(const struct settings *settings)
{
    bool good = true;

    for (int drift = -1; drift <= 1; drift++) {
        double share = claims(&(struct trial){settings, 5 + drift, "dc3", false, 1.0, drift});
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
    struct settings settings = {1000, 100, 100, 0, -1, -1};
    const struct {
        const char *name;
        int *value, least;
    } options[] = {{"--simulations", &settings.simulations, 1},
                   {"--shots", &settings.shots, SKILL_SHOTS_LEAST},
                   {"--drifts", &settings.drifts, 1},
                   {"--hands", &settings.hands, 1},
                   {"--only", &settings.only, 0},
                   {"--seed", &settings.seed, 0}};
    const int count = sizeof options / sizeof *options;

    for (int k = 1; k < argc; k += 2) {
        int row = 0;
        while (row < count && strcmp(argv[k], options[row].name) != 0)
            row++;
        if (row == count || k + 1 >= argc ||
            (*options[row].value = atoi(argv[k + 1])) < options[row].least) {
            fprintf(stderr, "bench_skills [--simulations N] [--shots N] [--drifts N] [--hands N] "
                            "[--seed N]\n");
            exit(1);
        }
    }
    if (settings.seed < 0)
        settings.seed = settings.hands > 0 ? 22811 : 22801;
    return settings;
}

int main(int argc, char **argv)
{
    const struct settings settings = read_settings(argc, argv);
    static const char *const profiles[] = {"dc2", "dc3"};
    bool good = true;

    if (settings.hands > 0)
        return run_persons(&settings) ? 0 : 1;
    for (int k = 0; k < 4; k++)
        good = run(&(struct trial){&settings, k, profiles[k / 2], k % 2 != 0, 1.0, 0}) && good;
    good = run_drift(&settings) && good;
    return good ? 0 : 1;
}
