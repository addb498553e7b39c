/* A program that does jobs for the daemon: the other end of api/jobs/wire.h. It sends hello,
 * receives one job, runs the function for it, and sends the final message. A second thread sends
 * beats and listens.
 *
 * SIGTERM and a closed connection count as "drain". */
#ifndef RINKD_WORKERS_WORKER_H
#define RINKD_WORKERS_WORKER_H

#include "api/jobs/wire.h"

#include <jansson.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct worker;

/* Does a job, which it borrows. Returns the result, an object that the worker then owns; after
 * worker_is_cancelled() a partial result. NULL: the job was drained before its end (finished work
 * is durable), or worker_fail() has said why. */
typedef json_t *worker_function(struct worker *worker, const struct wire_job *job);

struct worker_kind {
    const char *name; /* NULL at the end of a list */
    worker_function *run;
    bool
        tries; /* `run` ends early for a trial (wire_job), with an empty object; else none is run */
};

/* Does one job over the descriptors (a socket serves as both) and returns the exit status: 0 when
 * the final message was sent. `version` is the program's. */
int worker_run(int in_fd, int out_fd, const char *version, const struct worker_kind *kinds);

/* --- for the function that does the job; thread-safe --- */

/* Returns a flag that is true when the work must end. The function checks it often enough to end
 * within 100 ms, and may set it itself. */
atomic_bool *worker_stop(struct worker *worker);
bool worker_is_cancelled(const struct worker *worker);
bool worker_is_drained(const struct worker *worker);

/* Sets the values for the next beats: 0 … 1 and seconds, NAN if unknown. */
void worker_progress(struct worker *worker, double progress, double eta_s);
/* Sends rows {"run","name","step","value"}; takes ownership of the array. NULL, here and below:
 * memory is short, and the process ends rather than leave out a line. */
void worker_metrics(struct worker *worker, json_t *rows);
/* Announces a durable file in the job's folder, to resume from or to play with. */
void worker_checkpoint(struct worker *worker, const char *run, const char *path, const char *sha256,
                       int64_t step);
void worker_model(struct worker *worker, const char *run, const char *name, const char *path,
                  const char *sha256, int64_t step);
/* Sends the result so far; takes ownership of it. */
void worker_partial(struct worker *worker, json_t *result);
/* Records why the job failed; only the first call counts. Returns NULL. */
json_t *worker_fail(struct worker *worker, const char *code, bool retryable, const char *format,
                    ...) __attribute__((format(printf, 4, 5)));

/* For work on a thread of its own: waits until it is over, worker_stop() is no longer as `stopped`
 * says, or until_s (CLOCK_MONOTONIC, INFINITY: never) has come. That thread calls worker_wake()
 * after it has set `over`. */
void worker_wait(struct worker *worker, const atomic_bool *over, bool stopped, double until_s);
void worker_wake(struct worker *worker);

/* Writes the path of a folder beside the folders of all jobs; at most `size` bytes with the final
 * 0. False: it does not fit. */
bool worker_data_path(const struct wire_job *job, const char *name, size_t size, char *ret_path);

/* --- for a task --- */

/* Makes the file `name` of the job's folder durable and announces it as the output of the task, at
 * most once. False: it cannot be read or written, and the job has failed. */
bool worker_output(struct worker *worker, const char *folder, const char *name);

/* --- for a lead (workers/lead.h) --- */

/* Waits for the next line about tasks or hands, at most `wait_ms`, or until worker_stop() becomes
 * true. True: the caller frees the message with wire_free(). One thread. */
bool worker_hear(struct worker *worker, int wait_ms, struct wire_message *ret_message);
/* Offers tasks, at most WIRE_TASKS_MAX; takes ownership of the array. */
void worker_offer(struct worker *worker, json_t *tasks);
/* Says that the tasks up to this number are durable in the lead's own files. */
void worker_merged(struct worker *worker, int64_t through);
/* Says that the output of a task is unsound, and why; the task is done again. */
void worker_refuse(struct worker *worker, int64_t number, const char *detail);
/* Says that no task up to this number is needed any more that is not merged. */
void worker_drop(struct worker *worker, int64_t through);

/* Reads the command line, does one job and returns the exit status (workers/command.h): EXIT_GOOD
 * when the final message was sent. `version`: of the program; `kinds` end with a name of NULL. */
int worker_command(int argc, char **argv, const char *version, const struct worker_kind *kinds);

#endif
