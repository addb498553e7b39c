/* Asynchronous shot queries and, once they have ended, their answers: at most KEPT_SHOTS_MAX, each
 * for KEPT_SHOTS_S after its end. In memory only; core thread only. */
#ifndef RINKD_SERVICE_SHOTS_KEPT_SHOTS_H
#define RINKD_SERVICE_SHOTS_KEPT_SHOTS_H

#include "api/base/error.h"

#include <jansson.h>

struct asker;
struct events;

enum { KEPT_SHOTS_MAX = 1024, KEPT_SHOTS_S = 600, KEPT_SHOT_ID_MAX = 33 };

struct kept_shot {
    struct kept_shot *next; /* the next older one */
    char id[KEPT_SHOT_ID_MAX];
    struct events *events;
    struct asker *asker; /* waits for the answer; NULL: the query has ended */
    json_t *answer;
    enum api_error error; /* set once it has ended */
    double ended_s;
    int64_t last_event; /* id of the event that announced the end (service/base/events.h) */
};

/* All 0: an empty list. */
struct kept_shots {
    struct kept_shot *newest;
    int count;
};

/* Adds a query with a random id, owned by the list; it counts as ended until it gets an asker.
 * Drops old answers, and the oldest one if there is no room. NULL: memory is short, or all places
 * are taken by running queries. */
struct kept_shot *kept_shots_add(struct kept_shots *kept);
/* Removes the newest query. */
void kept_shots_take_back(struct kept_shots *kept);
/* Finds a query; NULL: unknown, or dropped. */
struct kept_shot *kept_shots_find(struct kept_shots *kept, const char *id);
void kept_shots_free(struct kept_shots *kept);

/* {"id","state":"running"|"done"|"failed","answer":…|null,"error":{…} if it failed}. The caller
 * owns it; NULL: memory is short. */
json_t *kept_shot_json(const struct kept_shot *kept);

#endif
