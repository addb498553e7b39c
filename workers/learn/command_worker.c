/* rink-learn worker: does one job for the daemon (api/jobs/wire.h). */
#include "workers/learn/command.h"
#include "workers/learn/training/worker_train.h"
#include "workers/worker.h"

#include <unistd.h>

int command_worker(int argc, char **argv)
{
    static const struct worker_kind kinds[] = {{"train", job_train, false}, {0}};
    int status = worker_command(argc, argv, RINKD_VERSION, kinds);

    if (job_train_is_left_behind())
        _exit(status);
    return status;
}
