/* The arithmetic of learning. */
#include "workers/learn/losses.h"

#include <math.h>

int legal_argmax(const float *values, const bool *legal, int actions)
{
    int best = -1;
    for (int a = 0; a < actions; a++)
        if (legal[a] && (best < 0 || values[a] > values[best]))
            best = a;
    return best;
}

void legal_softmax(const float *logits, const bool *legal, int actions, float *ret_p)
{
    float most = logits[legal_argmax(logits, legal, actions)], sum = 0.0f;
    for (int a = 0; a < actions; a++) {
        ret_p[a] = legal[a] ? expf(logits[a] - most) : 0.0f;
        sum += ret_p[a];
    }
    for (int a = 0; a < actions; a++)
        ret_p[a] /= sum;
}

double q_target(double reward, double discount, const float *next_values, const bool *next_legal,
                int actions)
{
    if (!next_values)
        return reward;
    return reward + discount * (double)next_values[legal_argmax(next_values, next_legal, actions)];
}

double q_loss(const float *values, int actions, int action, double target, float share,
              float *ret_d)
{
    double miss = (double)values[action] - target;
    for (int a = 0; a < actions; a++)
        ret_d[a] = 0.0f;
    ret_d[action] = share * (float)miss;
    return 0.5 * miss * miss;
}

double cross_entropy_loss(const float *logits, const bool *legal, int actions, int action,
                          float share, float *ret_d)
{
    legal_softmax(logits, legal, actions, ret_d);
    double loss = -log((double)ret_d[action]);
    ret_d[action] -= 1.0f;
    for (int a = 0; a < actions; a++)
        ret_d[a] *= share;
    return loss;
}
