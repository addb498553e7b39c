/* Two games with swapped seats and common random numbers. */
#include "workers/evaluate/play/pair.h"

#include "models/tables/profiles.h"
#include "tests/slow.h"
#include "tests/unit/workers/evaluate/play/toy_pair.h"

static void identical_players_share_every_pair(void **state)
{
    (void)state;
    const struct player a = toy(1.5), b = toy(1.5);

    for (int ends = 1; ends <= PAIR_ENDS_MAX; ends += 3) {
        const struct pair_setting setting = toy_setting(ends);
        int decided = 0;
        for (uint64_t pair = 0; pair < 30; pair++) {
            struct pair_result result = play_pair(&setting, &a, &b, pair);
            assert_int_equal(pair_half_points(&result), 2);
            assert_int_equal(result.game[0].ends, ends);
            for (int e = 0; e < ends; e++) {
                assert_int_equal(result.game[0].end[e].score, -result.game[1].end[e].score);
                assert_true(result.game[0].end[e].hammer != result.game[1].end[e].hammer);
            }
            decided += result.game[0].half_points != 1;
        }
        assert_true(decided > 12); /* not just because all games are draws */
    }
}

static void ends_and_winner_follow_from_the_scores(void **state)
{
    (void)state;
    const struct pair_setting setting = toy_setting(4);
    const struct player a = toy(0.5), b = toy(2.0);

    for (uint64_t pair = 0; pair < 40; pair++) {
        struct pair_result result = play_pair(&setting, &a, &b, pair);
        for (int g = 0; g < 2; g++) {
            const struct pair_game *game = &result.game[g];
            int lead = 0;
            bool hammer = pair_first_hammer(g) == 0;
            for (int e = 0; e < game->ends; e++) {
                assert_int_equal(game->end[e].hammer, hammer);
                lead += game->end[e].score;
                /* Scoring gives the hammer away. */
                if (game->end[e].score != 0)
                    hammer = game->end[e].score < 0;
            }
            assert_int_equal(game->half_points, lead > 0 ? 2 : lead == 0 ? 1 : 0);
            assert_false(game->conceded);
        }
        for (int p = 0; p < 2; p++) {
            assert_int_equal(result.effort[p].moves, 2 * 4 * 8);
            assert_int_equal(result.effort[p].simulations, 3 * 2 * 4 * 8);
            assert_true(result.effort[p].cpu_s > 0.0 && result.effort[p].elapsed_s > 0.0);
        }
    }
}

static void swapped_players_give_the_mirrored_result(void **state)
{
    (void)state;
    const struct pair_setting setting = toy_setting(2);
    const struct player a = toy(0.5), b = toy(2.0);
    int unequal = 0;

    for (uint64_t pair = 0; pair < 40; pair++) {
        struct pair_result one = play_pair(&setting, &a, &b, pair),
                           two = play_pair(&setting, &b, &a, pair);
        for (int g = 0; g < 2; g++) {
            assert_int_equal(one.game[g].half_points, 2 - two.game[1 - g].half_points);
            for (int e = 0; e < 2; e++)
                assert_int_equal(one.game[g].end[e].score, -two.game[1 - g].end[e].score);
        }
        unequal += pair_half_points(&one) != 2;
    }
    assert_true(unequal > 12);
}

static void the_better_player_wins_more(void **state)
{
    (void)state;
    const struct pair_setting setting = toy_setting(2);
    const struct player a = toy(0.2), b = toy(3.0);
    int half_points = 0;

    for (uint64_t pair = 0; pair < 40; pair++) {
        struct pair_result result = play_pair(&setting, &a, &b, pair);
        half_points += pair_half_points(&result);
    }
    assert_true(half_points > 120);
}

static void seed_stream_and_pair_all_change_the_games(void **state)
{
    (void)state;
    struct pair_setting setting = toy_setting(8), other = setting;
    const struct player a = toy(0.5), b = toy(2.0), *players[2] = {&a, &b};
    struct pair_result first = play_pair(&setting, &a, &b, 0),
                       again = play_pair(&setting, &a, &b, 0);
    struct pair_result second = play_pair(&setting, &a, &b, 1), streamed, seeded;
    struct pair_failure failure;

    other.seed++;
    seeded = play_pair(&other, &a, &b, 0);
    assert_int_equal(pair_play(&setting, players, 1, 0, NULL, NULL, NULL, &streamed, &failure),
                     PAIR_OK);
    assert_true(same_games(&first, &again));
    assert_false(same_games(&first, &second));
    assert_false(same_games(&first, &seeded));
    assert_false(same_games(&first, &streamed));
}

/* ---- what a pair is worth ---- */

