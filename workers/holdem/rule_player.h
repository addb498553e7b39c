/* Eight rule players in one table: loose or tight (play more or less than 40 % of their hands),
 * passive or aggressive, and four mixed ones. They draw random numbers, but do not learn. */
#ifndef RINKD_WORKERS_HOLDEM_RULE_PLAYER_H
#define RINKD_WORKERS_HOLDEM_RULE_PLAYER_H

#include "workers/holdem/player.h"

enum { POKER_STYLES = 8 };

/* Rule player 0 … POKER_STYLES - 1, which users call o1 … o8. */
struct poker_player poker_rule_player(int number);
const char *poker_rule_about(int number);

#endif
