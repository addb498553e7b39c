/* Runs, their curves and checkpoints. */
#include "service/store/runs.h"

#include "api/jobs/job_states.h"
#include "service/store/sql.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- runs ---- */

enum api_error run_store_add(struct store *store, const struct run_new *run, int64_t now_ms,
                             char ret_id[RUN_ID_MAX])
{
    static const char text[] =
        "INSERT INTO run (name, job, seed, spec, versions, created_ms)"
        " VALUES (lower(hex(randomblob(16))), ?1, ?2, ?3, ?4, ?5) RETURNING name";
    return sql_read(
        store, text,
        PUT(INT(run->job), INT(run->seed), TEXT(run->spec), TEXT(run->versions), INT(now_ms)),
        GET(TO_TEXT(RUN_ID_MAX, ret_id)));
}

#define RUN_COLUMNS                                                                               \
    "run.name AS id, job, job.kind AS kind, seed, job.state AS state, run.spec AS spec,"          \
    " versions, tags, run.created_ms AS created_at,"                                              \
    " (SELECT json_group_array(name) FROM"                                                        \
    "   (SELECT name FROM curve WHERE run = run.id ORDER BY name)) AS metrics,"                   \
    " (SELECT json_group_object(name, iif(abs(last_value) < 9e999, last_value, NULL)) FROM"       \
    "   (SELECT name, last_value FROM curve WHERE run = run.id ORDER BY name)) AS last_values,"   \
    " (SELECT json_group_object(name, least) FROM"                                                \
    "   (SELECT name, least FROM curve WHERE run = run.id ORDER BY name)) AS lowest_values,"      \
    " (SELECT json_group_object(name, greatest) FROM"                                             \
    "   (SELECT name, greatest FROM curve WHERE run = run.id ORDER BY name)) AS highest_values,"  \
    " (SELECT count(*) FROM checkpoint WHERE checkpoint.run = run.id) AS checkpoints," /* Beside  \
                                                                                          max()   \
                                                                                          are the \
                                                                                          columns \
                                                                                          of its  \
                                                                                          row. */ \
    " (SELECT json_group_array(json_object('name', policy, 'step', step, 'model', model,"         \
    "                                      'sha256', sha256)) FROM"                               \
    "   (SELECT policy, max(step) AS step, name AS model, sha256 FROM model"                      \
    "     WHERE model.run = run.name GROUP BY policy)) AS policies"                               \
    " FROM run JOIN job ON job.id = run.job"
#define RUN_TYPES "sisisjjjtjjjjij"

enum api_error run_store_get(struct store *store, const char *id, json_t **ret_run)
{
    static const char text[] = "SELECT " RUN_COLUMNS " WHERE run.name = ?1";
    return sql_read_object(store, text, PUT(TEXT(id)), RUN_TYPES, ret_run);
}

enum api_error run_store_list(struct store *store, int64_t job, struct store_page *page)
{
    static const char all[] = "SELECT run.id, " RUN_COLUMNS " WHERE run.id < ?1"
                              " ORDER BY run.id DESC LIMIT ?2";
    static const char of_job[] = "SELECT run.id, " RUN_COLUMNS " WHERE run.id < ?1 AND run.job = ?3"
                                 " ORDER BY run.id DESC LIMIT ?2";
    return sql_read_page(store, job != 0 ? of_job : all, job != 0 ? PUT(INT(job)) : NULL, false,
                         RUN_TYPES, page);
}

enum api_error run_store_list_named(struct store *store, const char *ids, int64_t job,
                                    struct store_page *page)
{
    static const char text[] = "SELECT run.id, " RUN_COLUMNS " WHERE run.id < ?1"
                               " AND run.name IN (SELECT value FROM json_each(?3))"
                               " AND (?4 = 0 OR run.job = ?4) ORDER BY run.id DESC LIMIT ?2";
    return sql_read_page(store, text, PUT(TEXT(ids), INT(job)), false, RUN_TYPES, page);
}

bool run_is_awaited(const json_t *run, const json_t *before)
{
    enum job_state state = JOB_DONE;
    bool is_named = false;
    const json_t *job;
    size_t k;

    (void)job_state_read(json_string_value(json_object_get(run, "state")), &state);
    json_array_foreach(before, k, job) is_named =
        is_named || json_equal(job, json_object_get(run, "job"));
    return is_named && !job_has_ended(state);
}

