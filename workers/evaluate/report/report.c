/* Parts shared by all reports. */
#include "workers/evaluate/report/report.h"

#include "api/base/print.h"
#include "workers/command.h"

#include <math.h>
#include <string.h>

json_t *report_number(double number)
{
    return isfinite(number) ? json_real(number) : json_null();
}

/* True if the player has a budget setting, which limits replace: only players that search have
 * one. */
static bool has_budget(const struct player *player)
{
    const struct player_setting *setting = player->class->settings;

    for (; setting && setting->name; setting++)
        if (strcmp(setting->name, "simulations") == 0 || strcmp(setting->name, "samples") == 0)
            return true;
    return false;
}

const char *report_player_name(const struct player *player, const struct player_limits *limits,
                               char ret_name[REPORT_NAME_MAX])
{
    char simulations[40] = "", time[40] = "";

    if (has_budget(player) && limits->simulations > 0)
        snprintf(simulations, sizeof simulations, " @ %lld simulations",
                 (long long)limits->simulations);
    if (has_budget(player) && limits->time_s > 0.0)
        snprintf(time, sizeof time, "%s %g ms", *simulations ? "," : " @", 1000.0 * limits->time_s);
    player_write(player, REPORT_NAME_MAX, ret_name);
    size_t used = strlen(ret_name);
    snprintf(ret_name + used, REPORT_NAME_MAX - used, "%s%s", simulations, time);
    return ret_name;
}

json_t *report_effort_json(const struct pair_effort *effort)
{
    double moves = effort->moves > 0 ? (double)effort->moves : 1.0; /* without moves all is 0 */

    return json_pack("{s:I, s:f, s:f, s:f}", "moves", (json_int_t)effort->moves, "cpu_ms_per_move",
                     1000.0 * (effort->cpu_s / moves), "elapsed_ms_per_move",
                     1000.0 * (effort->elapsed_s / moves), "simulations_per_move",
                     (double)effort->simulations / moves);
}

json_t *report_games_json(const struct match_games *games)
{
    return json_pack("{s:I, s:I, s:I}", "wins", (json_int_t)games->wins, "draws",
                     (json_int_t)games->draws, "losses", (json_int_t)games->losses);
}

json_t *report_interval_percent(struct interval interval)
{
    return json_pack("[o, o]", report_number(100.0 * interval.low),
                     report_number(100.0 * interval.high));
}

/* Returns null without a mean. */
static json_t *points_json(const struct ratio *points)
{
    return isfinite(ratio_mean(points))
               ? json_pack("{s:f, s:o}", "points", ratio_mean(points), "standard_error",
                           report_number(ratio_error(points)))
               : json_null();
}

json_t *report_luck_json(const struct adjusted_sums *sums, int throws)
{
    const struct sample *score = &sums->score[WITHOUT_LUCK];

    return json_pack(
        "{s:i, s:I, s:f, s:o, s:o, s:o, s:o, s:o, s:o}", "throws", throws, "pairs",
        (json_int_t)score->count, "win_percent", 100.0 * sample_mean(score), "interval_percent",
        report_interval_percent(sample_interval(score, MATCH_CONFIDENCE)), "interval_as_played",
        report_interval_percent(sample_interval(&sums->score[AS_PLAYED], MATCH_CONFIDENCE)),
        "variance_share", report_number(adjusted_score_share(sums)), "played",
        points_json(&sums->points[AS_PLAYED]), "adjusted", points_json(&sums->points[WITHOUT_LUCK]),
        "points_variance_share", report_number(adjusted_points_share(sums)));
}

json_t *report_join(json_t *report, json_t *more)
{
    if (!report || !more || json_object_update_recursive(report, more) != 0) {
        json_decref(report);
        report = NULL;
    }
    json_decref(more);
    return report;
}

