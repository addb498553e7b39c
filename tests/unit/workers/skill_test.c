/* The estimate of a hand: against tables, and what it refuses. bench_skills measures it. */
#include "workers/simulate/skill.h"

#include "models/ice/quasi.h"
#include "workers/simulate/skill_hand.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SHOT(x, y) "{\"velocity\":{\"x\":" #x ",\"y\":" #y "},\"rotation\":\"cw\"}"
#define THROW(kind, x, y) \
    "{\"called\":" SHOT(0, 2.4) ",\"thrown\":" SHOT(x, y) ",\"kind\":\"" kind "\"}"
#define DRAWS                                                               \
    THROW("draw", 0.01, 2.41)                                               \
    "," THROW("draw", -0.01, 2.39) "," THROW("draw", 0.01, 2.39) "," THROW( \
        "draw", -0.01, 2.41) "," THROW("draw", 0.01, 2.41)
#define QUERY(shots) "{\"profile\":\"dc3\",\"shots\":[" shots "]}"

static void assert_near(double x, double y)
{
    if (!(fabs(x - y) < 2e-4 * fabs(y)))
        fail_msg("%.9g is not %.9g", x, y);
}

/* s^2 is between 10 / 20.4832 and 10 / 3.24697, its median 10 / 9.34182: tables of chi-squared. */
static void ten_errors_of_size_one_give_the_quantiles_of_chi_squared(void **state)
{
    (void)state;
    struct skill_interval found = skill_deviation(10, 10.0);

    assert_near(found.low, sqrt(10.0 / 20.48318));
    assert_near(found.value, sqrt(10.0 / 9.341818));
    assert_near(found.high, sqrt(10.0 / 3.246973));
    found = skill_deviation(5, 5.0 * 4.0);
    assert_near(found.low, sqrt(20.0 / 12.832502));
    assert_near(found.high, sqrt(20.0 / 0.831212));
    found = skill_deviation(2000, 2000.0);
    assert_near(found.low, sqrt(2000.0 / 2125.8416));
}

static bool decode(const char *text, struct skill_query *query, struct strict_errors *errors)
{
    json_t *document = json_loads(text, 0, NULL);

    assert_non_null(document);
    bool good = skill_query_decode(document, query, errors);
    json_decref(document);
    return good;
}

static void kinds_are_estimated_apart(void **state)
{
    (void)state;
    struct skill_query query;
    struct strict_errors errors;
    struct skill_answer answer;
    struct scene_error error;

    assert_true(decode(QUERY(DRAWS "," THROW("hit", 0.1, 2.5) "," DRAWS), &query, &errors));
    assert_int_equal(skill_estimate(&query, &answer, &error), SKILL_OK);
    assert_int_equal(query.kinds, 2);
    assert_int_equal(answer.kind_shots[0], 10);
    assert_int_equal(answer.kind_shots[1], 1);
    assert_true(answer.of_kind[0].value[0].value <
                0.5 * answer.all.value[0].value); /* the hit is far off */
    json_t *json = skill_answer_json(&answer), *kinds = json_object_get(json, "kinds");
    assert_true(json_is_object(json_object_get(json_object_get(kinds, "draw"), "noise")));
    assert_true(json_is_null(json_object_get(json_object_get(kinds, "hit"), "noise")));
    assert_true(json_is_null(json_object_get(json, "drift")));
    json_decref(json);
    skill_answer_free(&answer);
    skill_query_free(&query);
}

static void mistakes_are_named_by_index_and_field(void **state)
{
    (void)state;
    static const char *const bad[][2] = {
        {"[]", ""},
        {"{\"shots\":[]}", "/profile"},
        {"{\"profile\":\"dc9\",\"shots\":[]}", "/profile"},
        {"{\"profile\":\"dc3\"}", "/shots"},
        {QUERY(THROW("draw", 0, 2.4)), "/shots"},
        {QUERY(DRAWS ",7"), "/shots/5"},
        {QUERY(DRAWS ",{\"called\":" SHOT(0, 2.4) "}"), "/shots/5"},
        {QUERY(DRAWS ",{\"called\":" SHOT(0, 2.4) ",\"rest\":{\"x\":1e999,\"y\":38}}"), NULL},
        {QUERY(DRAWS ",{\"called\":" SHOT(0, 2.4) ",\"rest\":{\"x\":1,\"y\":true}}"),
         "/shots/5/rest/y"},
        {QUERY(DRAWS ",{\"called\":{\"rotation\":\"cw\"},\"thrown\":" SHOT(0, 2.4) "}"),
         "/shots/5/called/velocity"},
        {QUERY(DRAWS "," THROW("", 0, 2.4)), "/shots/5/kind"},
        {"{\"profile\":\"dc3\",\"drift\":1,\"shots\":[" DRAWS "]}", "/drift"},
        {"{\"profile\":\"dc3\",\"compare\":1,\"shots\":[" DRAWS "]}", "/compare"},
        {"{\"profile\":\"dc3\",\"throws\":1,\"shots\":[" DRAWS "]}", "/throws"},
        {"{\"profile\":\"dc3\",\"hand\":\"odd\",\"shots\":[" DRAWS "]}", "/hand"}};

    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        struct skill_query query;
        struct strict_errors errors = {.count = 0};
        json_t *document = json_loads(bad[k][0], 0, NULL);
        if (!bad[k][1]) { /* JSON has no infinity */
            assert_null(document);
            continue;
        }
        json_decref(document);
        if (decode(bad[k][0], &query, &errors) || strcmp(errors.error[0].pointer, bad[k][1]) != 0)
            fail_msg("%s: %s", bad[k][0], errors.error[0].pointer);
        assert_null(query.shot);
    }
}

