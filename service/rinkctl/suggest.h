/* "Did you mean": the known name that is nearest to a mistyped one. */
#ifndef RINKD_SERVICE_RINKCTL_SUGGEST_H
#define RINKD_SERVICE_RINKCTL_SUGGEST_H

struct suggestion {
    const char *wanted; /* what was typed */
    const char *best;   /* the nearest of the names so far; NULL: none is near */
    int distance;       /* of `best`: letters added, left out, changed or swapped */
};

/* Compares one more known name; it has to live as long as the suggestion. */
void suggestion_try(struct suggestion *suggestion, const char *known);

#endif
