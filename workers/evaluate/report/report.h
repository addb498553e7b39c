/* Results as JSON and as text for people, by the columns of api/jobs/job_kinds.h. */
#ifndef RINKD_WORKERS_EVALUATE_REPORT_REPORT_H
#define RINKD_WORKERS_EVALUATE_REPORT_REPORT_H

#include "workers/evaluate/exploit/exploitability_task.h"
#include "workers/evaluate/play/match.h"
#include "workers/evaluate/play/series.h"
#include "workers/evaluate/play/tournament.h"
#include "workers/evaluate/regret/regret.h"

#include <jansson.h>
#include <stdio.h>

enum { REPORT_NAME_MAX = PLAYER_SPEC_MAX + 64 };

/* Writes and returns the name of a player in results: its spec and, for a player that searches, the
 * limits of a move: "rink @ 5000 simulations", "rink @ 50 ms". On a ladder the same player under
 * other limits is another one. */
const char *report_player_name(const struct player *player, const struct player_limits *limits,
                               char ret_name[REPORT_NAME_MAX]);

/* Return objects that the caller owns; NULL: out of memory. `test` NULL: none was requested. */
json_t *report_match_json(const struct series *series, const struct match_summary *match,
                          const struct match_test *test, bool interrupted);
/* {"elo0","elo1","values","alpha","beta","log_likelihood_ratio","bounds","decision","reading"}: a
 * test by the pairs so far, of which there are at most `pairs_most`; "reading" says in words what
 * it has found and why it stopped. */
json_t *report_sprt_json(const struct match_test *test, const int64_t half_points[PENTANOMIAL],
                         const struct adjusted_sums *adjusted, int64_t pairs_most);
json_t *report_tournament_json(const struct series *series, const struct tournament *tournament,
                               bool interrupted);

/* {"player","profile","seed","ends","selection_ends","local","sente","gote","nash_conv","reading",
 * "best","columns","noise","time_ms","simulations"} and, for a learned policy, "policies": the same
 * for each choice of its actions. "reading" says what the numbers are in words. The limits are
 * those of each PLAYER, also in "best" and "columns", which name responders as the task does. */
json_t *report_exploitability_json(const struct exploitability_task *task,
                                   const struct exploitability *results);
/* {"player","referee","positions","left_out","seeds","seed","positions_sha256","reading",
 * "referee_error_percent","groups","lost_percent_of_each"}: the regret at the first `count`
 * positions, of groups and of each. */
json_t *report_regret_json(const struct regret_setting *setting,
                           const struct situations *situations, const struct regret *regrets,
                           int count);

/* Writes a report to standard output, for people or as a line of JSON, and frees it; NULL means
 * that memory was short. Returns the exit status of the command: EXIT_INTERRUPTED if the report
 * says so. `kind`: the job with the same result (api/jobs/job_kinds.h). */
int report_show(const char *command, const char *kind, json_t *report, bool as_json);
/* Writes a line on the conditions of play, from the members of a report, and an empty line. */
void report_conditions_text(FILE *out, const json_t *report);

/* --- parts of reports; NULL: out of memory --- */

/* Adds the members of `more`, also those inside objects, to a report and returns it. Steals both;
 * each may be NULL. */
json_t *report_join(json_t *report, json_t *more);
/* {"noise", "time_ms", "simulations"}: null without a limit. */
json_t *report_conditions(const struct pair_setting *setting);
/* Describes the games of a series, of which `pairs` pairs were played. */
json_t *report_head_json(const char *kind, const struct series *series, int64_t pairs,
                         bool interrupted);
/* The average cost of a player's moves. */
json_t *report_effort_json(const struct pair_effort *effort);
json_t *report_games_json(const struct match_games *games);
json_t *report_interval_percent(struct interval interval);
/* {"throws","win_percent","interval_percent",…}: results without luck and, in points of an end,
 * beside those as played. The luck of a pair at least was measured. */
json_t *report_luck_json(const struct adjusted_sums *sums, int throws);
/* The number, or null if it is not finite. */
json_t *report_number(double number);

#endif
