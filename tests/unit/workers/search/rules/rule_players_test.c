/* The rule-based players decide as their lists say, on any ice, and their specs are written as they
 * are read. */
#include "models/game/score.h"
#include "models/game/sheet.h"
#include "models/ice/action_grid.h"
#include "models/ice/aim.h"
#include "models/ice/sample_shots.h"
#include "tests/unit/models/game/remove.h"
#include "tests/unit/workers/search/asking.h"
#include "tests/vectors/vectors.h"

static const char *const profiles[] = {"dc2", "dc3", "dc4"};
enum { PROFILES = 3 };

static void assert_near(double value, double wanted, double tolerance)
{
    if (!(fabs(value - wanted) <= tolerance))
        fail_msg("%.12g is not within %.3g of %.12g", value, tolerance, wanted);
}

static struct vec2 tee_plus(double x, double y)
{
    return (struct vec2){SHEET_TEE_X + x, SHEET_TEE_Y + y};
}

/* A game at some shot, with the rest of a query. */
struct scene {
    struct game game;
    const struct ice_profile *ice;
    struct noise noise;
    struct player_query query;
};

static void set_scene(struct scene *scene, const char *profile, int shot)
{
    const struct rules *rules = rules_find(profile);
    assert_int_equal(game_start(rules, 2, 0, 1, &scene->game), GAME_OK);
    scene->game.shot = shot;
    scene->ice = profile_of(rules)->ice;
    scene->noise = noise_default(scene->ice, scene->ice->noise);
    scene->query = (struct player_query){
        .game = &scene->game,
        .ice = scene->ice,
        .noise = &scene->noise,
        .key = {.seed = 3, .stream = 0, .game = 0, .shot = (uint32_t)shot, .purpose = 0},
        .candidates = PLAYER_CANDIDATES_MAX,
    };
}

static void assert_shot(struct shot shot, struct shot wanted)
{
    assert_near(vec2_distance(shot.velocity, wanted.velocity), 0.0, 1e-9);
    assert_near(shot.omega, wanted.omega, 1e-12);
}

/* Whether the noise-free shot leaves `stone` in play. */
static bool stays(const struct scene *scene, struct shot shot, int stone)
{
    struct throw_result result =
        throw_or_fail(scene->ice, &scene->game.position, scene->game.shot, shot);
    return position_has(&result.after, stone);
}

static void ai_simple_draws_when_the_house_is_empty(void **state)
{
    (void)state;
    struct scene scene;
    set_scene(&scene, "dc2", 4);
    struct player_answer answer = ask("ai-simple", &scene.query);
    assert_near(answer.shot.velocity.x, 0.99074, 1e-5);
    assert_near(answer.shot.velocity.y, 29.55977, 1e-5);
    assert_true(answer.shot.omega > 0.0);
    assert_false(answer.has_value);
    assert_int_equal(answer.candidates, 1);
    assert_int_equal(answer.candidate[0].candidate.kind, SHOT_DRAW);

    /* An opponent's guard changes nothing, nor does a stone just outside the house. */
    position_put(&scene.game.position, 1, tee_plus(0.3, -3.0));
    position_put(&scene.game.position, 3, tee_plus(1.98, 0.0));
    assert_shot(ask("ai-simple", &scene.query).shot, answer.shot);
}

static void ai_simple_hits_the_opponents_first_stone_with_spin_0(void **state)
{
    (void)state;
    for (int k = 0; k < 20; k++) {
        struct scene scene;
        struct vec2 at = tee_plus(-0.9 + 0.09 * k, 0.5 - 0.05 * k);
        set_scene(&scene, "dc2", 8);
        position_put(&scene.game.position, 3, at);
        position_put(&scene.game.position, 0, tee_plus(-1.5, 1.0)); /* own, farther away */
        struct player_answer answer = ask("ai-simple", &scene.query);
        assert_shot(answer.shot, sample_dc2_hit(scene.ice, at, 16.0, scene.ice->spin));
        assert_int_equal(answer.candidate[0].candidate.kind, SHOT_HIT);
        assert_int_equal(answer.candidate[0].candidate.stone, 3);
        assert_int_equal(answer.simulations, 0);
        assert_false(stays(&scene, answer.shot, 3));
    }
}

