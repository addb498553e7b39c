/* KR-UCT: its steps where they can be counted, and shots that nobody would play otherwise. */
#include "tests/unit/workers/search/asking.h"
#include "workers/search/judge/rollout.h"
#include "workers/search/tree/kr_tree.h"

#include "models/game/score.h"
#include "models/tables/profiles.h"
#include "tests/unit/models/game/mirror.h"

#include <math.h>

#define assert_near(a, b, epsilon) assert_true(fabs((a) - (b)) <= (epsilon))

/* The program is linked with --wrap=malloc,realloc: allocation number `fail_at` fails; 0: none. */
void *__wrap_malloc(size_t size);
void *__wrap_realloc(void *memory, size_t size);
void *__real_malloc(size_t size);
void *__real_realloc(void *memory, size_t size);
static long allocations, fail_at;

void *__wrap_malloc(size_t size)
{
    return ++allocations == fail_at ? NULL : __real_malloc(size);
}

void *__wrap_realloc(void *memory, size_t size)
{
    return ++allocations == fail_at ? NULL : __real_realloc(memory, size);
}

static int64_t visits_of(const struct player_answer *answer)
{
    int64_t visits = 0;
    for (int k = 0; k < answer->candidates; k++)
        visits += answer->candidate[k].visits;
    return visits;
}

/* Five shots at first; one more while sqrt(visits) >= shots: before visits number 25, 36, …, 361
 * (from 0), so 400 visits have seen 20 shots. */
static void a_node_widens_with_the_root_of_its_visits(void **state)
{
    (void)state;
    struct game game = mid_end();
    static const struct {
        const char *spec;
        int shots, visits;
    } cases[] = {
        {"kr-uct:init=5,widening=1,simulations=25", 5, 25},
        {"kr-uct:init=5,widening=1,simulations=26", 6, 26},
        {"kr-uct:init=5,widening=1,simulations=400", 20, 400},
        {"kr-uct:init=5,widening=1,simulations=401", 21, 401},
        {"kr-uct:init=9,widening=1,simulations=80", 9, 80},
        {"kr-uct:init=5,widening=0,simulations=400", 5, 400},
        {"kr-uct:init=5,widening=2,simulations=64", 16, 64},
    };

    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        struct player_answer answer = ask_about(cases[k].spec, &game, no_limits);
        assert_int_equal(answer.candidates, cases[k].shots);
        assert_int_equal(visits_of(&answer), cases[k].visits);
    }
}

static void first_shots_are_of_all_kinds_and_differ(void **state)
{
    (void)state;
    struct noise noise = {.kind = ICE_NOISE_COVARIANCE, .covariance = {0.01, 0.0, 0.01}};
    const struct candidate candidates[] = {
        {.shot = {{0.0, 30.0}, 1.0}, .kind = SHOT_DRAW},
        {.shot = {{0.01, 30.0}, 1.0}, .kind = SHOT_DRAW}, /* nearly equal to the first */
        {.shot = {{0.01, 30.0}, -1.0}, .kind = SHOT_DRAW},
        {.shot = {{0.5, 30.0}, 1.0}, .kind = SHOT_DRAW},
        {.shot = {{0.0, 33.0}, 1.0}, .kind = SHOT_HIT},
        {.shot = {{0.0, 29.0}, 1.0}, .kind = SHOT_GUARD},
        {.shot = {{0.0, 34.0}, 1.0}, .kind = SHOT_HIT},
    };
    static const int all[] = {0, 5, 4, 2, 6, 3};
    int picked[CANDIDATES_MAX];

    assert_int_equal(kr_pick(&noise, candidates, 7, CANDIDATES_MAX, picked), 6);
    assert_memory_equal(picked, all, sizeof all);
    assert_int_equal(kr_pick(&noise, candidates, 7, 4, picked), 4);
    assert_memory_equal(picked, all, 4 * sizeof all[0]);
    assert_int_equal(kr_pick(&noise, candidates, 0, 4, picked), 0);
}

static void the_answer_is_the_same_on_any_number_of_threads(void **state)
{
    (void)state;
    struct game game = mid_end();
    struct player_answer once = ask_about("kr-uct:simulations=800", &game, no_limits);
    struct player_answer again = ask_about("kr-uct:simulations=800", &game, no_limits);
    struct player_answer threads =
        ask_about("kr-uct:simulations=800", &game, (struct player_limits){.threads = 4});
    struct player_answer by_throws =
        ask_about("kr-uct", &game, (struct player_limits){.simulations = once.simulations});

    assert_same_answer(&once, &again);
    assert_same_answer(&once, &threads);
    assert_same_answer(&once, &by_throws); /* the throws of those 800 iterations, exactly */
}

