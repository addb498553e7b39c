/* Jobs that start after others (the field `after` of a request).
 *
 * The end of a job reaches the jobs after it in two steps, so that no transaction grows with their
 * number. A trigger notes the end beside each of them, in the transaction that ends the job: from
 * there on nothing can be lost. Soon after, job_store_settle() takes these notes, a few in each
 * transaction, and moves the jobs. A cascade is a second note. */
#ifndef RINKD_SERVICE_STORE_JOB_AFTER_H
#define RINKD_SERVICE_STORE_JOB_AFTER_H

#include "service/store/jobs.h"

/* For job_store_add(): notes which jobs a new one is after. Those that are done already need not be
 * waited for. API_NOT_FOUND: no such job. */
enum api_error job_after_add(struct store *store, int64_t id, const int64_t *after, int count,
                             int64_t now_ms);

/* The code of the error of a job that was cancelled or paused as one before it failed. */
#define JOB_AFTER_FAILED "after-failed"

/* Returns these jobs (an array of ids; NULL: none) and those before them that have not ended: all
 * that end before a job starts that is after these. At most JOB_BEFORE_MAX of them. */
#define JOB_BEFORE_MAX 1000
enum api_error job_store_before(struct store *store, const json_t *after, json_t **ret_jobs);

/* Whether a job that has not ended is after this one. */
enum api_error job_store_is_awaited(struct store *store, int64_t id, bool *ret_is);

/* A job and its state after a move. */
struct job_moved {
    int64_t id;
    enum job_state state;
};

/* Takes at most `most` notes of ended jobs and moves the jobs after them: cancels or pauses them,
 * or lets them into the line. *ret_count: how many jobs have moved; ret_moved has room for `most`.
 * API_NOT_FOUND: there was no note. */
enum api_error job_store_settle(struct store *store, int most, int64_t now_ms,
                                struct job_moved *ret_moved, int *ret_count);

#endif
