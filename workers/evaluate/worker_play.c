/* Jobs "match" and "tournament": a series of pairs, recorded in the job's folder. The next attempt
 * continues where the records end. worker_play_tasks.c does them in tasks. */
#include "workers/evaluate/play_run.h"
#include "workers/evaluate/worker_jobs.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { PATH_MAX_BYTES = 4096 };

/* ---- reading ---- */

static bool add_player(struct worker *worker, const json_t *text, struct play_options *options)
{
    assert(options->series.player_count < SERIES_PLAYERS_MAX);
    return spec_player_turns(worker, text, &options->players[options->series.player_count++]);
}

/* Reads a resolved spec of a match or a tournament. On false, the job has failed. */
static bool read_play(struct worker *worker, const struct wire_job *job, const json_t *spec,
                      char records[PATH_MAX_BYTES], struct play_options *options)
{
    const json_t *sprt = json_object_get(spec, "sprt");
    const json_t *players = json_object_get(spec, "players");
    bool good = spec_setting(worker, spec, &options->series.setting);

    options->series.threads = (int)spec_whole(spec, "threads");
    options->series.pairs = spec_whole(spec, "pairs");
    options->has_sprt = sprt != NULL;
    options->test.sprt.elo0 = json_number_value(json_object_get(sprt, "elo0"));
    options->test.sprt.elo1 = json_number_value(json_object_get(sprt, "elo1"));
    const char *values = json_string_value(json_object_get(sprt, "values"));
    if (values && strcmp(values, job_sprt_values[JOB_SPRT_ADJUSTED]) == 0)
        options->test.values = JOB_SPRT_ADJUSTED;
    if (good)
        options->series.setting.luck =
            luck_setting_of(options->series.setting.rules, (int)spec_whole(spec, "luck"));
    if (!players)
        good = good && add_player(worker, json_object_get(spec, "a"), options) &&
               add_player(worker, json_object_get(spec, "b"), options);
    for (size_t k = 0; good && k < json_array_size(players); k++)
        good = add_player(worker, json_array_get(players, k), options);
    if (snprintf(records, PATH_MAX_BYTES, "%s/" MATCH_RECORDS_FILE, job->folder) >=
        PATH_MAX_BYTES) {
        worker_fail(worker, "bad-spec", false, "the job's folder has too long a name");
        return false;
    }
    options->series.records = records;
    return good;
}

/* ---- playing ---- */

json_t *play_partial(const struct play *play, int64_t done, int64_t total)
{
    const int64_t *h = play->half_points;
    json_t *partial =
        json_pack("{s:I, s:I}", "pairs", (json_int_t)done, "pairs_wanted", (json_int_t)total);

    if (play->options->series.player_count == 2)
        json_object_update_new(partial,
                               json_pack("{s:f, s:[I, I, I, I, I]}", "win_percent",
                                         100.0 * pentanomial_mean(h), "pentanomial",
                                         (json_int_t)h[0], (json_int_t)h[1], (json_int_t)h[2],
                                         (json_int_t)h[3], (json_int_t)h[4]));
    if (play->adjusted.score[WITHOUT_LUCK].count > 0)
        json_object_set_new(partial, "luck",
                            json_pack("{s:f}", "win_percent",
                                      100.0 * sample_mean(&play->adjusted.score[WITHOUT_LUCK])));
    if (play->options->has_sprt)
        json_object_set_new(partial, "sprt",
                            report_sprt_json(&play->options->test, h, &play->adjusted,
                                             play->options->series.pairs));
    return partial;
}

static void tell(const struct play *play, int64_t done, bool resumed)
{
    struct course *course = play->context;

    if (course_update(course, done, resumed))
        worker_partial(course->worker, play_partial(play, done, course->total));
}

json_t *play_broken_off(struct worker *worker, json_t *result)
{
    if (worker_is_cancelled(worker))
        return result;
    json_decref(result);
    return worker_is_drained(worker)
               ? NULL
               : worker_fail(worker, "failed", true, "a player broke off a move by itself");
}

/* Plays all pairs. */
static json_t *play_whole(struct worker *worker, const struct wire_job *job,
                          const struct play_options *options)
{
    struct course course = course_start(worker, series_pairs(&options->series));
    struct play play = {options, job->kind, worker_stop(worker), tell, &course, .half_points = {0}};
    char error[1024];
    json_t *result;
    enum series_status status = play_run(&play, &result, sizeof error, error);

    if (status != SERIES_CANCELLED && !result)
        return worker_fail(worker, "failed", status == SERIES_FAILED, "%s", error);
    return status == SERIES_CANCELLED ? play_broken_off(worker, result) : result;
}

json_t *job_play(struct worker *worker, const struct wire_job *job)
{
    struct play_options options = play_options_default();
    char records[PATH_MAX_BYTES];
    json_t *spec = spec_read(worker, job, job->spec, spec_check_player);
    bool good = spec && read_play(worker, job, spec, records, &options);

    json_decref(spec);
    if (!good)
        return NULL;
    if (job->is_lead)
        return lead_play(worker, job, &options);
    return job->task.number > 0 ? task_play(worker, job, &options)
                                : play_whole(worker, job, &options);
}
