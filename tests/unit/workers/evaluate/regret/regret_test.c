/* The regret bench: its files, the winner's curse, and players of known strength. */
#include "workers/evaluate/regret/bench.h"

#include "api/jobs/job_kinds.h"
#include "models/ice/random.h"
#include "models/tables/profiles.h"
#include "tests/slow.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void assert_near(double found, double wanted, double most)
{
    if (!(fabs(found - wanted) <= most))
        fail_msg("%.9g is not %.9g", found, wanted);
}

/* ---- one shot ---- */

/* A shot whose blocks are `win` plus errors of this size. */
static void blocks_of(double win, double error, uint64_t number,
                      struct referee_value ret_blocks[REFEREE_BLOCKS])
{
    const struct random_key key = {.seed = 7, .game = number, .purpose = RANDOM_SCENE};

    for (int k = 0; k < REFEREE_BLOCKS; k++) {
        double by = error * random_normal_pair(&key, (uint64_t)k).z0;
        ret_blocks[k] = (struct referee_value){win + by, 10.0 * (win + by)};
    }
}

static void a_worse_shot_loses_what_it_is_worse(void **state)
{
    struct refereed refereed = {.count = 2};
    struct referee_value own[REFEREE_BLOCKS], noise;
    (void)state;

    blocks_of(0.5, 0.0, 0, refereed.finalists[0].block);
    blocks_of(0.6, 0.0, 0, refereed.finalists[1].block);
    blocks_of(0.45, 0.0, 0, own);
    struct referee_value lost = regret_of_shot(&refereed, own, &noise);
    assert_near(lost.win, 0.15, 1e-6);
    assert_near(lost.points, 1.5, 1e-6);
    assert_near(noise.win, 0.0, 1e-6);
    blocks_of(0.7, 0.0, 0, own);
    lost = regret_of_shot(&refereed, own, &noise);
    assert_near(lost.win, 0.0, 1e-6);
}

/* Twelve equal shots, one of which looks best by luck. */
static void luck_of_the_best_shot_does_not_count(void **state)
{
    skip_one_thread();
    enum { TIMES = 4000, SHOTS = REFEREE_FINALISTS_MAX };
    struct sample lost = {.count = 0};
    struct refereed refereed = {.count = SHOTS};
    struct referee_value own[REFEREE_BLOCKS], noise;
    (void)state;

    for (uint64_t time = 0; time < TIMES; time++) {
        for (uint64_t k = 0; k < SHOTS; k++)
            blocks_of(0.5, 0.1, (SHOTS + 1) * time + k, refereed.finalists[k].block);
        blocks_of(0.5, 0.1, (SHOTS + 1) * time + SHOTS, own);
        sample_add(&lost, regret_of_shot(&refereed, own, &noise).win);
    }
    const double error = sqrt(sample_variance(&lost) / TIMES);
    assert_true(error < 0.002);
    /* The best of twelve means by luck alone would be .058 better. */
    assert_true(fabs(sample_mean(&lost)) < 4.0 * error);
}

/* ---- files ---- */

static void path_in(char ret_path[64])
{
    snprintf(ret_path, 64, "/tmp/rinkd-regret-XXXXXX");
    int fd = mkstemp(ret_path);
    assert_true(fd >= 0);
    close(fd);
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    fclose(file);
}

/* Positions in which the last stone is thrown, dc2 and dc3. */
static void write_last_shots(const char *path, int count)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (int k = 0; k < count; k++) {
        struct game game;
        assert_true(situations_draw(5, 16 * k + 15, &game));
        assert_int_equal(game.shot, 15);
        assert_string_equal(game.rules->name, k % 2 == 0 ? "dc2" : "dc3");
        assert_true(situations_write(file, k, &game));
    }
    fclose(file);
}

static void positions_read_back(void **state)
{
    struct situations situations;
    char path[64], error[SITUATIONS_ERROR_MAX];
    (void)state;

    path_in(path);
    write_last_shots(path, 2);
    assert_true(situations_read(path, &situations, error));
    assert_int_equal(situations.count, 2);
    for (int k = 0; k < 2; k++) {
        struct game game;
        assert_true(situations_draw(5, 16 * k + 15, &game));
        assert_memory_equal(&game.position, &situations.games[k].position, sizeof game.position);
        assert_int_equal(game.end, situations.games[k].end);
        assert_int_equal(game_total(&game, 0), game_total(&situations.games[k], 0));
        assert_int_equal(game.hammer_team, situations.games[k].hammer_team);
    }
    situations_free(&situations);
    unlink(path);
}

