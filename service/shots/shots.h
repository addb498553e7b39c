/* Shot queries and simulations: from a request to warm workers and back. Core thread only.
 *
 * Identical queries (same body but for id and time-outs, no time limit or the same) that are in
 * flight share one answer. A query waits at most until its deadline; where the queue is so long
 * that it cannot be met, it is refused at once (API_BUSY). A caller who hangs up frees the worker.
 */
#ifndef RINKD_SERVICE_SHOTS_SHOTS_H
#define RINKD_SERVICE_SHOTS_SHOTS_H

#include "service/http/http.h"

struct shots;

enum { SHOTS_TIMEOUT_MS = 30000, SHOTS_SIMULATE_MS = 10000, SHOTS_REASONS_MAX = 2 };

enum api_error shots_start(struct server *server, struct shots **ret_shots);

/* Answers a held request with the shot for `query` (a checked shot query; stolen), or, `async`, at
 * once with 202 and a Location, the rest over events "shot/<id>". */
enum api_error shots_ask(struct http_request *request, json_t *query, bool async);
/* Answers a held request with what rink-simulate says to `scene` (stolen) within so many ms. */
enum api_error shots_simulate(struct http_request *request, json_t *scene, int64_t timeout_ms);

/* Of asynchronous queries: {"id","state":"running"|"done"|"failed","answer":…|null}; the JSON is
 * the caller's. API_NOT_FOUND. */
enum api_error shots_get(struct shots *shots, const char *id, json_t **ret_shot);
/* The id of the event that said that it has ended, whether or not its topic is still there; 0: it
 * has not, or there is no such query. */
int64_t shots_last_event(struct shots *shots, const char *id);
enum api_error shots_cancel(struct shots *shots, const char *id);

/* Why queries or simulations cannot be answered yet, in words; returns how many reasons there are.
 * Any thread, as the next two. */
int shots_why_not_ready(const struct shots *shots, const char *ret_reasons[SHOTS_REASONS_MAX]);
/* Queries waiting and thinking, for metrics. */
int shots_waiting(const struct shots *shots);
int shots_thinking(const struct shots *shots);
void shots_stop(struct shots *shots, void (*stopped)(void *context), void *context);

#endif
