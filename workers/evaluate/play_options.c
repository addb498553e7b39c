/* The shared options of rink-evaluate, and the series they describe. */
#include "workers/evaluate/play_options.h"

#include "models/tables/profiles.h"
#include "workers/pool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void read_profile(struct argp_state *state, const char *name, void *field)
{
    struct pair_setting *setting = field;
    const struct profile *profile = profile_find(name);
    char list[PROFILE_LIST_MAX];

    if (!profile) {
        argp_error(state, "--profile must be one of %s, not '%s'", profile_list(false, list), name);
    } else {
        setting->rules = &profile->rules;
        setting->ice = profile->ice;
    }
}

static void read_noise(struct argp_state *state, const char *text, void *field)
{
    struct play_options *options = field;

    options->noise_kind = option_noise(state, text);
    options->has_noise = true;
}

static void read_luck_by(struct argp_state *state, const char *text, void *field)
{
    const int k = job_value_find(job_luck_by, text);

    if (k >= 0)
        *(enum job_luck_by *)field = (enum job_luck_by)k;
    else
        argp_error(state, "--luck-by must be %s or %s, not '%s'", job_luck_by[JOB_LUCK_BY_HAMMER],
                   job_luck_by[JOB_LUCK_BY_SEAT], text);
}

void play_options_read_player(struct argp_state *state, const char *text, void *ret_player)
{
    char error[1024];

    if (!player_read(text, ret_player, sizeof error, error))
        argp_error(state, "%s", error);
}

void play_options_read_turns(struct argp_state *state, const char *text, void *ret_player)
{
    char error[1024];

    if (!player_read_turns(text, ret_player, sizeof error, error))
        argp_error(state, "%s", error);
}

#define AT(field) offsetof(struct play_options, field)

const struct option_row play_option_rows[] = {
    {"profile", 'p', "NAME", OPTION_READ, AT(series.setting), .read = read_profile, .group = 1,
     .about = "rules and ice: {profiles} (default: the first one)"},
    {"noise", 'n', "KIND", OPTION_READ, 0, .read = read_noise, .group = 1,
     .about = "error of the hands: {noises} (default: the ice's own)"},
    {"simulations", 's', "N", OPTION_INT64, AT(series.setting.limits.simulations), .least = 1,
     .most = PLAYER_SIMULATIONS_MAX, .group = 2, .about = "limit of each move: simulated throws"},
    {"time-ms", 't', "T", OPTION_NUMBER, AT(series.setting.limits.time_s), .least_number = 0.001,
     .most_number = PLAYER_TIME_MAX_MS, .unit = 0.001, .group = 2,
     .about = "limit of each move: milliseconds"},
    {"seed", 'S', "NUMBER", OPTION_UINT64, AT(series.setting.seed), .most = UINT64_MAX, .group = 3,
     .about = "seed of the random numbers (default {default})"},
    {"threads", 'j', "N", OPTION_INT, AT(series.threads), .least = 1, .most = POOL_THREADS_MAX,
     .group = 3, .about = "games side by side (default: one for each processor)"},
    {"json", 'J', NULL, OPTION_FLAG, AT(json), .group = 3, .about = "write the result as JSON"},
    {0},
};

/* Ranges, defaults and help come from the fields of a job. */
const struct option_row play_length_rows[] = {
    {"ends", 'e', "N", OPTION_INT, AT(series.setting.ends), .group = 1},
    {"extra-ends", 'x', "N", OPTION_INT, AT(series.setting.extra_ends), .group = 1},
    {"pairs", 'P', "N", OPTION_INT64, AT(series.pairs), .group = 1},
    {0},
};

const struct option_row play_record_rows[] = {
    {"records", 'r', "FILE", OPTION_TEXT, AT(series.records), .group = 3,
     .about = "write every shot to FILE as JSON Lines; continue it if it is there"},
    {"luck", 'l', "N", OPTION_INT, AT(series.setting.luck.throws), .group = 1},
    {"luck-by", 0, "WHAT", OPTION_READ, AT(series.setting.luck_by), .read = read_luck_by,
     .group = 1,
     .about = "luck that both games of a pair share: by hammer (the default), or by seat, as in "
              "records of earlier versions"},
    {0},
};

void play_options_finish(struct argp_state *state, void *target)
{
    struct play_options *options = target;
    struct pair_setting *setting = &options->series.setting;
    const struct ice_profile *ice = setting->ice;

    setting->noise = noise_default(ice, options->has_noise ? options->noise_kind : ice->noise);
    setting->luck = luck_setting_of(setting->rules, setting->luck.throws);
    const char *wrong = pair_setting_check(setting);
    if (wrong)
        argp_error(state, "--profile %s: %s", setting->rules->name, wrong);
}

bool is_same_player(const struct player *a, const struct player *b)
{
    char name_a[PLAYER_SPEC_MAX], name_b[PLAYER_SPEC_MAX];

    player_write(a, sizeof name_a, name_a);
    player_write(b, sizeof name_b, name_b);
    return strcmp(name_a, name_b) == 0;
}

struct play_options play_options_default(void)
{
    return (struct play_options){
        .series = {.setting = {.rules = &profile_at(0)->rules,
                               .ice = profile_at(0)->ice,
                               .ends = 1},
                   .pairs = 1,
                   .threads = option_processors(POOL_THREADS_MAX)},
        .test = {.sprt = sprt_between(JOB_SPRT_ELO0, JOB_SPRT_ELO1)},
    };
}
