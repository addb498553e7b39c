/* Many pairs on several threads: play, records, stops and failures. */
#include "tests/unit/workers/evaluate/play/toy_series.h"

#include <jansson.h>

static void pairs_go_round_the_pairings(void **state)
{
    (void)state;
    for (int players = 2; players <= SERIES_PLAYERS_MAX; players++) {
        int64_t index = 0;
        for (int64_t pair = 0; pair < 3; pair++) {
            for (int i = 0; i < players; i++)
                for (int j = i + 1; j < players; j++, index++) {
                    struct record_name name = record_name_at(players, index);
                    assert_int_equal(name.first, i);
                    assert_int_equal(name.second, j);
                    assert_int_equal(name.pair, pair);
                }
        }
        assert_int_equal(index, 3 * players * (players - 1) / 2);
    }
}

static void results_and_records_are_the_same_for_any_number_of_threads(void **state)
{
    (void)state;
    static struct outcome alone, together;
    struct series series = series_of(3, 20, 1, path);

    series.setting.luck = few_throws;
    write_nothing();
    run(&series, &alone);
    assert_int_equal(alone.status, SERIES_OK);
    assert_int_equal(alone.count, 60);
    char *records = record_text_timeless(read_file(NULL));
    for (int threads = 2; threads <= 5; threads++) {
        write_nothing();
        series = series_of(3, 20, threads, path);
        series.setting.luck = few_throws;
        run(&series, &together);
        assert_int_equal(together.status, SERIES_OK);
        assert_same(&alone, &together);
        char *again = record_text_timeless(read_file(NULL));
        assert_string_equal(records, again);
        free(again);
    }
    series = series_of(3, 20, 4, NULL); /* and without records */
    run(&series, &together);
    assert_same(&alone, &together);
    free(records);
}

/* ---- what is recorded ---- */

static struct position position_of(const json_t *stones)
{
    struct position position = {0};
    assert_int_equal(json_array_size(stones), 16);
    for (int k = 0; k < 16; k++) {
        const json_t *at = json_array_get(stones, (size_t)k);
        struct vec2 point;
        if (json_is_null(at))
            continue;
        assert_int_equal(json_unpack((json_t *)(size_t)at, "[F, F]", &point.x, &point.y), 0);
        position_put(&position, k, point);
    }
    return position;
}

