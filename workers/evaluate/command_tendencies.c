/* rink-evaluate tendencies: the kinds of shots that one or two players play, for each shot of an
 * end. */
#include "api/base/print.h"
#include "api/jobs/job_kinds.h"
#include "models/networks/end_value.h"
#include "workers/evaluate/play/tendencies.h"
#include "workers/evaluate/play_options.h"
#include "workers/evaluate/report/report.h"
#include "workers/evaluate/worker_jobs.h"
#include "workers/progress.h"

#include <jansson.h>

static const char about[] =
    "Count what kinds of shots a player plays: draws, guards, freezes, take-outs, raises, for each "
    "shot number of the end, seen from what the throws did."
    "\vA PLAYER is NAME or NAME:SETTING=VALUE,SETTING=VALUE. The opponent is the player itself "
    "unless --opponent says otherwise. Even shots are those of the side that throws first.\n"
    "Exit status: 0 done, 1 wrong usage or a failure, 130 interrupted.";

#define AT(field) offsetof(struct play_options, field)

static const struct option_row tendency_rows[] = {
    {"player", 'a', "PLAYER", OPTION_READ, AT(players[0]), .read = play_options_read_player,
     .about = "whose shots are counted"},
    {"opponent", 'b', "PLAYER", OPTION_READ, AT(players[1]), .read = play_options_read_player,
     .about = "against whom (default: itself)"},
    {0},
};

static void finish(struct argp_state *state, void *target)
{
    struct play_options *options = target;
    const struct player *players = options->players;

    if (!players[0].class)
        argp_error(state, "a player is needed: --player PLAYER");
    /* The number of different players: 1 where one plays against itself. */
    options->series.player_count =
        players[1].class && !is_same_player(&players[0], &players[1]) ? 2 : 1;
}

/* The kinds that shot_kind_of_result() returns. */
static const enum shot_kind kinds[] = {SHOT_DRAW,  SHOT_GUARD,   SHOT_FREEZE, SHOT_HIT,
                                       SHOT_RAISE, SHOT_THROUGH, SHOT_OTHER};

enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* A table of shots; the last columns are those of `kinds`. */
#define SHARE(name)                              \
    {                                            \
        name, "share." name, print_percent, true \
    }
static const struct column table[2 + KINDS + 1] = {
    {"shot", "shot", NULL, true},
    {"throws", "total", NULL, true},
    SHARE("draw"),
    SHARE("guard"),
    SHARE("freeze"),
    SHARE("takeout"),
    SHARE("raise"),
    SHARE("through"),
    SHARE("other"),
};

static json_t *player_json(const struct player *player, const struct tendencies *tendencies,
                           const struct pair_setting *setting)
{
    char name[REPORT_NAME_MAX];
    json_t *rows = json_array();
    report_player_name(player, &setting->limits, name);
    for (int shot = 0; shot < setting->rules->shots; shot++) {
        json_t *counts = json_object(), *shares = json_object();
        int64_t total = tendencies_total(tendencies, shot);
        for (int k = 0; k < KINDS; k++) {
            int64_t count = tendencies->count[shot][kinds[k]];
            double share = total ? (double)count / (double)total : 0.0;
            json_object_set_new(counts, table[2 + k].heading, json_integer(count));
            json_object_set_new(shares, table[2 + k].heading, json_real(share));
        }
        json_array_append_new(rows, json_pack("{s:i, s:I, s:o, s:o}", "shot", shot, "total",
                                              (json_int_t)total, "count", counts, "share", shares));
    }
    return json_pack("{s:s, s:o}", "player", name, "shots", rows);
}

static json_t *report(const struct play_options *options, const struct tendencies tendencies[2])
{
    const struct pair_setting *setting = &options->series.setting;
    json_t *players = json_array();
    for (int side = 0; side < options->series.player_count; side++)
        json_array_append_new(players,
                              player_json(&options->players[side], &tendencies[side], setting));
    json_t *root = json_pack("{s:s, s:i, s:i, s:I, s:o, s:o}", "profile", setting->rules->name,
                             "ends", setting->ends, "extra_ends", setting->extra_ends, "pairs",
                             (json_int_t)options->series.pairs, "seed",
                             result_seed_json(setting->seed), "players", players);
    return report_join(root, report_conditions(setting));
}

static void show_tables(const json_t *report)
{
    json_t *player;
    size_t k;

    report_conditions_text(stdout, report);
    json_array_foreach(json_object_get(report, "players"), k, player)
    {
        printf("%s\n", text_of(player, "player"));
        print_table(stdout, table, json_object_get(player, "shots"));
    }
}

int command_tendencies(int argc, char **argv)
{
    struct play_options options = play_options_default();
    const struct option_parser parser = {
        .about = about,
        .tables = {{tendency_rows, &options, finish, NULL},
                   {play_option_rows, &options, play_options_finish, NULL},
                   {play_length_rows, &options, NULL, job_kind_find("match")->fields}},
    };

    if (!options_parse(&parser, argc, argv))
        return EXIT_TROUBLE;
    struct progress progress = progress_start(options.series.pairs);
    const struct tendencies_settings settings = {
        .setting = options.series.setting,
        .pairs = options.series.pairs,
        .threads = options.series.threads,
        .progress = progress_show,
        .context = &progress,
        .cancel = &command_cancel,
    };
    const struct player *const players[2] = {
        &options.players[0], options.series.player_count == 2 ? &options.players[1] : NULL};
    struct tendencies tendencies[2];
    enum pair_status status = tendencies_measure(&settings, players, tendencies);
    progress_end(&progress);

    if (status == PAIR_CANCELLED)
        return EXIT_INTERRUPTED;
    if (status != PAIR_OK) {
        command_complain(argv[0],
                         status == PAIR_NO_MEMORY
                             ? "out of memory"
                             : end_value_blame("a player gave no answer, or a shot that cannot "
                                               "be thrown"));
        return EXIT_TROUBLE;
    }
    json_t *result = report(&options, tendencies);
    if (options.json || !result)
        return report_show(argv[0], "tendencies", result, true);
    show_tables(result);
    json_decref(result);
    return EXIT_GOOD;
}