static void ai_simple_guards_its_own_first_stone(void **state)
{
    (void)state;
    struct scene scene;
    for (int right = 0; right < 2; right++) {
        struct vec2 at = tee_plus(right ? 0.4 : -0.4, 0.2);
        set_scene(&scene, "dc2", 8);
        position_put(&scene.game.position, 2, at);
        position_put(&scene.game.position, 3, tee_plus(1.0, 1.0));
        struct player_answer answer = ask("ai-simple", &scene.query);
        /* Its low-x side is our right. */
        double omega = right ? scene.ice->spin : -scene.ice->spin;
        assert_shot(answer.shot, sample_dc2_draw((struct vec2){at.x, at.y - 2.0}, omega));
        assert_int_equal(answer.candidate[0].candidate.kind, SHOT_GUARD);
    }
}

/* Returns how often a shot puts stone 3 out of the house, with random numbers other than the
 * player's. */
static int removals(const struct scene *scene, const struct noise *noise, struct shot shot,
                    int runs)
{
    const struct random_key key = {.seed = 99, .purpose = RANDOM_EXECUTION};
    int removed = 0;
    for (int k = 0; k < runs; k++) {
        struct throw_request request = {
            .ice = scene->ice, .before = &scene->game.position, .stone = scene->game.shot};
        struct throw_result result;
        request.shot = noise_apply(noise, scene->ice, shot, random_normal_pair(&key, (uint64_t)k));
        assert_int_equal(throw_fast(&request, &result), THROW_OK);
        removed += !position_has(&result.after, 3) ||
                   sqrt(tee_distance_squared(result.after.stone[3])) >= 1.83 + 0.145;
    }
    return removed;
}

/* Guards that block one spin more than the other. */
static void ai_simple_best_spin_takes_the_better_one(void **state)
{
    (void)state;
    int decided = 0, clockwise = 0;
    for (int k = 0; k < 40; k++) {
        struct scene scene;
        set_scene(&scene, "dc2", 8);
        position_put(&scene.game.position, 3, tee_plus(0.0, 0.0));
        position_put(&scene.game.position, 1, tee_plus(-0.8 + 0.04 * k, -3.5));
        struct noise noise = noise_default(scene.ice, ICE_NOISE_GAT);
        noise.gat_stddev_x_m = noise.gat_stddev_y_m = 0.145;
        struct vec2 at = scene.game.position.stone[3];
        struct shot hit[2] = {sample_dc2_hit(scene.ice, at, 16.0, scene.ice->spin),
                              sample_dc2_hit(scene.ice, at, 16.0, -scene.ice->spin)};
        int removed[2] = {removals(&scene, &noise, hit[0], 1000),
                          removals(&scene, &noise, hit[1], 1000)};

        struct player_answer best = ask("ai-simple:best_spin=true", &scene.query);
        assert_int_equal(best.simulations, 200);
        assert_shot(ask("ai-simple", &scene.query).shot, hit[0]);
        if (abs(removed[0] - removed[1]) < 250) /* 3.5 standard errors of 2 x 100 throws */
            continue;
        decided++;
        clockwise += removed[1] > removed[0];
        assert_shot(best.shot, hit[removed[1] > removed[0]]);
    }
    print_message("%d of 40 guards decide, %d for spin 1\n", decided, clockwise);
    assert_true(clockwise >= 2 && decided - clockwise >= 2);
}

static void ai_simple_errs_with_probability_epsilon(void **state)
{
    (void)state;
    int random = 0;
    for (uint64_t k = 0; k < 2000; k++) {
        struct scene scene;
        set_scene(&scene, "dc2", 4);
        scene.query.key.game = k;
        random +=
            ask("ai-simple:epsilon=0.3", &scene.query).candidate[0].candidate.kind == SHOT_OTHER;
    }
    assert_in_range(random, 600 - 82, 600 + 82); /* 4 standard deviations */
}

