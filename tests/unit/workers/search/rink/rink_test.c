/* The strong search: it finds obvious shots, respects its limits, and gives the same answer for any
 * number of threads. */
#include "workers/search/rink/rink.h"

#include "api/base/clock.h"
#include "models/game/score.h"
#include "models/game/sheet.h"
#include "models/ice/aim.h"
#include "models/ice/quasi.h"
#include "tests/slow.h"
#include "tests/unit/models/game/mirror.h"
#include "tests/unit/workers/search/asking.h"

struct table {
    struct game game;
    const struct ice_profile *ice;
    struct noise noise;
};

/* Returns one end under these rules, before shot number `shot`. */
static struct table set_table(const char *rules, int shot)
{
    struct table table;
    assert_int_equal(game_start(rules_find(rules), 1, 0, 1, &table.game), GAME_OK);
    table.game.shot = shot;
    table.ice = profile_of(table.game.rules)->ice;
    table.noise = noise_default(table.ice, table.ice->noise);
    return table;
}

static struct player_query query_of(const struct table *table, int64_t simulations, int threads)
{
    return (struct player_query){.game = &table->game,
                                 .ice = table->ice,
                                 .noise = &table->noise,
                                 .limits = {.simulations = simulations, .threads = threads},
                                 .key = {.seed = 11, .shot = (uint32_t)table->game.shot},
                                 .candidates = PLAYER_CANDIDATES_MAX};
}

/* Returns a realistic mid-end. */
static struct table busy_table(const char *rules, int shot, unsigned seed)
{
    struct table table = set_table(rules, shot);
    unsigned state = seed;
    for (int k = 0; k < shot; k++) {
        double xy[2];
        for (int i = 0; i < 2; i++) {
            state = state * 1664525u + 1013904223u;
            xy[i] = (double)state / 4294967296.0 - 0.5;
        }
        struct vec2 at = {2.6 * xy[0], SHEET_TEE_Y - 0.8 + 3.6 * xy[1]};
        bool free = true;
        for (int j = 0; j < k; j++)
            free = free && (!position_has(&table.game.position, j) ||
                            vec2_distance(at, table.game.position.stone[j]) > 0.3);
        if (free)
            position_put(&table.game.position, k, at);
    }
    return table;
}

static void the_last_stone_scores_what_is_possible(void **state)
{
    skip_one_thread();
    (void)state;
    const char *rules[] = {"dc2", "dc3"};
    for (int r = 0; r < 2; r++) {
        /* An empty house and the hammer: one point, nearly for sure. */
        struct table table = set_table(rules[r], 15);
        struct player_query query = query_of(&table, 20000, 1);
        struct player_answer answer = ask("rink:objective=score", &query);
        assert_true(answer.has_value);
        assert_true(answer.expected_score > 0.97);
        assert_int_equal(answer.candidate[0].candidate.kind, SHOT_DRAW);

        /* Sente lies shot in the open, gote has two stones behind it: take it out and score. */
        position_put(&table.game.position, 14, (struct vec2){0.0, SHEET_TEE_Y - 0.2});
        position_put(&table.game.position, 1, (struct vec2){1.2, SHEET_TEE_Y + 0.3});
        position_put(&table.game.position, 3, (struct vec2){-1.2, SHEET_TEE_Y + 0.3});
        answer = ask("rink:objective=score", &query);
        assert_true(answer.expected_score > 1.5);
    }
}

static void a_judged_mean_equals_the_mean_of_its_throws(void **state)
{
    (void)state;
    struct table table = busy_table("dc2", 15, 3);
    struct normal_pair errors[64];
    struct random_key key = {.seed = 4, .purpose = RANDOM_PLANNING};
    quasi_normal_pairs(&key, 0, 64, errors);
    struct judge judge = {.game = &table.game,
                          .ice = table.ice,
                          .noise = &table.noise,
                          .source.by = JUDGE_BY_COUNTING,
                          .errors = errors,
                          .stone = 15,
                          .gote = true,
                          .team0_has_hammer = false};
    objective_of_game(&table.game, OBJECTIVE_SCORE, NULL, &judge.objective);
    struct judged judged = {
        .candidate = {.shot = {{0.99, 29.6}, table.ice->spin}, .stone = -1, .other_stone = -1}};
    judge_throw(&judge, &judged, 40);
    judge_throw(&judge, &judged, 64); /* in two parts */

    double sum = 0.0, squares = 0.0;
    for (int k = 0; k < 64; k++) {
        struct throw_request request = {
            .ice = table.ice, .before = &table.game.position, .stone = 15};
        struct throw_result result;
        request.shot = noise_apply(&table.noise, table.ice, judged.candidate.shot, errors[k]);
        assert_int_equal(throw_fast(&request, &result), THROW_OK);
        double points = -score_position(table.game.rules, &result.after, false);
        sum += points;
        squares += points * points;
    }
    assert_int_equal(judged.samples, 64);
    assert_true(fabs(judged_mean(&judged) - sum / 64) < 1e-9);
    double variance = (squares - sum * sum / 64) / 63;
    assert_true(fabs(judged_error(&judged) - sqrt(variance / 64)) < 1e-9);
    struct score_distribution d = judged_distribution(&judged);
    assert_true(fabs(objective_score(&d) - sum / 64) < 1e-9);
}

