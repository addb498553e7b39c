/* Positions for players, and their answers. */
#ifndef RINKD_TESTS_UNIT_WORKERS_SEARCH_ASKING_H
#define RINKD_TESTS_UNIT_WORKERS_SEARCH_ASKING_H

#include "models/game/free_guard_zone.h"
#include "tests/unit/models/ice/throw_or_fail.h"
#include "workers/search/player/player.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Returns a level game of dc2 in its only end, before shot `shot`. */
static inline struct game dc2_game(int shot)
{
    struct game game;
    assert_int_equal(game_start(rules_find("dc2"), 1, 0, 1, &game), GAME_OK);
    game.shot = shot;
    return game;
}

/* Opponents and own stones, mid-end. */
static inline struct game mid_end(void)
{
    struct game game = dc2_game(8);
    position_put(&game.position, 1, (struct vec2){0.2, 38.6});
    position_put(&game.position, 2, (struct vec2){-0.4, 35.6});
    position_put(&game.position, 4, (struct vec2){0.9, 38.0});
    position_put(&game.position, 7, (struct vec2){-0.8, 39.0});
    return game;
}

/* The last stone: the opponent lies on the tee with one behind. Taking out stone 14 wins by 2;
 * otherwise the game is lost. */
static inline struct game hit_to_win(void)
{
    struct game game = dc2_game(15);
    position_put(&game.position, 14, (struct vec2){0.1, 38.4});
    position_put(&game.position, 11, (struct vec2){-0.7, 38.0});
    position_put(&game.position, 13, (struct vec2){1.1, 38.9});
    return game;
}

static inline struct player player_of(const char *spec)
{
    struct player player;
    char error[PLAYER_ERROR_MAX];
    if (!player_read(spec, &player, sizeof error, error))
        fail_msg("%s", error);
    return player;
}

static inline struct player_answer ask(const char *spec, const struct player_query *query)
{
    struct player player = player_of(spec);
    struct player_answer answer;
    assert_int_equal(player_choose(&player, query, &answer), PLAYER_OK);
    return answer;
}

static const struct player_limits no_limits = {0};

/* Queries a player with the usual noise, for all candidates. */
static inline struct player_answer ask_about(const char *spec, const struct game *game,
                                             struct player_limits limits)
{
    const struct ice_profile *ice = profile_of(game->rules)->ice;
    const struct noise noise = noise_default(ice, ice->noise);
    const struct player_query query = {.game = game,
                                       .ice = ice,
                                       .noise = &noise,
                                       .limits = limits,
                                       .key = {.seed = 5, .shot = (uint32_t)game->shot},
                                       .candidates = PLAYER_CANDIDATES_MAX};
    assert_int_equal(game_check(game, NULL), GAME_OK);
    return ask(spec, &query);
}

static inline bool same_or_unknown(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

/* Compares all fields except the time taken. */
static inline void assert_same_answer(const struct player_answer *a, const struct player_answer *b)
{
    assert_memory_equal(&a->shot, &b->shot, sizeof a->shot);
    assert_memory_equal(&a->distribution, &b->distribution, sizeof a->distribution);
    assert_int_equal(a->simulations, b->simulations);
    assert_int_equal(a->simulations_to_repeat, b->simulations_to_repeat);
    assert_int_equal(a->candidates, b->candidates);
    for (int k = 0; k < a->candidates; k++) {
        const struct player_candidate *x = &a->candidate[k], *y = &b->candidate[k];
        assert_memory_equal(&x->candidate.shot, &y->candidate.shot, sizeof x->candidate.shot);
        assert_int_equal(x->visits, y->visits);
        assert_true(same_or_unknown(x->value, y->value));
        assert_true(same_or_unknown(x->lower_bound, y->lower_bound));
    }
}

/* Returns the sheet after the intended shot, without noise. */
static inline struct position executed(const struct game *game, struct shot shot)
{
    struct throw_result result = throw_or_fail(profile_of(game->rules)->ice, &game->position,
                                               rules_stone_of_shot(game->rules, game->shot), shot);
    struct position settled;
    free_guard_zone_settle(game->rules, &game->position, &result.after, game->shot, &settled);
    return settled;
}

#endif
