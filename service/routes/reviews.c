/* Reviews of games as pages to print. A review is the result of a job. */
#include "service/routes/routes.h"

#include "api/curling/review_html.h"
#include "service/store/jobs.h"

#include <stdio.h>
#include <string.h>

/* The page runs nothing and loads nothing. */
#define POLICY "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"

/* GET /v1/reviews/{report}   "ID.html", of a review that is done   →   200, one page of HTML */
enum api_error route_review(struct http_request *request)
{
    long long id;
    int used = 0;
    json_t *job;

    if (sscanf(request->arg[0], "%18lld%n", &id, &used) != 1 || id < 1 ||
        strcmp(request->arg[0] + used, ".html") != 0)
        return API_NOT_FOUND;
    enum api_error error = job_store_get(request->store, id, &job);
    if (error != API_OK)
        return error;
    const char *kind = json_string_value(json_object_get(job, "kind"));
    const json_t *result = json_object_get(job, "result");
    if (!kind || strcmp(kind, "review") != 0 || !json_object_get(result, "shots")) {
        json_decref(job);
        return http_problem(request, API_NOT_FOUND, "there is no review of this number yet");
    }
    char *text = review_html(result);
    json_decref(job);
    if (!text)
        return API_NO_MEMORY;
    http_add_header(request, "Content-Security-Policy", POLICY);
    http_add_header(request, "Referrer-Policy", "no-referrer");
    return http_text(request, 200, "text/html; charset=utf-8", text);
}