static void a_foul_loses_the_stone(void **state)
{
    (void)state;
    /* Shot 1 against a lone centre guard: a shot that removes it counts as not thrown. */
    struct table table = set_table("dc2", 1);
    position_put(&table.game.position, 0, (struct vec2){0.0, SHEET_TEE_Y - 3.0});
    struct normal_pair errors[16] = {{0.0, 0.0}};
    struct judge judge = {.game = &table.game,
                          .ice = table.ice,
                          .noise = &table.noise,
                          .source.by = JUDGE_BY_NETWORK,
                          .source.network = end_value_shipped("end_value_dc2"),
                          .errors = errors,
                          .stone = 1,
                          .gote = true};
    objective_of_game(&table.game, OBJECTIVE_SCORE, NULL, &judge.objective);
    struct candidate peel = {.kind = SHOT_PEEL, .stone = 0, .other_stone = -1};
    assert_int_equal(
        aim_hit(table.ice, &table.game.position, 0, 0.1, 20.0, table.ice->spin, &peel.shot, NULL),
        AIM_OK);
    struct judged judged = {.candidate = peel};
    judge_throw(&judge, &judged, 1);
    /* The guard is back and the stone is lost: the earlier position, seen by the other side. */
    float before[END_VALUE_SCORES];
    end_value_scores(judge.source.network, &table.game.position, 2, before);
    for (int s = 0; s < OBJECTIVE_SCORES; s++)
        assert_true(fabs(judged.scores[s] - (double)before[OBJECTIVE_SCORES - 1 - s]) < 1e-9);

    /* Two shots later the same throw is legal, and the outcome differs. */
    table.game.shot = 5;
    judge.stone = 5;
    struct judged legal = {.candidate = peel};
    judge_throw(&judge, &legal, 1);
    end_value_scores(judge.source.network, &table.game.position, 6, before);
    double apart = 0.0;
    for (int s = 0; s < OBJECTIVE_SCORES; s++)
        apart += fabs(legal.scores[s] - (double)before[OBJECTIVE_SCORES - 1 - s]);
    assert_true(apart > 1e-3);
}

static void simulations_are_never_exceeded(void **state)
{
    skip_one_thread();
    (void)state;
    struct table table = busy_table("dc2", 10, 5);
    const int64_t limits[] = {1, 2, 7, 100, 999, 5000, 30000};
    for (size_t k = 0; k < sizeof limits / sizeof *limits; k++) {
        struct player_query query = query_of(&table, limits[k], 1);
        struct player_answer answer = ask("rink:opponent=fallible", &query);
        assert_true(answer.simulations <= limits[k]);
        /* … and nearly used up. */
        assert_true(answer.simulations * 100 >= limits[k] * 90 || limits[k] < 1000);
        struct throw_request request = {
            .ice = table.ice, .before = &table.game.position, .stone = 10, .shot = answer.shot};
        assert_int_equal(throw_check(&request), THROW_OK);
    }
}

static void threads_do_not_change_the_answer(void **state)
{
    (void)state;
    for (int shot = 6; shot < 16; shot += BUILD_IS_SLOW ? 9 : 3) {
        struct table table = busy_table("dc2", shot, (unsigned)shot);
        struct player_query query = query_of(&table, 8000, 1);
        struct player_answer one = ask("rink:opponent=fallible", &query);
        for (int threads = 2; threads <= 8; threads *= 2) {
            query.limits.threads = threads;
            struct player_answer many = ask("rink:opponent=fallible", &query);
            many.elapsed_s = one.elapsed_s;
            assert_memory_equal(&one, &many, sizeof one);
        }
    }
}

/* Late in the end, with a few throws for each finalist, the search looks for replies. */
static const char *const replying =
    BUILD_IS_SLOW ? "rink:reply_throws=100" : "rink:reply_throws=300";
enum { REPLIED = BUILD_IS_SLOW ? 16000 : 60000 };

