/* Runs statements, for the files of service/store.
 *
 *     static const char text[] = "SELECT spec FROM job WHERE id = ?1";
 *     return sql_read(store, text, PUT(INT(id)), GET(TO_COPY(ret_spec)));
 *
 * or, for many rows:
 *
 *     struct sql q = sql_start(store, text, PUT(INT(id)));
 *     while (sql_row(&q))
 *         sum += sql_get_int(&q);
 *     return sql_end(&q);
 *
 * Parameters and columns are used in order. After a failure all calls do nothing, and sql_end()
 * returns it. The text must be static: its address is the key of the prepared statement. */
#ifndef RINKD_SERVICE_STORE_SQL_H
#define RINKD_SERVICE_STORE_SQL_H

#include "api/base/error.h"
#include "service/store/page.h"

#include <jansson.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SQL_STATEMENTS = 256 };

struct store {
    sqlite3 *db;
    bool is_writer;
    int lock;             /* descriptor of the lock file; -1 in a reader */
    bool in_transaction;  /* between store_begin() and its end */
    enum api_error ended; /* why SQLite ended the transaction by itself; API_OK: it did not */
    struct {
        const char *text; /* NULL: free */
        sqlite3_stmt *statement;
    } kept[SQL_STATEMENTS]; /* open addressing by the address of the text */
};

/* The value of a parameter: INT(), REAL() or TEXT(). Texts are not copied. NULL and NAN
 * are NULL. */
struct sql_value {
    int type; /* an SQLite type; 0 ends a list */
    union {
        int64_t whole;
        double real;
        const char *text;
    };
};
#define INT(value)  ((struct sql_value){.type = SQLITE_INTEGER, .whole = (value)})
#define REAL(value) ((struct sql_value){.type = SQLITE_FLOAT, .real = (value)})
#define TEXT(value) ((struct sql_value){.type = SQLITE_TEXT, .text = (value)})
#define PUT(...)    ((const struct sql_value[]){__VA_ARGS__, {.type = 0}})

/* The place for a column: an int64_t, a text of a limited size, or a malloc'ed copy of a text. NULL
 * is 0, "" or NULL. */
struct sql_place {
    int64_t *whole;
    char *text;
    size_t size;
    char **copy;
};
#define TO_INT(pointer)    ((struct sql_place){.whole = (pointer)})
#define TO_TEXT(size_, to) ((struct sql_place){.text = (to), .size = (size_)})
#define TO_COPY(pointer)   ((struct sql_place){.copy = (pointer)})
#define GET(...)           ((const struct sql_place[]){__VA_ARGS__, {.whole = NULL}})

/* --- one call each; API_NOT_FOUND: no row --- */

/* Runs a writing statement. */
enum api_error sql_run(struct store *store, const char *text, const struct sql_value *values);
/* The same; returns `if_none` if it changes no row. */
enum api_error sql_change(struct store *store, const char *text, const struct sql_value *values,
                          enum api_error if_none);

/* The id of the row that was added last. Cheaper than RETURNING, for which SQLite makes a table. */
int64_t sql_new_id(const struct store *store);

/* Whether there is a row. */
enum api_error sql_exists(struct store *store, const char *text, const struct sql_value *values,
                          bool *ret_exists);
/* The columns of the first row. */
enum api_error sql_read(struct store *store, const char *text, const struct sql_value *values,
                        const struct sql_place *places);

/* The first row, or all rows, as JSON objects of the caller. Keys are the names of the columns, and
 * each column has a letter in `types`:
 *   i whole number   r number   v number that may be infinite (NULL: "NaN")   s text
 *   t milliseconds, as "2026-01-31T12:00:00.000Z"   j JSON
 * NULL is null (but for v). types NULL: a list of texts, the first column. */
enum api_error sql_read_object(struct store *store, const char *text,
                               const struct sql_value *values, const char *types,
                               json_t **ret_object);
enum api_error sql_read_list(struct store *store, const char *text, const struct sql_value *values,
                             const char *types, json_t **ret_list);

/* A page of such objects. The first column is not a member but the key of the row: a number (the
 * list runs down) or a name (up). ?1 is the key to continue after, ?2 the LIMIT, `values` (NULL:
 * none) begin at ?3. API_BAD_PARAMETER: the cursor is not from such a list. */
enum api_error sql_read_page(struct store *store, const char *text, const struct sql_value *values,
                             bool by_name, const char *types, struct store_page *page);

/* --- row by row --- */

struct sql {
    struct store *store;
    sqlite3_stmt *statement; /* kept by the store for the next time */
    int result;              /* an SQLite code */
    int column;              /* next one */
    bool no_memory;          /* in our code or in jansson */
};

/* Starts a statement. values NULL: none. Outside of store_begin() … store_commit() a statement
 * that writes is refused. */
struct sql sql_start(struct store *store, const char *text, const struct sql_value *values);

/* The next row; false at the end or after a failure. */
bool sql_row(struct sql *q);

int64_t sql_get_int(struct sql *q);      /* NULL: 0 */
double sql_get_real(struct sql *q);      /* NULL: NAN */
const char *sql_get_text(struct sql *q); /* valid until the next row; NULL: NULL */

/* Runs a writing statement to its end and resets it. A violated UNIQUE is API_EXISTS, a foreign key
 * API_NOT_FOUND, a CHECK API_BAD_FIELD. */
enum api_error sql_end(struct sql *q);

/* The error that callers get for a result of SQLite. */
enum api_error sql_error(int result);

#endif
