/* Simulates throws. */
#include "service/routes/routes.h"

#include "api/scene_json.h"
#include "service/routes/shot_call.h"
#include "service/shots/shots.h"

#include <stdlib.h>

/* Moves "timeout_ms" from the body to the state of the request, as scenes do not have it. */
static enum api_error take_timeout(struct http_request *request)
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

/* POST /v1/simulations   a state and a shot (api/scene_json.h) with "timeout_ms"?   →   200
 * {"id","shot","stones","state",…,"trajectory"?,"samples"?} */
enum api_error check_simulation(struct http_request *request)
{
    struct scene scene;
    enum api_error error = take_timeout(request);

    if (error == API_OK && !scene_state_decode(request->body, &scene, &request->errors))
        error = API_BAD_FIELD;
    return error;
}

enum api_error route_simulation(struct http_request *request)
{
    const int64_t *timeout_ms = request->state;

    return shot_call(request, *timeout_ms);
}
