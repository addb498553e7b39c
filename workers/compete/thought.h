/* One decision of the player, on a thread of its own, so that the connection is served meanwhile.
 * There is always an answer: the player's, else its best so far, else what the policy shipped
 * for the rules throws. */
#ifndef RINKD_WORKERS_COMPETE_THOUGHT_H
#define RINKD_WORKERS_COMPETE_THOUGHT_H

#include "models/tables/profiles.h"
#include "workers/compete/situation.h"
#include "workers/search/player/player.h"

#include <stdint.h>

struct thinker {
    struct player player;
    int threads;
    uint64_t seed;
    bool may_concede;
};

/* Prepares the ice of a profile and lets the player choose a shot, so that what is missing is told
 * before a game begins. False, with a sentence in ret_why (`size` bytes). */
bool thinker_prepare(const struct thinker *thinker, const struct profile *profile, size_t size,
                     char *ret_why);

struct decision {
    enum setup setup; /* where a setup was asked */
    struct shot shot; /* else */
    bool concede;
    const char *fallback; /* why this is not the player's full answer; NULL: it is. Lives as long as
                             the program. */
    double win;           /* our chance of winning the game; NAN: unknown */
    int64_t simulations;
    int64_t repeat; /* the limit that gives this decision again: simulations, of a setup play-outs;
                       0: none is needed; < 0: none does */
    double elapsed_s;
};

/* Limits of a decision. */
struct thought_limits {
    double think_s;
    double stop_at_s; /* clock_now_s(): thought_end() is called by then; the search stops itself */
    int64_t repeat;   /* > 0: repeats a decision, time does not limit it */
};

struct thought;

/* Begins. The thinker and the situation are copied. NULL: no thread or no memory; thought_safe()
 * still answers. */
struct thought *thought_begin(const struct thinker *thinker, const struct situation *situation,
                              const struct thought_limits *limits);

/* Readable when the decision is ready. */
int thought_fd(const struct thought *thought);

/* Returns the decision as it is now and frees the thought; a search that still runs is told to stop
 * and frees it later. */
struct decision thought_end(struct thought *thought);

/* The decision without any search: that of the policy shipped for the rules, in mixed doubles of
 * the rule-based player and of the table of setups; a draw where that fails. */
struct decision thought_safe(const struct situation *situation, const char *why);

#endif
