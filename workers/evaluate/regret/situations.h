/* The positions of the regret bench: a file of JSON Lines, one game state each, in the words of a
 * shot query (api/curling/game_json.h) and its number:
 *
 *   {"number":0,"profile":"dc2","state":{…},"setting":{…}}
 *
 * They are drawn once, by a seed, and committed; players are measured on the same ones. */
#ifndef RINKD_WORKERS_EVALUATE_REGRET_SITUATIONS_H
#define RINKD_WORKERS_EVALUATE_REGRET_SITUATIONS_H

#include "models/game/game.h"
#include "workers/evaluate/regret/numbered_lines.h"
#include "workers/file_hash.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { SITUATIONS_MAX = 1000, SITUATIONS_ERROR_MAX = NUMBERED_ERROR_MAX };

struct situations {
    int count;
    struct game *games;         /* [count], all running */
    char sha256[FILE_HASH_MAX]; /* of the file */
};

/* Reads a file; the caller gives the situations to situations_free(). False: ret_error names the
 * line and what is wrong; nothing is allocated. */
bool situations_read(const char *path, struct situations *ret_situations,
                     char ret_error[SITUATIONS_ERROR_MAX]);
void situations_free(struct situations *situations);

/* Draws situation `number` of a seed. Numbers go through the shots of an end and, every 16, change
 * between dc2 and dc3; the end, the score, the hammer and who plays come from the seed. The stones
 * are those of an end between two of a few players of different strength, where one shot in six is
 * at random. False: a player failed. */
bool situations_draw(uint64_t seed, int number, struct game *ret_game);

/* Writes a situation as a line. False: out of memory, or the line cannot be written. */
bool situations_write(FILE *out, int number, const struct game *game);

#endif
