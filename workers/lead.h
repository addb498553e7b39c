/* The lead of a job (api/jobs/wire.h): offers its work as tasks to whoever has time for them, and
 * merges their outputs in order. It computes nothing heavy itself.
 *
 * The result depends on the spec of the job and its units alone, not on how many hands there are,
 * how units are cut into tasks, who does them, in which order they end, and how often anybody dies:
 * a lead that starts again goes on behind what its files hold.
 *
 * The spec of a task is {"stage"?,"from","count"} (stage: left out for 0) and what the kind adds.
 *
 * Whoever does a task may be wrong, and his disk may be: a merge checks an output as far as it can
 * before it takes anything of it, and refuses one that is unsound (lead_refuse()). Another hand
 * then does the task again; after JOB_ATTEMPTS tries the job fails and names the task. */
#ifndef RINKD_WORKERS_LEAD_H
#define RINKD_WORKERS_LEAD_H

#include "workers/lead_plan.h"
#include "workers/worker.h"

enum lead_answer {
    LEAD_GO_ON,
    LEAD_NEXT,    /* the output was taken and the stage is certain: its other tasks are dropped, and
                     the next stage begins */
    LEAD_ENOUGH,  /* the result is certain: nothing more is merged, and open tasks are dropped */
    LEAD_AGAIN,   /* nothing of the output was taken; lead_refuse() has said why */
    LEAD_STOPPED, /* worker_stop() is true, and a part of the output was taken */
    LEAD_REFUSED  /* worker_fail() has said why: the job fails */
};

/* What a kind of job does for its lead. */
struct lead_work {
    void *context;
    int cores; /* that a task occupies; also the units of the first tasks */

    /* Sets stage number `stage` (0, 1, …), when all before it is merged. False: there is none, the
     * work is done. */
    bool (*stage)(void *context, int64_t stage, struct lead_stage *ret_stage);
    /* Adds members to the spec of a task. NULL: none. False: no memory. */
    bool (*describe)(void *context, const struct lead_task *task, json_t *spec);
    /* Whether an open task with this spec is what would be offered for its units now; times in it
     * do not count. If one is not, as the tasks before it are done again, all open tasks are
     * dropped and the work is offered anew from the place on. NULL: specs hold units alone, and an
     * open task that does not go on where the files end means damage. */
    bool (*fits)(void *context, const struct lead_task *task, const json_t *spec);
    /* Merges the output of a task that is done. After a cancel also what cancelled tasks have
     * (task->state), if the lead waits for them. A merge that may take longer than a moment looks
     * at worker_stop() and then ends with LEAD_STOPPED. */
    enum lead_answer (*merge)(void *context, const struct lead_task *task);
    /* Makes durable what is merged. False: worker_fail() has said why. NULL: the files of the lead
     * hold nothing; the daemon then keeps the outputs of all tasks. */
    bool (*sync)(void *context);
    /* Returns the result so far, the caller's; called now and then after a merge. NULL: none. */
    json_t *(*partial)(void *context);

    int wait_ms; /* after a cancel, for the answers of running tasks */
};

enum lead_end {
    LEAD_COMPLETE,  /* all is merged, or a merge was enough */
    LEAD_CUT_SHORT, /* cancelled: what is merged so far counts */
    LEAD_BROKEN     /* drained, or worker_fail() has said why: there is no result */
};

/* Refuses the output of a task: tells the daemon why, a sentence without the number of the task,
 * and returns LEAD_AGAIN. For an output that is missing, cut, of another task or out of range; not
 * for trouble of the lead's own (its disk, its memory), which is worker_fail(). */
enum lead_answer lead_refuse(struct worker *worker, const struct lead_task *task,
                             const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The place of the first task that is not merged; a lead whose files say that the stage of that
 * task is over may begin at a later one, and the task is dropped. The files of the lead are cut
 * back to the units before it; if they hold fewer, the job is damaged. False: no task is open, and
 * the files hold all that is merged. */
struct lead_place {
    int64_t stage, unit;
};
bool lead_open(const struct wire_job *job, struct lead_place *ret_place);

/* Leads the job from a place on, behind what its files hold, to its end. */
enum lead_end lead_run(struct worker *worker, const struct wire_job *job,
                       const struct lead_work *work, struct lead_place place);

/* Reads the units of a task: count >= 1 of them from `from` on, within the `units` of its stage
 * (0: any). False, and the job has failed. */
struct lead_units {
    int64_t stage, from, count;
};
bool lead_read_units(struct worker *worker, const json_t *spec, int64_t units,
                     struct lead_units *ret_units);

#endif
