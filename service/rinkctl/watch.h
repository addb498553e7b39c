/* Following one job until it has ended. */
#ifndef RINKD_SERVICE_RINKCTL_WATCH_H
#define RINKD_SERVICE_RINKCTL_WATCH_H

#include "service/rinkctl/client.h"

#define WATCH_PATIENCE_S 300.0 /* for a server that went away, where nobody says otherwise */

/* Shows how far the job is, on standard error: a bar on a terminal, else a line for each change.
 * Listens to the job's events, and where there are none asks once a second. When the server is
 * away, waits for it for patience_s, but not at the first request. Then writes the result to
 * standard output. EXIT_GOOD: done; EXIT_TROUBLE: buried or cancelled; EXIT_INTERRUPTED: by SIGINT;
 * others as client_call(). */
enum exit_status watch_job(struct client *client, const char *command, const char *id,
                           double patience_s, bool json);

#endif
