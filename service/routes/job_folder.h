/* The folder of a job, <data>/jobs/<id>: records, checkpoints. */
#ifndef RINKD_SERVICE_ROUTES_JOB_FOLDER_H
#define RINKD_SERVICE_ROUTES_JOB_FOLDER_H

#include "service/http/http.h"

/* From the `run` of a route that has deleted the job: removes its folder once that is committed. */
void job_folder_remove(struct http_request *request, int64_t job);

/* At start: removes the folders whose jobs are gone, as a kill between the commit and the removal
 * leaves them. Returns how many. */
int job_folders_sweep(const char *data, struct store *store);

#endif