static void replies_keep_the_rules_of_a_search(void **state)
{
    (void)state;
    struct table table = busy_table("dc2", 13, 4);
    struct player_query query = query_of(&table, REPLIED, 1);
    struct player_answer without = ask("rink:reply_share=0", &query);
    struct player_answer one = ask(replying, &query);
    assert_true(one.simulations <= REPLIED && one.simulations > REPLIED * 3 / 4);
    query.limits.threads = 3;
    struct player_answer many = ask(replying, &query);
    many.elapsed_s = one.elapsed_s;
    assert_memory_equal(&one, &many, sizeof one);

    double sum = 0.0, apart = 0.0;
    for (int k = 0; k < OBJECTIVE_SCORES; k++) {
        assert_true(one.distribution.p[k] >= 0.0);
        sum += one.distribution.p[k];
        apart += fabs(one.distribution.p[k] - without.distribution.p[k]);
    }
    assert_true(fabs(sum - 1.0) < 1e-9);
    assert_true(apart > 1e-3); /* they have been heard */
}

/* Replies may be cheap, but the executions that they can answer are limited; the throws are used
 * all the same. */
static void cheap_replies_use_the_throws_they_have(void **state)
{
    skip_one_thread();
    (void)state;
    static const int64_t limits[] = {6200, 8000, 20000};
    struct table table = busy_table("dc2", 13, 4);
    for (int k = 0; k < 3; k++) {
        struct player_query query = query_of(&table, limits[k], 1);
        struct player_answer answer =
            ask("rink:reply_share=0.95,reply_throws=50,opponent=best", &query);
        assert_in_range(answer.simulations, limits[k] * 8 / 10, limits[k]);
        assert_true(answer.candidate[0].visits > 20);
    }
}

static bool same_shot(const struct player_candidate *a, const struct player_candidate *b)
{
    const struct shot *one = &a->candidate.shot, *two = &b->candidate.shot;
    return one->velocity.x == two->velocity.x && one->velocity.y == two->velocity.y &&
           one->omega == two->omega;
}

static void each_candidate_is_reported_once(void **state)
{
    skip_one_thread();
    (void)state;
    for (unsigned seed = 1; seed <= (BUILD_IS_SLOW ? 3 : 6); seed++) {
        struct table table = busy_table("dc2", 13, seed);
        struct player_query query = query_of(&table, REPLIED, 1);
        struct player_answer answer = ask(replying, &query);
        assert_int_equal(answer.candidates, 8);
        for (int a = 0; a < answer.candidates; a++)
            for (int b = 0; b < a; b++)
                assert_false(same_shot(&answer.candidate[a], &answer.candidate[b]));
    }
}

/* Values positions by counting, and cancels after a given number of calls. */
struct counting {
    atomic_long calls;
    long cancel_at;
    atomic_bool cancel;
};

static void count_and_cancel(void *context, const struct position *position, int thrown,
                             float ret_chance[OBJECTIVE_SCORES])
{
    struct counting *counting = context;
    (void)thrown;
    if (atomic_fetch_add(&counting->calls, 1) + 1 == counting->cancel_at)
        atomic_store(&counting->cancel, true);
    for (int k = 0; k < OBJECTIVE_SCORES; k++)
        ret_chance[k] = 0.0f;
    ret_chance[OBJECTIVE_ZERO + score_position(rules_find("dc2"), position, false)] = 1.0f;
}

static struct player_answer ask_counting(const struct table *table, struct counting *counting,
                                         int64_t simulations, double reply_share)
{
    struct rink_settings settings = {.objective = OBJECTIVE_SCORE,
                                     .value.by = JUDGE_BY_ASKING,
                                     .value.asked = count_and_cancel,
                                     .value.asked_context = counting,
                                     .refined = 4,
                                     .caution = 1.0,
                                     .reply_share = reply_share,
                                     .reply_throws = 300};
    struct player_query query = query_of(table, simulations, 1);
    struct player_answer answer = {0};
    query.cancel = &counting->cancel;
    assert_int_equal(rink_choose(&settings, &query, &answer), PLAYER_OK);
    return answer;
}

static void a_cut_search_reports_its_throws(void **state)
{
    skip_one_thread();
    (void)state;
    struct table table = busy_table("dc2", 8, 9);
    const long cuts[] = {1, 100, 1000, 20000};
    for (size_t k = 0; k < sizeof cuts / sizeof *cuts; k++) {
        struct counting counting = {.cancel_at = cuts[k]};
        struct player_answer answer = ask_counting(&table, &counting, 1000000, 0.0);
        assert_true(answer.cancelled);
        assert_int_equal(answer.simulations, atomic_load(&counting.calls));
        assert_int_equal(answer.simulations, cuts[k]); /* evaluating may be slow */
    }
}

static void replies_that_were_cut_short_do_not_count(void **state)
{
    skip_one_thread();
    (void)state;
    struct table table = busy_table("dc2", 13, 4);
    struct counting never = {.cancel_at = 0}, cut = {.cancel_at = 20000};
    /* 16,000 throws halve the candidates in both; the cut comes among the first replies. */
    struct player_answer without = ask_counting(&table, &never, 16000, 0.0);
    struct player_answer some = ask_counting(&table, &cut, 80000, 0.8);
    assert_true(some.cancelled);
    assert_true(some.simulations > 16000 && some.simulations < 30000);
    assert_int_equal(some.candidates, 8);
    for (int k = 0; k < some.candidates; k++) {
        assert_true(same_shot(&some.candidate[k], &without.candidate[k]));
        assert_true(some.candidate[k].value == without.candidate[k].value);
    }
}

