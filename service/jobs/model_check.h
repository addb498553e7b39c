/* Checks the file of a model that a worker has announced, on a thread of the loop's: it can be
 * large, and reading it must not hold up the core thread, from which all of this is called. */
#ifndef RINKD_SERVICE_JOBS_MODEL_CHECK_H
#define RINKD_SERVICE_JOBS_MODEL_CHECK_H

#include "api/error.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

/* What model_file_check() says of the file. `card`, of API_OK alone, is for whom is told. */
typedef void model_checked(void *context, enum api_error result, json_t *card, int64_t bytes);

/* Calls checked(context, …) once, later. False: memory is short, it will not be called. */
bool model_check_start(uv_loop_t *loop, const char *path, const char *sha256,
                       model_checked *checked, void *context);

#endif
