/* Strangers: files of the data folder that the database does not know. They are never deleted,
 * as the database may be the one that is wrong (lost, emptied, an old copy). They are moved to
 * <data>/lost+found/<time of the move>/ and keep their path below <data>. */
#ifndef RINKD_SERVICE_STORE_STRANGERS_H
#define RINKD_SERVICE_STORE_STRANGERS_H

#include "api/base/error.h"

#include <stdbool.h>
#include <stdint.h>

/* Its name has ".rinkd" behind it where another user owns that folder. Where jobs/ or models/ is on
 * another file system, such a folder is made there. */
#define STRANGERS_FOLDER "lost+found"

/* Whether a new database would meet files of another one: jobs/ or models/ is not empty, or
 * (`has_no_file`: rinkd.db is missing or empty) rinkd.db-wal has data, which SQLite would
 * delete. */
bool strangers_are_here(const char *data, bool has_no_file);

/* Moves everything that strangers_are_here() looks for. API_STORAGE: something could not be
 * moved, and errno says why. */
enum api_error strangers_adopt(const char *data, bool has_no_file, int64_t now_ms);

/* Moves rinkd.db-wal and rinkd.db-shm, which belong to another rinkd.db. */
enum api_error strangers_adopt_log(const char *data, int64_t now_ms);

/* Moves one file or folder; `name` is its path below the data folder, e.g. "jobs/17". Nothing is
 * replaced. API_STORAGE: it stays where it is, and errno says why. */
enum api_error stranger_move(const char *data, const char *name, int64_t now_ms);

#endif
