/* The commands of rink-compete. */
#ifndef RINKD_WORKERS_COMPETE_COMPETE_COMMANDS_H
#define RINKD_WORKERS_COMPETE_COMPETE_COMMANDS_H

#include "workers/command.h"

#include <jansson.h>

command_function command_dc2, command_dc3, command_dc4; /* command_play.c */
command_function command_host;                          /* command_host.c */
command_function command_replay;                        /* command_replay.c */
command_function command_worker;                        /* worker_compete.c */

/* Does a job of the kind "host": worker_host.c. */
struct wire_job;
struct worker;
json_t *job_host(struct worker *worker, const struct wire_job *job);
/* Does a job of the kind "external": worker_external.c. */
json_t *job_external(struct worker *worker, const struct wire_job *job);
/* Does a job of the kind "import": worker_import.c. */
json_t *job_import(struct worker *worker, const struct wire_job *job);

#endif
