/* Job "train". The training has its own thread, so "cancel" is answered at once; a drain waits
 * until the training has saved its state. */
#include "workers/learn/training/worker_train.h"

#include "api/base/build_json.h"
#include "api/base/clock.h"
#include "api/jobs/wire.h"
#include "workers/lead.h"
#include "workers/learn/training/train_file.h"
#include "workers/learn/training/training.h"
#include "workers/learn/training/worker_train_lead.h"
#include "workers/learn/training/worker_train_rounds.h"
#include "workers/learn/training/worker_train_rounds_lead.h"

#include <math.h>
#include <pthread.h>
#include <unistd.h>

enum { GRACE_MS = 40, TASK_GRACE_MS = 2000 };

/* One per process; static, because the thread may outlive the job. */
static struct {
    struct train_plan plan;
    struct training training;
    struct task_train_fit fit;                            /* of a task that fits a round */
    json_t *task;                                         /* its spec; NULL: it is none */
    char folder[TRAIN_PATH_MAX], journal[TRAIN_PATH_MAX]; /* name of the latter */
    json_t *runs, *recorded;
    atomic_bool stop, saves; /* read by the thread */

    pthread_mutex_t lock;  /* protects the next two members and all reports */
    struct worker *worker; /* NULL: the job has ended */
    json_t *result;        /* final or partial */

    /* Set by the thread at its end. */
    enum train_status status;
    char error[TRAIN_ERROR_MAX];
    atomic_bool over;
} train = {.saves = true, .lock = PTHREAD_MUTEX_INITIALIZER, .over = true};

bool job_train_is_left_behind(void)
{
    return !atomic_load(&train.over);
}

/* ---- the thread: reports to the worker ---- */

