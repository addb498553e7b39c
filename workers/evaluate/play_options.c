/* Strict reading of the shared options. */
#include "workers/evaluate/play_options.h"

#include "workers/evaluate/command.h"
#include "workers/pool.h"

#include <stdlib.h>
#include <string.h>

#define TIME_MOST_MS     86400000.0
#define SIMULATIONS_MOST 1000000000000

enum {
    KEY_PROFILE = 'p',
    KEY_NOISE = 'n',
    KEY_ENDS = 'e',
    KEY_EXTRA_ENDS = 'x',
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
    {"ends", KEY_ENDS, "N", 0, "ends of a game, 1..10 (default 2)", 1},
    {"extra-ends", KEY_EXTRA_ENDS, "N", 0,
     "most extra ends after a tie, 0..10 (default 0: a tie is a draw)", 1},
    {"pairs", KEY_PAIRS, "N", 0, "pairs of games between two players (default 100)", 1},
    {"simulations", KEY_SIMULATIONS, "N", 0, "limit of each move: simulated throws", 2},
    {"time-ms", KEY_TIME, "T", 0, "limit of each move: milliseconds", 2},
    {"seed", KEY_SEED, "NUMBER", 0, "of all luck (default 0)", 3},
    {"threads", KEY_THREADS, "N", 0, "games side by side (default: one for each processor)", 3},
    {"json", KEY_JSON, NULL, 0, "write the result as JSON", 3},
    {0},
};

static const struct argp_option recorded[] = {
    {"records", KEY_RECORDS, "FILE", 0,
     "write every shot to FILE as JSON Lines; continue it if it is there", 3},
    {0},
};

struct player read_player_option(struct argp_state *state, const char *text)
{
    struct player player = {0};
    char error[1024];

    if (!player_read(text, &player, sizeof error, error))
        argp_error(state, "%s", error);
    return player;
}

bool is_same_player(const struct player *a, const struct player *b)
{
    char name_a[PLAYER_SPEC_MAX], name_b[PLAYER_SPEC_MAX];

    player_write(a, sizeof name_a, name_a);
    player_write(b, sizeof name_b, name_b);
    return strcmp(name_a, name_b) == 0;
}

void read_profile_option(struct argp_state *state, struct pair_setting *setting, const char *name)
{
    const struct profile *profile = profile_find(name);
    char list[PROFILE_LIST_MAX];

    if (!profile) {
        argp_error(state, "--profile must be one of %s, not '%s'", profile_list(true, list), name);
    } else {
        setting->rules = &profile->rules;
        setting->ice = profile->ice;
    }
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
        options->noise_kind = option_noise(state, argument);
        options->has_noise = true;
        return 0;
    case KEY_ENDS:
        setting->ends = (int)option_whole(state, "ends", argument, 1, PAIR_ENDS_MAX);
        return 0;
    case KEY_EXTRA_ENDS:
        setting->extra_ends =
            (int)option_whole(state, "extra-ends", argument, 0, PAIR_EXTRA_ENDS_MAX);
        return 0;
    case KEY_PAIRS:
        options->pairs = (int64_t)option_whole(state, "pairs", argument, 1, SERIES_PAIRS_MAX);
        return 0;
    case KEY_SIMULATIONS:
        setting->limits.simulations =
            (int64_t)option_whole(state, "simulations", argument, 1, SIMULATIONS_MOST);
        return 0;
    case KEY_TIME:
        setting->limits.time_s =
            0.001 * option_number(state, "time-ms", argument, 0.001, TIME_MOST_MS);
        return 0;
    case KEY_SEED:
        setting->seed = option_whole(state, "seed", argument, 0, UINT64_MAX);
        return 0;
    case KEY_THREADS:
        options->threads = (int)option_whole(state, "threads", argument, 1, POOL_THREADS_MAX);
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

static error_t read_recorded(int key, char *argument, struct argp_state *state)
{
    struct play_options *options = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = options;
        return 0;
    case KEY_RECORDS:
        options->records = argument;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp play_options_argp = {known, read_option, NULL, NULL, NULL, NULL, NULL};

static const struct argp_child recorded_children[] = {{&play_options_argp, 0, NULL, 0}, {0}};

const struct argp recorded_options_argp = {recorded,          read_recorded, NULL, NULL,
                                           recorded_children, NULL,          NULL};

struct play_options play_options_default(void)
{
    return (struct play_options){
        .setting = {.rules = &profile_at(0)->rules, .ice = profile_at(0)->ice, .ends = 2},
        .pairs = 100,
        .threads = option_processors(POOL_THREADS_MAX),
    };
}

struct series play_options_series(const struct play_options *options, const struct player *players,
                                  int count)
{
    return (struct series){
        .setting = options->setting,
        .players = players,
        .player_count = count,
        .pairs = options->pairs,
        .threads = options->threads,
        .records = options->records,
        .cancel = &command_cancel,
    };
}
