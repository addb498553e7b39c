/* All that a database knows, row by row: out as JSON objects, and back in. The columns come from
 * the tables themselves, so a new column travels without further ado.
 *
 * Back in, rows get new ids where theirs are taken, and what refers to them follows, in columns and
 * in specs. A row that is there already is left as it is, with all that belongs to it, so the same
 * rows twice make no doubles: a job of the same kind, spec and time, an import of the same file, a
 * run of the same name, a position of the same time and owner. A job that had not ended arrives
 * paused: two services must not both do it; only jobs that follow from results, such as ladders,
 * are done again. */
#ifndef RINKD_SERVICE_STORE_TRANSFER_H
#define RINKD_SERVICE_STORE_TRANSFER_H

#include "service/store/store.h"

/* Names of the tables, parents first; NULL at the end. Others hold what a service needs to run:
 * answers to repeated requests, webhooks with their secrets, counts. */
extern const char *const transfer_tables[];
extern const char *const transfer_left_out[];

/* Opens a copy of a database, such as a backup, to read from it; nothing is written beside it.
 * Writes a sentence to ret_error (STORE_ERROR_MAX bytes) on failure. */
enum api_error transfer_open_copy(const char *path, struct store **ret_store, char *ret_error);

/* --- out: the reader sees the same moment from begin to end --- */

enum api_error transfer_begin(struct store *reader);
void transfer_end(struct store *reader);

/* [{"name","type":"integer"|"number"|"text","null":BOOLEAN}] of a table; empty if an older database
 * has no such table. The list is the caller's. */
enum api_error transfer_columns(struct store *reader, const char *table, json_t **ret_columns);

/* Visits the rows of a table in the order of its key, as objects; infinite numbers are texts. Ends
 * when `visit` returns an error, and returns it. */
enum api_error transfer_read(struct store *reader, const char *table,
                             enum api_error (*visit)(void *context, const json_t *row),
                             void *context);

/* --- in: within one transaction of the writer --- */

struct transfer;

enum { TRANSFER_WHY_MAX = 256 };

enum api_error transfer_in_begin(struct store *writer, struct transfer **ret_transfer);
void transfer_in_end(struct transfer *transfer); /* NULL is fine */

/* Adds a row to a table; tables come in the order of transfer_tables. *ret_added: false if it was
 * there already. API_BAD_FIELD: it cannot be added, and `ret_why` says why. */
enum api_error transfer_add(struct transfer *transfer, const char *table, const json_t *row,
                            bool *ret_added, char ret_why[TRANSFER_WHY_MAX]);

/* Shows a row before any is added, in the same order: what refers to it may come earlier. */
enum api_error transfer_look(struct transfer *transfer, const char *table, const json_t *row);
/* After all rows: what names others in specs follows them. */
enum api_error transfer_finish(struct transfer *transfer);

/* The new id of a job of the other database; 0: it was not added. */
int64_t transfer_new_job(const struct transfer *transfer, int64_t id);

#endif
