/* The kinds of jobs, from which clients build their forms and show results. */
#include "service/routes/routes.h"

#include "api/base/build_json.h"
#include "api/jobs/job_kind_json.h"

/* GET /v1/job-kinds   →   200 {"items":[…],"next_cursor":null}, api/jobs/job_kind_json.h */
enum api_error route_job_kinds(struct http_request *request)
{
    json_t *items = json_array();
    bool good = true;

    for (int k = 0; job_kind_at(k); k++)
        good = build_append(items, job_kind_json(job_kind_at(k))) && good;
    return http_list(request, build_done(items, good));
}

/* GET /v1/job-kinds/{kind}   →   200, an item of the list with the "schema" of the specs */
enum api_error route_job_kind(struct http_request *request)
{
    const struct job_kind *kind = job_kind_find(request->arg[0]);

    if (!kind)
        return API_NOT_FOUND;
    json_t *document = job_kind_json(kind);
    bool good = build_add(document, "schema", job_kind_schema(kind));
    return http_json(request, 200, build_done(document, good));
}
