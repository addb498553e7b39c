/* Matches and their games. A match is a row of the store; its games are lines of records.jsonl in
 * the folder of its job (rink-evaluate(1)), which may hold several matches. */
#include "service/routes/routes.h"

#include "api/build_json.h"
#include "api/load_json.h"
#include "api/match_record.h"
#include "service/base/config.h"
#include "service/jobs/job_folder.h"
#include "service/routes/server.h"
#include "service/store/results.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    /* A page of games reads at most this many bytes, and may be shorter for it. */
    PAGE_BYTES_MAX = 64 << 20,
    /* Bisection stops at this distance; reading finds the line. */
    NEAR_BYTES = 64 << 10
};

/* ---- matches ---- */

/* GET /v1/matches   ?profile&player&job&limit&cursor&fields
 * →   200 {"items":[…],"next_cursor"} */
enum api_error route_matches(struct http_request *request)
{
    return answer_results(request, results_matches);
}

/* GET /v1/matches/{id}   →   200 */
enum api_error route_match(struct http_request *request)
{
    json_t *match;
    enum api_error error = results_match(request->store, http_id(request), &match);

    if (error != API_OK)
        return error;
    json_t *list = json_pack("[O]", match);
    error = list && name_players(request->store, list) ? API_OK : API_NO_MEMORY;
    json_decref(list);
    return answer_with(request, error, match);
}

/* ---- the records of a match ---- */

struct records {
    FILE *file;
    char *line; /* the last line read, with its newline */
    size_t size;
    int pairing[2]; /* the match's players as numbered in this file */
    json_t *match;
};

static void records_close(struct records *records)
{
    if (records->file)
        fclose(records->file);
    free(records->line);
    json_decref(records->match);
}

/* Opens the records of a match and reads the first line. API_NOT_FOUND: the file is gone, or does
 * not belong to this match. The caller closes it in any case. */
static enum api_error records_open(const struct http_request *request, int64_t match,
                                   struct records *ret_records)
{
    struct records *records = ret_records;
    char path[JOB_PATH_MAX];

    *records = (struct records){0};
    enum api_error error = results_match(request->store, match, &records->match);
    if (error != API_OK)
        return error;
    job_path(request->server->base.config->data,
             json_integer_value(json_object_get(records->match, "job")), MATCH_RECORDS_FILE, path);
    records->file = fopen(path, "re");
    if (!records->file)
        return errno == ENOENT ? API_NOT_FOUND : errno == ENOMEM ? API_NO_MEMORY : API_STORAGE;
    json_error_t wrong;
    ssize_t length = getline(&records->line, &records->size, records->file);
    json_t *header = length > 0 ? load_json(records->line, (size_t)length, 0, &wrong) : NULL;
    if (!header &&
        (length > 0 ? json_error_code(&wrong) == json_error_out_of_memory : !feof(records->file)))
        return API_NO_MEMORY;
    const char *a = json_string_value(json_object_get(records->match, "a"));
    const char *b = json_string_value(json_object_get(records->match, "b"));
    bool is_against_itself = a && b && strcmp(a, b) == 0;
    records->pairing[0] = match_record_player(header, a, 0);
    records->pairing[1] =
        match_record_player(header, b, is_against_itself ? records->pairing[0] + 1 : 0);
    json_decref(header);
    return records->pairing[0] >= 0 && records->pairing[1] >= 0 ? API_OK : API_NOT_FOUND;
}

enum search { SEARCH_FOUND, SEARCH_END, SEARCH_TIRED };

/* Whether the current line belongs to the match, and which line it is. An incomplete line, as the
 * last may be, does not. */
static bool records_line(const struct records *records, struct match_record_line *ret_line)
{
    return match_record_read(records->line, ret_line) && strchr(records->line, '\n') &&
           ret_line->name.first == records->pairing[0] &&
           ret_line->name.second == records->pairing[1];
}

/* Finds the next line of a pair before `end_at` in the file. *ret_at is its start, or with
 * SEARCH_TIRED the place to continue. */
