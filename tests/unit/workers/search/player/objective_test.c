/* The value of an end's score, and the table of winning chances behind it. */
#include "workers/search/player/objective.h"

#include "models/tables/profiles.h"
#include "workers/search/player/win_table.h"
#include "workers/search/style/style.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static struct game new_game(const char *rules, int ends, int extra_ends)
{
    struct game game;
    assert_int_equal(game_start(rules_find(rules), ends, extra_ends, 1, &game), GAME_OK);
    return game;
}

static void the_last_end_decides(void **state)
{
    (void)state;
    struct game game = new_game("dc2", 2, 0);
    struct objective objective;
    game.end = 1;
    game.scores[1][0] = 1; /* team 1, with the hammer here too, leads by one */
    game.shot = 15;        /* team 1 is to move */
    objective_of_game(&game, OBJECTIVE_WIN, NULL, &objective);
    for (int score = -8; score <= 8; score++) {
        double wanted = score > -1 ? 1.0 : score == -1 ? 0.5 : 0.0;
        assert_true(objective.win[OBJECTIVE_ZERO + score] == wanted);
        double with_points = 0.99 * wanted + 0.01 * (score + 8) / 16;
        assert_true(fabs(objective.worth[OBJECTIVE_ZERO + score] - with_points) < 1e-12);
    }
    game.shot = 14; /* the same for team 0 */
    objective_of_game(&game, OBJECTIVE_SCORE, NULL, &objective);
    for (int score = -8; score <= 8; score++) {
        double wanted = score > 1 ? 1.0 : score == 1 ? 0.5 : 0.0;
        assert_true(objective.win[OBJECTIVE_ZERO + score] == wanted);
        assert_true(objective.worth[OBJECTIVE_ZERO + score] == score);
    }
}

/* The recursion of win_table.h written a second time, between two who need not be equal: share[0]
 * are ends in which rink has the hammer, share[1] those of the other. Returns the chance of the one
 * with the hammer. */
static double unequal(double share[2][17], int who, int ends, int lead, bool extra)
{
    const double *mine = share[who];
    if (ends == 0) {
        double wins = 0.0, loses = 0.0;
        for (int score = 1; score <= 8; score++) {
            wins += mine[8 + score];
            loses += mine[8 - score];
        }
        return lead > 0 ? 1.0 : lead < 0 ? 0.0 : extra ? wins / (wins + loses) : 0.5;
    }
    double sum = 0.0;
    for (int score = -8; score <= 8; score++) {
        if (mine[8 + score] == 0.0)
            continue;
        double value = score > 0 ? 1.0 - unequal(share, 1 - who, ends - 1, -lead - score, extra)
                                 : unequal(share, who, ends - 1, lead + score, extra);
        if (score == 1)
            value = fmax(value, unequal(share, who, ends - 1, lead, extra));
        sum += mine[8 + score] * value;
    }
    return sum;
}

/* Between equals. */
static double chance(const double share[17], int ends, int lead, bool extra)
{
    double both[2][17];
    memcpy(both[0], share, sizeof both[0]);
    memcpy(both[1], share, sizeof both[1]);
    return unequal(both, 0, ends, lead, extra);
}

static void the_table_satisfies_its_recursion(void **state)
{
    (void)state;
    for (int r = 0; r < 2; r++) {
        const struct profile *profile = profile_find(r == 0 ? "dc2" : "dc3");
        double share[17], all = 0.0;
        for (int k = 0; k < 17; k++)
            all += profile->end_scores[k];
        assert_true(all == 4000.0);
        for (int k = 0; k < 17; k++)
            share[k] = profile->end_scores[k] / all;
        for (int extra = 0; extra < 2; extra++)
            for (int left = 0; left <= 3; left++) {
                struct game game = new_game(profile->name, left + 1, extra ? 10 : 0);
                for (int lead = -4; lead <= 4; lead++) {
                    double wanted = chance(share, left, lead, extra);
                    assert_true(fabs(win_table_after(NULL, &game, lead, true) - wanted) < 1e-12);
                    wanted = 1.0 - chance(share, left, -lead, extra);
                    assert_true(fabs(win_table_after(NULL, &game, lead, false) - wanted) < 1e-12);
                }
            }
    }
}

/* The hammer takes two or is stolen from by one, as often. */
static void a_table_of_other_ends_satisfies_it_too(void **state)
{
    (void)state;
    double share[17] = {0};
    share[8 + 2] = share[8 - 1] = 3.0;
    struct win_table *table = win_table_new(share);
    assert_non_null(table);
    share[8 + 2] = share[8 - 1] = 0.5;
    for (int extra = 0; extra < 2; extra++)
        for (int left = 0; left <= 4; left++) {
            struct game game = new_game("dc2", left + 1, extra ? 10 : 0);
            for (int lead = -4; lead <= 4; lead++) {
                double wanted = chance(share, left, lead, extra);
                assert_true(fabs(win_table_after(table, &game, lead, true) - wanted) < 1e-12);
            }
        }
    struct game game = new_game("dc2", 2, 0);
    struct objective by_table, by_profile;
    objective_of_game(&game, OBJECTIVE_WIN, table, &by_table);
    objective_of_game(&game, OBJECTIVE_WIN, NULL, &by_profile);
    assert_true(by_table.win[OBJECTIVE_ZERO + 1] ==
                0.5); /* then the other team takes two or none */
    assert_true(by_profile.win[OBJECTIVE_ZERO + 1] != 0.5);
    win_table_free(table);
}

