/* The kinds of jobs as JSON, for GET /v1/job-kinds and GET /v1/schemas. The caller owns all
 * documents; NULL when memory is short. */
#ifndef RINKD_API_JOBS_JOB_KIND_JSON_H
#define RINKD_API_JOBS_JOB_KIND_JSON_H

#include "api/jobs/job_kinds.h"

/* The JSON Schema (draft 2020-12) of the specs of a kind, as a document of its own. */
json_t *job_kind_schema(const struct job_kind *kind);

/* {"name","about","scope","internal","has_runs","has_tasks","plays_games","makes_models","can_be_tried",
 *  "followed_by":KIND|null,
 *  "result":[{"rows":[MEMBER,…],"columns":[{"member","label","unit"|null,"format"},…]},…],
 *  "curves":[{"name","about","unit"|null,"minimum"?,"maximum"?},…], "href"}
 *
 * "rows" names the members of the result that are table lines or lists of them; it is empty if the
 * columns are members of the result itself. */
json_t *job_kind_json(const struct job_kind *kind);

#endif
