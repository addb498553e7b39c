/* Records of our own that come back: what is no whole game is refused, and what is stays as it was.
 */
#include "workers/compete/own_record.h"

#include "models/game/sheet.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

enum { SHOTS = 16, ENDS = 3 };

static char path[] = "/tmp/rinkd-own-record-XXXXXX";

/* The first stone of an end lies on the button, or none. */
static json_t *stones_of(bool has_first)
{
    json_t *stones = json_array();

    for (int k = 0; k < SHOTS; k++)
        json_array_append_new(stones, k == 0 && has_first
                                          ? json_pack("[f, f]", 0.0, (double)SHEET_TEE_Y)
                                          : json_null());
    return stones;
}

/* The first player never has the hammer. */
static json_t *shot_line(int end, int shot, int lead)
{
    const int player = shot % 2;

    return json_pack("{s:s, s:i, s:i, s:i, s:b, s:i, s:o, s:{s:[f, f], s:f}}", "record", "shot",
                     "end", end, "shot", shot, "player", player, "hammer", player, "lead",
                     player == 0 ? lead : -lead, "stones", stones_of(end == 0 && shot > 0),
                     "executed", "velocity", 0.0, 2.5, "omega", 1.5);
}

static json_t *result_of(int half_points, bool conceded, int ends)
{
    json_t *scores = json_array();

    for (int end = 0; end < ends; end++)
        json_array_append_new(scores, json_pack("{s:i, s:b}", "score", end == 0, "hammer", 0));
    return json_pack("{s:i, s:b, s:o}", "half_points", half_points, "conceded", conceded, "ends",
                     scores);
}

/* A game of dc2 with so many shots: the first player steals a point in the first end, the others
 * are blank. */
static json_t *record_of(int shots, json_t *result)
{
    json_t *lines = json_pack("[{s:s, s:s, s:i, s:i, s:o*}]", "record", "game", "profile", "dc2",
                              "ends", ENDS, "extra_ends", 0, "result", result);

    for (int k = 0; k < shots; k++) {
        json_t *line = shot_line(k / SHOTS, k % SHOTS, k >= SHOTS);
        if (k % SHOTS == SHOTS - 1)
            json_object_set_new(line, "final", stones_of(k < SHOTS));
        json_array_append_new(lines, line);
    }
    return lines;
}

/* The side that is to throw the last shot of the record gives up instead. */
static json_t *conceded_by_last(json_t *lines)
{
    json_t *last = json_array_get(lines, json_array_size(lines) - 1);

    json_object_del(last, "executed");
    json_object_del(last, "final");
    json_object_set_new(last, "conceded", json_true());
    return lines;
}

static void keeps(json_t *lines, int winner, const char *reason)
{
    const struct game_lines record = {lines, NULL};
    struct game_log log;
    char why[TALK_WHY_MAX];

    if (own_record_keep(&record, path, &log, why) != GAME_LOG_KEPT)
        fail_msg("%s", why);
    assert_int_equal(log.report.outcome.winner, winner);
    assert_string_equal(log.report.outcome.reason, reason);
    assert_int_equal(access(path, F_OK), 0);
    json_decref(lines);
}

static void refuses(json_t *lines, const char *said)
{
    const struct game_lines record = {lines, NULL};
    struct game_log log;
    char why[TALK_WHY_MAX];

    assert_int_equal(own_record_keep(&record, path, &log, why), GAME_LOG_BAD);
    if (!strstr(why, said))
        fail_msg("'%s' is not in '%s'", said, why);
    assert_int_equal(access(path, F_OK), -1);
    json_decref(lines);
}

static void a_whole_game_is_won_by_its_points(void **state)
{
    (void)state;
    keeps(record_of(ENDS * SHOTS, NULL), 0, "score");
    keeps(record_of(ENDS * SHOTS, result_of(2, false, ENDS)), 0, "score");
    refuses(record_of(ENDS * SHOTS, result_of(1, false, ENDS)), "does not fit the shots");
    refuses(record_of(ENDS * SHOTS, result_of(0, false, ENDS)), "does not fit the shots");
}

static void who_concedes_has_lost(void **state)
{
    /* The last line is of the second player, or of the first one. */
    static const struct {
        int shots, half_points, winner;
    } games[] = {{20, 2, 0}, {21, 0, 1}};

    (void)state;
    for (size_t k = 0; k < sizeof games / sizeof games[0]; k++) {
        for (int half_points = 0; half_points <= 2; half_points++) {
            json_t *lines =
                conceded_by_last(record_of(games[k].shots, result_of(half_points, true, 1)));
            if (half_points == games[k].half_points)
                keeps(lines, games[k].winner, "concede");
            else
                refuses(lines, "does not fit the shots");
        }
        keeps(conceded_by_last(record_of(games[k].shots, NULL)), games[k].winner, "concede");
    }
}

