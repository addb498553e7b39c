/* Rows of all tables as JSON objects, on their way out. See transfer.h; transfer_in.c takes them
 * in. */
#include "service/store/transfer.h"

#include "service/store/generation.h"
#include "service/store/sql.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const transfer_tables[] = {
    "job",   "job_output", "job_event", "job_weights",    "job_after", "task",        "task_try",
    "run",   "curve",      "point",     "checkpoint",     "model",     "model_alias", "player",
    "match", "ladder",     "rating",    "exploitability", "library",   NULL};

const char *const transfer_left_out[] = {"answer", "generation", "webhook",  "delivery", "caller",
                                         "node",   "task_check", "job_need", NULL};

/* Leases are of the service that gave them. */
#define IS_SHOWN " NOT (?1 = 'job' AND name IN ('lease_token', 'lease_until_ms', 'wanted', 'due'))"

/* ---- opening ---- */

enum api_error transfer_open_copy(const char *path, struct store **ret_store, char *ret_error)
{
    static const char known[] = "SELECT user_version FROM pragma_user_version"
                                " WHERE EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'job')";
    struct store *store = calloc(1, sizeof *store);
    int64_t version;

    if (!store) {
        snprintf(ret_error, STORE_ERROR_MAX, "out of memory");
        return API_NO_MEMORY;
    }
    store->lock = -1;
    store->db = generation_open_alone(path);
    enum api_error error =
        store->db ? sql_read(store, known, NULL, GET(TO_INT(&version))) : API_STORAGE;
    if (error != API_OK || version > store_schema_newest()) {
        snprintf(ret_error, STORE_ERROR_MAX, "%.400s: %s", path,
                 error == API_OK ? "it was written by a newer rinkd"
                                 : "it is not a database of rinkd");
        store_close(store);
        return error == API_OK ? API_STATE : error;
    }
    *ret_store = store;
    return API_OK;
}

enum api_error transfer_begin(struct store *reader)
{
    return sql_error(sqlite3_exec(reader->db, "BEGIN", NULL, NULL, NULL));
}

void transfer_end(struct store *reader)
{
    sqlite3_exec(reader->db, "COMMIT", NULL, NULL, NULL);
}

/* ---- out ---- */

enum api_error transfer_columns(struct store *reader, const char *table, json_t **ret_columns)
{
    static const char text[] =
        "SELECT name, CASE type WHEN 'INTEGER' THEN 'integer' WHEN 'REAL' THEN 'number'"
        "       ELSE 'text' END AS type,"
        "       json(iif(\"notnull\" = 0 AND pk = 0, 'true', 'false')) AS \"null\""
        "  FROM pragma_table_info(?1) WHERE" IS_SHOWN " ORDER BY cid";
    return sql_read_list(reader, text, PUT(TEXT(table)), "ssj", ret_columns);
}

/* Writes the SELECT of all columns in the order of the primary key; malloc'ed, NULL: no such
 * table. */
static enum api_error select_text(struct store *reader, const char *table, char **ret_text)
{
    static const char text[] =
        "SELECT 'SELECT ' || (SELECT group_concat('\"' || name || '\"') FROM"
        "    (SELECT name FROM pragma_table_info(?1) WHERE" IS_SHOWN " ORDER BY cid))"
        " || ' FROM \"' || ?1 || '\" ORDER BY ' || group_concat('\"' || name || '\"')"
        "  FROM (SELECT name FROM pragma_table_info(?1) WHERE pk > 0 ORDER BY pk)";
    return sql_read(reader, text, PUT(TEXT(table)), GET(TO_COPY(ret_text)));
}

static json_t *real_json(double value)
{
    return isfinite(value) ? json_real(value) : json_string(value > 0.0 ? "Infinity" : "-Infinity");
}

static json_t *column_json(sqlite3_stmt *statement, int column)
{
    switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER:
        return json_integer(sqlite3_column_int64(statement, column));
    case SQLITE_FLOAT:
        return real_json(sqlite3_column_double(statement, column));
    case SQLITE_NULL:
        return json_null();
    default:
        return json_string((const char *)sqlite3_column_text(statement, column));
    }
}

static json_t *row_json(sqlite3_stmt *statement)
{
    json_t *row = json_object();
    int count = sqlite3_column_count(statement);

    for (int k = 0; k < count; k++)
        if (json_object_set_new(row, sqlite3_column_name(statement, k),
                                column_json(statement, k)) != 0) {
            json_decref(row);
            return NULL;
        }
    return row;
}

enum api_error transfer_read(struct store *reader, const char *table,
                             enum api_error (*visit)(void *context, const json_t *row),
                             void *context)
{
    char *text = NULL;
    sqlite3_stmt *statement = NULL;
    enum api_error error = select_text(reader, table, &text);

    if (error != API_OK || !text)
        return error;
    int result = sqlite3_prepare_v2(reader->db, text, -1, &statement, NULL);
    free(text);
    while (result == SQLITE_OK || result == SQLITE_ROW) {
        result = sqlite3_step(statement);
        if (result != SQLITE_ROW)
            break;
        json_t *row = row_json(statement);
        error = row ? visit(context, row) : API_NO_MEMORY;
        json_decref(row);
        if (error != API_OK)
            break;
    }
    sqlite3_finalize(statement);
    return error != API_OK ? error : sql_error(result);
}
