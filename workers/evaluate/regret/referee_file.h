/* What a referee said of the positions of the bench, computed once and committed: JSON Lines, a
 * line for each position in order:
 *
 *   {"number":0,"finalists":[{"shot":[vx,vy,omega],"win":[…],"points":[…]},…]}
 *
 * with a number for each block, in steps of 1 / REFEREE_STEPS. Finalists are the best shots of long
 * searches and of other players (referee_finalists()). */
#ifndef RINKD_WORKERS_EVALUATE_REGRET_REFEREE_FILE_H
#define RINKD_WORKERS_EVALUATE_REGRET_REFEREE_FILE_H

#include "workers/evaluate/regret/referee.h"
#include "workers/evaluate/regret/situations.h"

#include <stdio.h>

enum { REFEREE_FINALISTS_MAX = 12 };
#define REFEREE_FINALISTS_SEED UINT64_C(24000001) /* the stream is the place in the list */
#define REFEREE_STEPS          1e5
/* The largest sizes in the file: with luck subtracted, a chance can lie outside 0 to 1. */
#define REFEREE_WIN_MOST    2.0
#define REFEREE_POINTS_MOST (2 * OBJECTIVE_ZERO)

struct refereed_shot {
    struct shot shot;
    struct referee_value block[REFEREE_BLOCKS];
};

struct refereed {
    int count; /* of finalists, at least 1 */
    struct refereed_shot finalists[REFEREE_FINALISTS_MAX];
};

/* Finds the shots of a position that may be the best: the best ones of a search of 400,000 throws,
 * and what a few other players throw. These players are measured without a look of the referee
 * (rink-evaluate(1), --stream); fewer of both for `adjusted`, where each costs much. The best of
 * `earlier`, which another referee has valued, is one more; NULL: none. Sets the shots and `count`.
 * `threads`: of the long search. A player that fails is PLAYER_FAILED. */
enum player_status referee_finalists(enum referee_kind kind, const struct game *game, int number,
                                     const struct refereed *earlier, int threads,
                                     const atomic_bool *cancel, struct refereed *ret_refereed);

/* Writes position `number` as a line. False: out of memory, or it cannot be written. */
bool referee_file_write(FILE *out, int number, const struct refereed *refereed);

/* Reads the lines of the first positions of the bench, at most `most` (a file that still grows has
 * fewer). Returns how many; the caller frees *ret_refereed. -1: ret_error names the line and what
 * is wrong, and nothing is allocated. */
int referee_file_read(const char *path, int most, struct refereed **ret_refereed,
                      char ret_error[SITUATIONS_ERROR_MAX]);

#endif
