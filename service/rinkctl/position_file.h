/* The file of a position, which shot, map, calls, library-add and skills take alike. */
#ifndef RINKD_SERVICE_RINKCTL_POSITION_FILE_H
#define RINKD_SERVICE_RINKCTL_POSITION_FILE_H

#include "service/rinkctl/command.h"

#include <jansson.h>

/* Reads the FILE of the line (standard input without one): a query, or the state alone as a server
 * of Digital Curling 3 sends it, or its whole update; adds the members of the options. `takes`
 * (NULL at the end): the members of queries that mean something to this command; the others are
 * named and left out. Members that no query has stay, for the server to judge. The caller owns the
 * result; NULL after a complaint. */
json_t *position_file_read(const struct line *line, const char *const *takes);

#endif
