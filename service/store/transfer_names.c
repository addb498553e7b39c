/* See transfer_names.h. */
#include "service/store/transfer_names.h"

#include "api/base/load_json.h"
#include "api/fields/game_id.h"
#include "api/jobs/job_kinds.h"
#include "service/store/job_needs.h"
#include "service/store/sql.h"

#include <stdlib.h>
#include <string.h>

/* ---- ids ---- */

enum api_error moved_begin(struct store *store)
{
    static const char make[] =
        "CREATE TEMP TABLE IF NOT EXISTS moved (tbl TEXT, old INTEGER, new INTEGER, added INTEGER,"
        " PRIMARY KEY (tbl, old)) WITHOUT ROWID; DELETE FROM moved;"
        "CREATE INDEX IF NOT EXISTS temp.moved_new ON moved (tbl, added, new);"
        /* `place`: 0 for the first match of its job */
        "CREATE TEMP TABLE IF NOT EXISTS their_match (id INTEGER PRIMARY KEY, job INTEGER,"
        " place INTEGER); DELETE FROM their_match;"
        "CREATE INDEX IF NOT EXISTS temp.their_match_of ON their_match (job)";
    return sql_error(sqlite3_exec(store->db, make, NULL, NULL, NULL));
}

enum api_error moved_note(struct store *store, const char *table, int64_t old, int64_t now,
                          bool added)
{
    static const char text[] = "INSERT INTO moved (tbl, old, new, added) VALUES (?1, ?2, ?3, ?4)";
    return sql_run(store, text, PUT(TEXT(table), INT(old), INT(now), INT(added)));
}

enum api_error moved_find(struct store *store, const char *table, int64_t old, int64_t *ret_new,
                          bool *ret_added)
{
    static const char text[] = "SELECT new, added FROM moved WHERE tbl = ?1 AND old = ?2";
    int64_t added = 0;
    enum api_error error =
        sql_read(store, text, PUT(TEXT(table), INT(old)), GET(TO_INT(ret_new), TO_INT(&added)));

    *ret_added = added != 0;
    return error;
}

enum api_error transfer_names_look(struct store *store, const json_t *match)
{
    static const char text[] =
        "INSERT INTO their_match (id, job, place)"
        " VALUES (?1, ?2, (SELECT count(*) FROM their_match WHERE job = ?2))";
    const json_t *id = json_object_get(match, "id"), *job = json_object_get(match, "job");

    if (!json_is_integer(id) || !json_is_integer(job))
        return API_OK; /* told when the row is added */
    enum api_error error =
        sql_run(store, text, PUT(INT(json_integer_value(id)), INT(json_integer_value(job))));
    return error == API_EXISTS ? API_OK : error;
}

/* ---- are two specs the same? ---- */

/* A spec whose games are replaced by what they are here. */
struct comparing {
    struct store *store;
    bool is_own; /* it is of this database */
    enum api_error error;
};

/* The id here of a match of theirs whose job was here already; 0: it is not here. */
static enum api_error find_match(struct store *store, int64_t theirs, int64_t *ret_own)
{
    static const char look[] = "SELECT job, place FROM their_match WHERE id = ?1";
    static const char find[] = "SELECT id FROM match WHERE job = ?1 ORDER BY id LIMIT 1 OFFSET ?2";
    int64_t job = 0, place = 0, own = 0;
    bool added = false;
    enum api_error error =
        sql_read(store, look, PUT(INT(theirs)), GET(TO_INT(&job), TO_INT(&place)));

    *ret_own = 0;
    if (error == API_OK)
        error = moved_find(store, "job", job, &own, &added);
    if (error == API_OK && !added)
        error = sql_read(store, find, PUT(INT(own), INT(place)), GET(TO_INT(ret_own)));
    return error == API_NOT_FOUND ? API_OK : error;
}

