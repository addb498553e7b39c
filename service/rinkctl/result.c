/* Results of jobs in a few lines; rink-evaluate(1) describes their members. */
#include "service/rinkctl/print.h"
#include "service/rinkctl/watch.h"

#include <math.h>
#include <string.h>

static void print_tenths(const json_t *value, char ret_cell[CELL_BYTES])
{
    if (json_is_number(value))
        snprintf(ret_cell, CELL_BYTES, "%.1f", json_number_value(value));
    else
        snprintf(ret_cell, CELL_BYTES, "-");
}

/* {"points","standard_error"} */
static void print_mean(const json_t *value, char ret_cell[CELL_BYTES])
{
    snprintf(ret_cell, CELL_BYTES, "%+.3f ± %.3f", number_of(value, "points"),
             number_of(value, "standard_error"));
}

static void print_rate(const json_t *value, char ret_cell[CELL_BYTES])
{
    snprintf(ret_cell, CELL_BYTES, "%.0f /s", json_number_value(value));
}

static const struct column match_fields[] = {
    {"a", "a.player", NULL, false},
    {"b", "b.player", NULL, false},
    {"profile", "profile", NULL, false},
    {"ends", "ends", NULL, false},
    {"extra ends", "extra_ends", NULL, false},
    {"pairs", "pairs", NULL, false},
    {"games with extra ends", "games_with_extra_ends", NULL, false},
    {"a wins", "win_percent", print_percentage, false},
    {"95 % interval, %", "interval_percent", print_interval, false},
    {"a wins, pairs by score", "pair_score.percent", print_percentage, false},
    {"95 % interval of that, %", "pair_score.interval_percent", print_interval, false},
    {"a - b, Elo", "elo", print_signed, false},
    {"95 % interval, Elo", "elo_interval", print_interval, false},
    {"decision", "sprt.decision", NULL, false},
};

static const struct column side_columns[] = {
    {"player", "player", NULL, false},
    {"wins", "games.wins", NULL, true},
    {"draws", "games.draws", NULL, true},
    {"losses", "games.losses", NULL, true},
    {"points/end, hammer", "ends.gote.points_per_end", print_signed, true},
    {"without", "ends.sente.points_per_end", print_signed, true},
    {"ms/move", "effort.elapsed_ms_per_move", print_tenths, true},
};

static const struct column ladder_columns[] = {
    {"player", "player", NULL, false},
    {"Elo", "elo", print_tenths, true},
    {"95 %", "interval", print_interval, true},
    {"wins", "win_percent", print_percentage, true},
    {"ms/move", "effort.elapsed_ms_per_move", print_tenths, true},
};

static const struct column rate_columns[] = {
    {"player", "player", NULL, false},
    {"Elo", "elo", print_tenths, true},
    {"95 %", "interval", print_interval, true},
    {"pairs", "pairs", NULL, true},
};

static const struct column exploitability_fields[] = {
    {"player", "player", NULL, false},
    {"profile", "profile", NULL, false},
    {"ends", "ends", NULL, false},
    {"sente, points/end", "sente", print_mean, false},
    {"gote, points/end", "gote", print_mean, false},
    {"sum, points/end", "nash_conv", print_mean, false},
    {"best against sente", "best.sente", NULL, false},
    {"best against gote", "best.gote", NULL, false},
};

static const struct column diagnose_fields[] = {
    {"profile", "profile", NULL, false},
    {"measured for", "seconds", print_duration, false},
    {"simulator, throws", "throws_per_s", print_rate, false},
    {"search, throws", "search_throws_per_s", print_rate, false},
};

#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))

static void print_match(const json_t *result)
{
    json_t *sides = json_pack("[O, O]", json_object_get(result, "a"), json_object_get(result, "b"));

    print_fields(stdout, match_fields, COUNT(match_fields), result);
    putchar('\n');
    print_table(stdout, side_columns, COUNT(side_columns), sides);
    json_decref(sides);
}

void print_result(const char *kind, const json_t *result)
{
    if (strcmp(kind, "match") == 0)
        print_match(result);
    else if (strcmp(kind, "tournament") == 0)
        print_table(stdout, ladder_columns, COUNT(ladder_columns),
                    json_object_get(result, "ladder"));
    else if (strcmp(kind, "rate") == 0)
        print_table(stdout, rate_columns, COUNT(rate_columns), json_object_get(result, "ladder"));
    else if (strcmp(kind, "exploitability") == 0)
        print_fields(stdout, exploitability_fields, COUNT(exploitability_fields), result);
    else if (strcmp(kind, "diagnose") == 0)
        print_fields(stdout, diagnose_fields, COUNT(diagnose_fields), result);
    else
        print_json(kind, result);
}
