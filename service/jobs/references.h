/* What the spec of a job names outside of itself (api/fields/job_fields.h): it has to be there when
 * the job is accepted. */
#ifndef RINKD_SERVICE_JOBS_REFERENCES_H
#define RINKD_SERVICE_JOBS_REFERENCES_H

#include "api/jobs/job_kinds.h"
#include "service/store/store.h"

/* Refuses each value of a resolved spec that names what is not there. Returns failures of the
 * store. Policies, runs and weights have checks of their own (players.h, routes/branch.h). */
enum api_error references_check(struct store *store, const char *data, const struct job_kind *kind,
                                const struct strict_place *spec);

#endif
