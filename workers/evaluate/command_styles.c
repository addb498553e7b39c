/* rink-evaluate styles: measures the library of known styles (workers/search/style), or checks that
 * it is what the players do. */
#include "models/networks/end_value.h"
#include "models/tables/profiles.h"
#include "workers/evaluate/play/styles.h"
#include "workers/evaluate/worker_jobs.h"
#include "workers/options.h"
#include "workers/pool.h"
#include "workers/progress.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const char about[] =
    "Measure the styles of known players: matches are played and their throws counted. Writes "
    "workers/search/style/style_rows.c; with --check plays and compares instead."
    "\vA committed style is right if the throws of the check do not differ from it by more than "
    "chance and a twentieth of a nat a throw, and the scores of its ends by more than chance and "
    ".15 "
    "points.\n"
    "Exit status: 0 done, 1 wrong usage, a failure, or a style that is not what its player does, "
    "130 interrupted.";

/* Whom all styles are measured against. */
#define AGAINST "rink:simulations=500,opponent=best"
/* Who plays the ends for points against those that err. */
#define FOR_POINTS "rink:simulations=1000,objective=score,opponent=fallible"

enum { ENDS = 2 };

/* The known players. `errs`: whether rink:opponent=fallible (1) or opponent=best (0) does better
 * against it (rink.md); 0.5 where that is not known. The policy nfsp is left out, so that there is
 * a stranger to test with. */
static const struct {
    const char *profile, *player;
    double errs;
} known[] = {
    {"dc2", "ai-simple", 1.0},
    {"dc2", "generator", 0.5},
    {"dc2", "kr-uct:simulations=200", 1.0},
    {"dc2", "kr-uct", 1.0},
    {"dc2", "rink:simulations=2000", 0.0},
    {"dc3", "dc3-rulebased", 1.0},
    {"dc3", "ai-simple", 1.0},
    {"dc3", "generator", 0.5},
    {"dc3", "kr-uct:simulations=200", 1.0},
    {"dc3", "rink:simulations=2000", 0.0},
};

enum { KNOWN = sizeof known / sizeof known[0] };

struct options {
    int pairs, end_pairs, threads;
    uint64_t seed;
    bool check;
    const char *only; /* NULL: all */
};

#define AT(field) offsetof(struct options, field)

static const struct option_row rows[] = {
    {"check", 'c', NULL, OPTION_FLAG, AT(check),
     .about = "compare with the committed styles instead of writing"},
    {"end-pairs", 'E', "N", OPTION_INT, AT(end_pairs), .least = 1, .most = 100000,
     .about = "pairs of single ends for the scores of each style that errs (default {default})"},
    {"only", 'o', "NAME", OPTION_TEXT, AT(only),
     .about = "only styles of players whose specs begin with NAME"},
    {"pairs", 'P', "N", OPTION_INT, AT(pairs), .least = 1, .most = 100000,
     .about = "pairs of games of two ends for each style (default {default})"},
    {"seed", 'S', "NUMBER", OPTION_UINT64, AT(seed), .most = UINT64_MAX,
     .about = "seed of the games (default {default})"},
    {"threads", 'j', "N", OPTION_INT, AT(threads), .least = 1, .most = POOL_THREADS_MAX,
     .about = "pairs side by side (default: one for each processor)"},
    {0},
};

/* Measures a known player; false after a complaint. */
static bool measure(const char *command, const struct options *options, int k,
                    struct style_counts *ret_counts)
{
    const struct profile *profile = profile_find(known[k].profile);
    const struct pair_setting setting = {.rules = &profile->rules,
                                         .ice = profile->ice,
                                         .noise = noise_default(profile->ice, profile->ice->noise),
                                         .ends = ENDS,
                                         /* as when the library was measured */
                                         .luck_by = JOB_LUCK_BY_SEAT,
                                         .seed = options->seed};
    struct player player, against, for_points;
    const struct player *const players[2] = {&player, &against};
    const struct player *const in_ends[2] = {&player, &for_points};
    char error[PLAYER_ERROR_MAX];

