/* Parts shared by the kinds of jobs: the setting of their games, and reporting progress. */
#include "workers/evaluate/worker_jobs.h"

#include "api/base/clock.h"
#include "api/jobs/job_kinds.h"
#include "models/tables/profiles.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

#define PARTIAL_S 3.0

bool spec_noise(struct worker *worker, const json_t *spec, const struct profile *profile,
                struct noise *ret_noise)
{
    const json_t *asked = json_object_get(spec, "noise");
    const struct noise_setting *setting;

    *ret_noise = noise_default(profile->ice, profile->ice->noise);
    for (int k = 0; (setting = noise_setting_at(k)) != NULL; k++) {
        const json_t *value = json_object_get(asked, setting->name);
        if (value && !noise_setting_fits(setting, profile->ice->noise)) {
            worker_fail(worker, "bad-spec", false,
                        "/noise/%s: the noise of profile %s has no such setting", setting->name,
                        profile->rules.name);
            return false;
        }
        if (value)
            *noise_setting_value(&ret_noise->settings, k) = json_number_value(value);
    }
    enum noise_status status = noise_check(ret_noise);
    if (status != NOISE_OK)
        worker_fail(worker, "bad-spec", false, "/noise/%s", noise_status_text(status));
    return status == NOISE_OK;
}

bool spec_setting(struct worker *worker, const json_t *spec, struct pair_setting *ret_setting)
{
    const struct profile *profile =
        profile_find(json_string_value(json_object_get(spec, "profile")));
    const json_t *limits = json_object_get(spec, "limits");

    assert(profile);
    /* In other kinds of jobs "ends" has another meaning. */
    const bool plays_games = json_object_get(spec, "pairs") != NULL;
    *ret_setting = (struct pair_setting){
        .rules = &profile->rules,
        .ice = profile->ice,
        .limits = {.simulations = spec_whole(limits, "simulations"),
                   .time_s = 1e-3 * (double)spec_whole(limits, "time_ms")},
        .seed = (uint64_t)spec_whole(spec, "seed"),
        .ends = plays_games ? (int)spec_whole(spec, "ends") : profile->rules.ends,
        .extra_ends = plays_games ? (int)spec_whole(spec, "extra_ends") : 0,
    };
    const char *luck_by = json_string_value(json_object_get(spec, "luck_by"));
    if (luck_by) /* it plays pairs */
        ret_setting->luck_by = (enum job_luck_by)job_value_find(job_luck_by, luck_by);
    if (!spec_noise(worker, spec, profile, &ret_setting->noise))
        return false;
    const char *wrong = pair_setting_check(ret_setting);
    if (wrong)
        worker_fail(worker, "bad-spec", false, "%s", wrong);
    return !wrong;
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
