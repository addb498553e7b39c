/* The line protocol of rink-search --stdio: one JSON object per line, queries in, answers out.
 *
 * Queries are answered one at a time, in the order of the input, each with exactly one final
 * answer. A second thread reads ahead, so that {"cancel": ID} takes effect while a query is being
 * answered: every unanswered query with that id is cancelled, and the one in work answers with its
 * best shot so far. Cancelling an unknown or finished id is not an error. */
#ifndef RINKD_WORKERS_SEARCH_DIALOG_H
#define RINKD_WORKERS_SEARCH_DIALOG_H

#include "workers/search/query.h"

#include <stdio.h>

/* The most queries that wait. When the queue is full, reading pauses, and with it cancellation. */
enum { DIALOG_QUERIES_MAX = 256 };

enum dialog_status {
    DIALOG_OK,
    DIALOG_BAD_LINES,    /* all lines are answered, some with errors */
    DIALOG_UNANSWERED,   /* the same, as a player failed; *ret_message says why */
    DIALOG_READ_FAILED,  /* errno says why */
    DIALOG_WRITE_FAILED, /* errno says why */
    DIALOG_FAILED        /* *ret_message says why */
};

/* Runs until the input ends and all queries are answered, or until something fails. The caller
 * keeps `fd` and `out`; every line is flushed. *ret_message is a constant, set on
 * DIALOG_UNANSWERED and DIALOG_FAILED only. */
enum dialog_status dialog_run(const struct query_host *host, int fd, FILE *out,
                              const char **ret_message);

#endif