static void throws_are_limited_exactly(void **state)
{
    (void)state;
    struct game games[] = {dc2_game(0), mid_end(), dc2_game(15)};
    static const int64_t limits[] = {1, 2, 5, 6, 7, 100, 3333};

    for (size_t g = 0; g < sizeof games / sizeof games[0]; g++)
        for (size_t k = 0; k < sizeof limits / sizeof limits[0]; k++) {
            struct player_answer answer =
                ask_about("kr-uct", &games[g], (struct player_limits){.simulations = limits[k]});
            assert_int_equal(answer.simulations, limits[k]);
            assert_true(vec2_length(answer.shot.velocity) > 0.0);
        }
}

/* An added shot has the kind of the shot it was drawn around. */
static void added_shots_have_the_kind_of_their_origin(void **state)
{
    (void)state;
    struct game game = mid_end();
    struct player_answer answer = ask_about("kr-uct:init=10,simulations=1000", &game, no_limits);
    assert_int_equal(answer.candidates,
                     PLAYER_CANDIDATES_MAX); /* ten of them there from the start */
    for (int k = 0; k < answer.candidates; k++) {
        const struct player_candidate *candidate = &answer.candidate[k];
        assert_int_not_equal(candidate->candidate.kind, SHOT_OTHER);
        assert_true(candidate->visits == 0 || !isnan(candidate->success));
    }
}

static void an_immediately_cancelled_query_is_answered(void **state)
{
    (void)state;
    struct game game = mid_end();
    const struct ice_profile *ice = ice_profile_find("dc2");
    struct noise noise = noise_default(ice, ice->noise);
    struct player player = player_of("kr-uct:simulations=1000000000");
    atomic_bool cancel = true;
    struct player_query query = {
        .game = &game, .ice = ice, .noise = &noise, .candidates = 3, .cancel = &cancel};
    struct player_answer answer;

    assert_int_equal(player_choose(&player, &query, &answer), PLAYER_OK);
    assert_true(answer.cancelled);
    assert_false(answer.has_value); /* nothing was thrown, so no value is known */
    assert_true(answer.candidates > 0 && isnan(answer.candidate[0].expected_score));
    assert_int_equal(answer.simulations, 0);
    assert_int_equal(answer.candidates, 3);
    assert_true(vec2_length(answer.shot.velocity) > 0.0);
}

static void a_time_limit_ends_it(void **state)
{
    (void)state;
    struct game game = mid_end();
    struct player_answer timed = ask_about("kr-uct", &game, (struct player_limits){.time_s = 0.02});
    struct player_answer repeated =
        ask_about("kr-uct", &game, (struct player_limits){.simulations = timed.simulations});

    assert_true(timed.simulations > 0);
    assert_same_answer(&timed, &repeated);
}

static void count_report(void *context, const struct player_answer *so_far)
{
    int *reports = context;
    assert_true(so_far->candidates > 0);
    ++*reports;
}

static void reports_change_nothing(void **state)
{
    (void)state;
    struct game game = mid_end();
    const struct ice_profile *ice = ice_profile_find("dc2");
    struct noise noise = noise_default(ice, ice->noise);
    struct player player = player_of("kr-uct:simulations=200");
    int reports = 0;
    struct player_query query = {.game = &game,
                                 .ice = ice,
                                 .noise = &noise,
                                 .key = {.seed = 5, .shot = 8},
                                 .candidates = PLAYER_CANDIDATES_MAX,
                                 .report = count_report,
                                 .context = &reports};
    struct player_answer answer, silent = ask_about("kr-uct:simulations=200", &game, no_limits);

    assert_int_equal(player_choose(&player, &query, &answer), PLAYER_OK);
    assert_int_equal(reports, 200);
    assert_same_answer(&answer, &silent);
}

static void last_stone_takes_out_the_shot_stone(void **state)
{
    (void)state;
    static const char *const specs[] = {"kr-uct", "kr-uct:final=visits", "kr-uct:objective=score",
                                        "kr-uct:outcomes=0"};
    struct game game = hit_to_win();

    for (size_t k = 0; k < sizeof specs / sizeof specs[0]; k++) {
        struct player_answer answer = ask_about(specs[k], &game, no_limits);
        struct position after = executed(&game, answer.shot);
        assert_false(position_has(&after, 14));
        assert_true(score_position(game.rules, &after, false) <= -2);
        assert_true(answer.has_value);
        assert_true(answer.expected_score > 1.2);
        assert_true(answer.win_probability > 0.75);
        assert_int_equal(answer.simulations, 1600); /* no shot follows: one throw per iteration */
    }
}

