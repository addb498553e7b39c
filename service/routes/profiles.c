/* The profiles: rules, ice and hand under one name. */
#include "service/routes/routes.h"

#include "api/profile_json.h"

/* GET /v1/profiles   →   200 {"items":[…],"next_cursor":null}, api/profile_json.h; jobs play the
 * first one by default */
enum api_error route_profiles(struct http_request *request, struct store *store)
{
    json_t *items = json_array();
    const struct profile *profile;

    (void)store;
    for (int k = 0; (profile = profile_at(k)) != NULL; k++)
        if (json_array_append_new(items, profile_json(profile)) != 0) {
            json_decref(items);
            return API_NO_MEMORY;
        }
    return http_list(request, items, NULL);
}
