/* Proposed shots: each does its job when thrown without noise, mirrored positions get mirrored
 * proposals, and every proposal can be thrown. */
#include "workers/search/shots/candidate.h"

#include "models/game/free_guard_zone.h"
#include "models/game/sheet.h"
#include "models/ice/action_grid.h"
#include "models/ice/aim.h"
#include "models/ice/random.h"
#include "tests/unit/models/game/mirror.h"
#include "tests/unit/models/ice/throw_or_fail.h"
#include "tests/vectors/vectors.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const char *const profiles[] = {"dc2", "dc3", "dc4"};
enum { PROFILES = 3 };

static double draw_number(uint64_t index, double low, double high)
{
    struct random_key key = {
        .seed = 31, .stream = 0, .game = 0, .shot = 0, .purpose = RANDOM_SCENE};
    return low + (high - low) * random_uniform(&key, index);
}

static struct vec2 tee_plus(double x, double y)
{
    return (struct vec2){SHEET_TEE_X + x, SHEET_TEE_Y + y};
}

/* Numbers of proposals and successes of each kind. */
struct tally {
    int proposed[SHOT_KIND_COUNT], done[SHOT_KIND_COUNT];
};

static void count(const struct ice_profile *ice, const struct rules *rules,
                  const struct position *position, int stone, struct tally *tally)
{
    struct candidate candidates[CANDIDATES_MAX];
    int n = candidates_generate(ice, rules, position, stone, candidates, CANDIDATES_MAX);
    for (int k = 0; k < n; k++) {
        struct throw_result result = throw_or_fail(ice, position, stone, candidates[k].shot);
        tally->proposed[candidates[k].kind]++;
        tally->done[candidates[k].kind] +=
            candidate_succeeded(rules, &candidates[k], position, stone, &result);
    }
}

static void assert_share(const struct tally *tally, const char *where, enum shot_kind kind,
                         int least, double share)
{
    print_message("%s %s: %d of %d\n", where, shot_kind_name(kind), tally->done[kind],
                  tally->proposed[kind]);
    assert_true(tally->proposed[kind] >= least);
    assert_true(tally->done[kind] >= share * tally->proposed[kind]);
}

/* An opponent's stone alone, in the house or in front of it. */
static void shots_at_one_stone_do_what_they_say(void **state)
{
    (void)state;
    for (int p = 0; p < PROFILES; p++) {
        const struct ice_profile *ice = ice_profile_find(profiles[p]);
        const struct rules *rules = rules_find(profiles[p]);
        struct tally opponent = {0}, own = {0};
        for (uint64_t k = 0; k < 150; k++) {
            struct position position = {0};
            position_put(
                &position, 6,
                tee_plus(draw_number(2 * k, -1.2, 1.2), draw_number(2 * k + 1, -3.5, 1.2)));
            count(ice, rules, &position, 9, &opponent);
            count(ice, rules, &position, 10, &own);
        }
        assert_share(&opponent, profiles[p], SHOT_DRAW, 2000, 0.93);
        assert_share(&opponent, profiles[p], SHOT_GUARD, 1500, 0.95);
        assert_share(&opponent, profiles[p], SHOT_FREEZE, 300, 0.97);
        assert_share(&opponent, profiles[p], SHOT_COME_AROUND, 200, 0.95);
        assert_share(&opponent, profiles[p], SHOT_HIT, 800, 0.97);
        assert_share(&opponent, profiles[p], SHOT_HIT_AND_ROLL, 500, 0.85);
        assert_share(&opponent, profiles[p], SHOT_TAP_BACK, 200, 0.85);
        assert_share(&opponent, profiles[p], SHOT_PEEL, 400, 0.75);
        assert_share(&opponent, profiles[p], SHOT_THROUGH, 300, 1.0);
        assert_share(&own, profiles[p], SHOT_RAISE, 150, 0.95);
        assert_share(&own, profiles[p], SHOT_GUARD, 2000, 0.95);
        assert_int_equal(own.proposed[SHOT_HIT] + own.proposed[SHOT_PEEL], 0);
    }
}