static enum search records_find_pair(struct records *records, int64_t end_at, int64_t *ret_at)
{
    int64_t at = (int64_t)ftello(records->file);
    struct match_record_line line;
    ssize_t got;

    while (at < end_at && (got = getline(&records->line, &records->size, records->file)) > 0) {
        if (records_line(records, &line) && line.kind == MATCH_RECORD_PAIR) {
            *ret_at = at;
            return SEARCH_FOUND;
        }
        at += got;
    }
    *ret_at = at;
    return at < end_at ? SEARCH_END : SEARCH_TIRED;
}

/* The number of the pair of a line, of any match; -1: it has none. An incomplete line, as the last
 * may be, counts as later than all. */
static int64_t pair_of_line(const char *text)
{
    struct match_record_line line;

    if (!strchr(text, '\n'))
        return INT64_MAX;
    return match_record_read(text, &line) ? line.name.pair : -1;
}

/* Goes to a line at or shortly before the first one of a pair, by bisection: pairs are in order of
 * their numbers (workers/evaluate/play/series.h). */
static bool records_seek(struct records *records, long long pair)
{
    off_t low = ftello(records->file), high;

    if (fseeko(records->file, 0, SEEK_END) != 0 || (high = ftello(records->file)) < 0)
        return false;
    while (high - low > NEAR_BYTES) {
        off_t middle = low + (high - low) / 2, line_at;
        /* Skips the rest of a line, then reads a whole one. */
        if (fseeko(records->file, middle, SEEK_SET) != 0 ||
            getline(&records->line, &records->size, records->file) <= 0 ||
            (line_at = ftello(records->file)) >= high ||
            getline(&records->line, &records->size, records->file) <= 0 ||
            pair_of_line(records->line) >= pair)
            high = middle;
        else
            low = line_at;
    }
    return fseeko(records->file, low, SEEK_SET) == 0;
}

/* ---- lists of games ---- */

/* Game 0 or 1 of a pair as an item; NULL: memory is short. */
static json_t *game_json(const struct records *records, int64_t match, int64_t pair, int game,
                         const struct pair_game *played)
{
    json_t *item = pair_game_json(played);
    /* In game 0 player a throws first. */
    json_t *first = json_object_get(records->match, game == 0 ? "a" : "b");
    json_t *id = json_sprintf("%lld-%lld-%d", (long long)match, (long long)pair, game);
    bool good = build_add(item, "id", id);

    good = build_add(item, "pair", json_integer(pair)) && good;
    good = build_add(item, "game", json_integer(game)) && good;
    good = build_add(item, "throws_first", json_incref(first)) && good;
    return build_done(item, good);
}

/* Reads "OFFSET.GAME": the line of a pair, and its game to continue with. */
static bool read_cursor(const char *text, int64_t *ret_at, int *ret_game)
{
    long long at;
    int game, used = 0;

    if (sscanf(text, "%18lld.%1d%n", &at, &game, &used) != 2 || text[used] || at < 1 || game < 0 ||
        game > 1)
        return false;
    *ret_at = at;
    *ret_game = game;
    return true;
}

/* Reads a page of games from the current line on. */
static enum api_error list_games(struct records *records, int64_t match, int game,
                                 struct store_page *page)
{
    int64_t at, end_at = (int64_t)ftello(records->file) + PAGE_BYTES_MAX;
    struct record_name name;
    struct pair_result pair;
    enum search found;

    while ((found = records_find_pair(records, end_at, &at)) == SEARCH_FOUND) {
        if (!match_record_read_pair(records->line, strlen(records->line), &name, &pair))
            return API_STORAGE; /* the file is broken */
        for (; game < 2; game++) {
            if (pair.game[game].is_missing)
                continue;
            if ((int)json_array_size(page->items) == page->limit) {
                snprintf(page->next, STORE_CURSOR_MAX, "%lld.%d", (long long)at, game);
                return API_OK;
            }
            json_t *item = game_json(records, match, name.pair, game, &pair.game[game]);
            if (json_array_append_new(page->items, item) != 0)
                return API_NO_MEMORY;
        }
        game = 0;
    }
    if (found == SEARCH_TIRED)
        snprintf(page->next, STORE_CURSOR_MAX, "%lld.0", (long long)at);
    return API_OK;
}

