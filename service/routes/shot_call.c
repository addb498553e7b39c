/* See shot_call.h. The call lives until its request is answered. */
#include "service/routes/shot_call.h"

#include "service/routes/server.h"
#include "service/shots/shot_errors.h"
#include "service/shots/shots.h"

#include <stdlib.h>

enum { ANSWER_DIGITS = 9 }; /* digits of a number in the answer */

struct shot_call {
    struct http_request *request;
    struct asker *asker;
};

/* Sends the answer and ends the call. */
static void end(struct shot_call *call)
{
    http_release(call->request);
    free(call);
}

static void on_answered(void *context, enum api_error error, json_t *answer)
{
    struct shot_call *call = context;

    if (error == API_OK) {
        http_text(call->request, 200, "application/json",
                  json_dumps(answer, JSON_COMPACT | JSON_REAL_PRECISION(ANSWER_DIGITS)));
    } else {
        if (error == API_BAD_FIELD && answer)
            shot_errors_read(answer, &call->request->errors);
        http_problem(call->request, error,
                     error == API_INTERNAL ? "the player failed; the log of the service says why"
                                           : NULL);
    }
    end(call);
}

static void on_hung_up(struct http_request *request, void *context)
{
    struct shot_call *call = context;

    shots_hang_up(call->asker);
    http_problem(request, API_CANCELLED, NULL); /* the answer goes nowhere */
    end(call);
}

enum api_error shot_take_timeout(struct http_request *request)
{
    const struct strict_place root = strict_root(request->body, &request->errors);
    const struct strict_place place = strict_member(&root, "timeout_ms");
    int64_t *timeout_ms = malloc(sizeof *timeout_ms);

    request->state = timeout_ms;
    if (!timeout_ms)
        return API_NO_MEMORY;
    *timeout_ms = SHOTS_SIMULATE_MS;
    if (!strict_is_missing(&place) && !strict_whole(&place, 1, SHOTS_SIMULATE_MS, timeout_ms))
        return API_BAD_FIELD;
    json_object_del(request->body, "timeout_ms");
    return API_OK;
}

enum api_error shot_call(struct http_request *request, int64_t simulate_ms)
{
    struct shot_call *call = calloc(1, sizeof *call);

    if (!call)
        return API_NO_MEMORY;
    call->request = request;
    enum api_error error = http_hold(request, on_hung_up, call);
    if (error != API_OK) {
        free(call);
        return error;
    }
    const struct shot_caller caller = {.name = request->caller,
                                       .id = request->id,
                                       .arrived_s = request->arrived_s,
                                       .simulate_ms = simulate_ms,
                                       .answered = on_answered,
                                       .context = call};
    error = shots_ask(request->server->shots, json_incref(request->body), &caller, &call->asker);
    if (error != API_OK) { /* otherwise it may be answered already, and the call freed */
        http_problem(request, error, NULL);
        end(call);
    }
    return API_OK;
}
