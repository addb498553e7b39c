/* The spec of a training out of a file, for those who train by hand: a body of POST /v1/jobs or
 * only its "spec", with the same fields, defaults and complaints. */
#ifndef RINKD_WORKERS_LEARN_TRAINING_TRAIN_REQUEST_H
#define RINKD_WORKERS_LEARN_TRAINING_TRAIN_REQUEST_H

#include <jansson.h>
#include <stdio.h>

/* The resolved spec, of the caller. NULL: what is wrong has been written to standard error, each
 * line behind `command` and naming the field. */
json_t *train_request_read(const char *command, FILE *file);

#endif
