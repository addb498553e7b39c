/* A review: a whole game, judged by one player for both sides.
 *
 * Each shot is split into three values, all by the same judge and for the side that throws:
 *
 *   best     the best shot that the judge finds, over the errors of the hand
 *   called   the shot that was called, over the same errors
 *   thrown   the position that the throw left
 *
 * best - called is the loss of the call, called - thrown that of the execution (below 0: a lucky
 * throw; its mean is 0 for the hand that is assumed). Between two shots the judge looks afresh:
 * what the next best shot is worth minus what the position was worth is its revision. So the value
 * of the start and all losses, gains and revisions add up to the result. */
#ifndef RINKD_WORKERS_EVALUATE_REVIEW_REVIEW_H
#define RINKD_WORKERS_EVALUATE_REVIEW_REVIEW_H

#include "models/tables/profiles.h"
#include "workers/search/player/player.h"

enum {
    REVIEW_SHOTS_MAX = 512,
    REVIEW_NAME_MAX = 256,
    REVIEW_KEYS = 5, /* positions that cost most */
    REVIEW_PATH_MAX = 48
};

/* A value in both currencies. win: the chance of winning the game, a draw is a half; points: of the
 * end. */
struct review_value {
    double win, points;
};

/* A shot of the game, as recorded. */
struct review_move {
    struct game before;
    bool has_call;
    struct shot called, thrown;
    struct position after; /* if has_after: the stones that the record shows next */
    bool has_after;
    bool conceded; /* the side gave up instead of throwing; the last one then */
    bool has_hand;
    struct noise hand; /* if has_hand: of the player that threw */
};

struct review_game {
    const struct profile *profile;
    int ends, extra_ends;
    bool is_broken_off;            /* the record says that there is no result */
    char name[2][REVIEW_NAME_MAX]; /* of team 0, which throws first in the first end, and team 1 */
    int count;
    struct review_move *move; /* [count] */
};

/* A judged shot. Values and losses are those of the side that throws. */
struct review_shot {
    int team;
    bool is_estimated; /* the call is not recorded: it is the likeliest shot worth considering */
    struct candidate called, best;
    enum shot_kind kind;        /* of the call, by its throw without error */
    enum shot_kind thrown_kind; /* by what the throw did */
    bool success;               /* it kept what the call is for (candidate.h) */
    bool foul;
    struct review_value value_best, value_called, value_thrown;
    struct review_value call, execution;             /* losses */
    struct review_value call_error, execution_error; /* standard errors */
    bool is_best;                                    /* nothing better than the call was found */
};

struct review_setting {
    const struct player *judge; /* of the class player_rink */
    struct noise noise;
    bool has_noise;              /* … of all shots, whoever threw them */
    struct player_limits limits; /* of the search for the best shot; threads: of the review */
    int throws;                  /* that value the called and the best shot */
    uint64_t seed;
};

/* What a game adds up to, in the view of team 0. Points are those of all ends: their start is the
 * sum of what each end was worth when it began. */
struct review_sums {
    struct review_value start, result;
    struct review_value call[2], execution[2]; /* losses of each team, in its own view */
    struct review_value revision;
};

struct review {
    const struct review_game *game;
    int count; /* judged shots: all but a concession */
    struct review_shot *shot;
    struct review_sums sums;
    int scores[2][RULES_ENDS_MAX]; /* of the ends that were played to their end */
    int ends_played;
    bool conceded;
    int key[REVIEW_KEYS], keys; /* the shots whose calls cost most chances of winning */
};

enum review_status { REVIEW_OK, REVIEW_CANCELLED, REVIEW_NO_MEMORY, REVIEW_FAILED };

/* Judges a game, which must outlive the review; call review_free() in any case. done(context, n) is
 * called after each judged shot, from any thread (NULL: not wanted). The result does not depend on
 * the number of threads. REVIEW_FAILED: the judge cannot judge (end_value_fault()). */
enum review_status review_game(const struct review_setting *setting, const struct review_game *game,
                               const atomic_bool *cancel, void (*done)(void *context, int count),
                               void *context, struct review *ret_review);
void review_free(struct review *review);

/* Returns start + all losses, gains and revisions - result: 0 but for rounding. */
struct review_value review_imbalance(const struct review *review);

/* --- review_shot.c --- */

/* Judges one shot on the calling thread. */
enum review_status review_shot(const struct review_setting *setting, const struct review_move *move,
                               int number, const atomic_bool *cancel, struct review_shot *ret_shot);

/* Computes the path of the delivered stone without error of the hand: at most REVIEW_PATH_MAX
 * points. Returns how many. */
int review_path(const struct review_game *game, const struct review_move *move, struct shot shot,
                struct vec2 ret_path[REVIEW_PATH_MAX]);

#endif
