/* Rows of another database on their way in. See transfer.h. */
#include "api/base/utf8.h"
#include "api/jobs/job_kinds.h"
#include "service/store/sql.h"
#include "service/store/transfer.h"
#include "service/store/transfer_check.h"
#include "service/store/transfer_names.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Greater ids are none that readers of JSON can tell apart, and the greatest of all would leave no
 * room for new ones. */
#define ID_MOST ((1ll << 53) - 1)

enum { NAME_BYTES = 64 };

/* A column of a table as it is now. */
struct column {
    char name[NAME_BYTES],
        parent[NAME_BYTES]; /* parent: its table if it refers to an id, else "" */
    bool is_soft;           /* it may refer to a job that is deleted */
    bool is_of_parent;      /* a row of a parent that is there already is there, too */
    bool is_reference;      /* a foreign key that is no id */
    char type[16];          /* "INTEGER", "REAL", "TEXT" */
    bool is_known;          /* the rows have it: those of the first one */
};

struct table {
    const char *name;
    struct column *columns;
    size_t count;
    bool has_id;  /* "id" is its key: a number that may change */
    int64_t last; /* greatest id that was ever given */
    sqlite3_stmt *insert;
};

struct transfer {
    struct store *store;
    struct table *tables;
    size_t count;
};

/* Rows that were here before, each of which one row of the export may be. */
static const char make_own[] =
    "DROP TABLE IF EXISTS temp.own_job; CREATE TEMP TABLE own_job AS"
    " SELECT id, created_ms, 0 AS is_met FROM job; CREATE INDEX temp.own_job_at ON own_job"
    " (created_ms, id);"
    "DROP TABLE IF EXISTS temp.own_import; CREATE TEMP TABLE own_import AS"
    " SELECT id, spec ->> '$.file' AS file FROM job WHERE kind = 'import'"
    "    AND state NOT IN ('buried', 'cancelled'); CREATE INDEX temp.own_import_of ON own_import"
    " (file, id);"
    "DROP TABLE IF EXISTS temp.own_library; CREATE TEMP TABLE own_library AS"
    " SELECT id, created_ms, 0 AS is_met FROM library; CREATE INDEX temp.own_library_at"
    " ON own_library (created_ms, id);"
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
            column->is_of_parent = false;
            strcpy(column->parent, "job");
        }
}

static enum api_error read_columns(struct store *store, struct table *table)
{
    static const char text[] =
        "SELECT c.name, coalesce((SELECT f.\"table\" FROM pragma_foreign_key_list(?1) AS f"
        "   WHERE f.\"from\" = c.name AND f.\"to\" = 'id'), ''), c.pk, c.type,"
        "  EXISTS (SELECT 1 FROM pragma_foreign_key_list(?1) AS f"
        "           WHERE f.\"from\" = c.name AND f.on_delete <> 'SET NULL'),"
        "  EXISTS (SELECT 1 FROM pragma_foreign_key_list(?1) AS f WHERE f.\"from\" = c.name)"
        "  FROM pragma_table_info(?1) AS c ORDER BY c.cid";
    struct sql q = sql_start(store, text, PUT(TEXT(table->name)));

    while (sql_row(&q)) {
        struct column *more = realloc(table->columns, (table->count + 1) * sizeof *more);
        if (!more) {
            q.no_memory = true;
            break;
        }
        table->columns = more;
        struct column *column = &more[table->count++];
        *column = (struct column){.is_known = false};
        snprintf(column->name, sizeof column->name, "%s", sql_get_text(&q));
        snprintf(column->parent, sizeof column->parent, "%s", sql_get_text(&q));
        int64_t key = sql_get_int(&q);
        const char *type = sql_get_text(&q);
        snprintf(column->type, sizeof column->type, "%s", type ? type : "");
        if (key == 1 && type && strcmp(column->name, "id") == 0 && strcmp(type, "INTEGER") == 0)
            table->has_id = true;
        column->is_of_parent = sql_get_int(&q) != 0;
        column->is_reference = sql_get_int(&q) != 0 && !*column->parent;
        note_soft_reference(table, column);
    }
    return sql_end(&q);
}

static enum api_error read_table(struct store *store, struct table *table)
{
    static const char text[] = "SELECT seq FROM sqlite_sequence WHERE name = ?1";
    enum api_error error = read_columns(store, table);
    sqlite3_stmt *statement = NULL;

