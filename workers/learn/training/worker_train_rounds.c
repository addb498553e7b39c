/* Makes shards of items, and finds the files of a fit. See worker_train_rounds.h. */
#include "workers/learn/training/worker_train_rounds.h"

#include "api/base/clock.h"
#include "workers/file_hash.h"
#include "workers/lead.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

bool task_train_stage(struct worker *worker, const struct wire_job *job,
                      const struct train_plan *plan, struct train_stage *ret_stage,
                      struct lead_units *ret_units)
{
    const json_t *spec = job->task.spec;

    if (!lead_read_units(worker, spec, 0, ret_units))
        return false;
    if (!train_rounds_can(plan) || !train_rounds_stage(plan, ret_units->stage, ret_stage) ||
        ret_stage->round != json_integer_value(json_object_get(spec, TRAIN_ROUND)))
        return worker_fail(worker, "bad-spec", false, "the task is of no round of this training");
    const int64_t units = (int64_t)ret_stage->items * plan->seeds;
    if (!lead_read_units(worker, spec, units, ret_units))
        return false;
    return ret_stage->part != TRAIN_FIT || ret_units->count == 1 ||
           worker_fail(worker, "bad-spec", false, "a fit is of one run");
}

json_t *task_train_blame(struct worker *worker, enum train_status status, const char *error)
{
    static const struct {
        const char *code;
        bool retryable;
    } failures[] = {
        [TRAIN_BAD_SPEC] = {"bad-spec", false}, [TRAIN_DIVERGED] = {"diverged", false},
        [TRAIN_DISK] = {"disk", true},          [TRAIN_NO_MEMORY] = {"no-memory", true},
        [TRAIN_FAILED] = {"failed", true},
    };

    return worker_fail(worker, failures[status].code, failures[status].retryable, "%s", error);
}

/* ---- files that a task needs ---- */

static bool is_plain(const char *name)
{
    return name && *name && *name != '.' && !strchr(name, '/');
}

enum train_status task_train_files(const char *folder, const json_t *spec,
                                   char ret_error[TRAIN_ERROR_MAX])
{
    const json_t *files = json_object_get(spec, TRAIN_FILES), *file;
    char path[TRAIN_PATH_MAX], found[TRAIN_SHA256_MAX];
    size_t k;

    json_array_foreach(files, k, file)
    {
        const char *name = json_string_value(json_object_get(file, "path")),
                   *sha256 = json_string_value(json_object_get(file, "sha256"));
        if (!is_plain(name) || !sha256 ||
            snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path)
            return train_fail(ret_error, TRAIN_BAD_SPEC, "the task names a file in no good way");
        if (!file_hash(path, found))
            return train_fail(ret_error, TRAIN_DISK, "%.800s: %s", path, strerror(errno));
        if (strcmp(found, sha256) != 0)
            return train_fail(ret_error, TRAIN_DISK, "%.800s: its SHA-256 is not that of the task",
                              path);
    }
    return TRAIN_OK;
}

/* Whether a task names a file of the job's folder; its path. */
static bool has_file(const struct wire_job *job, const char *name, char path[TRAIN_PATH_MAX])
{
    const json_t *files = json_object_get(job->task.spec, TRAIN_FILES), *file;
    size_t k;

    snprintf(path, TRAIN_PATH_MAX, "%s/%s", job->folder, name);
    json_array_foreach(files, k, file)
    {
        const char *own = json_string_value(json_object_get(file, "path"));
        if (own && strcmp(own, name) == 0)
            return true;
    }
    return false;
}

static const char *run_of(const struct wire_job *job, int index)
{
    return json_string_value(json_array_get(job->runs, (size_t)index));
}

/* Sets the paths of the state of a run before a round, and of items that it needs. */
static void find_files(const struct wire_job *job, const struct train_plan *plan, int64_t round,
                       int index, struct task_train_fit *fit)
{
    const struct rounds_class *rounds = plan->class->rounds;
    char name[TRAIN_NAME_MAX];

    train_rounds_state_name(run_of(job, index), round, name);
    fit->round.state = has_file(job, name, fit->state) ? fit->state : NULL;
    for (int part = 0; part < rounds->parts; part++) {
        train_rounds_items_name(plan, run_of(job, index), part,
                                rounds->part[part].batch((uint64_t)round), name);
        fit->round.items[part] = has_file(job, name, fit->items[part]) ? fit->items[part] : NULL;
    }
}

bool task_train_fit(const struct wire_job *job, const struct train_plan *plan,
                    const struct train_stage *stage, int index, struct task_train_fit *ret_fit)
{
    const json_t *spent = json_object_get(job->task.spec, TRAIN_SPENT);
    struct task_train_fit *fit = ret_fit;

    find_files(job, plan, stage->round, index, fit);
    snprintf(fit->output_name, sizeof fit->output_name, "task-%" PRId64 ".state", job->task.number);
    fit->round.number = stage->round;
    fit->round.output = fit->output;
    fit->round.spent =
        (struct trainer_spent){json_number_value(json_object_get(spent, "cpu_s")),
                               json_number_value(json_object_get(spent, "play_s")),
                               json_number_value(json_object_get(spent, "elapsed_s"))};
    return strlen(job->folder) + TRAIN_NAME_MAX + 1 < TRAIN_PATH_MAX &&
           snprintf(fit->output, sizeof fit->output, "%s/%s", job->folder, fit->output_name) <
               (int)sizeof fit->output;
}

/* ---- making items ---- */

struct making {
    struct worker *worker;
    const struct wire_job *job;
    const struct train_plan *plan;
    const struct train_stage *stage;
    const struct lead_units *units;
    int64_t done; /* units */
    FILE *file;
    enum train_status status;
    json_t *parts; /* what the items of each run have cost */
    char *error;   /* TRAIN_ERROR_MAX */
};

