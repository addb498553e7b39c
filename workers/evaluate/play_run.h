/* A match or a tournament from its options to its result. */
#ifndef RINKD_WORKERS_EVALUATE_PLAY_RUN_H
#define RINKD_WORKERS_EVALUATE_PLAY_RUN_H

#include "workers/evaluate/play_options.h"
#include "workers/worker.h"

/* A running series. */
struct play {
    const struct play_options *options;
    const char *kind; /* "match" or "tournament" */
    atomic_bool *cancel;
    /* Called like series.finished. */
    void (*progress)(const struct play *play, int64_t done, bool resumed);
    void *context;
    int64_t half_points[PENTANOMIAL]; /* pairs so far, by half points of the first player */
    struct adjusted_sums adjusted;    /* the same pairs, if luck is measured */
};

/* Returns the series of a play: the one of its options, with its players and its context. */
struct series play_series(struct play *play);

/* Counts a pair: what series.finished does. False: the test of a match has decided. */
bool play_count(struct play *play, int64_t index, const struct pair_result *result, bool resumed);

/* Returns the result of the first `count` pairs, the caller's. NULL: the ratings could not be
 * computed, or no memory. */
json_t *play_report(const struct play *play, const struct series *series,
                    const struct pair_result *results, int64_t count, bool interrupted);

/* Plays the series of the options, or continues it, until it is complete or the test of a match has
 * decided. The caller owns *ret_report. On SERIES_FAILED, and if *ret_report is NULL, ret_error
 * says why. */
enum series_status play_run(struct play *play, json_t **ret_report, size_t size, char *ret_error);

/* --- as a job (worker_play.c) --- */

/* Returns the result after `done` of `total` pairs, the caller's. */
json_t *play_partial(const struct play *play, int64_t done, int64_t total);

/* Returns what a job says whose series was cancelled: the result so far, which it owns, if the job
 * was cancelled. */
json_t *play_broken_off(struct worker *worker, json_t *result);

/* --- in tasks (worker_play_tasks.c) --- */

/* The worker functions of the lead and of a task, for options with their players and records. */
json_t *lead_play(struct worker *worker, const struct wire_job *job,
                  const struct play_options *options);
json_t *task_play(struct worker *worker, const struct wire_job *job,
                  const struct play_options *options);

#endif
