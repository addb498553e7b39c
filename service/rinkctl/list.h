/* Commands that show a list of the server as a table. */
#ifndef RINKD_SERVICE_RINKCTL_LIST_H
#define RINKD_SERVICE_RINKCTL_LIST_H

#include "service/rinkctl/options.h"
#include "service/rinkctl/print.h"

enum { LIST_FILTERS_MAX = 4 };

struct list {
    const char *about, *path;
    struct option_row filters[LIST_FILTERS_MAX]; /* each sets the parameter with its name */
    const struct column *columns;
    bool is_whole;     /* the server sends all at once: no --limit */
    const char *empty; /* printed if the list is empty */
};

/* Reads the command line (the filters, and --limit unless the list is whole) and shows
 * the items. */
enum exit_status list_command(const struct list *list, int argc, char **argv,
                              struct common *common);

#endif
