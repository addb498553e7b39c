/* The lease: how long a worker may be silent before its job goes to another one.
 *
 * A claimed job is leased to its worker (service/store/job_queue.c). Each line of the worker renews
 * the lease; a worker beats every WIRE_BEAT_MS (api/jobs/wire.h) even when it has nothing to tell.
 * When the lease ends, the daemon ends the worker (service/jobs/job_worker.c) and the job is ready
 * again. Operators set it with --lease-ms. */
#ifndef RINKD_SERVICE_BASE_LEASE_H
#define RINKD_SERVICE_BASE_LEASE_H

#include "api/jobs/wire.h"

#define LEASE_DEFAULT_MS "30000" /* a text, as all defaults of settings */
enum { LEASE_LEAST_MS = 2000, LEASE_MOST_MS = 3600000 };

_Static_assert((int)WIRE_BEAT_MS < (int)LEASE_LEAST_MS,
               "a worker that beats in time keeps every lease");

#endif
