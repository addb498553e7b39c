/* A review as one page of HTML that needs nothing else: no script, no network. It prints on two
 * pages: the score board, the graph and the statistics; the positions that cost most. */
#ifndef RINKD_API_CURLING_REVIEW_HTML_H
#define RINKD_API_CURLING_REVIEW_HTML_H

#include <jansson.h>

/* Returns the page for the result of a job of the kind "review", allocated for the caller. Missing
 * members are left out, and texts are escaped. NULL: memory is short. */
char *review_html(const json_t *result);

#endif
