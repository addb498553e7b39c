/* What a kind of job is: one table, job_kinds.c, and everybody reads it.
 *
 *   api/job_json         reads requests by the row's fields
 *   api/job_kind_json    GET /v1/job-kinds and GET /v1/schemas, from which the dashboard draws its
 *                        forms and results; the jobs' part of api/openapi.yaml
 *   service/jobs         which program does it, what it gets, what is kept, what follows it
 *   service/rinkctl      options of `submit KIND`, completions, manual page, results as tables
 *
 * A new kind of job is a row here with its fields, and a worker_function in the list of its program
 * (workers/worker.h). */
#ifndef RINKD_API_JOB_KINDS_H
#define RINKD_API_JOB_KINDS_H

#include "api/job_fields.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How a value of a result is shown; in brackets what the value is. */
#define JOB_FORMATS(X)                                             \
    X(JOB_TEXT, "text")                                            \
    X(JOB_NUMBER, "number")     /* six digits */                   \
    X(JOB_TENTHS, "tenths")     /* a digit behind the point */     \
    X(JOB_SIGNED, "signed")     /* "+1.25" */                      \
    X(JOB_DURATION, "duration") /* seconds */                      \
    X(JOB_INTERVAL, "interval") /* [low, high] */                  \
    X(JOB_MEAN, "mean")         /* {"points", "standard_error"} */ \
    X(JOB_FIGURES, "figures")   /* {name: number, …} */
enum job_format {
#define X(name, text) name,
    JOB_FORMATS(X)
#undef X
        JOB_FORMAT_COUNT
};
const char *job_format_name(enum job_format format);

/* A figure of a result: where it is, and what it is called. */
struct job_column {
    const char *member;       /* names with dots between them; NULL at the end of a list */
    const char *label, *unit; /* unit NULL: none */
    enum job_format format;
};

/* Figures that are shown together: a table with a line for each of `rows`, or, where `rows` is
 * NULL, a list of the result's own members. */
struct job_view {
    const char *const *rows;          /* members of the result that are lines, or lists of lines */
    const struct job_column *columns; /* NULL at the end of the views of a kind */
};

/* Curves that its runs leave behind: all whose name is `name` or begins with it and "/". */
struct job_curve {
    const char *name; /* NULL at the end of a list */
    const char *about, *unit;
    double least, most; /* possible values; least == most: any */
};

enum job_runs { JOB_RUNS_NONE, JOB_RUNS_ONE, JOB_RUNS_EACH_SEED };

/* What the worker gets beside the spec. */
enum job_input { JOB_GETS_NOTHING, JOB_GETS_PAIRINGS };

/* Where the store keeps its result beside the job itself (service/store/results.h). */
enum job_kept {
    JOB_KEEPS_NOTHING,
    JOB_KEEPS_MATCH,
    JOB_KEEPS_TOURNAMENT,
    JOB_KEEPS_EXPLOITABILITY,
    JOB_KEEPS_LADDER
};

struct job_kind {
    const char *name;
    const char *about;   /* what it is for, one sentence without its full stop */
    const char *program; /* that does it: "PROGRAM worker" */
    const char *scope;   /* that a token needs to ask for it */
    bool is_internal;    /* only the service adds such jobs; lists show them to who asks for them */
    const struct field *fields;
    /* Refuses what the fields of a resolved spec must not mean together. NULL: nothing. */
    void (*finish)(const struct strict_place *place, json_t *spec);
    /* Seconds that a resolved spec takes at most, NAN: not known. NULL: never known. */
    double (*estimate_s)(const json_t *spec);
    bool can_be_tried; /* "PROGRAM estimate SPEC" does a few seconds of it and says how long it
                          takes */
    enum job_runs runs;
    enum job_input input;
    bool plays_games;  /* its folder has records of games (api/match_record.h) */
    bool makes_models; /* its runs leave checkpoints and models behind */
    enum job_kept keeps;
    const char *followed_by; /* a kind that is added when it is done; its spec has the same values
                              * where the fields have the same names. NULL: none */
    const struct job_view *views;
    const struct job_curve *curves; /* NULL: none */
};

enum { JOB_KINDS_MAX = 32 };
/* The kinds one after the other: index 0, 1, …; NULL past the end. */
const struct job_kind *job_kind_at(int index);
/* NULL: no such kind, or name is NULL. */
const struct job_kind *job_kind_find(const char *name);
/* The names of those that callers may ask for, or of all, with ", " between them. */
enum { JOB_KIND_NAMES_MAX = 256 };
const char *job_kind_names(bool with_internal, char ret_names[JOB_KIND_NAMES_MAX]);

#ifdef __cplusplus
}
#endif

#endif
