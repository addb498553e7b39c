/* A log of a game as a file of records (api/curling/match_record.h): the log goes through the same
 * protocol and the same recorder as a game that is played, so it is checked in the same way.
 *
 *   dc3  game.dcl2, as the official server and our host write it, the messages by themselves, or a
 * log of rink-compete dc3
 *   dc4  states as a server sends them, one a line: by themselves, in game.dc4.jsonl of our host,
 * or in a log of rink-compete dc4 */
#ifndef RINKD_WORKERS_COMPETE_GAME_LOG_H
#define RINKD_WORKERS_COMPETE_GAME_LOG_H

#include "workers/compete/recorder.h"

#include <jansson.h>

struct game_log {
    const struct protocol *protocol;
    struct session_report report; /* team 0 is ours; names, outcome; not known: GAME_BROKEN_OFF */
    char player[2][PLAYER_SPEC_MAX]; /* the teams as players: "dc3:NAME", "dc4:NAME" */
    struct game last;                /* before its last shot */
    struct pair_game game;           /* as team 0 sees it: it throws first, so it is game 0 */
    int shots;
    int skipped; /* lines that are none of a game, as those of other tags */
};

/* The lines of a file, objects. */
struct game_lines {
    const json_t *line;
    const json_t *number; /* of each in the file, from 1; NULL: the file has no other lines */
};

/* The number of a line (from 0) in its file, from 1. */
size_t game_line_number(const struct game_lines *lines, size_t k);

enum game_log_end {
    GAME_LOG_KEPT,
    GAME_LOG_BAD,   /* the log is not one game that we can read, from its first shot on */
    GAME_LOG_DISK,  /* the file cannot be written */
    GAME_LOG_MEMORY /* memory is short */
};

/* Reads the lines of a log and writes the game to the file, which is begun anew. If it is not kept,
 * ret_why has a sentence, which for GAME_LOG_BAD names the line, and there is no file. */
enum game_log_end game_log_keep(const struct game_lines *lines, const char *path,
                                struct game_log *ret_log, char ret_why[TALK_WHY_MAX]);

#endif