    if (error != API_OK || !table->has_id)
        return error;
    error = sql_read(store, text, PUT(TEXT(table->name)), GET(TO_INT(&table->last)));
    if (error != API_OK && error != API_NOT_FOUND)
        return error;
    char *greatest = sqlite3_mprintf("SELECT max(id) FROM \"%w\"", table->name);
    int result =
        greatest ? sqlite3_prepare_v2(store->db, greatest, -1, &statement, NULL) : SQLITE_NOMEM;
    if (result == SQLITE_OK)
        result = sqlite3_step(statement);
    if (result == SQLITE_ROW && sqlite3_column_int64(statement, 0) > table->last)
        table->last = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    sqlite3_free(greatest);
    return sql_error(result);
}

enum api_error transfer_in_begin(struct store *writer, struct transfer **ret_transfer)
{
    struct transfer *transfer = calloc(1, sizeof *transfer);

    if (!transfer)
        return API_NO_MEMORY;
    transfer->store = writer;
    while (transfer_tables[transfer->count])
        transfer->count++;
    transfer->tables = calloc(transfer->count, sizeof *transfer->tables);
    enum api_error error = transfer->tables ? moved_begin(writer) : API_NO_MEMORY;
    if (error == API_OK)
        error = sql_error(sqlite3_exec(writer->db, make_own, NULL, NULL, NULL));
    for (size_t k = 0; error == API_OK && k < transfer->count; k++) {
        transfer->tables[k].name = transfer_tables[k];
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
    for (size_t k = 0; transfer->tables && k < transfer->count; k++) {
        sqlite3_finalize(transfer->tables[k].insert);
        free(transfer->tables[k].columns);
    }
    free(transfer->tables);
    free(transfer);
}

enum api_error transfer_look(struct transfer *transfer, const char *table, const json_t *row)
{
    return strcmp(table, "match") == 0 ? transfer_names_look(transfer->store, row) : API_OK;
}

enum api_error transfer_finish(struct transfer *transfer)
{
    return transfer_names_follow(transfer->store);
}

/* ---- ids ---- */

static enum api_error note_moved(struct transfer *transfer, const char *table, int64_t old,
                                 int64_t now, bool added, char *ret_why)
{
    enum api_error error = moved_note(transfer->store, table, old, now, added);

    return error == API_EXISTS ? refuse(ret_why, "id %lld is there twice", (long long)old) : error;
}

int64_t transfer_new_job(const struct transfer *transfer, int64_t id)
{
    int64_t now;
    bool added;

    return moved_find(transfer->store, "job", id, &now, &added) == API_OK && added ? now : 0;
}

static const char *text_of(const json_t *row, const char *column)
{
    const char *text = json_string_value(json_object_get(row, column));

    return text ? text : "";
}

static int64_t whole_of(const json_t *row, const char *column)
{
    return json_integer_value(json_object_get(row, column));
}

/* Of equal jobs the first one of the other database is the first one here. */
static enum api_error find_job(struct store *store, const json_t *row, int64_t *ret_id)
{
    static const char text[] =
        "SELECT own_job.id, spec FROM own_job JOIN job USING (id) WHERE own_job.created_ms = ?1"
        "   AND is_met = 0 AND kind = ?2 ORDER BY own_job.id";
    static const char meet[] = "UPDATE own_job SET is_met = 1 WHERE id = ?1 AND created_ms = ?2";
    const int64_t created_ms = whole_of(row, "created_ms");
    enum api_error error = API_OK;
    bool is_same = false;
    struct sql q = sql_start(store, text, PUT(INT(created_ms), TEXT(text_of(row, "kind"))));

    while (error == API_OK && !is_same && sql_row(&q)) {
        *ret_id = sql_get_int(&q);
        error = transfer_names_equal(store, text_of(row, "kind"), text_of(row, "spec"),
                                     sql_get_text(&q), &is_same);
    }
    enum api_error ended = sql_end(&q);
    if (error != API_OK || ended != API_OK)
        return error != API_OK ? error : ended;
    return is_same ? sql_run(store, meet, PUT(INT(*ret_id), INT(created_ms))) : API_NOT_FOUND;
}

/* A file that was imported here already is the same game, whenever that was. */
static enum api_error find_import(struct store *store, const json_t *row, int64_t *ret_id)
{
    static const char text[] =
        "SELECT id FROM own_import WHERE file = ?1 ->> '$.file' ORDER BY id LIMIT 1";

