/* Reads the spec for `rink-learn train` from a file: the body of POST /v1/jobs or only its "spec",
 * with the same fields, defaults and error messages. */
#ifndef RINKD_WORKERS_LEARN_TRAINING_TRAIN_REQUEST_H
#define RINKD_WORKERS_LEARN_TRAINING_TRAIN_REQUEST_H

#include <jansson.h>

/* Returns the resolved spec from the file, or from standard input if path is NULL; the caller owns
 * it. NULL: each error is printed to standard error as "COMMAND: FIELD: ERROR". */
json_t *train_request_read(const char *command, const char *path);

#endif
