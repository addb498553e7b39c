/* rink-evaluate worker: does one job for the daemon (api/wire.h). */
#include "workers/evaluate/command.h"
#include "workers/evaluate/worker_jobs.h"
#include "workers/worker_command.h"

int command_worker(int argc, char **argv)
{
    static const struct worker_kind kinds[] = {
        {"match", job_match},
        {"tournament", job_tournament},
        {"exploitability", job_exploitability},
        {"rate", job_rate},
        {"diagnose", job_diagnose},
        {NULL, NULL},
    };

    return worker_command(argc, argv, RINKD_VERSION, kinds);
}
