/* Copies files of an export, with their SHA-256. */
#ifndef RINKD_SERVICE_DATA_COPY_H
#define RINKD_SERVICE_DATA_COPY_H

#include <stdbool.h>
#include <sys/types.h>

enum { COPY_SHA_MAX = 65, COPY_PATH_MAX = 8192 };

/* Opens a file below a folder to read it: a regular one, with no symbolic link on the way, so that
 * an export of a stranger leads nowhere else and nobody waits for a pipe. -1: errno says why;
 * ELOOP: a link, EINVAL: no regular file. */
int copy_open_below(const char *folder, const char *name);

/* Copies such a file to a new one, or over an old one, and makes it durable. False: errno says why;
 * the copy is gone then. */
bool copy_file_hashed(const char *folder, const char *name, const char *to,
                      char ret_sha256[COPY_SHA_MAX]);

/* Reads such a file for its SHA-256; false: errno says why. */
bool copy_hash(const char *folder, const char *name, char ret_sha256[COPY_SHA_MAX]);

/* Makes the folders of a path, the last name of which is a file. */
bool copy_make_parents(const char *path, mode_t mode);

#endif
