/* Shot queries and simulations: from a question to a warm process and back. Core thread only,
 * except functions that say otherwise.
 *
 * Identical queries in flight share one answer (same body except id and time-outs; no time limit,
 * or the same). A query waits at most until its deadline, and is refused at once (API_BUSY) if the
 * line is too long to meet it. Callers take turns; when the line is full, a caller with more than
 * its share of places loses its last one (API_SHARE_FULL). A caller who hangs up frees
 * the process. */
#ifndef RINKD_SERVICE_SHOTS_SHOTS_H
#define RINKD_SERVICE_SHOTS_SHOTS_H

#include "api/base/error.h"
#include "service/base/events.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct asker;
struct base;
struct shots;

enum { SHOTS_TIMEOUT_MS = 30000, SHOTS_SIMULATE_MS = 10000, SHOTS_REASONS_MAX = 3 };
enum api_error shots_start(const struct base *base, struct shots **ret_shots);

/* A caller, and how it gets the answer. */
struct shot_caller {
    const char *name;    /* by which callers take turns; copied */
    const char *id;      /* id of the answer, unless the question has its own; copied */
    double arrived_s;    /* CLOCK_MONOTONIC; time limits start here */
    int64_t simulate_ms; /* 0: asks for the shot of a checked shot query; else for the simulation
                            of a scene within this time */
    /* Called for each partial answer, which is borrowed; NULL: the caller wants none. */
    void (*partial)(void *context, json_t *answer);
    /* Called once, maybe before the asking function returns; never after shots_hang_up(). API_OK
     * comes with the answer, API_BAD_FIELD may come with the program's refusal (shot_errors.h),
     * other errors with NULL. The answer is borrowed. */
    void (*answered)(void *context, enum api_error error, json_t *answer);
    void *context;
};

/* Asks; steals the question. On any error nothing was asked, and `answered` is not called.
 * *ret_asker is valid until `answered` is called. */
enum api_error shots_ask(struct shots *shots, json_t *question, const struct shot_caller *caller,
                         struct asker **ret_asker);
/* Drops the asker: it gets no answer. */
void shots_hang_up(struct asker *asker);

/* Asks for the shot of `query` (as above). The answer comes later through shots_get() and the
 * events of "shot/<id>". *ret_shot is the current answer of shots_get(); NULL if memory
 * is short. */
enum api_error shots_ask_async(struct shots *shots, json_t *query, const char *name,
                               double arrived_s, json_t **ret_shot);
/* An asynchronous query: {"id","state":"running"|"done"|"failed","answer":…|null}, owned by the
 * caller; and the id of its last event, even if its topic is gone, or 0: it runs. API_NOT_FOUND. */
enum api_error shots_get(struct shots *shots, const char *id, json_t **ret_shot,
                         int64_t *ret_last_event);
/* The query ends with its answer so far or, without one, with API_CANCELLED. Others who share its
 * search go on. API_NOT_FOUND. */
enum api_error shots_cancel(struct shots *shots, const char *id);

/* The topic of a query's events (service/base/events.h). */
struct topic_name shot_topic(const char *id);

/* Says whether the weights that the programs come with can be used. Later answers of players that
 * need them say it again. */
void shots_note_weights(struct shots *shots, bool are_good);
/* Lists reasons why queries or simulations cannot be answered; returns how many. Any thread, like
 * the next two. */
int shots_why_not_ready(const struct shots *shots, const char *ret_reasons[SHOTS_REASONS_MAX]);
/* Counts queries waiting and thinking, for metrics. */
int shots_waiting(const struct shots *shots);
int shots_thinking(const struct shots *shots);
void shots_stop(struct shots *shots, void (*stopped)(void *context), void *context);

#endif
