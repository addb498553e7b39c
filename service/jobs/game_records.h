/* The records of the games of a match: lines of records.jsonl in the folder of its job
 * (rink-evaluate(1)), which may hold several matches. */
#ifndef RINKD_SERVICE_JOBS_GAME_RECORDS_H
#define RINKD_SERVICE_JOBS_GAME_RECORDS_H

#include "api/base/error.h"
#include "api/curling/match_record.h"

#include <jansson.h>

struct store;

struct game_records {
    FILE *file;
    char *line; /* the last line read, with its newline */
    size_t size;
    int pairing[2]; /* the match's players as numbered in this file */
    json_t *match;
};

/* Opens the records of a match below the folder `data` and reads the first line. API_NOT_FOUND: the
 * file is gone, or does not belong to this match. Call game_records_close() in any case. */
enum api_error game_records_open(struct store *store, const char *data, int64_t match,
                                 struct game_records *ret_records);
void game_records_close(struct game_records *records);

enum game_search { GAME_SEARCH_FOUND, GAME_SEARCH_END, GAME_SEARCH_TIRED, GAME_SEARCH_FAILED };

/* Finds the next line of a pair before `end_at` in the file. *ret_at is its start, or with
 * GAME_SEARCH_TIRED the place to continue. GAME_SEARCH_FAILED: the file cannot be read, or memory
 * is short; see errno. */
enum game_search game_records_find_pair(struct game_records *records, int64_t end_at,
                                        int64_t *ret_at);

/* A game by its id: a line that describes it, then a line for each shot; the caller frees it.
 * API_NOT_FOUND: no such game, or its records are gone. */
enum api_error game_records_text(struct store *store, const char *data, const char *id,
                                 char **ret_text);

/* The newest whole game of a job in the same form, also while the job runs; if there is none yet,
 * the shots so far of the game that is being played. The line that describes it has "whole", the
 * profile and the length of `spec` or else of the file, "job", "match" null, and an id that tells
 * this game from older ones of the job. With hides_calls, a game that is not whole has no called
 * shots ("intended"). API_NOT_FOUND: no shot is kept yet, or there are no records. The caller frees
 * *ret_text. */
enum api_error game_records_newest(const char *data, int64_t job, const json_t *spec,
                                   bool hides_calls, char **ret_text);

#endif