static void random_plays_all_actions_alike(void **state)
{
    (void)state;
    struct scene scene;
    const struct shot *shots;
    int lines[ACTION_LINES] = {0}, weights[ACTION_WEIGHTS] = {0}, left = 0;
    set_scene(&scene, "dc3", 0);
    shots = action_table(scene.ice);
    for (uint64_t k = 0; k < 3200; k++) {
        scene.query.key.game = k;
        struct shot shot = ask("random", &scene.query).shot;
        int action = action_nearest(scene.ice, &shot);
        assert_shot(shot, shots[action]);
        lines[action_parts(action).line]++;
        weights[action_parts(action).weight]++;
        left += action_parts(action).spin == ACTION_SPIN_LEFT;
    }
    for (int k = 0; k < ACTION_LINES; k++)
        assert_in_range(lines[k], 100 - 45, 100 + 45);
    for (int k = 0; k < ACTION_WEIGHTS; k++)
        assert_in_range(weights[k], 320 - 77, 320 + 77);
    assert_in_range(left, 1600 - 125, 1600 + 125);
}

static void dc3_rulebased_follows_its_list(void **state)
{
    (void)state;
    struct scene scene;
    set_scene(&scene, "dc3", 8);
    double spin = scene.ice->spin;

    struct player_answer answer = ask("dc3-rulebased", &scene.query);
    assert_near(answer.shot.velocity.x, 0.1317, 1e-4);
    assert_near(answer.shot.velocity.y, 2.3997, 1e-4);
    assert_true(answer.shot.omega == spin);

    /* Its own stone: guarded from 2 m in front, clockwise on the left. */
    position_put(&scene.game.position, 2, tee_plus(-0.3, 0.0));
    answer = ask("dc3-rulebased", &scene.query);
    assert_shot(answer.shot, sample_fcv1_shot(scene.ice, tee_plus(-0.3, -2.0), 0.0, -spin));
    position_put(&scene.game.position, 2, tee_plus(0.3, 0.0));
    answer = ask("dc3-rulebased", &scene.query);
    assert_shot(answer.shot, sample_fcv1_shot(scene.ice, tee_plus(0.3, -2.0), 0.0, spin));

    /* The opponent's stone in the open: both spins work; counter-clockwise is chosen. */
    position_remove(&scene.game.position, 2);
    position_put(&scene.game.position, 3, tee_plus(0.1, 0.1));
    answer = ask("dc3-rulebased", &scene.query);
    assert_int_equal(answer.simulations, 100);
    assert_false(stays(&scene, answer.shot, 3));
    struct shot ccw = sample_fcv1_shot(scene.ice, tee_plus(0.1, 0.1), 3.0, spin);
    struct shot cw = sample_fcv1_shot(scene.ice, tee_plus(0.1, 0.1), 3.0, -spin);
    assert_true(vec2_distance(answer.shot.velocity, ccw.velocity) < 1e-9 ||
                vec2_distance(answer.shot.velocity, cw.velocity) < 1e-9);

    /* A guard blocks one spin: the other one is used, left or right. */
    int taken[2] = {0, 0};
    for (int k = 0; k < 60; k++) {
        position_put(&scene.game.position, 1, tee_plus(-0.6 + 0.02 * k, -2.9));
        int clear[2] = {removals(&scene, &scene.noise, ccw, 300),
                        removals(&scene, &scene.noise, cw, 300)};
        if (abs(clear[0] - clear[1]) < 120)
            continue;
        int better = clear[1] > clear[0];
        answer = ask("dc3-rulebased", &scene.query);
        assert_shot(answer.shot, better ? cw : ccw);
        taken[better]++;
    }
    assert_true(taken[0] >= 2 && taken[1] >= 2);
}

/* Both sample programs also play on other ice: a draw to the tee, a hit that removes. */
static void samples_play_on_all_ice(void **state)
{
    (void)state;
    static const char *const specs[] = {"ai-simple", "ai-simple:best_spin=true", "dc3-rulebased"};
    for (int p = 0; p < PROFILES; p++)
        for (int s = 0; s < 3; s++) {
            struct scene scene;
            struct throw_result result;
            set_scene(&scene, profiles[p], 8);
            struct throw_request request = {
                .ice = scene.ice, .before = &scene.game.position, .stone = 8};
            request.shot = ask(specs[s], &scene.query).shot;
            assert_int_equal(throw_fast(&request, &result), THROW_OK);
            assert_true(position_has(&result.after, 8));
            assert_true(tee_distance_squared(result.after.stone[8]) < 0.1 * 0.1);

            position_put(&scene.game.position, 3, tee_plus(0.4, -0.6));
            assert_false(stays(&scene, ask(specs[s], &scene.query).shot, 3));
        }
}

