/* A progress bar on standard error, if that is a terminal. */
#ifndef RINKD_WORKERS_PROGRESS_H
#define RINKD_WORKERS_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
    bool shown; /* standard error is a terminal */
    int64_t total, skipped;
    double start_s, drawn_s;
};

/* Shows a bar for 0 … total. */
struct progress progress_start(int64_t total);

/* Shows that `done` units are done; `resumed`: an earlier run did them. `note` appears after the
 * bar (NULL: nothing). Draws at most ten times a second, and always at the end. */
void progress_update(struct progress *progress, int64_t done, bool resumed, const char *note);

/* The same without a note, for the callbacks of measurements; `progress` is a struct progress. */
void progress_show(void *progress, int64_t done, bool resumed);

/* Removes the bar. */
void progress_end(struct progress *progress);

#endif
