/* Command-line options shared by the commands of rink-evaluate. */
#ifndef RINKD_WORKERS_EVALUATE_PLAY_OPTIONS_H
#define RINKD_WORKERS_EVALUATE_PLAY_OPTIONS_H

#include "api/jobs/job_kinds.h"
#include "workers/evaluate/play/pair.h"
#include "workers/evaluate/play/series.h"
#include "workers/evaluate/report/report.h"
#include "workers/options.h"

struct play_options {
    struct series series; /* play_series() sets its players, cancel, finished and context */
    bool json;
    enum ice_noise noise_kind; /* of --noise */
    bool has_noise;

    struct player players[SERIES_PLAYERS_MAX];
    int anchor;              /* of a tournament: the player whose Elo is 0 */
    const char *anchor_text; /* NULL: the first */
    bool has_sprt;
    struct match_test test; /* of a match */
};

/* Returns the defaults: dc2, one end, one pair, a thread for each processor. play_length_rows bring
 * their own defaults. */
struct play_options play_options_default(void);

/* Rows of a struct play_options: how to play (ice, noise, limits, seed, threads, output), how much
 * (ends, pairs; with the fields of a match), and the file of records. */
extern const struct option_row play_option_rows[], play_length_rows[], play_record_rows[];

/* The finish function of play_option_rows: completes the noise and refuses rules that cannot be
 * played. */
void play_options_finish(struct argp_state *state, void *options);

/* Reads the player of an option, or players that take turns. */
void play_options_read_turns(struct argp_state *state, const char *text, void *ret_player);

/* Reads the player of an option. The class of an option that was not given stays NULL. */
void play_options_read_player(struct argp_state *state, const char *text, void *ret_player);

/* True if two players have the same spec. */
bool is_same_player(const struct player *a, const struct player *b);

#endif
