/* Sums up points over both games of a pair. */
#include "workers/evaluate/play/pair_score.h"

static int game_points(const struct pair_game *game)
{
    int points = 0;

    for (int e = 0; e < game->ends; e++)
        points += game->end[e].score;
    if (game->conceded && game->half_points == 0 && points >= 0)
        return -1;
    if (game->conceded && game->half_points == 2 && points <= 0)
        return 1;
    return points;
}

int pair_points(const struct pair_result *result)
{
    return game_points(&result->game[0]) + game_points(&result->game[1]);
}

struct pair_score pair_score_of(const struct pair_result *results, int64_t count, double confidence,
                                uint64_t seed)
{
    /* The bins of 2, 1 and 0 points hold the pairs that were won, drawn and lost as a whole. */
    enum { LOST = 0, DRAWN = PENTANOMIAL / 2, WON = PENTANOMIAL - 1 };
    int64_t bins[PENTANOMIAL] = {0};

    for (int64_t k = 0; k < count; k++) {
        int points = pair_points(&results[k]);
        bins[points > 0 ? WON : points < 0 ? LOST : DRAWN]++;
    }
    return (struct pair_score){
        .wins = bins[WON],
        .draws = bins[DRAWN],
        .losses = bins[LOST],
        .share = pentanomial_mean(bins),
        .interval = pentanomial_interval(bins, confidence),
        .bootstrap = bootstrap_interval(bins, confidence, seed),
        .share_of_decided = (double)bins[WON] / (double)(bins[WON] + bins[LOST]),
    };
}