/* Finds the key that other tables use for a run; job 0: of any job. */
static enum api_error find_run(struct store *store, const char *id, int64_t job, int64_t *ret_key)
{
    static const char text[] = "SELECT id FROM run WHERE name = ?1 AND (?2 = 0 OR job = ?2)";
    return sql_read(store, text, PUT(TEXT(id), INT(job)), GET(TO_INT(ret_key)));
}

enum api_error run_store_tag(struct store *store, const char *id, json_t *tags)
{
    /* A merge patch (RFC 7396): null takes a member away. */
    static const char text[] = "UPDATE run SET tags = json_patch(tags, ?2) WHERE name = ?1";
    char *patch = json_dumps(tags, JSON_COMPACT);

    if (!patch)
        return API_NO_MEMORY;
    enum api_error error = sql_change(store, text, PUT(TEXT(id), TEXT(patch)), API_NOT_FOUND);
    free(patch);
    return error;
}

enum api_error run_store_of_job(struct store *store, int64_t job, json_t **ret_ids)
{
    static const char text[] = "SELECT name FROM run WHERE job = ?1 ORDER BY id";
    return sql_read_list(store, text, PUT(INT(job)), NULL, ret_ids);
}

/* ---- curves ---- */

/* Finds the curve of that name; its first point creates it. */
static enum api_error find_curve(struct store *store, int64_t run, const struct run_metric *metric,
                                 int64_t *ret_curve)
{
    static const char find[] = "SELECT id FROM curve WHERE run = ?1 AND name = ?2";
    static const char make[] = "INSERT INTO curve (run, name, last_step) VALUES (?1, ?2, ?3)"
                               " RETURNING id";
    enum api_error error =
        sql_read(store, find, PUT(INT(run), TEXT(metric->name)), GET(TO_INT(ret_curve)));

    return error != API_NOT_FOUND
               ? error
               : sql_read(store, make, PUT(INT(run), TEXT(metric->name), INT(metric->step)),
                          GET(TO_INT(ret_curve)));
}

enum api_error run_store_metric(struct store *store, int64_t job, const struct run_metric *metric,
                                int64_t now_ms)
{
    static const char put[] =
        "INSERT INTO point (curve, step, at_ms, value) VALUES (?1, ?2, ?3, ?4)"
        " ON CONFLICT (curve, step) DO UPDATE SET at_ms = ?3, value = ?4";
    /* SQLite reads 9e999 as infinity; coalesce() gives a first value something to be compared with.
     */
    static const char news[] =
        "UPDATE curve SET last_step = max(last_step, ?2),"
        " last_value = iif(last_step <= ?2, ?3, last_value),"
        " least = iif(abs(?3) < 9e999, min(coalesce(least, ?3), ?3), least),"
        " greatest = iif(abs(?3) < 9e999, max(coalesce(greatest, ?3), ?3), greatest)"
        " WHERE id = ?1";
    int64_t run = 0, curve = 0;
    enum api_error error = find_run(store, metric->run, job, &run);

    if (error == API_OK)
        error = find_curve(store, run, metric, &curve);
    if (error != API_OK)
        return error;
    error =
        sql_run(store, put, PUT(INT(curve), INT(metric->step), INT(now_ms), REAL(metric->value)));
    if (error != API_OK)
        return error;
    return sql_run(store, news, PUT(INT(curve), INT(metric->step), REAL(metric->value)));
}

/* The extent of a curve within the requested steps. */
struct curve_extent {
    int64_t points, special, first, last; /* special: not finite */
};

static enum api_error measure_curve(struct store *store, int64_t run,
                                    const struct run_curve_query *query,
                                    struct curve_extent *ret_extent)
{
    static const char text[] =
        "SELECT count(*), count(*) FILTER (WHERE value IS NULL OR abs(value) = 9e999),"
        "       min(step), max(step)"
        "  FROM point WHERE curve = (SELECT id FROM curve WHERE run = ?1 AND name = ?2)"
        "   AND step BETWEEN ?3 AND ?4"; /* SQLite reads 9e999 as infinity */
    return sql_read(store, text,
                    PUT(INT(run), TEXT(query->name), INT(query->from_step), INT(query->to_step)),
                    GET(TO_INT(&ret_extent->points), TO_INT(&ret_extent->special),
                        TO_INT(&ret_extent->first), TO_INT(&ret_extent->last)));
}

