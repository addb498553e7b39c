/* A page of a list. */
#ifndef RINKD_SERVICE_STORE_PAGE_H
#define RINKD_SERVICE_STORE_PAGE_H

enum { STORE_CURSOR_MAX = 128, STORE_PAGE_DEFAULT = 50, STORE_PAGE_MAX = 500 };

/* At most `limit` items after `cursor` (NULL: from the start). A list returns the cursor of its
 * next page, "" at the end. Cursors are opaque to clients; an unreadable one is
 * API_BAD_PARAMETER. */
struct store_page {
    int limit;
    const char *cursor;
};

#endif
