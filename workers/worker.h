/* A program that does jobs for the daemon: the other end of api/wire.h. It says hello, takes one
 * job, lets a function do it, and says the last word; meanwhile a thread of its own beats and
 * listens.
 *
 * SIGTERM and the end of the daemon's side count as "drain". */
#ifndef RINKD_WORKERS_WORKER_H
#define RINKD_WORKERS_WORKER_H

#include <jansson.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct worker;

/* Borrowed by the function that does it. */
struct worker_job {
    int64_t id;
    const char *kind, *folder; /* the folder exists and is the job's own */
    int64_t attempt;           /* 1, 2, … */
    json_t *spec, *runs;       /* an object, an array of texts */
    json_t *checkpoint;        /* NULL: none */
};

/* Does a job. The result, an object that is then the worker's: whole, or, when
 * worker_is_cancelled(), as far as it got. NULL: drained before the end (what is done is then
 * durable), or worker_fail() says why. */
typedef json_t *worker_function(struct worker *worker, const struct worker_job *job);

struct worker_kind {
    const char *name; /* NULL at the end of a list */
    worker_function *run;
};

/* Does one job over the descriptors (the same one for a socket) and returns the exit status: 0 when
 * its last word was said. `version` is the program's. */
int worker_run(int in_fd, int out_fd, const char *version, const struct worker_kind *kinds);

/* --- for the function that does the job; any thread --- */

/* True as soon as the work is to end: looked at often, so that it ends within 100 ms. It may also
 * be set by the function for itself. */
atomic_bool *worker_stop(struct worker *worker);
bool worker_is_cancelled(const struct worker *worker);
bool worker_is_drained(const struct worker *worker);

/* What the next beats say: 0 … 1 and seconds, NAN where it is not known. */
void worker_progress(struct worker *worker, double progress, double eta_s);
/* {"run","name","step","value"} rows, an array; stolen. */
void worker_metrics(struct worker *worker, json_t *rows);
/* A durable file in the job's folder to go on from, and one to play with. */
void worker_checkpoint(struct worker *worker, const char *run, const char *path, const char *sha256,
                       int64_t step);
void worker_model(struct worker *worker, const char *run, const char *name, const char *path,
                  const char *sha256, int64_t step);
/* The result as it stands; stolen. */
void worker_partial(struct worker *worker, json_t *result);
/* Why the function returns NULL; the first call counts. `code` lives as long as the program.
 * Returns NULL. */
json_t *worker_fail(struct worker *worker, const char *code, bool retryable, const char *format,
                    ...) __attribute__((format(printf, 4, 5)));

#endif
