/* Draws actions. */
#include "workers/learn/algorithms/choosing.h"

#include "workers/learn/algorithms/losses.h"
#include "workers/learn/games/learner_game.h"

#include <math.h>

size_t pick_number(uint64_t bits, size_t count)
{
    return (size_t)((bits >> 32) * count >> 32);
}

int pick_legal(uint64_t bits, const bool *legal, int actions)
{
    int count = 0, chosen = 0;
    for (int a = 0; a < actions; a++)
        count += legal[a];
    for (int left = (int)pick_number(bits, (size_t)count); !legal[chosen] || left-- > 0;)
        chosen++;
    return chosen;
}

int pick_by_logits(uint64_t bits, const float *logits, const bool *legal, int actions)
{
    float p[LEARNER_ACTIONS_MAX];
    double left = random_unit(bits);
    int chosen = -1;
    legal_softmax(logits, legal, actions, p);
    for (int a = 0; a < actions && (chosen < 0 || left >= 0.0); a++)
        if (legal[a] && p[a] > 0.0f) {
            chosen = a;
            left -= (double)p[a];
        }
    /* The outputs of a diverged network have no softmax; learning will report it. */
    return chosen < 0 ? legal_argmax(logits, legal, actions) : chosen;
}

double explore_share(double explore, double decay, uint64_t step)
{
    return explore / (1.0 + decay * sqrt((double)step));
}
