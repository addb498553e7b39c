/* Games that go on after a tie: their length, hammer, noise and records. */
#include "workers/evaluate/play/match.h"
#include "workers/evaluate/play/series.h"

#include "tests/unit/workers/evaluate/play/series_run.h"
#include "tests/unit/workers/evaluate/play/toy_pair.h"

enum { PAIRS_MOST = 60, SLOTS = 16 * (PAIR_ENDS_MAX + PAIR_EXTRA_ENDS_MAX) };

static struct pair_setting setting_of(int ends, int extra_ends)
{
    struct pair_setting setting = toy_setting(ends);

    setting.extra_ends = extra_ends;
    return setting;
}

/* ---- how long a game is ---- */

/* Data that a listener gathers from a pair. */
struct seen {
    const struct pair_setting *setting;
    struct vec2 error[2][SLOTS]; /* [game][16 * end + shot] */
    int mover[2][SLOTS], slots[2];
};

static void see(void *context, const struct pair_move *move)
{
    struct seen *seen = context;
    const struct game *game = move->game_before;
    struct game scores = *game; /* touching stones are not checked here */
    int slot = 16 * game->end + game->shot;

    /* Players decide for the game really being played. */
    assert_int_equal(game->ends, seen->setting->ends);
    assert_int_equal(game->extra_ends, seen->setting->extra_ends);
    scores.position = (struct position){0};
    assert_int_equal(game_check(&scores, NULL), GAME_OK);
    if (!move->conceded)
        seen->error[move->game][slot] =
            vec2_sub(move->executed.velocity, move->answer->shot.velocity);
    seen->mover[move->game][slot] = move->player;
    assert_int_equal(slot, seen->slots[move->game]++);
}

static struct pair_result play(const struct pair_setting *setting, const struct player *a,
                               const struct player *b, uint64_t pair, struct seen *ret_seen)
{
    *ret_seen = (struct seen){.setting = setting};
    return play_heard(setting, a, b, pair, see, ret_seen);
}

/* Ends are blank up to `until`: that many ends are played, and the last one decides. */
static void assert_decided_in(int ends, int extra_ends, int until)
{
    const struct pair_setting setting = setting_of(ends, extra_ends);
    const struct player player = tying(until);
    static struct seen seen;
    struct pair_result result = play(&setting, &player, &player, 0, &seen);

    for (int g = 0; g < 2; g++) {
        const struct pair_game *game = &result.game[g];
        assert_int_equal(game->ends, until + 1);
        assert_int_equal(seen.slots[g], 16 * (until + 1));
        for (int e = 0; e < game->ends; e++) {
            assert_int_equal(game->end[e].score != 0, e == until);
            assert_int_equal(game->end[e].hammer, pair_first_hammer(g) == 0); /* as all are blank */
        }
        assert_int_equal(game->half_points, game->end[until].score > 0 ? 2 : 0);
        assert_int_equal(pair_game_went_on(game, ends), until >= ends);
    }
}

static void a_tie_takes_as_many_extra_ends_as_it_needs(void **state)
{
    (void)state;
    assert_decided_in(1, 1, 0);
    assert_decided_in(1, 1, 1);
    assert_decided_in(1, 5, 1);
    assert_decided_in(1, 5, 4);
    assert_decided_in(2, 10, 2);
    assert_decided_in(2, 10, 11);
    assert_decided_in(10, 10, 19);
}

static void a_tie_after_the_last_extra_end_is_a_draw(void **state)
{
    (void)state;
    static const int cases[][2] = {{1, 0}, {1, 1}, {2, 3}, {10, 10}};
    const struct player player = tying(99);
    static struct seen seen;

    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        const struct pair_setting setting = setting_of(cases[k][0], cases[k][1]);
        struct pair_result result = play(&setting, &player, &player, 0, &seen);
        for (int g = 0; g < 2; g++) {
            assert_int_equal(result.game[g].ends, cases[k][0] + cases[k][1]);
            assert_int_equal(result.game[g].half_points, 1);
            assert_int_equal(pair_game_went_on(&result.game[g], cases[k][0]), cases[k][1] > 0);
        }
        assert_int_equal(result.effort[0].moves, 2 * 8 * (cases[k][0] + cases[k][1]));
    }
}

