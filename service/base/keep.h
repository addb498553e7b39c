/* How much of something is kept: "30d,10000,5GiB" are the things of the last 30 days, of these at
 * most the newest 10000, and of these the newest that have 5 GiB together. Each limit is optional;
 * without any, everything is kept. */
#ifndef RINKD_SERVICE_BASE_KEEP_H
#define RINKD_SERVICE_BASE_KEEP_H

#include <stdbool.h>
#include <stdint.h>

/* What a rule looks like, for help and complaints. */
#define KEEP_FORM "limits as 30d,10000,5GiB: an age (s, min, h, d, w), a number, a size (B to TiB)"

enum { KEEP_TEXT_MAX = 64, KEEP_ALL = -1 };

struct keep {
    int64_t age_ms, count, bytes; /* KEEP_ALL: no limit */
    char text[KEEP_TEXT_MAX];     /* as it was given */
};

/* Reads a rule; "" keeps everything. False: it is none, and *ret_keep is unchanged. */
bool keep_read(const char *text, struct keep *ret_keep);
/* Whether everything is kept. */
bool keep_is_all(const struct keep *keep);

/* A walk through things, newest first, that finds what is beyond a rule. */
struct keep_walk {
    const struct keep *keep;
    int64_t now_ms;
    int64_t count, bytes; /* of those kept so far */
    bool is_full;         /* everything older is beyond, too */
};

/* Whether the next thing is beyond the rule. */
bool keep_is_beyond(struct keep_walk *walk, int64_t at_ms, int64_t bytes);
/* Counts a thing that stays, for whatever reason. */
void keep_stays(struct keep_walk *walk, int64_t bytes);

#endif
