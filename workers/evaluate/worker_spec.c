/* What the kinds of jobs have in common: reading their specs and telling how far they are. */
#include "workers/evaluate/worker_jobs.h"

#include "api/clock.h"
#include "workers/pool.h"

#include <math.h>

#define TIME_MOST_MS     86400000
#define SIMULATIONS_MOST 1000000000000
#define PARTIAL_S        3.0

static bool read_limits(const struct strict_place *spec, struct player_limits *ret_limits)
{
    static const char *const keys[] = {"time_ms", "simulations", NULL};
    const struct strict_place limits = strict_member(spec, "limits");
    int64_t time_ms = 0, simulations = 0;

    if (strict_is_missing(&limits))
        return true;
    if (!strict_object(&limits, keys))
        return false;
    const struct strict_place time = strict_member(&limits, "time_ms"),
                              count = strict_member(&limits, "simulations");
    bool good = strict_is_missing(&time) || strict_whole(&time, 1, TIME_MOST_MS, &time_ms);
    good = (strict_is_missing(&count) || strict_whole(&count, 1, SIMULATIONS_MOST, &simulations)) &&
           good;
    ret_limits->time_s = 1e-3 * (double)time_ms;
    ret_limits->simulations = simulations;
    return good;
}

bool spec_setting(const struct strict_place *spec, struct pair_setting *ret_setting)
{
    const struct strict_place profile = strict_member(spec, "profile"),
                              seed = strict_member(spec, "seed");
    const char *name;
    int64_t number;

    if (!strict_text(&profile, 64, &name) || !strict_whole(&seed, 0, INT64_MAX, &number) ||
        !read_limits(spec, &ret_setting->limits))
        return false;
    ret_setting->seed = (uint64_t)number;
    const struct profile *row = profile_find(name);
    if (!row)
        return strict_refuse(&profile, "value", "there is no profile '%s'", name);
    ret_setting->rules = &row->rules;
    ret_setting->ice = row->ice;
    ret_setting->noise = noise_default(ret_setting->ice, ret_setting->ice->noise);
    return true;
}

bool spec_threads(const struct strict_place *spec, int *ret_threads)
{
    const struct strict_place threads = strict_member(spec, "threads");
    int64_t number;

    if (!strict_whole(&threads, 1, POOL_THREADS_MAX, &number))
        return false;
    *ret_threads = (int)number;
    return true;
}

bool spec_player(const struct strict_place *place, struct player *ret_player)
{
    const char *text;
    char error[STRICT_MESSAGE_MAX];

    if (!strict_text(place, PLAYER_SPEC_MAX - 1, &text))
        return false;
    if (!player_read(text, ret_player, sizeof error, error))
        return strict_refuse(place, "value", "%s", error);
    return true;
}

json_t *spec_fail(struct worker *worker, const struct strict_errors *errors)
{
    return worker_fail(worker, "bad-spec", false, "%s: %s", errors->error[0].pointer,
                       errors->error[0].message);
}

struct course course_start(struct worker *worker, int64_t total)
{
    double now = clock_now_s();

    return (struct course){.worker = worker, .total = total, .start_s = now, .partial_s = now};
}

bool course_update(struct course *course, int64_t done, bool resumed)
{
    double now = clock_now_s(), eta_s = NAN;

    if (resumed)
        course->skipped = done;
    if (done > course->skipped)
        eta_s = (now - course->start_s) / (double)(done - course->skipped) *
                (double)(course->total - done);
    worker_progress(course->worker, (double)done / (double)course->total, eta_s);
    if (resumed || now - course->partial_s < PARTIAL_S)
        return false;
    course->partial_s = now;
    return true;
}
