/* Follows one job until it has ended. */
#ifndef RINKD_SERVICE_RINKCTL_WATCH_H
#define RINKD_SERVICE_RINKCTL_WATCH_H

#include "service/rinkctl/client.h"

#define WATCH_PATIENCE_S 300 /* default patience with a server that went away */

/* Shows the job's progress on standard error: a bar on a terminal, otherwise a line for each
 * change. Listens to the job's events; without events asks once a second. Waits up to patience_s
 * for a server that went away, but not at the first request. Then writes the result to standard
 * output. EXIT_GOOD: done; EXIT_TROUBLE: buried or cancelled; EXIT_INTERRUPTED: by SIGINT; others
 * as client_call(). */
enum exit_status watch_job(const struct line *line, const char *id, double patience_s);

#endif
