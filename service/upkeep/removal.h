/* Carries out a plan of retention: rows first, in small transactions of the core thread, files
 * after their commit. A kill in between leaves files without rows, which the next start moves to
 * lost+found. */
#ifndef RINKD_SERVICE_UPKEEP_REMOVAL_H
#define RINKD_SERVICE_UPKEEP_REMOVAL_H

#include "service/base/base.h"
#include "service/upkeep/retention.h"

#include <stdatomic.h>

/* Removes what the plan lists and adds it to `gone`; whatever is needed by now stays. Waits for the
 * core thread, so it is for a thread of its own. Stops early once *stop is true. Returns the first
 * error, after which it has gone on with the rest. */
enum api_error retention_remove(const struct base *base, const struct retention_plan *plan,
                                const atomic_bool *stop, struct kept_list gone[KEPT_KINDS]);

#endif
