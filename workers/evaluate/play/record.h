/* Records of games: a file of JSON Lines from which a match can be resumed, examined and replayed.
 *
 *   {"record":"header", …}  the whole setting; one, first. Only the same setting continues a file.
 *   {"record":"shot", …}    each shot: the position, what was intended, what was thrown
 *   {"record":"pair", …}    the result of a pair, after the shots of its two games
 *
 * Pairs are written in the order of their index, whatever the number of threads. A line names its
 * pair: "pairing", the numbers of the two players in the header, and "pair", its number among
 * theirs. The manual page rink-evaluate(1) describes every field. */
#ifndef RINKD_WORKERS_EVALUATE_PLAY_RECORD_H
#define RINKD_WORKERS_EVALUATE_PLAY_RECORD_H

#include "workers/evaluate/play/pair.h"

#include <jansson.h>
#include <stddef.h>
#include <stdio.h>

/* The header line, without its newline: allocated, the caller's; NULL: out of memory. Players are
 * in it with their specs and with all their settings; `extra_ends` only where
 * there may be some. */
char *record_header(const struct pair_setting *setting, const struct player *players, int count);

/* Writes the line of a shot with its newline to `out`. */
void record_write_shot(FILE *out, const struct record_name *name, const struct pair_move *move);

/* An open file of records, ready to be written at its end. */
struct record_file;

/* The name of the pair at an index. */
typedef struct record_name record_namer(const void *context, int64_t index);

/* Opens the file, or makes it, for records with this header. What it holds already is read back:
 * its pairs, which must be those with the indices 0, 1, …, go to ret_results, `most` at most (what
 * lies beyond stays in the file and is skipped), their number to *ret_count. What was half written
 * behind the last pair is cut off, and everything from the first line that is no JSON, as a failure
 * of the power may leave it, if no pair lies behind that line. On failure NULL, and a sentence in
 * ret_error (at most `size` bytes with the final 0): the file cannot be used, is in use, is
 * somebody's, belongs to another setting (says where it differs) or is damaged (says the line); the
 * file is then as it was. */
struct record_file *record_open(const char *path, const char *header, record_namer *namer,
                                const void *context, int64_t most, struct pair_result *ret_results,
                                int64_t *ret_count, size_t size, char *ret_error);

/* Adds lines at the end of the file, and has them on the disk once a second. False if that fails,
 * see errno; the file is still good, up to something half-written. */
bool record_append(struct record_file *file, const char *text, size_t length);

/* Closes the file when all of it is on the disk; NULL is fine. False if that fails, see errno. */
bool record_close(struct record_file *file);

/* {"SETTING":VALUE,…}: every setting, and "weights_sha256" in place of the model where there is
 * one. The caller's; NULL: out of memory. */
json_t *player_settings_json(const struct player *player);

#endif