/* Makes items of a part in pieces, so that progress is seen. */
static enum train_status make_items(struct making *making, struct rounds *rounds, size_t first,
                                    size_t count)
{
    const int part = making->stage->part;
    const size_t at_once = rounds->class->part[part].at_once;

    for (size_t done = 0; done < count;) {
        const size_t some = count - done < at_once ? count - done : at_once;
        char error[LEARNER_ERROR_MAX];
        if (!rounds_make(rounds, part, first + done, some, worker_stop(making->worker), error))
            return *error ? train_fail(making->error, TRAIN_FAILED, "%s", error) : TRAIN_STOPPED;
        done += some;
        making->done += (int64_t)some;
        worker_progress(making->worker, (double)making->done / (double)making->units->count,
                        (double)NAN);
    }
    return TRAIN_OK;
}

/* Makes some items of a run by its weights, and writes their shard. */
static enum train_status make_shard(struct making *making, struct rounds *rounds, int index,
                                    size_t first, size_t count)
{
    const struct rounds_shard shard =
        train_rounds_shard(making->plan, making->stage, index, first, count);
    const double elapsed = clock_s(CLOCK_MONOTONIC), cpu = clock_s(CLOCK_PROCESS_CPUTIME_ID),
                 play = rounds->play_s;
    enum train_status status = make_items(making, rounds, first, count);

    if (status != TRAIN_OK)
        return status;
    json_t *part =
        json_pack("{s:s, s:I, s:I, s:f, s:f, s:f}", "run", run_of(making->job, index), "from",
                  (json_int_t)first, "count", (json_int_t)count, "cpu_s",
                  clock_s(CLOCK_PROCESS_CPUTIME_ID) - cpu, "play_s", rounds->play_s - play,
                  "elapsed_s", clock_s(CLOCK_MONOTONIC) - elapsed);
    if (json_array_append_new(making->parts, part) != 0)
        return train_fail(making->error, TRAIN_NO_MEMORY, "out of memory");
    errno = 0;
    return rounds_shard_write(&shard, rounds, making->file)
               ? TRAIN_OK
               : train_fail(making->error, TRAIN_DISK, "the shard: %s", strerror(errno));
}

/* Makes the items of one run: opens it, with the items of earlier stages of the round. */
static enum train_status make_of_run(struct making *making, int index, size_t first, size_t count)
{
    const struct train_stage *stage = making->stage;
    struct task_train_fit files;
    struct train_opened opened;

    find_files(making->job, making->plan, stage->round, index, &files);
    enum train_status status = train_rounds_open(making->plan, index, stage->round,
                                                 files.round.state, &opened, making->error);
    if (status != TRAIN_OK)
        return status;
    struct rounds *rounds = trainer_rounds(opened.trainer);
    for (int part = 0; part < stage->part && status == TRAIN_OK; part++)
        if (files.round.items[part])
            status = train_rounds_take(rounds, part, files.round.items[part],
                                       worker_stop(making->worker), making->error);
        else if (!rounds_is_complete(rounds, part))
            status = train_fail(making->error, TRAIN_BAD_SPEC, "the task has no file of %s",
                                rounds->class->part[part].name);
    if (status == TRAIN_OK)
        status = make_shard(making, rounds, index, first, count);
    train_rounds_close(&opened);
    return status;
}

static enum train_status make_all(struct making *making)
{
    const size_t items = making->stage->items,
                 end = (size_t)(making->units->from + making->units->count);
    enum train_status status =
        task_train_files(making->job->folder, making->job->task.spec, making->error);

    for (size_t unit = (size_t)making->units->from; unit < end && status == TRAIN_OK;) {
        const size_t index = unit / items, first = unit % items, left = end - unit,
                     some = items - first < left ? items - first : left;
        status = make_of_run(making, (int)index, first, some);
        unit += some;
    }
    return status;
}

static bool write_all(void *context, FILE *file)
{
    struct making *making = context;

    making->file = file;
    const enum train_status status = make_all(making);
    making->file = NULL;
    making->status = status;
    return status == TRAIN_OK;
}

json_t *task_train_items(struct worker *worker, const struct wire_job *job,
                         const struct train_plan *plan, const struct train_stage *stage,
                         const struct lead_units *units)
{
    char name[TRAIN_NAME_MAX], path[TRAIN_PATH_MAX], sha256[TRAIN_SHA256_MAX],
        error[TRAIN_ERROR_MAX] = "", of_file[TRAIN_ERROR_MAX];
    struct making making = {.worker = worker,
                            .job = job,
                            .plan = plan,
                            .stage = stage,
                            .units = units,
                            .status = TRAIN_OK,
                            .parts = json_array(),
                            .error = error};

    snprintf(name, sizeof name, "task-%" PRId64 ".items", job->task.number);
    if (snprintf(path, sizeof path, "%s/%s", job->folder, name) >= (int)sizeof path) {
        json_decref(making.parts);
        return worker_fail(worker, "failed", false, "the name of the folder is too long");
    }
    /* A new file takes the place of one that an earlier try has made. */
    enum train_status status = train_file_write(path, write_all, &making, sha256, of_file);
    if (making.status != TRAIN_OK)
        status = making.status;
    else if (status != TRAIN_OK)
        snprintf(error, sizeof error, "%s", of_file);
    json_t *result = status == TRAIN_OK && worker_output(worker, job->folder, name)
                         ? json_pack("{s:O}", "parts", making.parts)
                         : NULL;
    json_decref(making.parts);
    if (status == TRAIN_STOPPED)
        return worker_is_cancelled(worker) ? json_object() : NULL;
    return status == TRAIN_OK ? result : task_train_blame(worker, status, error);
}