/* Candidates are refined around the player's execution noise; a player without noise must not break
 * that. */
static void refinement_needs_no_noise(void **state)
{
    skip_one_thread();
    (void)state;
    struct table table = busy_table("dc2", 13, 4);
    table.noise.gat_stddev_x_m = table.noise.gat_stddev_y_m = 0.0;
    struct player_query query = query_of(&table, 20000, 1);
    struct player_answer answer = ask("rink:opponent=fallible", &query);
    int alike = 0;
    for (int a = 0; a < answer.candidates; a++)
        for (int b = 0; b < a; b++)
            alike += same_shot(&answer.candidate[a], &answer.candidate[b]);
    assert_int_equal(alike, 0);
}

/* Queries with a time limit, then again with the limits that the answer reports. Returns the
 * answer, or one with candidates = 0 if time ran out: another process took the processor. */
static struct player_answer ask_twice(const char *spec, const struct table *table,
                                      struct player_limits limits)
{
    struct player_query query = query_of(table, 0, 1);
    query.limits = limits;
    struct player_answer in_time = ask(spec, &query);
    if (in_time.simulations_to_repeat == 0)
        return (struct player_answer){.candidates = 0};
    query.limits =
        (struct player_limits){.simulations = in_time.simulations_to_repeat, .threads = 1};
    struct player_answer counted = ask(spec, &query);
    /* The throws that estimated the available time are not counted. */
    assert_true(counted.simulations < in_time.simulations);
    assert_true(limits.simulations == 0 || in_time.simulations <= limits.simulations);
    assert_int_equal(counted.simulations_to_repeat, in_time.simulations_to_repeat);
    counted.elapsed_s = in_time.elapsed_s;
    counted.simulations = in_time.simulations;
    assert_memory_equal(&in_time, &counted, sizeof counted);
    return in_time;
}

/* Each try has more time than the one before, so that a busy machine cannot make all of them fail.
 */
enum { TRIES = 20 };

static void an_answer_within_a_time_limit_can_be_reproduced(void **state)
{
    (void)state;
    skip_where_slow(); /* its first throws do not predict the time of later ones in slow builds */
    for (int shot = 3; shot < 16; shot += 3) {
        struct table table = busy_table("dc2", shot, 4);
        struct player_answer answer = {.candidates = 0};
        for (int k = 0; k < TRIES && answer.candidates == 0; k++)
            answer = ask_twice("rink", &table, (struct player_limits){.time_s = 0.03 * (1 + k)});
        assert_true(answer.candidates > 0);
    }
}

/* Also for a search with replies, which the searches before it did not have. */
static void replies_within_a_time_limit_can_be_reproduced(void **state)
{
    (void)state;
    skip_where_slow();
    static const char *const specs[] = {"rink:opponent=best,reply_throws=50",
                                        "rink:opponent=best,reply_throws=50,reply_share=0.95"};
    struct table table = busy_table("dc2", 12, 4);
    for (int s = 0; s < 2; s++) {
        struct player_answer answer = {.candidates = 0};
        bool has_replies = false;
        for (int k = 0; k < TRIES && !has_replies; k++) {
            answer = ask_twice(specs[s], &table,
                               (struct player_limits){.time_s = 0.1 * (1 + k),
                                                      .simulations = k % 2 ? 100000000 : 0});
            if (answer.candidates == 0)
                continue;
            struct player_query query = query_of(&table, answer.simulations_to_repeat, 1);
            struct player_answer without = ask("rink:opponent=best,reply_share=0", &query);
            has_replies = without.candidate[0].visits > 2 * answer.candidate[0].visits;
        }
        assert_true(has_replies);
    }
}

/* Returns a shot's true worth, by errors that no search has seen. */
static double true_worth(const struct table *table, struct shot shot)
{
    enum { SAMPLES = 512 };
    static struct normal_pair errors[SAMPLES];
    struct random_key key = {.seed = 99, .purpose = RANDOM_EXECUTION};
    quasi_normal_pairs(&key, 0, SAMPLES, errors);
    struct judge judge = {.game = &table->game,
                          .ice = table->ice,
                          .noise = &table->noise,
                          .source.by = JUDGE_BY_NETWORK,
                          .source.network = end_value_shipped("end_value_dc2"),
                          .errors = errors,
                          .stone = table->game.shot,
                          .gote = table->game.shot & 1};
    objective_of_game(&table->game, OBJECTIVE_SCORE, NULL, &judge.objective);
    struct judged judged = {.candidate = {.shot = shot, .stone = -1, .other_stone = -1}};
    judge_throw(&judge, &judged, SAMPLES);
    return judged_mean(&judged);
}

