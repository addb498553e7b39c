/* Fits one stage of the end-value network (models/networks/end_value.h) to examples. */
#ifndef RINKD_WORKERS_LEARN_VALUES_END_VALUE_FIT_H
#define RINKD_WORKERS_LEARN_VALUES_END_VALUE_FIT_H

#include "models/ice/random.h"
#include "models/networks/end_value.h"

#include <stddef.h>

struct end_value_example {
    float features[END_FEATURES];
    float scores[END_VALUE_SCORES]; /* probabilities of the end's score, for sente */
};

struct end_value_fit_report {
    double entropy;      /* mean cross-entropy on the held-out examples, nats */
    double score_rms;    /* root mean square error of the expected score there, points */
    double score_spread; /* standard deviation of the expected score there: what knowing nothing
                          * would give */
};

/* Random small weights to start from. */
void end_value_fit_start(const struct random_key *key, struct end_value_stage *ret_stage);

/* Adam (Kingma and Ba, 2015) with weight decay on the cross-entropy to the examples' distributions,
 * in shuffled batches, each example mirrored at random; the learning rate falls to a hundredth. The
 * last tenth of the examples is held out and judged at the end. Starts from *stage. Examples are
 * the caller's. Returns false when memory is short; *stage is then as it was. */
bool end_value_fit(const struct end_value_example *examples, size_t count, int epochs, double rate,
                   const struct random_key *key, struct end_value_stage *stage,
                   struct end_value_fit_report *ret_report);

#endif
