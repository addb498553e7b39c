/* Command-line options that all ways of playing share: ice, noise, length, limits, seed, threads,
 * output. To be the child of a command's own argp. */
#ifndef RINKD_WORKERS_EVALUATE_PLAY_OPTIONS_H
#define RINKD_WORKERS_EVALUATE_PLAY_OPTIONS_H

#include "workers/evaluate/play/pair.h"
#include "workers/evaluate/play/series.h"
#include "workers/option_values.h"

#include <argp.h>

struct play_options {
    struct pair_setting setting;
    int64_t pairs;
    int threads;
    const char *records; /* NULL: none. Points into argv. */
    bool json;

    enum ice_noise noise_kind; /* while reading; setting.noise follows from it at the end */
    bool has_noise;
};

/* Values before any option was read: dc2, 2 ends without extra ones, 100 pairs, a thread for each
 * processor. */
struct play_options play_options_default(void);

/* Reads the shared options into the struct play_options that is its input. Mistakes end the program
 * with a message and exit status 1. */
extern const struct argp play_options_argp;

/* The same and --records, for commands that keep them. */
extern const struct argp recorded_options_argp;

/* The series that the options ask for between these players, which it borrows; stopped by the
 * program's cancel flag. `finished` and its context are the caller's to set. */
struct series play_options_series(const struct play_options *options, const struct player *players,
                                  int count);

/* Whether two players are written the same. */
bool is_same_player(const struct player *a, const struct player *b);

/* For the commands' own options: a player; rules and ice of a profile into the setting. Mistakes
 * end the program likewise. */
struct player read_player_option(struct argp_state *state, const char *text);
void read_profile_option(struct argp_state *state, struct pair_setting *setting, const char *name);

#endif
