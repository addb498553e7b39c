/* Asynchronous shot queries and, when they have ended, their answers: at most KEPT_SHOTS_MAX, each
 * for KEPT_SHOTS_S after its end. In memory alone; core thread only. */
#ifndef RINKD_SERVICE_SHOTS_KEPT_SHOTS_H
#define RINKD_SERVICE_SHOTS_KEPT_SHOTS_H

#include "api/error.h"

#include <jansson.h>

struct asker;

enum { KEPT_SHOTS_MAX = 1024, KEPT_SHOTS_S = 600, KEPT_SHOT_ID_MAX = 33 };

struct kept_shot {
    struct kept_shot *next; /* the one before it */
    char id[KEPT_SHOT_ID_MAX];
    struct asker *asker; /* who waits for it; NULL: it has ended */
    json_t *answer;
    enum api_error error; /* of one that has ended */
    double ended_s;
    int64_t last_event; /* the id of the event that said so (service/base/events.h) */
};

/* All 0: none. */
struct kept_shots {
    struct kept_shot *newest;
    int count;
};

/* Adds a query with a random id; it counts as ended until it gets an asker. Drops
 * old answers, and the oldest one if there is no room. NULL: memory is short, or all places are
 * running. The list owns it. */
struct kept_shot *kept_shots_add(struct kept_shots *kept);
/* Removes the newest one. */
void kept_shots_take_back(struct kept_shots *kept);
/* NULL: unknown, or dropped. */
struct kept_shot *kept_shots_find(struct kept_shots *kept, const char *id);
void kept_shots_free(struct kept_shots *kept);

/* {"id","state":"running"|"done"|"failed","answer":…|null,"error":{…} if it failed}; the caller's,
 * NULL: no memory. */
json_t *kept_shot_json(const struct kept_shot *kept);

#endif
