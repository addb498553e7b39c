/* The line protocol of rink-search --stdio: one JSON object a line, queries in, answers out.
 *
 * Queries are answered one after the other, each with exactly one final answer, in the order of the
 * input. A second thread reads ahead, so that {"cancel": ID} is heard while a query is thought
 * about: every query of that id that has not been answered is cancelled, the one being thought
 * about answers with what it has. A cancelled id that is not there (any more) is no mistake. */
#ifndef RINKD_WORKERS_SEARCH_DIALOG_H
#define RINKD_WORKERS_SEARCH_DIALOG_H

#include "workers/search/query.h"

#include <stdio.h>

/* Queries that may wait. Further lines, cancellations too, are read when there is room again. */
enum { DIALOG_QUERIES_MAX = 256 };

enum dialog_status {
    DIALOG_OK,
    DIALOG_BAD_LINES,    /* all lines are answered, some with errors */
    DIALOG_READ_FAILED,  /* errno says why */
    DIALOG_WRITE_FAILED, /* errno says why */
    DIALOG_FAILED        /* *ret_message says why */
};

/* Talks until the input ends and all queries are answered, or until something fails. `fd` and `out`
 * stay the caller's; every line is flushed. *ret_message is written on DIALOG_FAILED only, and
 * lives as long as the program. */
enum dialog_status dialog_run(const struct query_host *host, int fd, FILE *out,
                              const char **ret_message);

#endif
