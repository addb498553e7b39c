/* Results of matches, ladders and exploitability, taken from what rink-evaluate writes. */
#include "service/store/results.h"

#include "api/job_kinds.h"
#include "api/load_json.h"
#include "service/store/sql.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- keeping ---- */

enum { HALF_POINTS = 5 }; /* a pair of games gives 0, 1/2, 1, 3/2 or 2 points */

/* A pairing to be stored. Texts belong to the result. */
struct pairing {
    int64_t job;
    const char *profile, *a, *b;
    const char *noise;
    json_int_t ends, extra_ends, seed;
    json_t *half_points; /* array of five */
    json_t *result;      /* the part that the API shows */
};

static enum api_error add_match(struct store *store, const struct pairing *pairing, int64_t now_ms)
{
    static const char text[] =
        "INSERT INTO match (job, profile, ends, a, b, pairs0, pairs1, pairs2, pairs3, pairs4,"
        "                   result, at_ms, noise, seed, extra_ends)"
        " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)";
    json_int_t pairs = 0;

    if (json_array_size(pairing->half_points) != HALF_POINTS)
        return API_BAD_FIELD;
    for (size_t k = 0; k < HALF_POINTS; k++) {
        json_t *count = json_array_get(pairing->half_points, k);
        if (!json_is_integer(count) || json_integer_value(count) < 0 ||
            json_integer_value(count) > INT32_MAX)
            return API_BAD_FIELD;
        pairs += json_integer_value(count);
    }
    if (pairs == 0)
        return API_OK; /* no game was played */
    char *result = json_dumps(pairing->result, JSON_COMPACT);
    if (!result)
        return API_NO_MEMORY;
#define PAIRS(k) INT(json_integer_value(json_array_get(pairing->half_points, k)))
    enum api_error error = sql_run(
        store, text,
        PUT(INT(pairing->job), TEXT(pairing->profile), INT(pairing->ends), TEXT(pairing->a),
            TEXT(pairing->b), PAIRS(0), PAIRS(1), PAIRS(2), PAIRS(3), PAIRS(4), TEXT(result),
            INT(now_ms), TEXT(pairing->noise), INT(pairing->seed), INT(pairing->extra_ends)));
    free(result);
    return error;
}

static enum api_error keep_match(struct store *store, int64_t job, json_t *result, int64_t now_ms)
{
    struct pairing pairing = {.job = job, .result = result};

    if (json_unpack(result, "{s:s, s:s, s:I, s?I, s:I, s:o, s:{s:s}, s:{s:s}}", "profile",
                    &pairing.profile, "noise", &pairing.noise, "ends", &pairing.ends, "extra_ends",
                    &pairing.extra_ends, "seed", &pairing.seed, "pentanomial", &pairing.half_points,
                    "a", "player", &pairing.a, "b", "player", &pairing.b) != 0)
        return API_BAD_FIELD;
    return add_match(store, &pairing, now_ms);
}

/* Name of the player with this number in the ladder of a tournament. */
static const char *player_of(json_t *ladder, json_int_t number)
{
    size_t k;
    json_t *place;

    json_array_foreach(
        ladder, k,
        place) if (json_is_integer(json_object_get(place, "number")) &&
                   json_integer_value(json_object_get(place, "number")) ==
                       number) return json_string_value(json_object_get(place, "player"));
    return NULL;
}

static enum api_error keep_tournament(struct store *store, int64_t job, json_t *result,
                                      int64_t now_ms)
{
    struct pairing pairing = {.job = job};
    json_t *ladder, *pairings;
    size_t k;

    if (json_unpack(result, "{s:s, s:s, s:I, s?I, s:I, s:o, s:o}", "profile", &pairing.profile,
                    "noise", &pairing.noise, "ends", &pairing.ends, "extra_ends",
                    &pairing.extra_ends, "seed", &pairing.seed, "ladder", &ladder, "pairings",
                    &pairings) != 0 ||
        !json_is_array(pairings))
        return API_BAD_FIELD;
    json_array_foreach(pairings, k, pairing.result)
    {
        json_int_t a, b;
        if (json_unpack(pairing.result, "{s:[I, I], s:o}", "players", &a, &b, "pentanomial",
                        &pairing.half_points) != 0)
            return API_BAD_FIELD;
        pairing.a = player_of(ladder, a);
        pairing.b = player_of(ladder, b);
        if (!pairing.a || !pairing.b)
            return API_BAD_FIELD;
        enum api_error error = add_match(store, &pairing, now_ms);
        if (error != API_OK)
            return error;
    }
    return API_OK;
}

