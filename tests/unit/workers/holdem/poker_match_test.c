/* Matches of hold'em: threads, files of finished sessions, players from their names. */
#include "workers/holdem/poker_match.h"

#include "tests/slow.h"
#include "workers/holdem/poker_players.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static struct poker_opened opened[2];

static struct poker_match match_of(int threads, const char *path)
{
    return (struct poker_match){
        .session = {.player = {opened[0].player, opened[1].player}, .seed = 6, .hands = 200},
        .sessions = 40,
        .threads = threads,
        .path = path,
        .header = "a match"};
}

static int set_up(void **state)
{
    char error[PLAYER_ERROR_MAX];

    (void)state;
    return poker_open("poker:o2", NULL, &opened[0], error) &&
                   poker_open("poker:random", NULL, &opened[1], error)
               ? 0
               : 1;
}

static void threads_do_not_change_the_result(void **state)
{
    (void)state;
    const struct poker_match one = match_of(1, NULL), three = match_of(3, NULL);
    struct poker_tally a, b;

    assert_int_equal(poker_match_run(&one, &a), POKER_MATCH_OK);
    assert_int_equal(poker_match_run(&three, &b), POKER_MATCH_OK);
    assert_memory_equal(&a, &b, sizeof a);
    assert_int_equal(a.pairs, 8000);
}

static atomic_bool stop;

static void stop_soon(void *context, int done, const struct poker_tally *tally, bool resumed)
{
    int *first = context;

    (void)tally;
    if (resumed)
        *first = done;
    else
        atomic_store(&stop, true);
}

static void a_stopped_match_goes_on(void **state)
{
    (void)state;
    char path[] = "/tmp/poker_match_XXXXXX";
    int fd = mkstemp(path), first = -1, done = 0;
    struct poker_match whole = match_of(1, NULL), parts = match_of(1, path);
    struct poker_tally a, b;

    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(poker_match_run(&whole, &a), POKER_MATCH_OK);
    parts.stop = &stop;
    parts.progress = stop_soon;
    parts.context = &first;
    atomic_store(&stop, false);
    assert_int_equal(poker_match_run(&parts, &b), POKER_MATCH_STOPPED);
    assert_int_equal(first, 0);
    assert_int_equal(truncate(path, (off_t)(sizeof "a match" + 5 * (sizeof b + 8) + 17)), 0);

    atomic_store(&stop, false); /* five sessions are whole, the sixth is cut off */
    assert_int_equal(poker_match_run(&parts, &b), POKER_MATCH_STOPPED);
    assert_int_equal(first, 5);
    do {
        done = first;
        atomic_store(&stop, false);
    } while (poker_match_run(&parts, &b) == POKER_MATCH_STOPPED && first > done);
    assert_memory_equal(&a, &b, sizeof a);

    parts.header = "another match";
    atomic_store(&stop, false);
    poker_match_run(&parts, &b);
    assert_int_equal(first, 0);
    unlink(path);
}

static void wrong_players_are_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {"rink",
                                        "poker:",
                                        "poker:o9",
                                        "poker:o0",
                                        "poker:c12",
                                        "poker:model=",
                                        "switch:poker:o1,every=5",
                                        "switch:poker:o1|poker:o2",
                                        "switch:poker:o1|poker:o2,every=0",
                                        "switch:poker:o1|poker:random,every=5",
                                        "switch:poker:o1|,every=5",
                                        "switch:poker:o1|poker:o2,every=5x"};
    static struct poker_opened wrong;
    char error[PLAYER_ERROR_MAX];

    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
        error[0] = '\0';
        assert_false(poker_open(texts[k], NULL, &wrong, error));
        assert_true(strlen(error) > 10);
    }
    assert_false(poker_open("poker:model=/no/such/file", NULL, &wrong, error));
    assert_true(poker_open("switch:poker:o1|poker:o2|poker:o3,every=7", NULL, &wrong, error));
    assert_int_equal(wrong.every, 7);
    poker_close(&wrong);
}

/* What ships can be played. */
static void shipped_players_win_from_a_maniac(void **state)
{
    skip_one_thread();
    (void)state;
    static const char *const names[] = {"poker:base", "poker:c2", "poker:ensemble", "poker:a-int",
                                        "poker:a-ave"};
    static struct poker_opened player;
    char error[PLAYER_ERROR_MAX] = "";

    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        if (!poker_open(names[k], NULL, &player, error))
            fail_msg("%s: %s", names[k], error);
        struct poker_match match = match_of(1, NULL);
        struct poker_tally tally;
        match.session.player[0] = player.player;
        match.session.player[1] = poker_rule_player(1);
        match.sessions = 4;
        match.session.hands = 60;
        assert_int_equal(poker_match_run(&match, &tally), POKER_MATCH_OK);
        print_message("%s wins %.0f +- %.0f mbb/hand\n", names[k], poker_tally_mbb(&tally),
                      poker_tally_half_width(&tally));
        assert_int_equal(tally.pairs, 240);
        assert_true(tally.chips > 0);
        poker_close(&player);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_do_not_change_the_result),
        cmocka_unit_test(a_stopped_match_goes_on),
        cmocka_unit_test(wrong_players_are_refused),
        cmocka_unit_test(shipped_players_win_from_a_maniac),
    };

    return cmocka_run_group_tests(tests, set_up, NULL);
}
