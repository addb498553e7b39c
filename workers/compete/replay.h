/* Repeats a conversation from its log: the same messages are heard, every decision is made again,
 * and what is said is compared with what was said. */
#ifndef RINKD_WORKERS_COMPETE_REPLAY_H
#define RINKD_WORKERS_COMPETE_REPLAY_H

#include "workers/compete/session.h"

struct replay_result {
    int heard, said;          /* messages */
    int decisions;            /* repeated by a search */
    int remembered;           /* taken from the log: their search was stopped by the clock */
    int different;            /* decisions or sayings that differ */
    char first[TALK_WHY_MAX]; /* the first difference, "" if there is none */
};

/* False, with a sentence in ret_why: the log cannot be read, or its player is not known here. */
bool replay_run(const char *path, int threads, const atomic_bool *cancel,
                struct replay_result *ret_result, char ret_why[TALK_WHY_MAX]);

/* The line "started" of a log: what a replay needs to know. Borrows the session. */
json_t *replay_header(const struct session *session);

#endif
