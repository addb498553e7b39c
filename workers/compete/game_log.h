/* A log of a game as a file of records (api/match_record.h): the log goes through the same protocol
 * and the same recorder as a game that is played, so it is checked in the same way.
 *
 *   dc3  game.dcl2, as the official server and our host write it, or a log of rink-compete dc3
 *   dc4  states as a server sends them, one a line: by themselves, in game.dc4.jsonl of our host,
 * or in a log of rink-compete dc4 */
#ifndef RINKD_WORKERS_COMPETE_GAME_LOG_H
#define RINKD_WORKERS_COMPETE_GAME_LOG_H

#include "workers/compete/recorder.h"

#include <jansson.h>

struct game_log {
    const struct protocol *protocol;
    struct session_report report;    /* team 0 is ours; names, outcome */
    char player[2][PLAYER_SPEC_MAX]; /* the teams as players: "dc3:NAME", "dc4:NAME" */
    struct game last;                /* before its last shot */
    struct pair_game game;           /* as team 0 sees it: it throws first, so it is game 0 */
    int shots;
    int skipped; /* lines that are none of a game, as those of other tags */
};

/* Reads the lines of a log, objects, and writes the game to the file, which is
 * begun anew. False, with a sentence that names the line: the log is not one whole finished game of
 * ours to read, and there is no file; or the file cannot be written. */
bool game_log_keep(const json_t *lines, const char *path, struct game_log *ret_log,
                   char ret_why[TALK_WHY_MAX]);

#endif
