/* The lines of a log of a game, as files hold them: of Digital Curling 3 and 4, of our client, or
 * our own records. Only what a reader of the game needs is kept, so a log with the paths of all
 * stones becomes as short as one without; and the game is known again in another copy. */
#ifndef RINKD_API_CURLING_LOG_FILE_H
#define RINKD_API_CURLING_LOG_FILE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum {
    LOG_LINE_MAX =
        8 << 20,          /* bytes of a line; the paths of all stones of a shot have up to 40 kB */
    LOG_SKIPPED_MAX = 20, /* lines that are told of those left out */
    LOG_GAME_MAX = 700    /* bytes of log_game.name, with 0 */
};
#define LOG_BYTES_MAX ((long long)64 << 20) /* of a file */

struct log_file {
    json_t *lines;   /* those that are objects */
    json_t *numbers; /* of each in the file, from 1 */
    json_t *skipped; /* [{"line","why"}] of the others, the first LOG_SKIPPED_MAX */
    int number;      /* of the newest line */
};

/* False: memory is short. Call log_file_free() in any case. */
bool log_file_begin(struct log_file *ret_file);
void log_file_free(struct log_file *file);

/* Takes a line: an object, perhaps after a word such as "data: ". One that is none is left out, and
 * told; an empty one is only left out. False: memory is short. */
bool log_file_take(struct log_file *file, const char *text, size_t length);

/* A game as its log names it. */
struct log_game {
    char name[LOG_GAME_MAX]; /* its id and its teams; "": the log has no id */
    int states;              /* that the log tells, one after the other */
};

/* Finds out which game the lines are of. False: memory is short. */
bool log_game_of(const json_t *lines, struct log_game *ret_game);

#endif
