/* Kernel regression over actions. */
#include "workers/learn/regression.h"

#include <math.h>

void regress(const struct learner_game *game, int count, struct tried *tried)
{
    for (int a = 0; a < count; a++) {
        double weight = 0.0, sum = 0.0;
        for (int b = 0; b < count; b++) {
            double k = game->similarity(game, tried[a].action, tried[b].action);
            weight += k * tried[b].visits;
            sum += k * tried[b].value_sum;
        }
        tried[a].weight = weight;
        tried[a].mean = sum / weight;
    }
}

int regression_choice(int count, const struct tried *tried, double c)
{
    double all = 0.0, most = -INFINITY;
    int chosen = 0;
    for (int a = 0; a < count; a++)
        all += tried[a].weight;
    double log_all = all > 1.0 ? log(all) : 0.0;
    for (int a = 0; a < count; a++) {
        double bound = tried[a].mean - c * sqrt(log_all / tried[a].weight);
        if (bound > most) {
            most = bound;
            chosen = a;
        }
    }
    return chosen;
}