/* Last stone, one opponent's stone on the button and an empty house otherwise: the generator
 * scores. */
static void generator_finds_the_last_shot(void **state)
{
    (void)state;
    for (int p = 0; p < PROFILES; p++) {
        struct scene scene;
        set_scene(&scene, profiles[p], 15);
        position_put(&scene.game.position, 14, tee_plus(0.0, 0.9));
        position_put(&scene.game.position, 13, tee_plus(0.8, 1.0));
        struct player_answer answer = ask("generator:samples=128", &scene.query);
        assert_true(answer.has_value);
        assert_true(answer.expected_score > 0.95); /* nearer than 0.9 m, or a take-out for two */
        double total = 0.0;
        for (int k = 0; k < OBJECTIVE_SCORES; k++)
            total += answer.distribution.p[k];
        assert_near(total, 1.0, 1e-12);
        assert_near(objective_score(&answer.distribution), answer.expected_score, 1e-12);

        assert_int_equal(answer.candidates, PLAYER_CANDIDATES_MAX);
        assert_shot(answer.candidate[0].candidate.shot, answer.shot);
        for (int k = 0; k < answer.candidates; k++) {
            const struct player_candidate *c = &answer.candidate[k];
            assert_int_equal(c->visits, 128);
            assert_true(c->lower_bound <= c->value && c->value == c->expected_score);
            assert_true(c->success >= 0.0 && c->success <= 1.0);
            assert_true(k == 0 || c->lower_bound <= answer.candidate[k - 1].lower_bound);
        }

        /* Its expectation comes true, with random numbers other than the player's. */
        const struct random_key key = {.seed = 77, .purpose = RANDOM_EXECUTION};
        double sum = 0.0;
        for (uint64_t k = 0; k < 4000; k++) {
            struct throw_request request = {
                .ice = scene.ice,
                .before = &scene.game.position,
                .stone = 15,
                .shot =
                    noise_apply(&scene.noise, scene.ice, answer.shot, random_normal_pair(&key, k))};
            struct throw_result result;
            assert_int_equal(throw_fast(&request, &result), THROW_OK);
            sum -= score_position(scene.game.rules, &result.after, false);
        }
        assert_near(sum / 4000.0, answer.expected_score, 0.12);
    }
}

/* A guard taken out too early comes back, so that gains nothing. */
static void generator_respects_the_free_guard_zone(void **state)
{
    (void)state;
    struct scene scene;
    set_scene(&scene, "dc2", 1);
    position_put(&scene.game.position, 0, tee_plus(0.0, -2.9));
    struct player_answer answer = ask("generator", &scene.query);
    assert_true(answer.expected_score > 0.9); /* a draw counts one */
    assert_true(answer.candidate[0].candidate.kind != SHOT_PEEL &&
                answer.candidate[0].candidate.kind != SHOT_HIT);
}

