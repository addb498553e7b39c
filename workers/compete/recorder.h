/* Keeps the game of a session as a file of records (api/curling/match_record.h), as a match keeps
 * its pairs: player 0 is ours, player 1 the other team, and the twin with swapped seats is missing.
 */
#ifndef RINKD_WORKERS_COMPETE_RECORDER_H
#define RINKD_WORKERS_COMPETE_RECORDER_H

#include "api/curling/match_record.h"
#include "workers/compete/session.h"

struct recorder;

/* Opens or continues the file; the shots that it holds are not written again. `player` is our spec.
 * NULL, see errno. */
struct recorder *recorder_open(const char *path, const char *player);

/* For struct session_watcher. */
void recorder_decided(struct recorder *recorder, const struct talk *talk,
                      const struct decision *decision);
void recorder_heard(struct recorder *recorder, const struct talk *talk);
/* The shot that either team asked for in the state last heard, where a log tells it. */
void recorder_called(struct recorder *recorder, const struct shot *shot);

/* The hands of the players of both teams in the order of throwing, as JSON; NULL: the ordinary one,
 * or not known. They outlive the recorder. */
enum { RECORDER_PLAYERS = 4 };
void recorder_hands(struct recorder *recorder, const char *const hands[2][RECORDER_PLAYERS]);

/* Writes the line of the pair if the game is over, and closes the file. `ends_here`: so is one that
 * was broken off after a shot, as nothing will follow. True if the line is written: *ret_game is
 * the game as our team sees it, *ret_index its number in the pair (0: we threw first). False with
 * errno set: a line could not be written; with errno 0: there is no such game.
 */
bool recorder_close(struct recorder *recorder, const struct session_report *report, bool ends_here,
                    struct pair_game *ret_game, int *ret_index);

/* Replaces in a name what separates words of records: blanks, quotes and backslashes. */
void recorder_make_word(char *name);
/* The other team as a player: "dc3:NAME", as one word. */
enum { RECORDER_NAME_MAX = TALK_NAME_MAX + 16 };
void recorder_opponent(const struct protocol *protocol, const struct session_report *report,
                       char ret_name[RECORDER_NAME_MAX]);

/* The last game that was told; NULL: none yet. */
const struct game *recorder_last(const struct recorder *recorder);

#endif
