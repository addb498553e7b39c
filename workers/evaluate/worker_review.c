/* Job "review": a game, judged by one player for both sides. */
#include "workers/evaluate/worker_jobs.h"

#include "models/networks/end_value.h"
#include "workers/evaluate/review/review_json.h"
#include "workers/evaluate/review/review_record.h"
#include "workers/search/rink/rink.h"

static void tell(void *context, int count)
{
    (void)course_update(context, count, false);
}

/* Reads the game and the judge. On false, the job has failed. */
static bool read_review(struct worker *worker, const json_t *spec, struct player *ret_judge,
                        struct review_game *ret_game)
{
    struct strict_errors errors = {.count = 0};
    const struct strict_place root = strict_root((json_t *)spec, &errors);
    const struct strict_place record = strict_member(&root, "record");

    if (!review_record_read(&record, ret_game)) {
        worker_fail(worker, "bad-spec", false, "%s: %s", errors.error[0].pointer,
                    errors.error[0].message);
        return false;
    }
    if (!spec_player(worker, json_object_get(spec, "judge"), ret_judge))
        return false;
    if (ret_judge->class != &player_rink) {
        worker_fail(worker, "bad-spec", false, "/judge: only the player rink can judge");
        return false;
    }
    return true;
}

static struct review_setting setting_of(const json_t *spec, const struct player *judge,
                                        const struct noise *noise)
{
    const json_t *limits = json_object_get(spec, "limits");

    return (struct review_setting){
        .judge = judge,
        .noise = *noise,
        .has_noise = json_object_get(spec, "noise") != NULL,
        .limits = {.simulations = spec_whole(limits, "simulations"),
                   .time_s = 1e-3 * (double)spec_whole(limits, "time_ms"),
                   .threads = (int)spec_whole(spec, "threads")},
        .throws = (int)spec_whole(spec, "throws"),
        .seed = (uint64_t)spec_whole(spec, "seed"),
    };
}

json_t *job_review(struct worker *worker, const struct wire_job *job)
{
    struct review_game game = {.count = 0};
    struct player judge;
    struct review review;
    struct noise noise;
    json_t *spec = spec_read(worker, job, job->spec, spec_check_player), *result = NULL;

    if (!spec || !read_review(worker, spec, &judge, &game) ||
        !spec_noise(worker, spec, game.profile, &noise)) {
        json_decref(spec);
        review_record_free(&game);
        return NULL;
    }
    if (job->is_trial) {
        json_decref(spec);
        review_record_free(&game);
        return json_object();
    }
    const struct review_setting setting = setting_of(spec, &judge, &noise);
    struct course course = course_start(worker, game.count);
    enum review_status status =
        review_game(&setting, &game, worker_stop(worker), tell, &course, &review);
    if (status == REVIEW_OK) {
        result = review_json(&setting, &review);
        if (result && json_object_get(spec, "game"))
            json_object_set(result, "game", json_object_get(spec, "game"));
    }
    if (status == REVIEW_CANCELLED && worker_is_cancelled(worker))
        result = json_object(); /* half a review has no meaning */
    else if (status == REVIEW_FAILED)
        worker_fail(worker, "failed", false, "%s", end_value_blame("the judge failed"));
    else if (status != REVIEW_CANCELLED && !result)
        worker_fail(worker, "failed", true, "out of memory");
    review_free(&review);
    review_record_free(&game);
    json_decref(spec);
    return result;
}
