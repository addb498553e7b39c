/* A match: sessions between two players, spread over threads and kept in a file, so that an
 * interrupted match goes on where it stopped. The result depends on neither. */
#ifndef RINKD_WORKERS_HOLDEM_POKER_MATCH_H
#define RINKD_WORKERS_HOLDEM_POKER_MATCH_H

#include "workers/holdem/session.h"

#include <jansson.h>

struct poker_match {
    struct poker_session session; /* of all sessions; `number` is ignored */
    int sessions, threads;
    /* File of finished sessions, and a line of text that names everything they depend on. NULL: no
     * file. */
    const char *path, *header;
    atomic_bool *stop; /* may be NULL */
    /* Called now and then from the calling thread with what is finished: the first `done` sessions.
     * May be NULL. */
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

/* The result: {"a","b","sessions","hands","seed","pairs","mbb_per_hand","interval","by_hand",
 * "after_switch"}. The caller owns it; NULL: memory is short. */
json_t *poker_match_json(const struct poker_match *match, const char *const names[2], int sessions,
                         const struct poker_tally *tally);

#endif
