/* Tasks: the parts of a job that any process may do. Rows of `task`, and of `task_try` for each
 * time that one was handed out.
 *
 * tasks.c          states: a table of allowed moves; reports of the workers that do them
 * task_claim.c     which task or job starts next
 * task_lead.c      what the lead of a job adds, merges and hears (api/jobs/wire.h)
 *
 * A lead is the worker of a job with tasks. It holds the job's lease; each try of a task has a
 * lease and a token of its own, and goes on while the job waits for another lead. Several tries of
 * a task may run: the first that is done counts. */
#ifndef RINKD_SERVICE_STORE_TASKS_H
#define RINKD_SERVICE_STORE_TASKS_H

#include "service/store/jobs.h"

enum {
    TASK_NODE_MAX = 64,    /* bytes of the name of a node, with 0 */
    TASK_LATE_TIMES = 3,   /* a task that takes so many times the median … */
    TASK_LATE_MS = 10000,  /* … and so long is given out once more */
    TASK_OTHERS_MS = 60000 /* so long others come first whose try did not come to nothing */
};

#define TASK_STATES(X)                                       \
    X(TASK_READY, "ready")     /* waits for a worker */      \
    X(TASK_LEASED, "leased")   /* somebody does it */        \
    X(TASK_DONE, "done")       /* its output is there */     \
    X(TASK_FAILED, "failed")   /* will not be tried again */ \
    X(TASK_DROPPED, "dropped") /* nobody needs it: its job or its round has ended without it */
enum task_state {
#define X(name, text) name,
    TASK_STATES(X)
#undef X
        TASK_STATE_COUNT
};
const char *task_state_name(enum task_state state);
/* Whether the table allows the move. */
bool task_may_move(enum task_state from, enum task_state to);

/* --- claiming --- */

/* What somebody can do. */
struct task_wish {
    const char *const *kinds;        /* of jobs, NULL at the end */
    const char *node;                /* "": a process of the daemon */
    int64_t cores;                   /* that are free for a task; 0: any number */
    const struct job_limits *limits; /* of callers; NULL: none */
    bool daemon_works;               /* of a node: processes of the daemon do tasks, too */
};

/* Hands out the next ready task of a running job of these kinds until now + lease_ms: smallest
 * priority first, then callers take turns, then the job of which fewest cores run. The claim has
 * the task's number, spec, checkpoint and token. A task whose last try failed in these hands is
 * passed over for TASK_OTHERS_MS while there are others. API_NOT_FOUND: none. */
enum api_error task_store_claim(struct store *store, const struct task_wish *wish, int64_t now_ms,
                                int64_t lease_ms, struct job_claim *ret_claim);
/* For somebody who would do nothing else: hands out a task once more that runs for longer than
 * TASK_LATE_TIMES the median of its job and than TASK_LATE_MS, in other hands and only once. The
 * first try that is done counts. API_NOT_FOUND: none. */
enum api_error task_store_claim_late(struct store *store, const struct task_wish *wish,
                                     int64_t now_ms, int64_t lease_ms, struct job_claim *ret_claim);
/* Hands out the next task or leases the next ready job (job_store_claim()), whichever comes first
 * in that order. Among equals tasks come first: work goes on before more of it begins. */
enum api_error task_store_claim_any(struct store *store, const struct task_wish *wish,
                                    int64_t now_ms, int64_t lease_ms, struct job_claim *ret_claim);
/* Finds when the next task of a running job may be tried again; CLOCK_NEVER_MS: none waits for its
 * time. */
enum api_error task_store_next_due(struct store *store, int64_t now_ms, int64_t *ret_run_at_ms);

/* --- reports of the worker that holds the token of a try; any other gets API_LEASE_LOST --- */

/* Names a try. */
struct task_holder {
    int64_t job, number;
    const char *token;
};

enum api_error task_store_beat(struct store *store, const struct task_holder *holder,
                               int64_t now_ms, int64_t lease_ms);
enum api_error task_store_checkpoint(struct store *store, const struct task_holder *holder,
                                     const char *checkpoint_json);
/* Finds the run that a task may report of: the one that its spec names. "": none. */
enum { TASK_RUN_MAX = 128 };
enum api_error task_store_run(struct store *store, int64_t job, int64_t number,
                              char ret_run[TASK_RUN_MAX]);
/* Records the file that it has made; API_EXISTS: it has made another one already. */
enum api_error task_store_output(struct store *store, const struct task_holder *holder,
                                 const char *path, const char *sha256, int64_t bytes);
/* Ends the try. The task is done or, with `cancelled`, waits again: its result is only a part. */
enum api_error task_store_finish(struct store *store, const struct task_holder *holder,
                                 const char *result_json, bool cancelled, int64_t now_ms);
/* Ends the try. The task waits again, or has failed for good: after JOB_ATTEMPTS tries, JOB_CRASHES
 * crashes since it last made progress, or at once if it is not retryable. *ret_state says which,
 * TASK_LEASED if another try of it goes on. */
