/* Play by networks that value single shots, for the players `gpi` and `policy`. */
#ifndef RINKD_WORKERS_SEARCH_POLICY_GPI_PLAYER_H
#define RINKD_WORKERS_SEARCH_POLICY_GPI_PLAYER_H

#include "models/networks/policy.h"
#include "workers/search/player/player.h"

/* Random shots of which the best is thrown, unless a setting says otherwise. */
enum { GPI_DRAWS = 4096 };

/* Answers a query with the best of `draws` random shots. PLAYER_FAILED: a network failed. */
enum player_status gpi_choose(struct policy *policy, const struct player_query *query, int draws,
                              struct player_answer *ret_answer);

/* Whether such networks fit the rules; if not, a sentence. */
bool gpi_check_rules(const struct player *player, const struct rules *rules, size_t size,
                     char *ret_error);

#endif
