/* Shot tendencies: single throws of an obvious kind, and the habits of players made for the
 * test. */
#include "workers/evaluate/play/tendencies.h"

#include "models/ice/aim.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const struct vec2 tee = {SHEET_TEE_X, SHEET_TEE_Y};

/* Guards with its first four stones, then takes out the stone nearest to the tee. */
static enum player_status hit_late(const struct player *player, const struct player_query *query,
                                   struct player_answer *ret_answer)
{
    (void)player;
    const struct position *position = &query->game->position;
    struct vec2 guard = {0.8, SHEET_TEE_Y - 3.0};
    int stone = -1;
    for (int k = 0; k < POSITION_STONES; k++)
        if (position_has(position, k) && k % 2 != query->game->shot % 2)
            stone = k;
    if (query->game->shot < 8 || stone < 0 ||
        aim_hit(query->ice, position, stone, 0.0, 20.0, query->ice->spin, &ret_answer->shot,
                NULL) != AIM_OK)
        (void)aim_draw(query->ice, guard, query->ice->spin, &ret_answer->shot);
    return PLAYER_OK;
}

/* Draws to the left of the tee, a little higher with each shot. */
static enum player_status draw(const struct player *player, const struct player_query *query,
                               struct player_answer *ret_answer)
{
    (void)player;
    struct vec2 place = {-1.0, SHEET_TEE_Y - 1.0 + 0.25 * (query->game->shot / 2)};
    (void)aim_draw(query->ice, place, query->ice->spin, &ret_answer->shot);
    return PLAYER_OK;
}

static const struct player_class hit_late_class = {.name = "hit-late", .choose = hit_late};
static const struct player_class draw_class = {.name = "draw", .choose = draw};
static const struct player hitter = {.class = &hit_late_class}, drawer = {.class = &draw_class};

static void single_throws_are_counted_by_kind_and_shot(void **state)
{
    (void)state;
    const struct rules *rules = rules_find("dc2");
    const struct ice_profile *ice = ice_profile_find("dc2");
    struct tendencies t = {0};
    struct game game;
    struct shot shot;
    assert_int_equal(game_start(rules, 1, 0, 1, &game), GAME_OK);

    assert_int_equal(aim_draw(ice, tee, ice->spin, &shot), AIM_OK);
    assert_true(tendencies_add(&t, ice, &game, &shot));
    assert_int_equal(t.count[0][SHOT_DRAW], 1);

    assert_int_equal(aim_draw(ice, (struct vec2){0.0, SHEET_TEE_Y - 3.0}, ice->spin, &shot),
                     AIM_OK);
    assert_true(tendencies_add(&t, ice, &game, &shot));
    assert_int_equal(t.count[0][SHOT_GUARD], 1);
    assert_int_equal(tendencies_total(&t, 0), 2);

    position_put(&game.position, 0, tee);
    game.shot = 1;
    assert_int_equal(aim_hit(ice, &game.position, 0, 0.0, 15.0, ice->spin, &shot, NULL), AIM_OK);
    assert_true(tendencies_add(&t, ice, &game, &shot));
    assert_int_equal(t.count[1][SHOT_HIT], 1);

    shot.velocity.x = NAN;
    assert_false(tendencies_add(&t, ice, &game, &shot));
    assert_int_equal(tendencies_total(&t, 1), 1);
    assert_int_equal(tendencies_total(&t, 2), 0);
}

static struct tendencies_settings settings_of(int64_t pairs, int threads)
{
    const struct ice_profile *ice = ice_profile_find("dc2");
    return (struct tendencies_settings){
        .setting = {.rules = rules_find("dc2"),
                    .ice = ice,
                    .noise = noise_default(ice, ice->noise),
                    .ends = 2,
                    .seed = 7},
        .pairs = pairs,
        .threads = threads,
    };
}

