/* Rows of another database on their way in. See transfer.h. */
#include "api/jobs/job_kinds.h"
#include "service/store/sql.h"
#include "service/store/transfer.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Greater ids are none that readers of JSON can tell apart, and the greatest of all would leave no
 * room for new ones. */
#define ID_MOST ((1ll << 53) - 1)

enum { COLUMNS_MAX = 40, NAME_BYTES = 64, STATEMENT_BYTES = 2048, TABLES_MAX = 24 };

/* A column of a table as it is now. */
struct column {
    char name[NAME_BYTES],
        parent[NAME_BYTES]; /* parent: its table if it refers to an id, else "" */
    bool is_soft;           /* it may refer to a job that is deleted */
    bool is_real;
};

struct table {
    const char *name;
    struct column columns[COLUMNS_MAX];
    int count;
    bool has_id;  /* "id" is its key: a number that may change */
    int64_t last; /* greatest id that was ever given */
    sqlite3_stmt *insert;
    bool is_known[COLUMNS_MAX]; /* columns that the rows have: those of the first one */
    int given;
};

struct transfer {
    struct store *store;
    struct table tables[TABLES_MAX];
    int count;
};

/* Ids of the other database, and what they are here. */
static const char make_maps[] =
    "CREATE TEMP TABLE IF NOT EXISTS moved (tbl TEXT, old INTEGER, new INTEGER, added INTEGER,"
    " PRIMARY KEY (tbl, old)) WITHOUT ROWID; DELETE FROM moved;"
    "DROP TABLE IF EXISTS temp.own_job; CREATE TEMP TABLE own_job AS"
    " SELECT id, created_ms, 0 AS is_met FROM job; CREATE INDEX temp.own_job_at ON own_job"
    " (created_ms, id);"
    "DROP TABLE IF EXISTS temp.own_ladder; CREATE TEMP TABLE own_ladder AS"
    " SELECT profile, ends, extra_ends FROM ladder";

