/* The queue of jobs: rows of `job` and their history in `job_event`.
 *
 * jobs.c         states: a table of allowed moves, and one of callers' wishes. Every move is one
 *                statement that names the state it starts from, and adds an event
 * job_queue.c    the line of waiting jobs, and the claim
 * job_output.c   progress, checkpoints, results and logs from workers
 * job_reading.c  jobs as the API shows them */
#ifndef RINKD_SERVICE_STORE_JOBS_H
#define RINKD_SERVICE_STORE_JOBS_H

#include "api/job_states.h"
#include "service/store/store.h"

/* Whether the table allows the move. */
bool job_may_move(enum job_state from, enum job_state to);

enum {
    JOB_TOKEN_MAX = 33,      /* 128 random bits in hexadecimal, and 0 */
    JOB_KIND_MAX = 32,       /* bytes, with 0 */
    JOB_ATTEMPTS = 5,        /* default of max_attempts */
    JOB_CRASHES = 3,         /* deaths by signal before it is buried */
    JOB_RECOVERIES = 2,      /* restarts in a row that cause no delay */
    JOB_PRIORITY_MAX = 1000, /* -1000 … 1000, smaller first, 0 by default */
    JOB_LOG_MAX = 8192,      /* bytes kept of a worker's last lines */
    JOB_POSITION_MAX = 100   /* counting stops here, as every POST needs the count */
};

struct job_new {
    const char *kind;
    const char *spec; /* JSON, resolved */
    int priority;
    int64_t run_at_ms; /* 0: now */
    int max_attempts;  /* 0: JOB_ATTEMPTS */
};

enum api_error job_store_add(struct store *store, const struct job_new *job, int64_t now_ms,
                             int64_t *ret_id);

/* A job leased to a worker. Texts are malloc'ed; free with job_claim_free(). */
struct job_claim {
    int64_t id;
    char kind[JOB_KIND_MAX], token[JOB_TOKEN_MAX];
    char *spec, *checkpoint; /* JSON; checkpoint NULL: none */
    int attempt;             /* 1, 2, … */
};
void job_claim_free(struct job_claim *claim);

/* Leases the next ready job of one of the kinds (names, NULL at the end) until now + lease_ms:
 * smallest priority, then run_at, then id. API_NOT_FOUND: none is due. */
enum api_error job_store_claim(struct store *store, const char *const *kinds, int64_t now_ms,
                               int64_t lease_ms, struct job_claim *ret_claim);
/* Finds when the next ready job of these kinds becomes due; API_NOT_FOUND: no such job. */
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
/* Moves a job as a caller wishes. API_NOT_FOUND: no such job. API_STATE: the move is not
 * allowed. A leased job is only marked (`wanted`); the supervisor stops its worker. *ret_state
 * is the state afterwards. reason NULL: none. */
enum api_error job_store_ask(struct store *store, int64_t id, enum job_wish wish,
                             const char *reason, int64_t now_ms, enum job_state *ret_state);
/* Deletes an ended job (done, buried, cancelled) with all rows that belong to it. */
enum api_error job_store_delete(struct store *store, int64_t id);

/* At start: makes every leased job ready, or cancelled or paused if a caller wanted that. The
 * attempt does not count. A job that was also running the last JOB_RECOVERIES times may be what
 * crashes the service: it waits 1 s, 2 s … 8 s. */
enum api_error job_store_recover(struct store *store, int64_t now_ms, int64_t *ret_count);

/* --- reading: resources as the API shows them; the JSON is the caller's --- */

/* {"id","kind","state","wanted":null|"cancelled"|"paused","priority","attempt","max_attempts",
 *  "crashes","progress","eta_s","created_at","updated_at","run_at","started_at","finished_at",
 *  "error":null|{"code","detail"},"result":…|null,"spec":{…},"checkpoint":…|null,"runs":[…]} */
enum api_error job_store_get(struct store *store, int64_t id, json_t **ret_job);
/* The last 50 events of a job, oldest first: [{"at","kind","detail":null|"text"}]. Empty if
 * there is no such job. */
enum api_error job_store_history(struct store *store, int64_t id, json_t **ret_events);

struct job_filter {
    const char *kind; /* NULL: all but internal kinds */
    bool has_state;
    enum job_state state;
};
/* Lists jobs, newest first, without spec, result and checkpoint. */
enum api_error job_store_list(struct store *store, const struct job_filter *filter,
                              struct store_page *page);
/* Reads the log text, malloc'ed for the caller; "" without one. */
enum api_error job_store_read_log(struct store *store, int64_t id, char **ret_text);
/* Counts the jobs of any kind before this one; JOB_POSITION_MAX means that many or more. A job
 * that is not due yet waits behind all that are. API_STATE: the job is not ready. */
enum api_error job_store_position(struct store *store, int64_t id, int64_t *ret_position);

/* Jobs in each state, for metrics. */
enum api_error job_store_counts(struct store *store, int64_t ret_counts[JOB_STATES]);

/* --- for the files of service/store that change a job --- */

/* Adds an event to the history of a job; detail NULL: none. Kinds: added, leased, retried,
 * released, paused, resumed, kicked, done, buried, cancelled; of a leased job also cancel_wanted
 * and pause_wanted. */
enum api_error job_event_add(struct store *store, int64_t id, int64_t now_ms, const char *kind,
                             const char *detail);

#endif
