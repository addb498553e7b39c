/* Parts that all reports share. */
#include "workers/evaluate/report/report.h"

#include <math.h>
#include <string.h>

bool report_print(json_t *report)
{
    bool good = report && json_dumpf(report, stdout, JSON_COMPACT) == 0 && putchar('\n') != EOF;
    json_decref(report);
    return good;
}

json_t *report_number(double number)
{
    return isfinite(number) ? json_real(number) : json_null();
}

json_t *report_seed(uint64_t seed)
{
    return seed <= INT64_MAX ? json_integer((json_int_t)seed)
                             : json_sprintf("%llu", (unsigned long long)seed);
}

/* A player that searches has one of these settings as its budget, which limits replace. */
static bool has_budget(const struct player *player)
{
    const struct player_setting *setting = player->class->settings;

    for (; setting && setting->name; setting++)
        if (strcmp(setting->name, "simulations") == 0 || strcmp(setting->name, "samples") == 0)
            return true;
    return false;
}

void report_player_name(const struct player *player, const struct player_limits *limits,
                        size_t size, char *ret_name)
{
    bool budget = has_budget(player);
    bool simulations = budget && limits->simulations > 0, time = budget && limits->time_s > 0.0;
    size_t used;

    player_write(player, size, ret_name);
    if (simulations) {
        used = strlen(ret_name);
        snprintf(ret_name + used, size - used, " @ %lld simulations",
                 (long long)limits->simulations);
    }
    if (time) {
        used = strlen(ret_name);
        snprintf(ret_name + used, size - used, "%s %g ms", simulations ? "," : " @",
                 1000.0 * limits->time_s);
    }
}

double report_per_move(double sum, const struct pair_effort *effort)
{
    return effort->moves > 0 ? sum / (double)effort->moves : 0.0;
}

json_t *report_effort_json(const struct pair_effort *effort)
{
    return json_pack("{s:I, s:f, s:f, s:f}", "moves", (json_int_t)effort->moves, "cpu_ms_per_move",
                     1000.0 * report_per_move(effort->cpu_s, effort), "elapsed_ms_per_move",
                     1000.0 * report_per_move(effort->elapsed_s, effort), "simulations_per_move",
                     report_per_move((double)effort->simulations, effort));
}

json_t *report_games_json(const struct match_games *games)
{
    return json_pack("{s:I, s:I, s:I}", "wins", (json_int_t)games->wins, "draws",
                     (json_int_t)games->draws, "losses", (json_int_t)games->losses);
}

json_t *report_add_conditions(json_t *report, const struct pair_setting *setting)
{
    const struct player_limits *limits = &setting->limits;
    json_t *conditions = json_pack(
        "{s:s, s:o, s:o}", "noise", noise_kind_at((int)setting->noise.kind)->name, "time_ms",
        limits->time_s > 0.0 ? json_real(1000.0 * limits->time_s) : json_null(), "simulations",
        limits->simulations > 0 ? json_integer(limits->simulations) : json_null());

    if (json_object_update_new(report, conditions) == 0)
        return report;
    json_decref(report);
    return NULL;
}

json_t *report_head_json(const char *kind, const struct report_head *head, int64_t pairs)
{
    const struct pair_setting *setting = head->setting;

    json_t *report =
        json_pack("{s:s, s:s, s:i, s:i, s:o, s:I, s:I, s:b}", "kind", kind, "profile",
                  setting->rules->name, "ends", setting->ends, "extra_ends", setting->extra_ends,
                  "seed", report_seed(setting->seed), "pairs_wanted",
                  (json_int_t)(head->pairs * series_pairings(head->player_count)), "pairs",
                  (json_int_t)pairs, "interrupted", head->interrupted);
    return report_add_conditions(report, setting);
}

void report_extra_text(FILE *out, const struct report_head *head, int64_t games)
{
    if (head->setting->extra_ends > 0)
        fprintf(out, "games that went to extra ends: %lld\n", (long long)games);
}

void report_limits_text(FILE *out, const struct player_limits *limits)
{
    if (limits->simulations > 0)
        fprintf(out, ", %lld simulations a move", (long long)limits->simulations);
    if (limits->time_s > 0.0)
        fprintf(out, ", %g ms a move", 1000.0 * limits->time_s);
    fprintf(out, "\n");
}

void report_head_text(FILE *out, const struct report_head *head)
{
    const struct pair_setting *setting = head->setting;

    fprintf(out, "profile %s, noise %s, ends %d, ", setting->rules->name,
            noise_kind_at((int)setting->noise.kind)->name, setting->ends);
    if (setting->extra_ends > 0)
        fprintf(out, "extra ends after a tie at most %d, ", setting->extra_ends);
    fprintf(out, "seed %llu", (unsigned long long)setting->seed);
    report_limits_text(out, &setting->limits);
}