/* With both limits set, time decides only when it must. */
static void time_that_is_enough_changes_nothing(void **state)
{
    (void)state;
    struct table table = busy_table("dc2", 8, 9);
    struct player_query query = query_of(&table, 3000, 1);
    struct player_answer counted = ask("rink:opponent=fallible", &query);
    query.limits.time_s = 600.0;
    struct player_answer answer = ask("rink:opponent=fallible", &query);
    assert_int_equal(answer.simulations_to_repeat, 3000);
    answer.elapsed_s = counted.elapsed_s;
    assert_memory_equal(&answer, &counted, sizeof counted);

    /* Far too many for the time: the search plans a complete one for the time available, instead of
     * beginning an endless one that would not get beyond its first cut. */
    skip_where_slow();
    query.limits = (struct player_limits){.simulations = 1000000000, .time_s = 0.2, .threads = 1};
    int whole = 0;
    for (int k = 0; k < 20 && whole == 0; k++) {
        answer = ask("rink:opponent=fallible", &query);
        whole += answer.simulations_to_repeat > 0 && answer.candidates == 8;
    }
    assert_int_equal(whole, 1);
}

/* One throw of each candidate says something, too. */
static void few_throws_improve_the_shot(void **state)
{
    skip_one_thread();
    (void)state;
    double points = 0.0, most = 0.0, first = 0.0;
    for (unsigned seed = 1; seed <= 20; seed++) {
        struct table table = busy_table("dc2", 15, seed);
        struct player_query query = query_of(&table, 150, 1);
        struct player_answer few = ask("rink:objective=score", &query);
        query.limits.simulations = 1;
        struct player_answer none = ask("rink:objective=score", &query);
        query.limits.simulations = 5000;
        struct player_answer many = ask("rink:objective=score", &query);
        assert_true(few.has_value && few.candidates > 0);
        first += true_worth(&table, none.shot);
        points += true_worth(&table, few.shot);
        most += true_worth(&table, many.shot);
    }
    print_message("mean points of the last stone: %.2f, %.2f, %.2f\n", first / 20, points / 20,
                  most / 20);
    assert_true(points - first > 0.3 * (most - first));
}

/* About two throws for each candidate are no worse than slightly fewer. */
static void a_few_throws_more_do_no_harm(void **state)
{
    skip_one_thread();
    (void)state;
    enum { TABLES = BUILD_IS_SLOW ? 20 : 60 };
    static const double shares[] = {1.9, 2.0, 2.5, 3.0};
    double points[4] = {0.0};
    for (unsigned seed = 1; seed <= TABLES; seed++) {
        static struct candidate candidates[CANDIDATES_MAX];
        struct table table = busy_table("dc2", 15, seed);
        int count = candidates_generate(table.ice, table.game.rules, &table.game.position, 15,
                                        candidates, CANDIDATES_MAX);
        for (int k = 0; k < 4; k++) {
            struct player_query query = query_of(&table, (int64_t)(shares[k] * count), 1);
            points[k] += true_worth(&table, ask("rink:objective=score", &query).shot) / TABLES;
        }
    }
    print_message("mean points of the last stone: %.2f, %.2f, %.2f, %.2f\n", points[0], points[1],
                  points[2], points[3]);
    for (int k = 1; k < 4; k++)
        assert_true(points[k] > points[0] - 0.15);
}

/* The time before the search counts towards its limit. */
static void time_counts_from_when_it_was_asked(void **state)
{
    (void)state;
    struct table table = busy_table("dc2", 8, 9);
    struct player_query query = query_of(&table, 0, 1);
    struct player_answer answer;
    struct rink_settings settings = {.value.by = JUDGE_BY_COUNTING,
                                     .start_s = clock_now_s() - 50.0};
    query.limits.time_s = 40.0;
    assert_int_equal(rink_choose(&settings, &query, &answer), PLAYER_OK);
    assert_int_equal(answer.simulations, 0); /* time was up before it began */
}

