/* Command-line options that the commands of rink-evaluate share. */
#ifndef RINKD_WORKERS_EVALUATE_PLAY_OPTIONS_H
#define RINKD_WORKERS_EVALUATE_PLAY_OPTIONS_H

#include "workers/evaluate/play/pair.h"
#include "workers/evaluate/play/series.h"
#include "workers/evaluate/report/report.h"
#include "workers/options.h"

struct play_options {
    struct pair_setting setting;
    int64_t pairs;
    int threads;
    const char *records; /* NULL: none */
    bool json;
    enum ice_noise noise_kind; /* of --noise */
    bool has_noise;
};

/* dc2, one end, one pair, a thread for each processor; play_length_rows bring defaults of their
 * own.
 */
struct play_options play_options_default(void);

/* Rows of a struct play_options: how to play (ice, noise, limits, seed, threads, output), how much
 * (ends, pairs; with the fields of a match), and the file of records. */
extern const struct option_row play_option_rows[], play_length_rows[], play_record_rows[];

/* Completes the noise and refuses rules that cannot be played: for the first of these tables. */
void play_options_finish(struct argp_state *state, void *options);

/* A player of an option; one that was not given has the class NULL. */
void play_options_read_player(struct argp_state *state, const char *text, void *ret_player);

/* The series that the options ask for between these players, which it borrows; the program's cancel
 * flag stops it. The caller sets `finished` and its context. */
struct series play_options_series(const struct play_options *options, const struct player *players,
                                  int count);

/* The head of a report on what the options ask for. The options are borrowed. */
struct report_head play_options_head(const struct play_options *options,
                                     const struct player *players, int count, bool interrupted);

/* Whether two players are written the same. */
bool is_same_player(const struct player *a, const struct player *b);

#endif
