/* Estimates hands. */
#include "service/routes/routes.h"

#include "api/curling/skill_json.h"
#include "service/routes/shot_call.h"

/* POST /v1/skills   called and thrown shots (api/curling/skill_json.h) with "timeout_ms"?   →   200
 * {"id","profile","shots","noise","intervals","kinds","drift"} */
enum api_error check_skill(struct http_request *request)
{
    struct skill_query query;
    enum api_error error = shot_take_timeout(request);

    if (error != API_OK)
        return error;
    if (!skill_query_decode(request->body, &query, &request->errors))
        return API_BAD_FIELD;
    skill_query_free(&query);
    return API_OK;
}

enum api_error route_skill(struct http_request *request)
{
    const int64_t *timeout_ms = request->state;

    return shot_call(request, *timeout_ms);
}