/* One of the equal ranges of steps, and the points it contributes. */
struct bucket {
    bool has_finite, has_special;
    struct run_point least, greatest, special;
};

static void put_in_bucket(struct bucket *bucket, const struct run_point *point)
{
    if (!isfinite(point->value)) {
        if (!bucket->has_special)
            bucket->special = *point;
        bucket->has_special = true;
        return;
    }
    if (!bucket->has_finite || point->value < bucket->least.value)
        bucket->least = *point;
    if (!bucket->has_finite || point->value > bucket->greatest.value)
        bucket->greatest = *point;
    bucket->has_finite = true;
}

/* Writes the points of a bucket in order of steps, each once, at most `room`; returns how many. */
static int empty_bucket(struct bucket *bucket, int room, struct run_point *ret_points)
{
    struct run_point points[3];
    int count = 0;

    if (bucket->has_finite) {
        bool same = bucket->least.step == bucket->greatest.step;
        bool rises = bucket->least.step < bucket->greatest.step;
        points[count++] = rises ? bucket->least : bucket->greatest;
        if (!same)
            points[count++] = rises ? bucket->greatest : bucket->least;
    }
    if (bucket->has_special) {
        int at = count++;
        for (; at > 0 && points[at - 1].step > bucket->special.step; at--)
            points[at] = points[at - 1];
        points[at] = bucket->special;
    }
    *bucket = (struct bucket){.has_finite = false};
    count = count < room ? count : room;
    memcpy(ret_points, points, (size_t)count * sizeof *points);
    return count;
}

static int bucket_of(const struct curve_extent *extent, int buckets, int64_t step)
{
    double share = ((double)step - (double)extent->first) /
                   ((double)extent->last - (double)extent->first + 1.0);
    int index = (int)(share * buckets);
    return index < buckets ? index : buckets - 1;
}

enum api_error run_store_curve(struct store *store, const struct run_curve_query *query,
                               struct run_point *ret_points, int *ret_count)
{
    static const char text[] = "SELECT step, at_ms, value FROM point"
                               " WHERE curve = (SELECT id FROM curve WHERE run = ?1 AND name = ?2)"
                               "   AND step BETWEEN ?3 AND ?4 ORDER BY step";
    struct curve_extent extent = {.points = 0};
    struct bucket bucket = {.has_finite = false};
    int64_t run = 0;
    int count = 0, current = 0, most = query->max_points;

    if (most < RUN_POINTS_LEAST || most > RUN_POINTS_MOST)
        return API_BAD_PARAMETER;
    enum api_error error = find_run(store, query->run, 0, &run);
    if (error == API_OK)
        error = measure_curve(store, run, query, &extent);
    if (error != API_OK)
        return error;
    if (extent.points == 0) {
        *ret_count = 0;
        return API_OK;
    }
    bool all = extent.points <= most;
    int buckets = most / (extent.special > 0 ? 3 : 2);

    /* leaves out points newer than the extent */
    struct sql q = sql_start(store, text,
                             PUT(INT(run), TEXT(query->name), INT(extent.first), INT(extent.last)));
    while (sql_row(&q) && (!all || count < most)) {
        struct run_point point = {.step = sql_get_int(&q)};
        point.at_ms = sql_get_int(&q);
        point.value = sql_get_real(&q);
        if (all) {
            ret_points[count++] = point;
            continue;
        }
        int index = bucket_of(&extent, buckets, point.step);
        if (index != current)
            count += empty_bucket(&bucket, most - count, ret_points + count);
        current = index;
        put_in_bucket(&bucket, &point);
    }
    /* A point may have been replaced since the extent was read, even by a value that is not
     * finite: check the room. */
    if (!all)
        count += empty_bucket(&bucket, most - count, ret_points + count);
    error = sql_end(&q);
    if (error == API_OK)
        *ret_count = count;
    return error;
}

enum api_error run_store_live(struct store *store, int most, json_t **ret_rows)
{
    static const char text[] =
        "SELECT run.name AS run, job.id AS job, curve.name AS name, last_step AS step,"
        "       last_value AS value"
        "  FROM job JOIN run ON run.job = job.id JOIN curve ON curve.run = run.id"
        " WHERE job.state = 'leased' LIMIT ?1";
    return sql_read_list(store, text, PUT(INT(most)), "sisiv", ret_rows);
}

/* ---- checkpoints ---- */

