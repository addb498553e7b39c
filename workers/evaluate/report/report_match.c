/* The result of a match. */
#include "workers/evaluate/report/report.h"

#include "api/base/build_json.h"

#include <stdio.h>
#include <string.h>

static const char *const decisions[] = {[SPRT_OPEN] = "open", [SPRT_H0] = "h0", [SPRT_H1] = "h1"};

static json_t *seat_json(const struct match_seat *seat)
{
    json_t *scores = json_array();

    for (int k = 0; k < MATCH_SCORES; k++)
        json_array_append_new(scores, json_integer(seat->scores[k]));
    return json_pack("{s:I, s:o, s:o, s:o}", "ends", (json_int_t)match_ends(seat), "points_per_end",
                     report_number(match_points(seat)), "standard_error",
                     report_number(match_points_error(seat)), "scores", scores);
}

static struct match_games all_games(const struct match_summary *match, int player)
{
    const struct match_games *second = &match->games[player][0], *first = &match->games[player][1];
    return (struct match_games){first->wins + second->wins, first->draws + second->draws,
                                first->losses + second->losses};
}

static json_t *player_json(const struct match_summary *match, int player)
{
    struct match_games games = all_games(match, player);

    return json_pack("{s:o, s:o, s:o, s:{s:o, s:o}, s:o}", "games", report_games_json(&games),
                     "with_first_hammer", report_games_json(&match->games[player][1]),
                     "without_first_hammer", report_games_json(&match->games[player][0]), "ends",
                     "sente", seat_json(&match->seats[player][0]), "gote",
                     seat_json(&match->seats[player][1]), "effort",
                     report_effort_json(&match->effort[player]));
}

static json_t *pair_score_json(const struct pair_score *score)
{
    return json_pack("{s:I, s:I, s:I, s:o, s:o, s:o, s:o}", "wins", (json_int_t)score->wins,
                     "draws", (json_int_t)score->draws, "losses", (json_int_t)score->losses,
                     "percent", report_number(100.0 * score->share), "interval_percent",
                     report_interval_percent(score->interval), "bootstrap_percent",
                     report_interval_percent(score->bootstrap), "percent_of_decided",
                     report_number(100.0 * score->share_of_decided));
}

/* Says in a sentence what a test has found and why it stopped, if it has. */
static void sprt_words(const struct sprt *sprt, enum sprt_decision decision, double ratio,
                       int64_t pairs, int64_t pairs_most, size_t size, char *ret_words)
{
    struct interval bounds = sprt_bounds(sprt);

    if (decision != SPRT_OPEN)
        snprintf(ret_words, size,
                 "%s: after %lld pairs the log-likelihood ratio %.2f passed its %s bound %.2f, so "
                 "the difference is rather %g than %g Elo",
                 decision == SPRT_H1 ? "a is better" : "a is not better", (long long)pairs, ratio,
                 decision == SPRT_H1 ? "upper" : "lower",
                 decision == SPRT_H1 ? bounds.high : bounds.low,
                 decision == SPRT_H1 ? sprt->elo1 : sprt->elo0,
                 decision == SPRT_H1 ? sprt->elo0 : sprt->elo1);
    else
        snprintf(
            ret_words, size,
            "%s: after %lld of at most %lld pairs the log-likelihood ratio %.2f is between its "
            "bounds %.2f and %.2f",
            pairs < pairs_most ? "not decided yet" : "no decision, all pairs were played",
            (long long)pairs, (long long)pairs_most, ratio, bounds.low, bounds.high);
}

json_t *report_sprt_json(const struct match_test *test, const int64_t half_points[PENTANOMIAL],
                         const struct adjusted_sums *adjusted, int64_t pairs_most)
{
    const struct sprt *sprt = &test->sprt;
    struct interval bounds = sprt_bounds(sprt);
    double ratio = match_test_ratio(test, half_points, adjusted);
    enum sprt_decision decision = sprt_decision_at(sprt, ratio);
    int64_t pairs = 0;
    char words[256];

    for (int k = 0; k < PENTANOMIAL; k++)
        pairs += half_points[k];
    sprt_words(sprt, decision, ratio, pairs, pairs_most, sizeof words, words);
    return json_pack("{s:f, s:f, s:s, s:f, s:f, s:f, s:[f, f], s:s, s:s}", "elo0", sprt->elo0,
                     "elo1", sprt->elo1, "values", job_sprt_values[test->values], "alpha",
                     sprt->alpha, "beta", sprt->beta, "log_likelihood_ratio", ratio, "bounds",
                     bounds.low, bounds.high, "decision", decisions[decision], "reading", words);
}

json_t *report_match_json(const struct series *series, const struct match_summary *match,
                          const struct match_test *test, bool interrupted)
{
    const struct player_limits *limits = &series->setting.limits;
    char names[2][REPORT_NAME_MAX];
    struct result_match kept = {.a = report_player_name(&series->players[0], limits, names[0]),
                                .b = report_player_name(&series->players[1], limits, names[1])};

    memcpy(kept.pentanomial, match->half_points, sizeof kept.pentanomial);
    json_t *root = report_join(report_head_json("match", series, match->pairs, interrupted),
                               result_write(result_match_members, &kept));
    json_t *result = json_pack(
        "{s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:[o, o], s:o, s:o, s:o}", "games",
        (json_int_t)(2 * match->pairs), "conceded", (json_int_t)match->conceded,
        "games_with_extra_ends", (json_int_t)match->with_extra_ends, "win_percent",
        report_number(100.0 * match->score), "interval_percent",
        report_interval_percent(match->pentanomial), "bootstrap_percent",
        report_interval_percent(match->bootstrap), "elo", report_number(elo_of_score(match->score)),
        "elo_interval", report_number(elo_of_score(match->pentanomial.low)),
        report_number(elo_of_score(match->pentanomial.high)), "pair_score",
        pair_score_json(&match->pair_score), "a", player_json(match, 0), "b",
        player_json(match, 1));
    bool good = result != NULL;
    if (match->adjusted.score[WITHOUT_LUCK].count > 0)
        good = build_add(result, "luck",
                         report_luck_json(&match->adjusted, series->setting.luck.throws));
    if (test)
        good = build_add(
                   result, "sprt",
                   report_sprt_json(test, match->half_points, &match->adjusted, series->pairs)) &&
               good;
    return report_join(root, build_done(result, good));
}