/* The value that the answer gives its shot is the true one, by ten thousand throws. */
static void expected_score_of_the_last_stone_is_true(void **state)
{
    enum { COUNT = 10000 };
    (void)state;
    struct game game = hit_to_win();
    const struct ice_profile *ice = ice_profile_find("dc2");
    struct noise noise = noise_default(ice, ice->noise);
    struct random_key key = {.seed = 6, .purpose = RANDOM_EXECUTION};
    struct player_answer answer =
        ask_about("kr-uct:simulations=6400,objective=score", &game, no_limits);
    double sum = 0.0;

    for (uint64_t k = 0; k < COUNT; k++) {
        struct shot shot = noise_apply(&noise, ice, answer.shot, random_normal_pair(&key, k));
        struct position after = executed(&game, shot);
        sum -= score_position(game.rules, &after, false);
    }
    /* The kernel blurs the value by another standard deviation of the hand. */
    assert_near(answer.expected_score, sum / COUNT, 0.3);
}

static void mirrored_position_has_the_same_value(void **state)
{
    (void)state;
    struct game game = hit_to_win(), mirrored = game;
    mirrored.position = position_mirror(&game.position);
    struct player_answer here =
        ask_about("kr-uct:simulations=6400,objective=score", &game, no_limits);
    struct player_answer there =
        ask_about("kr-uct:simulations=6400,objective=score", &mirrored, no_limits);

    assert_near(here.expected_score, there.expected_score, 0.05);
    assert_near(here.win_probability, there.win_probability, 0.02);
}

static void distribution_sums_to_one(void **state)
{
    (void)state;
    struct game game = mid_end();
    struct player_answer answer = ask_about("kr-uct", &game, no_limits);
    double sum = 0.0;

    for (int k = 0; k < OBJECTIVE_SCORES; k++) {
        assert_true(answer.distribution.p[k] >= 0.0);
        sum += answer.distribution.p[k];
    }
    assert_near(sum, 1.0, 1e-9);
    assert_near(answer.expected_score, objective_score(&answer.distribution), 1e-12);
    for (int k = 1; k < answer.candidates; k++)
        assert_true(answer.candidate[k - 1].lower_bound >= answer.candidate[k].lower_bound);
    assert_memory_equal(&answer.shot, &answer.candidate[0].candidate.shot, sizeof answer.shot);
}

/* 8000 iterations make more positions than fit into 1 MB. */
static void a_full_tree_is_still_searched(void **state)
{
    (void)state;
    struct game game = mid_end();
    struct player_answer answer =
        ask_about("kr-uct:memory_mb=1,init=20,widening=0,simulations=8000", &game, no_limits);
    assert_int_equal(visits_of(&answer), 8000);
}

static void each_allocation_may_fail(void **state)
{
    (void)state;
    struct game game = mid_end();
    const struct ice_profile *ice = ice_profile_find("dc2");
    struct noise noise = noise_default(ice, ice->noise);
    struct player player = player_of("kr-uct:simulations=150,init=16,outcomes=0.5");
    struct player_query query = {.game = &game, .ice = ice, .noise = &noise, .candidates = 5};
    struct player_answer answer = {.simulations = -7};
    enum player_status status = PLAYER_NO_MEMORY;
    long tries = 0;

    while (status == PLAYER_NO_MEMORY) {
        assert_int_equal(answer.simulations, -7);
        allocations = 0;
        fail_at = ++tries;
        status = player_choose(&player, &query, &answer);
    }
    fail_at = 0;
    assert_int_equal(status, PLAYER_OK);
    assert_true(tries > 50);
}

static struct rollout rollout_of(const struct game *game, double hit, double guard)
{
    struct rollout rollout;
    rollout_prepare(profile_of(game->rules)->ice, game->rules, hit, guard, &rollout);
    return rollout;
}

/* Returns the position after shot number `shot` by the rule, without noise. */
static struct position played(const struct rollout *rollout, const struct game *game, int shot,
                              const uint64_t bits[4])
{
    struct game now = *game;
    now.shot = shot;
    return executed(&now, rollout_choose(rollout, &game->position, shot, bits));
}

