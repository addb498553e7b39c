/* Commands that show one document or one list of the server, as their row in the table says. */
#ifndef RINKD_SERVICE_RINKCTL_PAGE_H
#define RINKD_SERVICE_RINKCTL_PAGE_H

#include "api/base/quoted.h"
#include "service/rinkctl/client.h"
#include "service/rinkctl/options.h"
#include "service/rinkctl/print.h"

/* The call of a command: its method and path, its first word as the id, its body, and for a GET
 * each option with a value as the parameter of that name. */
struct client_call page_call(const struct line *line);

/* Makes a call and shows the answer: with --json unchanged, else by the command's function or
 * columns. A document in columns is followed by its result if it has one. */
enum exit_status page_show(const struct line *line, const struct client_call *call);

/* page_show() of page_call(). */
enum exit_status page_run(const struct line *line);

#define LIST_LIMIT_DEFAULT 50
/* The option --limit; a list without options comes whole. */
#define LIST_LIMIT                                                                            \
    {                                                                                         \
        "limit", "N", "items at most (default " QUOTED(LIST_LIMIT_DEFAULT) ")", OPTION_WHOLE, \
            .least = 1, .most = 1000000                                                       \
    }

/* Shows a list, over all its pages. */
enum exit_status list_run(const struct line *line);

#endif