static void bad_positions_are_told(void **state)
{
#define STATE                                                                                      \
    "\"state\":{\"end\":0,\"shot\":0,\"hammer\":\"team1\",\"scores\":{\"team0\":[null],\"team1\":" \
    "[null]},"
#define STONES "\"stones\":{\"team0\":[],\"team1\":[]}}"
    static const struct {
        const char *text, *told;
    } bad[] = {
        {"", "no positions"},
        {"[]\n", "line 1"},
        {"{\"number\":1,\"profile\":\"dc2\"," STATE STONES ",\"setting\":{\"max_end\":1}}\n",
         "/number"},
        {"{\"number\":0,\"profile\":\"dc9\"," STATE STONES ",\"setting\":{\"max_end\":1}}\n",
         "/profile"},
        {"{\"number\":0,\"profile\":\"dc2\"," STATE
         "\"stones\":{\"team0\":[{\"position\":{\"x\":1e9,\"y\":0}}],\"team1\":[]}}}\n",
         "/state/stones/team0/0"},
        {"{\"number\":0,\"profile\":\"dc2\"}\n", "/state"},
    };
    char path[64], error[SITUATIONS_ERROR_MAX];
    struct situations situations;
    (void)state;

    path_in(path);
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        write_text(path, bad[k].text);
        assert_false(situations_read(path, &situations, error));
        if (!strstr(error, bad[k].told))
            fail_msg("%zu: %s", k, error);
        assert_non_null(strstr(error, path));
    }
    unlink(path);
    assert_false(situations_read(path, &situations, error));
    assert_non_null(strstr(error, "No such file"));
}

static void a_referee_file_reads_back(void **state)
{
    struct refereed written = {.count = 2}, *read;
    char path[64], error[SITUATIONS_ERROR_MAX];
    (void)state;

    for (int k = 0; k < 2; k++) {
        written.finalists[k].shot =
            (struct shot){.velocity = {0.1 / 3.0, 2.5 + k / 7.0}, .omega = -M_PI / 2};
        blocks_of(0.5, 0.1, (uint64_t)k, written.finalists[k].block);
    }
    path_in(path);
    FILE *file = fopen(path, "w");
    assert_true(referee_file_write(file, 0, &written) && referee_file_write(file, 1, &written));
    fclose(file);
    assert_int_equal(referee_file_read(path, 5, &read, error), 2);
    for (int k = 0; k < 2; k++) {
        assert_memory_equal(&read[1].finalists[k].shot, &written.finalists[k].shot,
                            sizeof(struct shot));
        for (int b = 0; b < REFEREE_BLOCKS; b++)
            assert_near(read[1].finalists[k].block[b].win, written.finalists[k].block[b].win,
                        0.51 / REFEREE_STEPS);
    }
    free(read);
    assert_int_equal(referee_file_read(path, 1, &read, error), 1);
    free(read);
    write_text(path, "{\"number\":0,\"finalists\":[]}\n");
    assert_int_equal(referee_file_read(path, 5, &read, error), -1);
    assert_non_null(strstr(error, "/finalists"));
    write_text(path,
               "{\"number\":0,\"finalists\":[{\"shot\":[0,1,2],\"win\":[1],\"points\":[]}]}\n");
    assert_int_equal(referee_file_read(path, 5, &read, error), -1);
    assert_non_null(strstr(error, "/finalists/0/win"));
    unlink(path);
}

/* ---- players ---- */

struct small_bench {
    struct situations situations;
    struct refereed refereed[4];
};