/* Throwing each recorded shot again, from the recorded position, leads to the next position. */
static void every_record_can_be_thrown_again(void **state)
{
    (void)state;
    static struct outcome outcome;
    struct series series = series_of(3, 2, 2, path);
    int shots = 0, pairs = 0, ends = 0;
    struct game game = {0};

    write_nothing();
    series.setting.ends = 2;
    run(&series, &outcome);
    char *records = read_file(NULL), *save = NULL;
    for (char *line = strtok_r(records, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        json_t *root = json_loads(line, 0, NULL), *stones, *final = NULL;
        const char *record;
        assert_non_null(root);
        assert_int_equal(json_unpack(root, "{s:s}", "record", &record), 0);
        if (strcmp(record, "shot") != 0) {
            pairs += strcmp(record, "pair") == 0;
            json_decref(root);
            continue;
        }
        struct shot executed, intended;
        int number, shot, end, player, hammer, foul, sente_score, first, second, lead;
        double expected;
        json_int_t simulations;
        assert_int_equal(
            json_unpack(root,
                        "{s:i, s:i, s:i, s:i, s:b, s:i, s:o, s:{s:[F, F], s:F}, s:{s:[F, F], s:F},"
                        " s:b, s:F, s:n, s:I, s:[i, i], s?o}",
                        "game", &number, "end", &end, "shot", &shot, "player", &player, "hammer",
                        &hammer, "lead", &lead, "stones", &stones, "intended", "velocity",
                        &intended.velocity.x, &intended.velocity.y, "omega", &intended.omega,
                        "executed", "velocity", &executed.velocity.x, &executed.velocity.y, "omega",
                        &executed.omega, "foul", &foul, "expected_score", &expected,
                        "win_probability", "simulations", &simulations, "pairing", &first, &second,
                        "final", &final),
            0);
        if (end == 0 && shot == 0)
            assert_int_equal(game_start(series.setting.rules, 2, 0, 1, &game), GAME_OK);
        struct position before = position_of(stones);
        assert_memory_equal(&before, &game.position, sizeof before);
        assert_int_equal(shot, game.shot);
        assert_int_equal(player, (game_next_team(&game) ^ number) ? second : first);
        assert_int_equal(hammer, game_next_team(&game) == game.hammer_team);
        assert_int_equal(lead, game_total(&game, game_next_team(&game)) -
                                   game_total(&game, 1 - game_next_team(&game)));
        assert_true(expected == 0.25 && simulations == 3);
        assert_true(vec2_distance(intended.velocity, executed.velocity) > 0.0);
        struct throw_request request = {
            .ice = series.setting.ice,
            .before = &before,
            .stone = shot,
            .shot = executed,
            .team0_has_hammer = game_team0_has_hammer(&game),
        };
        struct throw_result result;
        struct game_turn turn;
        assert_int_equal(throw_fast(&request, &result), THROW_OK);
        assert_int_equal(game_play(&game, &result.after, &turn), GAME_OK);
        assert_int_equal(foul, turn.offended >= 0);
        assert_int_equal(final != NULL, turn.end_finished);
        if (final) {
            struct position board = position_of(final);
            assert_memory_equal(&board, &turn.board, sizeof board);
            assert_int_equal(json_unpack(root, "{s:i}", "sente_score", &sente_score), 0);
            assert_int_equal(sente_score, turn.score);
            ends++;
        }
        shots++;
        json_decref(root);
    }
    assert_int_equal(pairs, 6);
    assert_int_equal(ends, 6 * 2 * 2);
    assert_int_equal(shots, 6 * 2 * 2 * 16);
    free(records);
}

/* ---- stopping ---- */

static bool stop_after_17(void *context, int64_t index, const struct pair_result *result,
                          bool resumed)
{
    (void)context;
    (void)result;
    (void)resumed;
    return index < 17;
}

static void an_early_stop_is_the_same_for_any_number_of_threads(void **state)
{
    (void)state;
    static struct outcome stopped, full;
    struct series series = series_of(3, 20, 1, NULL);

    run(&series, &full);
    char *wanted = NULL;
    for (int threads = 1; threads <= 4; threads++) {
        series = series_of(3, 20, threads, path);
        series.finished = stop_after_17;
        write_nothing();
        run(&series, &stopped);
        assert_int_equal(stopped.status, SERIES_STOPPED);
        assert_int_equal(stopped.count, 18);
        for (int k = 0; k < 18; k++)
            assert_true(same_games(&stopped.results[k], &full.results[k]));
        char *records = record_text_timeless(read_file(NULL));
        assert_true(!wanted || strcmp(records, wanted) == 0);
        free(wanted);
        wanted = records;
    }
    /* Resumed, it stops at the same place, using the file. */
    atomic_store(&cancel, false);
    run(&series, &stopped);
    assert_int_equal(stopped.status, SERIES_STOPPED);
    assert_int_equal(stopped.count, 18);
    free(wanted);
}

static bool cancel_at_9(void *context, int64_t index, const struct pair_result *result,
                        bool resumed)
{
    (void)context;
    (void)result;
    (void)resumed;
    if (index == 9)
        atomic_store(&cancel, true);
    return true;
}

static void a_cancelled_series_keeps_its_finished_games(void **state)
{
    (void)state;
    static struct outcome cut, full, resumed;
    struct series series = series_of(3, 20, 3, path);

    write_nothing();
    series.finished = cancel_at_9;
    run(&series, &cut);
    assert_int_equal(cut.status, SERIES_CANCELLED);
    assert_in_range(cut.count, 10, 59);
    series = series_of(3, 20, 3, path);
    run(&series, &resumed);
    assert_int_equal(resumed.status, SERIES_OK);
    series.records = NULL;
    run(&series, &full);
    assert_same(&full, &resumed);
    for (int64_t k = 0; k < cut.count; k++)
        assert_true(same_games(&cut.results[k], &full.results[k]));
}

/* Fails in pair 5 and later before any move; earlier pairs take a while. */
static enum player_status fail_from_pair_5(const struct player *player,
                                           const struct player_query *query,
                                           struct player_answer *ret_answer)
{
    const struct timespec nap = {.tv_nsec = 1000000};

    if (query->key.game >= 5)
        return PLAYER_FAILED;
    nanosleep(&nap, NULL);
    return toy_choose(player, query, ret_answer);
}
static const struct player_class late_class = {
    .name = "late", .about = "fails late", .choose = fail_from_pair_5};

static bool stop_after_4(void *context, int64_t index, const struct pair_result *result,
                         bool resumed)
{
    (void)context;
    (void)result;
    (void)resumed;
    return index < 4;
}

/* Results after a failure are reported in the order of the pairs, like all others. */
static void a_failure_is_the_same_for_any_number_of_threads(void **state)
{
    (void)state;
    static struct outcome outcome;

    for (int threads = 1; threads <= 6; threads++) {
        struct series series = series_of(2, 300, threads, path);
        three[0] = (struct player){.class = &late_class};
        write_nothing();
        run(&series, &outcome);
        assert_int_equal(outcome.status, SERIES_FAILED);
        assert_int_equal(outcome.count, 5);
        assert_string_equal(outcome.error, "player late failed to choose a shot in pair 5, game 0, "
                                           "end 0, shot 0");
        /* Booked pairs are in the file; a stop before the failure prevents it. */
        atomic_store(&cancel, false);
        series.finished = stop_after_4;
        write_nothing();
        run(&series, &outcome);
        assert_int_equal(outcome.status, SERIES_STOPPED);
        assert_int_equal(outcome.count, 5);
    }
}

static void failures_are_reported(void **state)
{
    (void)state;
    static struct outcome outcome;

    for (int threads = 1; threads <= 3; threads++) {
        struct series series = series_of(2, 50, threads, NULL);
        three[1] = (struct player){.class = &failing_class};
        run(&series, &outcome);
        assert_int_equal(outcome.status, SERIES_FAILED);
        assert_non_null(strstr(outcome.error, "player failing failed to choose a shot in pair "));
        three[1] = (struct player){.class = &wild_class};
        atomic_store(&cancel, false);
        run(&series, &outcome);
        assert_int_equal(outcome.status, SERIES_FAILED);
        assert_non_null(
            strstr(outcome.error, "player wild asked for a shot that cannot be thrown"));
    }
    struct series series = series_of(2, 1, 1, NULL);
    series.setting.ends = 99;
    run(&series, &outcome);
    assert_int_equal(outcome.status, SERIES_FAILED);
    assert_non_null(strstr(outcome.error, "1 to 10 ends"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_go_round_the_pairings),
        cmocka_unit_test(results_and_records_are_the_same_for_any_number_of_threads),
        cmocka_unit_test(every_record_can_be_thrown_again),
        cmocka_unit_test(an_early_stop_is_the_same_for_any_number_of_threads),
        cmocka_unit_test(a_cancelled_series_keeps_its_finished_games),
        cmocka_unit_test(failures_are_reported),
        cmocka_unit_test(a_failure_is_the_same_for_any_number_of_threads),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
