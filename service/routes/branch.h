/* Training jobs that begin with a checkpoint of a run and go on with it: longer, or measured in
 * another way. What it learns and how has to stay; a request need not repeat that. */
#ifndef RINKD_SERVICE_ROUTES_BRANCH_H
#define RINKD_SERVICE_ROUTES_BRANCH_H

#include "api/strict_json.h"
#include "service/store/store.h"

/* Gives the spec of a request, if it is that of a branch, what has to be as in the run that "from"
 * names and is not there. Anything that is not understood is left as it is. API_NO_MEMORY and
 * failures of the store. */
enum api_error branch_fill(struct store *store, json_t *spec);

/* Whether the checkpoint that "from" of a resolved spec names is there and fits the rest of the
 * spec; API_BAD_FIELD and at least one error that names the field when not. A spec without "from"
 * is fine. */
enum api_error branch_check(struct store *store, json_t *spec, struct strict_errors *ret_errors);

#endif