enum { WORTH_GROUPS = 40, WORTH_ENDS = 8, WORTH_PAIRS = SLOW_OR(80, 120) };

/* Ratio of the variance of a pair's result to that of two independent games, and how far it may be
 * off: 95 %, by the jackknife over groups of pairs. */
struct worth {
    double ratio, margin;
};

/* The ratio, without the pairs of a group; -1: with all. */
static double ratio_of(double (*points)[2], int left_out)
{
    double sum[3] = {0.0}, squares[3] = {0.0}, n = 0.0;

    for (int k = 0; k < WORTH_PAIRS; k++) {
        const double of[] = {points[k][0], points[k][1], points[k][0] + points[k][1]};
        if (k % WORTH_GROUPS == left_out)
            continue;
        n += 1.0;
        for (int i = 0; i < 3; i++) {
            sum[i] += of[i];
            squares[i] += of[i] * of[i];
        }
    }
    for (int i = 0; i < 3; i++)
        squares[i] -= sum[i] * sum[i] / n;
    return squares[2] / (squares[0] + squares[1]);
}

static struct worth worth_of_pairs(const struct pair_setting *setting, const struct player *a,
                                   const struct player *b)
{
    double points[WORTH_PAIRS][2], variance = 0.0, mean = 0.0, without[WORTH_GROUPS];
    struct worth worth;

    for (int k = 0; k < WORTH_PAIRS; k++) {
        struct pair_result result = play_pair(setting, a, b, (uint64_t)k);
        for (int g = 0; g < 2; g++)
            points[k][g] = result.game[g].half_points;
    }
    worth.ratio = ratio_of(points, -1);
    for (int k = 0; k < WORTH_GROUPS; k++) {
        without[k] = ratio_of(points, k);
        mean += without[k] / WORTH_GROUPS;
    }
    for (int k = 0; k < WORTH_GROUPS; k++)
        variance += (without[k] - mean) * (without[k] - mean) * (WORTH_GROUPS - 1) / WORTH_GROUPS;
    worth.margin = 1.96 * sqrt(variance);
    return worth;
}

/* Sharing luck must not make a pair tell less than two games without it: the interval of the ratio
 * includes 1 or lies below it. */
static void assert_tells(const char *what, const struct pair_setting *setting,
                         const struct player *a, const struct player *b)
{
    const struct worth worth = worth_of_pairs(setting, a, b);

    print_message("%s: %.2f ± %.2f\n", what, worth.ratio, worth.margin);
    assert_true(worth.ratio - worth.margin <= 1.0);
}

static struct player player_of(const char *text)
{
    struct player player;
    char error[256];

    if (!player_read(text, &player, sizeof error, error))
        fail_msg("%s", error);
    return player;
}

static void a_pair_tells_as_much_as_independent_games(void **state)
{
    struct pair_setting setting = toy_setting(WORTH_ENDS);
    const struct player near = toy(0.4), far = toy(1.2), simple = player_of("ai-simple"),
                        nfsp = player_of("nfsp"), rules = player_of("dc3-rulebased");

    (void)state;
    assert_tells("toys", &setting, &near, &far);
    setting.noise = noise_default(setting.ice, setting.ice->noise);
    assert_tells("ai-simple v nfsp", &setting, &simple, &nfsp);
    setting.rules = rules_find("dc3");
    setting.ice = ice_profile_find("dc3");
    setting.noise = noise_default(setting.ice, setting.ice->noise);
    assert_tells("dc3-rulebased v ai-simple", &setting, &rules, &simple);

    setting.luck_by = JOB_LUCK_BY_SEAT; /* a pair tells less */
    const struct worth worth = worth_of_pairs(&setting, &rules, &simple);
    print_message("by the seat: %.2f ± %.2f\n", worth.ratio, worth.margin);
    assert_true(worth.ratio - worth.margin > 1.0);
}

/* In an end where one player has the hammer in both games, they share nothing; where the hammers
 * are swapped, all. */
struct shared {
    double error[2][PAIR_ENDS_MAX * POSITION_STONES]; /* [game][place] */
    int hammer[2][PAIR_ENDS_MAX];                     /* the player that has it */
};

static void note_error(void *context, const struct pair_move *move)
{
    struct shared *shared = context;
    const struct game *game = move->game_before;

    shared->hammer[move->game][game->end] = game->hammer_team ^ move->game;
    shared->error[move->game][POSITION_STONES * game->end + game->shot] =
        move->executed.velocity.y - move->answer->shot.velocity.y;
}

