/* The protocol between the daemon and the worker process of a job: one JSON object a line, at most
 * WIRE_LINE_MAX bytes, over a socketpair on file descriptor WIRE_FD (when run by hand: stdin and
 * stdout).
 *
 * daemon -> worker
 *   {"type":"job","id":N,"kind":K,"spec":{…},"runs":[ID,…],"folder":PATH,"attempt":N,
 *    "checkpoint":{…}|null}
 *                          exactly once, first. `folder` is the job's own folder and exists; the
 *                          worker may report metrics and checkpoints of `runs` only
 *                          and at most one of
 *     "tasks":{"hands":N,"merged":N,"open":[{"number":N,"spec":{…}},…],"liar":NODE?}
 *                          the worker is the lead of the job: it offers tasks and merges their
 *                          outputs (workers/lead.h). Tasks up to "merged" are merged; "open" are
 *                          those after them. "liar": the node that gave wrong answers, because of
 *                          which open tasks may be done again that an earlier lead had merged
 *     "trial":true         the worker only reads what it would need, and answers "done" with {} or
 *                          "failed"; the folder need not exist
 *     "task":{"number":N,"spec":{…}}
 *                          the worker does this task of the job. "checkpoint" is the task's. Names
 *                          of its files begin with "task-N.", those of its run with the run: it
 *                          reports of the run that the spec of the task names, and of no other
 *   {"type":"task","number":N,"state":"running","progress":0…1|null,"eta_s":S|null}
 *   {"type":"task","number":N,"state":"done","result":{…},"path":NAME?,"seconds":S}
 *   {"type":"task","number":N,"state":"cancelled","result":{…}}
 *   {"type":"task","number":N,"state":"failed","code":C,"detail":TEXT,"retryable":BOOL}
 *                          to the lead, about a task that it has offered; may come twice. A task
 *                          that failed is not tried again
 *   {"type":"hands","count":N}
 *                          to the lead: how many processes can work on tasks now
 *   {"type":"cancel"}      end within 100 ms with "done": the result so far, "cancelled": true
 *   {"type":"drain"}       make the work so far durable, then send "released"
 * worker -> daemon
 *   {"type":"hello","protocol":3,"version":V,"kinds":[K,…]}           first, within 5 s
 *   {"type":"beat","progress":0…1|null,"eta_s":S|null,"note":TEXT?}   at least every WIRE_BEAT_MS
 *   {"type":"metrics","rows":[{"run":ID,"name":NAME,"step":N,"value":V},…]}
 *                          V may be the string "NaN", "Infinity" or "-Infinity"
 *   {"type":"checkpoint","run":ID?,"path":NAME,"sha256":HEX,"step":N}
 *                          a durable file in the folder, from which the job can resume
 *   {"type":"model","run":ID,"name":NAME,"path":NAME,"sha256":HEX,"step":N}
 *                          a policy of the run at that step: a durable safetensors file in the
 *                          folder. NAME: "average", "response", …
 *   {"type":"partial","result":{…}}                                   the result so far
 *   {"type":"tasks","tasks":[{"number":N,"cores":N,"spec":{…}},…]}
 *                          of a lead: offers new tasks. Numbers go on from the last one; at most
 *                          WIRE_TASKS_OPEN are not merged
 *   {"type":"merged","through":N}
 *                          of a lead: tasks up to N are in its own durable files
 *   {"type":"refused","number":N,"detail":TEXT}
 *                          of a lead: the output of this task, which is done and not merged, is
 *                          unsound. The task is done again, by somebody else if there is one; after
 *                          its last try it has failed
 *   {"type":"dropped","through":N}
 *                          of a lead: it needs no task up to N that is not merged; whoever does one
 *                          is told to stop
 *   {"type":"output","path":NAME,"sha256":HEX}
 *                          of a task, before "done", at most once: a durable file in the folder
 *   {"type":"done","result":{…},"cancelled":BOOL?}
 *   {"type":"failed","code":C,"detail":TEXT,"retryable":BOOL}
 *   {"type":"released"}                                               after "drain"
 * Each job ends with exactly one of done, failed, released; then the worker exits. End of file
 * means that the other side died: a worker then makes its work durable and exits; the daemon
 * retries the job. An unreadable line ends the worker. */
#ifndef RINKD_API_JOBS_WIRE_H
#define RINKD_API_JOBS_WIRE_H

#include "api/base/strict_json.h"

enum {
    /* Raised with the files of tasks, too: nodes of another build are refused by it.
     * 2: a checkpoint of `value` has only the stages that differ.
     * 3: games of a pair share luck by the hammer; specs say it. */
    WIRE_PROTOCOL = 3,
    WIRE_FD = 3,
    WIRE_LINE_MAX = 1 << 20,
    WIRE_DEPTH_MAX = 32,
    WIRE_METRICS_MAX = 1000, /* rows of one line */
    WIRE_POLICY_MAX = 24,    /* bytes of the name of a policy, with 0 */
    WIRE_TASKS_MAX = 256,    /* tasks of one line */
    WIRE_TASKS_OPEN = 1000,  /* tasks of a job that are not merged */
    WIRE_TASK_CORES_MAX = 256,
    WIRE_BEAT_MS = 1250,
    WIRE_HELLO_S = 5 /* at least; a longer lease gives as long */
};

