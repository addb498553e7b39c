/* Jobs "match" and "tournament": a series of pairs, recorded in the job's folder. The next attempt
 * continues where the records end. */
#include "workers/evaluate/play_options.h"
#include "workers/evaluate/worker_jobs.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

enum { PATH_MAX_BYTES = 4096 };

/* A series while it is played. */
struct play {
    struct play_options options;
    struct player players[SERIES_PLAYERS_MAX];
    int player_count;
    bool has_sprt;
    struct sprt sprt;
    char records[PATH_MAX_BYTES];
    struct course course;
    int64_t half_points[PENTANOMIAL]; /* of a match */
    struct pair_result *results;
    int64_t count;
};

/* ---- reading ---- */

static bool add_player(struct worker *worker, const json_t *text, struct play *play)
{
    assert(play->player_count < SERIES_PLAYERS_MAX);
    return spec_player(worker, text, &play->players[play->player_count++]);
}

/* Reads a resolved spec of a match or a tournament. False: the job has failed. */
static bool read_play(struct worker *worker, const struct worker_job *job, const json_t *spec,
                      struct play *play)
{
    const json_t *sprt = json_object_get(spec, "sprt");
    const json_t *players = json_object_get(spec, "players");
    bool good = spec_setting(worker, spec, &play->options.setting);

    play->options.threads = (int)spec_whole(spec, "threads");
    play->options.pairs = spec_whole(spec, "pairs");
    play->has_sprt = sprt != NULL;
    play->sprt.elo0 = json_number_value(json_object_get(sprt, "elo0"));
    play->sprt.elo1 = json_number_value(json_object_get(sprt, "elo1"));
    if (!players)
        good = good && add_player(worker, json_object_get(spec, "a"), play) &&
               add_player(worker, json_object_get(spec, "b"), play);
    for (size_t k = 0; good && k < json_array_size(players); k++)
        good = add_player(worker, json_array_get(players, k), play);
    if (snprintf(play->records, sizeof play->records, "%s/" MATCH_RECORDS_FILE, job->folder) >=
        (int)sizeof play->records) {
        worker_fail(worker, "bad-spec", false, "the job's folder has too long a name");
        return false;
    }
    play->options.records = play->records;
    return good;
}

/* ---- playing ---- */

static bool count_pair(void *context, int64_t index, const struct pair_result *result, bool resumed)
{
    struct play *play = context;
    const int64_t *h = play->half_points;

    play->half_points[pair_half_points(result)]++;
    if (course_update(&play->course, index + 1, resumed)) {
        json_t *partial = json_pack("{s:I, s:I}", "pairs", (json_int_t)(index + 1), "pairs_wanted",
                                    (json_int_t)play->course.total);
        if (play->player_count == 2)
            json_object_update_new(partial,
                                   json_pack("{s:f, s:[I, I, I, I, I]}", "win_percent",
                                             100.0 * pentanomial_mean(h), "pentanomial",
                                             (json_int_t)h[0], (json_int_t)h[1], (json_int_t)h[2],
                                             (json_int_t)h[3], (json_int_t)h[4]));
        worker_partial(play->course.worker, partial);
    }
    return !play->has_sprt || sprt_decide(&play->sprt, h) == SPRT_OPEN;
}

/* Reads the spec and plays. False: drained, or failed, and the worker knows why. */
static bool play_job(struct worker *worker, const struct worker_job *job, struct play *play)
{
    json_t *spec = spec_read(worker, job, job->spec, spec_check_player);
    char error[1024];

    *play = (struct play){.options = play_options_default(), .sprt = sprt_default()};
    bool good = spec && read_play(worker, job, spec, play);
    json_decref(spec);
    if (!good)
        return false;
    struct series series = play_options_series(&play->options, play->players, play->player_count);
    series.cancel = worker_stop(worker);
    series.finished = count_pair;
    series.context = play;
    play->results = calloc((size_t)series_pairs(&series), sizeof *play->results);
    if (!play->results)
        return false;
    play->course = course_start(worker, series_pairs(&series));
    switch (series_run(&series, play->results, &play->count, sizeof error, error)) {
    case SERIES_FAILED:
        worker_fail(worker, "failed", true, "%s", error);
        return false;
    case SERIES_CANCELLED:
        if (!worker_is_cancelled(worker) && !worker_is_drained(worker))
            worker_fail(worker, "failed", true, "a player broke off a move by itself");
        return worker_is_cancelled(worker);
    default:
        return true;
    }
}

static struct report_head report_head(const struct worker *worker, const struct play *play)
{
    return play_options_head(&play->options, play->players, play->player_count,
                             worker_is_cancelled(worker));
}

json_t *job_match(struct worker *worker, const struct worker_job *job)
{
    struct play play;
    json_t *result = NULL;

    if (play_job(worker, job, &play)) {
        const struct report_head head = report_head(worker, &play);
        struct match_summary match;
        match_summarise(play.results, play.count, play.options.setting.ends,
                        play.options.setting.seed, &match);
        result = report_match_json(&head, &match, play.has_sprt ? &play.sprt : NULL);
    }
    free(play.results);
    return result;
}

json_t *job_tournament(struct worker *worker, const struct worker_job *job)
{
    struct play play;
    static struct tournament tournament; /* large, and there is one job in a process */
    json_t *result = NULL;

    if (play_job(worker, job, &play)) {
        const struct report_head head = report_head(worker, &play);
        if (tournament_summarise(play.player_count, play.results, play.count,
                                 play.options.setting.ends, 0, &tournament))
            result = report_tournament_json(&head, &tournament);
        else
            worker_fail(worker, "failed", false, "the ratings could not be computed");
    }
    free(play.results);
    return result;
}
