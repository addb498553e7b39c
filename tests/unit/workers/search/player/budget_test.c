/* The simulations that a player's spec names: with a time they bound a move, too, so that a player
 * under a clock is what it is called. */
#include "tests/unit/workers/search/asking.h"

/* So long that only the other bound can end a search. */
#define EVER_S 1e5

static void named_simulations_bound_a_move_with_a_time(void **unused)
{
    static const struct {
        const char *spec;
        int64_t throws; /* at most; an iteration of a tree takes one for each stone of an end */
    } players[] = {
        {"rink:simulations=300", 300},
        {"kr-uct:simulations=20", 20 * POSITION_STONES},
        {"dl-uct:simulations=20", 20 * POSITION_STONES},
        {"kr-dl-uct:simulations=20", 20 * POSITION_STONES},
    };
    const struct game game = mid_end();

    (void)unused;
    for (size_t k = 0; k < sizeof players / sizeof players[0]; k++) {
        const struct player_answer answer =
            ask_about(players[k].spec, &game, (struct player_limits){.time_s = EVER_S});
        assert_false(answer.cancelled);
        assert_in_range(answer.simulations, 1, players[k].throws);
    }
}

static void the_smaller_of_two_limits_counts(void **unused)
{
    const struct game game = mid_end();
    const struct player_answer few =
        ask_about("rink:simulations=300", &game, (struct player_limits){EVER_S, 100, 1});
    const struct player_answer own =
        ask_about("rink:simulations=300", &game, (struct player_limits){EVER_S, 5000, 1});
    /* The player's own time, which is over at once. */
    const struct player_answer soon =
        ask_about("rink:time_ms=0.001", &game, (struct player_limits){.time_s = EVER_S});

    (void)unused;
    assert_in_range(few.simulations, 1, 100);
    assert_in_range(own.simulations, 1, 300);
    assert_false(soon.cancelled);
}

static void without_a_time_a_query_may_name_more(void **unused)
{
    const struct game game = mid_end();
    const struct player_answer answer =
        ask_about("rink:simulations=300", &game, (struct player_limits){.simulations = 3000});

    (void)unused;
    assert_in_range(answer.simulations, 301, 3000);
}

static void the_usual_number_bounds_no_time(void **unused)
{
    (void)unused;
    const struct player usual = player_of("rink"), named = player_of("rink:simulations=300"),
                        told = player_of("rink:simulations=50000"), simple = player_of("ai-simple");
    assert_int_equal(player_budget(&usual), 0);
    assert_int_equal(player_budget(&named), 300);
    assert_int_equal(player_budget(&told), 0); /* it is called rink */
    assert_int_equal(player_budget(&simple), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(named_simulations_bound_a_move_with_a_time),
        cmocka_unit_test(the_smaller_of_two_limits_counts),
        cmocka_unit_test(without_a_time_a_query_may_name_more),
        cmocka_unit_test(the_usual_number_bounds_no_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
