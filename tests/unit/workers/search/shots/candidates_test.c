/* Proposed shots: each does its job when thrown without noise, mirrored positions get mirrored
 * proposals, and every proposal can be thrown. */
#include "workers/search/shots/candidate.h"

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

/* Wide compared with the errors of the geometry, narrow compared with neighbouring kinds. */
#define STONE_WIDTH_M (2.0 * STONE_RADIUS)
#define DRAW_NEAR_M   0.6
#define GUARD_NEAR_M  1.0
#define FREEZE_GAP_M  0.15
#define LEFT_ALONE_M  0.3
#define STAY_NEAR_M   1.0
#define ROLL_M        0.2
#define RAISE_NEAR_M  0.6
#define TAP_M         0.15

static bool in_house(const struct rules *rules, struct vec2 at)
{
    return tee_distance_squared(at) < rules->score_radius * rules->score_radius;
}

/* Returns how far `at` lies beside the line from the middle of the hack line through `stone`. The
 * hacks of both sheets lie on the centre line, so far away that their distance does not matter. */
static double beside_line(struct vec2 stone, struct vec2 at)
{
    struct vec2 hack = {SHEET_TEE_X, 0.0};
    struct vec2 way = vec2_sub(stone, hack);
    return fabs(vec2_cross(way, vec2_sub(at, hack))) / vec2_length(way);
}

/* Whether the stones come to rest where the candidate, thrown without an error, wants them. It is
 * narrower than success, which is about what a shot is for. */
static bool does_as_aimed(const struct rules *rules, const struct candidate *candidate,
                          const struct position *before, int stone,
                          const struct throw_result *result)
{
    const struct position *after = &result->after;
    int about = candidate->stone, other = candidate->other_stone;

    bool stays = position_has(after, stone);
    struct vec2 rest = after->stone[stone], target = candidate->target;
    bool lies = about >= 0 && position_has(after, about);
    struct vec2 old = {0.0, 0.0}, new = {0.0, 0.0};
    if (about >= 0)
        old = before->stone[about];
    if (lies)
        new = after->stone[about];

    switch (candidate->kind) {
    case SHOT_DRAW:
        return stays && in_house(rules, rest) && vec2_distance(rest, target) < DRAW_NEAR_M;
    case SHOT_GUARD:
        return stays && !in_house(rules, rest) && rest.y < SHEET_TEE_Y &&
               fabs(rest.x - target.x) < STONE_WIDTH_M &&
               vec2_distance(rest, target) < GUARD_NEAR_M;
    case SHOT_FREEZE:
        return stays && lies && vec2_distance(old, new) < LEFT_ALONE_M &&
               vec2_distance(rest, new) < STONE_WIDTH_M + FREEZE_GAP_M;
    case SHOT_COME_AROUND:
        return stays && lies && vec2_distance(old, new) < LEFT_ALONE_M && in_house(rules, rest) &&
               beside_line(new, rest) < STONE_WIDTH_M && rest.y > new.y;
    case SHOT_HIT:
        return !lies && stays && vec2_distance(rest, old) < STAY_NEAR_M;
    case SHOT_HIT_AND_ROLL:
        return !lies && stays && (target.x > old.x ? rest.x - old.x : old.x - rest.x) > ROLL_M;
    case SHOT_RAISE:
        return lies && vec2_distance(new, target) < RAISE_NEAR_M &&
               tee_distance_squared(new) < tee_distance_squared(old);
    case SHOT_TAP_BACK:
        return lies && new.y - old.y >= TAP_M;
    case SHOT_PEEL:
        return !lies && !stays;
    case SHOT_DOUBLE:
        return !lies && !position_has(after, other);
    case SHOT_RAISE_TAKEOUT:
        return !position_has(after, other);
    case SHOT_THROUGH:
        return !stays && (result->moved & ~(1u << stone)) == 0;
    case SHOT_OTHER:
    case SHOT_KIND_COUNT:
        break;
    }
    return true;
}

/* Numbers of proposals, and of those that do as they say, of each kind. */
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
            does_as_aimed(rules, &candidates[k], position, stone, &result);
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

static void take_away(struct position *position, int stone)
{
    position->in_play = (uint16_t)(position->in_play & ~(1u << stone));
}

/* Success of a shot of this kind on stone 6, and 4 if it has a second one, with a result. */
static bool succeeds(enum shot_kind kind, struct vec2 target, const struct position *before,
                     struct position after)
{
    bool is_double = kind == SHOT_DOUBLE || kind == SHOT_RAISE_TAKEOUT;
    const struct candidate candidate = {
        .kind = kind, .stone = 6, .other_stone = is_double ? 4 : -1, .target = target};
    const struct throw_result result = {.after = after, .moved = 1u << 9};

    return candidate_succeeded(rules_find("dc3"), &candidate, before, 9, &result);
}