/* Two opponent's stones near each other in the house, and one in front of the other. */
static void shots_at_two_stones_do_what_they_say(void **state)
{
    (void)state;
    for (int p = 0; p < PROFILES; p++) {
        const struct ice_profile *ice = ice_profile_find(profiles[p]);
        const struct rules *rules = rules_find(profiles[p]);
        struct tally beside = {0}, behind = {0};
        for (uint64_t k = 0; k < 150; k++) {
            struct position position = {0};
            double x = draw_number(1000 + 3 * k, -1.0, 1.0);
            double side = draw_number(1001 + 3 * k, 0.4, 1.0) * (x < 0.0 ? 1.0 : -1.0);
            position_put(&position, 4, tee_plus(x, 0.0));
            position_put(&position, 6, tee_plus(x + side, draw_number(1002 + 3 * k, 0.3, 0.9)));
            count(ice, rules, &position, 9, &beside);

            position = (struct position){0};
            position_put(&position, 4, tee_plus(x, -1.5));
            position_put(&position, 6, tee_plus(x + 0.3 * side, 0.0));
            count(ice, rules, &position, 9, &behind);
        }
        assert_share(&beside, profiles[p], SHOT_DOUBLE, 100, 0.75);
        assert_share(&behind, profiles[p], SHOT_RAISE_TAKEOUT, 150, 0.85);
    }
}

/* All positions of random play in tests/vectors. */
static struct vectors scenes[2];

static int load_scenes(void **state)
{
    (void)state;
    return vectors_load(TEST_VECTORS "/public-dc2.jsonl", &scenes[0]) &&
                   vectors_load(TEST_VECTORS "/public-fcv1.jsonl", &scenes[1])
               ? 0
               : -1;
}

static int free_scenes(void **state)
{
    (void)state;
    vectors_free(&scenes[0]);
    vectors_free(&scenes[1]);
    return 0;
}

static void every_candidate_can_be_thrown(void **state)
{
    (void)state;
    for (int f = 0; f < 2; f++) {
        const struct rules *rules = rules_find(f == 0 ? "dc2" : "dc3");
        int positions = 0, total = 0, fewest = CANDIDATES_MAX, most = 0;
        for (size_t i = 0; i < scenes[f].count; i++) {
            const struct vector_scene *scene = &scenes[f].scene[i];
            struct candidate candidates[CANDIDATES_MAX];
            int n = candidates_generate(scene->ice, rules, &scene->before, scene->stone, candidates,
                                        CANDIDATES_MAX);
            for (int k = 0; k < n; k++) {
                const struct candidate *c = &candidates[k];
                struct throw_request request = vector_request(scene);
                request.shot = c->shot;
                assert_int_equal(throw_check(&request), THROW_OK);
                assert_true(vec2_length(c->shot.velocity) <= action_max_speed(scene->ice));
                assert_true(fabs(c->shot.omega) == scene->ice->spin);
                assert_true(c->kind >= 0 && c->kind < SHOT_OTHER);
                assert_true(c->stone == -1 || position_has(&scene->before, c->stone));
                assert_true(c->other_stone == -1 || position_has(&scene->before, c->other_stone));
                assert_true(c->other_stone == -1 || c->other_stone != c->stone);
                for (int j = 0; j < k; j++)
                    assert_memory_not_equal(&candidates[j].shot, &c->shot, sizeof c->shot);
            }
            if (scene->kind == VECTOR_MID || scene->kind == VECTOR_OUT) {
                positions++;
                total += n;
                fewest = n < fewest ? n : fewest;
                most = n > most ? n : most;
            }
        }
        print_message("%s: %.0f candidates a mid-end position, %d to %d\n", rules->name,
                      (double)total / positions, fewest, most);
        assert_true(fewest >= 20);
        assert_true(most <= 350);
        assert_in_range(total / positions, 80, 300);
    }
}

static void mirrored_positions_have_mirrored_shots(void **state)
{
    (void)state;
    for (int f = 0; f < 2; f++) {
        const struct rules *rules = rules_find(f == 0 ? "dc2" : "dc3");
        int checked = 0;
        for (size_t i = 0; i < scenes[f].count; i += 5) {
            const struct vector_scene *scene = &scenes[f].scene[i];
            struct candidate here[CANDIDATES_MAX], there[CANDIDATES_MAX];
            struct position mirrored = position_mirror(&scene->before);
            int n = candidates_generate(scene->ice, rules, &scene->before, scene->stone, here,
                                        CANDIDATES_MAX);
            assert_int_equal(candidates_generate(scene->ice, rules, &mirrored, scene->stone, there,
                                                 CANDIDATES_MAX),
                             n);
            for (int k = 0; k < n; k++) {
                struct shot wanted = shot_mirror(&here[k].shot);
                int found = 0;
                for (int j = 0; j < n; j++)
                    found += there[j].kind == here[k].kind && there[j].stone == here[k].stone &&
                             there[j].other_stone == here[k].other_stone &&
                             there[j].shot.omega == wanted.omega &&
                             vec2_distance(there[j].shot.velocity, wanted.velocity) < 1e-6;
                assert_int_equal(found, 1);
                checked++;
            }
        }
        assert_true(checked > 10000);
    }
}

