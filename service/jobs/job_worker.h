/* A worker process and its job, or a task of a job: api/jobs/wire.h on a socketpair. Core thread
 * only.
 *
 *     process ── lines ──► notes ── task of the core ──► store ── after the commit ──► events
 *
 * job_worker.c        starts the process, asks it to stop, ends it when its time is up
 * job_worker_hear.c   makes notes of its lines
 * job_worker_write.c  writes the notes down, then publishes events
 *
 * One task of the core writes all waiting notes, and shares its commit with others. A worker that
 * sends more than the disk can take is not read until the disk has caught up. A note is lost only
 * when the worker has lost its lease. A task that fails for lack of disk or memory is tried again.
 *
 * The process has its own group, a low priority and no tokens in its environment, and dies with the
 * daemon. If it ends without a last word, its job is retried or buried (job_store_fail()). If it is
 * silent for config->lease_ms, or sends a bad line, it gets SIGTERM and after 5 s SIGKILL. A job
 * that is given back stays with its worker until the process is gone, as the next worker uses the
 * same folder. */
#ifndef RINKD_SERVICE_JOBS_JOB_WORKER_H
#define RINKD_SERVICE_JOBS_JOB_WORKER_H

#include "service/base/base.h"
#include "service/base/child.h"
#include "service/base/core.h"
#include "service/jobs/job_folder.h"
#include "service/jobs/job_line.h"
#include "service/jobs/notes.h"

#include <limits.h>
#include <stdatomic.h>

struct job_worker;

/* The phases of a job's worker, and the allowed moves between them.
 *
 *     CLAIMED ──► STARTING ──► WORKING ──► DONE ──► ENDED
 *        │            │           │         │         ▲
 *        └────────────┴───────────┴─────────┴──► GIVES_BACK
 *
 *     from each but ENDED ──► LOST
 *
 * A worker that does its job follows the upper line. Its last word, or ours if it dies, hangs or
 * misbehaves, gives the job back; that word is written when the process is gone, because the next
 * worker uses the same folder. ENDED and LOST are final. */
enum job_worker_phase {
    WORKER_CLAIMED,    /* has a job but no process */
    WORKER_STARTING,   /* the process runs and has not said hello */
    WORKER_WORKING,    /* it has said hello */
    WORKER_DONE,       /* the last word says that the job is done; not yet in the store */
    WORKER_GIVES_BACK, /* the last word leaves the job undone; not yet in the store */
    WORKER_ENDED,      /* the last word is in the store: the job is no longer this worker's */
    WORKER_LOST,       /* no lease, or no memory for a last word: reports are dropped */
    WORKER_PHASES
};

const char *job_worker_phase_name(enum job_worker_phase phase);
bool job_worker_may_move(enum job_worker_phase from, enum job_worker_phase to);

/* Orders to a worker; the weaker comes first. */
enum job_worker_order {
    TOLD_NOTHING,
    TOLD_DRAIN, /* give the job back */
    TOLD_CANCEL /* stop, and report what there is */
};

/* Shared by all workers. */
struct job_host {
    const struct base *base;
    char data[PATH_MAX];  /* the data folder, an absolute path */
    atomic_bool draining; /* jobs are given back */
    bool out_of_patience; /* nothing more is written down */
    int hands;            /* processes that can work on tasks */
    /* Calls after a commit: lines that the lead of a job has to hear, which the callee does not
     * own; a lead has offered tasks, or one waits again; its tasks up to one that are not merged
     * are dropped; a worker's last word is in the store, and `state` is its job's unless it does a
     * task. */
    void (*news)(void *context, int64_t job, json_t *lines);
    void (*offered)(void *context, struct job_worker *lead);
    void (*dropped)(void *context, struct job_worker *lead, int64_t through);
    void (*ended)(void *context, struct job_worker *worker);
    /* A worker gives its work back though nobody asked it to, and has made no progress. True: so
     * did the one before, a moment ago. */
    bool (*returned)(void *context, const struct job_worker *worker);
    /* Called when everything is done for the worker; the callee frees it. */
    void (*over)(void *context, struct job_worker *worker);
    void *context;
};

