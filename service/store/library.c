/* The library of positions. */
#include "service/store/library.h"

#include "service/store/sql.h"

enum api_error library_store_add(struct store *store, const struct library_new *position,
                                 int64_t now_ms, int64_t *ret_id)
{
    static const char known[] = "SELECT 1 FROM library WHERE review = ?1 AND number = ?2";
    static const char text[] =
        "INSERT INTO library (title, note, tags, is_puzzle, profile, state, setting, best, cost,"
        "                     review, number, owner, created_ms)"
        " SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, nullif(?10, 0), iif(?10, ?11, NULL), ?12, ?13"
        "  WHERE (SELECT count(*) FROM library) < ?14"
        " RETURNING id";
    bool is_there = false;
    enum api_error error = API_OK;

    if (position->review != 0)
        error =
            sql_exists(store, known, PUT(INT(position->review), INT(position->number)), &is_there);
    if (error != API_OK || is_there)
        return error != API_OK ? error : API_EXISTS;
    error = sql_read(store, text,
                     PUT(TEXT(position->title), TEXT(position->note), TEXT(position->tags),
                         INT(position->is_puzzle), TEXT(position->profile), TEXT(position->state),
                         TEXT(position->setting), TEXT(position->best), REAL(position->cost),
                         INT(position->review), INT(position->number), TEXT(position->owner),
                         INT(now_ms), INT(LIBRARY_MAX)),
                     GET(TO_INT(ret_id)));
    return error == API_NOT_FOUND ? API_STATE : error;
}

#define LIBRARY_COLUMNS                                                                 \
    "id, title, note, tags, iif(is_puzzle, 'true', 'false') AS puzzle, profile, state," \
    " setting, best, cost, review, number, nullif(owner, '') AS owner,"                 \
    " created_ms AS created_at FROM library"
#define LIBRARY_TYPES "issjjsjjjriist"

enum api_error library_store_get(struct store *store, int64_t id, json_t **ret_position)
{
    static const char text[] = "SELECT " LIBRARY_COLUMNS " WHERE id = ?1";
    return sql_read_object(store, text, PUT(INT(id)), LIBRARY_TYPES, ret_position);
}

enum api_error library_store_list(struct store *store, const struct library_filter *filter,
                                  struct store_page *page)
{
    static const char text[] =
        "SELECT id, " LIBRARY_COLUMNS " WHERE id < ?1"
        "   AND (?3 IS NULL OR EXISTS (SELECT 1 FROM json_each(tags) WHERE value = ?3))"
        "   AND (?4 = 0 OR review = ?4) AND is_puzzle >= ?5"
        "   AND (?6 IS NULL OR owner = ?6)"
        " ORDER BY id DESC LIMIT ?2";
    return sql_read_page(
        store, text,
        PUT(TEXT(filter->tag), INT(filter->review), INT(filter->puzzles), TEXT(filter->owner)),
        false, LIBRARY_TYPES, page);
}

enum api_error library_store_change(struct store *store, int64_t id, const char *title,
                                    const char *note, const char *tags, int puzzle)
{
    static const char text[] =
        "UPDATE library SET title = coalesce(?2, title), note = coalesce(?3, note),"
        "   tags = coalesce(?4, tags), is_puzzle = iif(?5 < 0, is_puzzle, ?5) WHERE id = ?1";
    return sql_change(store, text, PUT(INT(id), TEXT(title), TEXT(note), TEXT(tags), INT(puzzle)),
                      API_NOT_FOUND);
}

enum api_error library_store_owner(struct store *store, int64_t id, char ret_owner[JOB_OWNER_MAX])
{
    static const char text[] = "SELECT owner FROM library WHERE id = ?1";
    return sql_read(store, text, PUT(INT(id)), GET(TO_TEXT(JOB_OWNER_MAX, ret_owner)));
}

enum api_error library_store_delete(struct store *store, int64_t id)
{
    static const char text[] = "DELETE FROM library WHERE id = ?1";
    return sql_change(store, text, PUT(INT(id)), API_NOT_FOUND);
}
