/* Sizes of tasks, the window of offers, and their order. */
#include "workers/lead_plan.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* Seconds that a task aims at in a long job, and the least that is worth starting a process for,
 * which takes a second on a machine that is very busy. */
#define AIM_S   30.0
#define LEAST_S 4.0
/* A task takes at most this part of the time that was spent so far: somebody may wait for the first
 * results. */
#define SHARE_OF_SPENT 0.25

/* A task has at most this many times the units of the largest that is done. */
enum { GROWTH = 16 };

static void forget(struct lead_task *task)
{
    json_decref(task->message);
}

void lead_plan_free(struct lead_plan *plan)
{
    for (size_t k = 0; k < plan->count; k++)
        forget(&plan->tasks[k]);
    free(plan->tasks);
    plan->tasks = NULL;
    plan->count = plan->capacity = 0;
}

/* Returns the pace with this number; a new one takes the place of the oldest. */
static struct lead_pace *pace_of(struct lead_plan *plan, int64_t number)
{
    for (int k = 0; k < LEAD_PACES; k++)
        if (plan->paces[k].number == number)
            return &plan->paces[k];
    struct lead_pace *pace = &plan->paces[plan->next_pace];
    plan->next_pace = (plan->next_pace + 1) % LEAD_PACES;
    *pace = (struct lead_pace){.number = number};
    return pace;
}

/* Takes up the pace of stages like this one. */
static void change_pace(struct lead_plan *plan, int64_t number)
{
    struct lead_pace *before = plan->stage.pace != 0 ? pace_of(plan, plan->stage.pace) : NULL;

    if (before)
        *before =
            (struct lead_pace){plan->stage.pace, plan->largest, plan->timed_units, plan->seconds};
    const struct lead_pace none = {0}, *now = number != 0 ? pace_of(plan, number) : &none;
    plan->largest = now->largest;
    plan->timed_units = now->timed_units;
    plan->seconds = now->seconds;
}

void lead_plan_begin(struct lead_plan *plan, int64_t number, const struct lead_stage *stage,
                     int64_t merged)
{
    assert(stage->units >= 1 && merged >= 0 && merged <= stage->units);
    assert(plan->count == 0);
    change_pace(plan, stage->pace);
    plan->number = number;
    plan->stage = *stage;
    plan->offered = plan->merged = merged;
}

/* ---- offering ---- */

static int64_t open_tasks(const struct lead_plan *plan)
{
    int64_t open = 0;

    for (size_t k = 0; k < plan->count; k++)
        open += plan->tasks[k].state == LEAD_OPEN;
    return open;
}

/* Returns how many units take this long by the pace so far, at least 1; `unknown`: none is known.
 */
static int64_t units_in(const struct lead_plan *plan, double seconds, int64_t unknown)
{
    if (plan->seconds <= 0.0)
        return unknown;
    return (int64_t)fmax(
        1.0, fmin(seconds * (double)plan->timed_units / plan->seconds, (double)plan->stage.units));
}

/* Returns the seconds that the next task aims at. */
static double aim_s(const struct lead_plan *plan)
{
    return fmin(AIM_S, fmax(LEAST_S, SHARE_OF_SPENT * plan->spent_s / (double)plan->hands));
}

/* Returns the size by the pace: growing from one unit a thread to tasks of AIM_S; small enough at
 * the end that all hands end at about the same time. */
static int64_t size_by_pace(const struct lead_plan *plan, int64_t left)
{
    const int64_t share = (left - 1) / (2 * plan->hands) + 1;
    int64_t size = plan->threads;

    if (plan->largest > 0) {
        const int64_t grown = GROWTH * plan->largest, aim = units_in(plan, aim_s(plan), grown),
                      least = units_in(plan, LEAST_S, 1);
        size = aim < grown ? aim : grown;
        size = size > share ? share : size;
        size = size < least && least <= grown ? least : size;
    } else if (size > share) {
        size = share;
    }
    return size < 1 ? 1 : size;
}

int64_t lead_plan_size(const struct lead_plan *plan)
{
    const int64_t left = plan->stage.units - plan->offered, most = plan->stage.most;

    if (left == 0 || plan->count >= WIRE_TASKS_OPEN || lead_plan_has_failed(plan))
        return 0;
    /* While nothing is known, one for each hand: their sizes would soon be wrong. */
    const int64_t most_open = plan->largest > 0 ? 2 * plan->hands + 2 : plan->hands;
    if (!plan->stage.at_once && open_tasks(plan) >= most_open)
        return 0;
    int64_t size = plan->stage.at_once ? most : size_by_pace(plan, left);
    if (size < plan->stage.least)
        size = plan->stage.least;
    if (most > 0 && size > most)
        size = most;
    return size > left ? left : size;
}

