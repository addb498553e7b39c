/* A request answered by a warm process: it is held while the process thinks.
 *
 *     struct shot_call *call = shot_call_begin(request);
 *     if (!call)
 *         return API_NO_MEMORY;
 *     return shot_call_asked(call, shots_ask(shots, query, &call->caller, &call->asker)); */
#ifndef RINKD_SERVICE_ROUTES_SHOT_CALL_H
#define RINKD_SERVICE_ROUTES_SHOT_CALL_H

#include "service/http/http.h"
#include "service/shots/shots.h"

struct shot_call {
    struct http_request *request;
    struct shot_caller caller;
    struct asker *asker;
};

/* Holds the request. NULL: memory is short, and the request is answered. */
struct shot_call *shot_call_begin(struct http_request *request);

/* Returns the result of the route, after asking: answers now if the question was refused, otherwise
 * when its answer comes. The route must not use the call afterwards. */
enum api_error shot_call_asked(struct shot_call *call, enum api_error error);

#endif