static void tendencies_differ_between_players(void **state)
{
    (void)state;
    const struct player *const players[2] = {&hitter, &drawer};
    struct tendencies_settings settings = settings_of(50, 1);
    struct tendencies t[2];
    int64_t late_hits = 0, late = 0, draws = 0, guards = 0, early = 0, all = 0;

    assert_int_equal(tendencies_measure(&settings, players, t), PAIR_OK);
    for (int shot = 0; shot < TENDENCIES_SHOTS; shot++) {
        /* 50 pairs of two games of two ends; the scores decide who plays which shots. */
        assert_int_equal(tendencies_total(&t[0], shot) + tendencies_total(&t[1], shot), 200);
        assert_true(tendencies_total(&t[0], shot) >= 50);
        if (shot < 8) {
            guards += t[0].count[shot][SHOT_GUARD];
            early += tendencies_total(&t[0], shot);
        } else {
            late_hits += t[0].count[shot][SHOT_HIT];
            late += tendencies_total(&t[0], shot);
        }
        draws += t[1].count[shot][SHOT_DRAW] + t[1].count[shot][SHOT_FREEZE];
        all += tendencies_total(&t[1], shot);
        assert_true(t[1].count[shot][SHOT_HIT] <= tendencies_total(&t[1], shot) / 5);
    }
    assert_true(guards > early * 7 / 10);
    assert_true(late_hits > late / 2);
    assert_true(draws > all / 2);
}

/* A player's games against itself equal those that pairs of two identical players play twice. */
static void no_throw_of_a_player_against_itself_counts_twice(void **state)
{
    (void)state;
    const struct player like = hitter;
    const struct player *const itself[2] = {&hitter, NULL}, *const twins[2] = {&hitter, &like};
    struct tendencies_settings settings = settings_of(10, 2), twice = settings_of(20, 2);
    struct tendencies t[2], both[2];

    assert_int_equal(tendencies_measure(&settings, itself, t), PAIR_OK);
    assert_int_equal(tendencies_measure(&twice, twins, both), PAIR_OK);
    for (int shot = 0; shot < TENDENCIES_SHOTS; shot++) {
        assert_int_equal(tendencies_total(&t[0], shot), 10 * 2 * 2); /* pairs, games, ends */
        assert_int_equal(tendencies_total(&t[1], shot), 0);
        for (int kind = 0; kind < SHOT_KIND_COUNT; kind++)
            assert_int_equal(2 * t[0].count[shot][kind],
                             both[0].count[shot][kind] + both[1].count[shot][kind]);
    }
}

static void same_counts_on_any_number_of_threads(void **state)
{
    (void)state;
    const struct player *const players[2] = {&hitter, &drawer};
    struct tendencies first[2], again[2];
    struct tendencies_settings settings = settings_of(20, 1);
    assert_int_equal(tendencies_measure(&settings, players, first), PAIR_OK);
    settings.threads = 3;
    assert_int_equal(tendencies_measure(&settings, players, again), PAIR_OK);
    assert_memory_equal(again, first, sizeof first);
}

static void cancelled_before_the_end_nothing_is_returned(void **state)
{
    (void)state;
    const struct player *const players[2] = {&hitter, &drawer};
    atomic_bool cancel = true;
    struct tendencies_settings settings = settings_of(20, 1);
    struct tendencies t[2], before[2];
    memset(t, 0x5a, sizeof t);
    memcpy(before, t, sizeof t);
    settings.cancel = &cancel;
    assert_int_equal(tendencies_measure(&settings, players, t), PAIR_CANCELLED);
    assert_memory_equal(t, before, sizeof t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(single_throws_are_counted_by_kind_and_shot),
        cmocka_unit_test(tendencies_differ_between_players),
        cmocka_unit_test(no_throw_of_a_player_against_itself_counts_twice),
        cmocka_unit_test(same_counts_on_any_number_of_threads),
        cmocka_unit_test(cancelled_before_the_end_nothing_is_returned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
