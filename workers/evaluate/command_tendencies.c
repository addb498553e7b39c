/* rink-evaluate tendencies: what two players, or one and itself, tend to play, shot for shot. */
#include "api/job_kinds.h"
#include "workers/evaluate/command.h"
#include "workers/evaluate/play/tendencies.h"
#include "workers/evaluate/play_options.h"
#include "workers/evaluate/report/report.h"
#include "workers/progress.h"

#include <jansson.h>

static const char about[] =
    "Count what kinds of shots a player plays: draws, guards, freezes, take-outs, raises, for each "
    "shot number of the end, seen from what the throws did."
    "\vA PLAYER is NAME or NAME:SETTING=VALUE,SETTING=VALUE. The opponent is the player itself "
    "unless --opponent says otherwise. Even shots are those of the side that throws first.\n"
    "Exit status: 0 done, 1 wrong usage or a failure, 130 interrupted.";

struct options {
    struct play_options play;
    struct player players[2];
    int count; /* of different players: 1 where one plays against itself */
};

#define AT(field) offsetof(struct options, field)

static const struct option_row tendency_rows[] = {
    {"player", 'a', "PLAYER", OPTION_READ, AT(players[0]), .read = play_options_read_player,
     .about = "whose shots are counted"},
    {"opponent", 'b', "PLAYER", OPTION_READ, AT(players[1]), .read = play_options_read_player,
     .about = "against whom (default: itself)"},
    {0},
};

static void finish(struct argp_state *state, void *target)
{
    struct options *options = target;
    const struct player *players = options->players;

    if (!players[0].class)
        argp_error(state, "a player is needed: --player PLAYER");
    options->count = players[1].class && !is_same_player(&players[0], &players[1]) ? 2 : 1;
}

/* The kinds that shot_kind_of_result() tells apart. */
static const struct {
    enum shot_kind kind;
    const char *name;
} columns[] = {
    {SHOT_DRAW, "draw"},   {SHOT_GUARD, "guard"}, {SHOT_FREEZE, "freeze"},
    {SHOT_HIT, "takeout"}, {SHOT_RAISE, "raise"}, {SHOT_THROUGH, "through"},
    {SHOT_OTHER, "other"},
};

enum { COLUMNS = sizeof columns / sizeof columns[0] };

static double share(const struct tendencies *tendencies, int shot, int column)
{
    int64_t total = tendencies_total(tendencies, shot);
    return total ? (double)tendencies->count[shot][columns[column].kind] / (double)total : 0.0;
}

static json_t *player_json(const struct player *player, const struct tendencies *tendencies,
                           const struct pair_setting *setting)
{
    char name[REPORT_NAME_MAX];
    json_t *rows = json_array();
    report_player_name(player, &setting->limits, sizeof name, name);
    for (int shot = 0; shot < setting->rules->shots; shot++) {
        json_t *counts = json_object(), *shares = json_object();
        for (int c = 0; c < COLUMNS; c++) {
            json_object_set_new(counts, columns[c].name,
                                json_integer(tendencies->count[shot][columns[c].kind]));
            json_object_set_new(shares, columns[c].name, json_real(share(tendencies, shot, c)));
        }
        json_array_append_new(rows, json_pack("{s:i, s:I, s:o, s:o}", "shot", shot, "total",
                                              (json_int_t)tendencies_total(tendencies, shot),
                                              "count", counts, "share", shares));
    }
    return json_pack("{s:s, s:o}", "player", name, "shots", rows);
}

static bool write_json(const struct options *options, const struct tendencies tendencies[2])
{
    const struct pair_setting *setting = &options->play.setting;
    json_t *players = json_array();
    for (int side = 0; side < options->count; side++)
        json_array_append_new(players,
                              player_json(&options->players[side], &tendencies[side], setting));
    json_t *root = json_pack("{s:s, s:i, s:i, s:I, s:o, s:o}", "profile", setting->rules->name,
                             "ends", setting->ends, "extra_ends", setting->extra_ends, "pairs",
                             (json_int_t)options->play.pairs, "seed", report_seed(setting->seed),
                             "players", players);
    return report_print(report_add_conditions(root, setting));
}

static bool write_text(const struct options *options, const struct tendencies tendencies[2])
{
    const struct report_head head =
        play_options_head(&options->play, options->players, options->count, false);
    report_head_text(stdout, &head);
    for (int side = 0; side < options->count; side++) {
        char name[REPORT_NAME_MAX];
        report_player_name(&options->players[side], &options->play.setting.limits, sizeof name,
                           name);
        printf("%s\nshot   throws", name);
        for (int c = 0; c < COLUMNS; c++)
            printf(" %9s", columns[c].name);
        putchar('\n');
        for (int shot = 0; shot < options->play.setting.rules->shots; shot++) {
            printf("%4d %8lld", shot, (long long)tendencies_total(&tendencies[side], shot));
            for (int c = 0; c < COLUMNS; c++)
                printf(" %7.1f %%", 100.0 * share(&tendencies[side], shot, c));
            putchar('\n');
        }
    }
    return ferror(stdout) == 0;
}

static void show_progress(void *context, int64_t done, int64_t total)
{
    (void)total;
    progress_update(context, done, false, NULL);
}

int command_tendencies(int argc, char **argv)
{
    struct options options = {.play = play_options_default()};
    const struct option_parser parser = {
        .about = about,
        .tables = {{tendency_rows, &options, finish, NULL},
                   {play_option_rows, &options.play, play_options_finish, NULL},
                   {play_length_rows, &options.play, NULL, job_kind_find("match")->fields}},
    };

    if (!options_parse(&parser, argc, argv))
        return EXIT_TROUBLE;
    struct progress progress = progress_start(options.play.pairs);
    const struct tendencies_settings settings = {
        .setting = options.play.setting,
        .pairs = options.play.pairs,
        .threads = options.play.threads,
        .progress = show_progress,
        .context = &progress,
        .cancel = &command_cancel,
    };
    const struct player *const players[2] = {&options.players[0],
                                             options.count == 2 ? &options.players[1] : NULL};
    struct tendencies tendencies[2];
    enum pair_status status = tendencies_measure(&settings, players, tendencies);
    progress_end(&progress);

    if (status == PAIR_CANCELLED)
        return EXIT_INTERRUPTED;
    if (status != PAIR_OK) {
        command_complain(argv[0], status == PAIR_NO_MEMORY
                                      ? "out of memory"
                                      : "a player gave no answer, or a shot that cannot be thrown");
        return EXIT_TROUBLE;
    }
    if (options.play.json ? write_json(&options, tendencies) : write_text(&options, tendencies))
        return EXIT_GOOD;
    command_complain(argv[0], "the result could not be written");
    return EXIT_TROUBLE;
}
