/* The line of a task, made fit for another machine: no paths of this one, and a list of the files
 * that it names. */
#ifndef RINKD_SERVICE_NODES_NODE_LINE_H
#define RINKD_SERVICE_NODES_NODE_LINE_H

#include "api/base/error.h"

#include <jansson.h>
#include <stdint.h>

/* Stands for the folder of the task at the start of a text; the node writes its own there. */
#define NODE_LINE_FOLDER "{folder}"

/* Changes a "job" line (api/jobs/wire.h) of a job: the folder, and the path of each object with
 * "path" and "sha256", whose files are offered as blobs (blobs.h). *ret_files:
 * [{"name","sha256","bytes"}] to be put into the folder; name null: weights, which players name by
 * their hash. The caller's. API_NOT_FOUND: a file is gone; `ret_missing` has its name. */
enum { NODE_LINE_MISSING_MAX = 256 };
enum api_error node_line_prepare(const char *data, int64_t job, json_t *line, json_t **ret_files,
                                 char ret_missing[NODE_LINE_MISSING_MAX]);

#endif