    if (strcmp(text_of(row, "kind"), "import") != 0)
        return API_NOT_FOUND;
    return sql_read(store, text, PUT(TEXT(text_of(row, "spec"))), GET(TO_INT(ret_id)));
}

/* A shot of a review that is here. */
static enum api_error find_shot(struct store *store, const json_t *row, int64_t *ret_id)
{
    static const char text[] = "SELECT id FROM library WHERE review = ?1 AND number = ?2";
    int64_t review = 0;
    bool added = false;
    enum api_error error = moved_find(store, "job", whole_of(row, "review"), &review, &added);

    return error == API_OK ? sql_read(store, text, PUT(INT(review), INT(whole_of(row, "number"))),
                                      GET(TO_INT(ret_id)))
                           : error;
}

/* People may change its words here and there; it is the same position. */
static enum api_error find_position(struct store *store, const json_t *row, int64_t *ret_id)
{
    static const char text[] =
        "SELECT own_library.id FROM own_library JOIN library USING (id)"
        " WHERE own_library.created_ms = ?1 AND is_met = 0 AND profile = ?2 AND state = ?3"
        "   AND setting = ?4 AND library.owner = ?5 ORDER BY own_library.id LIMIT 1";
    static const char meet[] = "UPDATE own_library SET is_met = 1"
                               " WHERE id = ?1 AND created_ms = ?2";
    const int64_t created_ms = whole_of(row, "created_ms");
    enum api_error error = find_shot(store, row, ret_id);

    if (error != API_NOT_FOUND)
        return error;
    error =
        sql_read(store, text,
                 PUT(INT(created_ms), TEXT(text_of(row, "profile")), TEXT(text_of(row, "state")),
                     TEXT(text_of(row, "setting")), TEXT(text_of(row, "owner"))),
                 GET(TO_INT(ret_id)));
    return error == API_OK ? sql_run(store, meet, PUT(INT(*ret_id), INT(created_ms))) : error;
}

/* Finds the row that is there already: what it holds decides, not its number. Rows of other tables
 * come and stay with those to which they belong. API_NOT_FOUND: none. */
static enum api_error find_own(struct store *store, const char *table, const json_t *row,
                               int64_t *ret_id)
{
    static const char run[] = "SELECT id FROM run WHERE name = ?1";

    if (strcmp(table, "run") == 0)
        return sql_read(store, run, PUT(TEXT(text_of(row, "name"))), GET(TO_INT(ret_id)));
    if (strcmp(table, "library") == 0)
        return find_position(store, row, ret_id);
    if (strcmp(table, "job") != 0)
        return API_NOT_FOUND;
    enum api_error error = find_job(store, row, ret_id);
    return error == API_NOT_FOUND ? find_import(store, row, ret_id) : error;
}

/* ---- one row ---- */

/* Makes the INSERT for the columns that the rows of this export have. */
static enum api_error prepare(struct transfer *transfer, struct table *table, const json_t *row)
{
    sqlite3_str *names = sqlite3_str_new(transfer->store->db), *marks = sqlite3_str_new(NULL);
    const char *between = "";

