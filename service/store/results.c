/* Results of matches, ladders and exploitability, read from those of jobs. */
#include "service/store/results.h"

#include "api/base/load_json.h"
#include "api/curling/match_record.h"
#include "api/jobs/job_kinds.h"
#include "api/jobs/job_results.h"
#include "service/store/sql.h"

#include <stdlib.h>
#include <string.h>

/* ---- keeping ---- */

struct ended_job {
    int64_t job;
    const char *text; /* its result */
    json_t *result;   /* the same, parsed */
    int64_t at_ms;
};

/* Whether the result is that of a game without one, whose shots are kept. */
static bool was_broken_off(const json_t *result)
{
    const char *reason = json_string_value(json_object_get(result, "reason"));

    return reason && strcmp(reason, GAME_BROKEN_OFF) == 0;
}

/* Adds a pairing; `shown` is the part of the result that the API shows. Ladders count matches with
 * a seed, and with the hands of the profile. */
static enum api_error add_match(struct store *store, const struct ended_job *ended,
                                const struct result_games *games, const struct result_match *match,
                                const json_t *shown, bool is_rated)
{
    static const char text[] =
        "INSERT INTO match (job, profile, ends, a, b, pairs0, pairs1, pairs2, pairs3, pairs4,"
        "                   result, at_ms, noise, seed, extra_ends)"
        " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, iif(?16, ?14, NULL),"
        " ?15)";
    const int64_t *pairs = match->pentanomial;
    int64_t sum = 0;

    for (int k = 0; k < RESULT_HALF_POINTS; k++) {
        if (pairs[k] < 0 || pairs[k] > INT32_MAX)
            return API_BAD_FIELD;
        sum += pairs[k];
    }
    if (sum == 0 && !was_broken_off(ended->result))
        return API_OK; /* no game was played */
    char *result = json_dumps(shown, JSON_COMPACT);
    if (!result)
        return API_NO_MEMORY;
    enum api_error error = sql_run(
        store, text,
        PUT(INT(ended->job), TEXT(games->profile), INT(games->ends), TEXT(match->a), TEXT(match->b),
            INT(pairs[0]), INT(pairs[1]), INT(pairs[2]), INT(pairs[3]), INT(pairs[4]), TEXT(result),
            INT(ended->at_ms), TEXT(games->noise), INT((int64_t)games->seed),
            INT(games->extra_ends), INT(is_rated && !json_object_get(ended->result, "hand"))));
    free(result);
    return error;
}

static enum api_error keep_games(struct store *store, const struct ended_job *ended, bool is_rated)
{
    struct result_games games = {.extra_ends = 0};
    struct result_match match;

    if (!result_read(result_games_members, ended->result, &games) ||
        !result_read(result_match_members, ended->result, &match))
        return API_BAD_FIELD;
    return add_match(store, ended, &games, &match, ended->result, is_rated);
}

static enum api_error keep_match(struct store *store, const struct ended_job *ended)
{
    return keep_games(store, ended, true);
}

/* Games against somebody on a server have no twin with the seats swapped. */
static enum api_error keep_unrated(struct store *store, const struct ended_job *ended)
{
    return keep_games(store, ended, false);
}

/* Name of the player with this number in the ladder of a tournament. */
static const char *player_of(const json_t *ladder, int64_t number)
{
    struct result_place place;
    size_t k;
    json_t *item;

    json_array_foreach(ladder, k, item)
    {
        if (result_read(result_place_members, item, &place) && place.number == number)
            return place.player;
    }
    return NULL;
}

static enum api_error keep_tournament(struct store *store, const struct ended_job *ended)
{
    const json_t *ladder = json_object_get(ended->result, "ladder");
    const json_t *pairings = json_object_get(ended->result, "pairings");
    struct result_games games = {.extra_ends = 0};
    enum api_error error = API_OK;
    size_t k;
    json_t *item;

    if (!result_read(result_games_members, ended->result, &games) || !json_is_array(pairings))
        return API_BAD_FIELD;
    json_array_foreach(pairings, k, item)
    {
        struct result_pairing pairing;
        if (!result_read(result_pairing_members, item, &pairing))
            return API_BAD_FIELD;
        struct result_match match = {.a = player_of(ladder, pairing.players[0]),
                                     .b = player_of(ladder, pairing.players[1])};
        memcpy(match.pentanomial, pairing.pentanomial, sizeof match.pentanomial);
        if (error == API_OK)
            error = match.a && match.b ? add_match(store, ended, &games, &match, item, true)
                                       : API_BAD_FIELD;
    }
    return error;
}

