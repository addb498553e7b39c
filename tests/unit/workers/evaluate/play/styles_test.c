/* Measured styles, and players that look at their opponent in a pair. */
#include "workers/evaluate/play/styles.h"

#include "models/tables/profiles.h"
#include "tests/unit/workers/evaluate/play/toy_pair.h"

#include <string.h>

static struct pair_setting dc2_setting(void)
{
    const struct profile *profile = profile_find("dc2");

    return (struct pair_setting){.rules = &profile->rules,
                                 .ice = profile->ice,
                                 .noise = noise_default(profile->ice, profile->ice->noise),
                                 .ends = 2,
                                 .seed = 3};
}

static struct player read_player(const char *spec)
{
    struct player player;
    char error[PLAYER_ERROR_MAX];

    if (!player_read(spec, &player, sizeof error, error))
        fail_msg("%s", error);
    return player;
}

static struct style_counts measure(const char *spec, int threads)
{
    const struct pair_setting setting = dc2_setting();
    const struct player player = read_player(spec), against = read_player("ai-simple");
    const struct player *const players[2] = {&player, &against};
    struct style_counts counts;

    assert_int_equal(styles_measure(&setting, players, 0, 12, threads, NULL, &counts), PAIR_OK);
    return counts;
}

static void threads_do_not_change_the_counts(void **state)
{
    (void)state;
    const struct style_counts one = measure("ai-simple", 1), four = measure("ai-simple", 4);

    assert_int_equal(one.throws, 12 * 2 * 2 * 8);
    assert_memory_equal(&one, &four, sizeof one);
}

static struct style_counts measure_ends(const char *spec, int threads)
{
    const struct pair_setting setting = dc2_setting();
    const struct player player = read_player(spec), against = read_player("ai-simple");
    const struct player *const players[2] = {&player, &against};
    struct style_counts counts = {.throws = 7};

    assert_int_equal(styles_measure_ends(&setting, players, 40, threads, NULL, &counts), PAIR_OK);
    assert_int_equal(counts.throws, 7);
    return counts;
}

static void ends_are_counted_by_seat_and_fit_their_player_alone(void **state)
{
    (void)state;
    const struct style_counts one = measure_ends("random", 1), four = measure_ends("random", 4);
    struct style_row row = {.profile = "dc2", .player = "random"};

    assert_memory_equal(&one, &four, sizeof one);
    assert_false(style_has_ends(&row));
    assert_true(styles_ends_misfit(&one, &row).is_right);
    for (int seat = 0; seat < 2; seat++) {
        int64_t ends = 0, points = 0;
        for (int k = 0; k < PROFILE_SCORES; k++) {
            row.ends[seat][k] = (int)one.ends[seat][k];
            ends += one.ends[seat][k];
            points += one.ends[seat][k] * (k - PROFILE_SCORE_ZERO);
        }
        assert_int_equal(ends, 40);
        assert_true(points > 40); /* of ai-simple, against one that throws anything */
    }
    assert_true(style_has_ends(&row));
    const struct style_misfit own = styles_ends_misfit(&one, &row);
    assert_true(own.is_right && own.distance == 0.0 && own.chance > 0.0);
    const struct style_counts others = measure_ends("ai-simple", 2);
    assert_false(styles_ends_misfit(&others, &row).is_right);
}

static void a_row_fits_its_player_alone(void **state)
{
    (void)state;
    const struct style_counts counts = measure("ai-simple", 2);
    struct style_row row = {.profile = "dc2", .player = "ai-simple"};

    for (int k = 0; k < STYLE_COUNTS; k++)
        row.count[k] = (uint16_t)counts.count[k];
    const struct style_misfit own = styles_misfit(&counts, &row);
    assert_true(own.is_right && own.distance < 0.1);
    const struct style_counts others = measure("random", 2);
    const struct style_misfit other = styles_misfit(&others, &row);
    assert_false(other.is_right);
    assert_true(other.distance > 1.0);
}

