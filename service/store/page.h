/* A page of a list. */
#ifndef RINKD_SERVICE_STORE_PAGE_H
#define RINKD_SERVICE_STORE_PAGE_H

#include <jansson.h>

enum { STORE_CURSOR_MAX = 128, STORE_PAGE_DEFAULT = 50, STORE_PAGE_MAX = 500 };

/* At most `limit` items after `cursor`. Cursors are opaque to clients; an unreadable one is
 * API_BAD_PARAMETER. */
struct store_page {
    int limit;
    const char *cursor; /* NULL: from the start */

    /* Set by the functions that read a list. */
    json_t *items;               /* an array of the caller */
    char next[STORE_CURSOR_MAX]; /* cursor of the next page, "" at the end */
};

#endif