/* {"points","standard_error"} */
static bool is_mean(const json_t *value)
{
    return json_is_number(json_object_get(value, "points")) &&
           json_is_number(json_object_get(value, "standard_error"));
}

static enum api_error keep_exploitability(struct store *store, int64_t job, json_t *result,
                                          int64_t now_ms)
{
    static const char text[] =
        "INSERT INTO exploitability (job, player, profile, ends, sente, gote, total, at_ms)"
        " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    const char *player, *profile;
    json_int_t ends;
    json_t *sente, *gote, *total;

    if (json_unpack(result, "{s:s, s:s, s:I, s:o, s:o, s:o}", "player", &player, "profile",
                    &profile, "ends", &ends, "sente", &sente, "gote", &gote, "nash_conv",
                    &total) != 0 ||
        !is_mean(sente) || !is_mean(gote) || !is_mean(total))
        return API_BAD_FIELD;
    char *means[3] = {json_dumps(sente, JSON_COMPACT), json_dumps(gote, JSON_COMPACT),
                      json_dumps(total, JSON_COMPACT)};
    enum api_error error = API_NO_MEMORY;
    if (means[0] && means[1] && means[2])
        error = sql_run(store, text,
                        PUT(INT(job), TEXT(player), TEXT(profile), INT(ends), TEXT(means[0]),
                            TEXT(means[1]), TEXT(means[2]), INT(now_ms)));
    for (int k = 0; k < 3; k++)
        free(means[k]);
    return error;
}

#define OF_GAMES " profile = ?1 AND ends = ?2 AND extra_ends = ?3"

#define GAMES(games) TEXT((games)->profile), INT((games)->ends), INT((games)->extra_ends)

static enum api_error add_rating(struct store *store, const struct ladder_games *games,
                                 json_t *place)
{
    static const char text[] =
        "INSERT INTO rating (profile, ends, extra_ends, player, elo, low, high, pairs)"
        " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    const char *player;
    double elo, low, high;
    json_int_t pairs;

    if (json_unpack(place, "{s:s, s:F, s:[F, F], s:I}", "player", &player, "elo", &elo, "interval",
                    &low, &high, "pairs", &pairs) != 0)
        return API_BAD_FIELD;
    enum api_error error = sql_run(
        store, text, PUT(GAMES(games), TEXT(player), REAL(elo), REAL(low), REAL(high), INT(pairs)));
    return error == API_EXISTS ? API_BAD_FIELD : error; /* the list has the same player twice */
}

static enum api_error keep_ladder(struct store *store, int64_t job, json_t *result, int64_t now_ms)
{
    static const char empty[] = "DELETE FROM ladder WHERE" OF_GAMES;
    static const char make[] =
        "INSERT INTO ladder (profile, ends, extra_ends, anchor, seat_advantage_elo, job, at_ms)"
        " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    const char *anchor;
    struct ladder_games games;
    json_int_t ends, extra_ends = 0;
    json_t *ladder, *place;
    json_t *seat = json_object_get(json_object_get(result, "first_hammer"), "elo");
    size_t k;

