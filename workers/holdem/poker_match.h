/* A match: sessions between two players, spread over threads and kept in a file, so that an
 * interrupted match goes on where it stopped. The result depends on neither. */
#ifndef RINKD_WORKERS_HOLDEM_POKER_MATCH_H
#define RINKD_WORKERS_HOLDEM_POKER_MATCH_H

#include "workers/holdem/session.h"

#include <jansson.h>

struct poker_match {
    struct poker_session session; /* of all sessions; `number` is ignored */
    int first;                    /* number of the first session, of a part of a match */
    int sessions, threads;
    /* File of finished sessions, and a line of text that names everything they depend on. NULL: no
     * file. */
    const char *path, *header;
    atomic_bool *stop; /* may be NULL */
    /* Called from the calling thread with what is finished, the first `done` sessions: at first,
     * with those of the file, and after each batch (poker_match_batch()). May be NULL. */
    void (*progress)(void *context, int done, const struct poker_tally *tally, bool resumed);
    void *context;
};

enum poker_match_status {
    POKER_MATCH_OK,
    POKER_MATCH_STOPPED,
    POKER_MATCH_NO_MEMORY,
    POKER_MATCH_STORAGE /* see errno */
};

enum poker_match_status poker_match_run(const struct poker_match *match,
                                        struct poker_tally *ret_tally);

/* Returns how many of `sessions` sessions are played before they are kept and told of. */
int poker_match_batch(const struct poker_match *match, int sessions);

/* A match whose sessions are played in parts, each into a file of its own by poker_match_run():
 * adds them to the file of the match. The whole match has the same file as one that is played at
 * once. */
struct poker_file;

/* Opens the file of the match, or makes it, cut back to `most` sessions, and adds those to the
 * tally. NULL: see errno. */
struct poker_file *poker_file_open(const struct poker_match *match, int most,
                                   struct poker_tally *tally, int *ret_sessions);
/* Reads all sessions of the file of a part. False: see errno; EINVAL: it does not hold exactly
 * these. */
bool poker_file_read(const struct poker_match *part, struct poker_tally *ret_sessions);
/* Adds the next session. It is durable after poker_file_sync(). False: see errno. */
bool poker_file_add(struct poker_file *file, const struct poker_tally *session);
bool poker_file_sync(struct poker_file *file);
void poker_file_close(struct poker_file *file); /* NULL is fine */

/* The result: {"a","b","sessions","hands","seed","pairs","mbb_per_hand","interval","by_hand",
 * "after_switch"}. The caller owns it; NULL: memory is short. */
json_t *poker_match_json(const struct poker_match *match, const char *const names[2], int sessions,
                         const struct poker_tally *tally);

#endif