static void a_fallible_opponent_is_expected_to_err(void **state)
{
    skip_one_thread();
    (void)state;
    /* One of sente's stones is on the tee, and gote has the last stone: it takes it out and wins,
     * or, if it only plays like `random`, often does not. */
    struct table table = set_table("dc2", 14);
    position_put(&table.game.position, 0, (struct vec2){0.0, SHEET_TEE_Y});
    struct player careless;
    char why[200];
    assert_true(player_read("random", &careless, sizeof why, why));
    struct player_query query = query_of(&table, 60000, 1);
    struct rink_settings settings = {.objective = OBJECTIVE_SCORE,
                                     .value.by = JUDGE_BY_NETWORK,
                                     .value.network = end_value_shipped("end_value_dc2"),
                                     .refined = 4,
                                     .caution = 1.0,
                                     .reply_share = 0.8,
                                     .reply_throws = 300};
    struct player_answer best = {0}, never = {0}, half = {0}, always = {0};
    assert_int_equal(rink_choose(&settings, &query, &best), PLAYER_OK);
    settings.fallible = &careless;
    assert_int_equal(rink_choose(&settings, &query, &never), PLAYER_OK);
    settings.fallible_share = 0.5;
    assert_int_equal(rink_choose(&settings, &query, &half), PLAYER_OK);
    settings.fallible_share = 1.0;
    assert_int_equal(rink_choose(&settings, &query, &always), PLAYER_OK);
    assert_true(always.simulations <= 60000 && always.simulations > 45000);
    print_message("points: %.2f %.2f %.2f %.2f\n", best.expected_score, never.expected_score,
                  half.expected_score, always.expected_score);
    assert_true(fabs(best.expected_score - never.expected_score) < 0.1);
    assert_true(half.expected_score > never.expected_score + 0.2);
    assert_true(always.expected_score > half.expected_score + 0.2);

    /* The shipped networks: against mistakes the first thrower expects more; in dc2 the hammer does
     * not. */
    table = set_table("dc2", 0);
    query = query_of(&table, 4000, 1);
    double strict = ask("rink:opponent=best,objective=score", &query).expected_score;
    assert_true(ask("rink:opponent=fallible,objective=score", &query).expected_score >
                strict + 0.1);
    for (int shot = 9; shot < 16; shot += 6) {
        table = busy_table("dc2", shot, 3);
        query = query_of(&table, 4000, 1);
        struct player_answer one = ask("rink:opponent=best", &query),
                             other = ask("rink:opponent=fallible", &query);
        other.elapsed_s = one.elapsed_s;
        assert_memory_equal(&one, &other, sizeof one);
    }
}

static void a_measured_shot_is_the_mean_of_its_throws(void **state)
{
    (void)state;
    struct table table = busy_table("dc2", 15, 4);
    struct player_query query = query_of(&table, 0, 1);
    struct rink_settings settings = {.value.by = JUDGE_BY_COUNTING};
    struct shot shot = {{0.99, 29.6}, table.ice->spin};
    for (int throws = 1; throws <= RINK_MEASURED_MAX; throws *= 8) {
        struct random_key key = query.key;
        struct normal_pair errors[RINK_MEASURED_MAX];
        key.purpose = RANDOM_EXECUTION;
        quasi_normal_pairs(&key, 0, (size_t)throws, errors);
        double sum = 0.0;
        for (int k = 0; k < throws; k++) {
            struct throw_request request = {
                .ice = table.ice, .before = &table.game.position, .stone = 15};
            struct throw_result result;
            request.shot = noise_apply(&table.noise, table.ice, shot, errors[k]);
            assert_int_equal(throw_fast(&request, &result), THROW_OK);
            sum -= score_position(table.game.rules, &result.after, false);
        }
        struct score_distribution d = rink_measure(&settings, &query, shot, throws);
        assert_true(fabs(objective_score(&d) - sum / throws) < 1e-9);
    }
}

static void the_end_of_the_time_is_no_cancellation(void **state)
{
    (void)state;
    for (int shot = 8; shot < 16; shot += 5) {
        struct table table = busy_table("dc2", shot, 9);
        struct player_query query = query_of(&table, 0, 1);
        struct player_answer answer = {0};
        /* Until the time is enough for a throw; on a busy machine that may be long. */
        for (double time_s = 0.03; answer.simulations == 0; time_s *= 2.0) {
            query.limits.time_s = time_s;
            answer = ask("rink:opponent=fallible", &query);
            assert_false(answer.cancelled);
        }
    }
}

static void a_cancelled_search_gives_its_best_answer_so_far(void **state)
{
    (void)state;
    struct table table = busy_table("dc2", 8, 9);
    atomic_bool cancel = true;
    struct player_query query = query_of(&table, 1000000000, 2);
    query.cancel = &cancel;
    struct player_answer answer = ask("rink:opponent=fallible", &query);
    assert_true(answer.cancelled);
    assert_true(answer.shot.velocity.y > 0.0);
    assert_true(answer.simulations < 100000);
}

static void count_reports(void *context, const struct player_answer *so_far)
{
    assert_true(so_far->candidates > 0 && so_far->simulations > 0 && so_far->elapsed_s > 0.0);
    ++*(int *)context;
}

