/* Command-line options shared by the commands of rink-evaluate. */
#ifndef RINKD_WORKERS_EVALUATE_PLAY_OPTIONS_H
#define RINKD_WORKERS_EVALUATE_PLAY_OPTIONS_H

#include "api/job_kinds.h"
#include "workers/evaluate/play/pair.h"
#include "workers/evaluate/play/series.h"
#include "workers/evaluate/report/report.h"
#include "workers/options.h"

struct play_options {
    struct series series; /* play_run() sets its players, cancel, finished and context */
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

/* Reads the player of an option. The class of an option that was not given stays NULL. */
void play_options_read_player(struct argp_state *state, const char *text, void *ret_player);

/* A running series. */
struct play {
    const struct play_options *options;
    const char *kind; /* "match" or "tournament" */
    atomic_bool *cancel;
    /* Called like series.finished. */
    void (*progress)(const struct play *play, int64_t done, bool resumed);
    void *context;
    int64_t half_points[PENTANOMIAL]; /* pairs so far, by half points of the first player */
    struct adjusted_sums adjusted;    /* the same pairs, if luck is measured */
};

/* Plays the series of the options, or continues it, until it is complete or the test of a match has
 * decided. The caller owns *ret_report. On SERIES_FAILED, and if *ret_report is NULL, ret_error
 * says why. */
enum series_status play_run(struct play *play, json_t **ret_report, size_t size, char *ret_error);

/* True if two players have the same spec. */
bool is_same_player(const struct player *a, const struct player *b);

#endif
