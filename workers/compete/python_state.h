/* States of Digital Curling 4 in the log of the official Python client, which keeps them as Python
 * prints them:
 *
 *   latest_state_data: winner_team=None end_number=0 … score=ScoreSchema(team0=[0, 0], …) */
#ifndef RINKD_WORKERS_COMPETE_PYTHON_STATE_H
#define RINKD_WORKERS_COMPETE_PYTHON_STATE_H

#include <jansson.h>

/* Reads a message of that log. Returns the state as the server sent it, for json_decref(), without
 * what the client left out: the names of the teams. NULL: another message (or NULL), one that is
 * broken, or no memory. */
json_t *python_state(const char *message);

#endif
