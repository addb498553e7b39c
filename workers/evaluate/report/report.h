/* Results as text and JSON. */
#ifndef RINKD_WORKERS_EVALUATE_REPORT_REPORT_H
#define RINKD_WORKERS_EVALUATE_REPORT_REPORT_H

#include "workers/evaluate/exploit/exploitability_task.h"
#include "workers/evaluate/play/match.h"
#include "workers/evaluate/play/series.h"
#include "workers/evaluate/play/tournament.h"

#include <jansson.h>
#include <stdio.h>

enum { REPORT_NAME_MAX = PLAYER_SPEC_MAX + 64 };

/* The name of a player in results: its spec and, for a player that searches, the limits of a move:
 * "rink @ 5000 simulations", "rink @ 50 ms". The same player under other limits is another one on a
 * ladder. REPORT_NAME_MAX bytes are enough. */
void report_player_name(const struct player *player, const struct player_limits *limits,
                        size_t size, char *ret_name);

/* What was played. */
struct report_head {
    const struct pair_setting *setting;
    int64_t pairs; /* wanted of each pairing */
    const struct player *players;
    int player_count;
    bool interrupted;
};

/* The caller owns the objects; NULL: out of memory. `sprt` NULL: no test was asked for. */
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

/* Writes the object as a line to standard output and frees it. False if it is NULL or cannot be
 * written. */
bool report_print(json_t *report);

/* "open", "h0" or "h1". */
const char *report_decision_name(enum sprt_decision decision);

/* Adds "noise", "time_ms" and "simulations" (null without a limit) to a report and returns it;
 * NULL, and the report freed, when memory is short. The report may be NULL. */
json_t *report_add_conditions(json_t *report, const struct pair_setting *setting);
/* Ends a line on what was played: the limits of a move, if any, and a newline. */
void report_limits_text(FILE *out, const struct player_limits *limits);

/* Shared by the files of reports: what was played, and what a player's moves cost on average. */
json_t *report_head_json(const char *kind, const struct report_head *head, int64_t pairs);
void report_head_text(FILE *out, const struct report_head *head);
/* How many games went to extra ends, if the setting allows some. */
void report_extra_text(FILE *out, const struct report_head *head, int64_t games);
json_t *report_effort_json(const struct pair_effort *effort);
json_t *report_games_json(const struct match_games *games);
/* A number, or a text if it does not fit 63 bits, the integers of JSON here. */
json_t *report_seed(uint64_t seed);
/* null for a number that is not finite. */
json_t *report_number(double number);
/* Mean per move; 0 without moves. */
double report_per_move(double sum, const struct pair_effort *effort);

#endif
