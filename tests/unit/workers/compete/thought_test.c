/* Decisions: what is thrown where no search has ended in time, and what a clock leaves of a
 * player's budget. */
#include "workers/compete/thought.h"

#include "tests/unit/workers/search/asking.h"
#include "workers/search/player/win_table.h"

#include <poll.h>

enum { SITUATIONS = 3 };

/* The first stone of an end, the last one, and one in between, with stones of both sides. */
static struct situation situation_of(const struct profile *profile, int which)
{
    struct situation situation = {.ice = profile->ice};
    struct game *game = &situation.game;

    assert_int_equal(game_start(&profile->rules, 2, 0, 1, game), GAME_OK);
    if (game_wants_setup(game))
        *game = situation_set_up(game, game->hammer_team, SETUP_HOUSE, 0);
    if (which > 0) {
        game->shot = which == 1 ? 6 : profile->rules.shots - 1;
        for (int k = 0; k < 4; k++)
            position_put(&game->position, rules_stone_of_shot(game->rules, k),
                         (struct vec2){-0.9 + 0.6 * k, 38.0 + 0.3 * k});
    }
    assert_int_equal(game_check(game, NULL), GAME_OK);
    situation.team = game_next_team(game);
    for (int shot = 0; shot < POSITION_STONES; shot++)
        situation.hands[shot] = noise_default(situation.ice, situation.ice->noise);
    return situation;
}

static bool is_played_by_servers(const struct profile *profile)
{
    return strcmp(profile->name, "dc2") == 0 || profile->ice == ice_profile_find("dc3") ||
           profile->ice == ice_profile_find("dc4");
}

static void what_is_thrown_in_need_is_the_shot_of_the_shipped_policy(void **unused)
{
    const struct profile *profile;
    int seen = 0;

    (void)unused;
    for (int k = 0; (profile = profile_at(k)) != NULL; k++) {
        const char *quick = profile->rules.preplaced > 0 ? "doubles-simple" : "nfsp";
        for (int which = 0; is_played_by_servers(profile) && which < SITUATIONS; which++) {
            const struct situation situation = situation_of(profile, which);
            const struct decision decision = thought_safe(&situation, "in need");
            const struct player_query query = {.game = &situation.game,
                                               .ice = situation.ice,
                                               .noise = situation.hands,
                                               .limits = {.simulations = 500, .threads = 1}};
            const struct player_answer answer = ask(quick, &query);
            assert_string_equal(decision.fallback, "in need");
            assert_memory_equal(&decision.shot, &answer.shot, sizeof answer.shot);
            seen++;
        }
    }
    assert_true(seen >= 5 * SITUATIONS);
}

static void a_setup_in_need_is_that_of_the_table(void **unused)
{
    const struct profile *profile = profile_find("dc4-modified");
    struct situation situation = {.ice = profile->ice, .asks_setup = true};

    (void)unused;
    game_start(&profile->rules, 2, 0, 1, &situation.game);
    situation.team = situation.game.hammer_team;
    const struct decision decision = thought_safe(&situation, "in need");
    assert_int_equal(decision.setup, win_table_setup(&situation.game));
    assert_true(isfinite(decision.win));
}

/* Asked at once, a search may not even have begun. */
static void a_search_that_has_no_time_leaves_the_same_shot(void **unused)
{
    const struct situation situation = situation_of(profile_find("dc3"), 1);
    const struct decision safe = thought_safe(&situation, "");
    const struct thinker thinker = {.player = player_of("rink"), .threads = 1};
    struct thought_limits limits = {.think_s = 1e5, .stop_at_s = clock_now_s() + 1e5};
    struct thought *thought = thought_begin(&thinker, &situation, &limits);

    (void)unused;
    assert_non_null(thought);
    const struct decision decision = thought_end(thought);
    assert_non_null(decision.fallback);
    if (strstr(decision.fallback, "no answer"))
        assert_memory_equal(&decision.shot, &safe.shot, sizeof safe.shot);
}

/* An answer without a throw is none: as if the search had not begun. */
static void a_search_without_a_throw_has_no_answer(void **unused)
{
    const struct thinker thinker = {.player = player_of("rink"), .threads = 1};
    struct situation situation = situation_of(profile_find("dc3"), 1);
    const struct decision safe = thought_safe(&situation, "");
    struct thought_limits limits = {.think_s = 1e5, .stop_at_s = clock_now_s()};

    (void)unused;
    situation.has_clock = true;
    situation.remaining_s = 2e5;
    struct thought *thought = thought_begin(&thinker, &situation, &limits);
    assert_non_null(thought);
    struct pollfd polled = {.fd = thought_fd(thought), .events = POLLIN};
    assert_int_equal(poll(&polled, 1, -1), 1);
    const struct decision decision = thought_end(thought);
    assert_non_null(decision.fallback);
    if (decision.simulations == 0)
        assert_memory_equal(&decision.shot, &safe.shot, sizeof safe.shot);
}

static void a_clock_leaves_a_player_its_own_budget(void **unused)
{
    static const double times_s[] = {1e5, 0.0};
    const struct thinker thinker = {.player = player_of("rink:simulations=200"), .threads = 1};
    struct situation situation = situation_of(profile_find("dc3"), 1);

    (void)unused;
    situation.has_clock = true;
    situation.remaining_s = 2e5;
    for (int k = 0; k < 2; k++) {
        struct thought_limits limits = {.think_s = times_s[k], .stop_at_s = clock_now_s() + 1e5};
        struct thought *thought = thought_begin(&thinker, &situation, &limits);
        assert_non_null(thought);
        struct pollfd polled = {.fd = thought_fd(thought), .events = POLLIN};
        assert_int_equal(poll(&polled, 1, -1), 1);
        const struct decision decision = thought_end(thought);
        assert_null(decision.fallback);
        assert_in_range(decision.simulations, 1, 200);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_thrown_in_need_is_the_shot_of_the_shipped_policy),
        cmocka_unit_test(a_setup_in_need_is_that_of_the_table),
        cmocka_unit_test(a_search_that_has_no_time_leaves_the_same_shot),
        cmocka_unit_test(a_search_without_a_throw_has_no_answer),
        cmocka_unit_test(a_clock_leaves_a_player_its_own_budget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
