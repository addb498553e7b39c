/* The kinds of jobs: one table, job_kinds.c, read by all layers:
 *
 *   job_json             reads requests by the row's fields
 *   job_kind_json        GET /v1/job-kinds and GET /v1/schemas, from which the dashboard draws its
 *                        forms and results; the jobs' part of api/openapi.yaml
 *   service/jobs         program, input, stored results and follow-up job
 *   service/rinkctl      options of `submit KIND`, completions, manual page, results as tables
 *
 * A new kind of job is a row here with its fields, and a worker_function in the list of its program
 * (workers/worker.h). */
#ifndef RINKD_API_JOBS_JOB_KINDS_H
#define RINKD_API_JOBS_JOB_KINDS_H

#include "api/fields/job_fields.h"

/* Elo differences of the sequential test of a match by default. */
enum { JOB_SPRT_ELO0 = 0, JOB_SPRT_ELO1 = 15 };
/* The values of pairs that this test can look at: results as played, or adjusted for luck. */
enum job_sprt_values { JOB_SPRT_PLAIN, JOB_SPRT_ADJUSTED };
extern const char *const job_sprt_values[]; /* NULL at the end */
/* The usual responders, and the one that is always among them. */
#define JOB_RESPONDER_ALWAYS "rink:simulations=1000,objective=score"
#define JOB_RESPONDERS       JOB_RESPONDER_LOCAL, "ai-simple", "generator", JOB_RESPONDER_ALWAYS

/* The referees of the regret bench (workers/evaluate/regret/referee.h), and their names; the first
 * is asked by default. */
enum referee_kind { REFEREE_ADJUSTED, REFEREE_DEEP, REFEREE_PLAYOUTS };
extern const char *const job_referee_values[]; /* NULL at the end */
enum { JOB_SITUATIONS_MAX = 200, JOB_REGRET_SEEDS = 2 };

/* How a value of a result is shown. */
#define JOB_FORMATS(X)                                                                             \
    X(JOB_TEXT, "text")                                                                            \
    X(JOB_NUMBER, "number")                 /* six digits */                                       \
    X(JOB_TENTHS, "tenths")                 /* one decimal */                                      \
    X(JOB_SIGNED, "signed")                 /* "+1.25" */                                          \
    X(JOB_DURATION, "duration")             /* seconds */                                          \
    X(JOB_INTERVAL, "interval")             /* [low, high] */                                      \
    X(JOB_MEAN, "mean")                     /* {"points" or "points_per_end", "standard_error"} */ \
    X(JOB_FIGURES, "figures")               /* {name: number, …} */                              \
    X(JOB_SHARE, "share")                   /* 0.0425 is "4.25 %" */                               \
    X(JOB_SHARE_INTERVAL, "share_interval") /* [low, high], each a share */                        \
    X(JOB_PLACE, "place")                   /* a number from 0, for people from 1 */
enum job_format {
#define X(name, text) name,
    JOB_FORMATS(X)
#undef X
        JOB_FORMAT_COUNT
};
const char *job_format_name(enum job_format format);

/* A figure of a result: its place and its label. */
struct job_column {
    const char *member;       /* path with dots; NULL at the end of a list */
    const char *label, *unit; /* unit NULL: none */
    enum job_format format;
};

/* Figures that are shown together: a table with a line for each of `rows`, or, if `rows` is NULL, a
 * list of the result's own members. */
struct job_view {
    const char *const *rows;          /* members of the result that are lines, or lists of lines */
    const struct job_column *columns; /* NULL at the end of the views of a kind */
};

/* Curves that its runs record: all metrics called `name` or beginning with `name` and "/". */
struct job_curve {
    const char *name; /* NULL at the end of a list */
    const char *title, *about, *unit;
    double least, most; /* possible values; least == most: any */
};

/* How a few seconds of a job are done for an estimate of all of it: not at all, by "PROGRAM
 * estimate SPEC", or by its worker. */
enum job_trial { JOB_NOT_TRIED, JOB_TRIED_BY_PROGRAM, JOB_TRIED_BY_WORKER };

enum job_runs { JOB_RUNS_NONE, JOB_RUNS_ONE, JOB_RUNS_EACH_SEED };

/* Input of the worker besides the spec. */
enum job_input {
    JOB_GETS_NOTHING,
    JOB_GETS_PAIRINGS,
    JOB_GETS_RECORD /* of the game that the spec names, unless it has one */
};

/* Where the store keeps its result besides the job row (service/store/results.h). */
enum job_kept {
    JOB_KEEPS_NOTHING,
    JOB_KEEPS_MATCH,
    JOB_KEEPS_GAMES, /* as a match, but no ladder counts them */
    JOB_KEEPS_TOURNAMENT,
    JOB_KEEPS_EXPLOITABILITY,
    JOB_KEEPS_LADDER
};

struct job_kind {
    const char *name;
    const char *about;   /* its purpose, one sentence without the full stop */
    const char *program; /* does the job, run as "PROGRAM worker" */
    const char *scope;   /* a token needs it to submit such a job */
    bool is_internal;    /* only the service adds such jobs; lists show them on request */
    const struct field *fields;
    /* Sets defaults and refuses values that depend on several fields of a resolved spec. NULL:
     * nothing to do. */
    void (*finish)(const struct strict_place *place, json_t *spec);
    /* Upper bound of the seconds of a resolved spec, NAN: not known. NULL: never known. */
    double (*estimate_s)(const json_t *spec);
    /* What estimate_s() rests on, if it is known, and why it is not if there is no trial either;
     * without a full stop. */
    const char *bound, *no_estimate;
    enum job_trial trial; /* for a spec without a bound */
    bool asks_worker; /* its worker knows more of a spec than the fields: it is asked before such a
                       * job is accepted (service/jobs/trial.h) */
    enum job_runs runs;
    enum job_input input;
    bool has_tasks;   /* its worker is a lead (api/jobs/wire.h): other processes do parts of it */
    bool is_hosted;   /* its worker only watches others play: it takes none of those that compute */
    bool plays_games; /* its folder holds records of games (api/curling/match_record.h) */
    bool hides_calls; /* others play its games: nobody is shown a called shot before the end */
    bool makes_models; /* its runs produce checkpoints and models */
    enum job_kept keeps;
    const char *followed_by; /* kind of a job that is added when this one is done; fields of the
                                same name keep their values. NULL: none */
    const struct job_view *views;
    const struct job_curve *curves; /* NULL: none */
};

enum { JOB_KINDS_MAX = 32 };
/* The kind with index 0, 1, …; NULL past the end. */
const struct job_kind *job_kind_at(int index);
/* The kind of that name. NULL: no such kind, or name is NULL. */
const struct job_kind *job_kind_find(const char *name);

/* Returns the place of a name in a list that NULL ends; -1: it is not there. */
int job_value_find(const char *const *values, const char *name);
/* Whether the service alone adds jobs of that kind. False: not known, or name is NULL. */
bool job_kind_is_internal(const char *name);
/* Writes the names of the kinds that callers may submit. */
enum { JOB_KIND_NAMES_MAX = 256 };
const char *job_kind_names(const char *separator, char ret_names[JOB_KIND_NAMES_MAX]);

#endif
