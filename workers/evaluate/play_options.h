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

    struct player players[SERIES_PLAYERS_MAX];
    int player_count;
    int anchor; /* of a tournament: the player whose Elo is 0 */
    bool has_sprt;
    struct sprt sprt; /* of a match */
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

/* A series in play. */
struct play {
    const struct play_options *options;
    const char *kind; /* "match" or "tournament" */
    atomic_bool *cancel;
    /* Called as series.finished is. */
    void (*progress)(const struct play *play, int64_t done, bool resumed);
    void *context;
    int64_t half_points[PENTANOMIAL]; /* pairs so far, by half points of the first player */
};

/* Plays the series of the options, or continues it, until the test of a match has decided. Unless
 * that fails *ret_report is the report, of the caller; NULL there, or SERIES_FAILED: ret_error says
 * why. */
enum series_status play_run(struct play *play, json_t **ret_report, size_t size, char *ret_error);

/* The commands "match" and "tournament" behind their options: plays with a bar, shows the report
 * and returns the exit status. */
int play_command(const char *command, const char *kind, const struct play_options *options);

/* Whether two players are written the same. */
bool is_same_player(const struct player *a, const struct player *b);

#endif