static void conceding_in_an_extra_end_counts_as_extra_end(void **state)
{
    (void)state;
    const struct pair_setting setting = setting_of(2, 4);
    struct player quits = tying(2), stays = tying(2);
    static struct seen seen;

    quits.setting[TYING_CONCEDES] = 1.0;
    struct pair_result result = play(&setting, &stays, &quits, 0, &seen);
    for (int g = 0; g < 2; g++) {
        assert_true(result.game[g].conceded);
        assert_int_equal(result.game[g].ends, 2);
        assert_int_equal(result.game[g].half_points, 2);
        assert_true(pair_game_went_on(&result.game[g], 2));
        assert_false(pair_game_went_on(&result.game[g], 3)); /* the same in a game of three */
    }
    struct match_summary match;
    match_summarise(&result, 1, 2, 1, &match);
    assert_int_equal(match.with_extra_ends, 2);
    assert_int_equal(match.conceded, 2);
}

/* ---- hammer and luck ---- */

/* However the ends went, the number played and the winner follow from their scores. */
static void ends_and_winner_follow_from_the_scores(void **state)
{
    (void)state;
    enum { ENDS = 2, EXTRA_ENDS = 3, PAIRS = 60 };
    const struct pair_setting setting = setting_of(ENDS, EXTRA_ENDS);
    const struct player a = toy(0.8), b = toy(2.0);
    static struct seen seen;
    int64_t went_on = 0;
    static struct pair_result results[PAIRS];

    for (int pair = 0; pair < PAIRS; pair++) {
        results[pair] = play(&setting, &a, &b, (uint64_t)pair, &seen);
        for (int g = 0; g < 2; g++) {
            const struct pair_game *game = &results[pair].game[g];
            bool hammer = pair_first_hammer(g) == 0;
            int lead = 0;
            for (int e = 0; e < game->ends; e++) {
                assert_true(e < ENDS || lead == 0); /* otherwise the game would be over */
                assert_int_equal(game->end[e].hammer, hammer);
                lead += game->end[e].score;
                if (game->end[e].score != 0)
                    hammer = game->end[e].score < 0;
            }
            assert_true(lead != 0 || game->ends == ENDS + EXTRA_ENDS);
            assert_int_equal(game->half_points, lead > 0 ? 2 : lead == 0 ? 1 : 0);
            went_on += game->ends > ENDS;
        }
    }
    assert_true(went_on > 5);
    struct match_summary match;
    match_summarise(results, PAIRS, ENDS, 1, &match);
    assert_int_equal(match.with_extra_ends, went_on);
}

static void identical_players_share_every_pair(void **state)
{
    (void)state;
    const struct pair_setting setting = setting_of(2, 10);
    const struct player a = toy(1.5), b = toy(1.5), c = tying(3);
    static struct seen seen;
    int went_on = 0;

    for (uint64_t pair = 0; pair < 200; pair++) {
        const struct player *twins[2] = {&a, &b};
        if (pair % 4 == 0)
            twins[0] = twins[1] = &c;
        struct pair_result result = play(&setting, twins[0], twins[1], pair, &seen);
        assert_int_equal(pair_half_points(&result), 2);
        assert_int_equal(pair_points(&result, PAIR_ALL_ENDS), 0);
        assert_int_equal(result.game[0].ends, result.game[1].ends);
        for (int e = 0; e < result.game[0].ends; e++)
            assert_int_equal(result.game[0].end[e].score, -result.game[1].end[e].score);
        went_on += pair_game_went_on(&result.game[0], 2);
    }
    assert_true(went_on > 55); /* more than the tying players' games */
}

