/* Adding up pairs. */
#include "workers/evaluate/match.h"

#include <math.h>

static void add_game(struct match_summary *summary, const struct pair_game *game, int index,
                     int ends)
{
    for (int player = 0; player < 2; player++) {
        int half_points = player ? 2 - game->half_points : game->half_points;
        struct match_games *games = &summary->games[player][pair_first_hammer(index) == player];
        games->wins += half_points == 2;
        games->draws += half_points == 1;
        games->losses += half_points == 0;
    }
    summary->conceded += game->conceded;
    summary->with_extra_ends += pair_game_went_on(game, ends);
    for (int e = 0; e < game->ends; e++) {
        int score = game->end[e].score;
        bool hammer = game->end[e].hammer;
        summary->end_scores[0][hammer][MATCH_SCORE_ZERO + score]++;
        summary->end_scores[1][!hammer][MATCH_SCORE_ZERO - score]++;
    }
}

void match_summarise(const struct pair_result *results, int64_t count, int ends, uint64_t seed,
                     struct match_summary *ret_summary)
{
    struct match_summary summary = {.pairs = count};

    for (int64_t k = 0; k < count; k++) {
        summary.half_points[pair_half_points(&results[k])]++;
        for (int j = 0; j < 2; j++) {
            add_game(&summary, &results[k].game[j], j, ends);
            pair_effort_add(&summary.effort[j], &results[k].effort[j]);
        }
    }
    summary.score = pentanomial_mean(summary.half_points);
    summary.pentanomial = pentanomial_interval(summary.half_points, MATCH_CONFIDENCE);
    summary.bootstrap = bootstrap_interval(summary.half_points, MATCH_CONFIDENCE, seed);
    summary.pair_score = pair_score_of(results, count, MATCH_CONFIDENCE, seed);
    *ret_summary = summary;
}

int64_t match_ends(const int64_t end_scores[MATCH_SCORES])
{
    int64_t ends = 0;
    for (int k = 0; k < MATCH_SCORES; k++)
        ends += end_scores[k];
    return ends;
}

double match_points(const int64_t end_scores[MATCH_SCORES])
{
    double sum = 0.0;
    for (int k = 0; k < MATCH_SCORES; k++)
        sum += (k - MATCH_SCORE_ZERO) * (double)end_scores[k];
    return sum / (double)match_ends(end_scores);
}

double match_points_error(const int64_t end_scores[MATCH_SCORES])
{
    double mean = match_points(end_scores), ends = (double)match_ends(end_scores), sum = 0.0;
    for (int k = 0; k < MATCH_SCORES; k++) {
        double distance = k - MATCH_SCORE_ZERO - mean;
        sum += distance * distance * (double)end_scores[k];
    }
    return ends > 1.0 ? sqrt(sum / (ends - 1.0) / ends) : (double)NAN;
}
