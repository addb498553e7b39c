/* Messages and whole documents; tables and cells are in api/base/print.h. */
#ifndef RINKD_SERVICE_RINKCTL_PRINT_H
#define RINKD_SERVICE_RINKCTL_PRINT_H

#include "api/base/print.h"
#include "service/rinkctl/command.h"

/* Prints a sentence on standard error, after the name of the command. */
void complain(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints a document for programs, indented. */
enum exit_status print_json(const char *command, const json_t *document);

#endif
