/* The luck of throws: its mean, its symmetry, what it takes out of results, and its records. */
#include "workers/evaluate/play/luck.h"

#include "models/ice/random.h"
#include "models/tables/profiles.h"
#include "tests/unit/workers/evaluate/play/toy_pair.h"
#include "workers/evaluate/play/adjusted.h"
#include "workers/evaluate/statistics/statistics.h"

#include <stdio.h>
#include <stdlib.h>

/* A value that knows nothing of curling: it swings with the places of the stones. */
static void wrong_value(void *context, const struct position *position, int thrown,
                        float ret_chance[OBJECTIVE_SCORES])
{
    double sum = 1.7 * thrown;
    (void)context;

    for (int k = 0; k < POSITION_STONES; k++)
        if (position_has(position, k))
            sum += (3.0 + k) * (position->stone[k].x + 0.3 * position->stone[k].y);
    for (int k = 0; k < OBJECTIVE_SCORES; k++)
        ret_chance[k] = 0.0f;
    ret_chance[0] = (float)(0.5 + 0.5 * sin(5.0 * sum));
    ret_chance[OBJECTIVE_SCORES - 1] = 1.0f - ret_chance[0];
}

static struct pair_setting setting_with(int ends, int throws, struct judge_source value)
{
    struct pair_setting setting = toy_setting(ends);

    setting.luck = (struct luck_setting){throws, value};
    return setting;
}

static const struct judge_source wrong = {.by = JUDGE_BY_ASKING, .asked = wrong_value};
static const struct judge_source counting = {.by = JUDGE_BY_COUNTING};

/* ---- the mean ---- */

struct throws {
    struct sample win, points;
};

static void note_luck(void *context, const struct pair_move *move)
{
    struct throws *throws = context;

    assert_true(move->has_luck);
    sample_add(&throws->win, move->luck.win);
    sample_add(&throws->points, move->luck.points);
}

/* The mean of a sample is 0 within 4 standard errors, and its numbers are not all 0. */
static void assert_centred(const struct sample *sample)
{
    double error = sqrt(sample_variance(sample) / (double)sample->count);

    assert_true(error > 0.0);
    if (fabs(sample_mean(sample)) > 4.0 * error)
        fail_msg("mean %g +- %g of %d numbers", sample_mean(sample), error, (int)sample->count);
}

static void a_wrong_value_gives_luck_of_mean_zero(void **state)
{
    (void)state;
    const struct pair_setting setting = setting_with(2, 2, wrong);
    const struct player a = toy(0.5), b = toy(2.0);
    enum { PAIRS = 80 };
    struct throws throws = {0};
    struct adjusted_sums sums = {0};

    for (uint64_t pair = 0; pair < PAIRS; pair++) {
        struct pair_result result = play_heard(&setting, &a, &b, pair, note_luck, &throws);
        adjusted_add(&sums, &result);
    }
    assert_int_equal(throws.win.count, PAIRS * 64);
    assert_centred(&throws.win);
    assert_centred(&throws.points);
    /* A throw that swings the value is luck of a size that matters. */
    assert_true(sample_variance(&throws.points) > 1.0);
    /* The adjusted score agrees with the plain one. */
    double more = sample_mean(&sums.score[WITHOUT_LUCK]) - sample_mean(&sums.score[AS_PLAYED]);
    double error = sqrt(
        (sample_variance(&sums.score[WITHOUT_LUCK]) + sample_variance(&sums.score[AS_PLAYED])) /
        300.0);
    assert_true(fabs(more) < 4.0 * error);
}

/* ---- what stays and what goes ---- */

static void identical_players_have_exactly_half(void **state)
{
    (void)state;
    const struct player a = toy(1.5), b = toy(1.5);
    const struct judge_source values[] = {wrong, counting};

    for (int v = 0; v < 2; v++) {
        const struct pair_setting setting = setting_with(2, 4, values[v]);
        struct adjusted_sums sums = {0};
        int lucky = 0;
        for (uint64_t pair = 0; pair < 8; pair++) {
            struct pair_result result = play_pair(&setting, &a, &b, pair);
            adjusted_add(&sums, &result);
            lucky += result.game[0].luck.win != 0.0;
            assert_true(result.game[0].luck.win == -result.game[1].luck.win);
            assert_true(result.game[0].luck.points == -result.game[1].luck.points);
        }
        assert_int_equal(lucky, 8);
        assert_true(sample_mean(&sums.score[WITHOUT_LUCK]) == 0.5);
        assert_true(sample_variance(&sums.score[WITHOUT_LUCK]) == 0.0);
        assert_true(ratio_mean(&sums.points[WITHOUT_LUCK]) == 0.0);
    }
}

