/* The result of a measurement of regret. */
#include "workers/evaluate/report/report.h"

#include "api/base/build_json.h"

#include <math.h>

static json_t *interval_json(struct interval interval)
{
    return json_pack("[o, o]", report_number(interval.low), report_number(interval.high));
}

static json_t *group_json(const struct regret_group *group)
{
    const double confidence = MATCH_CONFIDENCE;

    return json_pack("{s:s, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:{s:o}}", "of", group->name,
                     "positions", (json_int_t)group->win.count, "lost_percent",
                     report_number(100.0 * sample_mean(&group->win)), "interval_percent",
                     report_interval_percent(sample_interval(&group->win, confidence)),
                     "lost_points", report_number(sample_mean(&group->points)), "points_interval",
                     interval_json(sample_interval(&group->points, confidence)),
                     "agreement_percent", report_number(100.0 * sample_mean(&group->agreement)),
                     "throws", report_number(sample_mean(&group->throws)), "effort", "time_ms",
                     report_number(1000.0 * sample_mean(&group->time_s)));
}

/* Returns how many positions the player could not play. */
static int count_left_out(const struct regret *regrets, int count)
{
    int left_out = 0;

    for (int k = 0; k < count; k++)
        left_out += regrets[k].left_out;
    return left_out;
}

/* The mean error of the referee at one position; NAN without any. */
static double referee_error(const struct regret *regrets, int count)
{
    double squares = 0.0;

    for (int k = 0; k < count; k++)
        squares += regrets[k].noise.win * regrets[k].noise.win; /* 0 if it was left out */
    return sqrt(squares / (count - count_left_out(regrets, count)));
}

/* A number for each position, for a comparison of two players; null: left out. */
static json_t *each_json(const struct regret *regrets, int count)
{
    json_t *list = json_array();
    bool good = list;

    for (int k = 0; k < count; k++)
        good =
            build_append(list, regrets[k].left_out ? json_null()
                                                   : report_number(100.0 * regrets[k].lost.win)) &&
            good;
    return build_done(list, good);
}

#define LOWER_BOUND "lower bound: better shots may exist than the referee knows"

/* How the figures of each referee are read. */
static const char *const readings[] = {[REFEREE_ADJUSTED] = LOWER_BOUND,
                                       [REFEREE_DEEP] = LOWER_BOUND
                                       "; what a better network sees is taken for a mistake",
                                       [REFEREE_PLAYOUTS] = LOWER_BOUND};

json_t *report_regret_json(const struct regret_setting *setting,
                           const struct situations *situations, const struct regret *regrets,
                           int count)
{
    struct regret_group groups[REGRET_GROUPS_MAX];
    const int made = regret_groups(situations, regrets, 0, count, groups);
    char name[REPORT_NAME_MAX];
    json_t *list = json_array();
    bool good = list;

    for (int k = 0; k < made; k++)
        good = build_append(list, group_json(&groups[k])) && good;
    json_t *result =
        json_pack("{s:s, s:s, s:i, s:i, s:i, s:o, s:s, s:s, s:o, s:o, s:o}", "player",
                  report_player_name(&setting->player, &setting->limits, name), "referee",
                  job_referee_values[setting->kind], "positions", count, "left_out",
                  count_left_out(regrets, count), "seeds", setting->seeds, "seed",
                  result_seed_json(setting->seed), "positions_sha256", situations->sha256,
                  "reading", readings[setting->kind], "referee_error_percent",
                  report_number(100.0 * referee_error(regrets, count)), "groups", list,
                  "lost_percent_of_each", each_json(regrets, count));
    return build_done(result, good);
}
