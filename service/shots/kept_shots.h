/* Asynchronous shot queries and, once they have ended, their answers, each for KEPT_SHOTS_S after
 * its end. Of each caller at most KEPT_SHOTS_RUNNING run. At most KEPT_SHOTS_MAX answers of all
 * callers are kept: of the caller with the most, the one that ended first makes room. In memory
 * only; core thread only. */
#ifndef RINKD_SERVICE_SHOTS_KEPT_SHOTS_H
#define RINKD_SERVICE_SHOTS_KEPT_SHOTS_H

#include "api/base/error.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

struct asker;
struct events;
struct kept_caller;

enum { KEPT_SHOTS_MAX = 1024, KEPT_SHOTS_RUNNING = 256, KEPT_SHOTS_S = 600, KEPT_SHOT_ID_MAX = 33 };

struct kept_shot {
    LIST_ENTRY(kept_shot) link;
    struct kept_shots *all;
    struct kept_caller *caller;
    char id[KEPT_SHOT_ID_MAX];
    struct events *events;
    bool is_running;
    struct asker *asker; /* waits for the answer, while it runs */
    json_t *answer;
    enum api_error error; /* set once it has ended */
    double ended_s;
    int64_t last_event; /* id of the event that announced the end (service/base/events.h) */
};

/* All 0: an empty list. */
struct kept_shots {
    LIST_HEAD(, kept_shot) shots;
    LIST_HEAD(, kept_caller) callers;
    int ended;
};

/* Adds a query that runs, with a random id, owned by the list. The caller's name is copied.
 * API_SHARE_FULL: too many of this caller run. API_NO_MEMORY. */
enum api_error kept_shots_add(struct kept_shots *kept, const char *caller,
                              struct kept_shot **ret_shot);
/* Ends a query: keeps a reference to the answer, which may be NULL. */
void kept_shot_end(struct kept_shot *shot, enum api_error error, json_t *answer);
/* Removes a query. */
void kept_shot_drop(struct kept_shot *shot);
/* Finds a query; NULL: unknown, or dropped. */
struct kept_shot *kept_shots_find(struct kept_shots *kept, const char *id);
void kept_shots_free(struct kept_shots *kept);

/* {"id","state":"running"|"done"|"failed","answer":…|null,"error":{…} if it failed}. The caller
 * owns it; NULL: memory is short. */
json_t *kept_shot_json(const struct kept_shot *kept);

#endif
