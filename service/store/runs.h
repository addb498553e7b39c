/* Runs: the metrics and checkpoints of jobs that train or measure. A run belongs to a job; a job
 * with several seeds has one run for each. */
#ifndef RINKD_SERVICE_STORE_RUNS_H
#define RINKD_SERVICE_STORE_RUNS_H

#include "service/store/store.h"

enum {
    RUN_ID_MAX = 33,
    RUN_METRIC_NAME_MAX = 120, /* bytes, with 0 */
    RUN_POINTS_LEAST = 3,
    RUN_POINTS_MOST = 10000
};

struct run_new {
    int64_t job;
    int64_t seed;
    const char *spec, *versions; /* JSON */
};
/* The id is 128 random bits in hexadecimal. */
enum api_error run_store_add(struct store *store, const struct run_new *run, int64_t now_ms,
                             char ret_id[RUN_ID_MAX]);

/* {"id","job","kind","seed","state" (its job's),"spec","versions","tags":{…},"created_at",
 *  "metrics":[names],"last_values","lowest_values","highest_values":{name:value},"checkpoints":N,
 *  "policies":[{"name","step","model","sha256"}] (the newest of each)} */
enum api_error run_store_get(struct store *store, const char *id, json_t **ret_run);
/* Whether the run, as run_store_get() shows it, is of one of these jobs (an array of ids, or NULL)
 * and its job has not ended. */
bool run_is_awaited(const json_t *run, const json_t *before);
enum api_error run_store_list(struct store *store, int64_t job,
                              struct store_page *page); /* job 0: all */
/* Those among `ids` (a JSON array as text) that exist. */
enum api_error run_store_list_named(struct store *store, const char *ids, int64_t job,
                                    struct store_page *page); /* job 0: of any */
/* Sets and (JSON null) removes tags; API_NOT_FOUND: no such run. Texts of at most 200 bytes,
 * checked by the caller. */
enum api_error run_store_tag(struct store *store, const char *id, json_t *tags);
/* [ids] of a job's runs, oldest first. */
enum api_error run_store_of_job(struct store *store, int64_t job, json_t **ret_ids);

/* Adds a point to a curve, or replaces the point of the same run, name and step; NAN and
 * infinities are stored. API_NOT_FOUND: the job has no such run. */
struct run_metric {
    const char *run, *name;
    int64_t step;
    double value;
};
enum api_error run_store_metric(struct store *store, int64_t job, const struct run_metric *metric,
                                int64_t now_ms);

/* Points of a curve from from_step to to_step, in order of steps. If there are more than
 * max_points, the steps are cut into max_points / 2 equal ranges, and each gives its smallest
 * and its largest value. If some values are not finite, there are max_points / 3 ranges, and
 * each also gives the first of these. `value` may be NAN. */
struct run_point {
    int64_t step, at_ms;
    double value;
};
struct run_curve_query {
    const char *run, *name;
    int64_t from_step, to_step; /* INT64_MIN, INT64_MAX: all */
    int max_points; /* RUN_POINTS_LEAST … RUN_POINTS_MOST, or else API_BAD_PARAMETER */
};
/* ret_points has room for max_points. API_NOT_FOUND: no such run; a name without points is empty.
 */
enum api_error run_store_curve(struct store *store, const struct run_curve_query *query,
                               struct run_point *ret_points, int *ret_count);
/* The newest value of each metric of live (leased) jobs' runs, for /metrics:
 * [{"run","job","name","step","value"}], at most `most`. */
enum api_error run_store_live(struct store *store, int most, json_t **ret_rows);

struct run_checkpoint {
    const char *run, *path, *sha256; /* path: name in the job's folder */
    int64_t job, step, bytes;
};
/* Adds a checkpoint, or replaces the one of this step, whose path is appended to `gone_paths` if it
 * is another. API_NOT_FOUND: the job has no such run. */
enum api_error run_store_checkpoint(struct store *store, const struct run_checkpoint *checkpoint,
                                    int64_t now_ms, json_t *gone_paths);
/* [{"step","path","sha256","bytes","at"}], newest first. */
enum api_error run_store_checkpoints(struct store *store, const char *run, struct store_page *page);
/* {"job","step","path","sha256","bytes","at"}; API_NOT_FOUND. */
enum api_error run_store_checkpoint_at(struct store *store, const char *run, int64_t step,
                                       json_t **ret_checkpoint);
/* Deletes the checkpoints of a run, except the newest `keep` and those that an unfinished training
 * job starts from; appends the paths of their files. */
enum api_error run_store_prune(struct store *store, const char *run, int64_t keep,
                               json_t *gone_paths);
/* Whether another job, ended or not, has gone on from a checkpoint of a run of this job. */
enum api_error run_store_is_parent(struct store *store, int64_t job, bool *ret_is);
/* [paths] of all checkpoints of a job's runs. */
enum api_error run_store_files(struct store *store, int64_t job, json_t **ret_paths);

#endif
