/* Matches and tournaments in tasks (workers/lead.h). A task plays some pairs of the series into a
 * file of records of its own; the lead appends their lines to the job's file in order, and counts
 * them as a worker does that plays the whole series. */
#include "workers/evaluate/play_run.h"
#include "workers/evaluate/worker_jobs.h"
#include "workers/lead.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_MAX_BYTES = 4096, ERROR_MAX = 1024 };

/* ---- the lead ---- */

struct led {
    struct worker *worker;
    const char *folder;
    struct play play;
    struct series series;
    int64_t total;
    struct pair_result *results;
    int64_t count; /* pairs in the file of records */
    char *header;
    struct record_file *file;
    bool is_decided, is_broken; /* by the test of a match; the file cannot be written */
};

static void keep_quiet(const struct play *play, int64_t done, bool resumed)
{
    (void)play; /* the lead reports progress */
    (void)done;
    (void)resumed;
}

/* Opens the file of records, cut back to the pairs that the daemon knows as merged, and counts what
 * is in it. */
static bool open_records(struct led *led, const struct wire_job *job)
{
    struct lead_place place;
    const bool has_open = lead_open(job, &place);
    const bool is_cut = has_open && place.unit >= 0 && place.unit < led->total;
    const struct record_part part = {.players = led->series.player_count,
                                     .most = is_cut ? place.unit : led->total,
                                     .cuts = is_cut};
    char error[ERROR_MAX];

    led->results = calloc((size_t)led->total, sizeof *led->results);
    led->header =
        record_header(&led->series.setting, led->series.players, led->series.player_count);
    if (!led->results || !led->header)
        return worker_fail(led->worker, "no-memory", true, "out of memory");
    led->file = record_open(led->series.records, led->header, &part, led->results, &led->count,
                            sizeof error, error);
    if (!led->file)
        return worker_fail(led->worker, "failed", true, "%s", error);
    for (int64_t k = 0; k < led->count && !led->is_decided; k++)
        if (!play_count(&led->play, k, &led->results[k], true)) {
            led->is_decided = true;
            led->count = k + 1;
        }
    return true;
}

static bool only_stage(void *context, int64_t stage, struct lead_stage *ret_stage)
{
    const struct led *led = context;

    ret_stage->units = led->total;
    return stage == 0;
}

static bool fail_at_records(struct led *led)
{
    led->is_broken = true;
    return worker_fail(led->worker, "disk", true, "%s: %s", led->series.records, strerror(errno));
}

/* True as long as the job goes on. */
static bool check_pair(void *context, int64_t index, const struct pair_result *result,
                       const char *text, size_t length)
{
    const struct led *led = context;

    (void)index;
    (void)result;
    (void)text;
    (void)length;
    return !atomic_load(worker_stop(led->worker));
}

static bool take_pair(void *context, int64_t index, const struct pair_result *result,
                      const char *text, size_t length)
{
    struct led *led = context;

    if (atomic_load(worker_stop(led->worker)))
        return false;
    if (!record_append(led->file, text, length))
        return fail_at_records(led);
    led->results[index] = *result;
    led->count = index + 1;
    led->is_decided = !play_count(&led->play, index, result, false);
    return !led->is_decided;
}

/* Reads the file of a task twice: of one that is unsound at its end nothing may be taken. */
static enum lead_answer merge(void *context, const struct lead_task *task)
{
    struct led *led = context;
    const struct record_part part = {
        .players = led->series.player_count, .first = task->first, .most = task->count};
    char path[PATH_MAX_BYTES], error[ERROR_MAX];

    if (!task->path)
        return lead_refuse(led->worker, task, "it has no file of records");
    if (snprintf(path, sizeof path, "%s/%s", led->folder, task->path) >= (int)sizeof path) {
        worker_fail(led->worker, "failed", false, "the name of the job's folder is too long");
        return LEAD_REFUSED;
    }
    if (!record_read(path, led->header, &part, check_pair, led, sizeof error, error))
        return lead_refuse(led->worker, task, "%s", error);
    if (!record_read(path, led->header, &part, take_pair, led, sizeof error, error)) {
        worker_fail(led->worker, "disk", true, "task %" PRId64 ": %s", task->number, error);
        return LEAD_REFUSED;
    }
    if (led->is_broken)
        return LEAD_REFUSED;
    if (led->is_decided)
        return LEAD_ENOUGH;
    return led->count < task->first + task->count ? LEAD_STOPPED : LEAD_GO_ON;
}