enum api_error task_store_fail(struct store *store, const struct task_holder *holder,
                               const struct job_failure *failure, int64_t now_ms,
                               enum task_state *ret_state);
/* Ends the try; the worker gives the task back, and the attempt does not count. */
enum api_error task_store_release(struct store *store, const struct task_holder *holder,
                                  int64_t now_ms);

/* --- leads: the worker that holds the token of the job --- */

struct task_new {
    int64_t number, cores;
    const char *spec; /* JSON */
};

/* Adds a task. A number that exists with the same spec is fine. API_BAD_FIELD: the number does not
 * follow the last one, exists with another spec, or too many tasks are not merged. */
enum api_error task_store_add(struct store *store, int64_t job, const char *token,
                              const struct task_new *task, int64_t now_ms);
/* Notes that tasks up to `through` are in files of the lead, and appends their files, which nobody
 * needs any more, to `gone`. API_BAD_FIELD: one of them is not done. */
enum api_error task_store_merge(struct store *store, int64_t job, const char *token,
                                int64_t through, json_t *gone);
/* The output of a task that is done and not merged is unsound. The try that made it has failed, and
 * the task waits again, or has failed for good: *ret_state, after JOB_ATTEMPTS tries, or as soon as
 * this machine and another try, or three tries of several nodes, have made the same bytes, for
 * which no node is blamed. A task that is not done any more stays as it is. Its file is appended to
 * `gone`: delete it before the commit, since the next try goes on with what it finds.
 * API_BAD_FIELD: there is no such task, or it is merged. */
enum api_error task_store_refuse(struct store *store, int64_t job, const char *token,
                                 int64_t number, const char *why, int64_t now_ms, json_t *gone,
                                 enum task_state *ret_state);
/* Nobody needs the tasks up to `through` that are not merged: they are dropped, and tries of them
 * end; what is known of the tries stays. Their files are appended to `gone`. API_BAD_FIELD: there
 * is no such task. */
enum api_error task_store_drop(struct store *store, int64_t job, const char *token, int64_t through,
                               int64_t now_ms, json_t *gone);
/* Reads how far tasks are merged, and the tasks after that: [{"number","spec"}], the caller's. */
enum api_error task_store_open(struct store *store, int64_t job, int64_t *ret_merged,
                               json_t **ret_open);
/* Reads what a lead has to hear of the tasks that are not merged, as lines "task" (api/jobs/wire.h)
 * of those that are done or have failed. number 0: all of them. The caller's. */
enum api_error task_store_news(struct store *store, int64_t job, int64_t number,
                               json_t **ret_lines);

/* --- the rest --- */

/* Tasks that this node did, from number `first` on, wait again; so do merged and dropped ones from
 * there, whose files are gone. A try that counted no longer does, and second answers are dropped:
 * they say nothing of the new ones. The lead has to start anew. Files of the tasks are appended to
 * `gone`: delete them before the commit, since the next try goes on with what it finds. */
enum api_error task_store_redo(struct store *store, int64_t job, int64_t first, const char *node,
                               int64_t now_ms, json_t *gone);
/* Finds the node whose tasks of this job are being done again, as it gave wrong answers.
 * API_NOT_FOUND: there is none. */
enum api_error task_store_liar(struct store *store, int64_t job, char ret_node[TASK_NODE_MAX]);

/* At start: what processes of the daemon did is ready again; the attempt does not count. Tries of
 * nodes go on. */
enum api_error task_store_recover(struct store *store, int64_t now_ms, int64_t *ret_count);
/* Ends tries whose lease is over; their tasks wait again. */
enum api_error task_store_expire(struct store *store, int64_t now_ms, int64_t *ret_count);
/* Ends the running tries of a node, which gives them back. */
enum api_error task_store_abandon(struct store *store, const char *node, int64_t now_ms);

/* Lists the tasks of a job, the first one first: {"number","state","cores","attempt","merged",
 * "seconds","node","error","spec","tries":[{"node","state","started_at","ended_at","sha256",
 * "bytes","error"}]}. The cursor is a number. */
enum api_error task_store_list(struct store *store, int64_t job, struct store_page *page);
/* Counts the tasks of a job that wait for a worker. */
enum api_error task_store_waiting(struct store *store, int64_t job, int64_t *ret_count);
/* Sums up cores: of tasks that wait, and of those that nodes do whose names begin with `prefix`. A
 * job with tasks that has not begun counts as one that waits. */
enum api_error task_store_cores(struct store *store, const char *prefix, int64_t now_ms,
                                int64_t *ret_waiting, int64_t *ret_busy);
/* Whether one of the jobs with ids from `first` to `last` has tasks. */
enum api_error task_store_any(struct store *store, int64_t first, int64_t last, bool *ret_any);
/* Counts the tasks of running jobs that wait and that run. */
enum api_error task_store_counts(struct store *store, int64_t *ret_ready, int64_t *ret_leased);

#endif
