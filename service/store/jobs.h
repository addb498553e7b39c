/* The queue of jobs: rows of `job` and their history in `job_event`.
 *
 * jobs.c         states: a table of allowed moves, and one of callers' wishes. Every move is one
 *                statement that names the state it starts from, and adds an event
 * job_queue.c    the line of waiting jobs, and the claim
 * job_after.c    jobs that start after others (job_after.h)
 * job_output.c   progress, checkpoints, results and logs from workers
 * job_reading.c  jobs as the API shows them */
#ifndef RINKD_SERVICE_STORE_JOBS_H
#define RINKD_SERVICE_STORE_JOBS_H

#include "api/jobs/job_states.h"
#include "service/store/store.h"

/* Whether the table allows the move. */
bool job_may_move(enum job_state from, enum job_state to);

enum {
    JOB_TOKEN_MAX = 33,          /* 128 random bits in hexadecimal, and 0 */
    JOB_KIND_MAX = 32,           /* bytes, with 0 */
    JOB_OWNER_MAX = 64,          /* bytes, with 0 */
    JOB_ATTEMPTS = 5,            /* default of max_attempts */
    JOB_BACKOFF_MOST_MS = 60000, /* from one attempt to the next */
    JOB_CRASHES = 3,             /* deaths by signal before it is buried */
    JOB_RECOVERIES = 2,          /* restarts in a row that cause no delay */
    JOB_PRIORITY_MAX = 1000,     /* -1000 … 1000, smaller first, 0 by default */
    JOB_LOG_MAX = 8192,          /* bytes kept of a worker's last lines */
    JOB_POSITION_MAX = 100       /* counting stops here, as every POST needs the count */
};

struct job_new {
    const char *kind;
    const char *spec; /* JSON, resolved */
    int priority;
    int64_t run_at_ms; /* 0: now */
    int max_attempts;  /* 0: JOB_ATTEMPTS */
    int tasks_cores;   /* that its tasks may occupy together; 0: all there are */
    const char *owner; /* the caller's token by name; NULL: none */

    const int64_t *after; /* the jobs that have to end first, each once */
    int after_count;      /* 0: none */
    enum job_if_failed if_failed;

    int64_t repeat_of; /* the job that it repeats; 0: none */
};

/* API_NOT_FOUND: a job that it is after does not exist. */
enum api_error job_store_add(struct store *store, const struct job_new *job, int64_t now_ms,
                             int64_t *ret_id);

/* A job leased to a worker. Texts are malloc'ed; free with job_claim_free(). */
struct job_claim {
    int64_t id;
    char kind[JOB_KIND_MAX], token[JOB_TOKEN_MAX];
    char *spec, *checkpoint; /* JSON; checkpoint NULL: none */
    int attempt;             /* 1, 2, … */
    int64_t waited_ms;       /* since it was due, at its first lease; -1 at later ones */

    /* A task of the job (tasks.h): then token, checkpoint and attempt are the task's. */
    int64_t task;    /* its number; 0: the job itself */
    char *task_spec; /* JSON; NULL without a task */
};
void job_claim_free(struct job_claim *claim);

/* The cores that running jobs of a caller may occupy together, 0: no limit. */
struct job_limits {
    int64_t (*cores_max)(void *context, const char *owner); /* owner "": none */
    void *context;
};

/* Leases the next ready job of one of the kinds (names, NULL at the end) until now + lease_ms.
 * Smallest priority first. Among equals callers take turns: it is the turn of the one whose last
 * turn was longest ago. The jobs of a caller come by run_at, then id, and wait while the next one
 * needs more cores than `limits` (NULL: none) leave. API_NOT_FOUND: no job may start. */
enum api_error job_store_claim(struct store *store, const char *const *kinds,
                               const struct job_limits *limits, int64_t now_ms, int64_t lease_ms,
                               struct job_claim *ret_claim);
/* Finds when the next job of these kinds that is not due yet becomes due, as the last claim left
 * them; CLOCK_NEVER_MS: there is none. */
enum api_error job_store_next_due(struct store *store, const char *const *kinds,
                                  int64_t *ret_run_at_ms);