static void both_games_meet_the_same_luck_in_extra_ends(void **state)
{
    (void)state;
    const struct pair_setting setting = setting_of(2, 5);
    const struct player player = tying(4);
    static struct seen seen;

    play(&setting, &player, &player, 3, &seen);
    assert_int_equal(seen.slots[0], 16 * 5);
    assert_int_equal(seen.slots[1], 16 * 5);
    for (int slot = 0; slot < 16 * 5; slot++) {
        assert_true(seen.error[0][slot].x == seen.error[1][slot].x);
        assert_true(seen.error[0][slot].y == seen.error[1][slot].y);
        assert_int_equal(seen.mover[0][slot], 1 - seen.mover[1][slot]);
        for (int other = 0; other < slot; other++) /* no end repeats another */
            assert_true(seen.error[0][slot].x != seen.error[0][other].x);
    }
}

/* A game that is not level is unchanged; a level one continues after the same ends. */
static void extra_ends_change_nothing_before_them(void **state)
{
    (void)state;
    const struct pair_setting without = setting_of(2, 0), with = setting_of(2, 4);
    const struct player a = toy(0.8), b = toy(2.0);
    static struct seen seen;
    int drawn = 0;

    for (uint64_t pair = 0; pair < 60; pair++) {
        struct pair_result one = play(&without, &a, &b, pair, &seen);
        struct pair_result two = play(&with, &a, &b, pair, &seen);
        for (int g = 0; g < 2; g++) {
            for (int e = 0; e < 2; e++) {
                assert_int_equal(one.game[g].end[e].score, two.game[g].end[e].score);
                assert_int_equal(one.game[g].end[e].hammer, two.game[g].end[e].hammer);
            }
            assert_int_equal(one.game[g].half_points == 1, pair_game_went_on(&two.game[g], 2));
            if (one.game[g].half_points != 1)
                assert_int_equal(one.game[g].half_points, two.game[g].half_points);
            drawn += one.game[g].half_points == 1;
        }
    }
    assert_true(drawn > 5);
}

/* ---- settings ---- */

static void impossible_numbers_are_named(void **state)
{
    (void)state;
    struct pair_setting setting = setting_of(2, PAIR_EXTRA_ENDS_MAX);

    assert_null(pair_setting_check(&setting));
    setting.extra_ends = PAIR_EXTRA_ENDS_MAX + 1;
    assert_string_equal(pair_setting_check(&setting), "a game has 0 to 10 extra ends");
    setting.extra_ends = -1;
    assert_non_null(pair_setting_check(&setting));
}

/* ---- records ---- */

static struct player two[2];
static atomic_bool cancel;

static struct series series_of(int extra_ends, int64_t pairs, int threads)
{
    two[0] = toy(0.8);
    two[1] = toy(2.0);
    atomic_store(&cancel, false);
    return (struct series){
        .setting = setting_of(2, extra_ends),
        .players = two,
        .player_count = 2,
        .pairs = pairs,
        .threads = threads,
        .records = path,
        .cancel = &cancel,
    };
}

static int64_t count_went_on(const struct outcome *outcome)
{
    struct match_summary match;

    match_summarise(outcome->results, outcome->count, 2, 1, &match);
    return match.with_extra_ends;
}

static void records_are_the_same_for_any_number_of_threads(void **state)
{
    (void)state;
    static struct outcome alone, together;
    char *wanted = NULL;

    for (int threads = 1; threads <= 3; threads++) {
        const struct series series = series_of(4, PAIRS_MOST, threads);
        record_text_write(path, "", 0);
        struct outcome *outcome = threads == 1 ? &alone : &together;
        run(&series, outcome);
        assert_int_equal(outcome->status, SERIES_OK);
        char *text = record_text_timeless(record_text_read(path, NULL));
        if (wanted) {
            assert_same(&alone, &together);
            assert_string_equal(text, wanted);
        }
        free(wanted);
        wanted = text;
    }
    assert_non_null(strstr(wanted, "\"ends\":2,"));
    assert_non_null(strstr(wanted, "\"extra_ends\":4,\"luck_by\":\"hammer\"}\n"));
    assert_true(count_went_on(&alone) > 0);
    free(wanted);
}