static void a_value_that_knows_something_takes_luck_out(void **state)
{
    (void)state;
    struct pair_setting setting = toy_setting(1);
    struct player a, b;
    char error[PLAYER_ERROR_MAX];
    struct adjusted_sums sums = {0};

    setting.luck = luck_setting_of(setting.rules, 16); /* the shipped network */
    assert_null(pair_setting_check(&setting));
    assert_true(player_read("ai-simple", &a, sizeof error, error));
    assert_true(player_read("dc3-rulebased", &b, sizeof error, error));
    for (uint64_t pair = 0; pair < 60; pair++) {
        struct pair_result result = play_pair(&setting, &a, &b, pair);
        adjusted_add(&sums, &result);
    }
    assert_true(adjusted_points_share(&sums) < 0.8);
    assert_true(adjusted_points_share(&sums) > 0.0);
    assert_true(adjusted_score_share(&sums) < 0.9);
    /* Both say the same, the adjusted one more exactly. */
    double off = ratio_mean(&sums.points[WITHOUT_LUCK]) - ratio_mean(&sums.points[AS_PLAYED]);
    assert_true(fabs(off) < 4.0 * ratio_error(&sums.points[AS_PLAYED]));
}

static void games_do_not_change_when_luck_is_measured(void **state)
{
    (void)state;
    const struct pair_setting plain = toy_setting(2), measured = setting_with(2, 16, counting);
    const struct player a = toy(0.5), b = toy(2.0);
    struct adjusted_sums sums = {0};

    for (uint64_t pair = 0; pair < 10; pair++) {
        struct pair_result one = play_pair(&plain, &a, &b, pair);
        struct pair_result two = play_pair(&measured, &a, &b, pair);
        assert_true(same_games(&one, &two));
        assert_false(one.game[0].has_luck);
        adjusted_add(&sums, &one);
    }
    assert_int_equal(sums.score[AS_PLAYED].count, 0);
}

static void a_conceded_game_has_the_luck_of_its_throws(void **state)
{
    (void)state;
    struct pair_setting setting = setting_with(2, 8, counting);
    struct player a = toy(0.5), b = toy(0.5);

    a.setting[TOY_CONCEDES] = 1.0;
    setting.rules = rules_find("dc3");
    struct pair_result result = play_pair(&setting, &a, &b, 0);
    assert_true(result.game[0].conceded && result.game[0].has_luck);
    assert_true(result.game[0].luck.points != 0.0);
}

/* ---- settings, records, test ---- */

static void settings_that_cannot_be_measured_are_named(void **state)
{
    (void)state;
    struct pair_setting setting = setting_with(1, LUCK_THROWS_MAX + 1, counting);

    assert_non_null(strstr(pair_setting_check(&setting), "luck"));
    setting = setting_with(1, 8, (struct judge_source){.by = JUDGE_BY_NETWORK});
    assert_non_null(pair_setting_check(&setting));
    setting.luck.throws = 0;
    assert_null(pair_setting_check(&setting));
}

static void records_keep_luck_to_the_last_bit(void **state)
{
    (void)state;
    const struct pair_setting setting = setting_with(2, 8, wrong);
    const struct player a = toy(0.5), b = toy(2.0);
    struct pair_result result = play_pair(&setting, &a, &b, 5), again = {0};
    struct record_name name = {0, 1, 5}, found;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    match_record_write_pair(out, &name, &result);
    fclose(out);
    assert_true(match_record_read_pair(text, size, &found, &again));
    for (int g = 0; g < 2; g++) {
        assert_true(again.game[g].has_luck);
        assert_true(again.game[g].luck.win == result.game[g].luck.win);
        assert_true(again.game[g].luck.points == result.game[g].luck.points);
    }
    free(text);
}

/* Normal pairs of one mean: the test chooses the hypothesis that is nearer, and needs more pairs
 * when they vary more. */
static int pairs_until(double mean, double deviation, enum sprt_decision *ret_decision)
{
    const struct sprt sprt = sprt_between(0, 30);
    const struct random_key key = {.seed = 5};
    struct sample scores = {0};

    do {
        sample_add(&scores, mean + deviation * random_normal_pair(&key, (uint64_t)scores.count).z0);
        *ret_decision = sprt_decision_at(&sprt, sprt_sample_ratio(&sprt, &scores));
    } while (*ret_decision == SPRT_OPEN && scores.count < 100000);
    return (int)scores.count;
}

static void the_test_of_adjusted_values_decides(void **state)
{
    (void)state;
    enum sprt_decision decision;

    int few = pairs_until(score_of_elo(30), 0.1, &decision);
    assert_int_equal(decision, SPRT_H1);
    int many = pairs_until(score_of_elo(30), 0.25, &decision);
    assert_int_equal(decision, SPRT_H1);
    assert_true(few >= SPRT_SAMPLES_LEAST && few < many);
    pairs_until(score_of_elo(0), 0.25, &decision);
    assert_int_equal(decision, SPRT_H0);
    /* Identical players: all pairs are exactly one half. */
    assert_int_equal(pairs_until(0.5, 0.0, &decision), SPRT_SAMPLES_LEAST);
    assert_int_equal(decision, SPRT_H0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wrong_value_gives_luck_of_mean_zero),
        cmocka_unit_test(identical_players_have_exactly_half),
        cmocka_unit_test(a_value_that_knows_something_takes_luck_out),
        cmocka_unit_test(games_do_not_change_when_luck_is_measured),
        cmocka_unit_test(a_conceded_game_has_the_luck_of_its_throws),
        cmocka_unit_test(settings_that_cannot_be_measured_are_named),
        cmocka_unit_test(records_keep_luck_to_the_last_bit),
        cmocka_unit_test(the_test_of_adjusted_values_decides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
