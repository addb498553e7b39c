/* The SHA-256 of files, as 64 hexadecimal digits. */
#ifndef RINKD_WORKERS_FILE_HASH_H
#define RINKD_WORKERS_FILE_HASH_H

#include <stdbool.h>
#include <stdio.h>

enum { FILE_HASH_MAX = 65 }; /* bytes of a hash with the final 0 */

/* Hashes the rest of an open file. False: it cannot be read. */
bool file_hash_rest(FILE *file, char ret_sha256[FILE_HASH_MAX]);

/* Hashes a file. False, with errno set: it cannot be read. */
bool file_hash(const char *path, char ret_sha256[FILE_HASH_MAX]);

/* The same once all of the file is on the disk. */
bool file_hash_durable(const char *path, char ret_sha256[FILE_HASH_MAX]);

#endif
