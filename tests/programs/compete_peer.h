/* The other end of rink-compete's connection, played by the test itself: a host of Digital Curling
 * that keeps a real game. Whatever goes wrong on this side ends the test. */
#ifndef RINKD_TESTS_PROGRAMS_COMPETE_PEER_H
#define RINKD_TESTS_PROGRAMS_COMPETE_PEER_H

#include "models/game/game.h"
#include "models/ice/profile.h"
#include "tests/programs/program.h"

#include <jansson.h>
#include <stdbool.h>

/* ---- a connection of messages ---- */

struct peer {
    int listener, port, fd;
    char end; /* of a message: '\n' or '\0' */
    struct program_talk program;
    char *log; /* of the program, in the folder of the test */
};

enum { PEER_ARGUMENTS_MAX = 12 };

/* Listens and starts "rink-compete COMMAND 127.0.0.1 PORT --log … MORE…", or with a URL for dc4. */
void peer_start(struct peer *peer, const char *command, const char *folder,
                const char *const *more);
/* Listens alone; somebody else starts the program. */
void peer_listen(struct peer *peer, char end);
void peer_accept(struct peer *peer);
/* Sends a text as it is, in pieces of so many bytes (0: whole). */
void peer_send(struct peer *peer, const char *text, size_t piece);
/* Sends a message with its end. Takes ownership of a document. */
void peer_say(struct peer *peer, const char *text);
void peer_say_json(struct peer *peer, json_t *document);
/* Reads a message; NULL when the program has closed the connection. The caller frees it. */
char *peer_hear(struct peer *peer);
/* Reads a message of JSON with this "cmd". The caller owns it. */
json_t *peer_hear_cmd(struct peer *peer, const char *cmd);
void peer_hang_up(struct peer *peer);
/* Waits for the program, which must end with this status and this word; returns its result. */
json_t *peer_end(struct peer *peer, int status, const char *word);
/* Fails unless the log is whole: lines of JSON from "started" to "ended" with that word. */
void peer_check_log(const struct peer *peer, const char *word);
/* Repeats the log, which must give the same decisions and words. */
void peer_check_replay(const struct peer *peer, int decisions);

/* ---- a game ---- */

/* Throws without noise and returns the stones after it, also those of a finished end; a shot that
 * cannot be thrown fails the test. */
struct position peer_throw(struct game *game, const struct ice_profile *ice, struct shot shot);

/* What the host's own team throws: draws to the tee and beside it. */
struct shot peer_own_shot(const struct game *game, const struct ice_profile *ice);

#endif
