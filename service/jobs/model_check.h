/* Checks the file of a model that a worker has announced. Reading a large file would hold up the
 * core thread, so a thread of the loop does it. Call from the core thread. */
#ifndef RINKD_SERVICE_JOBS_MODEL_CHECK_H
#define RINKD_SERVICE_JOBS_MODEL_CHECK_H

#include "api/error.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

/* The result of model_file_check(). The callee owns `card`, which only API_OK has. */
typedef void model_checked(void *context, enum api_error result, json_t *card, int64_t bytes);

/* Calls checked(context, …) once, later. False: memory is short, there will be no call. */
bool model_check_start(uv_loop_t *loop, const char *path, const char *sha256,
                       model_checked *checked, void *context);

#endif