static void shares_of_row(const struct style_row *row, double ret_share[2][17])
{
    double all[2] = {0.0, 0.0};
    for (int k = 0; k < 17; k++) {
        ret_share[0][k] = row->ends[SEAT_GOTE][k];
        ret_share[1][k] = row->ends[SEAT_SENTE][16 - k];
        all[0] += ret_share[0][k];
        all[1] += ret_share[1][k];
    }
    for (int k = 0; k < 17; k++) {
        ret_share[0][k] /= all[0];
        ret_share[1][k] /= all[1];
    }
}

static void a_table_against_a_style_satisfies_its_recursion(void **state)
{
    (void)state;
    int tables = 0;
    for (const struct style_row *row = style_rows; row->profile; row++) {
        const struct win_table *table = win_table_against(row);
        double share[2][17];
        assert_true((table != NULL) == style_has_ends(row));
        assert_true(style_has_ends(row) == (row->errs > 0.0));
        if (!table)
            continue;
        tables++;
        shares_of_row(row, share);
        for (int extra = 0; extra < 2; extra++)
            for (int left = 0; left <= 2; left++) {
                struct game game = new_game(row->profile, left + 1, extra ? 10 : 0);
                for (int lead = -3; lead <= 3; lead++) {
                    double wanted = unequal(share, 0, left, lead, extra);
                    assert_true(fabs(win_table_after(table, &game, lead, true) - wanted) < 1e-12);
                    wanted = 1.0 - unequal(share, 1, left, -lead, extra);
                    assert_true(fabs(win_table_after(table, &game, lead, false) - wanted) < 1e-12);
                }
            }
        /* Who plays points better wins more often than an equal. */
        struct game game = new_game(row->profile, 8, 10);
        assert_true(win_table_after(table, &game, 0, false) >
                    win_table_after(NULL, &game, 0, false) + 0.05);
    }
    assert_true(tables >= 2);
}

static void a_mix_is_a_mean_that_is_told_and_not_played_for(void **state)
{
    (void)state;
    struct game game = new_game("dc2", 4, 10);
    const struct win_table *table = win_table_against(&style_rows[0]);
    const struct win_mix mix = {.count = 1, .part = {{table, 0.25}}};
    struct objective told, equal;
    assert_non_null(table);
    for (int lead = -2; lead <= 2; lead++)
        for (int hammer = 0; hammer < 2; hammer++) {
            double wanted = 0.25 * win_table_after(table, &game, lead, hammer) +
                            0.75 * win_table_after(NULL, &game, lead, hammer);
            assert_true(fabs(win_mix_after(&mix, &game, lead, hammer) - wanted) < 1e-12);
        }
    objective_of_game(&game, OBJECTIVE_WIN, NULL, &equal);
    told = equal;
    objective_tell_against(&mix, &game, &told);
    assert_memory_equal(told.worth, equal.worth, sizeof equal.worth);
    assert_true(told.win[OBJECTIVE_ZERO] == win_mix_after(&mix, &game, 0, false));
    assert_true(told.win[OBJECTIVE_ZERO] > equal.win[OBJECTIVE_ZERO]);
}

static void leads_and_the_hammer_raise_the_win_probability(void **state)
{
    (void)state;
    const char *rules[] = {"dc2", "dc3", "dc4"};
    for (int r = 0; r < 3; r++) {
        struct game game = new_game(rules[r], 8, 0);
        for (game.end = 0; game.end < 8; game.end++)
            for (int lead = -20; lead <= 20; lead++)
                for (int hammer = 0; hammer < 2; hammer++) {
                    double here = win_table_after(NULL, &game, lead, hammer);
                    assert_true(here >= 0.0 && here <= 1.0);
                    assert_true(here <= win_table_after(NULL, &game, lead + 1, hammer) + 1e-12);
                    double other = win_table_after(NULL, &game, -lead, !hammer);
                    assert_true(fabs(here + other - 1.0) < 1e-12);
                    if (hammer)
                        assert_true(here >= win_table_after(NULL, &game, lead, false) - 1e-12);
                }
    }
}

static void sums_go_over_the_scores(void **state)
{
    (void)state;
    struct objective objective = {.worth = {[OBJECTIVE_ZERO + 2] = 3.0, [OBJECTIVE_ZERO - 1] = 1.0},
                                  .win = {[OBJECTIVE_ZERO + 2] = 0.75}};
    struct score_distribution d = {
        {[OBJECTIVE_ZERO + 2] = 0.5, [OBJECTIVE_ZERO - 1] = 0.25, [OBJECTIVE_ZERO] = 0.25}};
    assert_true(objective_worth(&objective, &d) == 1.75);
    assert_true(objective_win(&objective, &d) == 0.375);
    assert_true(objective_score(&d) == 0.75);
}

