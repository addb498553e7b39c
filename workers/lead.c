/* Offers, hears, merges, until all is merged. */
#include "workers/lead.h"

#include "api/base/clock.h"
#include "api/base/utf8.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define PARTIAL_S 3.0

enum { LOOK_MS = 500, WAIT_LOOK_MS = 20, DETAIL_MAX = 1024 };

struct lead {
    struct worker *worker;
    const struct lead_work *work;
    struct lead_plan plan;
    double start_s, start_progress, partial_s;
    bool is_partial_due; /* something was merged since the last partial result */
};

/* ---- specs of tasks ---- */

static int64_t whole_of(const json_t *spec, const char *name, int64_t absent)
{
    const json_t *value = json_object_get(spec, name);

    return value ? json_is_integer(value) ? json_integer_value(value) : -1 : absent;
}

static struct lead_units units_of(const json_t *spec)
{
    return (struct lead_units){whole_of(spec, "stage", 0), whole_of(spec, "from", -1),
                               whole_of(spec, "count", -1)};
}

bool lead_read_units(struct worker *worker, const json_t *spec, int64_t units,
                     struct lead_units *ret_units)
{
    const struct lead_units read = units_of(spec);
    const int64_t all = units > 0 ? units : INT64_MAX;

    *ret_units = read;
    if (read.stage >= 0 && read.from >= 0 && read.count >= 1 && read.from < all &&
        read.count <= all - read.from)
        return true;
    worker_fail(worker, "bad-spec", false,
                "the task names no units of this job: stage %lld, from %lld, count %lld",
                (long long)read.stage, (long long)read.from, (long long)read.count);
    return false;
}

static json_t *spec_of(const struct lead *lead, const struct lead_task *task)
{
    json_t *spec =
        json_pack("{s:I, s:I}", "from", (json_int_t)task->first, "count", (json_int_t)task->count);
    bool good = spec && (task->stage == 0 ||
                         json_object_set_new(spec, "stage", json_integer(task->stage)) == 0);

    good = good && (!lead->work->describe || lead->work->describe(lead->work->context, task, spec));
    if (good)
        return spec;
    json_decref(spec);
    return NULL;
}

/* ---- starting ---- */

bool lead_open(const struct wire_job *job, struct lead_place *ret_place)
{
    if (json_array_size(job->tasks.open) == 0)
        return false;
    const struct lead_units first = units_of(wire_offer(job->tasks.open, 0).spec);
    *ret_place = (struct lead_place){first.stage, first.from};
    return true;
}

static bool begin_stage(struct lead *lead, int64_t number, int64_t merged)
{
    struct lead_stage stage = {.share_after = 1.0};

    if (!lead->work->stage(lead->work->context, number, &stage))
        return false;
    if (merged > stage.units)
        merged = stage.units;
    lead_plan_begin(&lead->plan, number, &stage, merged);
    return true;
}

static bool continues(const struct lead_plan *plan, const struct lead_units *units, int64_t from)
{
    return units->stage == plan->number && units->from == from && units->count >= 1 &&
           units->count <= plan->stage.units - from;
}

/* Whether the open tasks go on where the files end. If not, drops them. */
static bool all_fit(struct lead *lead, const struct wire_job *job)
{
    const size_t open = json_array_size(job->tasks.open);
    struct lead_plan *plan = &lead->plan;
    int64_t from = plan->offered;
    bool good = true;

    for (size_t k = 0; k < open && good; k++) {
        const struct wire_offer offer = wire_offer(job->tasks.open, k);
        const struct lead_units units = units_of(offer.spec);
        const struct lead_task task = {
            .number = offer.number, .stage = units.stage, .first = from, .count = units.count};
        good = continues(plan, &units, from) &&
               lead->work->fits(lead->work->context, &task, offer.spec);
        from += units.count;
    }
    if (good)
        return true;
    plan->merged_through = wire_offer(job->tasks.open, open - 1).number;
    plan->next_number = plan->merged_through + 1;
    worker_drop(lead->worker, plan->merged_through);
    return false;
}

/* Returns how many of the first open tasks are of stages that are over. */
static size_t earlier_tasks(const struct lead *lead, const struct wire_job *job)
{
    const size_t open = json_array_size(job->tasks.open);
    size_t count = 0;

    while (count < open) {
        const int64_t stage = units_of(wire_offer(job->tasks.open, count).spec).stage;
        if (stage < 0 || stage >= lead->plan.number)
            break;
        count++;
    }
    return count;
}