static const char *text_of(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static void say_points(const json_t *line, const json_t *points)
{
    json_t *rows = json_array(), *run = json_object_get(line, "run"),
           *step = json_object_get(line, "step"), *value;
    const char *name;

    bool good = rows != NULL;
    json_object_foreach((json_t *)points, name, value)
    {
        good = good && build_append(rows, json_pack("{s:O, s:s, s:O, s:O}", "run", run, "name",
                                                    name, "step", step, "value", value));
    }
    worker_metrics(train.worker, build_done(rows, good));
}

static void say_line(void *context, const json_t *line)
{
    const json_t *points = json_object_get(line, "points"), *model = json_object_get(line, "model"),
                 *checkpoint = json_object_get(line, "checkpoint");
    int64_t step = json_integer_value(json_object_get(line, "step"));

    (void)context;
    pthread_mutex_lock(&train.lock);
    if (train.worker && points)
        say_points(line, points);
    if (train.worker && model)
        worker_model(train.worker, text_of(line, "run"), text_of(model, "name"),
                     text_of(model, "path"), text_of(model, "sha256"), step);
    if (train.worker && checkpoint) {
        worker_checkpoint(train.worker, text_of(line, "run"), text_of(checkpoint, "path"),
                          text_of(checkpoint, "sha256"), step);
        /* Only after a checkpoint: the daemon treats a partial result as saved progress. */
        if (train.result)
            worker_partial(train.worker, json_incref(train.result));
    }
    pthread_mutex_unlock(&train.lock);
}

static void keep_result(void *context, json_t *result)
{
    (void)context;
    pthread_mutex_lock(&train.lock);
    json_decref(train.result);
    train.result = result;
    pthread_mutex_unlock(&train.lock);
}

static void show_progress(void *context, const struct training_progress *progress)
{
    (void)context;
    pthread_mutex_lock(&train.lock);
    if (train.worker)
        worker_progress(train.worker, progress->share, progress->left_s);
    pthread_mutex_unlock(&train.lock);
}

static void warn(void *context, const char *text)
{
    (void)context;
    fprintf(stderr, "%s\n", text); /* goes to the job's log */
}

/* Checks the files of the fit of a round, which has a journal of its own for each try. */
static enum train_status begin_fit(void)
{
    char path[TRAIN_PATH_MAX];

    if (snprintf(path, sizeof path, "%s/%s", train.folder, train.journal) < (int)sizeof path)
        unlink(path);
    return task_train_files(train.folder, train.task, train.error);
}

/* The last thing that the thread does. */
static void note_end(void)
{
    atomic_store(&train.over, true);
    pthread_mutex_lock(&train.lock);
    if (train.worker)
        worker_wake(train.worker);
    pthread_mutex_unlock(&train.lock);
}

static void *run_training(void *context)
{
    const struct training_sink sink = {.stop = &train.stop,
                                       .saves = &train.saves,
                                       .say = say_line,
                                       .partial = keep_result,
                                       .progress = show_progress,
                                       .warn = warn};
    json_t *result = NULL;

    (void)context;
    train.status = train.task ? begin_fit() : TRAIN_OK;
    if (train.status != TRAIN_OK) {
        note_end();
        return NULL;
    }
    train.training.journal = train_journal_open(train.folder, train.journal, train.error);
    train.status = train.training.journal
                       ? training_run(&train.training, &sink, &result, train.error)
                       : TRAIN_DISK;
    train_journal_close(train.training.journal);
    if (train.status == TRAIN_OK)
        keep_result(NULL, result);
    note_end();
    return NULL;
}

/* ---- the job ---- */

static void take_seed(int index)
{
    train.plan.seeds = 1;
    train.plan.seed[0] = train.plan.seed[index];
    train.training.run[0] = train.training.run[index];
}

/* Reduces the training to the fit of a round. */
static bool take_fit(struct worker *worker, const struct wire_job *job)
{
    struct train_stage stage;
    struct lead_units units;

    if (!task_train_stage(worker, job, &train.plan, &stage, &units))
        return false;
    if (!task_train_fit(job, &train.plan, &stage, (int)units.from, &train.fit))
        return worker_fail(worker, "failed", false, "the name of the folder is too long");
    take_seed((int)units.from);
    train.task = json_incref(job->task.spec);
    train.training.round = &train.fit.round;
    train.training.recorded = NULL;
    snprintf(train.journal, sizeof train.journal, "task-%lld.jsonl", (long long)job->task.number);
    return true;
}

/* Reduces the training to the seed of a task, with a journal of its own. */
static bool take_task(struct worker *worker, const struct wire_job *job)
{
    struct lead_units units;

    if (json_object_get(job->task.spec, TRAIN_ROUND))
        return take_fit(worker, job);

    if (!lead_read_units(worker, job->task.spec, train.plan.seeds, &units))
        return false;
    if (units.count != 1)
        return worker_fail(worker, "bad-spec", false, "a task is one seed");
    take_seed((int)units.from);
    train.training.heard = (size_t)json_integer_value(json_object_get(job->task.spec, TRAIN_HEARD));
    snprintf(train.journal, sizeof train.journal, TRAIN_JOURNAL_OF_RUN, train.training.run[0]);
    return true;
}

/* Copies the thread's input, as the thread may outlive the job. False, and the job has failed. */
static bool take_job(struct worker *worker, const struct wire_job *job)
{
    snprintf(train.journal, sizeof train.journal, TRAIN_JOURNAL_NAME);
    train.runs = json_incref(job->runs);
    train.recorded = job->checkpoint ? json_incref(job->checkpoint) : NULL;
    train.training =
        (struct training){.plan = &train.plan, .folder = train.folder, .recorded = train.recorded};
    for (size_t k = 0; k < json_array_size(train.runs) && k < TRAIN_SEEDS_MAX; k++)
        train.training.run[k] = json_string_value(json_array_get(train.runs, k));
    if (snprintf(train.folder, sizeof train.folder, "%s", job->folder) >= (int)sizeof train.folder)
        return worker_fail(worker, "failed", false, "the name of the folder is too long");
    return job->task.number == 0 || take_task(worker, job);
}

static void leave_job(void)
{
    train_plan_free(&train.plan);
    json_decref(train.runs);
    json_decref(train.recorded);
    json_decref(train.task);
}

/* Waits until the training ends, or `grace_ms` after a cancel. The caller owns the result. */
static json_t *wait_for_training(struct worker *worker, int grace_ms)
{
    double until_s = INFINITY;

    while (job_train_is_left_behind() && clock_now_s() < until_s) {
        bool stopped = atomic_load(worker_stop(worker));
        if (stopped && worker_is_cancelled(worker) && isinf(until_s)) {
            atomic_store(&train.saves, false);
            until_s = clock_now_s() + 1e-3 * grace_ms;
        }
        if (stopped)
            atomic_store(&train.stop, true);
        worker_wait(worker, &train.over, stopped, until_s);
    }
    pthread_mutex_lock(&train.lock);
    train.worker = NULL;
    json_t *result = train.result;
    train.result = NULL;
    pthread_mutex_unlock(&train.lock);
    return result;
}

static json_t *last_word(struct worker *worker, json_t *result)
{
    if (worker_is_cancelled(worker))
        return result ? result : json_object();
    if (train.status == TRAIN_OK)
        return result;
    json_decref(result);
    if (train.status == TRAIN_STOPPED && worker_is_drained(worker))
        return NULL;
    if (train.status == TRAIN_STOPPED)
        return worker_fail(worker, "failed", true, "a game was cancelled, but the job was not");
    return task_train_blame(worker, train.status, train.error);
}

/* Trains in a thread. */
static json_t *train_all(struct worker *worker, const struct wire_job *job)
{
    pthread_t thread;
    bool taken = take_job(worker, job);

    train.worker = worker;
    atomic_store(&train.over,
                 false); /* the thread may set it before pthread_create() has returned */
    if (!taken || pthread_create(&thread, NULL, run_training, NULL) != 0) {
        atomic_store(&train.over, true);
        leave_job();
        return worker_fail(worker, "failed", true, "cannot start a thread");
    }
    /* The lead answers for the job, and waits for what its seeds have. */
    const bool is_fit = train.task != NULL;
    json_t *result =
        wait_for_training(worker, job->task.number && !is_fit ? TASK_GRACE_MS : GRACE_MS);
    if (!job_train_is_left_behind()) {
        pthread_join(thread, NULL);
        leave_job();
    }
    result = last_word(worker, result);
    if (!is_fit || !result || worker_is_cancelled(worker) ||
        worker_output(worker, job->folder, train.fit.output_name))
        return result;
    json_decref(result);
    return NULL;
}

/* Does a task that makes items of a round. False: the job is none. */
static bool makes_items(struct worker *worker, const struct wire_job *job, json_t **ret_result)
{
    struct train_stage stage;
    struct lead_units units;

    *ret_result = NULL;
    if (job->task.number == 0 || !json_object_get(job->task.spec, TRAIN_ROUND))
        return false;
    if (!task_train_stage(worker, job, &train.plan, &stage, &units))
        return true; /* it has failed */
    if (stage.part == TRAIN_FIT)
        return false;
    *ret_result = task_train_items(worker, job, &train.plan, &stage, &units);
    return true;
}

json_t *job_train(struct worker *worker, const struct wire_job *job)
{
    struct strict_errors errors = {.count = 0};
    const struct strict_place spec = strict_root(job->spec, &errors);

    if (!train_plan_read(&spec, &train.plan))
        return worker_fail(worker, "bad-spec", false, "%s: %s", errors.error[0].pointer,
                           errors.error[0].message);
    if (json_array_size(job->runs) != (size_t)train.plan.seeds) {
        train_plan_free(&train.plan);
        return worker_fail(worker, "bad-spec", false, "/seeds: %d given for %zu runs",
                           train.plan.seeds, json_array_size(job->runs));
    }
    json_t *result = NULL;
    if (job->is_lead && lead_train_has_rounds(job, &train.plan))
        result = lead_train_rounds(worker, job, &train.plan);
    else if (job->is_lead)
        result = lead_train(worker, job, &train.plan);
    else if (!makes_items(worker, job, &result))
        return train_all(worker, job);
    train_plan_free(&train.plan);
    return result;
}
