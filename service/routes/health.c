/* Health, version and contract of the service. */
#include "service/routes/routes.h"

#include "api/base/openapi.h"
#include "service/base/disk.h"
#include "service/routes/server.h"
#include "service/shots/shots.h"
#include "service/store/jobs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* GET /   →   200 {"name","version","links":{…}} */
enum api_error route_index(struct http_request *request)
{
    static const char *const links[][2] = {
        {"api", "/openapi.yaml"},
        {"health", "/healthz"},
        {"ready", "/readyz"},
        {"metrics", "/metrics"},
        {"version", "/v1/version"},
        {"schemas", "/v1/schemas"},
        {"job kinds", "/v1/job-kinds"},
        {"shots", "/v1/shots"},
        {"maps", "/v1/maps"},
        {"calls", "/v1/calls"},
        {"simulations", "/v1/simulations"},
        {"skills", "/v1/skills"},
        {"jobs", "/v1/jobs"},
        {"library", "/v1/library"},
        {"runs", "/v1/runs"},
        {"models", "/v1/models"},
        {"players", "/v1/players"},
        {"matches", "/v1/matches"},
        {"ratings", "/v1/ratings"},
        {"caller", "/v1/caller"},
        {"callers", "/v1/callers"},
        {"workers", "/v1/workers"},
        {"placement", "/v1/placement"},
        {"retention", "/v1/retention"},
        {"backups", "/v1/backup"},
        {"exploitability", "/v1/exploitability"},
        {"reproduction", "/v1/reproduction"},
        {"events", "/v1/events"},
        {"score", "/v1/positions/score"},
        {"validate", "/v1/positions/validate"},
        {"curves", "/v1/metrics/query"},
    };
    json_t *list = json_object();

    for (size_t k = 0; k < sizeof links / sizeof links[0]; k++)
        json_object_set_new(list, links[k][0],
                            json_sprintf("%s%s", answer_base_path(request), links[k][1]));
    return http_json(
        request, 200,
        json_pack("{s:s, s:s, s:o}", "name", "rinkd", "version", RINKD_VERSION, "links", list));
}

/* GET /healthz   →   200 {"status":"ok"} */
enum api_error route_health(struct http_request *request)
{
    return http_json(request, 200, json_pack("{s:s}", "status", "ok"));
}

/* Reasons for not being ready, joined in one line. */
struct reasons {
    enum api_error first; /* API_OK: nothing */
    char text[256];
};

static void add_reason(struct reasons *reasons, enum api_error error, const char *text)
{
    size_t used = strlen(reasons->text);

    if (reasons->first == API_OK)
        reasons->first = error;
    snprintf(reasons->text + used, sizeof reasons->text - used, "%s%s", used ? "; " : "", text);
}

/* GET /readyz → 200 {"status":"ready"}, or 503 (507: the disk or the database) and all reasons for
 * not being ready. `check` tests the database; the rest runs on the core thread, which proves that
 * it is alive. */
enum api_error check_ready(struct http_request *request)
{
    struct reasons *reasons = calloc(1, sizeof *reasons);
    int64_t counts[JOB_STATES];

    request->state = reasons;
    if (!reasons)
        return API_NO_MEMORY;
    if (atomic_load(&request->server->draining))
        add_reason(reasons, API_DRAINING, "the service is shutting down");
    if (disk_is_lost(request->server->base.disk))
        add_reason(reasons, API_STORAGE, "the database was removed from the data folder");
    else if (disk_is_full(request->server->base.disk))
        add_reason(reasons, API_STORAGE,
                   "the disk is full: nothing can be stored until there is room");
    enum api_error error = job_store_counts(request->store, counts);
    if (error != API_OK)
        add_reason(reasons, error, "the database cannot be read");
    return API_OK;
}

enum api_error route_ready(struct http_request *request)
{
    const char *of_shots[SHOTS_REASONS_MAX];
    struct reasons *reasons = request->state;
    int count = shots_why_not_ready(request->server->shots, of_shots);

    for (int k = 0; k < count; k++)
        add_reason(reasons, API_NO_WORKER, of_shots[k]);
    if (reasons->first != API_OK)
        return http_problem(request, reasons->first, reasons->text);
    return http_json(request, 200, json_pack("{s:s}", "status", "ready"));
}

/* GET /openapi.yaml   →   200, the contract of the service */
enum api_error route_openapi(struct http_request *request)
{
    size_t size;
    const char *contract = openapi_yaml(&size);

    return contract ? http_static(request, "application/yaml", contract, size) : API_NO_MEMORY;
}

/* GET /v1/version   →   200 {"name","version","schema"} */
enum api_error route_version(struct http_request *request)
{
    return http_json(request, 200,
                     json_pack("{s:s, s:s, s:i}", "name", "rinkd", "version", RINKD_VERSION,
                               "schema", store_schema_version(request->store)));
}
