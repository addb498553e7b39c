/* The commands of rink-evaluate. */
#ifndef RINKD_WORKERS_EVALUATE_COMMAND_H
#define RINKD_WORKERS_EVALUATE_COMMAND_H

#include "workers/command.h"

command_function command_match, command_tournament, command_exploitability, command_tendencies;

#endif
