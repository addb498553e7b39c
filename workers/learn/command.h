/* The commands of rink-learn. */
#ifndef RINKD_WORKERS_LEARN_COMMAND_H
#define RINKD_WORKERS_LEARN_COMMAND_H

#include "workers/command.h"

command_function command_ensemble, command_estimate, command_golden, command_imitate, command_toy,
    command_train, command_worker;

#endif