static void fewer_are_the_first_of_all(void **state)
{
    (void)state;
    for (size_t i = 1200; i < scenes[0].count; i += 40) {
        const struct vector_scene *scene = &scenes[0].scene[i];
        struct candidate all[CANDIDATES_MAX] = {0}, few[CANDIDATES_MAX] = {0};
        const struct rules *rules = rules_find("dc2");
        int n = candidates_generate(scene->ice, rules, &scene->before, scene->stone, all,
                                    CANDIDATES_MAX);
        for (int most = 0; most < n; most += 7) {
            assert_int_equal(
                candidates_generate(scene->ice, rules, &scene->before, scene->stone, few, most),
                most);
            for (int k = 0; k < most; k++) {
                assert_memory_equal(&few[k].shot, &all[k].shot, sizeof all[k].shot);
                assert_int_equal(few[k].kind, all[k].kind);
            }
        }
    }
}

/* On an empty sheet draws to the tee come first; there is nothing to hit. */
static void an_empty_sheet_has_draws_guards_and_throughs(void **state)
{
    (void)state;
    for (int p = 0; p < PROFILES; p++) {
        const struct position empty = {0};
        struct candidate candidates[CANDIDATES_MAX];
        int n = candidates_generate(ice_profile_find(profiles[p]), rules_find(profiles[p]), &empty,
                                    0, candidates, CANDIDATES_MAX);
        assert_in_range(n, 30, 60);
        for (int k = 0; k < n; k++)
            assert_true(candidates[k].kind == SHOT_DRAW || candidates[k].kind == SHOT_GUARD ||
                        candidates[k].kind == SHOT_THROUGH);
        for (int k = 0; k < 2; k++) {
            assert_int_equal(candidates[k].kind, SHOT_DRAW);
            assert_true(vec2_distance(candidates[k].target, tee_plus(0.0, 0.0)) < 1e-9);
        }
    }
}

/* A guard is left alone during the free guard zone rule, and taken out afterwards. */
static void protected_guards_are_not_taken_out(void **state)
{
    (void)state;
    for (int p = 0; p < PROFILES; p++) {
        const struct rules *rules = rules_find(profiles[p]);
        struct position position = {0};
        position_put(&position, 0, tee_plus(0.0, -3.0));
        for (int shot = rules->protected_shots - 3; shot < rules->protected_shots + 3; shot++) {
            int stone = shot | 1, hits = 0; /* gote's shot, sente's stone */
            struct candidate candidates[CANDIDATES_MAX];
            int n = candidates_generate(ice_profile_find(profiles[p]), rules, &position, stone,
                                        candidates, CANDIDATES_MAX);
            for (int k = 0; k < n; k++)
                hits += candidates[k].kind == SHOT_HIT || candidates[k].kind == SHOT_PEEL ||
                        candidates[k].kind == SHOT_HIT_AND_ROLL;
            assert_int_equal(hits > 0, stone >= rules->protected_shots);
        }
    }
}

/* Eight guards side by side leave no way to the house; something can still be played. */
static void a_wall_of_guards_leaves_a_candidate(void **state)
{
    (void)state;
    for (int p = 0; p < PROFILES; p++) {
        struct position position = {0};
        struct candidate candidates[CANDIDATES_MAX];
        for (int k = 0; k < 15; k++)
            position_put(&position, k, tee_plus((k - 7) * 0.295, -6.0));
        int n = candidates_generate(ice_profile_find(profiles[p]), rules_find(profiles[p]),
                                    &position, 15, candidates, CANDIDATES_MAX);
        assert_true(n >= 1);
    }
}

static void kinds_have_names(void **state)
{
    (void)state;
    for (int k = 0; k < SHOT_KIND_COUNT; k++)
        for (int j = 0; j < k; j++)
            assert_string_not_equal(shot_kind_name((enum shot_kind)k),
                                    shot_kind_name((enum shot_kind)j));
    assert_string_equal(shot_kind_name(SHOT_DRAW), "draw");
    assert_string_equal(shot_kind_name(SHOT_OTHER), "other");
    assert_string_equal(shot_kind_name(SHOT_KIND_COUNT), "unknown");
}

