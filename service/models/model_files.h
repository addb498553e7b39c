/* Files of weights: <data>/models/<sha256>.safetensors. The name is the hash of the content, so a
 * file never changes; rows of the store say which are needed (store/registry.h). */
#ifndef RINKD_SERVICE_MODELS_MODEL_FILES_H
#define RINKD_SERVICE_MODELS_MODEL_FILES_H

#include "api/base/error.h"
#include "api/base/strict_json.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct core;
struct store;

enum { MODEL_PATH_MAX = 4352 };

/* <data>/models/<sha256>.safetensors */
void model_file_path(const char *data, const char *sha256, char ret_path[MODEL_PATH_MAX]);

/* Summary of the header of a safetensors file (api/base/safetensors_json.h), owned by the caller;
 * NULL and at least one error if the file, open at its start, is not one, or has a number that is
 * not finite. */
json_t *model_file_summary(FILE *file, int64_t bytes, struct strict_errors *ret_errors);

/* Reads a whole file; returns its summary (owned by the caller) and size if it is a sound
 * safetensors file with this hash. API_BAD_FIELD: it is not. API_STORAGE: it cannot be read.
 * API_NO_MEMORY. Any thread, as it may take long. */
enum api_error model_file_check(const char *path, const char *sha256, json_t **ret_summary,
                                int64_t *ret_bytes);

/* Stores a durable file under this hash, by a link or else a copy, and makes that durable. Replaces
 * a file under the same hash, which may be damaged. */
enum api_error model_file_keep(const char *data, const char *sha256, const char *path);

/* The same for a file that is nobody else's, which it takes: only a name changes. */
enum api_error model_file_take(const char *data, const char *sha256, const char *path);

/* Call after the commit that has deleted the last model with these weights: a task of the core
 * deletes the file, unless a new model has them. */
void model_file_remove(struct core *core, const char *data, const char *sha256);

/* Moves a file of the data folder to lost+found (store/strangers.h), and logs that and why. False:
 * it stays. */
bool model_files_move_aside(const char *data, const char *path, const char *why, int64_t now_ms);

/* At start, before other users of the store: moves weights of no model to lost+found
 * (store/strangers.h), as a kill during a deletion leaves them; removes unfinished copies. Returns
 * how many were moved. */
int model_files_tidy(const char *data, struct store *store, int64_t now_ms);

#endif
