/* Throws of the simulator. */
#include "service/routes/routes.h"

#include "api/scene_json.h"
#include "service/shots.h"

#include <stdlib.h>
#include <string.h>

static enum scene_status read_scene(const json_t *body, struct scene_error *ret_error)
{
    struct scene scene;
    char *text = json_dumps(body, JSON_COMPACT | JSON_ENCODE_ANY);

    if (!text)
        return SCENE_NO_MEMORY;
    enum scene_status status = scene_read(text, strlen(text), &scene, ret_error);
    free(text);
    if (status != SCENE_OK)
        return status;
    /* fcv1 is the simulator of dc3. */
    const char *name = scene.model == SCENE_FCV1 ? "dc3" : scene_model_name(scene.model);
    return scene_check(&scene, rules_find(name), ret_error);
}

/* Takes "timeout_ms" out of the body, which the scene does not know; it becomes the request's
 * state. False: it is refused, or there is no memory. */
static bool take_timeout(struct http_request *request)
{
    struct strict_errors errors = {.count = 0};
    const struct strict_place root = strict_root(request->body, &errors);
    const struct strict_place place = strict_member(&root, "timeout_ms");
    int64_t *timeout_ms = malloc(sizeof *timeout_ms);

    request->state = timeout_ms;
    if (!timeout_ms) {
        http_problem(request, API_NO_MEMORY, NULL);
        return false;
    }
    *timeout_ms = SHOTS_SIMULATE_MS;
    if (strict_is_missing(&place))
        return true;
    if (!strict_whole(&place, 1, SHOTS_SIMULATE_MS, timeout_ms)) {
        http_fields(request, &errors);
        return false;
    }
    json_object_del(request->body, "timeout_ms");
    return true;
}

/* POST /v1/simulations   a scene (api/scene_json.h) with "timeout_ms"?   →   200
 * {"id","after","collisions",…,"trajectory"?,"samples"?} */
enum api_error check_simulation(struct http_request *request, struct store *store)
{
    struct scene_error error;
    char pointer[sizeof error.field + 1];

    (void)store;
    if (!take_timeout(request))
        return API_BAD_FIELD;
    /* Here a scene needs no id: the request has one. */
    if (json_is_object(request->body) && !json_object_get(request->body, "id") &&
        json_object_set_new(request->body, "id", json_string(request->id)) != 0)
        return http_problem(request, API_NO_MEMORY, NULL);
    /* The same request, the same answer: without a seed the luck would hang on the id. */
    if (json_object_get(request->body, "samples") && !json_object_get(request->body, "seed") &&
        json_object_set_new(request->body, "seed", json_integer(0)) != 0)
        return http_problem(request, API_NO_MEMORY, NULL);
    switch (read_scene(request->body, &error)) {
    case SCENE_OK:
        return API_OK;
    case SCENE_NO_MEMORY:
        return http_problem(request, API_NO_MEMORY, NULL);
    case SCENE_BAD_LINE:
    case SCENE_BAD_FIELD:
        break;
    }
    strict_pointer_of_path(error.field, sizeof pointer, pointer);
    return http_field(request, pointer, "value", error.text);
}

enum api_error route_simulation(struct http_request *request, struct store *store)
{
    (void)store;
    return shots_simulate(request, json_incref(request->body), *(const int64_t *)request->state);
}
