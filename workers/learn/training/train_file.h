/* Atomic files: written under a temporary name, synced, renamed. */
#ifndef RINKD_WORKERS_LEARN_TRAINING_TRAIN_FILE_H
#define RINKD_WORKERS_LEARN_TRAINING_TRAIN_FILE_H

#include "workers/file_hash.h"
#include "workers/learn/training/train_status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { TRAIN_SHA256_MAX = FILE_HASH_MAX, TRAIN_PATH_MAX = 4096, TRAIN_NAME_MAX = 120 };

/* Writes the contents. False: the file could not be written, or no memory. */
typedef bool train_file_writer(void *context, FILE *file);

/* Writes a file, replacing an existing one, and sets its SHA-256 (64 hexadecimal digits and 0).
 * Leaves no partial file on failure. TRAIN_OK, TRAIN_DISK or TRAIN_NO_MEMORY. One call at a time
 * per file. */
enum train_status train_file_write(const char *path, train_file_writer *writer, void *context,
                                   char ret_sha256[TRAIN_SHA256_MAX],
                                   char ret_error[TRAIN_ERROR_MAX]);

/* The same for bytes in memory. */
enum train_status train_file_write_bytes(const char *path, const void *bytes, size_t size,
                                         char ret_sha256[TRAIN_SHA256_MAX],
                                         char ret_error[TRAIN_ERROR_MAX]);

#endif
