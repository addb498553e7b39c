/* The record of a game, as GET /v1/games/{id} answers it line by line, read for a review. */
#ifndef RINKD_WORKERS_EVALUATE_REVIEW_REVIEW_RECORD_H
#define RINKD_WORKERS_EVALUATE_REVIEW_REVIEW_RECORD_H

#include "api/base/strict_json.h"
#include "workers/evaluate/review/review.h"

/* Reads the array at the place:
 *
 *   [{"profile","ends","extra_ends"?,"throws_first"?,"throws_last"?},
 *    {"end","shot","player","hammer","lead","stones":[16 of [x,y] or null],
 *     "setup"?:{"choice","pattern"?,"player"},
 *     "intended"?:{"velocity":[x,y],"omega"},"executed":{…},"hand"?:{…} or "conceded":true,
 *     "final"?:[16]}, …]
 *
 * "setup" is that of an end of mixed doubles, before its first shot. Other members are ignored.
 * Stones are those before the shot, by the number of the shot that delivered them; "player" tells
 * the two sides apart; "lead" and "hammer" are those of the side that throws; without "intended"
 * the call is not known; "hand" is that of the player that threw, as in a shot query. False, with
 * at least one error: the record is not that of a game. Call review_record_free() in any case. */
bool review_record_read(const struct strict_place *place, struct review_game *ret_game);
void review_record_free(struct review_game *game);

#endif
