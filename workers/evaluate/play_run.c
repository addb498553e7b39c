/* Plays a series, counts its pairs and sums them up. */
#include "workers/evaluate/play_run.h"

#include "workers/evaluate/report/report.h"

#include <stdlib.h>
#include <string.h>

bool play_count(struct play *play, int64_t index, const struct pair_result *result, bool resumed)
{
    play->half_points[pair_half_points(result)]++;
    if (play->options->series.player_count == 2)
        adjusted_add(&play->adjusted, result);
    play->progress(play, index + 1, resumed);
    return !play->options->has_sprt ||
           match_test_decide(&play->options->test, play->half_points, &play->adjusted) == SPRT_OPEN;
}

json_t *play_report(const struct play *play, const struct series *series,
                    const struct pair_result *results, int64_t count, bool interrupted)
{
    static struct tournament tournament; /* large, and a process plays one */
    const struct play_options *options = play->options;
    const struct pair_setting *setting = &series->setting;

    if (strcmp(play->kind, "match") == 0) {
        struct match_summary match;
        match_summarise(results, count, setting->ends, setting->seed, &match);
        return report_match_json(series, &match, options->has_sprt ? &options->test : NULL,
                                 interrupted);
    }
    return tournament_summarise(series->player_count, results, count, setting->ends,
                                options->anchor, &tournament)
               ? report_tournament_json(series, &tournament, interrupted)
               : NULL;
}

static bool count_pair(void *context, int64_t index, const struct pair_result *result, bool resumed)
{
    return play_count(context, index, result, resumed);
}

struct series play_series(struct play *play)
{
    struct series series = play->options->series;

    series.players = play->options->players;
    series.cancel = play->cancel;
    series.finished = count_pair;
    series.context = play;
    return series;
}

enum series_status play_run(struct play *play, json_t **ret_report, size_t size, char *ret_error)
{
    const struct series series = play_series(play);
    struct pair_result *results = calloc((size_t)series_pairs(&series), sizeof *results);
    enum series_status status = SERIES_FAILED;
    int64_t count;

    *ret_report = NULL;
    snprintf(ret_error, size, "out of memory");
    if (results)
        status = series_run(&series, results, &count, size, ret_error);
    if (status != SERIES_FAILED) {
        *ret_report = play_report(play, &series, results, count, status == SERIES_CANCELLED);
        snprintf(ret_error, size, "the ratings could not be computed");
    }
    free(results);
    return status;
}
