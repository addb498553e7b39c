/* Generations: does rinkd.db-wal belong to rinkd.db?
 *
 * SQLite applies the write-ahead log beside a database to it, whatever file that is. If an older
 * copy replaces a lost database and the log of the lost one is still there, the result is neither
 * of them. So each start of the daemon writes a random id, the generation, to the database (table
 * generation) and to the lock file. A log with data belongs to the generation in the lock file;
 * another id in the database, read without the log, shows that the file was exchanged. */
#ifndef RINKD_SERVICE_STORE_GENERATION_H
#define RINKD_SERVICE_STORE_GENERATION_H

#include <sqlite3.h>
#include <stdbool.h>

/* Whether the log of the folder, if it has data, belongs to its database. True where that cannot be
 * known: older versions wrote no ids, and a torn file is mended by its log. */
bool generation_fits(const char *folder);

/* Begins a generation: writes a new id to the database, all of which must be in its file then, and
 * to the lock file. After a failure the generation before goes on. */
void generation_begin(sqlite3 *db, int lock);

/* Marks a copy, which is open for writing: no log belongs to it. False if that fails. */
bool generation_mark_copy(sqlite3 *db);

/* Opens a database without its log and without making any file, read-only. NULL: it cannot be
 * opened; close it with sqlite3_close(). */
sqlite3 *generation_open_alone(const char *path);

#endif
