/* The tasks of a job as its lead sees them: which units each does, which are offered next and in
 * which sizes, and whose turn it is to be merged. Pure bookkeeping; lead.h talks about it.
 *
 * The work of a stage is units 0, 1, …, units - 1. Tasks take them in order, so tasks in the order
 * of their numbers hold the units in order. A stage begins when all units of the one before are
 * merged. */
#ifndef RINKD_WORKERS_LEAD_PLAN_H
#define RINKD_WORKERS_LEAD_PLAN_H

#include "api/jobs/wire.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

enum lead_state { LEAD_OPEN, LEAD_DONE, LEAD_CANCELLED, LEAD_FAILED };

/* A task that is not merged. */
struct lead_task {
    int64_t number, stage, first, count; /* units first … first + count - 1 of its stage */
    enum lead_state state;
    bool runs;                 /* it was heard of while open */
    double progress;           /* of an open task, 0 … 1 */
    json_t *message;           /* of done, cancelled and failed: owns what follows */
    json_t *result;            /* of done and cancelled */
    const char *path;          /* of done; NULL: no file */
    const char *code, *detail; /* of failed */
};

enum { LEAD_PACES = 4 };

/* A stage of the work. */
struct lead_stage {
    int64_t units; /* at least 1 */
    int64_t most;  /* units of a task; 0: as many as the pace allows */
    int64_t least; /* units that a task has at least, if so many are left: fewer take less time than
                      the start of a process, which would be taken for their pace */
    bool at_once;  /* all its tasks are offered at once, with `most` units each */
    /* Units of stages with the same number take about the same time; 0: not known of any other. */
    int64_t pace;
    /* The part of the whole job that is done before it and after it, 0 … 1. */
    double share_before, share_after;
};

struct lead_plan {
    int threads;   /* of a task: the least units of the first tasks */
    int64_t hands; /* processes that can work on tasks now */

    int64_t number; /* of the stage */
    struct lead_stage stage;
    int64_t offered, merged; /* units of the stage: before the first that no task has; merged */

    int64_t next_number, merged_through; /* numbers of tasks */
    struct lead_task *tasks;             /* in order of numbers, `count` of them */
    size_t count, capacity;

    /* The pace: the units of the largest tasks that are done, and sums over those. */
    int64_t largest, timed_units;
    double seconds;
    /* That of earlier stages, by their number; the latest ones. */
    struct lead_pace {
        int64_t number, largest, timed_units;
        double seconds;
    } paces[LEAD_PACES];
    int next_pace;
    double spent_s; /* by all tasks of the job that are done */
};

void lead_plan_free(struct lead_plan *plan);

/* Begins a stage, of which `merged` units are merged. The stage before must be all merged. */
void lead_plan_begin(struct lead_plan *plan, int64_t number, const struct lead_stage *stage,
                     int64_t merged);

/* Returns the units of the next task to offer now; 0: none now. */
int64_t lead_plan_size(const struct lead_plan *plan);

/* Adds a task with the next `count` units. `number` is the next one or, for a task of an earlier
 * lead, its own. NULL: no memory, or the number does not come after those before it. */
struct lead_task *lead_plan_add(struct lead_plan *plan, int64_t number, int64_t count);

/* Takes what a message says about a task, and owns the message. A task that is not in the plan, and
 * an end that was told before, change nothing. */
void lead_plan_hear(struct lead_plan *plan, struct wire_message *message);

/* Returns the task that is merged next; NULL: all are. */
struct lead_task *lead_plan_next(const struct lead_plan *plan);
/* Removes that task, which is merged. */
void lead_plan_merged(struct lead_plan *plan);
/* Removes all tasks: the stage is over without them. */
void lead_plan_skip(struct lead_plan *plan);
/* Makes that task, which is done, open again: its output is of no use. */
void lead_plan_again(struct lead_plan *plan);

/* True if a task runs: its answer to a cancel is still to come. */
bool lead_plan_runs(const struct lead_plan *plan);
/* True if a task has failed: no more are offered. */
bool lead_plan_has_failed(const struct lead_plan *plan);

/* Returns how much of the job is done, 0 … 1: merged, waiting to be merged, and what runs. */
double lead_plan_progress(const struct lead_plan *plan);

#endif
