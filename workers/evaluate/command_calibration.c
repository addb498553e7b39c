/* rink-evaluate calibration: whether the chances of winning that players told came true. */
#include "api/base/build_json.h"
#include "api/base/print.h"
#include "workers/evaluate/play/calibration.h"
#include "workers/evaluate/report/report.h"
#include "workers/evaluate/worker_jobs.h"
#include "workers/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char about[] =
    "Compare the chances of winning that players told with their shots with the results of their "
    "games, by the records of a match or a tournament (--records). Reads FILE, or standard input."
    "\vA player whose chances are right wins as often as it tells. The intervals are those of 95 "
    "% over pairs.\n"
    "Exit status: 0 done, 1 wrong usage or a failure.";

struct calibration_options {
    const char *file;
    bool json;
};

static const struct option_row option_rows[] = {
    {"json", 'J', NULL, OPTION_FLAG, offsetof(struct calibration_options, json),
     .about = "write the result as JSON"},
    {0},
};

static const struct column table[] = {
    {"shots of", "of", NULL, false},
    {"shots", "shots", NULL, true},
    {"pairs", "pairs", NULL, true},
    {"told %", "told_percent", print_tenths, true},
    {"won %", "won_percent", print_tenths, true},
    {"won - told", "difference_percent", print_signed, true},
    {"95 % interval", "interval_percent", print_interval, true},
    {"Brier", "brier", NULL, true},
    {NULL, NULL, NULL, false},
};

static json_t *row_json(const struct calibration_row *row, const char *name)
{
    const double shots = (double)row->shots;

    return json_pack("{s:s, s:I, s:I, s:o, s:o, s:o, s:o, s:o}", "of", name, "shots",
                     (json_int_t)row->shots, "pairs", (json_int_t)row->above.count, "told_percent",
                     report_number(100.0 * row->told / shots), "won_percent",
                     report_number(100.0 * row->won / shots), "difference_percent",
                     report_number(100.0 * calibration_above(row)), "interval_percent",
                     report_interval_percent(calibration_interval(row)), "brier",
                     report_number(row->squares / shots));
}

static json_t *player_json(const char *name, const struct calibration_row rows[CALIBRATION_ROWS])
{
    json_t *list = json_array();
    bool good = list;

    for (int k = 0; k < CALIBRATION_ROWS; k++)
        if (rows[k].shots > 0)
            good = build_append(list, row_json(&rows[k], calibration_names[k])) && good;
    return build_done(json_pack("{s:s, s:o}", "player", name, "rows", list), good);
}

static json_t *report(const struct calibration *calibration)
{
    json_t *players = json_array();
    bool good = players;

    for (int k = 0; k < calibration->players; k++)
        good =
            build_append(players, player_json(calibration->name[k], calibration->row[k])) && good;
    return build_done(
        json_pack("{s:I, s:o}", "pairs", (json_int_t)calibration->pairs, "players", players), good);
}

/* Players who told nothing have no table. */
static void show_tables(const json_t *report)
{
    json_t *player;
    size_t k;

    json_array_foreach(json_object_get(report, "players"), k, player)
    {
        const json_t *list = json_object_get(player, "rows");
        if (json_array_size(list) == 0)
            continue;
        printf("%s\n", text_of(player, "player"));
        print_table(stdout, table, list);
    }
}

int command_calibration(int argc, char **argv)
{
    struct calibration_options options = {.json = false};
    const struct option_parser parser = {
        .about = about, .tables = {{option_rows, &options, NULL, NULL}}, .file = &options.file};
    char error[CALIBRATION_ERROR_MAX], text[2 * CALIBRATION_ERROR_MAX];

    if (!options_parse(&parser, argc, argv))
        return EXIT_TROUBLE;
    const char *name = options.file ? options.file : "standard input";
    FILE *file = options.file ? fopen(options.file, "re") : stdin;
    struct calibration *calibration = malloc(sizeof *calibration); /* large */
    bool good = file && calibration;
    if (!good)
        snprintf(error, sizeof error, "%s", strerror(errno));
    good = good && calibration_read(file, calibration, error);
    if (file && options.file)
        fclose(file);
    json_t *result = good ? report(calibration) : NULL;
    if (good)
        calibration_free(calibration);
    free(calibration);
    if (!good) {
        snprintf(text, sizeof text, "%.150s: %s", name, error);
        command_complain(argv[0], text);
        return EXIT_TROUBLE;
    }
    if (options.json || !result)
        return report_show(argv[0], "calibration", result, true);
    show_tables(result);
    json_decref(result);
    return EXIT_GOOD;
}
