/* Commands that show one document of the server. */
#ifndef RINKD_SERVICE_RINKCTL_PAGE_H
#define RINKD_SERVICE_RINKCTL_PAGE_H

#include "service/rinkctl/client.h"
#include "service/rinkctl/options.h"
#include "service/rinkctl/print.h"

struct page {
    struct client_call call; /* its id is the word on the command line */
    struct command_line line;
    const struct column *fields;
};

/* Reads the command line and shows the fields, and the result if the document has one. */
enum exit_status page_command(const struct page *page, int argc, char **argv,
                              struct common *common);

/* Prints an answer for people. */
typedef void show_function(const char *command, const struct client_answer *answer,
                           const void *context);

/* Calls the server and shows the answer: with --json unchanged, else by the function. */
enum exit_status page_show(const char *command, const struct common *common,
                           const struct client_call *call, show_function *show,
                           const void *context);

#endif