static bool sync_records(void *context)
{
    struct led *led = context;

    return record_sync(led->file) || fail_at_records(led);
}

static json_t *partial(void *context)
{
    const struct led *led = context;

    return play_partial(&led->play, led->count, led->total);
}

json_t *lead_play(struct worker *worker, const struct wire_job *job,
                  const struct play_options *options)
{
    struct led led = {
        .worker = worker,
        .folder = job->folder,
        .play = {options, job->kind, worker_stop(worker), keep_quiet, NULL, .half_points = {0}}};
    const struct lead_work work = {.context = &led,
                                   .cores = options->series.threads,
                                   .stage = only_stage,
                                   .merge = merge,
                                   .sync = sync_records,
                                   .partial = partial};
    enum lead_end end = LEAD_BROKEN;
    json_t *result = NULL;

    led.series = play_series(&led.play);
    led.total = series_pairs(&led.series);
    if (open_records(&led, job))
        end = led.is_decided ? LEAD_COMPLETE
                             : lead_run(worker, job, &work, (struct lead_place){0, led.count});
    if (!record_close(led.file) && end != LEAD_BROKEN) {
        fail_at_records(&led);
        end = LEAD_BROKEN;
    }
    if (end != LEAD_BROKEN) {
        result = play_report(&led.play, &led.series, led.results, led.count, end == LEAD_CUT_SHORT);
        if (!result)
            worker_fail(worker, "failed", false, "the ratings could not be computed");
    }
    free(led.header);
    free(led.results);
    return result;
}

/* ---- a task ---- */

static bool show_pair(void *context, int64_t index, const struct pair_result *result, bool resumed)
{
    struct course *course = context;

    (void)result;
    course_update(course, index + 1 - course->from, resumed);
    return true;
}

/* Removes a file of an earlier try that this one cannot continue. */
static void drop_useless(const struct series *series, struct pair_result *results)
{
    const struct record_part part = {.players = series->player_count,
                                     .first = series->from,
                                     .most = series->count,
                                     .cuts = true};
    char *header = record_header(&series->setting, series->players, series->player_count);
    char error[ERROR_MAX];
    int64_t count;
    struct record_file *file =
        header ? record_open(series->records, header, &part, results, &count, sizeof error, error)
               : NULL;

    if (header && !file)
        unlink(series->records);
    record_close(file);
    free(header);
}

json_t *task_play(struct worker *worker, const struct wire_job *job,
                  const struct play_options *options)
{
    struct play play = {options,    job->kind, worker_stop(worker),
                        keep_quiet, NULL,      .half_points = {0}};
    struct series series = play_series(&play);
    char name[64], path[PATH_MAX_BYTES], error[ERROR_MAX];
    struct lead_units units;
    int64_t count;

    if (!lead_read_units(worker, job->task.spec, series_pairs(&series), &units))
        return NULL;
    snprintf(name, sizeof name, "task-%" PRId64 ".records", job->task.number);
    if (snprintf(path, sizeof path, "%s/%s", job->folder, name) >= (int)sizeof path)
        return worker_fail(worker, "bad-spec", false, "the job's folder has too long a name");
    struct pair_result *results = calloc((size_t)units.count, sizeof *results);
    if (!results)
        return worker_fail(worker, "no-memory", true, "out of memory");
    struct course course = course_start(worker, units.count);
    course.from = units.from;
    series.records = path;
    series.from = units.from;
    series.count = units.count;
    series.finished = show_pair;
    series.context = &course;
    drop_useless(&series, results);
    const enum series_status status = series_run(&series, results, &count, sizeof error, error);
    free(results);
    if (status == SERIES_FAILED)
        return worker_fail(worker, "failed", true, "%s", error);
    if (status != SERIES_OK)
        return play_broken_off(worker, json_object());
    return worker_output(worker, job->folder, name) ? json_pack("{s:I}", "pairs", (json_int_t)count)
                                                    : NULL;
}