/* Records a report from the worker that holds the token; any other gets API_LEASE_LOST. progress
 * and eta_s: NAN if unknown. */
enum api_error job_store_beat(struct store *store, int64_t id, const char *token, int64_t now_ms,
                              int64_t lease_ms, double progress, double eta_s);
enum api_error job_store_checkpoint(struct store *store, int64_t id, const char *token,
                                    const char *checkpoint_json, int64_t now_ms);
enum api_error job_store_partial(struct store *store, int64_t id, const char *token,
                                 const char *result_json, int64_t now_ms);
/* Ends the job as done or, with `cancelled`, as cancelled. */
enum api_error job_store_finish(struct store *store, int64_t id, const char *token,
                                const char *result_json, bool cancelled, int64_t now_ms);

struct job_failure {
    const char *code, *detail; /* "worker-died", "killed", "bad-line", …; a text for people */
    bool retryable;
    bool crashed;       /* died by a signal, or hung */
    bool made_progress; /* there is a checkpoint or partial result to continue from: counts restart
                           with this attempt */
};
/* Records that the attempt failed. The job is ready again after 1 s, 2 s, 4 s … 60 s. It is
 * buried if it is not retryable, has used up its attempts or has crashed JOB_CRASHES times since
 * it last made progress. It is cancelled or paused if a caller wanted that. *ret_state says
 * which. */
enum api_error job_store_fail(struct store *store, int64_t id, const char *token,
                              const struct job_failure *failure, int64_t now_ms,
                              enum job_state *ret_state);
/* The worker gives the job back unfinished (drain): it is ready, or paused or cancelled if a caller
 * wanted that. The attempt does not count, and the job keeps its place in the line. */
enum api_error job_store_release(struct store *store, int64_t id, const char *token, bool paused,
                                 int64_t now_ms);
/* Stores the last lines that its worker wrote to stderr. */
enum api_error job_store_log(struct store *store, int64_t id, const char *text);

/* Callers' wishes for a job. Cancelling overrides pausing. A kicked job starts counting attempts
 * again. */
enum job_wish { JOB_CANCEL, JOB_PAUSE, JOB_RESUME, JOB_KICK, JOB_WISHES };
/* Moves a job as a caller wishes. `by`: its token by name; NULL: none. API_NOT_FOUND: no such job.
 * API_STATE: the move is not allowed. A leased job is only marked (`wanted`); the supervisor stops
 * its worker. *ret_state is the state afterwards. reason NULL: none. */
enum api_error job_store_ask(struct store *store, int64_t id, enum job_wish wish,
                             const char *reason, const char *by, int64_t now_ms,
                             enum job_state *ret_state);

enum { JOB_MANY_MAX = 128 };
/* The same for at most JOB_MANY_MAX jobs at once, which takes a quarter of the time: moves those
 * that have no worker and may move, and leaves the others as they are, for job_store_ask().
 * ret_moved has room for `count`: which were moved. */
enum api_error job_store_ask_many(struct store *store, const int64_t *ids, int count,
                                  enum job_wish wish, const char *reason, const char *by,
                                  int64_t now_ms, int64_t *ret_moved, int *ret_count);
/* Replaces the spec of a job and of its runs, in the transaction that claims it. */
enum api_error job_store_set_spec(struct store *store, int64_t id, const char *spec);

/* Gives a job that has not ended, or is buried, another priority; `by` as above. A leased job keeps
 * it for its next attempt. API_NOT_FOUND, API_STATE. */
enum api_error job_store_prioritise(struct store *store, int64_t id, int priority, const char *by,
                                    int64_t now_ms, enum job_state *ret_state);
/* Deletes an ended job (done, buried, cancelled) with all rows that belong to it. */
enum api_error job_store_delete(struct store *store, int64_t id);

/* At start: makes every leased job ready, or cancelled or paused if a caller wanted that. The
 * attempt does not count. A job that was also running the last JOB_RECOVERIES times may be what
 * crashes the service: it waits 1 s, 2 s … 8 s. */
enum api_error job_store_recover(struct store *store, int64_t now_ms, int64_t *ret_count);

