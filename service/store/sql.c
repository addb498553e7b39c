/* Statements of SQLite, their values and pages. */
#include "service/store/sql.h"

#include "api/base/build_json.h"
#include "api/base/load_json.h"
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum api_error sql_error(int result)
{
    switch (result) {
    case SQLITE_OK:
    case SQLITE_ROW:
    case SQLITE_DONE:
        return API_OK;
    case SQLITE_CONSTRAINT_UNIQUE:
    case SQLITE_CONSTRAINT_PRIMARYKEY:
        return API_EXISTS;
    case SQLITE_CONSTRAINT_FOREIGNKEY:
        return API_NOT_FOUND;
    case SQLITE_CONSTRAINT_CHECK:
    case SQLITE_CONSTRAINT_NOTNULL:
    case SQLITE_CONSTRAINT_DATATYPE:
        return API_BAD_FIELD;
    default:
        break;
    }
    switch (result & 0xff) {
    case SQLITE_NOMEM:
        return API_NO_MEMORY;
    case SQLITE_TOOBIG:
        return API_TOO_LARGE;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return API_BUSY;
    case SQLITE_ERROR:
    case SQLITE_MISUSE:
    case SQLITE_RANGE:
        return API_INTERNAL;
    default: /* full, broken, not readable … */
        return API_STORAGE;
    }
}

/* Finds the statement of a text; prepares it at first use. */
static int find_statement(struct store *store, const char *text, sqlite3_stmt **ret_statement)
{
    size_t at = ((uintptr_t)text >> 4) % SQL_STATEMENTS;

    for (int k = 0; k < SQL_STATEMENTS; k++, at = (at + 1) % SQL_STATEMENTS) {
        if (store->kept[at].text == text) {
            *ret_statement = store->kept[at].statement;
            return SQLITE_OK;
        }
        if (!store->kept[at].text) {
            sqlite3_stmt *statement;
            int result = sqlite3_prepare_v3(store->db, text, -1, SQLITE_PREPARE_PERSISTENT,
                                            &statement, NULL);
            if (result == SQLITE_OK) {
                store->kept[at].text = text;
                store->kept[at].statement = statement;
                *ret_statement = statement;
            }
            return result;
        }
    }
    return SQLITE_MISUSE; /* more texts than places */
}

/* Binds the values to the parameters after `count`; returns the number of the last. */
static int bind(struct sql *q, int count, const struct sql_value *values)
{
    for (; values && values->type != 0 && q->result == SQLITE_OK; values++) {
        count++;
        switch (values->type) {
        case SQLITE_INTEGER:
            q->result = sqlite3_bind_int64(q->statement, count, values->whole);
            break;
        case SQLITE_FLOAT:
            q->result = sqlite3_bind_double(q->statement, count, values->real);
            break;
        default:
            q->result = sqlite3_bind_text(q->statement, count, values->text, -1, SQLITE_STATIC);
            break;
        }
    }
    assert(q->result != SQLITE_OK || count <= sqlite3_bind_parameter_count(q->statement));
    return count;
}

static struct sql prepare(struct store *store, const char *text)
{
    struct sql q = {.store = store};

    q.result = find_statement(store, text, &q.statement);
    /* SQLite ends a transaction by itself after some failures. A later write would then commit
     * alone. */
    if (q.result == SQLITE_OK && !sqlite3_stmt_readonly(q.statement) &&
        sqlite3_get_autocommit(store->db))
        q.result = store->ended == API_NO_MEMORY ? SQLITE_NOMEM
                   : store->ended != API_OK      ? SQLITE_IOERR
                                                 : SQLITE_MISUSE;
    return q;
}

struct sql sql_start(struct store *store, const char *text, const struct sql_value *values)
{
    struct sql q = prepare(store, text);
    int count = bind(&q, 0, values);

    assert(q.result != SQLITE_OK || count == sqlite3_bind_parameter_count(q.statement));
    (void)count;
    return q;
}

bool sql_row(struct sql *q)
{
    if (q->no_memory || (q->result != SQLITE_OK && q->result != SQLITE_ROW))
        return false;
    q->column = 0;
    q->result = sqlite3_step(q->statement);
    return q->result == SQLITE_ROW;
}

