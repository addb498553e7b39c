/* DL-UCT and KR-DL-UCT with policies whose answers are known. */
#include "tests/unit/workers/search/asking.h"
#include "tests/unit/workers/search/policy/made_policy.h"
#include "workers/search/policy/policy_look.h"
#include "workers/search/policy/policy_store.h"

#include "api/base/clock.h"
#include "models/game/score.h"
#include "models/tables/profiles.h"

#include <math.h>
#include <pthread.h>
#include <time.h>

static const char *const players[] = {"dl-uct", "kr-dl-uct"};
enum { PLAYERS = 2 };

/* Registered by hash during the tests. */
static char plain[65], scoring[65];

static int add_policies(void **state)
{
    (void)state;
    char error[NET_ERROR_MAX];
    struct policy_form form = made_form(POLICY_LOGITS, false);
    struct made_policy made = made_policy(&form, 1);
    if (!policy_store_add(made.bytes, made.size, plain, sizeof error, error))
        return -1;
    free(made.bytes);
    form.has_scores = true;
    made = made_policy(&form, 2);
    made_bias(&made, SEAT_SENTE, ACTIONS + POLICY_SCORE_ZERO - 2, 30.0f);
    made_bias(&made, SEAT_GOTE, ACTIONS + POLICY_SCORE_ZERO - 2, 30.0f);
    if (!policy_store_add(made.bytes, made.size, scoring, sizeof error, error))
        return -1;
    free(made.bytes);
    return 0;
}

static void proposals_are_the_likeliest_in_order(void **state)
{
    (void)state;
    static struct policy_look look;
    struct policy_proposal proposals[4];

    look.chance[7] = 0.25f;
    look.chance[30] = 0.5f;
    look.chance[31] = 0.125f;
    look.chance[900] = 0.125f;
    assert_int_equal(policy_propose(&look, 3, proposals), 3);
    assert_int_equal(proposals[0].action, 30);
    assert_int_equal(proposals[1].action, 7);
    assert_int_equal(proposals[2].action, 31); /* the first of two equal ones */
    look.chance[31] = look.chance[900] = 0.0f;
    assert_int_equal(policy_propose(&look, 4, proposals), 2);
}

/* The policy's second choice wins, its first does not: the search finds out. */
static void a_search_corrects_its_policy(void **state)
{
    (void)state;
    const struct shot *table = action_table(ice_profile_find("dc2"));
    const struct policy_form form = made_form(POLICY_LOGITS, false);
    const struct game game = hit_to_win();
    struct made_policy made = made_policy(&form, 3);
    char sha256[65], error[NET_ERROR_MAX];
    int good = -1, bad = -1;

    for (int a = 0; a < ACTIONS; a++) {
        if (!action_is_playable(a))
            continue;
        struct position after = executed(&game, table[a]);
        int score = score_position(game.rules, &after, false);
        bool nose = action_parts(a).weight == 7 && !position_has(&after, 14);
        if (score <= -2 && nose && good < 0)
            good = a;
        if (score > 0)
            bad = a;
    }
    assert_true(good >= 0 && bad >= 0);
    made_bias(&made, SEAT_GOTE, bad, 32.0f);
    made_bias(&made, SEAT_GOTE, good, 30.0f);
    assert_true(policy_store_add(made.bytes, made.size, sha256, sizeof error, error));
    free(made.bytes);

    for (int k = 0; k < PLAYERS; k++) {
        const char *spec = spec_with(players[k], sha256, ",init=2,simulations=400");
        struct player_answer answer = ask_about(spec, &game, no_limits);
        struct position after = executed(&game, answer.shot);
        assert_false(position_has(&after, 14));
        assert_true(score_position(game.rules, &after, false) <= -2);
        assert_true(answer.expected_score > 0.8);
        assert_true(answer.win_probability > 0.7);
        assert_int_equal(answer.simulations, 400);
    }
    /* Without a search the first choice is played. */
    const char *spec = spec_with("policy", sha256, "");
    struct position after = executed(&game, ask_about(spec, &game, no_limits).shot);
    assert_true(position_has(&after, 14));
    policy_store_drop(sha256);
}

/* Positions are valued by the scores in the policy's file: two points for gote, whoever throws. */
static void leaves_are_valued_by_the_scores_of_the_policy(void **state)
{
    (void)state;
    for (int k = 0; k < PLAYERS; k++)
        for (int shot = 8; shot <= 9; shot++) {
            struct game game = mid_end();
            game.shot = shot;
            const char *spec = spec_with(players[k], scoring, ",value=policy,simulations=200");
            struct player_answer answer = ask_about(spec, &game, no_limits);
            double wanted = shot == 8 ? -2.0 : 2.0;
            assert_true(fabs(answer.expected_score - wanted) < 1e-3);
            assert_true(answer.distribution.p[OBJECTIVE_ZERO + (int)wanted] > 0.999);
            assert_true(answer.candidate[0].prior > 0.0);
        }
}