static void games_share_the_luck_of_ends_with_swapped_hammers(void **state)
{
    struct pair_setting setting = toy_setting(PAIR_ENDS_MAX);
    const struct player a = toy(0.5), b = toy(2.0);
    int swapped = 0, same = 0;

    (void)state;
    for (int by = 0; by < 2; by++)
        for (uint64_t pair = 0; pair < 10; pair++) {
            struct shared shared = {.hammer = {{0}}};
            setting.luck_by = by == 0 ? JOB_LUCK_BY_HAMMER : JOB_LUCK_BY_SEAT;
            play_heard(&setting, &a, &b, pair, note_error, &shared);
            for (int end = 0; end < PAIR_ENDS_MAX; end++) {
                bool is_swapped = shared.hammer[0][end] != shared.hammer[1][end];
                swapped += is_swapped;
                same += !is_swapped;
                for (int shot = 0; shot < POSITION_STONES; shot++) {
                    int place = POSITION_STONES * end + shot;
                    bool is_equal = fabs(shared.error[0][place] - shared.error[1][place]) < 1e-9;
                    assert_int_equal(is_equal, is_swapped || by == 1);
                }
            }
        }
    assert_true(swapped > 20 && same > 20);
}

/* ---- what a listener sees ---- */

struct seen {
    int moves;
    struct vec2 error[2][2 * POSITION_STONES]; /* [game][slot] */
    struct position board[2][2 * POSITION_STONES];
    int mover[2][2 * POSITION_STONES];
};

static void see(void *context, const struct pair_move *move)
{
    struct seen *seen = context;
    const struct game *game = move->game_before;
    int slot = 16 * game->end + game->shot;

    seen->moves++;
    seen->error[move->game][slot] = vec2_sub(move->executed.velocity, move->answer->shot.velocity);
    seen->board[move->game][slot] = move->turn->board;
    seen->mover[move->game][slot] = move->player;
    assert_int_equal(game_check(game, NULL), GAME_OK);
}

static void both_games_meet_the_same_luck(void **state)
{
    (void)state;
    const struct pair_setting setting = toy_setting(2);
    const struct player a = toy(0.0), b = toy(0.0);
    struct seen seen = {0};

    play_heard(&setting, &a, &b, 3, see, &seen);
    assert_int_equal(seen.moves, 64);
    assert_int_equal(seen.mover[0][0], 0);
    assert_int_equal(seen.mover[1][0], 1);
    for (int slot = 0; slot < 32; slot++) {
        assert_true(seen.error[0][slot].x == seen.error[1][slot].x);
        assert_true(seen.error[0][slot].y == seen.error[1][slot].y);
        assert_true(slot == 0 || seen.error[0][slot].x != seen.error[0][slot - 1].x);
        assert_int_equal(seen.mover[0][slot], 1 - seen.mover[1][slot]);
        assert_int_equal(seen.board[0][slot].in_play, seen.board[1][slot].in_play);
    }
}

/* ---- players that end it ---- */

static void conceding_loses_the_game(void **state)
{
    (void)state;
    struct pair_setting setting = toy_setting(2);
    struct player a = toy(0.5), b = toy(0.5);

    a.setting[TOY_CONCEDES] = 1.0;
    setting.rules = rules_find("dc3");
    setting.ice = ice_profile_find("dc3");
    assert_true(setting.rules->can_concede);
    /* The toy draws with the speeds of dc2, too fast for this ice: hand it a slower engine's. */
    setting.rules = rules_find("dc3");
    setting.ice = ice_profile_find("dc2");
    struct pair_result result = play_pair(&setting, &a, &b, 0);
    for (int g = 0; g < 2; g++) {
        assert_true(result.game[g].conceded);
        assert_int_equal(result.game[g].half_points, 0);
        assert_int_equal(result.game[g].ends, 0);
    }
}

static void rules_without_concession_play_on(void **state)
{
    (void)state;
    struct pair_setting setting = toy_setting(2);
    struct player a = toy(0.5), b = toy(0.5);

    a.setting[TOY_CONCEDES] = 1.0;
    setting.rules = rules_find("dc4");
    assert_false(setting.rules->can_concede);
    struct pair_result result = play_pair(&setting, &a, &b, 0);
    assert_false(result.game[0].conceded);
    assert_int_equal(result.game[0].ends, 2);
}

static void failures_say_where(void **state)
{
    (void)state;
    const struct pair_setting setting = toy_setting(2);
    const struct player good = toy(0.5), failing = {.class = &failing_class},
                        wild = {.class = &wild_class};
    const struct player *players[2] = {&good, &failing};
    struct pair_result result, untouched;
    struct pair_failure failure;

    memset(&result, 0x55, sizeof result);
    untouched = result;
    assert_int_equal(pair_play(&setting, players, 0, 0, NULL, NULL, NULL, &result, &failure),
                     PAIR_PLAYER_FAILED);
    assert_int_equal(failure.game, 0);
    assert_int_equal(failure.player, 1);
    assert_int_equal(failure.shot, 1);
    players[1] = &wild;
    assert_int_equal(pair_play(&setting, players, 0, 0, NULL, NULL, NULL, &result, &failure),
                     PAIR_BAD_SHOT);
    assert_int_equal(failure.player, 1);
    assert_int_equal(failure.shot, 5);
    assert_memory_equal(&result, &untouched, sizeof result);
}