/* Killed during an extra end: its pair is played again, with the same result. */
static void a_file_cut_off_in_an_extra_end_is_resumed(void **state)
{
    (void)state;
    static struct outcome whole, resumed;
    struct series series = series_of(4, PAIRS_MOST, 2);
    size_t length;
    int cuts = 0;

    record_text_write(path, "", 0);
    run(&series, &whole);
    assert_int_equal(whole.status, SERIES_OK);
    char *records = record_text_read(path, &length);
    char *wanted = record_text_timeless(record_text_read(path, NULL));
    for (const char *at = records; (at = strstr(at, "\"end\":2,\"shot\":")) != NULL && cuts < 6;) {
        size_t cut = (size_t)(at - records) + (cuts % 2 ? 0 : strcspn(at, "\n") + 1);
        record_text_write(path, records, cut);
        series.threads = 1 + cuts % 3;
        run(&series, &resumed);
        assert_int_equal(resumed.status, SERIES_OK);
        assert_same(&whole, &resumed);
        char *again = record_text_timeless(record_text_read(path, NULL));
        assert_string_equal(wanted, again);
        free(again);
        cuts++;
        at += strcspn(at, "\n");
    }
    assert_int_equal(cuts, 6);
    free(wanted);
    free(records);
}

static void another_number_is_refused_and_named(void **state)
{
    (void)state;
    static struct outcome outcome;
    struct series series = series_of(4, 2, 1);

    record_text_write(path, "", 0);
    run(&series, &outcome);
    assert_int_equal(outcome.status, SERIES_OK);
    char *before = record_text_read(path, NULL);
    series.setting.extra_ends = 0;
    run(&series, &outcome);
    assert_int_equal(outcome.status, SERIES_FAILED);
    assert_non_null(strstr(outcome.error, "its extra_ends is 4, not 0"));
    series.setting.extra_ends = 5;
    run(&series, &outcome);
    assert_non_null(strstr(outcome.error, "its extra_ends is 4, not 5"));
    char *after = record_text_read(path, NULL);
    assert_string_equal(before, after);
    free(before);
    free(after);

    /* A foreign file is still reported as such. */
    record_text_write(path, "{}\n", 3);
    run(&series, &outcome);
    assert_non_null(strstr(outcome.error, "is not a file of match records"));
}

/* Files from before extra ends existed do not mention them. */
static void a_file_without_extra_ends_has_none(void **state)
{
    (void)state;
    static struct outcome first, taken_up;
    struct series series = series_of(0, 4, 1);

    record_text_write(path, "", 0);
    run(&series, &first);
    char *text = record_text_read(path, NULL);
    assert_null(strstr(text, "extra_ends"));
    free(text);
    series.pairs = 8;
    run(&series, &taken_up);
    assert_int_equal(taken_up.status, SERIES_OK);
    assert_int_equal(taken_up.count, 8);
    assert_true(same_games(&first.results[3], &taken_up.results[3]));
    series.setting.extra_ends = 3;
    run(&series, &taken_up);
    assert_int_equal(taken_up.status, SERIES_FAILED);
    assert_non_null(strstr(taken_up.error, "its extra_ends is 0, not 3"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tie_takes_as_many_extra_ends_as_it_needs),
        cmocka_unit_test(a_tie_after_the_last_extra_end_is_a_draw),
        cmocka_unit_test(conceding_in_an_extra_end_counts_as_extra_end),
        cmocka_unit_test(ends_and_winner_follow_from_the_scores),
        cmocka_unit_test(identical_players_share_every_pair),
        cmocka_unit_test(both_games_meet_the_same_luck_in_extra_ends),
        cmocka_unit_test(extra_ends_change_nothing_before_them),
        cmocka_unit_test(impossible_numbers_are_named),
        cmocka_unit_test(records_are_the_same_for_any_number_of_threads),
        cmocka_unit_test(a_file_cut_off_in_an_extra_end_is_resumed),
        cmocka_unit_test(another_number_is_refused_and_named),
        cmocka_unit_test(a_file_without_extra_ends_has_none),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
