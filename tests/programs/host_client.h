/* A client of a host of Digital Curling 3, played by the test: connects, greets, moves. */
#ifndef RINKD_TESTS_PROGRAMS_HOST_CLIENT_H
#define RINKD_TESTS_PROGRAMS_HOST_CLIENT_H

#include "tests/programs/compete_peer.h"

#define DC_OK    "{\"cmd\":\"dc_ok\",\"name\":\"visitor\"}"
#define READY_OK "{\"cmd\":\"ready_ok\",\"player_order\":[3,0,1,2]}"
#define MOVE_OF(x, y, rotation)                                                        \
    "{\"cmd\":\"move\",\"move\":{\"type\":\"shot\",\"velocity\":{\"x\":" x ",\"y\":" y \
    "},\"rotation\":" rotation "}}"
#define MOVE    MOVE_OF("0.13", "2.4", "\"ccw\"")
#define CONCEDE "{\"cmd\":\"move\",\"move\":{\"type\":\"concede\"}}"

/* Connects to a port of this machine. */
struct peer client_of(int port);
/* Says name and order, and checks what the host says. */
void client_greet(struct peer *client);
/* Reads updates until this client has to move, and returns that one; NULL when the game is over, or
 * the host has hung up. *ret_last (may be NULL): the last update. The caller owns both. */
json_t *client_await_turn(struct peer *client, const char *team, json_t **ret_last);
/* Concedes at this client's first turn, and hangs up after the game. */
void client_concede(struct peer *client, const char *team);

#endif