static void reports_come_while_it_thinks(void **state)
{
    skip_one_thread();
    (void)state;
    struct table table = busy_table("dc2", 8, 9);
    int reports = 0;
    struct player_query query = query_of(&table, 20000, 1);
    struct player_answer quiet = ask("rink:opponent=fallible", &query);
    query.report = count_reports;
    query.context = &reports;
    struct player_answer answer = ask("rink:opponent=fallible", &query);
    assert_true(reports >= 2);
    answer.elapsed_s = quiet.elapsed_s;
    assert_memory_equal(&quiet, &answer, sizeof quiet);

    reports = 0;
    query.report_interval_s = 1000.0;
    ask("rink:opponent=fallible", &query);
    assert_int_equal(reports, 0);

    /* During the search for replies: a report can come after each reply. */
    table = busy_table("dc2", 13, 4);
    query = query_of(&table, REPLIED, 1);
    quiet = ask(replying, &query);
    query.report = count_reports;
    query.context = &reports;
    answer = ask(replying, &query);
    answer.elapsed_s = quiet.elapsed_s;
    assert_memory_equal(&quiet, &answer, sizeof quiet);
    assert_true(reports > 8 * 3 * 4); /* finalists, rounds, replies to each at least */
}

struct intervals {
    double last_s, longest_s;
};

static void note_interval(void *context, const struct player_answer *so_far)
{
    struct intervals *intervals = context;
    if (so_far->elapsed_s - intervals->last_s > intervals->longest_s)
        intervals->longest_s = so_far->elapsed_s - intervals->last_s;
    intervals->last_s = so_far->elapsed_s;
    assert_true(so_far->candidates > 0 && so_far->simulations_to_repeat == 0);
}

/* A round of a large search takes much longer than the report interval. */
static void reports_come_within_a_round(void **state)
{
    (void)state;
    skip_where_slow();
    struct table table = busy_table("dc2", 8, 9);
    struct player_query query = query_of(&table, 1000000000, 1);
    query.limits.time_s = 2.0;
    query.report = note_interval;
    query.report_interval_s = 0.05;
    double shortest_s = 2.0; /* the last search alone takes more than half of it */
    for (int k = 0; k < 5 && shortest_s > 0.5; k++) { /* unless other processes take the
                                                       * processor */
        struct intervals intervals = {0.0, 0.0};
        query.context = &intervals;
        struct player_answer answer = ask("rink:opponent=fallible", &query);
        if (answer.elapsed_s - intervals.last_s > intervals.longest_s)
            intervals.longest_s = answer.elapsed_s - intervals.last_s;
        if (intervals.longest_s < shortest_s)
            shortest_s = intervals.longest_s;
    }
    assert_true(shortest_s <= 0.5);
}

static void more_simulations_find_better_shots(void **state)
{
    (void)state;
    skip_where_slow();
    const int64_t limits[] = {200, 2000, 20000};
    double worth[3] = {0.0, 0.0, 0.0};
    for (unsigned seed = 1; seed <= 12; seed++) {
        struct table table = busy_table("dc2", 15, 100 + seed);
        for (int k = 0; k < 3; k++) {
            struct player_query query = query_of(&table, limits[k], 1);
            worth[k] += true_worth(&table, ask("rink:objective=score", &query).shot) / 12;
        }
    }
    print_message("mean points of the last stone: %.3f %.3f %.3f\n", worth[0], worth[1], worth[2]);
    assert_true(worth[1] > worth[0] + 0.02);
    assert_true(worth[2] > worth[1]);
}

/* What the played shot is worth more than another one, by throws that no search has seen. */
static double true_difference(const struct table *table, struct shot played, struct shot other)
{
    enum { THROWS = 4000 };
    double sum = 0.0;

    for (int k = 0; k < THROWS; k += RINK_MEASURED_MAX) {
        struct player_query query = query_of(table, 0, 1);
        struct rink_settings settings = {.objective = OBJECTIVE_SCORE,
                                         .value = {.by = JUDGE_BY_COUNTING}};
        query.key.seed = 77 + (uint64_t)k;
        struct score_distribution a = rink_measure(&settings, &query, played, RINK_MEASURED_MAX);
        struct score_distribution b = rink_measure(&settings, &query, other, RINK_MEASURED_MAX);
        sum += RINK_MEASURED_MAX * (objective_score(&a) - objective_score(&b));
    }
    return sum / THROWS;
}

