/* Reads the spec of a training by hand from a file: a body of POST /v1/jobs or only its "spec",
 * with the same fields, defaults and error messages. */
#ifndef RINKD_WORKERS_LEARN_TRAINING_TRAIN_REQUEST_H
#define RINKD_WORKERS_LEARN_TRAINING_TRAIN_REQUEST_H

#include <jansson.h>

/* The resolved spec in the file, or on standard input where path is NULL; the caller owns it. NULL:
 * the mistakes have been written to standard error, a line for each, "COMMAND: FIELD: MISTAKE". */
json_t *train_request_read(const char *command, const char *path);

#endif
