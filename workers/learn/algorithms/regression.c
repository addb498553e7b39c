/* Computes values from tries. */
#include "workers/learn/algorithms/regression.h"

#include <math.h>

void regress(const struct learner_game *game, int actions, struct tried *tried, int deeds,
             const struct tried_deed *done)
{
    double p[LEARNER_ACTIONS_MAX], sum[LEARNER_ACTIONS_MAX], squares[LEARNER_ACTIONS_MAX];
    for (int a = 0; a < actions; a++)
        sum[a] = squares[a] = tried[a].mean = 0.0;
    for (int j = 0; j < deeds; j++) {
        double all = 0.0;
        for (int a = 0; a < actions; a++) {
            p[a] = game->likelihood(game, tried[a].action, &done[j].deed);
            all += tried[a].visits * p[a];
        }
        for (int a = 0; a < actions && all > 0.0; a++) {
            double w = p[a] / all;
            sum[a] += w;
            squares[a] += w * w;
            tried[a].mean += w * done[j].value;
        }
    }
    for (int a = 0; a < actions; a++) {
        tried[a].weight = squares[a] > 0.0 ? sum[a] * sum[a] / squares[a] : 0.0;
        tried[a].mean = sum[a] > 0.0 ? tried[a].mean / sum[a] : 0.0;
    }
}

int regression_choice(int actions, const struct tried *tried, double c)
{
    double all = 0.0, most = -INFINITY;
    int chosen = 0;
    for (int a = 0; a < actions; a++)
        all += tried[a].weight;
    double log_all = all > 1.0 ? log(all) : 0.0;
    for (int a = 0; a < actions; a++) {
        if (tried[a].weight <= 0.0)
            continue;
        double bound = tried[a].mean - c * sqrt(log_all / tried[a].weight);
        if (bound > most) {
            most = bound;
            chosen = a;
        }
    }
    return chosen;
}
