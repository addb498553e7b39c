/* Placement: the pilots in the queues of other engines. */
#include "service/placement/slurm.h"
#include "service/routes/routes.h"
#include "service/routes/server.h"

/* GET /v1/placement   →   200 {"slurm":null|{…}} */
enum api_error route_placement(struct http_request *request)
{
    return http_json(request, 200, json_pack("{s:o}", "slurm", slurm_json(request->server->slurm)));
}
