/* The results as people and programs read them. */
#ifndef RINKD_WORKERS_EVALUATE_REPORT_REPORT_H
#define RINKD_WORKERS_EVALUATE_REPORT_REPORT_H

#include "workers/evaluate/exploit/exploitability_task.h"
#include "workers/evaluate/play/match.h"
#include "workers/evaluate/play/series.h"
#include "workers/evaluate/play/tournament.h"

#include <jansson.h>
#include <stdio.h>

enum { REPORT_NAME_MAX = PLAYER_SPEC_MAX + 64 };

/* What results call a player: its spec and, if it is one that they hold back, the limits of a move:
 * "rink @ 5000 simulations", "rink @ 50 ms". The same player under other limits is another one on a
 * ladder. REPORT_NAME_MAX bytes are enough. */
void report_player_name(const struct player *player, const struct player_limits *limits,
                        size_t size, char *ret_name);

/* What was played, for both kinds of report. */
struct report_head {
    const struct pair_setting *setting;
    int64_t pairs; /* wanted of each pairing */
    const struct player *players;
    int player_count;
    bool interrupted;
};

/* The objects are the caller's; NULL: out of memory. `sprt` is NULL where no test was wanted. */
json_t *report_match_json(const struct report_head *head, const struct match_summary *match,
                          const struct sprt *sprt);
json_t *report_tournament_json(const struct report_head *head, const struct tournament *tournament);

/* {"player","profile","seed","ends","selection_ends","local","sente","gote","nash_conv","best",
 * "columns","noise","time_ms","simulations"}. The limits are those of each PLAYER, also in "best"
 * and "columns", which name responders as the task does. */
json_t *report_exploitability_json(const struct exploitability_task *task,
                                   const struct exploitability *result);
void report_exploitability_text(FILE *out, const struct exploitability_task *task,
                                const struct exploitability *result);

void report_match_text(FILE *out, const struct report_head *head, const struct match_summary *match,
                       const struct sprt *sprt);
void report_tournament_text(FILE *out, const struct report_head *head,
                            const struct tournament *tournament);

/* Writes the object as a line of standard output and gives it up. False where it is NULL or could
 * not be written. */
bool report_print(json_t *report);

/* "open", "h0" or "h1". */
const char *report_decision_name(enum sprt_decision decision);

/* Adds "noise", "time_ms" and "simulations", the limits null where there are none, to a report and
 * returns it; NULL, and the report given up, where memory is short. The report may be NULL. */
json_t *report_add_conditions(json_t *report, const struct pair_setting *setting);
/* The end of a line that says what was played: the limits of a move, if there are any, and a
 * newline. */
void report_limits_text(FILE *out, const struct player_limits *limits);

/* What both files of reports use: the fields that say what was played, and what a player's moves
 * cost on average. */
json_t *report_head_json(const char *kind, const struct report_head *head, int64_t pairs);
void report_head_text(FILE *out, const struct report_head *head);
/* How many games went to extra ends, where there may have been some. */
void report_extra_text(FILE *out, const struct report_head *head, int64_t games);
json_t *report_effort_json(const struct pair_effort *effort);
json_t *report_games_json(const struct match_games *games);
/* A number, or a text where it does not fit an integer of JSON, which has 63 bits here. */
json_t *report_seed(uint64_t seed);
/* null where the number is not finite: JSON has no others. */
json_t *report_number(double number);
/* Mean per move; 0 without moves. */
double report_per_move(double sum, const struct pair_effort *effort);

#endif
