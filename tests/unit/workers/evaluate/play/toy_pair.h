/* Plays single pairs of toy players. */
#ifndef RINKD_TESTS_UNIT_WORKERS_EVALUATE_PLAY_TOY_PAIR_H
#define RINKD_TESTS_UNIT_WORKERS_EVALUATE_PLAY_TOY_PAIR_H

#include "tests/unit/workers/evaluate/play/toy_players.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static inline struct pair_result play_heard(const struct pair_setting *setting,
                                            const struct player *a, const struct player *b,
                                            uint64_t pair, pair_listener *listener, void *context)
{
    const struct player *players[2] = {a, b};
    struct pair_result result;
    struct pair_failure failure;

    assert_int_equal(
        pair_play(setting, players, 0, pair, NULL, listener, context, &result, &failure), PAIR_OK);
    return result;
}

static inline struct pair_result play_pair(const struct pair_setting *setting,
                                           const struct player *a, const struct player *b,
                                           uint64_t pair)
{
    return play_heard(setting, a, b, pair, NULL, NULL);
}

#endif