static void a_cancelled_pair_has_no_result(void **state)
{
    (void)state;
    const struct pair_setting setting = toy_setting(2);
    const struct player good = toy(0.5), *players[2] = {&good, &good};
    atomic_bool cancel = true;
    struct pair_result result;
    struct pair_failure failure;

    assert_int_equal(pair_play(&setting, players, 0, 0, &cancel, NULL, NULL, &result, &failure),
                     PAIR_CANCELLED);
}

/* ---- mixed doubles ---- */

struct setups {
    struct pair_setup end[2][PAIR_ENDS_MAX]; /* [game] */
    int seen[2], moves;
};

static void see_setup(void *context, const struct pair_move *move)
{
    struct setups *setups = context;
    const struct game *game = move->game_before;

    setups->moves++;
    assert_int_equal(move->setup != NULL, game->shot == 0);
    if (!move->setup)
        return;
    struct position placed = setup_position(move->setup->setup, move->setup->pattern);
    assert_memory_equal(&game->position, &placed, sizeof placed);
    assert_int_equal(move->setup->player, game_chooser(game) ^ move->game);
    setups->end[move->game][game->end] = *move->setup;
    setups->seen[move->game]++;
}

static void each_end_of_mixed_doubles_begins_with_a_choice(void **state)
{
    (void)state;
    struct pair_setting setting = toy_setting(2);
    struct player simple, other;
    char error[PLAYER_ERROR_MAX];
    int powers = 0;

    setting.rules = rules_find("dc4-modified");
    setting.ice = profile_find("dc4-modified")->ice;
    setting.noise = noise_default(setting.ice, setting.ice->noise);
    assert_true(player_read("doubles-simple", &simple, sizeof error, error));
    assert_true(player_read("random", &other, sizeof error, error));
    for (uint64_t pair = 0; pair < SETUP_PATTERNS; pair++) {
        struct setups setups = {.moves = 0};
        struct pair_result result = play_heard(&setting, &simple, &other, pair, see_setup, &setups);
        assert_int_equal(setups.moves, 10 * (result.game[0].ends + result.game[1].ends));
        for (int g = 0; g < 2; g++) {
            int used[2] = {0};
            assert_int_equal(setups.seen[g], result.game[g].ends);
            for (int e = 0; e < setups.seen[g]; e++) {
                const struct pair_setup *setup = &setups.end[g][e];
                assert_int_equal(setup->pattern, pair);
                used[setup->player] += setup_is_power(setup->setup);
            }
            assert_in_range(used[0], 0, 1);
            assert_int_equal(used[1], 0); /* it knows no power play */
            powers += used[0];
        }
    }
    assert_true(powers > 0);
}

static void impossible_settings_are_named(void **state)
{
    (void)state;
    struct pair_setting setting = toy_setting(2);

    assert_null(pair_setting_check(&setting));
    setting.ends = 0;
    assert_non_null(pair_setting_check(&setting));
    setting.ends = 11;
    assert_non_null(pair_setting_check(&setting));
    setting = toy_setting(2);
    setting.rules = rules_find("dc4-modified");
    assert_null(pair_setting_check(&setting));
    setting = toy_setting(2);
    setting.noise.gat_stddev_x_m = -1.0;
    assert_non_null(strstr(pair_setting_check(&setting), "gat_stddev_x"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(identical_players_share_every_pair),
        cmocka_unit_test(ends_and_winner_follow_from_the_scores),
        cmocka_unit_test(swapped_players_give_the_mirrored_result),
        cmocka_unit_test(the_better_player_wins_more),
        cmocka_unit_test(a_pair_tells_as_much_as_independent_games),
        cmocka_unit_test(games_share_the_luck_of_ends_with_swapped_hammers),
        cmocka_unit_test(seed_stream_and_pair_all_change_the_games),
        cmocka_unit_test(both_games_meet_the_same_luck),
        cmocka_unit_test(conceding_loses_the_game),
        cmocka_unit_test(rules_without_concession_play_on),
        cmocka_unit_test(failures_say_where),
        cmocka_unit_test(a_cancelled_pair_has_no_result),
        cmocka_unit_test(each_end_of_mixed_doubles_begins_with_a_choice),
        cmocka_unit_test(impossible_settings_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
