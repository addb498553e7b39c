/* What --check-config tries of a start besides its settings. */
#ifndef RINKD_SERVICE_START_CHECK_H
#define RINKD_SERVICE_START_CHECK_H

#include "service/base/config.h"

#include <stdbool.h>

/* Whether a start could use the data folder, or make it, and listen at its address. Leaves
 * nothing behind, and complains on standard error. A rinkd that runs with the same data has its
 * port, so the port is then not tried. */
bool start_check(const struct config *config);

#endif
