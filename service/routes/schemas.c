/* JSON Schemas, from which clients can be generated. */
#include "service/routes/routes.h"

#include "api/job_kind_json.h"
#include "api/profile_json.h"

#include <string.h>

/* GET /v1/schemas   →   200 {"items":[{"kind","href"}],"next_cursor":null} */
enum api_error route_schemas(struct http_request *request, struct store *store)
{
    json_t *items = json_pack("[{s:s, s:s}]", "kind", "shot", "href", "/v1/schemas/shot");
    const struct job_kind *kind;

    (void)store;
    for (int k = 0; (kind = job_kind_at(k)) != NULL; k++)
        if (!kind->is_internal)
            json_array_append_new(items, json_pack("{s:s, s:s+}", "kind", kind->name, "href",
                                                   "/v1/schemas/", kind->name));
    return http_list(request, items, NULL);
}

/* GET /v1/schemas/{kind}   →   200 */
enum api_error route_schema(struct http_request *request, struct store *store)
{
    const char *name = request->arg[0];
    const struct job_kind *kind = job_kind_find(name);
    bool is_shot = strcmp(name, "shot") == 0;

    (void)store;
    if (!is_shot && (!kind || kind->is_internal))
        return API_NOT_FOUND;
    json_t *schema = is_shot ? shot_query_schema() : job_kind_schema(kind);
    return answer_with(request, schema ? API_OK : API_NO_MEMORY, schema);
}
