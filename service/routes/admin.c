/* Routes for operators. */
#include "service/routes/routes.h"

#include "service/jobs/supervisor.h"
#include "service/routes/server.h"

/* GET /v1/workers   →   200 {"items":[{"pid","kind","job",…}],"next_cursor":null} */
enum api_error route_workers(struct http_request *request)
{
    return http_list(request, supervisor_workers(request->server->supervisor));
}
