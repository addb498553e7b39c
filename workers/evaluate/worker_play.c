/* Jobs "match" and "tournament": a series of pairs, recorded in the job's folder. Whoever does the
 * job next goes on where the records end. */
#include "workers/evaluate/play_options.h"
#include "workers/evaluate/worker_jobs.h"

#include <stdlib.h>
#include <string.h>

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

/* What match and tournament have in common. */
static bool read_play(const struct strict_place *spec, const struct worker_job *job,
                      struct play *play)
{
    const struct strict_place ends = strict_member(spec, "ends"),
                              extra_ends = strict_member(spec, "extra_ends"),
                              pairs = strict_member(spec, "pairs");
    struct pair_setting *setting = &play->options.setting;
    int64_t ends_number, extra_number;

    if (!spec_setting(spec, setting) || !spec_threads(spec, &play->options.threads) ||
        !strict_whole(&ends, 1, PAIR_ENDS_MAX, &ends_number) ||
        !strict_whole(&extra_ends, 0, PAIR_EXTRA_ENDS_MAX, &extra_number) ||
        !strict_whole(&pairs, 1, SERIES_PAIRS_MAX, &play->options.pairs))
        return false;
    setting->ends = (int)ends_number;
    setting->extra_ends = (int)extra_number;
    const char *wrong = pair_setting_check(setting);
    if (wrong)
        return strict_refuse(spec, "value", "%s", wrong);
    if (snprintf(play->records, sizeof play->records, "%s/records.jsonl", job->folder) >=
        (int)sizeof play->records)
        return strict_refuse(spec, "value", "the job's folder has too long a name");
    play->options.records = play->records;
    return true;
}

static bool read_sprt(const struct strict_place *spec, struct play *play)
{
    static const char *const keys[] = {"elo0", "elo1", NULL};
    const struct strict_place sprt = strict_member(spec, "sprt");

    play->has_sprt = !strict_is_missing(&sprt) && !json_is_null(sprt.value);
    play->sprt = sprt_default();
    if (!play->has_sprt)
        return true;
    if (!strict_object(&sprt, keys))
        return false;
    const struct strict_place elo0 = strict_member(&sprt, "elo0"),
                              elo1 = strict_member(&sprt, "elo1");
    if (!strict_number(&elo0, -1000.0, 1000.0, &play->sprt.elo0) ||
        !strict_number(&elo1, -1000.0, 1000.0, &play->sprt.elo1))
        return false;
    return play->sprt.elo0 < play->sprt.elo1 ||
           strict_refuse(&sprt, "value", "elo0 must be less than elo1");
}

static bool read_match(const struct strict_place *spec, const struct worker_job *job,
                       struct play *play)
{
    static const char *const keys[] = {"a",    "b",       "profile", "ends", "extra_ends", "pairs",
                                       "seed", "threads", "limits",  "sprt", NULL};
    const struct strict_place a = strict_member(spec, "a"), b = strict_member(spec, "b");

    play->player_count = 2;
    return strict_object(spec, keys) && read_play(spec, job, play) && read_sprt(spec, play) &&
           spec_player(&a, &play->players[0]) && spec_player(&b, &play->players[1]);
}

static bool read_tournament(const struct strict_place *spec, const struct worker_job *job,
                            struct play *play)
{
    static const char *const keys[] = {"players", "profile", "ends",   "extra_ends", "pairs",
                                       "seed",    "threads", "limits", NULL};
    const struct strict_place players = strict_member(spec, "players");

    if (!strict_object(spec, keys) || !read_play(spec, job, play) ||
        !strict_array(&players, 2, SERIES_PLAYERS_MAX))
        return false;
    play->player_count = (int)json_array_size(players.value);
    for (int k = 0; k < play->player_count; k++) {
        const struct strict_place player = strict_element(&players, (size_t)k);
        if (!spec_player(&player, &play->players[k]))
            return false;
    }
    return true;
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

/* False: drained, or failed, and the worker knows why. */
static bool play_series(struct worker *worker, struct play *play)
{
    struct series series = play_options_series(&play->options, play->players, play->player_count);
    char error[1024];

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
    struct play play = {.options = play_options_default()};
    struct strict_errors errors = {.count = 0};
    const struct strict_place spec = strict_root(job->spec, &errors);
    json_t *result = NULL;

    if (!read_match(&spec, job, &play) || errors.count > 0)
        return spec_fail(worker, &errors);
    if (play_series(worker, &play)) {
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
    struct play play = {.options = play_options_default()};
    struct strict_errors errors = {.count = 0};
    const struct strict_place spec = strict_root(job->spec, &errors);
    static struct tournament tournament; /* large, and there is one job in a process */
    json_t *result = NULL;

    if (!read_tournament(&spec, job, &play) || errors.count > 0)
        return spec_fail(worker, &errors);
    if (play_series(worker, &play)) {
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