/* ---- mixed doubles ---- */

static struct game mixed_game(int end, int lead1, bool used0, bool used1)
{
    struct game game = new_game("dc4-modified", 8, 0);

    game.end = end;
    game.scores[lead1 > 0 ? 1 : 0][0] = (int8_t)(lead1 > 0 ? lead1 : -lead1);
    game.power_used[0] = used0;
    game.power_used[1] = used1;
    return game;
}

static void a_setup_has_a_chance_and_the_best_is_taken(void **state)
{
    (void)state;
    for (int end = 1; end < 8; end++)
        for (int lead = -3; lead <= 3; lead++)
            for (int used = 0; used < 4; used++) {
                struct game game = mixed_game(end, lead, used & 1, used >> 1);
                enum setup best = win_table_setup(&game);
                assert_true(game_allows_setup(&game, best));
                for (int k = 0; k < SETUP_COUNT; k++) {
                    double chance = win_table_of_setup(&game, (enum setup)k);
                    assert_true(chance >= 0.0 && chance <= 1.0);
                    if (game_allows_setup(&game, (enum setup)k))
                        assert_true(chance <= win_table_of_setup(&game, best));
                }
                assert_true(win_table_of_setup(&game, SETUP_LEFT) ==
                            win_table_of_setup(&game, SETUP_RIGHT));
            }
}

/* A power play in hand is never worth less than none. */
static void a_power_play_left_helps_its_team(void **state)
{
    (void)state;
    for (int end = 0; end < 7; end++)
        for (int lead = -4; lead <= 4; lead++) {
            struct game has = mixed_game(end, 0, false, false);
            struct game used = mixed_game(end, 0, false, true);
            assert_int_equal(game_set_up(&has, SETUP_HOUSE, 0), GAME_OK);
            assert_int_equal(game_set_up(&used, SETUP_HOUSE, 0), GAME_OK);
            has.shot = used.shot = 9; /* team 1 is to move */
            for (int chooses = 0; chooses < 2; chooses++)
                assert_true(win_table_after(NULL, &has, lead, chooses) >=
                            win_table_after(NULL, &used, lead, chooses) - 1e-12);
        }
}

/* The table is the same for both sides: chances add up to one. */
static void chances_of_both_sides_add_up(void **state)
{
    (void)state;
    for (int end = 0; end < 8; end++)
        for (int lead = -4; lead <= 4; lead++)
            for (int used = 0; used < 4; used++) {
                struct game game = mixed_game(end, 0, used & 1, used >> 1), other;
                assert_int_equal(game_set_up(&game, SETUP_HOUSE, 0), GAME_OK);
                other = game;
                game.shot = 9;
                other.shot = 8;
                assert_true(fabs(win_table_after(NULL, &game, lead, true) +
                                 win_table_after(NULL, &other, -lead, false) - 1.0) < 1e-12);
            }
}

/* After a blank end the other team chooses; that is the worth of a blank end. */
static void a_blank_end_passes_the_choice(void **state)
{
    (void)state;
    struct game game = mixed_game(3, 0, false, false);
    struct objective objective;

    assert_int_equal(game_set_up(&game, SETUP_HOUSE, 0), GAME_OK);
    game.shot = 9; /* team 1, which chose */
    objective_of_game(&game, OBJECTIVE_WIN, NULL, &objective);
    assert_true(objective.win[OBJECTIVE_ZERO] == win_table_after(NULL, &game, 0, false));
    game = mixed_game(3, 0, false, false);
    assert_int_equal(game_set_up(&game, SETUP_GUARD, 0), GAME_OK);
    game.shot = 9; /* team 0, which has the hammer, but did not choose */
    objective_of_game(&game, OBJECTIVE_WIN, NULL, &objective);
    assert_true(objective.win[OBJECTIVE_ZERO] == win_table_after(NULL, &game, 0, true));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_end_decides),
        cmocka_unit_test(the_table_satisfies_its_recursion),
        cmocka_unit_test(a_table_of_other_ends_satisfies_it_too),
        cmocka_unit_test(a_table_against_a_style_satisfies_its_recursion),
        cmocka_unit_test(a_mix_is_a_mean_that_is_told_and_not_played_for),
        cmocka_unit_test(leads_and_the_hammer_raise_the_win_probability),
        cmocka_unit_test(sums_go_over_the_scores),
        cmocka_unit_test(a_setup_has_a_chance_and_the_best_is_taken),
        cmocka_unit_test(a_power_play_left_helps_its_team),
        cmocka_unit_test(chances_of_both_sides_add_up),
        cmocka_unit_test(a_blank_end_passes_the_choice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