/* Wherever exactly the stones come to rest. */
static void a_throw_succeeds_if_it_keeps_what_the_call_is_for(void **state)
{
    struct position before = {0}, without = {0}, after;
    const struct vec2 tee = tee_plus(0.0, 0.0), far = tee_plus(1.5, 0.5);

    (void)state;
    position_put(&before, 6, tee_plus(0.4, 0.0));
    after = without;
    assert_true(succeeds(SHOT_HIT, before.stone[6], &before, after)); /* the delivered one too */
    assert_true(succeeds(SHOT_PEEL, before.stone[6], &before, after));
    position_put(&after, 9, tee_plus(-1.6, 0.0));
    assert_true(succeeds(SHOT_HIT, before.stone[6], &before, after));
    assert_true(succeeds(SHOT_HIT_AND_ROLL, far, &before, after)); /* rolled to the other side */
    assert_true(succeeds(SHOT_PEEL, before.stone[6], &before, after));
    after = before;
    position_put(&after, 9, tee_plus(0.0, 0.0));
    position_put(&after, 6, far);
    assert_true(succeeds(SHOT_HIT, before.stone[6], &before, after)); /* it counts no more */
    after = before;
    position_put(&after, 9, far);
    assert_false(succeeds(SHOT_HIT, before.stone[6], &before, after));

    assert_false(succeeds(SHOT_DRAW, tee, &before, after)); /* it was to lie first */
    assert_true(succeeds(SHOT_DRAW, far, &before, after));
    assert_true(succeeds(SHOT_FREEZE, far, &before, after));
    assert_true(succeeds(SHOT_COME_AROUND, tee_plus(0.6, 0.6), &before, after));
    position_put(&after, 9, tee_plus(-0.3, 0.0));
    assert_true(succeeds(SHOT_DRAW, tee, &before, after));
    position_put(&after, 9, tee_plus(0.0, -2.5));
    assert_false(succeeds(SHOT_DRAW, far, &before, after));
    assert_true(succeeds(SHOT_GUARD, tee_plus(1.0, -3.5), &before, after));
    position_put(&after, 9, tee_plus(0.0, 2.5));
    assert_false(succeeds(SHOT_GUARD, tee_plus(1.0, -3.5), &before, after));

    position_put(&after, 6, tee_plus(0.4, 0.05));
    assert_true(succeeds(SHOT_TAP_BACK, tee, &before, after));
    assert_true(succeeds(SHOT_TAP_BACK, tee, &before, without));
    position_put(&after, 6, tee_plus(0.3, -0.05));
    assert_true(succeeds(SHOT_RAISE, tee, &before, after));
    assert_false(succeeds(SHOT_TAP_BACK, tee, &before, after));
    assert_false(succeeds(SHOT_RAISE, tee, &before, without));

    position_put(&before, 4, tee_plus(-0.4, 0.0));
    after = before;
    take_away(&after, 6);
    assert_false(succeeds(SHOT_DOUBLE, tee, &before, after));
    assert_false(succeeds(SHOT_RAISE_TAKEOUT, tee, &before, after));
    take_away(&after, 4);
    assert_true(succeeds(SHOT_DOUBLE, tee, &before, after));
    assert_true(succeeds(SHOT_RAISE_TAKEOUT, tee, &before, after));

    before = without;
    position_put(&before, 6, tee_plus(0.0, -3.0)); /* a guard never counted: it has to go */
    after = before;
    position_put(&after, 9, tee);
    assert_false(succeeds(SHOT_PEEL, before.stone[6], &before, after));
}

/* A call that is known by its throw without an error alone, as in a review. */
static void the_same_is_success_of_a_call_without_a_kind(void **state)
{
    const struct rules *rules = rules_find("dc3");
    struct position before = {0};
    struct throw_result call = {.moved = 1u << 9}, thrown = {.moved = 1u << 9};

    (void)state;
    position_put(&before, 6, tee_plus(0.4, 0.0));
    position_put(&before, 4, tee_plus(-0.4, 0.0));
    call.after = thrown.after = before;
    position_put(&call.after, 9, tee_plus(0.0, 0.0)); /* a draw that lies first … */
    position_put(&thrown.after, 9, tee_plus(0.2, 0.25));
    assert_true(shot_succeeded(rules, &before, 9, &call, &thrown));
    position_put(&thrown.after, 9, tee_plus(0.4, -0.3)); /* … is no freeze behind others */
    assert_false(shot_succeeded(rules, &before, 9, &call, &thrown));
    position_put(&call.after, 9, tee_plus(0.4, -1.0));
    assert_true(shot_succeeded(rules, &before, 9, &call, &thrown));

    take_away(&call.after, 4);
    take_away(&call.after, 6); /* takes both: one is enough */
    assert_false(shot_succeeded(rules, &before, 9, &call, &thrown));
    take_away(&thrown.after, 4);
    assert_true(shot_succeeded(rules, &before, 9, &call, &thrown));
    thrown.after = before;
    position_put(&thrown.after, 9, tee_plus(0.0, 3.0)); /* behind the house: of no kind */
    assert_false(shot_succeeded(rules, &before, 9, &call, &thrown));
    call = thrown;
    assert_true(shot_succeeded(rules, &before, 9, &call, &thrown));
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
        cmocka_unit_test(a_throw_succeeds_if_it_keeps_what_the_call_is_for),
        cmocka_unit_test(the_same_is_success_of_a_call_without_a_kind),
        cmocka_unit_test(kinds_have_names),
        cmocka_unit_test(results_are_recognised),
        cmocka_unit_test(a_foul_counts_as_a_failure),
    };
    return cmocka_run_group_tests(tests, load_scenes, free_scenes);
}