enum api_error sql_end(struct sql *q)
{
    /* A writing statement with RETURNING takes effect only at its last row. */
    if (q->statement && !q->no_memory && !sqlite3_stmt_readonly(q->statement))
        while (q->result == SQLITE_OK || q->result == SQLITE_ROW)
            q->result = sqlite3_step(q->statement);
    if (q->statement) {
        sqlite3_reset(q->statement);
        sqlite3_clear_bindings(q->statement);
    }
    enum api_error error = q->no_memory ? API_NO_MEMORY : sql_error(q->result);
    if (error != API_OK && q->store->in_transaction && q->store->ended == API_OK &&
        sqlite3_get_autocommit(q->store->db))
        q->store->ended = error;
    return error;
}

/* ---- columns ---- */

/* The number of the next column. */
static int next_column(struct sql *q)
{
    assert(q->column < sqlite3_column_count(q->statement));
    return q->column++;
}

int64_t sql_get_int(struct sql *q)
{
    return sqlite3_column_int64(q->statement, next_column(q));
}

double sql_get_real(struct sql *q)
{
    int column = next_column(q);
    return sqlite3_column_type(q->statement, column) == SQLITE_NULL
               ? (double)NAN
               : sqlite3_column_double(q->statement, column);
}

const char *sql_get_text(struct sql *q)
{
    int column = next_column(q);
    const char *text = (const char *)sqlite3_column_text(q->statement, column);

    if (!text && sqlite3_column_type(q->statement, column) != SQLITE_NULL)
        q->no_memory = true;
    return text;
}

/* A malloc'ed copy; NULL: NULL. */
static char *get_copy(struct sql *q)
{
    const char *text = sql_get_text(q);
    char *copy = text ? strdup(text) : NULL;

    if (text && !copy)
        q->no_memory = true;
    return copy;
}