/* A bench of last shots, with one finalist for each: what a short search throws. */
static void small_bench(enum referee_kind kind, struct small_bench *ret_bench)
{
    static struct player_answer answer;
    struct player player;
    char path[64], error[SITUATIONS_ERROR_MAX];

    path_in(path);
    write_last_shots(path, 4);
    assert_true(situations_read(path, &ret_bench->situations, error));
    unlink(path);
    assert_true(player_read("rink:simulations=4000", &player, sizeof error, error));
    for (int k = 0; k < 4; k++) {
        const struct game *game = &ret_bench->situations.games[k];
        const struct profile *profile = profile_of(game->rules);
        const struct noise noise = noise_default(profile->ice, profile->ice->noise);
        const struct player_query query = {
            .game = game, .ice = profile->ice, .noise = &noise, .limits = {.threads = 1}};
        struct refereed *refereed = &ret_bench->refereed[k];
        assert_int_equal(player_choose(&player, &query, &answer), PLAYER_OK);
        *refereed = (struct refereed){.count = 1, .finalists[0].shot = answer.shot};
        for (int b = 0; b < REFEREE_BLOCKS; b++)
            assert_int_equal(
                referee_look(kind, game, k, answer.shot, b, NULL, &refereed->finalists[0].block[b]),
                PLAYER_OK);
    }
}

static void measure(const char *spec, int threads, const struct small_bench *bench,
                    struct regret ret_regrets[4])
{
    struct regret_setting setting = {
        .kind = REFEREE_DEEP, .seed = 3, .seeds = 3, .threads = threads};
    char error[PLAYER_ERROR_MAX];

    assert_true(player_read(spec, &setting.player, sizeof error, error));
    assert_int_equal(
        regret_measure(&setting, &bench->situations, bench->refereed, 0, 4, ret_regrets),
        PLAYER_OK);
}

static double sum_of(const struct regret regrets[4])
{
    return regrets[0].lost.win + regrets[1].lost.win + regrets[2].lost.win + regrets[3].lost.win;
}

static void stronger_players_regret_less(void **state)
{
    struct small_bench bench;
    struct regret at_random[4], searched[4], again[4];
    (void)state;

    small_bench(REFEREE_DEEP, &bench);
    measure("random", 1, &bench, at_random);
    measure("rink:simulations=1000", 1, &bench, searched);
    measure("rink:simulations=1000", 3, &bench, again);
    print_message("regret of four last shots: %.3f at random, %.3f searched\n", sum_of(at_random),
                  sum_of(searched));
    assert_true(sum_of(at_random) > sum_of(searched) + 0.1);
    assert_true(sum_of(searched) < 0.2);
    for (int k = 0; k < 4; k++) {
        searched[k].time_s = again[k].time_s = 0.0;
        assert_memory_equal(&searched[k], &again[k], sizeof searched[k]);
        assert_true(searched[k].throws > 500.0 && searched[k].throws <= 1000.0);
    }
    situations_free(&bench.situations);
}

static void another_referee_is_noticed(void **state)
{
    skip_one_thread();
    struct small_bench bench;
    char error[SITUATIONS_ERROR_MAX];
    (void)state;

    small_bench(REFEREE_PLAYOUTS, &bench);
    assert_true(
        regret_check_referee(REFEREE_PLAYOUTS, &bench.situations, bench.refereed, 4, error));
    bench.refereed[1].finalists[0].block[0].win += 0.01; /* the first of dc3 */
    assert_false(
        regret_check_referee(REFEREE_PLAYOUTS, &bench.situations, bench.refereed, 4, error));
    assert_non_null(strstr(error, "another referee"));
    assert_true(
        regret_check_referee(REFEREE_PLAYOUTS, &bench.situations, bench.refereed, 1, error));
    situations_free(&bench.situations);
}

/* Points of the end in each block. */
static void look_at(enum referee_kind kind, const struct game *game, struct shot shot,
                    struct sample *ret_points)
{
    *ret_points = (struct sample){.count = 0};
    for (int b = 0; b < REFEREE_BLOCKS; b++) {
        struct referee_value value;
        assert_int_equal(referee_look(kind, game, 3, shot, b, NULL, &value), PLAYER_OK);
        sample_add(ret_points, value.points);
    }
}