/* GET /v1/matches/{id}/games   ?limit&cursor&fields   →   200 {"items":[{"id","pair","game",
 * "throws_first","half_points","conceded","ends":[{"score","hammer"}]}],"next_cursor"}. Points and
 * scores are those of a. A page may be shorter than `limit` even if there is a next one. */
enum api_error route_match_games(struct http_request *request)
{
    struct store_page *page = &request->page;
    struct records records;
    int64_t id = http_id(request), at = 0;
    int game = 0;

    if (page->cursor && !read_cursor(page->cursor, &at, &game))
        return http_problem(request, API_BAD_PARAMETER, "cursor: not from this list");
    page->items = json_array();
    enum api_error error = records_open(request, id, &records);
    if (error == API_OK && at > 0 && fseeko(records.file, (off_t)at, SEEK_SET) != 0)
        error = API_STORAGE;
    if (error == API_OK)
        error = list_games(&records, id, game, page);
    bool gone = error == API_NOT_FOUND && records.match;
    records_close(&records);
    if (error != API_OK) {
        json_decref(page->items);
        return http_problem(request, error, gone ? "the records of this match are gone" : NULL);
    }
    return answer_list(request, API_OK);
}

/* ---- one game ---- */

/* Prints the line that describes the game. */
static bool print_head(FILE *out, const struct records *records, const char *id, int game)
{
    const char *first = game == 0 ? "a" : "b", *second = game == 0 ? "b" : "a";
    json_t *match = records->match;
    json_t *head =
        json_pack("{s:s, s:s, s:O, s:O, s:O, s:O, s:O, s:O}", "record", "game", "id", id, "match",
                  json_object_get(match, "id"), "profile", json_object_get(match, "profile"),
                  "ends", json_object_get(match, "ends"), "extra_ends",
                  json_object_get(match, "extra_ends"), "throws_first",
                  json_object_get(match, first), "throws_last", json_object_get(match, second));
    bool good = head && json_dumpf(head, out, JSON_COMPACT) == 0 && putc('\n', out) != EOF;

    json_decref(head);
    return good;
}

/* Writes the game as lines; malloc'ed. The shots of a pair stand together, followed by the line of
 * the pair. */
static enum api_error print_game(struct records *records, const char *id, long long pair, int game,
                                 char **ret_text)
{
    struct match_record_line line;
    size_t size, shots = 0;
    char *text = NULL;
    FILE *out = open_memstream(&text, &size);

    if (!out)
        return API_NO_MEMORY;
    bool good = records_seek(records, pair) && print_head(out, records, id, game), is_over = false;
    while (good && !is_over && getline(&records->line, &records->size, records->file) > 0 &&
           pair_of_line(records->line) <= pair) {
        if (!records_line(records, &line) || line.name.pair != pair)
            continue;
        is_over = line.kind == MATCH_RECORD_PAIR;
        if (!is_over && line.game == game) {
            good = fputs(records->line, out) >= 0;
            shots++;
        }
    }
    good = fclose(out) == 0 && good;
    if (good && shots > 0 && is_over) {
        *ret_text = text;
        return API_OK;
    }
    free(text);
    return good ? API_NOT_FOUND : API_NO_MEMORY;
}

/* GET /v1/games/{id}   →   200, a line that describes the game, then a line for each shot */
enum api_error route_game(struct http_request *request)
{
    struct records records;
    long long match, pair;
    char *text = NULL;
    int game, used = 0;

    if (sscanf(request->arg[0], "%18lld-%18lld-%1d%n", &match, &pair, &game, &used) != 3 ||
        request->arg[0][used] || match < 1 || pair < 0 || game < 0 || game > 1)
        return API_NOT_FOUND;
    enum api_error error = records_open(request, match, &records);
    if (error == API_OK)
        error = print_game(&records, request->arg[0], pair, game, &text);
    records_close(&records);
    return error == API_OK ? http_text(request, 200, "application/x-ndjson", text) : error;
}
