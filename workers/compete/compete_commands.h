/* The commands of rink-compete. */
#ifndef RINKD_WORKERS_COMPETE_COMPETE_COMMANDS_H
#define RINKD_WORKERS_COMPETE_COMPETE_COMMANDS_H

#include "workers/command.h"

command_function command_dc2, command_dc3, command_dc4; /* command_play.c */
command_function command_replay;                        /* command_replay.c */
command_function command_worker;                        /* worker_compete.c */

#endif