static enum api_error refuse(char ret_why[TRANSFER_WHY_MAX], const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static enum api_error refuse(char ret_why[TRANSFER_WHY_MAX], const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(ret_why, TRANSFER_WHY_MAX, format, arguments);
    va_end(arguments);
    return API_BAD_FIELD;
}

/* ---- the tables as they are ---- */

/* References that are none for the database, as the job may be deleted before. */
static void note_soft_reference(const struct table *table, struct column *column)
{
    static const char *const soft[][2] = {{"job", "repeat_of"}, {"job_after", "after"}};

    for (size_t k = 0; k < sizeof soft / sizeof *soft; k++)
        if (strcmp(soft[k][0], table->name) == 0 && strcmp(soft[k][1], column->name) == 0) {
            column->is_soft = true;
            strcpy(column->parent, "job");
        }
}

static enum api_error read_columns(struct store *store, struct table *table)
{
    static const char text[] =
        "SELECT c.name, coalesce((SELECT f.\"table\" FROM pragma_foreign_key_list(?1) AS f"
        "   WHERE f.\"from\" = c.name AND f.\"to\" = 'id'), ''), c.pk, c.type"
        "  FROM pragma_table_info(?1) AS c ORDER BY c.cid";
    struct sql q = sql_start(store, text, PUT(TEXT(table->name)));

    while (sql_row(&q) && table->count < COLUMNS_MAX) {
        struct column *column = &table->columns[table->count++];
        snprintf(column->name, sizeof column->name, "%s", sql_get_text(&q));
        snprintf(column->parent, sizeof column->parent, "%s", sql_get_text(&q));
        note_soft_reference(table, column);
        int64_t key = sql_get_int(&q);
        const char *type = sql_get_text(&q);
        column->is_real = type && strcmp(type, "REAL") == 0;
        if (key == 1 && type && strcmp(column->name, "id") == 0 && strcmp(type, "INTEGER") == 0)
            table->has_id = true;
    }
    return sql_end(&q);
}

/* Runs a statement that is made here, with one number as its result. */
static enum api_error read_number(struct store *store, const char *text, int64_t *ret_number)
{
    sqlite3_stmt *statement = NULL;
    int result = sqlite3_prepare_v2(store->db, text, -1, &statement, NULL);

    if (result == SQLITE_OK)
        result = sqlite3_step(statement);
    if (result == SQLITE_ROW)
        *ret_number = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return sql_error(result);
}

static enum api_error read_table(struct store *store, struct table *table)
{
    char text[STATEMENT_BYTES];
    enum api_error error = read_columns(store, table);

    if (error != API_OK || !table->has_id)
        return error;
    snprintf(text, sizeof text,
             "SELECT max(coalesce((SELECT max(id) FROM \"%s\"), 0),"
             " coalesce((SELECT seq FROM sqlite_sequence WHERE name = '%s'), 0))",
             table->name, table->name);
    return read_number(store, text, &table->last);
}

enum api_error transfer_in_begin(struct store *writer, struct transfer **ret_transfer)
{
    struct transfer *transfer = calloc(1, sizeof *transfer);

    if (!transfer)
        return API_NO_MEMORY;
    transfer->store = writer;
    enum api_error error = sql_error(sqlite3_exec(writer->db, make_maps, NULL, NULL, NULL));
    for (int k = 0; error == API_OK && transfer_tables[k]; k++) {
        assert(k < TABLES_MAX);
        transfer->tables[k].name = transfer_tables[k];
        transfer->count = k + 1;
        error = read_table(writer, &transfer->tables[k]);
    }
    if (error == API_OK)
        *ret_transfer = transfer;
    else
        transfer_in_end(transfer);
    return error;
}

void transfer_in_end(struct transfer *transfer)
{
    if (!transfer)
        return;
    for (int k = 0; k < transfer->count; k++)
        sqlite3_finalize(transfer->tables[k].insert);
    free(transfer);
}

/* ---- ids ---- */

static enum api_error note_moved(struct transfer *transfer, const char *table, int64_t old,
                                 int64_t now, bool added, char *ret_why)
{
    static const char text[] = "INSERT INTO moved (tbl, old, new, added) VALUES (?1, ?2, ?3, ?4)";
    enum api_error error =
        sql_run(transfer->store, text, PUT(TEXT(table), INT(old), INT(now), INT(added)));

    return error == API_EXISTS ? refuse(ret_why, "id %lld is there twice", (long long)old) : error;
}

static enum api_error find_moved(const struct transfer *transfer, const char *table, int64_t old,
                                 int64_t *ret_new, int64_t *ret_added)
{
    static const char text[] = "SELECT new, added FROM moved WHERE tbl = ?1 AND old = ?2";
    return sql_read(transfer->store, text, PUT(TEXT(table), INT(old)),
                    GET(TO_INT(ret_new), TO_INT(ret_added)));
}

int64_t transfer_new_job(const struct transfer *transfer, int64_t id)
{
    int64_t now, added;

    return find_moved(transfer, "job", id, &now, &added) == API_OK && added ? now : 0;
}

/* Finds the row that is there already. Of equal jobs the first one of the other database is the
 * first one here. API_NOT_FOUND: none. */
static enum api_error find_own(struct transfer *transfer, const struct table *table,
                               const json_t *row, int64_t *ret_id)
{
    static const char job[] =
        "SELECT own_job.id FROM own_job JOIN job USING (id) WHERE own_job.created_ms = ?1"
        "   AND is_met = 0 AND kind = ?2 AND spec = ?3 ORDER BY own_job.id LIMIT 1";
    static const char meet[] = "UPDATE own_job SET is_met = 1 WHERE id = ?1 AND created_ms = ?2";
    static const char run[] = "SELECT id FROM run WHERE name = ?1";
    const int64_t created_ms = json_integer_value(json_object_get(row, "created_ms"));

    if (strcmp(table->name, "run") == 0)
        return sql_read(transfer->store, run,
                        PUT(TEXT(json_string_value(json_object_get(row, "name")))),
                        GET(TO_INT(ret_id)));
    if (strcmp(table->name, "job") != 0)
        return API_NOT_FOUND;
    enum api_error error =
        sql_read(transfer->store, job,
                 PUT(INT(created_ms), TEXT(json_string_value(json_object_get(row, "kind"))),
                     TEXT(json_string_value(json_object_get(row, "spec")))),
                 GET(TO_INT(ret_id)));
    return error == API_OK ? sql_run(transfer->store, meet, PUT(INT(*ret_id), INT(created_ms)))
                           : error;
}

/* ---- one row ---- */

/* Makes the INSERT for the columns that the rows of this export have. */
static enum api_error prepare(struct transfer *transfer, struct table *table, const json_t *row)
{
    char names[STATEMENT_BYTES / 2] = "", marks[STATEMENT_BYTES / 4] = "", text[STATEMENT_BYTES];

    for (int k = 0; k < table->count; k++) {
        table->is_known[k] =
            json_object_get(row, table->columns[k].name) != NULL ||
            (strcmp(table->name, "job") == 0 && strcmp(table->columns[k].name, "due") == 0);
        if (!table->is_known[k])
            continue;
        size_t used = strlen(names), mark = strlen(marks);
        snprintf(names + used, sizeof names - used, "%s\"%s\"", used ? ", " : "",
                 table->columns[k].name);
        snprintf(marks + mark, sizeof marks - mark, "%s?", mark ? ", " : "");
        table->given++;
    }
    snprintf(text, sizeof text, "INSERT INTO main.\"%s\" (%s) VALUES (%s)%s", table->name, names,
             marks, table->has_id ? "" : " ON CONFLICT DO NOTHING");
    return sql_error(sqlite3_prepare_v2(transfer->store->db, text, -1, &table->insert, NULL));
}

static int bind_value(sqlite3_stmt *insert, int at, const struct column *column,
                      const json_t *value)
{
    const char *text = json_string_value(value);

    if (column->is_real && text && strcmp(text, "Infinity") == 0)
        return sqlite3_bind_double(insert, at, HUGE_VAL);
    if (column->is_real && text && strcmp(text, "-Infinity") == 0)
        return sqlite3_bind_double(insert, at, -HUGE_VAL);
    switch (json_typeof(value)) {
    case JSON_INTEGER:
        return sqlite3_bind_int64(insert, at, json_integer_value(value));
    case JSON_REAL:
        return sqlite3_bind_double(insert, at, json_real_value(value));
    case JSON_NULL:
        return sqlite3_bind_null(insert, at);
    case JSON_STRING:
        return sqlite3_bind_text(insert, at, text, -1, SQLITE_TRANSIENT);
    default:
        return SQLITE_MISMATCH;
    }
}

/* What follows from results may be computed twice. */
static bool is_internal(const json_t *row)
{
    return job_kind_is_internal(json_string_value(json_object_get(row, "kind")));
}

/* The value of a column: ids as they are here, a job that had not ended paused. *ret_skip: what it
 * belongs to was there already. The value is the caller's. */
static enum api_error value_of(struct transfer *transfer, const struct table *table,
                               const struct column *column, const json_t *row, json_t **ret_value,
                               bool *ret_skip, char *ret_why)
{
    json_t *value = json_object_get(row, column->name);
    const char *text = json_string_value(value);
    int64_t now, added;

    if (strcmp(table->name, "job") == 0 && strcmp(column->name, "due") == 0)
        value = json_integer(0);
    else if (strcmp(table->name, "job") == 0 && strcmp(column->name, "state") == 0 && text &&
             (strcmp(text, "ready") == 0 || strcmp(text, "leased") == 0))
        value = json_string(is_internal(row) ? "ready" : "paused");
    else if (*column->parent && json_is_integer(value)) {
        enum api_error error =
            find_moved(transfer, column->parent, json_integer_value(value), &now, &added);
        if (error == API_NOT_FOUND && column->is_soft) {
            *ret_skip = *ret_skip || strcmp(table->name, "job_after") == 0;
            *ret_value = json_null();
            return API_OK;
        }
        if (error == API_NOT_FOUND)
            return refuse(ret_why, "%s: there is no %s %lld", column->name, column->parent,
                          (long long)json_integer_value(value));
        if (error != API_OK)
            return error;
        *ret_skip = *ret_skip || (!added && !column->is_soft);
        value = json_integer(now);
    } else {
        json_incref(value);
    }
    *ret_value = value;
    return value ? API_OK : API_NO_MEMORY;
}

/* Binds a value that value_of() made. */
static enum api_error fill(struct transfer *transfer, struct table *table, const json_t *row,
                           int64_t id, bool *ret_skip, char *ret_why)
{
    enum api_error error = API_OK;
    int at = 0;

    sqlite3_reset(table->insert);
    for (int k = 0; k < table->count && error == API_OK; k++) {
        const struct column *column = &table->columns[k];
        json_t *value = NULL;
        if (!table->is_known[k])
            continue;
        at++;
        if (table->has_id && strcmp(column->name, "id") == 0) {
            sqlite3_bind_int64(table->insert, at, id);
            continue;
        }
        if (!json_object_get(row, column->name) && strcmp(column->name, "due") != 0)
            return refuse(ret_why, "%s is missing", column->name);
        error = value_of(transfer, table, column, row, &value, ret_skip, ret_why);
        if (error == API_OK && bind_value(table->insert, at, column, value) != SQLITE_OK)
            error = refuse(ret_why, "%s is of the wrong type", column->name);
        json_decref(value);
    }
    return error;
}

/* Weights or a spec under a name that means another thing here would change what is played. */
static enum api_error check_same(struct transfer *transfer, const struct table *table,
                                 const json_t *row, char *ret_why)
{
    static const char model[] = "SELECT sha256 FROM model WHERE name = ?1";
    static const char player[] = "SELECT spec FROM player WHERE name = ?1";
    bool is_model = strcmp(table->name, "model") == 0;
    const char *name = json_string_value(json_object_get(row, "name"));
    const char *given = json_string_value(json_object_get(row, is_model ? "sha256" : "spec"));
    char *own = NULL;

    if (!is_model && strcmp(table->name, "player") != 0)
        return API_OK;
    enum api_error error =
        sql_read(transfer->store, is_model ? model : player, PUT(TEXT(name)), GET(TO_COPY(&own)));
    if (error == API_OK && own && given && strcmp(own, given) != 0)
        error = refuse(ret_why, "there is another %s of the name %.100s", table->name, name);
    free(own);
    return error == API_NOT_FOUND ? API_OK : error;
}

/* A ladder that was there already keeps its ratings. */
static enum api_error is_of_own_ladder(struct transfer *transfer, const struct table *table,
                                       const json_t *row, bool *ret_is)
{
    static const char text[] = "SELECT 1 FROM own_ladder WHERE profile = ?1 AND ends = ?2"
                               "   AND extra_ends = ?3";
    *ret_is = false;
    if (strcmp(table->name, "rating") != 0)
        return API_OK;
    return sql_exists(transfer->store, text,
                      PUT(TEXT(json_string_value(json_object_get(row, "profile"))),
                          INT(json_integer_value(json_object_get(row, "ends"))),
                          INT(json_integer_value(json_object_get(row, "extra_ends")))),
                      ret_is);
}

static enum api_error check_names(const struct table *table, const json_t *row, char *ret_why)
{
    const char *key;
    json_t *value;

    json_object_foreach((json_t *)(size_t)row, key, value)
    {
        int k = 0;
        while (k < table->count && strcmp(table->columns[k].name, key) != 0)
            k++;
        if (k == table->count)
            return refuse(ret_why, "%.60s: there is no such column", key);
    }
    return API_OK;
}

/* Inserts the row whose values are bound. */
static enum api_error insert(struct transfer *transfer, struct table *table, bool *ret_added,
                             char *ret_why)
{
    int result = sqlite3_step(table->insert);

    *ret_added = result == SQLITE_DONE && sqlite3_changes(transfer->store->db) > 0;
    if (result == SQLITE_DONE)
        return API_OK;
    enum api_error error = sql_error(result);
    if (result != SQLITE_MISMATCH && (error == API_STORAGE || error == API_NO_MEMORY))
        return error;
    return refuse(ret_why, "%s", sqlite3_errmsg(transfer->store->db));
}

/* Gives a row with an id its new one; *ret_skip: it is there already. */
static enum api_error settle_id(struct transfer *transfer, struct table *table, const json_t *row,
                                int64_t old, int64_t *ret_id, bool *ret_skip, char *ret_why)
{
    enum api_error error = find_own(transfer, table, row, ret_id);

    if (error == API_OK) {
        *ret_skip = true;
        return note_moved(transfer, table->name, old, *ret_id, false, ret_why);
    }
    *ret_id = old > table->last ? old : table->last + 1;
    return error == API_NOT_FOUND ? API_OK : error;
}

static enum api_error add_row(struct transfer *transfer, struct table *table, const json_t *row,
                              bool *ret_added, char *ret_why)
{
    const int64_t old = json_integer_value(json_object_get(row, "id"));
    int64_t id = 0;
    bool skips = false;
    enum api_error error = check_same(transfer, table, row, ret_why);

    if (error == API_OK && table->has_id && (old < 1 || old > ID_MOST))
        return refuse(ret_why, "id must be a whole number from 1 to %lld", ID_MOST);
    if (error == API_OK && table->has_id)
        error = settle_id(transfer, table, row, old, &id, &skips, ret_why);
    else if (error == API_OK)
        error = is_of_own_ladder(transfer, table, row, &skips);
    if (error != API_OK || skips)
        return error;
    error = fill(transfer, table, row, id, &skips, ret_why);
    if (error == API_OK && !skips)
        error = insert(transfer, table, ret_added, ret_why);
    if (error == API_OK && table->has_id) {
        error = note_moved(transfer, table->name, old, id, !skips, ret_why);
        table->last = skips ? table->last : id;
    }
    return error;
}

enum api_error transfer_add(struct transfer *transfer, const char *name, const json_t *row,
                            bool *ret_added, char ret_why[TRANSFER_WHY_MAX])
{
    struct table *table = transfer->tables;

    *ret_added = false;
    while (strcmp(table->name, name) != 0)
        table++;
    if (!json_is_object(row))
        return refuse(ret_why, "it is no JSON object");
    enum api_error error = check_names(table, row, ret_why);
    if (error == API_OK && !table->insert)
        error = prepare(transfer, table, row);
    return error == API_OK ? add_row(transfer, table, row, ret_added, ret_why) : error;
}