/* One column as JSON, by its letter. */
static json_t *column_json(struct sql *q, char type)
{
    sqlite3_stmt *statement = q->statement;
    int column = q->column;

    if (type == 'v') {
        double value = sql_get_real(q);
        return isfinite(value) ? json_real(value)
                               : json_string(isnan(value)  ? "NaN"
                                             : value > 0.0 ? "Infinity"
                                                           : "-Infinity");
    }
    if (sqlite3_column_type(statement, column) == SQLITE_NULL) {
        q->column++;
        return json_null();
    }
    switch (type) {
    case 'i':
        return json_integer(sql_get_int(q));
    case 'r':
        return json_real(sql_get_real(q));
    case 't':
        return build_time(sql_get_int(q));
    default:
        break;
    }
    const char *text = sql_get_text(q);
    if (!text)
        return NULL;
    size_t length = (size_t)sqlite3_column_bytes(statement, column);
    return type == 's' ? json_stringn(text, length)
                       : load_json(text, length, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
}

static json_t *get_object(struct sql *q, const char *types)
{
    json_t *object = json_object();

    for (const char *type = types; *type != '\0'; type++) {
        const char *name = sqlite3_column_name(q->statement, q->column);
        json_t *value = column_json(q, *type);
        /* json_object_set_new() takes the value even when it fails; it also fails without object
         * or value. */
        if (!name || json_object_set_new(object, name, value) != 0) {
            if (!name)
                json_decref(value);
            json_decref(object);
            q->no_memory = true;
            return NULL;
        }
    }
    if (!object)
        q->no_memory = true;
    return object;
}

/* ---- one call each ---- */

enum { PLACES_MAX = 12 };

enum api_error sql_run(struct store *store, const char *text, const struct sql_value *values)
{
    struct sql q = sql_start(store, text, values);

    sql_row(&q);
    return sql_end(&q);
}

enum api_error sql_change(struct store *store, const char *text, const struct sql_value *values,
                          enum api_error if_none)
{
    enum api_error error = sql_run(store, text, values);

    return error == API_OK && sqlite3_changes(store->db) == 0 ? if_none : error;
}

int64_t sql_new_id(const struct store *store)
{
    return sqlite3_last_insert_rowid(store->db);
}

static bool is_place(const struct sql_place *place)
{
    return place->whole || place->text || place->copy;
}

enum api_error sql_read(struct store *store, const char *text, const struct sql_value *values,
                        const struct sql_place *places)
{
    int64_t whole[PLACES_MAX];
    char *copy[PLACES_MAX] = {NULL};
    int count = 0;
    struct sql q = sql_start(store, text, values);
    bool found = sql_row(&q);

    for (; found && is_place(&places[count]); count++) {
        assert(count < PLACES_MAX);
        if (places[count].whole)
            whole[count] = sql_get_int(&q);
        else
            copy[count] = get_copy(&q);
    }
    enum api_error error = sql_end(&q);
    if (error == API_OK && !found)
        error = API_NOT_FOUND;
    for (int k = 0; k < count && error == API_OK; k++) {
        if (places[k].whole)
            *places[k].whole = whole[k];
        if (places[k].text)
            snprintf(places[k].text, places[k].size, "%s", copy[k] ? copy[k] : "");
        if (places[k].copy) {
            *places[k].copy = copy[k];
            copy[k] = NULL;
        }
    }
    for (int k = 0; k < count; k++)
        free(copy[k]);
    return error;
}

enum api_error sql_exists(struct store *store, const char *text, const struct sql_value *values,
                          bool *ret_exists)
{
    int64_t one;
    enum api_error error = sql_read(store, text, values, GET(TO_INT(&one)));

    if (error != API_OK && error != API_NOT_FOUND)
        return error;
    *ret_exists = error == API_OK;
    return API_OK;
}

enum api_error sql_read_object(struct store *store, const char *text,
                               const struct sql_value *values, const char *types,
                               json_t **ret_object)
{
    struct sql q = sql_start(store, text, values);
    json_t *object = sql_row(&q) ? get_object(&q, types) : NULL;
    enum api_error error = sql_end(&q);

    if (error != API_OK) {
        json_decref(object);
        return error;
    }
    if (!object)
        return API_NOT_FOUND;
    *ret_object = object;
    return API_OK;
}

enum api_error sql_read_list(struct store *store, const char *text, const struct sql_value *values,
                             const char *types, json_t **ret_list)
{
    struct sql q = sql_start(store, text, values);
    json_t *list = json_array();

    q.no_memory = !list;
    while (sql_row(&q))
        if (json_array_append_new(list, types ? get_object(&q, types) : column_json(&q, 's')) != 0)
            q.no_memory = true;
    enum api_error error = sql_end(&q);
    if (error == API_OK)
        *ret_list = list;
    else
        json_decref(list);
    return error;
}

/* ---- pages ---- */

/* Reads the number in a cursor; without a cursor, the start of the list. */
static bool read_number(const char *cursor, int64_t *ret_number)
{
    char *end = NULL;

    errno = 0;
    *ret_number = cursor ? strtoll(cursor, &end, 10) : INT64_MAX;
    return !cursor || (*cursor >= '1' && *cursor <= '9' && *end == '\0' && errno == 0);
}

/* The characters of names (registry_name_is_good()). */
static const char names[] = "abcdefghijklmnopqrstuvwxyz0123456789._-";

enum api_error sql_read_page(struct store *store, const char *text, const struct sql_value *values,
                             bool by_name, const char *types, struct store_page *page)
{
    int limit = page->limit < 1 ? 1 : page->limit > STORE_PAGE_MAX ? STORE_PAGE_MAX : page->limit;
    const char *name = page->cursor ? page->cursor : "";
    char last[STORE_CURSOR_MAX] = "";
    bool has_next = false;
    int64_t number = 0;

    if (by_name ? strlen(name) >= STORE_CURSOR_MAX || strspn(name, names) != strlen(name)
                : !read_number(page->cursor, &number))
        return API_BAD_PARAMETER;
    struct sql q = prepare(store, text);
    /* One extra row shows whether there is a next page. */
    int count = by_name ? bind(&q, 0, PUT(TEXT(name), INT(limit + 1)))
                        : bind(&q, 0, PUT(INT(number), INT(limit + 1)));
    count = bind(&q, count, values);
    assert(q.result != SQLITE_OK || count == sqlite3_bind_parameter_count(q.statement));
    json_t *items = json_array();
    q.no_memory = !items;
    while (sql_row(&q)) {
        has_next = json_array_size(items) == (size_t)limit;
        if (has_next)
            break;
        const char *own = sql_get_text(&q);
        snprintf(last, sizeof last, "%s", own ? own : "");
        if (json_array_append_new(items, get_object(&q, types)) != 0)
            q.no_memory = true;
    }
    enum api_error error = sql_end(&q);
    if (error != API_OK) {
        json_decref(items);
        return error;
    }
    page->items = items;
    strcpy(page->next, has_next ? last : "");
    return API_OK;
}