/* By the policy, gote takes two in every end: with an end to come the teams are level after it. */
static void the_table_can_be_that_of_the_policy(void **state)
{
    (void)state;
    struct game game = mid_end();
    game.ends = 2;
    for (int k = 0; k < PLAYERS; k++) {
        const char *spec =
            spec_with(players[k], scoring, ",value=policy,simulations=200,table=policy");
        assert_true(fabs(ask_about(spec, &game, no_limits).win_probability - 0.5) < 1e-3);
        spec = spec_with(players[k], scoring, ",value=policy,simulations=200");
        assert_true(fabs(ask_about(spec, &game, no_limits).win_probability - 0.5) > 0.05);
    }
}

/* Mixed doubles, where stones lie before the first shot, has a network of its own. */
static void mixed_doubles_is_valued_by_its_network(void **state)
{
    (void)state;
    char error[PLAYER_ERROR_MAX];
    struct game game;
    assert_int_equal(game_start(rules_find("dc4-modified"), 1, 0, 1, &game), GAME_OK);

    for (int k = 0; k < PLAYERS; k++) {
        struct player player = player_of(spec_with(players[k], plain, ""));
        assert_true(player.class->check_rules(&player, game.rules, sizeof error, error));
        player = player_of(spec_with(players[k], scoring, ",table=policy"));
        assert_false(player.class->check_rules(&player, game.rules, sizeof error, error));
        assert_non_null(strstr(error, "table: in mixed doubles"));
        struct player_answer by_network =
            ask_about(spec_with(players[k], scoring, ",simulations=100"), &game, no_limits);
        struct player_answer by_policy = ask_about(
            spec_with(players[k], scoring, ",simulations=100,value=policy"), &game, no_limits);
        assert_true(fabs(fabs(by_policy.expected_score) - 2.0) < 1e-3);
        assert_true(fabs(by_network.expected_score) < 1.5);
    }
}

static void the_answer_is_the_same_on_any_number_of_threads(void **state)
{
    (void)state;
    static const char *const settings[] = {
        ",simulations=600", ",simulations=600,batch=16", ",simulations=600,value=policy,batch=8",
        ",simulations=600,outcomes=0", ",simulations=300,mirror=true,value=count"};
    const struct game game = mid_end();
    for (int k = 0; k < PLAYERS; k++)
        for (size_t s = 0; s < sizeof settings / sizeof settings[0]; s++) {
            const char *spec = spec_with(players[k], scoring, settings[s]);
            struct player_answer once = ask_about(spec, &game, no_limits);
            struct player_answer again = ask_about(spec, &game, no_limits);
            struct player_answer threads =
                ask_about(spec, &game, (struct player_limits){.threads = 4});
            struct player_answer by_throws =
                ask_about(spec, &game, (struct player_limits){.simulations = once.simulations});
            assert_same_answer(&once, &again);
            assert_same_answer(&once, &threads);
            assert_same_answer(&once, &by_throws);
            assert_int_equal(once.simulations, strstr(settings[s], "=300") ? 300 : 600);
            double sum = 0.0;
            for (int d = 0; d < OBJECTIVE_SCORES; d++)
                sum += once.distribution.p[d];
            assert_true(fabs(sum - 1.0) < 1e-6);
        }
}

static void throws_are_limited_exactly(void **state)
{
    (void)state;
    const struct game games[] = {dc2_game(0), mid_end(), hit_to_win()};
    static const int64_t limits[] = {1, 2, 5, 7, 100, 1111};

    for (int k = 0; k < PLAYERS; k++)
        for (size_t g = 0; g < sizeof games / sizeof games[0]; g++)
            for (size_t n = 0; n < sizeof limits / sizeof limits[0]; n++) {
                const char *spec = spec_with(players[k], plain, ",batch=8,memory_mb=1");
                struct player_answer answer =
                    ask_about(spec, &games[g], (struct player_limits){.simulations = limits[n]});
                assert_int_equal(answer.simulations, limits[n]);
                assert_true(vec2_length(answer.shot.velocity) > 0.0);
            }
}

/* A full tree continues with its nodes, even if nothing new is thrown. */
static void a_full_tree_is_still_searched(void **state)
{
    (void)state;
    const struct game game = mid_end();
    for (int k = 0; k < PLAYERS; k++) {
        const char *spec = spec_with(
            players[k], scoring, ",memory_mb=1,simulations=20000,outcomes=0,value=policy,init=64");
        struct player_answer answer =
            ask_about(spec, &game, (struct player_limits){.simulations = 20000});
        assert_int_equal(answer.simulations, 20000);
        assert_int_equal(answer.candidates, PLAYER_CANDIDATES_MAX);
    }
}

