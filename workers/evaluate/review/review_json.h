/* A review as JSON: the result of a job of the kind "review" (api/jobs/job_kinds.c). */
#ifndef RINKD_WORKERS_EVALUATE_REVIEW_REVIEW_JSON_H
#define RINKD_WORKERS_EVALUATE_REVIEW_REVIEW_JSON_H

#include "workers/evaluate/review/review.h"

#include <jansson.h>

/* Returns {"profile","ends","teams","judge","throws","seed","scores","winner","conceded","sums",
 * "check","shots","key"}. The caller owns it; NULL: out of memory. */
json_t *review_json(const struct review_setting *setting, const struct review *review);

#endif