static void play_outs_take_out_the_best_stone_of_the_other_side(void **state)
{
    (void)state;
    struct game game = mid_end(); /* No. 1 is stone 1, gote's; shot 8 is sente's */
    struct rollout rollout = rollout_of(&game, 1.0, 1.0);
    struct shot shots[ROLLOUT_SHOTS_MAX];
    int draws = 2 * (ROLLOUT_PLACES + ROLLOUT_GUARDS);

    for (uint64_t k = 0; k < 16; k++) {
        uint64_t bits[4] = {0, k << 60, 0, 0};
        struct position after = played(&rollout, &game, 8, bits);
        assert_false(position_has(&after, 1));
    }
    /* Take-outs with both spins, draws, guards, guards of stone 4. */
    assert_int_equal(rollout_shots(&rollout, &game.position, 8, shots), 2 + draws + 2);
    /* Gote's best target is stone 4; the stone it would guard is stone 1. */
    assert_int_equal(rollout_shots(&rollout, &game.position, 9, shots), 2 + draws + 2);
    assert_int_equal(rollout_shots(&rollout, &game.position, 15, shots), 2 + 2 * ROLLOUT_PLACES);

    /* Close guards of its own side: stone 1 cannot be hit, so the shot is a draw to the tee. */
    position_put(&game.position, 3, (struct vec2){0.2, 36.2});
    assert_int_equal(rollout_shots(&rollout, &game.position, 8, shots), draws + 2);
    uint64_t bits[4] = {0, 0, 0, 0};
    struct position free_sheet = {0};
    struct shot to_tee = rollout_choose(&rollout, &free_sheet, 8, bits);
    struct shot blocked = rollout_choose(&rollout, &game.position, 8, bits);
    assert_memory_equal(&blocked, &to_tee, sizeof to_tee);
}

static void play_outs_guard_the_own_shot_stone(void **state)
{
    (void)state;
    static const char *const rules[] = {"dc2", "dc3"};

    for (size_t r = 0; r < sizeof rules / sizeof rules[0]; r++)
        for (int k = 0; k < 32; k++) {
            uint64_t bits[4] = {0, (uint64_t)k << 63, 0, 0};
            struct game game;
            assert_int_equal(game_start(rules_find(rules[r]), 1, 0, 1, &game), GAME_OK);
            struct rollout rollout = rollout_of(&game, 1.0, 1.0);
            struct vec2 stone = {SHEET_TEE_X - 1.2 + 0.08 * k, SHEET_TEE_Y - 1.1 + 0.07 * k};
            struct vec2 guard = {stone.x, stone.y - 2.0};
            position_put(&game.position, 6, stone);
            struct position after = played(&rollout, &game, 8, bits);
            assert_near(vec2_distance(after.stone[8], guard), 0.0, 0.01);
        }
}

static void play_outs_do_not_guard_with_the_last_stone(void **state)
{
    (void)state;
    struct game game = dc2_game(15);
    struct rollout rollout = rollout_of(&game, 1.0, 1.0);
    uint64_t bits[4] = {0, 0, 0, 0};

    position_put(&game.position, 13, (struct vec2){SHEET_TEE_X + 0.8, SHEET_TEE_Y});
    struct position after = played(&rollout, &game, 15, bits);
    assert_near(tee_distance_squared(after.stone[15]), 0.0, 0.01 * 0.01);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_node_widens_with_the_root_of_its_visits),
        cmocka_unit_test(first_shots_are_of_all_kinds_and_differ),
        cmocka_unit_test(the_answer_is_the_same_on_any_number_of_threads),
        cmocka_unit_test(throws_are_limited_exactly),
        cmocka_unit_test(added_shots_have_the_kind_of_their_origin),
        cmocka_unit_test(an_immediately_cancelled_query_is_answered),
        cmocka_unit_test(a_time_limit_ends_it),
        cmocka_unit_test(reports_change_nothing),
        cmocka_unit_test(last_stone_takes_out_the_shot_stone),
        cmocka_unit_test(expected_score_of_the_last_stone_is_true),
        cmocka_unit_test(mirrored_position_has_the_same_value),
        cmocka_unit_test(distribution_sums_to_one),
        cmocka_unit_test(a_full_tree_is_still_searched),
        cmocka_unit_test(each_allocation_may_fail),
        cmocka_unit_test(play_outs_take_out_the_best_stone_of_the_other_side),
        cmocka_unit_test(play_outs_guard_the_own_shot_stone),
        cmocka_unit_test(play_outs_do_not_guard_with_the_last_stone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