/* Takes the tasks that an earlier lead has offered. They go on where the files end. */
static bool take_open(struct lead *lead, const struct wire_job *job)
{
    struct lead_plan *plan = &lead->plan;
    struct lead_place first;
    size_t k = job->tasks.liar || lead->work->fits ? 0 : earlier_tasks(lead, job);

    plan->next_number = job->tasks.merged + 1 + (int64_t)k;
    if (k > 0)
        worker_drop(lead->worker, plan->next_number - 1);
    if (lead_open(job, &first) && first.stage > plan->number && plan->merged == plan->stage.units &&
        !begin_stage(lead, plan->number + 1, 0))
        return true; /* the tasks are of no use any more */
    if (lead->work->fits && lead_open(job, &first) && !all_fit(lead, job))
        return true;
    for (; k < json_array_size(job->tasks.open); k++) {
        const struct wire_offer offer = wire_offer(job->tasks.open, k);
        const struct lead_units units = units_of(offer.spec);
        if (continues(plan, &units, plan->offered) &&
            lead_plan_add(plan, offer.number, units.count))
            continue;
        if (job->tasks.liar)
            worker_fail(lead->worker, "wrong-answer", false,
                        "node %s gave a wrong answer to task %lld or one after it, and what was "
                        "made of that cannot be undone in this job: start it anew",
                        job->tasks.liar, (long long)offer.number);
        worker_fail(
            lead->worker, "damaged", false,
            "task %lld has %lld units from %lld of stage %lld, but the files of the job end "
            "before unit %lld of stage %lld",
            (long long)offer.number, (long long)units.count, (long long)units.from,
            (long long)units.stage, (long long)plan->offered, (long long)plan->number);
        return false;
    }
    return true;
}

/* ---- offering ---- */

static bool offer(struct lead *lead)
{
    struct lead_plan *plan = &lead->plan;
    json_t *tasks = json_array();
    int64_t size;
    bool good = tasks != NULL;

    while (good && json_array_size(tasks) < WIRE_TASKS_MAX && (size = lead_plan_size(plan)) > 0) {
        const struct lead_task *task = lead_plan_add(plan, plan->next_number, size);
        json_t *spec = task ? spec_of(lead, task) : NULL;
        good = spec && json_array_append_new(
                           tasks, json_pack("{s:I, s:i, s:o}", "number", (json_int_t)task->number,
                                            "cores", lead->work->cores, "spec", spec)) == 0;
    }
    if (good && json_array_size(tasks) > 0)
        worker_offer(lead->worker, json_incref(tasks));
    good = good || worker_fail(lead->worker, "no-memory", true, "out of memory");
    json_decref(tasks);
    return good;
}

/* ---- merging ---- */

enum lead_answer lead_refuse(struct worker *worker, const struct lead_task *task,
                             const char *format, ...)
{
    char detail[DETAIL_MAX];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(detail, sizeof detail, format, arguments);
    va_end(arguments);
    utf8_make_line(detail);
    worker_refuse(worker, task->number, detail);
    return LEAD_AGAIN;
}

static bool sync_merged(struct lead *lead)
{
    if (!lead->work->sync)
        return true;
    if (!lead->work->sync(lead->work->context))
        return false;
    worker_merged(lead->worker, lead->plan.merged_through);
    return true;
}

/* Merges the tasks whose turn has come, and whose end is known. */
static enum lead_answer merge(struct lead *lead)
{
    struct lead_plan *plan = &lead->plan;
    const int64_t before = plan->merged_through;
    enum lead_answer answer = LEAD_GO_ON;
    const struct lead_task *task;

    while (answer == LEAD_GO_ON && !atomic_load(worker_stop(lead->worker)) &&
           (task = lead_plan_next(plan)) != NULL && task->state == LEAD_DONE) {
        answer = lead->work->merge(lead->work->context, task);
        /* A task of which a part was taken, as it was enough or the job is to end, is not merged:
         * the next lead does it again. */
        if (answer == LEAD_GO_ON || answer == LEAD_NEXT)
            lead_plan_merged(plan);
        if (answer == LEAD_AGAIN) {
            lead_plan_again(plan);
            answer = LEAD_GO_ON;
        }
    }
    if (answer == LEAD_REFUSED)
        return answer;
    task = lead_plan_next(plan);
    if (answer == LEAD_GO_ON && task && task->state == LEAD_FAILED) {
        worker_fail(lead->worker, task->code, false, "%s", task->detail);
        answer = LEAD_REFUSED;
    }
    lead->is_partial_due |= plan->merged_through != before;
    if (plan->merged_through != before && !sync_merged(lead))
        return LEAD_REFUSED;
    if (answer == LEAD_NEXT) {
        if (plan->count > 0)
            worker_drop(lead->worker, plan->next_number - 1);
        lead_plan_skip(plan);
    }
    return answer == LEAD_STOPPED || answer == LEAD_NEXT ? LEAD_GO_ON : answer;
}