/* Positions with three stones left, dc2 and dc3 in turn: both sides throw after the shot. */
static void luck_is_subtracted_from_both_sides_throws(void **state)
{
    skip_one_thread();
    enum { POSITIONS = 4, FIRST = 13, SHOTS = 16 };
    const struct shot draw = {.velocity = {0.9, 29.4}, .omega = 0.0667};
    double more = 0.0, error2 = 0.0, variance = 0.0, adjusted_variance = 0.0;
    (void)state;

    for (int k = 0; k < POSITIONS; k++) {
        struct sample adjusted, playouts;
        struct game game;
        assert_true(situations_draw(5, FIRST + SHOTS * k, &game));
        assert_int_equal(game.shot, FIRST);
        look_at(REFEREE_ADJUSTED, &game, draw, &adjusted);
        look_at(REFEREE_PLAYOUTS, &game, draw, &playouts);
        more += sample_mean(&adjusted) - sample_mean(&playouts);
        error2 += (sample_variance(&adjusted) + sample_variance(&playouts)) / REFEREE_BLOCKS;
        variance += sample_variance(&playouts) * referee_executions(REFEREE_PLAYOUTS);
        adjusted_variance += sample_variance(&adjusted) * referee_executions(REFEREE_ADJUSTED);
    }
    print_message("adjusted, %.3f +- %.3f points more than played out; variance %.2f of %.2f\n",
                  more / POSITIONS, sqrt(error2) / POSITIONS, adjusted_variance / POSITIONS,
                  variance / POSITIONS);
    assert_true(fabs(more) < 4.0 * sqrt(error2));
    assert_true(adjusted_variance < 0.75 * variance);
}

static void groups_cover_all_positions(void **state)
{
    skip_one_thread();
    struct small_bench bench;
    struct regret regrets[4] = {
        {.lost = {0.1, 1.0}}, {.lost = {0.2, 2.0}}, {.lost = {0.3, 3.0}}, {.lost = {0.4, 4.0}}};
    struct regret_group groups[REGRET_GROUPS_MAX];
    (void)state;

    small_bench(REFEREE_DEEP, &bench);
    int count = regret_groups(&bench.situations, regrets, 0, 4, groups);
    assert_int_equal(count, 4); /* all, dc2, dc3, the last shot */
    assert_string_equal(groups[0].name, "all");
    assert_near(sample_mean(&groups[0].win), 0.25, 1e-6);
    assert_string_equal(groups[1].name, "dc2");
    assert_near(sample_mean(&groups[1].win), 0.2, 1e-6);
    assert_near(sample_mean(&groups[2].points), 3.0, 1e-6);
    assert_string_equal(groups[3].name, "last shot");
    assert_int_equal(groups[3].win.count, 4);
    situations_free(&bench.situations);
}

/* No policy is shipped for mixed doubles. */
static void profiles_that_a_player_cannot_play_are_left_out(void **state)
{
    skip_one_thread();
    struct small_bench bench;
    struct regret regrets[4];
    struct regret_group groups[REGRET_GROUPS_MAX];
    (void)state;

    small_bench(REFEREE_DEEP, &bench);
    for (int k = 1; k < 4; k += 2)
        bench.situations.games[k].rules = rules_find("dc4-modified");
    measure("nfsp", 1, &bench, regrets);
    for (int k = 0; k < 4; k++)
        assert_int_equal(regrets[k].left_out, k % 2);
    int count = regret_groups(&bench.situations, regrets, 0, 4, groups);
    assert_int_equal(count, 3); /* all, dc2, the last shot */
    assert_int_equal(groups[0].win.count, 2);
    assert_string_equal(groups[1].name, "dc2");
    /* It plays its likeliest action: all seeds agree. */
    assert_near(sample_mean(&groups[0].agreement), 1.0, 1e-9);
    situations_free(&bench.situations);
}

/* ---- the committed bench ---- */

static double mean_win(const struct refereed_shot *shot)
{
    double sum = 0.0;

    for (int b = 0; b < REFEREE_BLOCKS; b++)
        sum += shot->block[b].win;
    return sum / REFEREE_BLOCKS;
}

/* A finalist has a value of each kind in every block, and can be thrown. `beyond`: how far a chance
 * may lie outside 0 to 1. */
static void check_finalist(const struct game *game, const struct refereed_shot *shot, int number,
                           double beyond)
{
    const struct throw_request request =
        player_throw(game, profile_of(game->rules)->ice, shot->shot);
    struct throw_result result;

    if (throw_fast(&request, &result) != THROW_OK)
        fail_msg("a finalist of position %d cannot be thrown", number);
    for (int b = 0; b < REFEREE_BLOCKS; b++) {
        const struct referee_value *value = &shot->block[b];
        if (value->win < -beyond || value->win > 1.0 + beyond || fabs(value->points) > 8.0)
            fail_msg("position %d: %g, %g points", number, value->win, value->points);
    }
}