enum api_error run_store_checkpoint(struct store *store, const struct run_checkpoint *checkpoint,
                                    int64_t now_ms, json_t *gone_paths)
{
    static const char before[] =
        "SELECT path FROM checkpoint WHERE run = ?1 AND step = ?2 AND path <> ?3";
    static const char text[] =
        "INSERT INTO checkpoint (run, step, path, sha256, bytes, at_ms)"
        " VALUES (?1, ?2, ?3, ?4, ?5, ?6)"
        " ON CONFLICT (run, step) DO UPDATE SET path = ?3, sha256 = ?4, bytes = ?5, at_ms = ?6";
    int64_t run = 0;
    char *old = NULL;
    enum api_error error = find_run(store, checkpoint->run, checkpoint->job, &run);

    if (error == API_OK) {
        error =
            sql_read(store, before, PUT(INT(run), INT(checkpoint->step), TEXT(checkpoint->path)),
                     GET(TO_COPY(&old)));
        if (error == API_OK && json_array_append_new(gone_paths, json_string(old)) != 0)
            error = API_NO_MEMORY;
        free(old);
    }
    if (error != API_OK && error != API_NOT_FOUND)
        return error;
    return run == 0 ? error
                    : sql_run(store, text,
                              PUT(INT(run), INT(checkpoint->step), TEXT(checkpoint->path),
                                  TEXT(checkpoint->sha256), INT(checkpoint->bytes), INT(now_ms)));
}

enum api_error run_store_checkpoints(struct store *store, const char *run, struct store_page *page)
{
    static const char text[] = "SELECT step, step, path, sha256, bytes, at_ms AS at FROM checkpoint"
                               " WHERE run = ?3 AND step < ?1 ORDER BY step DESC LIMIT ?2";
    int64_t key = 0;
    enum api_error error = find_run(store, run, 0, &key);

    return error != API_OK ? error
                           : sql_read_page(store, text, PUT(INT(key)), false, "issit", page);
}

enum api_error run_store_checkpoint_at(struct store *store, const char *run, int64_t step,
                                       json_t **ret_checkpoint)
{
    static const char text[] =
        "SELECT run.job, step, path, sha256, bytes, at_ms AS at"
        "  FROM checkpoint JOIN run ON run.id = checkpoint.run WHERE run.name = ?1 AND step = ?2";
    return sql_read_object(store, text, PUT(TEXT(run), INT(step)), "iissit", ret_checkpoint);
}

enum api_error run_store_prune(struct store *store, const char *run, int64_t keep,
                               json_t *gone_paths)
{
    static const char text[] =
        "DELETE FROM checkpoint WHERE run = ?1"
        "   AND step NOT IN (SELECT step FROM checkpoint WHERE run = ?1"
        "                     ORDER BY step DESC LIMIT ?2)"
        /* a training that has not ended begins with it */
        "   AND NOT EXISTS (SELECT 1 FROM job AS branch WHERE branch.kind = 'train'"
        "         AND json_extract(branch.spec, '$.from.run') = ?3"
        "         AND json_extract(branch.spec, '$.from.step') = checkpoint.step"
        "         AND branch.state IN ('ready', 'leased', 'paused')) RETURNING path";
    int64_t key = 0;
    json_t *paths = NULL;
    enum api_error error = find_run(store, run, 0, &key);

    if (error == API_OK)
        error = sql_read_list(store, text, PUT(INT(key), INT(keep), TEXT(run)), NULL, &paths);
    if (error == API_OK && json_array_extend(gone_paths, paths) != 0)
        error = API_NO_MEMORY;
    json_decref(paths);
    return error;
}

enum api_error run_store_is_parent(struct store *store, int64_t job, bool *ret_is)
{
    static const char text[] =
        "SELECT 1 FROM run JOIN job AS branch ON json_extract(branch.spec, '$.from.run') = run.name"
        " WHERE run.job = ?1 AND branch.kind = 'train' AND branch.id <> ?1";
    return sql_exists(store, text, PUT(INT(job)), ret_is);
}

enum api_error run_store_files(struct store *store, int64_t job, json_t **ret_paths)
{
    static const char text[] =
        "SELECT path FROM checkpoint JOIN run ON run.id = checkpoint.run WHERE run.job = ?1";
    return sql_read_list(store, text, PUT(INT(job)), NULL, ret_paths);
}