static void generator_keeps_its_limits_and_repeats_itself(void **state)
{
    (void)state;
    static const int64_t limits[] = {1, 2, 50, 777, 5000, 1000000};
    struct scene scene;
    set_scene(&scene, "dc2", 9);
    for (int k = 0; k < 8; k++)
        position_put(&scene.game.position, k, tee_plus(0.5 * (k % 4) - 0.8, k < 4 ? 0.2 : -1.2));
    for (int k = 0; k < 6; k++) {
        scene.query.limits = (struct player_limits){.simulations = limits[k], .threads = 1};
        struct player_answer answer = ask("generator", &scene.query);
        assert_in_range(answer.simulations, 1, limits[k]);
        assert_false(answer.cancelled);
        scene.query.limits.simulations = answer.simulations;
        scene.query.limits.threads = 4;
        struct player_answer again = ask("generator", &scene.query);
        assert_same_answer(&again, &answer);
    }

    /* Limited by time: the reported number of simulations reproduces the answer. */
    scene.query.limits = (struct player_limits){.time_s = 0.002};
    struct player_answer timed = ask("generator:samples=4096", &scene.query);
    scene.query.limits = (struct player_limits){.simulations = timed.simulations};
    struct player_answer again = ask("generator:samples=4096", &scene.query);
    assert_same_answer(&again, &timed);

    /* Cancelled before the start: the answer of one round. */
    const atomic_bool cancel = true;
    scene.query.limits = (struct player_limits){0};
    scene.query.cancel = &cancel;
    struct player_answer stopped = ask("generator", &scene.query);
    assert_true(stopped.cancelled);
    assert_int_equal(stopped.candidate[0].visits, 1);
    assert_true(ask("ai-simple", &scene.query).shot.velocity.y > 0.0);
}

static void note_report(void *context, const struct player_answer *so_far)
{
    int *reports = context;
    assert_true(so_far->candidates > 0 && so_far->simulations > 0);
    (*reports)++;
}

static void generator_reports_while_it_thinks(void **state)
{
    (void)state;
    struct scene scene;
    int reports = 0;
    set_scene(&scene, "dc3", 7);
    struct player_answer quiet = ask("generator:samples=32", &scene.query);
    scene.query.report = note_report;
    scene.query.context = &reports;
    struct player_answer told = ask("generator:samples=32", &scene.query);
    assert_true(reports > 0);
    assert_same_answer(&told, &quiet);
}

static void generator_random_is_uniform_over_the_simple_moves(void **state)
{
    (void)state;
    struct scene scene;
    int count[SHOT_KIND_COUNT][2] = {{0}};
    set_scene(&scene, "dc2", 6);
    position_put(&scene.game.position, 2, tee_plus(0.0, 0.1));
    position_put(&scene.game.position, 3, tee_plus(0.5, 0.5));
    for (uint64_t k = 0; k < 1600; k++) {
        scene.query.key.game = k;
        struct player_answer answer = ask("generator:random=true", &scene.query);
        const struct candidate *c = &answer.candidate[0].candidate;
        assert_true(c->kind == SHOT_DRAW || (c->kind == SHOT_HIT && c->stone == 3));
        assert_int_equal(answer.simulations, 0);
        count[c->kind][c->shot.omega > 0.0]++;
    }
    for (int side = 0; side < 2; side++) {
        assert_in_range(count[SHOT_DRAW][side], 400 - 70, 400 + 70);
        assert_in_range(count[SHOT_HIT][side], 400 - 70, 400 + 70);
    }
    /* No opponent in the house: draws only. */
    position_remove(&scene.game.position, 3);
    for (uint64_t k = 0; k < 50; k++) {
        scene.query.key.game = k;
        assert_int_equal(ask("generator:random=true", &scene.query).candidate[0].candidate.kind,
                         SHOT_DRAW);
    }
}

/* Any position of random play: a valid shot, the same each time. */
static void all_players_answer_everywhere(void **state)
{
    (void)state;
    static const char *const specs[] = {"random",
                                        "ai-simple",
                                        "ai-simple:best_spin=true",
                                        "ai-simple:epsilon=0.5",
                                        "dc3-rulebased",
                                        "generator:samples=2",
                                        "generator:samples=2,objective=win",
                                        "generator:random=true"};
    static const char *const files[] = {TEST_VECTORS "/public-dc2.jsonl",
                                        TEST_VECTORS "/public-fcv1.jsonl"};
    for (int f = 0; f < 2; f++) {
        struct vectors vectors;
        assert_true(vectors_load(files[f], &vectors));
        for (size_t i = 0; i < vectors.count; i += 9) {
            const struct vector_scene *v = &vectors.scene[i];
            for (int r = 0; r < 2; r++) {
                struct scene scene;
                set_scene(&scene, f == 0 ? "dc2" : r == 0 ? "dc3" : "dc4", v->stone);
                scene.game.position = v->before;
                scene.query.key.game = i;
                for (size_t s = 0; s < sizeof specs / sizeof specs[0]; s++) {
                    struct player_answer answer = ask(specs[s], &scene.query);
                    struct throw_request request = vector_request(v);
                    request.ice = scene.ice;
                    request.shot = answer.shot;
                    assert_int_equal(throw_check(&request), THROW_OK);
                    assert_shot(ask(specs[s], &scene.query).shot, answer.shot);
                }
            }
        }
        vectors_free(&vectors);
    }
}

