/* A line in which callers take turns. Each caller's questions wait in a separate line. The next
 * turn goes to the caller with the fewest questions being served; among equals, to the one whose
 * last turn was longest ago. A single caller may use all places. When others come, a newcomer takes
 * the place of the last question of the caller with the most (fair_line_victim()). No place is kept
 * free for callers who may never come. */
#ifndef RINKD_SERVICE_SHOTS_FAIR_LINE_H
#define RINKD_SERVICE_SHOTS_FAIR_LINE_H

#include "api/base/error.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

struct fair_caller;

/* All 0: an empty line. */
struct fair_line {
    LIST_HEAD(, fair_caller) callers; /* callers with a question that waits or is served */
    atomic_int waiting;               /* any thread may read it */
    int64_t turns;
};

/* A question's place; all 0 at first. */
struct fair_place {
    TAILQ_ENTRY(fair_place) in_line; /* in the line of its caller */
    struct fair_caller *caller;
    enum { FAIR_OUTSIDE, FAIR_WAITING, FAIR_SERVED } state;
};

/* Adds the place at the end of its caller's line. The name is copied. API_NO_MEMORY. */
enum api_error fair_line_join(struct fair_line *line, struct fair_place *place, const char *name);
/* Returns the place that is served next; it still waits. NULL: the line is empty. */
struct fair_place *fair_line_first(const struct fair_line *line);
/* Serves a waiting place from now on, until fair_line_leave(). */
void fair_line_serve(struct fair_line *line, struct fair_place *place);
/* A served place waits again, before all others of its caller: what served it is gone. */
void fair_line_return(struct fair_line *line, struct fair_place *place);
/* Takes a waiting or served place out of the line; does nothing if it is already out. */
void fair_line_leave(struct fair_line *line, struct fair_place *place);

/* Whether the place waits or is served for this caller. */
bool fair_place_is_of(const struct fair_place *place, const char *name);

/* Whether a question of this caller is being served. */
bool fair_line_serves(const struct fair_line *line, const char *name);
/* Whether another question of this place's caller is being served. */
bool fair_place_is_further(const struct fair_place *place);
/* Counts the callers with a question that waits and none that is served. */
int fair_line_unserved(const struct fair_line *line);

/* Iterates over the waiting places, by caller: NULL returns the first one, and NULL follows the
 * last. */
struct fair_place *fair_line_walk(const struct fair_line *line, const struct fair_place *place);
/* Counts the waiting questions that would be served before a new one of this caller. */
int fair_line_ahead(const struct fair_line *line, const char *name);
/* Whether others have questions here, and this caller has none: it may wait even if the line is
 * full, so that a short line is no reason to starve. Callers are few: tokens have names. */
bool fair_line_is_new(const struct fair_line *line, const char *name);
/* Picks the place that a new question of this caller may take in a full line: the last one of the
 * caller with the most questions, if that has at least two more. Otherwise returns NULL, and
 * *ret_error says what is full: API_SHARE_FULL the caller's share, as others wait too, or API_BUSY
 * the line. */
struct fair_place *fair_line_victim(const struct fair_line *line, const char *name,
                                    enum api_error *ret_error);

#endif