/* --- reading: resources as the API shows them; the JSON is the caller's --- */

/* {"id","kind","owner":null|"name","state","wanted":null|"cancelled"|"paused","priority","attempt","max_attempts",
 *  "cores":null|N,"crashes","progress","eta_s","created_at","updated_at","run_at","started_at","finished_at",
 *  "error":null|{"code","detail"},"after":[…],"waiting_for":[…],"after_failure":null|"cancel"|…,
 *  "repeat_of":null|…,"result":…|null,"spec":{…},"checkpoint":…|null,"runs":[…],"needed_by":[…]} */
enum api_error job_store_get(struct store *store, int64_t id, json_t **ret_job);
/* The last 50 events of a job, oldest first: [{"at","kind","detail":null|"text",
 * "by":null|"name"}]. Empty if there is no such job. */
enum api_error job_store_history(struct store *store, int64_t id, json_t **ret_events);

/* Whether there is such a job. */
enum api_error job_store_exists(struct store *store, int64_t id, bool *ret_exists);

/* The newest import that has not failed and holds what an import with this spec would hold: the
 * same `file`, or the same `game` with as many `states` or more. {"job","state","games":[id]},
 * which the caller owns. API_NOT_FOUND: there is none. */
enum api_error job_store_import(struct store *store, const json_t *spec, json_t **ret_import);

struct job_filter {
    const char *kind; /* NULL: all but internal kinds */
    bool has_state;
    enum job_state state;
    const char *owner; /* NULL: any; "": without owner */
};
/* Lists jobs, newest first, without spec, result and checkpoint. */
enum api_error job_store_list(struct store *store, const struct job_filter *filter,
                              struct store_page *page);
/* Reads the owner of a job; "": none. */
enum api_error job_store_owner(struct store *store, int64_t id, char ret_owner[JOB_OWNER_MAX]);
/* Reads the log text, malloc'ed for the caller; "" without one. */
enum api_error job_store_read_log(struct store *store, int64_t id, char **ret_text);
/* An ended job, as it is visited. */
struct job_ended {
    int64_t id, at_ms; /* when it ended */
    enum job_state state;
    bool is_internal;
};
/* Visits all ended jobs, the last one first, until `visit` returns an error, which is then
 * returned. `visit` may read other things from the same store. */
enum api_error job_store_visit_ended(struct store *store,
                                     enum api_error (*visit)(void *context,
                                                             const struct job_ended *job),
                                     void *context);
/* Counts the jobs of any kind that start before this one if nobody adds any: callers take turns
 * from where they are now, and limits of cores are left out. JOB_POSITION_MAX means that many or
 * more. A job that is not due yet waits behind all that are. API_STATE: the job is not ready. */
enum api_error job_store_position(struct store *store, int64_t id, int64_t *ret_position);

/* Finds since when the job of that kind waits that has been due longest. API_NOT_FOUND: none is
 * due. Looks at each caller and priority once, however many jobs wait. */
enum api_error job_store_oldest_due(struct store *store, const char *kind, int64_t now_ms,
                                    int64_t *ret_run_at_ms);
/* Jobs in each state, internal ones too, for metrics. */
enum api_error job_store_counts(struct store *store, int64_t ret_counts[JOB_STATES]);
/* Jobs in each state without internal ones: as many as lists show. */
enum api_error job_store_shown_counts(struct store *store, int64_t ret_counts[JOB_STATES]);

/* --- for the files of service/store that change a job --- */

/* The wait before the attempt after this one: 1 s after the first, doubled each time, at most a
 * minute. */
int64_t job_backoff_ms(int64_t attempt);

/* Adds an event to the history of a job; detail, by (a token by name) NULL: none. Kinds: added,
 * leased, retried, released, paused, resumed, kicked, done, buried, cancelled, prioritised,
 * unblocked (the jobs that it is after have ended); of a leased job also cancel_wanted and
 * pause_wanted. */
enum api_error job_event_add(struct store *store, int64_t id, int64_t now_ms, const char *kind,
                             const char *detail, const char *by);

#endif
