/* Translates the errors of rink-search and rink-simulate about a question into those of the API. */
#ifndef RINKD_SERVICE_SHOTS_SHOT_ERRORS_H
#define RINKD_SERVICE_SHOTS_SHOT_ERRORS_H

#include "api/base/error.h"
#include "api/base/strict_json.h"

#include <jansson.h>

/* The error that a final answer of either program means; API_OK: it is an answer. */
enum api_error shot_errors_code(const json_t *answer);

/* Reads the fields that the program refused (API_BAD_FIELD). */
void shot_errors_read(const json_t *answer, struct strict_errors *ret_errors);

#endif
