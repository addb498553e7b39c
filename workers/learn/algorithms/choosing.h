/* How an action is drawn: at random, by a policy, or mostly the best one. */
#ifndef RINKD_WORKERS_LEARN_ALGORITHMS_CHOOSING_H
#define RINKD_WORKERS_LEARN_ALGORITHMS_CHOOSING_H

#include "models/ice/random.h"

#include <stdbool.h>

/* One of the numbers 0 … count - 1, nearly uniform; count < 2^32. */
size_t pick_number(uint64_t bits, size_t count);

/* One of the legal actions, of which there is at least one. */
int pick_legal(uint64_t bits, const bool *legal, int actions);

/* A legal action drawn from legal_softmax(); any of them where the logits are not numbers. */
int pick_by_logits(uint64_t bits, const float *logits, const bool *legal, int actions);

/* The share of random actions at step number `step`: explore / (1 + decay * sqrt(step)). */
double explore_share(double explore, double decay, uint64_t step);

#endif