static void the_kernel_adds_shots_around_the_proposals(void **state)
{
    (void)state;
    const struct shot *table = action_table(ice_profile_find("dc2"));
    const struct game game = hit_to_win();
    int added[PLAYERS] = {0, 0};

    for (int k = 0; k < PLAYERS; k++) {
        const char *spec = spec_with(players[k], plain, ",value=count,init=5,simulations=400");
        struct player_answer answer = ask_about(spec, &game, no_limits);
        for (int c = 0; c < answer.candidates; c++) {
            bool is_action = false;
            for (int a = 0; a < ACTIONS; a++)
                is_action = is_action || memcmp(&answer.candidate[c].candidate.shot, &table[a],
                                                sizeof table[a]) == 0;
            added[k] += !is_action;
        }
        if (k == 0)
            assert_int_equal(answer.candidates, 5);
    }
    assert_int_equal(added[0], 0);
    assert_true(added[1] > 10);
}

static void scores_are_asked_for_where_they_are_needed(void **state)
{
    (void)state;
    struct player player;
    char error[PLAYER_ERROR_MAX];

    for (int k = 0; k < PLAYERS; k++) {
        assert_false(player_read(spec_with(players[k], plain, ",value=policy"), &player,
                                 sizeof error, error));
        assert_non_null(strstr(error, "value=policy"));
        assert_false(player_read(spec_with(players[k], plain, ",table=policy"), &player,
                                 sizeof error, error));
        assert_non_null(strstr(error, "table=policy"));
        (void)player_of(spec_with(players[k], plain, ""));
        (void)player_of(spec_with(players[k], scoring, ",value=policy"));
    }
}

static void a_time_limit_ends_it(void **state)
{
    (void)state;
    const struct game game = mid_end();
    const char *spec = spec_with("kr-dl-uct", scoring, ",batch=4");
    struct player_answer timed = ask_about(spec, &game, (struct player_limits){.time_s = 0.02});
    struct player_answer repeated =
        ask_about(spec, &game, (struct player_limits){.simulations = timed.simulations});

    assert_true(timed.simulations > 0);
    assert_same_answer(&timed, &repeated);
}

/* Processor time, as a busy machine says nothing about the search. */
static double processor_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static atomic_bool cancel;
static double cancelled_s;

static void *cancel_later(void *context)
{
    const struct timespec pause = {.tv_nsec = 50000000};
    nanosleep(&pause, NULL);
    cancelled_s = processor_s();
    atomic_store(&cancel, true);
    return context;
}

static void the_query_is_cancelled_at_once(void **state)
{
    (void)state;
    const struct game game = mid_end();
    const struct ice_profile *ice = ice_profile_find("dc2");
    const struct noise noise = noise_default(ice, ice->noise);
    const struct player_query query = {
        .game = &game, .ice = ice, .noise = &noise, .candidates = 3, .cancel = &cancel};

    for (int k = 0; k < PLAYERS; k++) {
        const struct player player =
            player_of(spec_with(players[k], scoring, ",simulations=1000000000,batch=32"));
        struct player_answer answer;
        pthread_t thread;
        atomic_store(&cancel, false);
        assert_int_equal(pthread_create(&thread, NULL, cancel_later, NULL), 0);
        assert_int_equal(player_choose(&player, &query, &answer), PLAYER_OK);
        double after_s = processor_s();
        assert_int_equal(pthread_join(thread, NULL), 0);
        assert_true(answer.cancelled);
        assert_int_equal(answer.candidates, 3);
        assert_true(after_s - cancelled_s < 0.5);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(proposals_are_the_likeliest_in_order),
        cmocka_unit_test(a_search_corrects_its_policy),
        cmocka_unit_test(leaves_are_valued_by_the_scores_of_the_policy),
        cmocka_unit_test(the_table_can_be_that_of_the_policy),
        cmocka_unit_test(mixed_doubles_is_valued_by_its_network),
        cmocka_unit_test(the_answer_is_the_same_on_any_number_of_threads),
        cmocka_unit_test(throws_are_limited_exactly),
        cmocka_unit_test(a_full_tree_is_still_searched),
        cmocka_unit_test(the_kernel_adds_shots_around_the_proposals),
        cmocka_unit_test(scores_are_asked_for_where_they_are_needed),
        cmocka_unit_test(a_time_limit_ends_it),
        cmocka_unit_test(the_query_is_cancelled_at_once),
    };
    return cmocka_run_group_tests(tests, add_policies, NULL);
}
