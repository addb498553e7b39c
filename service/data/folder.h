/* An export: a folder that holds all that a database knows, and the files that belong to it.
 *
 *   tables/TABLE/schema.json    its columns: [{"name","type","null"}]
 *   tables/TABLE/part-0.jsonl   its rows, one JSON object a line (--csv: part-0.csv besides)
 *   files/models/SHA256.safetensors, files/jobs/ID/NAME
 *   files/SHA256SUMS            of all of them, for sha256sum -c
 *   SHA256SUMS                  of the tables, and last of files/SHA256SUMS; it is written last, so
 *                               an export that was cut off has none */
#ifndef RINKD_SERVICE_DATA_FOLDER_H
#define RINKD_SERVICE_DATA_FOLDER_H

#include "api/base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct store;

enum { DATA_WHY_MAX = 4096 };

#define DATA_SUMS      "SHA256SUMS"
#define DATA_FILE_SUMS "files/" DATA_SUMS

/* The names of the files of a table; NULL at the end. */
extern const char *const data_table_files[];

struct data_counts {
    int64_t rows, files, missing, skipped; /* missing: files that are gone; skipped: rows that were
                                              there already */
};

/* Writes an export to a new folder. `data` has the files; NULL: there are none. On failure a
 * sentence is in ret_why. */
enum api_error data_export(struct store *reader, const char *data, const char *folder, bool csv,
                           struct data_counts *ret_counts, char ret_why[DATA_WHY_MAX]);

/* Adds an export to the data of the writer, all of it or nothing, in one transaction. A sentence in
 * ret_why names the file and the line that cannot be taken. */
enum api_error data_import(struct store *writer, const char *data, const char *folder,
                           struct data_counts *ret_counts, char ret_why[DATA_WHY_MAX]);

#endif
