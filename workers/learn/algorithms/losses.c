/* The arithmetic of learning. */
#include "workers/learn/algorithms/losses.h"

#include <math.h>

int legal_argmax(const float *values, const bool *legal, int actions)
{
    int best = -1;
    for (int a = 0; a < actions; a++)
        if (legal[a] && (best < 0 || values[a] > values[best]))
            best = a;
    return best;
}

bool legal_are_finite(const float *values, const bool *legal, int actions)
{
    for (int a = 0; a < actions; a++)
        if (legal[a] && !isfinite(values[a]))
            return false;
    return true;
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

double double_q_target(double reward, double discount, const float *next_choosing,
                       const float *next_values, const bool *next_legal, int actions)
{
    if (!next_values)
        return reward;
    int action = legal_argmax(next_choosing, next_legal, actions);
    return reward + discount * (double)next_values[action];
}

double soft_q_target(double reward, double discount, double temperature, const float *next_choosing,
                     const float *next_values, const bool *next_legal, int actions)
{
    if (!next_values)
        return reward;
    double most = (double)next_choosing[legal_argmax(next_choosing, next_legal, actions)];
    double weights = 0.0, sum = 0.0;
    for (int a = 0; a < actions; a++)
        if (next_legal[a]) {
            double weight = exp(((double)next_choosing[a] - most) / temperature);
            weights += weight;
            sum += weight * (double)next_values[a];
        }
    return reward + discount * sum / weights;
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

/* Log of the sum of e^logit over the legal actions. */
static double legal_log_sum(const float *logits, const bool *legal, int actions)
{
    double most = (double)logits[legal_argmax(logits, legal, actions)], sum = 0.0;
    for (int a = 0; a < actions; a++)
        if (legal[a])
            sum += exp((double)logits[a] - most);
    return most + log(sum);
}

double soft_cross_entropy_loss(const float *logits, const bool *legal, int actions,
                               const float *target, float share, float *ret_d)
{
    double log_sum = legal_log_sum(logits, legal, actions), loss = 0.0;

    legal_softmax(logits, legal, actions, ret_d);
    for (int a = 0; a < actions; a++) {
        if (target[a] > 0.0f)
            loss -= (double)target[a] * ((double)logits[a] - log_sum);
        ret_d[a] = share * (ret_d[a] - target[a]);
    }
    return loss;
}

double legal_log_probability(const float *logits, const bool *legal, int actions, int action)
{
    return (double)logits[action] - legal_log_sum(logits, legal, actions);
}

double legal_entropy(const float *logits, const bool *legal, int actions)
{
    double log_sum = legal_log_sum(logits, legal, actions), entropy = 0.0;
    for (int a = 0; a < actions; a++)
        if (legal[a])
            entropy += exp((double)logits[a] - log_sum) * (log_sum - (double)logits[a]);
    return entropy;
}

void estimate_advantages(const float *rewards, const float *values, int count, double discount,
                         double lambda, float *ret_advantages)
{
    double next_value = 0.0, advantage = 0.0;
    for (int k = count - 1; k >= 0; k--) {
        double miss = (double)rewards[k] + discount * next_value - (double)values[k];
        advantage = miss + discount * lambda * advantage;
        next_value = (double)values[k];
        ret_advantages[k] = (float)advantage;
    }
}

double clipped_policy_loss(const float *logits, const bool *legal, int actions, int action,
                           double old_log_p, double advantage, double clip, double bonus,
                           float share, float *ret_d, double *ret_entropy)
{
    /* exp() dominates the cost: computed once for each action and kept in ret_d. */
    double most = (double)logits[legal_argmax(logits, legal, actions)], sum = 0.0, weighted = 0.0;
    for (int a = 0; a < actions; a++) {
        double above = (double)logits[a] - most, power = legal[a] ? exp(above) : 0.0;
        ret_d[a] = (float)power;
        sum += power;
        weighted += legal[a] ? power * above : 0.0;
    }
    double log_sum = log(sum), entropy = log_sum - weighted / sum;
    double ratio = exp((double)logits[action] - most - log_sum - old_log_p);
    double kept = fmin(fmax(ratio, 1.0 - clip), 1.0 + clip);
    /* If the clipped product is the smaller one, the gradient is zero. */
    double pull = ratio * advantage <= kept * advantage ? ratio * advantage : 0.0;
    for (int a = 0; a < actions; a++) {
        if (!legal[a])
            continue;
        double log_p = (double)logits[a] - most - log_sum, p = (double)ret_d[a] / sum;
        double d = p * (pull + bonus * (log_p + entropy)) - (a == action ? pull : 0.0);
        ret_d[a] = share * (float)d;
    }
    *ret_entropy = entropy;
    return -fmin(ratio * advantage, kept * advantage) - bonus * entropy;
}
