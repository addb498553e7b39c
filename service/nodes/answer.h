/* The answer of a task as a hash: its result and its file without what tells time, so that two
 * machines that compute the same get the same. */
#ifndef RINKD_SERVICE_NODES_ANSWER_H
#define RINKD_SERVICE_NODES_ANSWER_H

#include "api/base/error.h"
#include "api/jobs/wire.h"

#include <jansson.h>
#include <stdbool.h>

enum { ANSWER_MAX = 65 };

/* Hashes a result and the file at `path` (NULL: none). Members whose names end with "_s" or "_ms"
 * are times and left out, also in the lines of JSON that a file begins with; from the first other
 * line on it counts as it is. API_NOT_FOUND: the file cannot be read. Reads the whole file: not for
 * the core thread, unless it is short of others. */
enum api_error answer_hash(const json_t *result, const char *path, char ret_answer[ANSWER_MAX]);

/* Hashes what a line of a worker says of its run, with its file at `path` (NULL: none), in the same
 * way. "": nothing that counts. */
enum api_error answer_hash_line(const struct wire_message *message, const char *path,
                                char ret_hash[ANSWER_MAX]);
/* Adds the hash of what comes next to that of all before ("": nothing). */
void answer_add(char all[ANSWER_MAX], const char *next);

/* Whether answers to tasks of a job with this spec (JSON) can be compared: nothing in it is limited
 * by time. */
bool answer_is_comparable(const char *spec);

#endif