static enum api_error check_match(struct store *store, int64_t *match)
{
    static const char text[] = "SELECT 1 FROM match WHERE id = ?1";
    bool exists = false;
    enum api_error error = sql_exists(store, text, PUT(INT(*match)), &exists);

    *match = exists ? *match : 0;
    return error;
}

static bool replace_game(void *context, const struct strict_place *place, enum field_names names)
{
    struct comparing *comparing = context;
    char text[GAME_ID_MAX];
    struct game_id game;

    if (names != NAMES_GAME || !game_id_read(json_string_value(place->value), &game))
        return true;
    comparing->error = comparing->is_own ? check_match(comparing->store, &game.match)
                                         : find_match(comparing->store, game.match, &game.match);
    game_id_write(&game, text);
    if (comparing->error == API_OK && json_string_set(place->value, game.match ? text : "") != 0)
        comparing->error = API_NO_MEMORY;
    return comparing->error == API_OK;
}

/* A spec with its games as they are here. The document is the caller's. */
static enum api_error as_here(struct store *store, const struct job_kind *kind, const char *text,
                              bool is_own, json_t **ret_spec)
{
    struct strict_errors errors = {.count = 0};
    struct comparing comparing = {store, is_own, API_OK};
    json_t *spec = load_json_text(text);
    const struct strict_place place = strict_root(spec, &errors);

    if (!spec)
        return API_NO_MEMORY;
    fields_visit_names(kind->fields, &place, replace_game, &comparing);
    *ret_spec = spec;
    return comparing.error;
}

enum api_error transfer_names_equal(struct store *store, const char *kind, const char *theirs,
                                    const char *own, bool *ret_equal)
{
    const struct job_kind *row = job_kind_find(kind);
    json_t *specs[2] = {NULL, NULL};

    *ret_equal = strcmp(theirs, own) == 0;
    if (!row || !fields_name(row->fields, NAMES_GAME))
        return API_OK;
    enum api_error error = as_here(store, row, theirs, false, &specs[0]);
    if (error == API_OK)
        error = as_here(store, row, own, true, &specs[1]);
    *ret_equal = error == API_OK && json_equal(specs[0], specs[1]);
    json_decref(specs[0]);
    json_decref(specs[1]);
    return error;
}

/* ---- new names ---- */

struct following {
    struct store *store;
    int64_t job;
    bool is_changed;
    enum api_error error;
};

/* Gives a match that did not come an id that no other one will have. */
static enum api_error reserve(struct store *store, int64_t old, int64_t *ret_new)
{
    static const char make[] = "INSERT INTO sqlite_sequence (name, seq) SELECT 'match', 0"
                               " WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence"
                               "                    WHERE name = 'match')";
    static const char take[] = "UPDATE sqlite_sequence SET seq = max(seq + 1, ?1)"
                               " WHERE name = 'match' RETURNING seq";
    enum api_error error = sql_run(store, make, NULL);

    if (error == API_OK)
        error = sql_read(store, take, PUT(INT(old)), GET(TO_INT(ret_new)));
    return error == API_OK ? moved_note(store, "match", old, *ret_new, false) : error;
}

/* A result repeats what its spec names. */
static enum api_error follow_in_result(const struct following *following, const char *member,
                                       const char *old, const char *now)
{
    static const char text[] = "UPDATE job_output SET result = json_set(result, '$.' || ?2, ?4)"
                               " WHERE job = ?1 AND json_extract(result, '$.' || ?2) = ?3";
    return sql_run(following->store, text,
                   PUT(INT(following->job), TEXT(member), TEXT(old), TEXT(now)));
}