/* Adds how much the values of both referees vary together among the finalists of a position, and
 * how much those of `deep` vary. */
static void add_agreement(struct ratio *ratio, const struct refereed *deep,
                          const struct refereed *playouts)
{
    double of_deep = 0.0, of_playouts = 0.0, together = 0.0, alone = 0.0;

    for (int f = 0; f < deep->count; f++) {
        of_deep += mean_win(&deep->finalists[f]) / deep->count;
        of_playouts += mean_win(&playouts->finalists[f]) / deep->count;
    }
    for (int f = 0; f < deep->count; f++) {
        const double more = mean_win(&deep->finalists[f]) - of_deep;
        together += more * (mean_win(&playouts->finalists[f]) - of_playouts);
        alone += more * more;
    }
    ratio_add(ratio, together, alone);
}

/* Both referees look at the same shots. A shot that is one per cent better by `deep` is one per
 * cent better by the play-outs, which no network values: the slope of the regression is 1. */
static void both_committed_referees_are_whole_and_agree(void **state)
{
    skip_one_thread();
    struct bench deep, playouts;
    struct ratio slope = {.count = 0};
    char error[SITUATIONS_ERROR_MAX];
    (void)state;

    unsetenv("RINKD_REGRET");
    if (!bench_open(REFEREE_DEEP, JOB_SITUATIONS_MAX, &deep, error) ||
        !bench_open(REFEREE_PLAYOUTS, JOB_SITUATIONS_MAX, &playouts, error))
        fail_msg("%s", error);
    assert_int_equal(deep.situations.count, JOB_SITUATIONS_MAX);
    for (int k = 0; k < JOB_SITUATIONS_MAX; k++) {
        const struct refereed *a = &deep.refereed[k], *b = &playouts.refereed[k];
        for (int f = 0; f < a->count; f++)
            check_finalist(&deep.situations.games[k], &a->finalists[f], k, 0.0);
        assert_int_equal(a->count, b->count);
        for (int f = 0; f < b->count; f++) {
            assert_memory_equal(&a->finalists[f].shot, &b->finalists[f].shot, sizeof(struct shot));
            check_finalist(&deep.situations.games[k], &b->finalists[f], k, 0.0);
        }
        add_agreement(&slope, a, b);
    }
    print_message("by play-outs %.3f +- %.3f better where it is 1 better by deep\n",
                  ratio_mean(&slope), ratio_error(&slope));
    assert_true(ratio_error(&slope) < 0.2);
    assert_near(ratio_mean(&slope), 1.0, 3.0 * ratio_error(&slope));
    bench_close(&deep);
    bench_close(&playouts);
}

/* Without luck, chances can lie a little outside 0 to 1. */
static void the_referee_without_luck_is_whole(void **state)
{
    skip_one_thread();
    struct bench bench;
    char error[SITUATIONS_ERROR_MAX];
    (void)state;

    if (!bench_open(REFEREE_ADJUSTED, JOB_SITUATIONS_MAX, &bench, error))
        fail_msg("%s", error);
    for (int k = 0; k < JOB_SITUATIONS_MAX; k++)
        for (int f = 0; f < bench.refereed[k].count; f++)
            check_finalist(&bench.situations.games[k], &bench.refereed[k].finalists[f], k, 0.2);
    bench_close(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_worse_shot_loses_what_it_is_worse),
        cmocka_unit_test(luck_of_the_best_shot_does_not_count),
        cmocka_unit_test(positions_read_back),
        cmocka_unit_test(bad_positions_are_told),
        cmocka_unit_test(a_referee_file_reads_back),
        cmocka_unit_test(stronger_players_regret_less),
        cmocka_unit_test(another_referee_is_noticed),
        cmocka_unit_test(luck_is_subtracted_from_both_sides_throws),
        cmocka_unit_test(groups_cover_all_positions),
        cmocka_unit_test(profiles_that_a_player_cannot_play_are_left_out),
        cmocka_unit_test(both_committed_referees_are_whole_and_agree),
        cmocka_unit_test(the_referee_without_luck_is_whole),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