    if (json_unpack(result, "{s:s, s:I, s?I, s:s, s:o}", "profile", &games.profile, "ends", &ends,
                    "extra_ends", &extra_ends, "anchor", &anchor, "ladder", &ladder) != 0 ||
        !json_is_array(ladder) || (seat && !json_is_number(seat)))
        return API_BAD_FIELD;
    games.ends = ends;
    games.extra_ends = extra_ends;
    enum api_error error = sql_run(store, empty, PUT(GAMES(&games)));
    if (error == API_OK)
        error =
            sql_run(store, make,
                    PUT(GAMES(&games), TEXT(anchor),
                        REAL(seat ? json_number_value(seat) : (double)NAN), INT(job), INT(now_ms)));
    json_array_foreach(ladder, k, place) if (error == API_OK) error =
        add_rating(store, &games, place);
    return error;
}

enum api_error results_keep(struct store *store, int64_t job, const char *kind,
                            const char *result_json, int64_t now_ms)
{
    static enum api_error (*const keepers[])(struct store * store, int64_t job, json_t * result,
                                             int64_t now_ms) = {
        [JOB_KEEPS_MATCH] = keep_match,
        [JOB_KEEPS_TOURNAMENT] = keep_tournament,
        [JOB_KEEPS_EXPLOITABILITY] = keep_exploitability,
        [JOB_KEEPS_LADDER] = keep_ladder,
    };
    const struct job_kind *row = job_kind_find(kind);
    json_error_t wrong;

    if (!row || row->keeps == JOB_KEEPS_NOTHING)
        return API_OK;
    json_t *result = load_json(result_json, strlen(result_json), 0, &wrong);
    if (!result)
        return json_error_code(&wrong) == json_error_out_of_memory ? API_NO_MEMORY : API_BAD_FIELD;
    enum api_error error = keepers[row->keeps](store, job, result, now_ms);
    json_decref(result);
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
                               const struct match_filter *filter, const struct store_page *page,
                               const char *types, json_t **ret_items,
                               char ret_next[STORE_CURSOR_MAX])
{
    const struct sql_value profile = TEXT(filter->profile), player = TEXT(filter->player);

    return sql_read_page(store, filter->job != 0 ? of_job : all,
                         filter->job != 0 ? PUT(profile, player, INT(filter->job))
                                          : PUT(profile, player),
                         page, false, types, ret_items, ret_next);
}

/* Filters of both lists below. A job has few rows, and an index finds them. */
#define FILTERS(player) " AND (?3 IS NULL OR profile = ?3) AND (?4 IS NULL OR ?4 IN (" player "))"
/* The spec of a player without its limits: the part before " @ ". */
#define SPEC(player) player ", substr(" player ", 1, instr(" player " || ' @ ', ' @ ') - 1)"
#define NEWEST_FIRST " ORDER BY id DESC LIMIT ?2"

enum api_error results_matches(struct store *store, const struct match_filter *filter,
                               const struct store_page *page, json_t **ret_items,
                               char ret_next[STORE_CURSOR_MAX])
{
    static const char all[] =
        "SELECT id, " MATCH_COLUMNS " WHERE id < ?1" FILTERS(SPEC("a") ", " SPEC("b")) NEWEST_FIRST;
    static const char of_job[] =
        "SELECT id, " MATCH_COLUMNS " WHERE id < ?1 AND job = ?5" FILTERS(SPEC("a") ", " SPEC("b"))
            NEWEST_FIRST;
    return get_page(store, all, of_job, filter, page, MATCH_TYPES, ret_items, ret_next);
}

#define EXPLOITABILITY_COLUMNS                                                         \
    "id, job, player, profile, sente, gote, total AS \"sum\", ends, at_ms AS at FROM " \
    "exploitability"

enum api_error results_exploitability(struct store *store, const struct match_filter *filter,
                                      const struct store_page *page, json_t **ret_items,
                                      char ret_next[STORE_CURSOR_MAX])
{
    static const char all[] =
        "SELECT id, " EXPLOITABILITY_COLUMNS " WHERE id < ?1" FILTERS(SPEC("player")) NEWEST_FIRST;
    static const char of_job[] = "SELECT id, " EXPLOITABILITY_COLUMNS
                                 " WHERE id < ?1 AND job = ?5" FILTERS(SPEC("player")) NEWEST_FIRST;
    return get_page(store, all, of_job, filter, page, "iissjjjit", ret_items, ret_next);
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
