/* Estimates hands. */
#include "service/routes/routes.h"

#include "api/skill_json.h"
#include "service/routes/shot_call.h"
#include "service/shots/shots.h"

/* POST /v1/skills   called and thrown shots (api/skill_json.h)   →   200
 * {"id","profile","shots","noise","intervals","kinds","drift"} */
enum api_error check_skill(struct http_request *request)
{
    struct skill_query query;

    if (!skill_query_decode(request->body, &query, &request->errors))
        return API_BAD_FIELD;
    skill_query_free(&query);
    return API_OK;
}

enum api_error route_skill(struct http_request *request)
{
    return shot_call(request, SHOTS_SIMULATE_MS);
}
