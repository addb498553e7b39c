/* Files of weights: <data>/models/<sha256>.safetensors. A file lies under its hash, so it is
 * written once and never changes; rows of the store say which are needed (store/registry.h). */
#ifndef RINKD_SERVICE_MODELS_MODEL_FILES_H
#define RINKD_SERVICE_MODELS_MODEL_FILES_H

#include "api/error.h"
#include "api/strict_json.h"

#include <jansson.h>
#include <stdint.h>

struct core;
struct store;

enum { MODEL_PATH_MAX = 4352 };

/* <data>/models */
void model_folder_path(const char *data, char ret_path[MODEL_PATH_MAX]);
/* <data>/models/<sha256>.safetensors */
void model_file_path(const char *data, const char *sha256, char ret_path[MODEL_PATH_MAX]);

/* What the header of a safetensors file says (api/safetensors.h), for the caller; NULL and at least
 * one error when the file is not one. `file` is read from where it stands. */
json_t *model_file_summary(int file, int64_t bytes, struct strict_errors *ret_errors);

/* Reads a whole file: its summary for the caller and its size if it is a sound safetensors file
 * with this hash. API_BAD_FIELD: it is not; API_STORAGE: it cannot be read; API_NO_MEMORY. Takes as
 * long as reading takes; any thread. */
enum api_error model_file_check(const char *path, const char *sha256, json_t **ret_summary,
                                int64_t *ret_bytes);

/* Puts a durable file of this hash (a link, or a copy where there can be none) into its place,
 * which is then durable. Fine when it is there already. */
enum api_error model_file_keep(const char *data, const char *sha256, const char *path);
/* Moves it there instead. */
enum api_error model_file_move(const char *data, const char *sha256, const char *path);

/* After a task of the core that deleted the last model with these weights: removes the file when it
 * is durable that nobody needs it. Core thread, or in a task. */
void model_file_remove(struct core *core, const char *data, const char *sha256);

/* At start, before anybody else has the store: moves weights that no model has to lost+found
 * (store/strangers.h), as a kill beside a deletion leaves them; removes copies that were begun and
 * not ended. Returns how many were moved. */
int model_files_tidy(const char *data, struct store *store, int64_t now_ms);

#endif