/* Begins the names of metrics that are shares of time; those that end with _s or _ms are times. */
#define WIRE_SHARES "share/"

/* The run of a task, a member of its spec; a task without it reports of none. */
#define WIRE_TASK_RUN "run"

/* A process of a job that outlives its worker holds a lock on this file in the job's folder. */
#define WIRE_LOCK_FILE "host.lock"

enum wire_type {
    WIRE_JOB,
    WIRE_CANCEL,
    WIRE_DRAIN,
    WIRE_TASK,
    WIRE_HANDS,
    WIRE_HELLO,
    WIRE_BEAT,
    WIRE_METRICS,
    WIRE_CHECKPOINT,
    WIRE_MODEL,
    WIRE_PARTIAL,
    WIRE_TASKS,
    WIRE_MERGED,
    WIRE_REFUSED,
    WIRE_DROPPED,
    WIRE_OUTPUT,
    WIRE_DONE,
    WIRE_FAILED,
    WIRE_RELEASED
};

/* A line. Its texts and values belong to `document`. */
struct wire_job {
    int64_t id, attempt;              /* attempt: 1, 2, … */
    const char *kind, *folder;        /* the folder exists and belongs to the job */
    json_t *spec, *runs, *checkpoint; /* object, array of texts, object or NULL: none */

    bool is_trial;
    bool is_lead;
    struct {
        int64_t hands, merged;
        json_t *open;     /* array of tasks: wire_offer() */
        const char *liar; /* NULL: none */
    } tasks;              /* of a lead */
    struct {
        int64_t number; /* 0: the worker does the whole job, or leads */
        json_t *spec;   /* object */
    } task;
};

/* The states of a task, as its lead hears them. */
enum wire_task_state { WIRE_TASK_RUNNING, WIRE_TASK_DONE, WIRE_TASK_CANCELLED, WIRE_TASK_FAILED };

/* A task that a lead offers, or that is open. */
struct wire_offer {
    int64_t number, cores; /* cores: 1 in a list of open tasks */
    json_t *spec;          /* object, belongs to the message */
};

struct wire_message {
    enum wire_type type;
    json_t *document;
    union {
        struct wire_job job;
        struct {
            int64_t protocol;
            const char *version;
            json_t *kinds; /* array of texts */
        } hello;
        struct {
            int64_t number;
            enum wire_task_state state;
            double progress, eta_s;    /* of running; NAN: not known */
            json_t *result;            /* of done and cancelled, an object */
            const char *path;          /* of done; NULL: no file */
            double seconds;            /* of done; NAN: not known */
            const char *code, *detail; /* of failed */
            bool retryable;
        } task;
        struct {
            int64_t count; /* at least 1 */
        } hands;
        struct {
            double progress, eta_s; /* NAN: not known */
            const char *note;       /* NULL: none */
        } beat;
        struct {
            json_t *rows; /* all valid; see wire_metric() */
        } metrics;
        struct {
            const char *run, *path, *sha256; /* run NULL: none; path has no '/' */
            int64_t step;
        } checkpoint;
        struct {
            const char *run, *name, *path, *sha256; /* name: [a-z0-9][a-z0-9_-]*, path as above */
            int64_t step;
        } model;
        struct {
            json_t *list; /* tasks, all valid; see wire_offer() */
        } tasks;
        struct {
            int64_t through;
        } merged, dropped;
        struct {
            int64_t number;
            const char *detail;
        } refused;
        struct {
            const char *path, *sha256; /* path as above */
        } output;
        struct {
            json_t *result; /* an object */
            bool cancelled; /* of done */
        } result;           /* of partial and done */
        struct {
            const char *code, *detail;
            bool retryable;
        } failed;
    };
};

/* A row of "metrics". */
struct wire_metric {
    const char *run, *name; /* belong to the row */
    int64_t step;
    double value; /* NAN and infinities are allowed */
};

/* Reads a line without its line end. If any field differs from the above, returns false and at
 * least one error and leaves *ret_message untouched. On true the caller calls wire_free(). */
bool wire_read(const char *line, size_t length, struct wire_message *ret_message,
               struct strict_errors *ret_errors);
/* The same for a line that is part of a document: mistakes are added to its errors. */
bool wire_take(const struct strict_place *root, struct wire_message *ret_message);
void wire_free(struct wire_message *message);

/* Row `index` of a message of type WIRE_METRICS. */
struct wire_metric wire_metric(const struct wire_message *message, size_t index);

/* Element `index` of a list of tasks that wire_read() has checked. */
struct wire_offer wire_offer(const json_t *list, size_t index);

/* The number as JSON; "NaN", "Infinity" or "-Infinity" for numbers that JSON lacks. The caller owns
 * it; NULL when memory is short. */
json_t *wire_number(double value);

/* The document as one line with its '\n'. Takes ownership of the document, even on failure. The
 * caller frees the text; NULL when memory is short, `document` is NULL, or the line is too long. */
char *wire_line(json_t *document);

#endif
