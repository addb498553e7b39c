/* JSON Schemas, from which clients can be generated. */
#include "service/routes/routes.h"

#include "api/curling/profile_json.h"
#include "api/curling/shot_json.h"
#include "api/jobs/job_kind_json.h"

#include <string.h>

static void add_schema(const struct http_request *request, json_t *items, const char *kind)
{
    json_array_append_new(items, json_pack("{s:s, s:s++}", "kind", kind, "href",
                                           answer_base_path(request), "/v1/schemas/", kind));
}

/* GET /v1/schemas   →   200 {"items":[{"kind","href"}],"next_cursor":null} */
enum api_error route_schemas(struct http_request *request)
{
    json_t *items = json_array();
    const struct job_kind *kind;

    add_schema(request, items, "shot");
    for (int k = 0; (kind = job_kind_at(k)) != NULL; k++)
        if (!kind->is_internal)
            add_schema(request, items, kind->name);
    return http_list(request, items);
}

/* GET /v1/schemas/{kind}   →   200 */
enum api_error route_schema(struct http_request *request)
{
    const char *name = request->arg[0];
    const struct job_kind *kind = job_kind_find(name);
    bool is_shot = strcmp(name, "shot") == 0;

    if (!is_shot && (!kind || kind->is_internal))
        return API_NOT_FOUND;
    return http_json(request, 200, is_shot ? shot_query_schema() : job_kind_schema(kind));
}
