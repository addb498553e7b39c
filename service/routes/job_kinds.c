/* The kinds of jobs, from which clients build their forms and show results. */
#include "service/routes/routes.h"

#include "api/job_kind_json.h"

/* GET /v1/job-kinds   →   200 {"items":[…],"next_cursor":null}, api/job_kind_json.h */
enum api_error route_job_kinds(struct http_request *request, struct store *store)
{
    json_t *items = json_array();
    const struct job_kind *kind;

    (void)store;
    for (int k = 0; (kind = job_kind_at(k)) != NULL; k++)
        if (json_array_append_new(items, job_kind_json(kind)) != 0) {
            json_decref(items);
            return API_NO_MEMORY;
        }
    return http_list(request, items, NULL);
}

/* GET /v1/job-kinds/{kind}   →   200, an item of the list with the "schema" of the specs */
enum api_error route_job_kind(struct http_request *request, struct store *store)
{
    const struct job_kind *kind = job_kind_find(request->arg[0]);

    (void)store;
    if (!kind)
        return API_NOT_FOUND;
    json_t *document = job_kind_json(kind);
    if (json_object_set_new(document, "schema", job_kind_schema(kind)) != 0) {
        json_decref(document);
        document = NULL;
    }
    return answer_with(request, document ? API_OK : API_NO_MEMORY, document);
}