/* Recognises a shot: stone 6 is the opponent's, 7 belongs to the player of stone 9. */
static enum shot_kind recognise(const struct position *position, int stone, struct shot shot)
{
    const struct ice_profile *ice = ice_profile_find("dc3");
    struct throw_result result = throw_or_fail(ice, position, stone, shot);
    return shot_kind_of_result(rules_find("dc3"), position, stone, &result);
}

static struct shot draw_to(struct vec2 target)
{
    const struct ice_profile *ice = ice_profile_find("dc3");
    struct shot shot;
    assert_int_equal(aim_draw(ice, target, ice->spin, &shot), AIM_OK);
    return shot;
}

static struct shot hit_on(const struct position *position, int stone, double run_m)
{
    const struct ice_profile *ice = ice_profile_find("dc3");
    struct shot shot;
    assert_int_equal(
        aim_hit(ice, position, stone, 0.0, aim_speed_to_run(ice, run_m), ice->spin, &shot, NULL),
        AIM_OK);
    return shot;
}

static void results_are_recognised(void **state)
{
    (void)state;
    const struct ice_profile *ice = ice_profile_find("dc3");
    struct position position = {0};
    struct shot through;

    assert_int_equal(recognise(&position, 9, draw_to(tee_plus(0.5, 0.3))), SHOT_DRAW);
    assert_int_equal(recognise(&position, 9, draw_to(tee_plus(0.1, -3.0))), SHOT_GUARD);
    assert_int_equal(recognise(&position, 9, draw_to(tee_plus(1.6, 1.6))), SHOT_OTHER);
    assert_int_equal(aim_pass(ice, tee_plus(1.0, 0.0), 1.5, ice->spin, &through), AIM_OK);
    assert_int_equal(recognise(&position, 9, through), SHOT_THROUGH);

    position_put(&position, 6, tee_plus(0.2, 0.1));
    assert_int_equal(recognise(&position, 9, hit_on(&position, 6, 5.0)), SHOT_HIT);
    assert_int_equal(recognise(&position, 9, draw_to(tee_plus(0.2, -0.21))), SHOT_FREEZE);
    /* The same stone pushed by its own side is neither a take-out nor a raise. */
    assert_int_equal(recognise(&position, 8, hit_on(&position, 6, 5.0)) == SHOT_HIT, 0);

    position = (struct position){0};
    position_put(&position, 7, tee_plus(0.0, -2.5));
    assert_int_equal(recognise(&position, 9, hit_on(&position, 7, 2.5)), SHOT_RAISE);

    /* A guard taken out too early: a foul. */
    position = (struct position){0};
    position_put(&position, 0, tee_plus(0.0, -3.0));
    assert_int_equal(recognise(&position, 1, hit_on(&position, 0, 12.0)), SHOT_OTHER);
}

/* A take-out that is a foul fails, even though the stone is gone. */
static void a_foul_counts_as_a_failure(void **state)
{
    (void)state;
    const struct ice_profile *ice = ice_profile_find("dc3");
    struct position position = {0};
    position_put(&position, 0, tee_plus(0.0, -3.0));
    struct candidate hit = {hit_on(&position, 0, 12.0), SHOT_PEEL, 0, -1, position.stone[0]};
    struct throw_result result = throw_or_fail(ice, &position, 1, hit.shot);
    result.after.in_play = 0;
    assert_false(candidate_succeeded(rules_find("dc3"), &hit, &position, 1, &result));
    assert_true(candidate_succeeded(rules_find("dc3"), &hit, &position, 5, &result));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shots_at_one_stone_do_what_they_say),
        cmocka_unit_test(shots_at_two_stones_do_what_they_say),
        cmocka_unit_test(every_candidate_can_be_thrown),
        cmocka_unit_test(mirrored_positions_have_mirrored_shots),
        cmocka_unit_test(fewer_are_the_first_of_all),
        cmocka_unit_test(an_empty_sheet_has_draws_guards_and_throughs),
        cmocka_unit_test(protected_guards_are_not_taken_out),
        cmocka_unit_test(a_wall_of_guards_leaves_a_candidate),
        cmocka_unit_test(kinds_have_names),
        cmocka_unit_test(results_are_recognised),
        cmocka_unit_test(a_foul_counts_as_a_failure),
    };
    return cmocka_run_group_tests(tests, load_scenes, free_scenes);
}
