/* The choice at the start of an end of mixed doubles: own stone in the house and throw second, own
 * guard and throw first, or the power play. */
#ifndef RINKD_WORKERS_COMPETE_SETUP_CHOICE_H
#define RINKD_WORKERS_COMPETE_SETUP_CHOICE_H

#include "workers/compete/situation.h"

/* Returns the setup with the best chance of winning the game by the table of winning probabilities
 * (workers/search/player/win_table.h), and that chance. The situation asks for a setup. */
enum setup setup_choose(const struct situation *situation, double *ret_win);

#endif
