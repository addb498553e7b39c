/* The memory of the service: one SQLite file (schema/ has its tables), one writer, many readers.
 *
 * The writer belongs to the core thread, a reader to the thread that opened it. Functions that read
 * take either. Functions that write do not begin or end transactions, so that many requests can
 * share a commit; outside of store_begin() … store_commit() they fail with API_INTERNAL. Outputs
 * are written on API_OK only. A function that fails may have done part of its work: the caller
 * undoes it with store_undo() or store_rollback(). Times are milliseconds since 1970 (UTC), given
 * by the caller. */
#ifndef RINKD_SERVICE_STORE_STORE_H
#define RINKD_SERVICE_STORE_STORE_H

#include "api/base/error.h"
#include "service/store/page.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { STORE_ERROR_MAX = 512 };

struct store;

/* Opens <folder>/rinkd.db for writing; creates the file if it is missing (the folder must
 * exist). Locks the folder (API_STATE: another daemon has it), checks the file with quick_check
 * (unless it is too large for a quick start), and applies the missing migrations, all in one
 * transaction. A file from a newer program is refused (API_STATE). WAL, synchronous=FULL,
 * foreign keys. No new database is created beside files of another one (store/strangers.h):
 * API_STATE, or with `adopts` these are moved to lost+found first. On failure writes a sentence to
 * ret_error (STORE_ERROR_MAX bytes). Close with store_close(). */
enum api_error store_open(const char *folder, bool adopts, struct store **ret_store,
                          char *ret_error);

/* Checks whether store_open() could create a database or use the existing one, of which *ret_store
 * is a reader; NULL: no database yet. Changes nothing. */
enum api_error store_check(const char *folder, bool adopts, struct store **ret_store,
                           char *ret_error);

/* Whether a daemon has the folder. */
bool store_is_in_use(const char *folder);

/* A read-only connection to the same file. Never waits for the writer. */
enum api_error store_open_reader(const char *folder, struct store **ret_store);

/* The writer truncates the WAL and releases the lock. NULL is fine. */
void store_close(struct store *store);

/* One transaction of the writer: store_begin(), any number of { store_savepoint(), …,
 * store_release() or store_undo() }, store_commit() or store_rollback(). A commit that fails
 * changes nothing (API_STORAGE: disk full or broken; the store stays usable; the outcome is open
 * only if the machine dies before the next commit). SQLite ends a transaction by itself when it
 * runs out of disk or memory in the middle: every later call, even the commit, then fails with
 * that error. */
enum api_error store_begin(struct store *store);
enum api_error store_commit(struct store *store);
void store_rollback(struct store *store);
enum api_error store_savepoint(struct store *store);
enum api_error store_release(struct store *store);
void store_undo(struct store *store);

/* The folder for backups, inside the data folder. store_open() deletes unfinished ones there. */
#define STORE_BACKUPS        "backups"
#define STORE_BACKUP_PATTERN "????????T??????.???Z.db" /* 20260131T120000.123Z.db */

/* Writes a consistent copy of the whole database to a new file, from a reader, while others
 * write. API_EXISTS: the file exists already. */
enum api_error store_backup(struct store *reader, const char *path);

/* Ends the statement that another thread runs in this store, such as a backup; it then fails. Any
 * thread, while the store is open. */
void store_interrupt(struct store *store);

/* Number of the newest migration of this program, and of the file. */
int store_schema_newest(void);
int store_schema_version(struct store *store);

/* --- answers to repeated requests (Idempotency-Key) --- */

struct store_answer {
    char body_sha256[65];
    int status;
    char *location, *body; /* malloc'ed, of the caller; location may be NULL */
};

/* Finds the earlier answer to this key. API_NOT_FOUND: none within the last 24 h. */
enum api_error store_answer_find(struct store *store, const char *scope, const char *key,
                                 int64_t now_ms, struct store_answer *ret_answer);
enum api_error store_answer_add(struct store *store, const char *scope, const char *key,
                                int64_t now_ms, const struct store_answer *answer);
/* Deletes answers older than 24 h, at most `most`. */
enum api_error store_answers_forget(struct store *store, int64_t now_ms, int most);

#endif