static enum api_error keep_exploitability(struct store *store, const struct ended_job *ended)
{
    static const char text[] =
        "INSERT INTO exploitability (job, player, profile, ends, sente, gote, total, at_ms)"
        " VALUES (?1, ?2, ?3, ?4, ?5 ->> '$.sente', ?5 ->> '$.gote', ?5 ->> '$.nash_conv', ?6)";
    struct result_exploitability kept;

    if (!result_read(result_exploitability_members, ended->result, &kept))
        return API_BAD_FIELD;
    return sql_run(store, text,
                   PUT(INT(ended->job), TEXT(kept.player), TEXT(kept.profile), INT(kept.ends),
                       TEXT(ended->text), INT(ended->at_ms)));
}

#define OF_GAMES " profile = ?1 AND ends = ?2 AND extra_ends = ?3"

/* Replaces the ladder of its games. */
static enum api_error keep_ladder(struct store *store, const struct ended_job *ended)
{
    static const char empty[] = "DELETE FROM ladder WHERE" OF_GAMES;
    static const char make[] = "INSERT INTO ladder (profile, ends, extra_ends, anchor, job, at_ms)"
                               " VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    static const char add[] =
        "INSERT INTO rating (profile, ends, extra_ends, player, elo, low, high, pairs)"
        " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    const json_t *places = json_object_get(ended->result, "ladder");
    struct result_ladder ladder = {.extra_ends = 0};
    size_t k;
    json_t *place;

    if (!result_read(result_ladder_members, ended->result, &ladder) || !json_is_array(places))
        return API_BAD_FIELD;
#define GAMES(games) TEXT((games)->profile), INT((games)->ends), INT((games)->extra_ends)
    enum api_error error = sql_run(store, empty, PUT(GAMES(&ladder)));
    if (error == API_OK)
        error =
            sql_run(store, make,
                    PUT(GAMES(&ladder), TEXT(ladder.anchor), INT(ended->job), INT(ended->at_ms)));
    json_array_foreach(places, k, place)
    {
        struct result_rating rating;
        if (error == API_OK && !result_read(result_rating_members, place, &rating))
            return API_BAD_FIELD;
        if (error == API_OK)
            error =
                sql_run(store, add,
                        PUT(GAMES(&ladder), TEXT(rating.player), REAL(rating.elo),
                            REAL(rating.interval[0]), REAL(rating.interval[1]), INT(rating.pairs)));
    }
    return error == API_EXISTS ? API_BAD_FIELD : error; /* the list has the same player twice */
}

enum api_error results_keep(struct store *store, int64_t job, const char *kind,
                            const char *result_json, int64_t now_ms)
{
    static enum api_error (*const keepers[])(struct store * store,
                                             const struct ended_job *ended) = {
        [JOB_KEEPS_MATCH] = keep_match,           [JOB_KEEPS_GAMES] = keep_unrated,
        [JOB_KEEPS_TOURNAMENT] = keep_tournament, [JOB_KEEPS_EXPLOITABILITY] = keep_exploitability,
        [JOB_KEEPS_LADDER] = keep_ladder,
    };
    const struct job_kind *row = job_kind_find(kind);
    json_error_t wrong;

    if (!row || row->keeps == JOB_KEEPS_NOTHING)
        return API_OK;
    struct ended_job ended = {job, result_json, NULL, now_ms};
    ended.result = load_json(result_json, strlen(result_json), 0, &wrong);
    if (!ended.result)
        return json_error_code(&wrong) == json_error_out_of_memory ? API_NO_MEMORY : API_BAD_FIELD;
    enum api_error error = keepers[row->keeps](store, &ended);
    json_decref(ended.result);
    return error;
}

/* ---- reading ---- */

enum api_error results_pairings(struct store *store, const struct ladder_games *games,
                                json_t **ret_pairings)
{
    /* Among matches with the same players, noise and seed, the longest contains the games of the
     * others. */
    static const char text[] =
        "WITH played AS (SELECT *, row_number() OVER"
        "      (PARTITION BY min(a, b), max(a, b), noise, seed"
        "       ORDER BY pairs0 + pairs1 + pairs2 + pairs3 + pairs4 DESC, id) AS place"
        "    FROM match WHERE" OF_GAMES " AND seed IS NOT NULL)"
        "SELECT min(a, b) AS a, max(a, b) AS b,"
        "       sum(pairs0 + pairs1 + pairs2 + pairs3 + pairs4) AS pairs,"
        "       json_array(sum(iif(a <= b, pairs0, pairs4)), sum(iif(a <= b, pairs1, pairs3)),"
        "                  sum(pairs2), sum(iif(a <= b, pairs3, pairs1)),"
        "                  sum(iif(a <= b, pairs4, pairs0))) AS half_points"
        "  FROM played WHERE place = 1 GROUP BY min(a, b), max(a, b) ORDER BY 1, 2";
    return sql_read_list(store, text, PUT(GAMES(games)), "ssij", ret_pairings);
}