struct lead_task *lead_plan_add(struct lead_plan *plan, int64_t number, int64_t count)
{
    assert(count >= 1 && plan->offered + count <= plan->stage.units);
    if (number != plan->next_number)
        return NULL;
    if (plan->count == plan->capacity) {
        size_t capacity = plan->capacity ? 2 * plan->capacity : 16;
        struct lead_task *tasks = realloc(plan->tasks, capacity * sizeof *tasks);
        if (!tasks)
            return NULL;
        plan->tasks = tasks;
        plan->capacity = capacity;
    }
    struct lead_task *task = &plan->tasks[plan->count++];
    *task = (struct lead_task){
        .number = number, .stage = plan->number, .first = plan->offered, .count = count};
    plan->offered += count;
    plan->next_number++;
    return task;
}

/* ---- hearing ---- */

static struct lead_task *find(const struct lead_plan *plan, int64_t number)
{
    /* Numbers have no gaps. */
    const int64_t index = plan->count > 0 ? number - plan->tasks[0].number : -1;

    return index >= 0 && index < (int64_t)plan->count ? &plan->tasks[index] : NULL;
}

static void take_pace(struct lead_plan *plan, const struct lead_task *task, double seconds)
{
    const bool is_larger = task->count > plan->largest;

    if (is_larger)
        plan->largest = task->count;
    if (seconds > 0.0)
        plan->spent_s += seconds;
    if (!(seconds > 0.0) || task->count < plan->largest)
        return; /* of a smaller one, the start of the process has a larger part */
    if (is_larger)
        plan->timed_units = 0;
    plan->seconds = (plan->timed_units ? plan->seconds : 0.0) + seconds;
    plan->timed_units += task->count;
}

void lead_plan_hear(struct lead_plan *plan, struct wire_message *message)
{
    static const enum lead_state states[] = {[WIRE_TASK_RUNNING] = LEAD_OPEN,
                                             [WIRE_TASK_DONE] = LEAD_DONE,
                                             [WIRE_TASK_CANCELLED] = LEAD_CANCELLED,
                                             [WIRE_TASK_FAILED] = LEAD_FAILED};
    struct lead_task *task = find(plan, message->task.number);

    if (!task || task->state != LEAD_OPEN) {
        wire_free(message);
        return;
    }
    task->runs = true;
    task->state = states[message->task.state];
    if (task->state == LEAD_OPEN) {
        if (!isnan(message->task.progress))
            task->progress = message->task.progress;
        wire_free(message);
        return;
    }
    task->message = message->document;
    task->result = message->task.result;
    task->path = message->task.path;
    task->code = message->task.code;
    task->detail = message->task.detail;
    if (task->state == LEAD_DONE)
        take_pace(plan, task, message->task.seconds);
}

/* ---- merging ---- */

struct lead_task *lead_plan_next(const struct lead_plan *plan)
{
    return plan->count > 0 ? &plan->tasks[0] : NULL;
}

void lead_plan_merged(struct lead_plan *plan)
{
    assert(plan->count > 0 && plan->tasks[0].first == plan->merged);
    plan->merged += plan->tasks[0].count;
    plan->merged_through = plan->tasks[0].number;
    forget(&plan->tasks[0]);
    plan->count--;
    for (size_t k = 0; k < plan->count; k++)
        plan->tasks[k] = plan->tasks[k + 1];
}

void lead_plan_skip(struct lead_plan *plan)
{
    for (size_t k = 0; k < plan->count; k++)
        forget(&plan->tasks[k]);
    plan->count = 0;
    plan->merged = plan->offered = plan->stage.units;
    plan->merged_through = plan->next_number - 1;
}

void lead_plan_again(struct lead_plan *plan)
{
    struct lead_task *task = &plan->tasks[0];

    assert(plan->count > 0 && task->state == LEAD_DONE);
    forget(task);
    *task = (struct lead_task){
        .number = task->number, .stage = task->stage, .first = task->first, .count = task->count};
}

bool lead_plan_runs(const struct lead_plan *plan)
{
    for (size_t k = 0; k < plan->count; k++)
        if (plan->tasks[k].state == LEAD_OPEN && plan->tasks[k].runs)
            return true;
    return false;
}

bool lead_plan_has_failed(const struct lead_plan *plan)
{
    for (size_t k = 0; k < plan->count; k++)
        if (plan->tasks[k].state == LEAD_FAILED)
            return true;
    return false;
}

double lead_plan_progress(const struct lead_plan *plan)
{
    const struct lead_stage *stage = &plan->stage;
    double units = (double)plan->merged;

    for (size_t k = 0; k < plan->count; k++) {
        const struct lead_task *task = &plan->tasks[k];
        units += (double)task->count * (task->state == LEAD_DONE ? 1.0 : task->progress);
    }
    return stage->share_before +
           (stage->share_after - stage->share_before) * units / (double)stage->units;
}