    for (size_t k = 0; k < table->count; k++) {
        struct column *column = &table->columns[k];
        column->is_known = json_object_get(row, column->name) != NULL ||
                           (strcmp(table->name, "job") == 0 && strcmp(column->name, "due") == 0);
        if (!column->is_known)
            continue;
        sqlite3_str_appendf(names, "%s\"%w\"", between, column->name);
        sqlite3_str_appendf(marks, "%s?", between);
        between = ", ";
    }
    char *all = sqlite3_str_finish(names), *values = sqlite3_str_finish(marks);
    char *text =
        sqlite3_mprintf("INSERT INTO main.\"%w\" (%s) VALUES (%s)%s", table->name, all ? all : "",
                        values ? values : "", table->has_id ? "" : " ON CONFLICT DO NOTHING");
    int result = text ? sqlite3_prepare_v2(transfer->store->db, text, -1, &table->insert, NULL)
                      : SQLITE_NOMEM;
    sqlite3_free(all);
    sqlite3_free(values);
    sqlite3_free(text);
    return sql_error(result);
}

static int bind_value(sqlite3_stmt *insert, int at, const struct column *column,
                      const json_t *value)
{
    const char *text = json_string_value(value);

    if (strcmp(column->type, "REAL") == 0 && text && strcmp(text, "Infinity") == 0)
        return sqlite3_bind_double(insert, at, HUGE_VAL);
    if (strcmp(column->type, "REAL") == 0 && text && strcmp(text, "-Infinity") == 0)
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
    int64_t now;
    bool added;

    if (strcmp(table->name, "job") == 0 && strcmp(column->name, "due") == 0)
        value = json_integer(0);
    else if (strcmp(table->name, "job") == 0 && strcmp(column->name, "state") == 0 && text &&
             (strcmp(text, "ready") == 0 || strcmp(text, "leased") == 0))
        value = json_string(is_internal(row) ? "ready" : "paused");
    else if (*column->parent && json_is_integer(value)) {
        enum api_error error =
            moved_find(transfer->store, column->parent, json_integer_value(value), &now, &added);
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
        *ret_skip = *ret_skip || (!added && column->is_of_parent);
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
    for (size_t k = 0; k < table->count && error == API_OK; k++) {
        const struct column *column = &table->columns[k];
        json_t *value = NULL;
        if (!column->is_known)
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
        error = refuse(ret_why, "there is another %s of the name %.*s", table->name,
                       utf8_fit(name, 100), name);
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
        size_t k = 0;
        while (k < table->count && strcmp(table->columns[k].name, key) != 0)
            k++;
        if (k == table->count)
            return refuse(ret_why, "%.60s: there is no such column", key);
    }
    return API_OK;
}

/* SQLite does not say which reference leads nowhere. */
static enum api_error refuse_reference(const struct table *table, char *ret_why)
{
    char names[NAME_BYTES * 4] = "";
    size_t used = 0;

    for (size_t k = 0; k < table->count; k++)
        if (table->columns[k].is_reference && used < sizeof names)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "",
                                     table->columns[k].name);
    return refuse(ret_why, "%s: there is no such row", names);
}

/* Inserts the row whose values are bound. */
static enum api_error insert(struct transfer *transfer, struct table *table, bool *ret_added,
                             char *ret_why)
{
    int result = sqlite3_step(table->insert);

    *ret_added = result == SQLITE_DONE && sqlite3_changes(transfer->store->db) > 0;
    if (result == SQLITE_DONE)
        return API_OK;
    if (sqlite3_extended_errcode(transfer->store->db) == SQLITE_CONSTRAINT_FOREIGNKEY)
        return refuse_reference(table, ret_why);
    enum api_error error = sql_error(result);
    if (result != SQLITE_MISMATCH && (error == API_STORAGE || error == API_NO_MEMORY))
        return error;
    return refuse(ret_why, "%s", sqlite3_errmsg(transfer->store->db));
}

/* Gives a row with an id its new one; *ret_skip: it is there already. */
static enum api_error settle_id(struct transfer *transfer, struct table *table, const json_t *row,
                                int64_t old, int64_t *ret_id, bool *ret_skip, char *ret_why)
{
    enum api_error error = find_own(transfer->store, table->name, row, ret_id);

    if (error == API_OK) {
        *ret_skip = true;
        return note_moved(transfer, table->name, old, *ret_id, false, ret_why);
    }
    *ret_id = old > table->last ? old : table->last + 1;
    return error == API_NOT_FOUND ? API_OK : error;
}

/* What becomes of a job whose predecessor fails must be known when it does. */
static enum api_error check_after(struct transfer *transfer, const json_t *row, char *ret_why)
{
    static const char text[] = "SELECT 1 FROM job JOIN moved ON new = id"
                               " WHERE tbl = 'job' AND old = ?1 AND after_failure IS NULL";
    bool is_after_none = false;
    enum api_error error =
        sql_exists(transfer->store, text, PUT(INT(whole_of(row, "job"))), &is_after_none);

    return error == API_OK && is_after_none
               ? refuse(ret_why, "job: after_failure of job %lld is null",
                        (long long)whole_of(row, "job"))
               : error;
}

static enum api_error add_row(struct transfer *transfer, struct table *table, const json_t *row,
                              bool *ret_added, char *ret_why)
{
    const int64_t old = json_integer_value(json_object_get(row, "id"));
    int64_t id = 0;
    bool skips = false;
    enum api_error error = check_same(transfer, table, row, ret_why);

    if (error == API_OK && strcmp(table->name, "job_after") == 0)
        error = check_after(transfer, row, ret_why);
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
    for (size_t k = 0; error == API_OK && k < table->count; k++)
        if (!table->has_id || strcmp(table->columns[k].name, "id") != 0)
            error = transfer_check(name, table->columns[k].name, table->columns[k].type,
                                   json_object_get(row, table->columns[k].name), ret_why);
    if (error == API_OK)
        error = transfer_check_row(name, row, ret_why);
    if (error == API_OK && !table->insert)
        error = prepare(transfer, table, row);
    return error == API_OK ? add_row(transfer, table, row, ret_added, ret_why) : error;
}