static void what_cannot_be_is_refused(void **state)
{
    (void)state;
    static const char *const bad[][2] = {
        {QUERY(DRAWS "," THROW("draw", 0, 0)), "shots[5].thrown"},
        {QUERY(DRAWS "," THROW("draw", 0, 900)), "shots[5].thrown"},
        {QUERY(DRAWS ",{\"called\":" SHOT(0, 2.4) ",\"rest\":{\"x\":0,\"y\":-9}}"),
         "shots[5].rest"},
        {QUERY(THROW("a", 0, 2.4) "," THROW("a", 0, 2.4) "," THROW("a", 0, 2.4) "," THROW(
             "a", 0, 2.4) "," THROW("a", 0, 2.4)),
         "shots"}};

    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        struct skill_query query;
        struct strict_errors errors;
        struct skill_answer answer;
        struct scene_error error = {.field = ""};
        assert_true(decode(bad[k][0], &query, &errors));
        assert_int_equal(skill_estimate(&query, &answer, &error), SKILL_BAD_FIELD);
        assert_string_equal(error.field, bad[k][1]);
        skill_query_free(&query);
    }
}

static void a_hand_that_gets_worse_is_followed(void **state)
{
    (void)state;
    enum { COUNT = 120 };
    double errors[COUNT];
    struct skill_drift drift;

    for (int k = 0; k < COUNT; k++)
        errors[k] = (k % 2 ? 1.0 : -1.0) * (0.5 + k % 3 * 0.5) * (k < COUNT / 2 ? 1.0 : 5.0);
    assert_true(skill_drift(COUNT, errors, &drift));
    assert_true(drift.is_supported);
    assert_true(drift.path[COUNT - 1].low > drift.path[0].high);
    for (int k = 0; k < COUNT; k++)
        assert_true(drift.path[k].low < drift.path[k].value &&
                    drift.path[k].value < drift.path[k].high);
    free(drift.path);
    for (int k = COUNT / 2; k < COUNT; k++)
        errors[k] /= 5.0;
    assert_true(skill_drift(COUNT, errors, &drift));
    assert_false(drift.is_supported);
    free(drift.path);
}

/* ---- hands of people ---- */

enum { THROWS = 400 };

/* Throws of a hand with unit deviations, evenly spread; every third with hit weight. */
static void throws_of(double freedom, double hit, double release,
                      struct skill_throw ret_throws[THROWS])
{
    const struct random_key key = {.seed = 3, .purpose = RANDOM_EXECUTION};

    for (int k = 0; k < THROWS; k++) {
        struct normal_pair z = quasi_normal_pair(&key, (uint32_t)k);
        double square = z.z0 * z.z0 + z.z1 * z.z1, f = k % 3 ? 1.0 : hit;
        double stretch = sqrt(freedom * expm1(square / freedom) / square);
        double turn = k % 5 < 2 ? 1.0 : -1.0; /* 2 divides what the points are even by */
        ret_throws[k] = (struct skill_throw){.across = f * stretch * z.z0 + release * turn,
                                             .along = 2.0 * f * stretch * z.z1,
                                             .weight = k % 3 ? 0.0 : 1.0,
                                             .turn = turn};
    }
}

static struct skill_fit fit_of(const struct skill_throw *throws, unsigned traits)
{
    struct skill_fit fit;

    assert_true(skill_fit_hand(THROWS, throws, traits, &fit));
    return fit;
}

/* The interval and half of its width on both sides, about four deviations: 21 intervals are looked
 * at. */
static void assert_holds(const struct skill_interval *found, double truth)
{
    double half = 0.5 * (found->high - found->low);

    if (!(found->low - half < truth && truth < found->high + half && found->low < found->value &&
          found->value < found->high))
        fail_msg("%g, %g to %g, is not about %g", found->value, found->low, found->high, truth);
}

