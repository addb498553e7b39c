/* JSON Schemas, from which clients and forms can be made. */
#include "service/routes/routes.h"

#include "api/job_json.h"
#include "api/openapi.h"

#include <string.h>

static enum api_error find_schema(const char *kind, json_t **ret_schema)
{
    if (strcmp(kind, "shot") != 0)
        return job_schema(kind, ret_schema);
    *ret_schema = json_loads(shot_schema, 0, NULL);
    return *ret_schema ? API_OK : API_NO_MEMORY;
}

/* GET /v1/schemas   →   200 {"items":[{"kind","href"}],"next_cursor":null} */
enum api_error route_schemas(struct http_request *request, struct store *store)
{
    json_t *items = json_array(), *schema;
    const char *kind = "shot";

    (void)store;
    for (int k = 0; kind; kind = job_kind_at(k++)) {
        if (find_schema(kind, &schema) != API_OK)
            continue;
        json_decref(schema);
        json_array_append_new(items,
                              json_pack("{s:s, s:s+}", "kind", kind, "href", "/v1/schemas/", kind));
    }
    return http_list(request, items, NULL);
}

/* GET /v1/schemas/{kind}   →   200 */
enum api_error route_schema(struct http_request *request, struct store *store)
{
    json_t *schema = NULL;
    enum api_error error = find_schema(request->arg[0], &schema);

    (void)store;
    return answer_with(request, error, schema);
}
