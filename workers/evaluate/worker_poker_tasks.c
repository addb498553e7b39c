/* Matches of hold'em in tasks (workers/lead.h). A task plays some sessions into a file of its own;
 * the lead adds them in order to the same file as a worker that plays all of them. */
#include "workers/evaluate/worker_jobs.h"
#include "workers/evaluate/worker_poker.h"
#include "workers/lead.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_MAX_BYTES = 4096, SESSIONS_MOST = 4096 /* of a task: they are merged in memory */ };

/* A part of the match. The caller frees its header. False: no memory, or too long a name. */
static bool make_part(const struct poker_job *poker, const char *folder, const char *name,
                      int64_t first, int64_t count, char path[PATH_MAX_BYTES],
                      struct poker_match *ret_part)
{
    *ret_part = poker->match;
    ret_part->path = path;
    ret_part->first = (int)first;
    ret_part->sessions = (int)count;
    ret_part->header = NULL;
    if (snprintf(path, PATH_MAX_BYTES, "%s/%s", folder, name) >= PATH_MAX_BYTES)
        return false;
    ret_part->header = poker_job_header(poker, first, count);
    return ret_part->header != NULL;
}

/* ---- the lead ---- */

struct led {
    const struct poker_job *poker;
    const char *folder;
    struct poker_file *file;
    struct poker_tally tally;
    int sessions; /* in the file */
};

static bool only_stage(void *context, int64_t stage, struct lead_stage *ret_stage)
{
    const struct led *led = context;

    ret_stage->units = led->poker->match.sessions;
    ret_stage->most = SESSIONS_MOST;
    return stage == 0;
}

static bool fail_at_file(const struct led *led)
{
    return poker_job_fail(led->poker, POKER_MATCH_STORAGE, led->poker->match.path);
}

/* Adds sessions, with the same points of curves as a worker that plays all. */
static bool add_sessions(struct led *led, const struct poker_tally *sessions, int64_t count)
{
    const struct poker_match *match = &led->poker->match;
    const int batch = poker_match_batch(match, INT_MAX);

    for (int64_t k = 0; k < count; k++) {
        if (!poker_file_add(led->file, &sessions[k]))
            return fail_at_file(led);
        poker_tally_add(&led->tally, &sessions[k]);
        led->sessions++;
        if (led->poker->run && (led->sessions % batch == 0 || led->sessions == match->sessions))
            poker_job_send_points(led->poker, &led->tally);
    }
    return true;
}

static enum lead_answer merge(void *context, const struct lead_task *task)
{
    struct led *led = context;
    struct poker_tally *sessions = calloc((size_t)task->count, sizeof *sessions);
    struct poker_match part;
    char path[PATH_MAX_BYTES];
    enum lead_answer answer = LEAD_REFUSED;

    if (!sessions || !make_part(led->poker, led->folder, task->path ? task->path : "", task->first,
                                task->count, path, &part))
        poker_job_fail(led->poker, POKER_MATCH_NO_MEMORY, NULL);
    else if (!poker_file_read(&part, sessions))
        answer = lead_refuse(led->poker->worker, task, "%s: %s", path,
                             errno == EINVAL ? "does not hold the sessions of the task"
                                             : strerror(errno));
    else if (add_sessions(led, sessions, task->count))
        answer = LEAD_GO_ON;
    if (sessions)
        free((char *)(size_t)part.header);
    free(sessions);
    return answer;
}

static bool sync_file(void *context)
{
    struct led *led = context;

    return poker_file_sync(led->file) || fail_at_file(led);
}

static json_t *partial(void *context)
{
    const struct led *led = context;

    return poker_match_json(&led->poker->match, led->poker->names, led->sessions, &led->tally);
}

json_t *lead_poker(struct poker_job *poker, const struct wire_job *job)
{
    struct led led = {.poker = poker, .folder = job->folder};
    const struct lead_work work = {.context = &led,
                                   .cores = poker->match.threads,
                                   .stage = only_stage,
                                   .merge = merge,
                                   .sync = sync_file,
                                   .partial = partial};
    struct lead_place place;
    int most = poker->match.sessions;

    if (lead_open(job, &place) && place.unit >= 0 && place.unit < most)
        most = (int)place.unit;
    led.file = poker_file_open(&poker->match, most, &led.tally, &led.sessions);
    if (!led.file)
        return poker_job_fail(poker, POKER_MATCH_STORAGE, poker->match.path);
    enum lead_end end = lead_run(poker->worker, job, &work, (struct lead_place){0, led.sessions});
    json_t *result = end == LEAD_BROKEN ? NULL : partial(&led);
    poker_file_close(led.file);
    return result;
}

/* ---- a task ---- */

static void show_progress(void *context, int done, const struct poker_tally *tally, bool resumed)
{
    (void)tally;
    course_update(context, done, resumed);
}

/* Plays the sessions of a part that an earlier try did not keep. */
static json_t *play_part(const struct poker_job *poker, const struct wire_job *job,
                         struct poker_match *part, const char *name)
{
    struct course course = course_start(poker->worker, part->sessions);
    struct poker_tally tally;

    part->progress = show_progress;
    part->context = &course;
    const enum poker_match_status status = poker_match_run(part, &tally);
    if (status == POKER_MATCH_STOPPED)
        return worker_is_cancelled(poker->worker) ? json_object() : NULL;
    if (status != POKER_MATCH_OK)
        return poker_job_fail(poker, status, part->path);
    return worker_output(poker->worker, job->folder, name)
               ? json_pack("{s:i}", "sessions", part->sessions)
               : NULL;
}

json_t *task_poker(struct poker_job *poker, const struct wire_job *job)
{
    struct lead_units units;
    struct poker_match part;
    char name[64], path[PATH_MAX_BYTES];

    if (!lead_read_units(poker->worker, job->task.spec, poker->match.sessions, &units))
        return NULL;
    snprintf(name, sizeof name, "task-%" PRId64 ".sessions", job->task.number);
    if (!make_part(poker, job->folder, name, units.from, units.count, path, &part))
        return poker_job_fail(poker, POKER_MATCH_NO_MEMORY, NULL);
    json_t *result = play_part(poker, job, &part, name);
    free((char *)(size_t)part.header);
    return result;
}
