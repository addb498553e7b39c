/* Sums over pairs, with and without luck. */
#include "workers/evaluate/play/adjusted.h"

#include <math.h>

void adjusted_add(struct adjusted_sums *sums, const struct pair_result *result)
{
    double score = 0.0, points = 0.0, ends = 0.0;
    struct pair_luck luck = {0.0, 0.0};

    for (int g = 0; g < 2; g++) {
        const struct pair_game *game = &result->game[g];
        if (!game->has_luck)
            return;
        score += 0.25 * game->half_points;
        luck.win += game->luck.win;
        luck.points += game->luck.points;
        ends += game->ends;
        for (int e = 0; e < game->ends; e++)
            points += game->end[e].score;
    }
    sample_add(&sums->score[AS_PLAYED], score);
    sample_add(&sums->score[WITHOUT_LUCK], score - 0.5 * luck.win);
    ratio_add(&sums->points[AS_PLAYED], points, ends);
    /* Luck of a conceded end counts, too: its mean is 0 only over all throws. */
    ratio_add(&sums->points[WITHOUT_LUCK], points - luck.points, ends);
}

static double share(double without, double played)
{
    return played > 0.0 ? without / played : (double)NAN;
}

double adjusted_score_share(const struct adjusted_sums *sums)
{
    return share(sample_variance(&sums->score[WITHOUT_LUCK]),
                 sample_variance(&sums->score[AS_PLAYED]));
}

double adjusted_points_share(const struct adjusted_sums *sums)
{
    double without = ratio_error(&sums->points[WITHOUT_LUCK]);
    double played = ratio_error(&sums->points[AS_PLAYED]);

    return share(without * without, played * played);
}
