/* Games of our own that come back: a record as GET /v1/games/{id} answers it is kept again. */
#ifndef RINKD_WORKERS_COMPETE_OWN_RECORD_H
#define RINKD_WORKERS_COMPETE_OWN_RECORD_H

#include "workers/compete/game_log.h"

/* Whether the lines are such a record, or a file of records (api/curling/match_record.h): the first
 * of them with "record" tells it. */
bool own_record_is(const json_t *lines);

/* As game_log_keep(). The result is that of the first line; without one, the score of the last shot
 * tells it, or the game was broken off. Refused: shots that are missing, a result that does not fit
 * the shots, several games in one file. */
enum game_log_end own_record_keep(const struct game_lines *lines, const char *path,
                                  struct game_log *ret_log, char ret_why[TALK_WHY_MAX]);

#endif
