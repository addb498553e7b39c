/* Runs one statement, for the files of service/store.
 *
 *     static const char text[] = "SELECT spec FROM job WHERE id = ?1";
 *     struct sql q = sql_start(store, text);
 *     sql_put_int(&q, id);
 *     if (sql_row(&q))
 *         spec = sql_get_copy(&q);
 *     return sql_end(&q);
 *
 * Parameters and columns are used in order. After a failure all calls do nothing, and sql_end()
 * returns it. */
#ifndef RINKD_SERVICE_STORE_SQL_H
#define RINKD_SERVICE_STORE_SQL_H

#include "api/error.h"
#include "service/store/page.h"

#include <jansson.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

enum { SQL_STATEMENTS = 256 };

struct store {
    sqlite3 *db;
    bool is_writer;
    int lock;             /* descriptor of the lock file; -1 in a reader */
    bool in_transaction;  /* between store_begin() and its end */
    enum api_error ended; /* why SQLite ended the transaction by itself; API_OK: it has not */
    struct {
        const char *text; /* NULL: free */
        sqlite3_stmt *statement;
    } kept[SQL_STATEMENTS]; /* open addressing by the address of the text */
};

struct sql {
    struct store *store;
    sqlite3_stmt *statement; /* kept by the store for the next time */
    int result;              /* of SQLite */
    int parameter, column;   /* last one used */
    bool no_memory;          /* of our own or of jansson */
};

/* The text must be static, as its address is the key of the prepared statement. Outside of
 * store_begin() … store_commit() a statement that writes is refused. */
struct sql sql_start(struct store *store, const char *text);

void sql_put_int(struct sql *q, int64_t value);
void sql_put_real(struct sql *q, double value);      /* NAN: NULL */
void sql_put_text(struct sql *q, const char *value); /* not copied; NULL: NULL */

/* The next row; false at the end or after a failure. */
bool sql_row(struct sql *q);

int64_t sql_get_int(struct sql *q);      /* NULL: 0 */
double sql_get_real(struct sql *q);      /* NULL: NAN */
const char *sql_get_text(struct sql *q); /* until the next row; NULL: NULL */
char *sql_get_copy(struct sql *q);       /* malloc'ed; NULL: NULL */

/* The next columns as a JSON object of the caller; keys are the names of the columns, and each has
 * a letter in `types`:
 *   i whole number   r number   v number that may be infinite (NULL: "NaN")   s text
 *   t milliseconds, as "2026-01-31T12:00:00.000Z"   j JSON
 * NULL is null (but for v). Returns NULL after a failure. */
json_t *sql_get_object(struct sql *q, const char *types);

/* The first row as such an object, and the end of the statement. API_NOT_FOUND: no row. */
enum api_error sql_get_one(struct sql *q, const char *types, json_t **ret_object);

/* All rows as such objects, and the end of the statement. */
enum api_error sql_get_list(struct sql *q, const char *types, json_t **ret_list);

/* Runs a writing statement to its end and resets it. A violated UNIQUE is API_EXISTS, a foreign key
 * API_NOT_FOUND, a CHECK API_BAD_FIELD. */
enum api_error sql_end(struct sql *q);

/* What a failure of SQLite means to a caller. */
enum api_error sql_error(int result);

/* Rows that the last writing statement changed. */
int sql_changes(struct store *store);

/* --- pages --- */

/* A list continues after the row with this number, or this name. */
struct sql_cursor {
    int64_t number;
    char name[STORE_CURSOR_MAX];
};
/* Without a cursor: INT64_MAX and "" (lists by number run down, those by name up).
 * API_BAD_PARAMETER: sql_get_page() did not make it. */
enum api_error sql_cursor_read(const char *text, bool by_name, struct sql_cursor *ret_cursor);

/* Reads a page of rows and ends the statement. The first column is the key, a name or a number; the
 * others make the item, `types` as above. */
int sql_page_rows(
    const struct store_page *page); /* LIMIT of the statement: one more than the page */
enum api_error sql_get_page(struct sql *q, const struct store_page *page, bool by_name,
                            const char *types, json_t **ret_items, char ret_next[STORE_CURSOR_MAX]);

#endif
