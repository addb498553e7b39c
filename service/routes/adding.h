/* Adds jobs for other routes than those of jobs (jobs.c). */
#ifndef RINKD_SERVICE_ROUTES_ADDING_H
#define RINKD_SERVICE_ROUTES_ADDING_H

#include "service/routes/routes.h"

/* Adds the job that check_job() has read, in the transaction of a route that writes. */
enum api_error add_checked_job(struct http_request *request, int64_t *ret_id);

#endif
