/* The profiles: rules, ice and hand under one name. */
#include "service/routes/routes.h"

#include "api/base/build_json.h"
#include "api/curling/profile_json.h"

/* GET /v1/profiles   →   200 {"items":[…],"next_cursor":null}, api/curling/profile_json.h; jobs
 * play the first one by default */
enum api_error route_profiles(struct http_request *request)
{
    json_t *items = json_array();
    bool good = true;

    for (int k = 0; profile_at(k); k++)
        good = build_append(items, profile_json(profile_at(k))) && good;
    return http_list(request, build_done(items, good));
}
