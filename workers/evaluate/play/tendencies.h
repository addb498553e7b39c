/* Tendencies of a player: for each shot number of an end, how often its throws result in a draw,
 * guard, freeze, take-out, raise, through or other shot (shot_kind_of_result()). */
#ifndef RINKD_WORKERS_EVALUATE_PLAY_TENDENCIES_H
#define RINKD_WORKERS_EVALUATE_PLAY_TENDENCIES_H

#include "workers/evaluate/play/pair.h"

enum { TENDENCIES_SHOTS = 16 };

struct tendencies {
    int64_t count[TENDENCIES_SHOTS][SHOT_KIND_COUNT]; /* [shot of the end, even: sente's][kind] */
};

/* Counts one throw: `executed` is the shot as it left the hand (with its noise) in the position of
 * `before`. The fast engine repeats it to get its result. False, with nothing counted, if it cannot
 * be thrown. */
bool tendencies_add(struct tendencies *tendencies, const struct ice_profile *ice,
                    const struct game *before, const struct shot *executed);

/* Returns the number of throws with this shot number. */
int64_t tendencies_total(const struct tendencies *tendencies, int shot);

struct tendencies_settings {
    struct pair_setting setting;
    int64_t pairs; /* pairs of games, 1 … */
    int threads;   /* < 1 counts as 1; the result does not depend on it */
    /* Called by the calling thread between its pairs, unless NULL. */
    void (*progress)(void *context, int64_t done, bool resumed);
    void *context;
    const atomic_bool *cancel; /* NULL: cannot be cancelled */
};

/* Plays pairs of games between two players and counts the throws of each in ret_tendencies[2],
 * which are untouched unless PAIR_OK is returned. If players[1] is NULL, players[0] plays against
 * itself: the two games of a pair, which would be identical, then have separate luck, and
 * ret_tendencies[0] has the throws of both sides, [1] none. */
enum pair_status tendencies_measure(const struct tendencies_settings *settings,
                                    const struct player *const players[2],
                                    struct tendencies ret_tendencies[2]);

#endif