static bool follow_name(void *context, const struct strict_place *place, enum field_names names)
{
    struct following *following = context;
    char old[GAME_ID_MAX], now[GAME_ID_MAX];
    struct game_id game;
    int64_t match = 0;
    bool added;

    if (names != NAMES_GAME || !game_id_read(json_string_value(place->value), &game))
        return true;
    game_id_write(&game, old);
    following->error = moved_find(following->store, "match", game.match, &match, &added);
    if (following->error == API_NOT_FOUND)
        following->error = reserve(following->store, game.match, &match);
    if (following->error != API_OK || match == game.match)
        return following->error == API_OK;
    game.match = match;
    game_id_write(&game, now);
    following->is_changed = true;
    if (json_string_set(place->value, now) != 0)
        following->error = API_NO_MEMORY;
    else if (place->key)
        following->error = follow_in_result(following, place->key, old, now);
    return following->error == API_OK;
}

static enum api_error keep_spec(struct store *store, int64_t job, const char *old, json_t *spec)
{
    static const char runs[] = "UPDATE run SET spec = ?3 WHERE job = ?1 AND spec = ?2";
    static const char own[] = "UPDATE job SET spec = ?2 WHERE id = ?1";
    char *text = json_dumps(spec, JSON_COMPACT);

    if (!text)
        return API_NO_MEMORY;
    enum api_error error = sql_run(store, runs, PUT(INT(job), TEXT(old), TEXT(text)));
    if (error == API_OK)
        error = sql_run(store, own, PUT(INT(job), TEXT(text)));
    free(text);
    return error;
}

static enum api_error follow_job(struct store *store, int64_t job)
{
    static const char read[] = "SELECT kind, spec FROM job WHERE id = ?1";
    struct following following = {.store = store, .job = job, .error = API_OK};
    struct strict_errors errors = {.count = 0};
    char *kind = NULL, *text = NULL;
    enum api_error error =
        sql_read(store, read, PUT(INT(job)), GET(TO_COPY(&kind), TO_COPY(&text)));
    const struct job_kind *row = error == API_OK ? job_kind_find(kind) : NULL;
    json_t *spec = row ? load_json_text(text) : NULL;
    const struct strict_place place = strict_root(spec, &errors);

    if (row && !spec)
        error = API_NO_MEMORY;
    if (spec) {
        fields_visit_names(row->fields, &place, follow_name, &following);
        error = following.error;
    }
    if (error == API_OK && following.is_changed)
        error = keep_spec(store, job, text, spec);
    if (error == API_OK && spec)
        error = job_needs_note(store, job, kind, spec);
    json_decref(spec);
    free(kind);
    free(text);
    return error;
}

/* Jobs wait for none that is not there, or that has ended here meanwhile. */
static enum api_error settle_waits(struct store *store)
{
    static const char ended[] =
        "UPDATE job_after SET is_news = 1,"
        "   ended = (SELECT state FROM job WHERE job.id = after)"
        " WHERE ended IS NULL AND job IN (SELECT new FROM moved WHERE tbl = 'job' AND added = 1)"
        "   AND (SELECT state FROM job WHERE job.id = after) IN ('done', 'buried', 'cancelled')";
    static const char none[] =
        "UPDATE job SET waits = 0"
        " WHERE waits = 1 AND id IN (SELECT new FROM moved WHERE tbl = 'job' AND added = 1)"
        "   AND NOT EXISTS (SELECT 1 FROM job_after WHERE job_after.job = job.id"
        "                      AND (ended IS NULL OR is_news = 1))";
    enum api_error error = sql_run(store, ended, NULL);

    return error == API_OK ? sql_run(store, none, NULL) : error;
}

enum api_error transfer_names_follow(struct store *store)
{
    static const char next[] = "SELECT min(new) FROM moved WHERE tbl = 'job' AND added = 1"
                               "   AND new > ?1";
    int64_t job = 0;
    enum api_error error;

    /* The next one is asked for anew, as rows change meanwhile. */
    while ((error = sql_read(store, next, PUT(INT(job)), GET(TO_INT(&job)))) == API_OK && job != 0)
        if ((error = follow_job(store, job)) != API_OK)
            break;
    return error == API_OK ? settle_waits(store) : error;
}
