/* Matches and their games. A match is a row of the store; its games are lines of records.jsonl in
 * the folder of its job (service/jobs/game_records.h). */
#include "service/routes/routes.h"

#include "api/base/build_json.h"
#include "api/fields/game_id.h"
#include "api/jobs/job_kinds.h"
#include "service/base/config.h"
#include "service/jobs/game_records.h"
#include "service/routes/server.h"
#include "service/store/jobs.h"
#include "service/store/results.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    /* A page of games reads at most this many bytes, and may be shorter for it. */
    PAGE_BYTES_MAX = 64 << 20
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

/* ---- lists of games ---- */

/* Game 0 or 1 of a pair as an item; NULL: memory is short. */
static json_t *game_json(const struct game_records *records, int64_t match, int64_t pair, int game,
                         const struct pair_game *played)
{
    json_t *item = pair_game_json(played);
    /* In game 0 player a throws first. */
    json_t *first = json_object_get(records->match, game == 0 ? "a" : "b");
    char id[GAME_ID_MAX];

    game_id_write(&(struct game_id){match, pair, game}, id);
    bool good = build_add(item, "id", json_string(id));
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
static enum api_error list_games(struct game_records *records, int64_t match, int game,
                                 struct store_page *page)
{
    int64_t at, end_at = (int64_t)ftello(records->file) + PAGE_BYTES_MAX;
    struct record_name name;
    struct pair_result pair;
    enum game_search found;

    while ((found = game_records_find_pair(records, end_at, &at)) == GAME_SEARCH_FOUND) {
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
    if (found == GAME_SEARCH_FAILED)
        return errno == ENOMEM ? API_NO_MEMORY : API_STORAGE;
    if (found == GAME_SEARCH_TIRED)
        snprintf(page->next, STORE_CURSOR_MAX, "%lld.0", (long long)at);
    return API_OK;
}

/* GET /v1/matches/{id}/games   ?limit&cursor&fields   →   200 {"items":[{"id","pair","game",
 * "throws_first","half_points","conceded","ends":[{"score","hammer"}]}],"next_cursor"}. Points and
 * scores are those of a. A page may be shorter than `limit` even if there is a next one. */
enum api_error route_match_games(struct http_request *request)
{
    struct store_page *page = &request->page;
    struct game_records records;
    int64_t id = http_id(request), at = 0;
    int game = 0;

    if (page->cursor && !read_cursor(page->cursor, &at, &game))
        return http_problem(request, API_BAD_PARAMETER, "cursor: not from this list");
    page->items = json_array();
    enum api_error error =
        game_records_open(request->store, request->server->base.config->data, id, &records);
    if (error == API_OK && at > 0 && fseeko(records.file, (off_t)at, SEEK_SET) != 0)
        error = API_STORAGE;
    if (error == API_OK)
        error = list_games(&records, id, game, page);
    bool gone = error == API_NOT_FOUND && records.match;
    game_records_close(&records);
    if (error != API_OK) {
        json_decref(page->items);
        return http_problem(request, error, gone ? "the records of this match are gone" : NULL);
    }
    return answer_list(request, API_OK);
}

/* ---- one game ---- */

/* GET /v1/games/{id}   →   200, a line that describes the game, then a line for each shot */
enum api_error route_game(struct http_request *request)
{
    char *text = NULL;
    enum api_error error = game_records_text(request->store, request->server->base.config->data,
                                             request->arg[0], &text);

    return error == API_OK ? http_text(request, 200, "application/x-ndjson", text) : error;
}

/* GET /v1/jobs/{id}/game   →   200, the newest whole game of a job in the same form, or the shots
 * so far of its first one */
enum api_error route_job_game(struct http_request *request)
{
    char *text = NULL;
    json_t *job;
    enum api_error error = job_store_get(request->store, http_id(request), &job);

    if (error != API_OK)
        return error;
    const struct job_kind *kind = job_kind_find(json_string_value(json_object_get(job, "kind")));
    error = game_records_newest(request->server->base.config->data, http_id(request),
                                json_object_get(job, "spec"), kind && kind->hides_calls, &text);
    json_decref(job);
    if (error == API_NOT_FOUND)
        return http_problem(request, error, "no shot of this job is kept yet");
    return error == API_OK ? http_text(request, 200, "application/x-ndjson", text) : error;
}