/* A server tells no last shot of such a game. */
static void a_game_that_ended_on_time_has_a_winner_whoever_led(void **state)
{
    (void)state;
    for (int shots = SHOTS; shots < (ENDS - 1) * SHOTS + 8; shots += 7) {
        const int ends = shots / SHOTS;
        keeps(record_of(shots, result_of(0, false, ends)), 1, "time_limit");
        keeps(record_of(shots, result_of(2, false, ends)), 0, "time_limit");
        keeps(record_of(shots, result_of(0, true, ends)), 1, "concede");
        refuses(record_of(shots, result_of(1, false, ends)), "does not fit the shots");
        keeps(record_of(shots, NULL), -1, "broken_off");
    }
    /* The line of our host. */
    keeps(conceded_by_last(record_of(20, result_of(2, false, 1))), 0, "time_limit");
    refuses(conceded_by_last(record_of(20, result_of(0, false, 1))), "does not fit the shots");
}

static void points_of_the_last_end_are_those_of_its_stones(void **state)
{
    json_t *result = result_of(2, false, 1);

    (void)state;
    json_object_set_new(json_array_get(json_object_get(result, "ends"), 0), "score",
                        json_integer(2));
    refuses(record_of(SHOTS, result), "does not fit the shots");
}

static void stones_that_were_never_thrown_do_not_lie_at_the_end(void **state)
{
    static const int lines_of_ends[] = {SHOTS, ENDS * SHOTS};

    (void)state;
    for (size_t k = 0; k < sizeof lines_of_ends / sizeof lines_of_ends[0]; k++) {
        json_t *lines = record_of(ENDS * SHOTS, result_of(2, false, ENDS));
        json_t *last = json_array_get(lines, (size_t)lines_of_ends[k]);
        char where[32];
        /* Stone 3 was gone before the last shot. */
        json_array_set_new(json_object_get(last, "final"), 3,
                           json_pack("[f, f]", 1.0, (double)SHEET_TEE_Y));
        snprintf(where, sizeof where, "line %d: final: ", lines_of_ends[k] + 1);
        refuses(lines, where);
    }
}

/* Another program may write it at each shot. */
static void stones_within_an_end_are_not_kept_as_its_last(void **state)
{
    json_t *lines = record_of(ENDS * SHOTS, NULL);
    char *text = NULL;
    size_t room = 0;
    int finals = 0;

    (void)state;
    json_object_set_new(json_array_get(lines, 5), "final", stones_of(true));
    keeps(lines, 0, "score");
    FILE *file = fopen(path, "re");
    assert_non_null(file);
    while (getline(&text, &room, file) > 0)
        finals += strstr(text, "\"final\"") != NULL;
    assert_int_equal(fclose(file), 0);
    free(text);
    assert_int_equal(finals, ENDS);
}

/* A file that may hold no more than some bytes. */
static void a_full_disk_is_not_a_bad_record(void **state)
{
    json_t *lines = record_of(ENDS * SHOTS, NULL);
    const struct game_lines record = {lines, NULL};
    struct rlimit limit, was;
    struct game_log log;
    char why[TALK_WHY_MAX];

    (void)state;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &was), 0);
    for (rlim_t bytes = 0; bytes <= 8000; bytes += 2000) {
        limit = (struct rlimit){bytes, was.rlim_max};
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
        enum game_log_end end = own_record_keep(&record, path, &log, why);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &was), 0);
        assert_int_equal(end, GAME_LOG_DISK);
        assert_string_equal(why, "the records cannot be written: File too large");
        assert_int_equal(access(path, F_OK), -1);
    }
    json_decref(lines);
}

static void lines_are_named_by_their_numbers_in_the_file(void **state)
{
    json_t *lines = record_of(ENDS * SHOTS, NULL), *numbers = json_array();
    const struct game_lines record = {lines, numbers};
    struct game_log log;
    char why[TALK_WHY_MAX];

    (void)state;
    for (int number = 3; number <= 99; number += 2)
        json_array_append_new(numbers, json_integer(number));
    json_array_remove(lines, 5);
    assert_int_equal(own_record_keep(&record, path, &log, why), GAME_LOG_BAD);
    assert_string_equal(why, "line 13: shot: does not follow the shot before it");
    json_decref(lines);
    json_decref(numbers);
}

static int set_up(void **state)
{
    int fd = mkstemp(path);

    (void)state;
    signal(SIGXFSZ, SIG_IGN);
    return fd < 0 || close(fd) != 0;
}

static int tear_down(void **state)
{
    (void)state;
    unlink(path);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_game_is_won_by_its_points),
        cmocka_unit_test(who_concedes_has_lost),
        cmocka_unit_test(a_game_that_ended_on_time_has_a_winner_whoever_led),
        cmocka_unit_test(points_of_the_last_end_are_those_of_its_stones),
        cmocka_unit_test(stones_that_were_never_thrown_do_not_lie_at_the_end),
        cmocka_unit_test(stones_within_an_end_are_not_kept_as_its_last),
        cmocka_unit_test(a_full_disk_is_not_a_bad_record),
        cmocka_unit_test(lines_are_named_by_their_numbers_in_the_file),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