enum api_error results_tidy_ladders(struct store *store)
{
    static const char text[] =
        "DELETE FROM ladder WHERE NOT EXISTS"
        " (SELECT 1 FROM match WHERE match.profile = ladder.profile AND match.ends = ladder.ends"
        "     AND match.extra_ends = ladder.extra_ends AND match.seed IS NOT NULL)";
    return sql_run(store, text, NULL);
}

#define MATCH_COLUMNS                                                                          \
    "id, job, profile, ends, extra_ends, a, b, pairs0 + pairs1 + pairs2 + pairs3 + pairs4 AS " \
    "pairs, result,"                                                                           \
    " at_ms AS at FROM match"
#define MATCH_TYPES "iisiissijt"

enum api_error results_match(struct store *store, int64_t id, json_t **ret_match)
{
    static const char text[] = "SELECT " MATCH_COLUMNS " WHERE id = ?1";
    return sql_read_object(store, text, PUT(INT(id)), MATCH_TYPES, ret_match);
}

/* A page of results: of all jobs, or by another statement of one job. */
static enum api_error get_page(struct store *store, const char *all, const char *of_job,
                               const struct match_filter *filter, const char *types,
                               struct store_page *page)
{
    const struct sql_value profile = TEXT(filter->profile), player = TEXT(filter->player);

    return sql_read_page(store, filter->job != 0 ? of_job : all,
                         filter->job != 0 ? PUT(profile, player, INT(filter->job))
                                          : PUT(profile, player),
                         false, types, page);
}

/* Filters of both lists below. A job has few rows, and an index finds them. */
#define FILTERS(player) " AND (?3 IS NULL OR profile = ?3) AND (?4 IS NULL OR ?4 IN (" player "))"
/* The spec of a player without its limits: the part before " @ ". */
#define SPEC(player) player ", substr(" player ", 1, instr(" player " || ' @ ', ' @ ') - 1)"
#define NEWEST_FIRST " ORDER BY id DESC LIMIT ?2"

enum api_error results_matches(struct store *store, const struct match_filter *filter,
                               struct store_page *page)
{
    static const char all[] =
        "SELECT id, " MATCH_COLUMNS " WHERE id < ?1" FILTERS(SPEC("a") ", " SPEC("b")) NEWEST_FIRST;
    static const char of_job[] =
        "SELECT id, " MATCH_COLUMNS " WHERE id < ?1 AND job = ?5" FILTERS(SPEC("a") ", " SPEC("b"))
            NEWEST_FIRST;
    return get_page(store, all, of_job, filter, MATCH_TYPES, page);
}

#define EXPLOITABILITY_COLUMNS                                                         \
    "id, job, player, profile, sente, gote, total AS \"sum\", ends, at_ms AS at FROM " \
    "exploitability"

enum api_error results_exploitability(struct store *store, const struct match_filter *filter,
                                      struct store_page *page)
{
    static const char all[] =
        "SELECT id, " EXPLOITABILITY_COLUMNS " WHERE id < ?1" FILTERS(SPEC("player")) NEWEST_FIRST;
    static const char of_job[] = "SELECT id, " EXPLOITABILITY_COLUMNS
                                 " WHERE id < ?1 AND job = ?5" FILTERS(SPEC("player")) NEWEST_FIRST;
    return get_page(store, all, of_job, filter, "iissjjjit", page);
}

enum api_error results_ratings(struct store *store, const struct ladder_games *games,
                               json_t **ret_head, json_t **ret_items)
{
    static const char head_text[] = "SELECT anchor, seat_advantage_elo, at_ms AS at, job"
                                    "  FROM ladder WHERE" OF_GAMES;
    static const char places_text[] = "SELECT player, elo, low, high, pairs FROM rating"
                                      " WHERE" OF_GAMES " ORDER BY elo DESC, player";
    json_t *head = NULL, *items = NULL;
    enum api_error error = sql_read_object(store, head_text, PUT(GAMES(games)), "srti", &head);

    if (error == API_OK || error == API_NOT_FOUND)
        error = sql_read_list(store, places_text, PUT(GAMES(games)), "srrri", &items);
    if (error != API_OK) {
        json_decref(head);
        return error;
    }
    *ret_head = head ? head : json_null();
    *ret_items = items;
    return API_OK;
}
