/* The referee of the regret bench: values a shot so closely that players with far fewer throws can
 * be judged by it. All shots of a position meet the same errors and the same later chance (common
 * random numbers), in blocks, so that differences between shots are more certain than their values
 * and their errors are known.
 *
 * Three referees look at a shot in different ways:
 *   adjusted   the end is played out by rink:opponent=best with REFEREE_ADJUSTED_PLAYER throws a
 *              shot, and the luck of every throw, measured by REFEREE_LUCK others, is subtracted
 *              (play/luck.h): a network makes it precise, but takes nothing from its truth
 *   deep       a network values the position after each execution and after the best
 *              reply to it, which a search of REFEREE_REPLY throws finds; the reply is valued by
 *              throws that did not choose it. It takes what a better network sees for a mistake
 *   playouts   the end is played out by the player rink with REFEREE_PLAYER throws a shot, and its
 *              score counts as it comes
 * With one stone left `deep` and `playouts` are the mean score of the end over executions.
 *
 * The shipped values are frozen, so that later networks can be compared with them: the folder of
 * the bench has the value networks that they were made with (referee_PROFILE.safetensors, of three
 * sweeps, as in commit 61f613b). Without such a file the shipped network values. */
#ifndef RINKD_WORKERS_EVALUATE_REGRET_REFEREE_H
#define RINKD_WORKERS_EVALUATE_REGRET_REFEREE_H

#include "api/jobs/job_kinds.h"
#include "workers/search/player/player.h"

enum {
    REFEREE_BLOCKS = 8,
    REFEREE_REPLY = 1000,
    REFEREE_MEASURED = 32,
    REFEREE_PLAYER = 1000,
    REFEREE_ADJUSTED_PLAYER = 400,
    REFEREE_LUCK = 64
};

/* Executions of a block: about half a million throws a shot for `deep`. */
int referee_executions(enum referee_kind kind);

/* A value of a shot, for the side to move. */
struct referee_value {
    double win;    /* chance of winning the game; a draw counts one half */
    double points; /* of the end */
};

/* Values a shot at position `number` of the bench by the executions of a block, 0 …
 * REFEREE_BLOCKS - 1. The same arguments give the same bytes. Thread-safe. PLAYER_FAILED: a network
 * is missing, or the shot cannot be thrown; PLAYER_OK with *ret_value unset only if `cancel` became
 * true. */
enum player_status referee_look(enum referee_kind kind, const struct game *game, int number,
                                struct shot shot, int block, const atomic_bool *cancel,
                                struct referee_value *ret_value);

#endif