static void diverse_candidates_are_of_different_kinds_with_true_differences(void **state)
{
    (void)state;
    struct table table = busy_table("dc2", 15, 5);
    struct player_query query = query_of(&table, 20000, 2);
    int compared = 0;

    query.diverse = true;
    struct player_answer answer = ask("rink:objective=score", &query);
    unsigned known = 0;
    assert_true(answer.candidates > 4);
    assert_true(answer.simulations <= 20000);
    assert_memory_equal(&answer.shot, &answer.candidate[0].candidate.shot, sizeof answer.shot);
    for (int k = 0; k < answer.candidates; k++) {
        const struct player_candidate *one = &answer.candidate[k];
        assert_false(known >> one->candidate.kind & 1);
        known |= 1u << one->candidate.kind;
        double wrong = one->difference + true_difference(&table, answer.shot, one->candidate.shot);
        assert_true(fabs(wrong) < 2.0 * one->difference_error + 0.05);
        assert_true(k < 2 || one->difference <= answer.candidate[k - 1].difference);
        compared++;
    }
    assert_int_equal(compared, answer.candidates);
    query.limits.threads = 1;
    struct player_answer alone = ask("rink:objective=score", &query);
    assert_same_answer(&answer, &alone);
}

static void a_diverse_answer_keeps_its_limit(void **state)
{
    skip_one_thread();
    (void)state;
    const int64_t limits[] = {1, 50, 700, 2400, 3000, 9000};
    struct table table = busy_table("dc3", 6, 9);

    for (size_t k = 0; k < sizeof limits / sizeof limits[0]; k++) {
        struct player_query query = query_of(&table, limits[k], 1);
        query.diverse = true;
        struct player_answer answer = ask("rink:opponent=fallible", &query);
        assert_true(answer.simulations <= limits[k]);
        assert_int_equal(answer.simulations_to_repeat, limits[k]);
    }
}

static void a_diverse_answer_within_a_time_limit_can_be_reproduced(void **state)
{
    (void)state;
    skip_where_slow();
    struct table table = busy_table("dc3", 6, 9);
    struct player_query query = query_of(&table, 0, 1);
    query.diverse = true;
    query.limits.time_s = 0.3;
    struct player_answer timed = ask("rink:opponent=fallible", &query);
    if (timed.simulations_to_repeat == 0)
        return; /* a machine so slow that the search was interrupted */
    query.limits.time_s = 0.0;
    query.limits.simulations = timed.simulations_to_repeat;
    struct player_answer again = ask("rink:opponent=fallible", &query);
    assert_int_equal(again.candidates, timed.candidates);
    for (int k = 0; k < again.candidates; k++)
        assert_true(again.candidate[k].difference == timed.candidate[k].difference);
}

static void a_mirror_image_has_the_same_value(void **state)
{
    (void)state;
    skip_where_slow();
    for (int shot = 12; shot < 16; shot++) {
        struct table table = busy_table("dc2", shot, 40 + (unsigned)shot), mirrored = table;
        mirrored.game.position = position_mirror(&table.game.position);
        struct player_query query = query_of(&table, 30000, 1);
        struct player_answer here = ask("rink:objective=score", &query);
        query.game = &mirrored.game;
        struct player_answer there = ask("rink:objective=score", &query);
        assert_true(fabs(here.expected_score - there.expected_score) < 0.25);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_stone_scores_what_is_possible),
        cmocka_unit_test(a_judged_mean_equals_the_mean_of_its_throws),
        cmocka_unit_test(a_foul_loses_the_stone),
        cmocka_unit_test(simulations_are_never_exceeded),
        cmocka_unit_test(threads_do_not_change_the_answer),
        cmocka_unit_test(replies_keep_the_rules_of_a_search),
        cmocka_unit_test(cheap_replies_use_the_throws_they_have),
        cmocka_unit_test(each_candidate_is_reported_once),
        cmocka_unit_test(a_cut_search_reports_its_throws),
        cmocka_unit_test(replies_that_were_cut_short_do_not_count),
        cmocka_unit_test(refinement_needs_no_noise),
        cmocka_unit_test(an_answer_within_a_time_limit_can_be_reproduced),
        cmocka_unit_test(replies_within_a_time_limit_can_be_reproduced),
        cmocka_unit_test(time_that_is_enough_changes_nothing),
        cmocka_unit_test(few_throws_improve_the_shot),
        cmocka_unit_test(a_few_throws_more_do_no_harm),
        cmocka_unit_test(time_counts_from_when_it_was_asked),
        cmocka_unit_test(a_fallible_opponent_is_expected_to_err),
        cmocka_unit_test(a_measured_shot_is_the_mean_of_its_throws),
        cmocka_unit_test(the_end_of_the_time_is_no_cancellation),
        cmocka_unit_test(a_cancelled_search_gives_its_best_answer_so_far),
        cmocka_unit_test(reports_come_while_it_thinks),
        cmocka_unit_test(reports_come_within_a_round),
        cmocka_unit_test(more_simulations_find_better_shots),
        cmocka_unit_test(diverse_candidates_are_of_different_kinds_with_true_differences),
        cmocka_unit_test(a_diverse_answer_keeps_its_limit),
        cmocka_unit_test(a_diverse_answer_within_a_time_limit_can_be_reproduced),
        cmocka_unit_test(a_mirror_image_has_the_same_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
