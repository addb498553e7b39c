/* The copies of the database in <data>/backups. Each is named after the moment it was made at, so
 * the folder alone says what there is. Any thread. */
#ifndef RINKD_SERVICE_UPKEEP_BACKUPS_H
#define RINKD_SERVICE_UPKEEP_BACKUPS_H

#include "api/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct store;

enum { BACKUP_NAME_MAX = 32, BACKUP_PATH_MAX = 4352 };

struct backup {
    int64_t at_ms, bytes;
};

/* "20260131T120000.123Z.db" */
void backup_name(int64_t at_ms, char ret_name[BACKUP_NAME_MAX]);
/* False: it is not the name of a backup. */
bool backup_time(const char *name, int64_t *ret_at_ms);

/* Lists the backups, newest first; *ret_list is from malloc. API_STORAGE: the folder cannot be
 * read; one that is missing, or is no folder, is empty. */
enum api_error backups_list(const char *data, struct backup **ret_list, size_t *ret_count);

/* Makes a backup, from a reader. API_EXISTS: there is one of the same millisecond. */
enum api_error backup_make(const char *data, struct store *reader, int64_t now_ms,
                           struct backup *ret_backup);
/* Deletes one. */
bool backup_remove(const char *data, int64_t at_ms);

#endif