static void specs_are_written_as_they_are_read(void **state)
{
    (void)state;
    static const char *const same[] = {"random",
                                       "ai-simple",
                                       "ai-simple:best_spin=true",
                                       "ai-simple:epsilon=0.25",
                                       "ai-simple:best_spin=true,epsilon=1",
                                       "dc3-rulebased",
                                       "generator",
                                       "generator:samples=4096,objective=win,random=true"};
    static const char *const other[][2] = {
        {"ai-simple:epsilon=0", "ai-simple"},
        {"ai-simple:epsilon=5e-1,best_spin=false", "ai-simple:epsilon=0.5"},
        {"generator:objective=score,samples=32", "generator:samples=32"},
    };
    struct player player;
    char error[300], spec[PLAYER_SPEC_MAX];
    for (size_t k = 0; k < sizeof same / sizeof same[0]; k++) {
        assert_true(player_read(same[k], &player, sizeof error, error));
        player_write(&player, sizeof spec, spec);
        assert_string_equal(spec, same[k]);
    }
    for (size_t k = 0; k < sizeof other / sizeof other[0]; k++) {
        assert_true(player_read(other[k][0], &player, sizeof error, error));
        player_write(&player, sizeof spec, spec);
        assert_string_equal(spec, other[k][1]);
    }
}

static void bad_specs_name_the_field(void **state)
{
    (void)state;
    static const char *const bad[][2] = {
        {"nobody", "nobody"},
        {"", "no player"},
        {"Random", "Random"},
        {"random:epsilon=1", "epsilon"},
        {"ai-simple:epsilon=1.5", "epsilon"},
        {"ai-simple:epsilon=nan", "epsilon"},
        {"ai-simple:epsilon=", "epsilon"},
        {"ai-simple:epsilon", "epsilon"},
        {"ai-simple:best_spin=1", "best_spin"},
        {"ai-simple:epsilon=0.1,epsilon=0.2", "epsilon"},
        {"ai-simple:", "SETTING=VALUE"},
        {"generator:samples=0", "samples"},
        {"generator:samples=1.5", "samples"},
        {"generator:objective=money", "objective"},
        {"generator:sample=4", "sample"},
        {"generator:samples=4,", "SETTING=VALUE"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        struct player player = {.setting = {42.0}};
        char error[300] = "";
        assert_false(player_read(bad[k][0], &player, sizeof error, error));
        if (!strstr(error, bad[k][1]))
            fail_msg("\"%s\": \"%s\" does not say \"%s\"", bad[k][0], error, bad[k][1]);
        assert_true(player.setting[0] == 42.0 && player.class == NULL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ai_simple_draws_when_the_house_is_empty),
        cmocka_unit_test(ai_simple_hits_the_opponents_first_stone_with_spin_0),
        cmocka_unit_test(ai_simple_guards_its_own_first_stone),
        cmocka_unit_test(ai_simple_best_spin_takes_the_better_one),
        cmocka_unit_test(ai_simple_errs_with_probability_epsilon),
        cmocka_unit_test(random_plays_all_actions_alike),
        cmocka_unit_test(dc3_rulebased_follows_its_list),
        cmocka_unit_test(samples_play_on_all_ice),
        cmocka_unit_test(generator_finds_the_last_shot),
        cmocka_unit_test(generator_respects_the_free_guard_zone),
        cmocka_unit_test(generator_keeps_its_limits_and_repeats_itself),
        cmocka_unit_test(generator_reports_while_it_thinks),
        cmocka_unit_test(generator_random_is_uniform_over_the_simple_moves),
        cmocka_unit_test(all_players_answer_everywhere),
        cmocka_unit_test(specs_are_written_as_they_are_read),
        cmocka_unit_test(bad_specs_name_the_field),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
