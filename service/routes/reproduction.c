/* What papers printed, beside what was measured here. */
#include "service/routes/routes.h"

#include "api/reproduction.h"

#include <string.h>

/* GET /v1/reproduction   →   200, api/reproduction.json */
enum api_error route_reproduction(struct http_request *request)
{
    return http_static(request, "application/json", reproduction_json, strlen(reproduction_json));
}
