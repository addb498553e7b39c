/* Records of games: a file of JSON Lines from which a match can be resumed, examined and replayed.
 *
 *   {"record":"header", …}  the whole setting; one, first. Only the same setting continues a file.
 *   {"record":"shot", …}    each shot: the position, the intended shot, the executed shot
 *   {"record":"pair", …}    the result of a pair, after the shots of its two games
 *
 * Pairs are written in the order of their index for any number of threads. A line names its pair by
 * "pairing", the numbers of the two players in the header, and "pair", its number within the
 * pairing. The manual page rink-evaluate(1) describes every field. */
#ifndef RINKD_WORKERS_EVALUATE_PLAY_RECORD_H
#define RINKD_WORKERS_EVALUATE_PLAY_RECORD_H

#include "workers/evaluate/play/pair.h"

#include <jansson.h>
#include <stddef.h>
#include <stdio.h>

/* Returns the header line without its newline, allocated for the caller; NULL: out of memory. It
 * holds each player's spec and all its settings, `extra_ends` only if there may be some, `luck`
 * only if it is measured, and `luck_by` only if it is not that of files that do not have it. */
char *record_header(const struct pair_setting *setting, const struct player *players, int count);

/* Writes the line of a shot with its newline to `out`. */
void record_write_shot(FILE *out, const struct record_name *name, const struct pair_move *move);

/* A file of records, open for appending. */
struct record_file;

/* Returns the players of the pair at an index of a series, and its number within their pairing. */
struct record_name record_name_at(int player_count, int64_t index);

/* The pairs of a series that a file holds. */
struct record_part {
    int players;   /* of the series */
    int64_t first; /* index of the first pair of the file */
    int64_t most;  /* pairs that are wanted */
    bool cuts;     /* further pairs are cut off; otherwise they stay in the file and are skipped */
};

/* Opens or creates the file for records with this header, and reads its pairs back. They must have
 * the indices first, first + 1, …; at most `most` go to ret_results, their number to *ret_count.
 * Cuts off incomplete lines after the last pair, and everything from the first line that is not
 * JSON, as a power failure may leave it, if no pair follows that line. On failure returns NULL,
 * with a sentence in ret_error (at most `size` bytes with the final 0), and leaves the file as it
 * was: the file cannot be used, is in use, is no file of records, belongs to another setting (names
 * the difference) or is damaged (names the line). */
struct record_file *record_open(const char *path, const char *header,
                                const struct record_part *part, struct pair_result *ret_results,
                                int64_t *ret_count, size_t size, char *ret_error);

/* Reads a whole file of records of `most` pairs, without the right to change it, and calls take()
 * for each pair with its lines (`length` bytes). take() returns false to stop. False, with a
 * sentence as above: the file cannot be read, or does not hold exactly these pairs. */
typedef bool record_taker(void *context, int64_t index, const struct pair_result *result,
                          const char *text, size_t length);
bool record_read(const char *path, const char *header, const struct record_part *part,
                 record_taker *take, void *context, size_t size, char *ret_error);

/* Appends lines to the file, and syncs it to the disk once a second. False on failure, see errno;
 * the file is still good, up to an incomplete last line. */
bool record_append(struct record_file *file, const char *text, size_t length);

/* Makes all of it durable. False: see errno. */
bool record_sync(struct record_file *file);

/* Closes the file once all of it is on the disk; NULL is fine. False if that fails, see errno. */
bool record_close(struct record_file *file);

/* Returns {"SETTING":VALUE,…}: every setting, with "weights_sha256" in place of a model and
 * "values_sha256" in place of values. The caller
 * owns it; NULL: out of memory. */
json_t *player_settings_json(const struct player *player);

#endif
