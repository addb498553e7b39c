/* Shot queries: one position in, the best shot out. */
#include "service/routes/routes.h"

#include "api/curling/shot_json.h"
#include "api/fields/player_spec.h"
#include "service/base/config.h"
#include "service/base/events.h"
#include "service/models/players.h"
#include "service/routes/server.h"
#include "service/routes/shot_call.h"
#include "service/shots/shots.h"

#include <stdio.h>
#include <string.h>

/* Replaces the player by its resolved spec; a query that names none gets the default player. */
static enum api_error name_player(struct http_request *request, const char *player)
{
    char spec[PLAYER_SPEC_MAX], error[PLAYER_ERROR_MAX];

    if (!*player)
        player = request->server->base.config->player;
    if (!*player)
        return API_OK; /* the program uses its default */
    if (players_resolve(request->server->players, request->store, player, sizeof spec, spec, error,
                        sizeof error) != API_OK)
        strict_refuse_at(&request->errors, "/player", "value", "%s", error);
    else if (json_object_set_new(request->body, "player", json_string(spec)) != 0)
        return API_NO_MEMORY;
    return API_OK;
}

/* The forms of a body, both of which shot_query_decode() reads; the second one must be an update of
 * a Digital Curling 3 server. */
#define SHOT_FORMAT_QUERY "query"
#define SHOT_FORMAT_DC3   "dc3-update"

/* Checks the body, which has to ask for this, and names its player. */
static enum api_error check_query(struct http_request *request, enum shot_asks asks)
{
    static const char *const places[] = {[SHOT_ASKS_MAP] = "/map", [SHOT_ASKS_CALLS] = "/calls"};
    struct shot_query query;

    if (request->errors.count > 0)
        return API_BAD_FIELD;
    if (!shot_query_decode(request->body, &query, NULL, &request->errors))
        return API_BAD_FIELD;
    shot_query_free(&query);
    if (query.asks != asks) {
        const char *place = places[query.asks != SHOT_ASKS_BEST ? query.asks : asks];
        bool is_missing = query.asks == SHOT_ASKS_BEST;
        strict_refuse_at(&request->errors, place, is_missing ? "missing" : "unknown",
                         is_missing ? "missing" : "belongs to another route");
        return API_BAD_FIELD;
    }
    return name_player(request, query.player);
}

/* POST /v1/shots   ?format   a shot query (api/curling/shot_json.h)   →   200 the answer; with
 * "Prefer: respond-async" 202 {"id","state","answer"} */
enum api_error check_shot(struct http_request *request)
{
    const char *format = http_parameter(request, "format");

    if (format && strcmp(format, SHOT_FORMAT_QUERY) != 0 && strcmp(format, SHOT_FORMAT_DC3) != 0)
        return http_problem(request, API_BAD_PARAMETER,
                            "format: must be " SHOT_FORMAT_QUERY " or " SHOT_FORMAT_DC3);
    if (format && strcmp(format, SHOT_FORMAT_DC3) == 0 && !json_object_get(request->body, "cmd"))
        strict_refuse_at(&request->errors, "/cmd", "missing", "missing: not an update");
    return check_query(request, SHOT_ASKS_BEST);
}

/* POST /v1/maps   a position (api/curling/map_json.h)   →   as POST /v1/shots */
enum api_error check_map(struct http_request *request)
{
    if (json_is_object(request->body) && !json_object_get(request->body, "map") &&
        json_object_set_new(request->body, "map", json_object()) != 0)
        return API_NO_MEMORY;
    return check_query(request, SHOT_ASKS_MAP);
}

/* POST /v1/calls   a position and shots (api/curling/map_json.h)   →   as POST /v1/shots */
enum api_error check_calls(struct http_request *request)
{
    return check_query(request, SHOT_ASKS_CALLS);
}

static enum api_error ask_async(struct http_request *request)
{
    json_t *shot;
    enum api_error error = shots_ask_async(request->server->shots, json_incref(request->body),
                                           request->caller, request->arrived_s, &shot);

    if (error == API_OK && !shot)
        error = API_NO_MEMORY;
    if (error != API_OK)
        return error;
    answer_location(request, "shots/%s", json_string_value(json_object_get(shot, "id")));
    return http_json(request, 202, shot);
}

enum api_error route_shot_add(struct http_request *request)
{
    if (http_prefers_async(request))
        return ask_async(request);
    return shot_call(request, 0);
}

/* GET /v1/shots/{id}   →   200 {"id","state","answer"} */
enum api_error route_shot(struct http_request *request)
{
    json_t *shot = NULL;
    int64_t last;
    enum api_error error = shots_get(request->server->shots, request->arg[0], &shot, &last);

    return answer_with(request, error, shot);
}

/* DELETE /v1/shots/{id}   →   204; the query ends with its best answer so far */
enum api_error route_shot_delete(struct http_request *request)
{
    return answer_deleted(request, shots_cancel(request->server->shots, request->arg[0]));
}

/* GET /v1/shots/{id}/events   →   partial answers and the final one as they come. The topic may be
 * gone long before the answer is. */
enum api_error route_shot_events(struct http_request *request)
{
    const struct topic_name topic = shot_topic(request->arg[0]);
    json_t *shot;
    int64_t last;
    enum api_error error = shots_get(request->server->shots, request->arg[0], &shot, &last);

    if (error != API_OK)
        return error;
    if (last > 0)
        return http_last_events(request, topic.text,
                                json_string_value(json_object_get(shot, "state")), last, shot);
    return http_events(request, topic.text, shot);
}
