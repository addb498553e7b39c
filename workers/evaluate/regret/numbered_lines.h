/* JSON Lines whose line k, from 0, has the member "number": k. */
#ifndef RINKD_WORKERS_EVALUATE_REGRET_NUMBERED_LINES_H
#define RINKD_WORKERS_EVALUATE_REGRET_NUMBERED_LINES_H

#include "api/base/strict_json.h"

enum { NUMBERED_ERROR_MAX = 512 };

/* Takes line `number`, whose "number" is right. False: the errors of the place say what is wrong;
 * without an error, memory is short. */
typedef bool numbered_take(void *context, int number, const struct strict_place *line);

/* Reads the first lines of a file, at most `most`. Returns how many. -1: ret_error names the file,
 * the line and what is wrong. */
int numbered_lines_read(const char *path, int most, numbered_take *take, void *context,
                        char ret_error[NUMBERED_ERROR_MAX]);

#endif
