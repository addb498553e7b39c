/* Parts shared by the kinds of jobs: reading specs and reporting progress. */
#include "workers/evaluate/worker_jobs.h"

#include "api/clock.h"
#include "api/job_kinds.h"
#include "models/tables/profiles.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

#define PARTIAL_S 3.0

bool spec_check_player(void *context, const char *text, char *ret_spec, char *ret_error)
{
    struct player player;

    (void)context;
    if (!player_read(text, &player, PLAYER_ERROR_MAX, ret_error))
        return false;
    snprintf(ret_spec, PLAYER_SPEC_MAX, "%s", text);
    return true;
}

json_t *spec_read(struct worker *worker, const struct wire_job *job, const json_t *spec,
                  job_player_reader *reader)
{
    const struct job_kind *kind = job_kind_find(job->kind);
    struct field_reading reading = {.read_player = reader};
    struct strict_errors errors = {.count = 0};
    const struct strict_place root = strict_root((json_t *)spec, &errors);

    assert(kind);
    json_t *resolved = fields_read(&reading, &root, kind->fields);
    if (errors.count == 0 && !reading.no_memory && kind->finish)
        kind->finish(&root, resolved);
    if (errors.count == 0 && !reading.no_memory)
        return resolved;
    json_decref(resolved);
    if (errors.count > 0)
        worker_fail(worker, "bad-spec", false, "%s: %s", errors.error[0].pointer,
                    errors.error[0].message);
    return NULL;
}

int64_t spec_whole(const json_t *spec, const char *name)
{
    return json_integer_value(json_object_get(spec, name));
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
        .noise = noise_default(profile->ice, profile->ice->noise),
        .limits = {.simulations = spec_whole(limits, "simulations"),
                   .time_s = 1e-3 * (double)spec_whole(limits, "time_ms")},
        .seed = (uint64_t)spec_whole(spec, "seed"),
        .ends = plays_games ? (int)spec_whole(spec, "ends") : profile->rules.ends,
        .extra_ends = plays_games ? (int)spec_whole(spec, "extra_ends") : 0,
    };
    const char *wrong = pair_setting_check(ret_setting);
    if (wrong)
        worker_fail(worker, "bad-spec", false, "%s", wrong);
    return !wrong;
}

bool spec_player(struct worker *worker, const json_t *text, struct player *ret_player)
{
    char error[PLAYER_ERROR_MAX];

    if (player_read(json_string_value(text), ret_player, sizeof error, error))
        return true;
    worker_fail(worker, "bad-spec", false, "%s", error);
    return false;
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
