/* The result of a tournament. */
#include "workers/evaluate/report/report.h"

#include "api/base/build_json.h"

#include <math.h>
#include <string.h>

static int64_t pairs_of(const struct tournament *tournament)
{
    int64_t pairs = 0;
    for (int i = 0; i < tournament->players; i++)
        for (int j = i + 1; j < tournament->players; j++)
            pairs += pentanomial_pairs(tournament->half_points[i][j]);
    return pairs;
}

static double score_of(const struct match_games *games)
{
    double all = (double)(games->wins + games->draws + games->losses);
    return ((double)games->wins + 0.5 * (double)games->draws) / all;
}

static json_t *place_json(const struct series *series, const struct tournament *tournament,
                          int player)
{
    const struct elo_ratings *ratings = &tournament->ratings;
    double elo = ratings->rating[player], half = STATISTICS_Z_95 * elo_error(ratings, player);
    char name[REPORT_NAME_MAX];
    const struct result_place kept = {
        player, report_player_name(&series->players[player], &series->setting.limits, name)};

    return report_join(result_write(result_place_members, &kept),
                       json_pack("{s:f, s:[f, f], s:f, s:o, s:o, s:o}", "elo", elo, "interval",
                                 elo - half, elo + half, "standard_error",
                                 elo_error(ratings, player), "win_percent",
                                 report_number(100.0 * score_of(&tournament->games[player])),
                                 "games", report_games_json(&tournament->games[player]), "effort",
                                 report_effort_json(&tournament->effort[player])));
}

static json_t *pairing_json(const struct series *series, const struct tournament *tournament, int i,
                            int j)
{
    const struct adjusted_sums *adjusted = &tournament->adjusted[i][j];
    const int64_t *count = tournament->half_points[i][j];
    struct interval interval = pentanomial_interval(count, MATCH_CONFIDENCE);
    double residual = (double)NAN, deviations = (double)NAN;
    struct result_pairing kept = {.players = {i, j}};

    memcpy(kept.pentanomial, count, sizeof kept.pentanomial);
    elo_residual(&tournament->counts, &tournament->ratings, i, j, &residual, &deviations);
    json_t *rest = json_pack(
        "{s:I, s:o, s:[f, f], s:o, s:o}", "pairs", (json_int_t)pentanomial_pairs(count),
        "win_percent", report_number(100.0 * pentanomial_mean(count)), "interval_percent",
        100.0 * interval.low, 100.0 * interval.high, "residual_percent",
        report_number(100.0 * residual), "residual_deviations", report_number(deviations));
    if (adjusted->score[WITHOUT_LUCK].count > 0)
        rest = build_done(
            rest, build_add(rest, "luck", report_luck_json(adjusted, series->setting.luck.throws)));
    return report_join(result_write(result_pairing_members, &kept), rest);
}

static json_t *covariance_json(const struct elo_ratings *ratings)
{
    json_t *rows = json_array();

    for (int i = 0; i <= ratings->players; i++) {
        json_t *row = json_array();
        for (int j = 0; j <= ratings->players; j++)
            json_array_append_new(row, json_real(ratings->covariance[i][j]));
        json_array_append_new(rows, row);
    }
    return rows;
}

/* Returns the player whose rating differs most between the two models. */
static int most_shifted(const struct tournament *tournament)
{
    int most = 0;

    for (int i = 1; i < tournament->players; i++)
        if (fabs(tournament_davidson_shift(tournament, i)) >
            fabs(tournament_davidson_shift(tournament, most)))
            most = i;
    return most;
}

static json_t *davidson_json(const struct series *series, const struct tournament *tournament)
{
    const struct elo_davidson *davidson = &tournament->davidson;
    int most = most_shifted(tournament);
    char name[REPORT_NAME_MAX];
    json_t *elo = json_array(), *swapped = json_array();

    for (int i = 0; i < tournament->players; i++)
        json_array_append_new(elo, json_real(davidson->rating[i]));
    for (int k = 0; k + 1 < tournament->players; k++)
        if (tournament_davidson_swaps(tournament, k))
            json_array_append_new(
                swapped, json_pack("[i, i]", tournament->ladder[k], tournament->ladder[k + 1]));
    report_player_name(&series->players[most], &series->setting.limits, name);
    return json_pack("{s:f, s:f, s:o, s:{s:i, s:s, s:f}, s:o}", "nu", davidson->nu, "first_hammer",
                     davidson->hammer, "elo", elo, "largest_difference", "number", most, "player",
                     name, "elo", tournament_davidson_shift(tournament, most), "swapped", swapped);
}

json_t *report_tournament_json(const struct series *series, const struct tournament *tournament,
                               bool interrupted)
{
    const struct elo_ratings *ratings = &tournament->ratings;
    double half = STATISTICS_Z_95 * elo_error(ratings, ratings->players);
    json_t *root = report_head_json("tournament", series, pairs_of(tournament), interrupted);
    json_t *ladder = json_array(), *pairings = json_array();

    for (int k = 0; k < tournament->players; k++)
        json_array_append_new(ladder, place_json(series, tournament, tournament->ladder[k]));
    for (int i = 0; i < tournament->players; i++)
        for (int j = i + 1; j < tournament->players; j++)
            json_array_append_new(pairings, pairing_json(series, tournament, i, j));
    json_t *result = json_pack(
        "{s:I, s:i, s:o, s:{s:f, s:[f, f]}, s:o, s:o, s:o}", "games_with_extra_ends",
        (json_int_t)tournament->with_extra_ends, "anchor", ratings->anchor, "ladder", ladder,
        "first_hammer", "elo", ratings->hammer, "interval", ratings->hammer - half,
        ratings->hammer + half, "pairings", pairings, "covariance", covariance_json(ratings),
        "davidson", davidson_json(series, tournament));
    return report_join(root, result);
}
