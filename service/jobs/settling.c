/* One task of the core that repeats until no job has news. See settling.h. */
#include "service/jobs/settling.h"

#include "service/base/core.h"
#include "service/base/log.h"
#include "service/jobs/job_events.h"
#include "service/store/job_after.h"

#include <stdlib.h>

enum { SETTLED_AT_ONCE = 256 /* jobs in one transaction */ };

struct settling {
    const struct base *base;
    void (*moved)(void *context);
    void (*failed)(void *context);
    void *context;

    struct core_task task;
    bool is_on_its_way, again;
    struct job_moved jobs[SETTLED_AT_ONCE];
    int count;
};

static struct settling *settling_of(struct core_task *task)
{
    return (struct settling *)((char *)task - offsetof(struct settling, task));
}

static enum api_error run(struct core_task *task, struct store *store)
{
    struct settling *settling = settling_of(task);

    return job_store_settle(store, SETTLED_AT_ONCE, core_now_ms(settling->base->core),
                            settling->jobs, &settling->count);
}

static void tell(const struct settling *settling, const struct job_moved *moved)
{
    if (moved->state == JOB_CANCELLED)
        log_line(LOG_INFO, "job", log_whole("job", moved->id),
                 log_text("state", job_state_name(moved->state)),
                 log_text("why", "a job that it is after failed or was cancelled"));
    job_events_tell(settling->base->events, moved->id, "state",
                    job_state_json(moved->id, moved->state), true, job_has_ended(moved->state));
}

static void finish(struct core_task *task, enum api_error result)
{
    struct settling *settling = settling_of(task);
    bool again = settling->again || result == API_OK; /* there may be more, or a cascade */

    settling->is_on_its_way = settling->again = false;
    if (result == API_OK) {
        for (int k = 0; k < settling->count; k++)
            tell(settling, &settling->jobs[k]);
        if (settling->count > 0)
            settling->moved(settling->context);
    } else if (result != API_NOT_FOUND) {
        settling->failed(settling->context);
        return;
    }
    if (again)
        settling_wake(settling);
}

struct settling *settling_open(const struct base *base, void (*moved)(void *context),
                               void (*failed)(void *context), void *context)
{
    struct settling *settling = calloc(1, sizeof *settling);

    if (settling)
        *settling =
            (struct settling){.base = base, .moved = moved, .failed = failed, .context = context};
    return settling;
}

void settling_wake(struct settling *settling)
{
    if (settling->is_on_its_way) {
        settling->again = true;
        return;
    }
    settling->is_on_its_way = true;
    settling->task = (struct core_task){.writes = true, .run = run, .finish = finish};
    core_submit_own(settling->base->core, &settling->task);
}

void settling_free(struct settling *settling)
{
    free(settling);
}