static void each_trait_is_found_and_told_from_the_others(void **state)
{
    (void)state;
    enum { ALL = SKILL_TRAIT_STUDENT | SKILL_TRAIT_WEIGHT | SKILL_TRAIT_RELEASE };
    static const struct {
        double freedom, hit, release;
        unsigned traits;
    } hands[] = {{1e6, 1.0, 0.0, 0},
                 {3.5, 1.0, 0.0, SKILL_TRAIT_STUDENT},
                 {1e6, 1.8, 0.0, SKILL_TRAIT_WEIGHT},
                 {1e6, 1.0, 0.4, SKILL_TRAIT_RELEASE},
                 {3.5, 1.8, -0.4, ALL}};

    for (size_t k = 0; k < sizeof hands / sizeof *hands; k++) {
        struct skill_throw throws[THROWS];
        throws_of(hands[k].freedom, hands[k].hit, hands[k].release, throws);
        const struct skill_fit own = fit_of(throws, hands[k].traits);
        assert_holds(&own.parameter[SKILL_ACROSS], 1.0);
        assert_holds(&own.parameter[SKILL_ALONG], 2.0);
        if (hands[k].traits & SKILL_TRAIT_STUDENT)
            assert_holds(&own.parameter[SKILL_FREEDOM], hands[k].freedom);
        if (hands[k].traits & SKILL_TRAIT_WEIGHT)
            assert_holds(&own.parameter[SKILL_HIT], hands[k].hit);
        if (hands[k].traits & SKILL_TRAIT_RELEASE)
            assert_holds(&own.parameter[SKILL_RELEASE], hands[k].release);
        /* A hand without what it takes has far less evidence, one with more than that no more than
         * by chance. */
        for (unsigned traits = 0; traits <= ALL; traits++) {
            double more = fit_of(throws, traits).log_evidence - own.log_evidence;
            if (!(more < ((hands[k].traits & ~traits) != 0 ? -3.0 : 2.0)))
                fail_msg("hand %zu: traits %u have %g more evidence", k, traits, more);
        }
    }
}

/* The particles of a factor of hit weight whose weights are all 0 are a normal hand and its prior:
 * the exact evidence. */
static void particles_find_the_exact_posterior_of_a_normal_hand(void **state)
{
    (void)state;
    struct skill_throw throws[THROWS];

    throws_of(1e6, 1.0, 0.0, throws);
    for (int k = 0; k < THROWS; k++)
        throws[k].weight = 0.0;
    const struct skill_fit exact = fit_of(throws, 0), met = fit_of(throws, SKILL_TRAIT_WEIGHT);
    assert_true(fabs(met.log_evidence - exact.log_evidence) < 0.05);
    for (int k = SKILL_ACROSS; k <= SKILL_ALONG; k++) {
        const struct skill_interval *a = &exact.parameter[k], *b = &met.parameter[k];
        assert_true(fabs(a->value / b->value - 1.0) < 0.005);
        assert_true(fabs(a->low / b->low - 1.0) < 0.01 && fabs(a->high / b->high - 1.0) < 0.01);
    }
    /* What the throws say nothing of is as before: a median of 1. */
    assert_true(fabs(log(met.parameter[SKILL_HIT].value)) < 0.05);
}

static void the_same_throws_give_the_same_bytes(void **state)
{
    (void)state;
    struct skill_throw throws[THROWS];

    throws_of(5.0, 1.2, 0.1, throws);
    const struct skill_fit a = fit_of(throws, 7), b = fit_of(throws, 7);
    assert_memory_equal(&a, &b, sizeof a);
}

static void few_equal_throws_still_have_a_hand(void **state)
{
    (void)state;
    struct skill_throw throws[5];
    struct skill_fit fit;

    for (int k = 0; k < 5; k++)
        throws[k] = (struct skill_throw){1e-9, 1e-3, 1.0, 1.0};
    for (unsigned traits = 0; traits < 8; traits++) {
        assert_true(skill_fit_hand(5, throws, traits, &fit));
        assert_true(isfinite(fit.log_evidence));
        for (int k = SKILL_ACROSS; k <= SKILL_ALONG; k++)
            assert_true(fit.parameter[k].low > 0.0 &&
                        fit.parameter[k].value <= fit.parameter[k].high &&
                        isfinite(fit.parameter[k].high));
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(ten_errors_of_size_one_give_the_quantiles_of_chi_squared),
        cmocka_unit_test(kinds_are_estimated_apart),
        cmocka_unit_test(mistakes_are_named_by_index_and_field),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(a_hand_that_gets_worse_is_followed),
        cmocka_unit_test(each_trait_is_found_and_told_from_the_others),
        cmocka_unit_test(particles_find_the_exact_posterior_of_a_normal_hand),
        cmocka_unit_test(the_same_throws_give_the_same_bytes),
        cmocka_unit_test(few_equal_throws_still_have_a_hand),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
