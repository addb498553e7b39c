/* Simulates throws. */
#include "service/routes/routes.h"

#include "api/curling/scene_json.h"
#include "service/routes/shot_call.h"

/* POST /v1/simulations   a state and a shot (api/curling/scene_json.h) with "timeout_ms"?   →   200
 * {"id","shot","stones","state",…,"trajectory"?,"samples"?} */
enum api_error check_simulation(struct http_request *request)
{
    struct scene scene;
    enum api_error error = shot_take_timeout(request);

    if (error == API_OK && !scene_state_decode(request->body, &scene, &request->errors))
        error = API_BAD_FIELD;
    return error;
}

enum api_error route_simulation(struct http_request *request)
{
    const int64_t *timeout_ms = request->state;

    return shot_call(request, *timeout_ms);
}