enum { JOB_WORKER_RETRY_MS = 1000 }; /* after a failure for lack of disk or memory */

struct job_worker {
    const struct job_host *host;
    struct job_worker *next; /* the supervisor's */
    struct job_claim claim;
    struct job_lines lines; /* for the process, when it starts; news that come before are added */
    bool is_lead;           /* of the tasks of its job */
    bool is_vain;           /* it does a task of a job that has ended: nobody needs its files */
    bool has_slot;          /* it counts as one of config->workers */

    struct child *child;                    /* NULL: gone, or never was */
    enum job_worker_phase phase;            /* changed by job_worker_move() alone */
    enum job_worker_order told;             /* the strongest one sent so far */
    int64_t since_ms;                       /* since 1970 */
    double started_s, heard_s, last_word_s; /* CLOCK_MONOTONIC; told_s, too: when `told` was set */
    double told_s;

    double progress, eta_s;
    bool beat_waits;

    char log[CHILD_LOG_MAX + 1];
    size_t log_bytes; /* written by the process when `log` was taken */
    bool log_waits;

    struct wire_message model; /* the message whose file is being checked */
    bool is_checking;          /* its lines are not read during the check */

    struct core_task task;
    bool is_writing;
    double retry_s;                /* earliest time of the next try; 0: at once */
    struct note_list notes, taken; /* waiting notes; those in the task */
    int waiting;                   /* count of `notes` */
    struct note_keeper keeper;
    enum job_state state; /* state of the job after the task */
    bool deaf;            /* child_listen(false): its lines are not read */
};

/* Whether its last word is known, from itself or from us on its behalf: nothing more is read from
 * it. */
static inline bool job_worker_has_last_word(const struct job_worker *worker)
{
    return worker->phase >= WORKER_DONE;
}

/* Makes a worker without a job: job_line_make() fills in `claim` and `lines`. The host
 * is borrowed. NULL: memory is short. */
struct job_worker *job_worker_new(const struct job_host *host);
void job_worker_free(struct job_worker *worker); /* only without a process; NULL is fine */

/* Starts the program that does the job. */
void job_worker_start(struct job_worker *worker, const char *program);

/* Gives the worker an order. A worker that has not started yet learns it when it starts. */
void job_worker_tell(struct job_worker *worker, enum job_worker_order order);

/* Tells a lead what is new of its tasks. The lines stay the caller's. */
void job_worker_tell_news(struct job_worker *worker, json_t *lines);

/* Call every second: ends a worker that has used up its time, and writes what waits. If the daemon
 * stood still and so could not hear anybody, the worker's time starts again. */
void job_worker_look(struct job_worker *worker, double now_s, bool after_standstill);

/* ---- for the files named above ---- */

/* Tells listeners how far its job is. Progress of a task is told to the lead, which knows what it
 * is worth. */
void job_worker_tell_progress(struct job_worker *worker);

/* Moves to the next phase; asserts that the move is allowed, and the invariants of the phase. */
void job_worker_move(struct job_worker *worker, enum job_worker_phase to);

/* Handles a line of its process; child_settings.line. */
void job_worker_hear(void *context, const char *text, size_t length);

/* Adds a note to be written down; takes the note. */
void job_worker_note(struct job_worker *worker, struct note *note);

/* Says the last word for a worker that does not: its job can never be done or, with code NULL, is
 * given back. The texts must live as long as the worker. */
void job_worker_let_go(struct job_worker *worker, const char *code, const char *why);

/* Ends a worker that is at fault: what it reported is written when it is gone, and its job is
 * retried. `more`: details, or NULL. */
void job_worker_give_up(struct job_worker *worker, const char *code, const char *detail,
                        const char *more, bool crashed);

/* Turns reading of its lines on or off: off while too much waits to be written or a file is being
 * checked. */
void job_worker_listen(struct job_worker *worker);

/* Hands all waiting notes to the core. */
void job_worker_write(struct job_worker *worker);

/* Hands the worker to host->over, which frees it, if the process is gone and nothing is left to
 * write. */
void job_worker_end_if_over(struct job_worker *worker);

#endif
