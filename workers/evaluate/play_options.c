/* Strict reading of the shared options. */
#include "workers/evaluate/play_options.h"

#include "models/ice/batch.h"
#include "workers/evaluate/series.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#define TIME_MOST_MS     86400000.0
#define SIMULATIONS_MOST 1000000000000

enum {
    KEY_PROFILE = 'p',
    KEY_NOISE = 'n',
    KEY_ENDS = 'e',
    KEY_PAIRS = 'P',
    KEY_SIMULATIONS = 's',
    KEY_TIME = 't',
    KEY_SEED = 'S',
    KEY_THREADS = 'j',
    KEY_RECORDS = 'r',
    KEY_JSON = 'J'
};

static const struct argp_option known[] = {
    {"profile", KEY_PROFILE, "NAME", 0, "rules and ice: dc2 (default), dc3, dc4, dc3-four-rock ...",
     1},
    {"noise", KEY_NOISE, "KIND", 0,
     "error of the hands: gat, normal_dist or none (default: the ice's own)", 1},
    {"ends", KEY_ENDS, "N", 0, "ends of a game, 1..10 (default 2); a tie is a draw", 1},
    {"pairs", KEY_PAIRS, "N", 0, "pairs of games between two players (default 100)", 1},
    {"simulations", KEY_SIMULATIONS, "N", 0, "limit of each move: simulated throws", 2},
    {"time-ms", KEY_TIME, "T", 0, "limit of each move: milliseconds", 2},
    {"seed", KEY_SEED, "NUMBER", 0, "of all luck (default 0)", 3},
    {"threads", KEY_THREADS, "N", 0, "games side by side (default: one for each processor)", 3},
    {"records", KEY_RECORDS, "FILE", 0,
     "write every shot to FILE as JSON Lines; continue it if it is there", 3},
    {"json", KEY_JSON, NULL, 0, "write the result as JSON", 3},
    {0},
};

uint64_t read_whole_option(struct argp_state *state, const char *name, const char *text,
                           uint64_t least, uint64_t most)
{
    char *end;

    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    if (!*text || strspn(text, "0123456789") != strlen(text) || errno || number < least ||
        number > most)
        argp_error(state, "--%s must be a whole number in %llu..%llu, not '%s'", name,
                   (unsigned long long)least, (unsigned long long)most, text);
    return number;
}

double read_number_option(struct argp_state *state, const char *name, const char *text,
                          double least, double most)
{
    char *end;
    double number = strtod(text, &end);

    /* The first test keeps out what only strtod() takes for a number: blanks, hex, inf. Written so
     * that NaN fails. */
    if (!*text || strspn(text, "0123456789.eE+-") != strlen(text) || *end ||
        !(number >= least && number <= most))
        argp_error(state, "--%s must be a number in %g..%g, not '%s'", name, least, most, text);
    return number;
}

struct player read_player_option(struct argp_state *state, const char *text)
{
    struct player player = {0};
    char error[1024];

    if (!player_read(text, &player, sizeof error, error))
        argp_error(state, "%s", error);
    return player;
}

void read_profile_option(struct argp_state *state, struct pair_setting *setting, const char *name)
{
    const struct rules *rules = rules_find(name), *row;

    if (!rules) {
        char names[256] = "";
        for (int k = 0; (row = rules_at(k)) != NULL; k++) {
            size_t used = strlen(names);
            snprintf(names + used, sizeof names - used, "%s%s", k ? ", " : "", row->name);
        }
        argp_error(state, "--profile must be one of %s, not '%s'", names, name);
    } else {
        setting->rules = rules;
        setting->ice = ice_profile_find(rules->ice);
    }
}

enum ice_noise read_noise_option(struct argp_state *state, const char *text)
{
    if (strcmp(text, "gat") == 0)
        return ICE_NOISE_GAT;
    if (strcmp(text, "normal_dist") == 0)
        return ICE_NOISE_NORMAL_DIST;
    if (strcmp(text, "none") != 0)
        argp_error(state, "--noise must be none, gat or normal_dist, not '%s'", text);
    return ICE_NOISE_NONE;
}

static void finish(struct argp_state *state, struct play_options *options)
{
    struct pair_setting *setting = &options->setting;
    const struct ice_profile *ice = setting->ice;

    setting->noise = noise_default(ice, options->has_noise ? options->noise_kind : ice->noise);
    const char *wrong = pair_setting_check(setting);
    if (wrong)
        argp_error(state, "--profile %s: %s", setting->rules->name, wrong);
}

static error_t read_option(int key, char *argument, struct argp_state *state)
{
    struct play_options *options = state->input;
    struct pair_setting *setting = &options->setting;

    switch (key) {
    case KEY_PROFILE:
        read_profile_option(state, setting, argument);
        return 0;
    case KEY_NOISE:
        options->noise_kind = read_noise_option(state, argument);
        options->has_noise = true;
        return 0;
    case KEY_ENDS:
        setting->ends = (int)read_whole_option(state, "ends", argument, 1, PAIR_ENDS_MAX);
        return 0;
    case KEY_PAIRS:
        options->pairs = (int64_t)read_whole_option(state, "pairs", argument, 1, SERIES_PAIRS_MAX);
        return 0;
    case KEY_SIMULATIONS:
        setting->limits.simulations =
            (int64_t)read_whole_option(state, "simulations", argument, 1, SIMULATIONS_MOST);
        return 0;
    case KEY_TIME:
        setting->limits.time_s =
            0.001 * read_number_option(state, "time-ms", argument, 0.001, TIME_MOST_MS);
        return 0;
    case KEY_SEED:
        setting->seed = read_whole_option(state, "seed", argument, 0, UINT64_MAX);
        return 0;
    case KEY_THREADS:
        options->threads = (int)read_whole_option(state, "threads", argument, 1, BATCH_MAX_THREADS);
        return 0;
    case KEY_RECORDS:
        options->records = argument;
        return 0;
    case KEY_JSON:
        options->json = true;
        return 0;
    case ARGP_KEY_SUCCESS:
        finish(state, options);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp play_options_argp = {known, read_option, NULL, NULL, NULL, NULL, NULL};

/* Processors that this process may use. */
static int processors(void)
{
    cpu_set_t set;
    int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;

    return count < 1 ? 1 : count > BATCH_MAX_THREADS ? BATCH_MAX_THREADS : count;
}

struct play_options play_options_default(void)
{
    return (struct play_options){
        .setting = {.rules = rules_find("dc2"), .ice = ice_profile_find("dc2"), .ends = 2},
        .pairs = 100,
        .threads = processors(),
    };
}