json_t *report_conditions(const struct pair_setting *setting)
{
    const struct player_limits *limits = &setting->limits;

    return json_pack(
        "{s:s, s:o, s:o}", "noise", noise_kind_at((int)setting->noise.kind)->name, "time_ms",
        limits->time_s > 0.0 ? json_real(1000.0 * limits->time_s) : json_null(), "simulations",
        limits->simulations > 0 ? json_integer(limits->simulations) : json_null());
}

/* {"hand":{SETTING:value,…}}: where the hands are not the ice's own. */
static json_t *hand_json(const struct pair_setting *setting)
{
    const struct noise usual = noise_default(setting->ice, setting->noise.kind);
    const struct noise_setting *row;
    json_t *hand = json_object();

    for (int k = 0; (row = noise_setting_at(k)) != NULL; k++) {
        double value = noise_setting_of(&setting->noise.settings, k);
        if (noise_setting_fits(row, setting->noise.kind) &&
            value != noise_setting_of(&usual.settings, k) &&
            json_object_set_new(hand, row->name, json_real(value)) != 0) {
            json_decref(hand);
            return NULL;
        }
    }
    if (json_object_size(hand) > 0)
        return json_pack("{s:o}", "hand", hand);
    json_decref(hand);
    return json_object();
}

json_t *report_head_json(const char *kind, const struct series *series, int64_t pairs,
                         bool interrupted)
{
    const struct pair_setting *setting = &series->setting;
    const struct result_games games = {.profile = setting->rules->name,
                                       .noise = noise_kind_at((int)setting->noise.kind)->name,
                                       .ends = setting->ends,
                                       .extra_ends = setting->extra_ends,
                                       .seed = setting->seed};
    json_t *report = json_pack("{s:s, s:I, s:I, s:b}", "kind", kind, "pairs_wanted",
                               (json_int_t)series_pairs(series), "pairs", (json_int_t)pairs,
                               "interrupted", interrupted);

    report = report_join(report_join(result_write(result_games_members, &games), report),
                         report_conditions(setting));
    return report_join(report, hand_json(setting));
}

/* ---- for people ---- */

void report_conditions_text(FILE *out, const json_t *report)
{
    char seed[CELL_BYTES];

    print_plain(member_of(report, "seed"), seed);
    fprintf(out, "profile %s, noise %s, ends %.0f, ", text_of(report, "profile"),
            text_of(report, "noise"), number_of(report, "ends"));
    if (number_of(report, "extra_ends") > 0.0)
        fprintf(out, "extra ends after a tie at most %.0f, ", number_of(report, "extra_ends"));
    fprintf(out, "seed %s", seed);
    if (number_of(report, "simulations") > 0.0)
        fprintf(out, ", %.0f simulations a move", number_of(report, "simulations"));
    if (number_of(report, "time_ms") > 0.0)
        fprintf(out, ", %g ms a move", number_of(report, "time_ms"));
    fprintf(out, "\n\n");
}

static void show_text(FILE *out, const char *kind, const json_t *report)
{
    const char *decision = text_of(report, "sprt.decision");

    report_conditions_text(out, report);
    print_result(out, kind, report);
    if (*decision && strcmp(decision, "open") != 0)
        fprintf(out, "\nthe test chose when to stop: the shares above and their intervals tend to "
                     "lie too far from the middle of its hypotheses\n");
    if (json_is_true(member_of(report, "interrupted")))
        fprintf(out, "\ninterrupted: %.0f of %.0f pairs\n", number_of(report, "pairs"),
                number_of(report, "pairs_wanted"));
}

int report_show(const char *command, const char *kind, json_t *report, bool as_json)
{
    int status = json_is_true(member_of(report, "interrupted")) ? EXIT_INTERRUPTED : EXIT_GOOD;
    bool good = report != NULL;

    if (good && as_json)
        good = json_dumpf(report, stdout, JSON_COMPACT) == 0 && putchar('\n') != EOF;
    else if (good)
        show_text(stdout, kind, report);
    json_decref(report);
    if (good)
        return status;
    command_complain(command, "the result could not be written");
    return EXIT_TROUBLE;
}