/* ---- players that look ---- */

enum { MOVES_MAX = 256 };

static struct {
    int moves, seen[MOVES_MAX];
} looked;

static enum player_status look(const struct player *player, const struct player_query *query,
                               struct player_answer *ret_answer)
{
    (void)player;
    assert_true(looked.moves < MOVES_MAX);
    looked.seen[looked.moves++] = query->seen_count;
    ret_answer->shot = (struct shot){{0.0, 30.0}, query->ice->spin};
    return PLAYER_OK;
}

static bool always(const struct player *player)
{
    (void)player;
    return true;
}

static void a_player_sees_all_throws_of_its_pair(void **state)
{
    (void)state;
    static const struct player_class looking = {
        .name = "looking", .looks_at_opponent = always, .choose = look};
    const struct pair_setting setting = dc2_setting();
    const struct player a = {.class = &looking}, b = read_player("ai-simple");

    looked.moves = 0;
    play_pair(&setting, &a, &b, 0);
    assert_int_equal(looked.moves, 2 * 2 * 8);
    /* It throws first in the first end of the first game; then it depends on the scores. */
    assert_int_equal(looked.seen[0], 0);
    assert_int_equal(looked.seen[7], 7);
    assert_int_equal(looked.seen[16], 17); /* the second game, in which it has the hammer */
    for (int k = 1; k < looked.moves; k++)
        assert_true(looked.seen[k] >= looked.seen[k - 1]);
    play_pair(&setting, &a, &b, 1);
    assert_int_equal(looked.seen[32], 0); /* another pair begins anew */
}

static void nobody_looks_unless_asked(void **state)
{
    (void)state;
    static const struct player_class blind = {.name = "blind", .choose = look};
    const struct pair_setting setting = dc2_setting();
    const struct player a = {.class = &blind}, b = read_player("ai-simple");

    looked.moves = 0;
    play_pair(&setting, &a, &b, 0);
    assert_int_equal(looked.seen[31], 0);
    const struct player fallible = read_player("rink:opponent=fallible"),
                        model = read_player("rink");
    assert_false(player_looks_at_opponent(&fallible));
    assert_true(player_looks_at_opponent(&model));
}

/* ---- players that take turns ---- */

static void players_take_turns_by_games(void **state)
{
    (void)state;
    const struct pair_setting setting = dc2_setting();
    const struct player a = read_player("ai-simple"), b = read_player("generator:random=true");
    const struct player against = read_player("ai-simple:epsilon=0.2");
    struct player turns;
    char error[PLAYER_ERROR_MAX], spec[PLAYER_SPEC_MAX];

    assert_true(player_read_turns("switch:ai-simple|generator:random=true,every=2", &turns,
                                  sizeof error, error));
    player_write(&turns, sizeof spec, spec);
    assert_string_equal(spec, "switch:ai-simple|generator:random=true,every=2");
    for (uint64_t pair = 0; pair < 4; pair++) {
        const struct pair_result one = play_pair(&setting, &against, &turns, pair),
                                 two = play_pair(&setting, &against, pair % 2 ? &b : &a, pair);
        assert_memory_equal(&one.game, &two.game, sizeof one.game);
    }
    assert_false(player_read_turns("switch:ai-simple|nobody,every=2", &turns, sizeof error, error));
    assert_non_null(strstr(error, "nobody"));
    assert_false(player_read("switch:ai-simple|random,every=2", &turns, sizeof error, error));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_do_not_change_the_counts),
        cmocka_unit_test(ends_are_counted_by_seat_and_fit_their_player_alone),
        cmocka_unit_test(a_row_fits_its_player_alone),
        cmocka_unit_test(a_player_sees_all_throws_of_its_pair),
        cmocka_unit_test(nobody_looks_unless_asked),
        cmocka_unit_test(players_take_turns_by_games),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
