/* Training jobs that begin with a checkpoint of a run. */
#ifndef RINKD_SERVICE_ROUTES_BRANCH_H
#define RINKD_SERVICE_ROUTES_BRANCH_H

#include "api/strict_json.h"
#include "service/store/store.h"

/* Whether the checkpoint that "from" of a resolved spec names is there and fits the rest of the
 * spec; API_BAD_FIELD and at least one error that names the field when not. A spec without "from"
 * is fine. */
enum api_error branch_check(struct store *store, json_t *spec, struct strict_errors *ret_errors);

#endif
