/* Draws actions: uniformly or by a policy; the share of random ones over time. */
#ifndef RINKD_WORKERS_LEARN_ALGORITHMS_CHOOSING_H
#define RINKD_WORKERS_LEARN_ALGORITHMS_CHOOSING_H

#include "models/ice/random.h"

#include <stdbool.h>

/* Draws one of 0 … count - 1, nearly uniformly; count < 2^32. */
size_t pick_number(uint64_t bits, size_t count);

/* Draws a legal action; at least one must be legal. */
int pick_legal(uint64_t bits, const bool *legal, int actions);

/* Draws a legal action from legal_softmax(); any legal one if the logits are not finite. */
int pick_by_logits(uint64_t bits, const float *logits, const bool *legal, int actions);

/* The share of random actions at step number `step`: explore / (1 + decay * sqrt(step)). */
double explore_share(double explore, double decay, uint64_t step);

#endif
