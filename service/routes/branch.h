/* Branches: training jobs that continue from a checkpoint of a run, for longer or with other
 * measurements. The game, the algorithm and its settings stay the same; a request may leave
 * them out. */
#ifndef RINKD_SERVICE_ROUTES_BRANCH_H
#define RINKD_SERVICE_ROUTES_BRANCH_H

#include "api/base/strict_json.h"
#include "service/store/store.h"

/* If the spec of a request is a branch, fills in the missing fields that must equal those of the
 * run in "from". Leaves anything it does not understand. API_NO_MEMORY, and failures of
 * the store. */
enum api_error branch_fill(struct store *store, json_t *spec);

/* Checks that the checkpoint in "from" of a resolved spec exists and fits the spec; otherwise
 * API_BAD_FIELD and at least one error that names the field. A spec without "from" is fine. The
 * checkpoint may come later if `after` (an array of ids, or NULL) has the job of the run and that
 * has not ended. */
enum api_error branch_check(struct store *store, json_t *spec, const json_t *after,
                            struct strict_errors *ret_errors);

#endif
