/* A request answered by a warm process: it is held while the process thinks. */
#ifndef RINKD_SERVICE_ROUTES_SHOT_CALL_H
#define RINKD_SERVICE_ROUTES_SHOT_CALL_H

#include "service/http/http.h"

/* Moves "timeout_ms" of a simulation or an estimate from the body, whose reader does not know it,
 * to the state of the request: an int64_t, at most and by default SHOTS_SIMULATE_MS. API_BAD_FIELD,
 * API_NO_MEMORY. */
enum api_error shot_take_timeout(struct http_request *request);

/* Asks for the shot of the query in the body or, with simulate_ms above 0, for the simulation of
 * the scene there. Answers when the answer comes. Returns the result of the route. */
enum api_error shot_call(struct http_request *request, int64_t simulate_ms);

#endif