/* ---- progress ---- */

static void tell(struct lead *lead)
{
    const double now = clock_now_s(), progress = fmin(lead_plan_progress(&lead->plan), 1.0),
                 gained = progress - lead->start_progress;

    worker_progress(lead->worker, progress,
                    gained > 0.0 ? (now - lead->start_s) * (1.0 - progress) / gained : (double)NAN);
    if (!lead->work->partial || !lead->is_partial_due || now - lead->partial_s < PARTIAL_S)
        return;
    lead->partial_s = now;
    lead->is_partial_due = false;
    worker_partial(lead->worker, lead->work->partial(lead->work->context));
}

/* ---- hearing ---- */

/* Hears a line, if one comes in time, and all that have come. */
static void hear(struct lead *lead, int wait_ms)
{
    struct wire_message message;

    for (; worker_hear(lead->worker, wait_ms, &message); wait_ms = 0) {
        if (message.type == WIRE_HANDS) {
            lead->plan.hands = message.hands.count;
            wire_free(&message);
        } else {
            lead_plan_hear(&lead->plan, &message);
        }
    }
}

/* ---- ending ---- */

/* Waits for the answers of running tasks and merges what they have. */
static bool merge_cancelled(struct lead *lead)
{
    const double end_s = clock_now_s() + 1e-3 * lead->work->wait_ms;
    const struct lead_plan *plan = &lead->plan;
    enum lead_answer answer = LEAD_GO_ON;

    if (lead->work->wait_ms == 0)
        return true;
    hear(lead, 0);
    while (lead_plan_runs(plan) && clock_now_s() < end_s)
        hear(lead, WAIT_LOOK_MS);
    for (size_t k = 0; k < plan->count && answer != LEAD_REFUSED; k++)
        if (plan->tasks[k].state == LEAD_DONE || plan->tasks[k].state == LEAD_CANCELLED)
            answer = lead->work->merge(lead->work->context, &plan->tasks[k]);
    return answer != LEAD_REFUSED;
}

/* The result is certain: whoever works on what is left need not wait for the end of the job. The
 * next lead has to find the files that make it certain. */
static bool drop_rest(struct lead *lead, const struct wire_job *job)
{
    const size_t open = json_array_size(job->tasks.open);
    const int64_t last = open > 0 ? wire_offer(job->tasks.open, open - 1).number : 0;
    int64_t through = lead->plan.next_number - 1;

    if (through < last)
        through = last;
    if (through <= lead->plan.merged_through || through <= job->tasks.merged || !lead->work->sync)
        return true;
    if (!lead->work->sync(lead->work->context))
        return false;
    worker_drop(lead->worker, through);
    return true;
}

/* Offers and merges until there is an answer. */
static enum lead_answer lead_on(struct lead *lead)
{
    struct lead_plan *plan = &lead->plan;

    while (!atomic_load(worker_stop(lead->worker))) {
        enum lead_answer answer = merge(lead);
        if (answer != LEAD_GO_ON)
            return answer;
        if (plan->merged == plan->stage.units) {
            if (!begin_stage(lead, plan->number + 1, 0))
                return LEAD_ENOUGH;
            continue;
        }
        if (!offer(lead))
            return LEAD_REFUSED;
        tell(lead);
        hear(lead, LOOK_MS);
    }
    return LEAD_GO_ON;
}

enum lead_end lead_run(struct worker *worker, const struct wire_job *job,
                       const struct lead_work *work, struct lead_place place)
{
    struct lead lead = {.worker = worker,
                        .work = work,
                        .plan = {.threads = work->cores, .hands = job->tasks.hands},
                        .start_s = clock_now_s()};
    enum lead_answer answer = LEAD_ENOUGH;
    bool has_stage = begin_stage(&lead, place.stage, place.unit);

    lead.partial_s = lead.start_s;
    lead.start_progress = has_stage ? lead_plan_progress(&lead.plan) : 1.0;
    if (has_stage)
        answer = take_open(&lead, job) ? lead_on(&lead) : LEAD_REFUSED;
    if (answer == LEAD_ENOUGH && !drop_rest(&lead, job))
        answer = LEAD_REFUSED;
    if (answer == LEAD_GO_ON && worker_is_cancelled(worker) && !merge_cancelled(&lead))
        answer = LEAD_REFUSED;
    lead_plan_free(&lead.plan);
    if (answer == LEAD_ENOUGH)
        return LEAD_COMPLETE;
    return answer == LEAD_GO_ON && worker_is_cancelled(worker) ? LEAD_CUT_SHORT : LEAD_BROKEN;
}