    if (!player_read(known[k].player, &player, sizeof error, error) ||
        !player_read(AGAINST, &against, sizeof error, error) ||
        !player_read(FOR_POINTS, &for_points, sizeof error, error)) {
        command_complain(command, error);
        return false;
    }
    enum pair_status status = styles_measure(&setting, players, 0, options->pairs, options->threads,
                                             &command_cancel, ret_counts);
    if (status == PAIR_OK && known[k].errs > 0.0)
        status = styles_measure_ends(&setting, in_ends, options->end_pairs, options->threads,
                                     &command_cancel, ret_counts);
    if (status != PAIR_OK && status != PAIR_CANCELLED)
        command_complain(command, end_value_blame("a player gave no answer"));
    return status == PAIR_OK;
}

/* ---- writing ---- */

static void write_head(const struct options *options)
{
    printf("/* The library of styles. Written by rink-evaluate styles --pairs %d --end-pairs %d\n"
           " * --seed %llu: games of %d ends against " AGAINST ", single ends\n"
           " * against " FOR_POINTS ".\n"
           " * Numbers in the order of style_parts. */\n"
           "#include \"workers/search/style/style.h\"\n\n"
           "/* clang-format off */\nconst struct style_row style_rows[] = {\n",
           options->pairs, options->end_pairs, (unsigned long long)options->seed, ENDS);
}

static void write_row(int k, const struct style_counts *counts)
{
    printf("    {\"%s\", \"%s\", %.2f,\n     {", known[k].profile, known[k].player, known[k].errs);
    for (int seat = 0; seat < 2; seat++)
        for (int n = 0; n < PROFILE_SCORES; n++)
            printf("%s%lld%s", n == 0 ? "{" : " ", (long long)counts->ends[seat][n],
                   n < PROFILE_SCORES - 1 ? ","
                   : seat == 0            ? "},\n      "
                                          : "}},\n     {");
    for (int n = 0; n < STYLE_COUNTS; n++) {
        int64_t count = counts->count[n];
        printf("%s%lld,", n % 24 == 0 ? "\n        " : " ",
               (long long)(count < UINT16_MAX ? count : UINT16_MAX));
    }
    printf("\n    }},\n");
}

/* ---- checking ---- */

static const struct style_row *find_row(int k)
{
    for (const struct style_row *row = style_rows; row->profile; row++)
        if (strcmp(row->profile, known[k].profile) == 0 &&
            strcmp(row->player, known[k].player) == 0)
            return row;
    return NULL;
}

static bool check_row(int k, const struct style_counts *counts)
{
    const struct style_row *row = find_row(k);
    struct style_misfit misfit = row ? styles_misfit(counts, row) : (struct style_misfit){0};
    struct style_misfit ends = row ? styles_ends_misfit(counts, row) : (struct style_misfit){0};
    bool good = row && row->errs == known[k].errs && misfit.is_right && ends.is_right;

    printf("%-4s %-28s %6lld throws  %.3f nats a throw, chance alone gives up to %.3f  ends %.2f "
           "points, up to %.2f  %s\n",
           known[k].profile, known[k].player, (long long)counts->throws, misfit.distance,
           misfit.chance, ends.distance, ends.chance,
           !row   ? "IS NOT IN THE LIBRARY"
           : good ? "right"
                  : "IS NOT THIS STYLE");
    return good;
}

int command_styles(int argc, char **argv)
{
    struct options options = {
        .pairs = 100, .end_pairs = 400, .seed = 21, .threads = option_processors(POOL_THREADS_MAX)};
    const struct option_parser parser = {.about = about, .tables = {{rows, &options, NULL, NULL}}};
    bool good = true;
    int checked = 0;

    if (!options_parse(&parser, argc, argv))
        return EXIT_TROUBLE;
    if (!options.check)
        write_head(&options);
    struct progress progress = progress_start(KNOWN);
    for (int k = 0; k < KNOWN; k++) {
        struct style_counts counts;
        if (options.only && strncmp(known[k].player, options.only, strlen(options.only)) != 0)
            continue;
        checked++;
        if (!measure(argv[0], &options, k, &counts))
            return atomic_load(&command_cancel) ? EXIT_INTERRUPTED : EXIT_TROUBLE;
        if (!options.check)
            write_row(k, &counts);
        else
            good = check_row(k, &counts) && good;
        fflush(stdout);
        progress_show(&progress, k + 1, false);
    }
    progress_end(&progress);
    if (checked == 0)
        command_complain(argv[0], "--only: no known style is called so");
    if (!options.check)
        printf("    {0},\n};\n/* clang-format on */\n");
    return good && checked > 0 ? EXIT_GOOD : EXIT_TROUBLE;
}
