/* The lead of a training. Its files are those of the runs, so nothing is merged on the disk: the
 * daemon keeps the results of all tasks. */
#include "workers/learn/training/worker_train_lead.h"

#include "api/base/load_json.h"
#include "workers/lead.h"
#include "workers/learn/training/train_file.h"
#include "workers/learn/training/train_journal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { CANCEL_MS = 5000 };

struct led {
    struct worker *worker;
    const struct wire_job *job;
    const struct train_plan *plan;
    json_t *result;                /* of the first task, with the runs of all; NULL: none yet */
    size_t heard[TRAIN_SEEDS_MAX]; /* lines of each run's journal that the daemon knows */
};

/* ---- trainings that an earlier version began ---- */

static const char *run_of(const json_t *line)
{
    const char *run = json_string_value(json_object_get(line, "run"));

    return run ? run : "";
}

/* Returns how many lines come up to the checkpoint that the daemon has. */
static size_t heard_lines(const struct led *led, const json_t *lines)
{
    const json_t *recorded = led->job->checkpoint, *sha256 = json_object_get(recorded, "sha256"),
                 *line;
    size_t heard = 0, k;

    json_array_foreach(lines, k, line)
    {
        if (json_equal(json_object_get(json_object_get(line, "checkpoint"), "sha256"), sha256) &&
            strcmp(run_of(line), run_of(recorded)) == 0)
            heard = k + 1;
    }
    return heard;
}

/* Gives a run its part of the common journal, unless it has a journal. */
static enum train_status split_run(struct led *led, const json_t *lines, int index, size_t heard,
                                   char *ret_error)
{
    const char *run = json_string_value(json_array_get(led->job->runs, (size_t)index));
    char name[TRAIN_PATH_MAX], path[TRAIN_PATH_MAX];
    json_t *own = json_array(), *line;
    enum train_status status = TRAIN_OK;
    bool good = own != NULL;
    size_t k;

    json_array_foreach((json_t *)(size_t)lines, k, line)
    {
        if (strcmp(run_of(line), run) != 0)
            continue;
        good = good && json_array_append(own, line) == 0;
        led->heard[index] += k < heard;
    }
    snprintf(name, sizeof name, TRAIN_JOURNAL_OF_RUN, run);
    bool fits = snprintf(path, sizeof path, "%s/%s", led->job->folder, name) < (int)sizeof path;
    if (!good)
        status = train_fail(ret_error, TRAIN_NO_MEMORY, "out of memory");
    else if (json_array_size(own) > 0 && fits && access(path, F_OK) != 0)
        status = train_journal_make(led->job->folder, name, own, ret_error);
    json_decref(own);
    return status;
}

/* Splits the common journal of a training that began without tasks. False, and the job has
 * failed. */
static bool split_journal(struct led *led)
{
    char path[TRAIN_PATH_MAX], error[TRAIN_ERROR_MAX];
    enum train_status status = TRAIN_OK;

    if (snprintf(path, sizeof path, "%s/" TRAIN_JOURNAL_NAME, led->job->folder) >= (int)sizeof path)
        return worker_fail(led->worker, "failed", false, "the name of the folder is too long");
    if (access(path, F_OK) != 0)
        return true;
    struct train_journal *journal = train_journal_open(led->job->folder, TRAIN_JOURNAL_NAME, error);
    if (!journal)
        return worker_fail(led->worker, "disk", true, "%s", error);
    const json_t *lines = train_journal_lines(journal);
    const size_t heard = heard_lines(led, lines);
    for (int k = 0; k < led->plan->seeds && status == TRAIN_OK; k++)
        status = split_run(led, lines, k, heard, error);
    train_journal_close(journal);
    return status == TRAIN_OK || worker_fail(led->worker, "disk", true, "%s", error);
}

/* ---- the lead ---- */

static bool only_stage(void *context, int64_t stage, struct lead_stage *ret_stage)
{
    const struct led *led = context;

    ret_stage->units = led->plan->seeds;
    ret_stage->most = 1;
    ret_stage->at_once = true;
    return stage == 0;
}

static bool describe(void *context, const struct lead_task *task, json_t *spec)
{
    const struct led *led = context;
    const size_t heard = led->heard[task->first];
    json_t *run = json_array_get(led->job->runs, (size_t)task->first);

    return json_object_set(spec, WIRE_TASK_RUN, run) == 0 &&
           (heard == 0 ||
            json_object_set_new(spec, TRAIN_HEARD, json_integer((json_int_t)heard)) == 0);
}

/* Adds the run of a task. */
static enum lead_answer merge(void *context, const struct lead_task *task)
{
    struct led *led = context;
    json_t *runs = json_object_get(task->result, "runs"), *run = json_array_get(runs, 0);

    if (!run && task->state == LEAD_CANCELLED)
        return LEAD_GO_ON; /* it had not begun */
    if (!json_is_object(run))
        return lead_refuse(led->worker, task, "it has no result of a run");
    if (!led->result) {
        led->result = json_copy(task->result);
        json_object_set_new(led->result, "runs", json_array());
    }
    json_array_append(json_object_get(led->result, "runs"), run);
    return LEAD_GO_ON;
}

static json_t *partial(void *context)
{
    const struct led *led = context;

    return json_deep_copy(led->result);
}

json_t *lead_train(struct worker *worker, const struct wire_job *job, const struct train_plan *plan)
{
    struct led led = {.worker = worker, .job = job, .plan = plan};
    const struct lead_work work = {.context = &led,
                                   .cores = plan->threads,
                                   .stage = only_stage,
                                   .describe = describe,
                                   .merge = merge,
                                   .partial = partial,
                                   .wait_ms = CANCEL_MS};
    struct lead_place place;
    enum lead_end end = LEAD_BROKEN;

    if (lead_open(job, &place) || split_journal(&led))
        end = lead_run(worker, job, &work, (struct lead_place){0, 0});
    if (end != LEAD_BROKEN)
        return led.result ? led.result : json_object();
    json_decref(led.result);
    return NULL;
}
