/* A bar on standard error that tells how far a long run has come, where that is a terminal. */
#ifndef RINKD_WORKERS_PROGRESS_H
#define RINKD_WORKERS_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
    bool shown; /* standard error is a terminal */
    int64_t total, skipped;
    double start_s, drawn_s;
};

/* Begins to show 0 … total. */
struct progress progress_start(int64_t total);

/* `done` are done, the first of them by an earlier run if `resumed`; `note` is written behind the
 * bar (NULL: nothing). Draws at most ten times a second, and always at the end. */
void progress_update(struct progress *progress, int64_t done, bool resumed, const char *note);

/* Takes the bar away. */
void progress_end(struct progress *progress);

#endif
