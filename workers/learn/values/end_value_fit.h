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
    double score_rms;    /* root mean square error of the expected score on them, points */
    double score_spread; /* standard deviation of the expected score on them: the error of a
                          * constant guess */
};

/* Sets small random weights. */
void end_value_fit_start(const struct random_key *key, struct end_value_stage *ret_stage);

/* Trains *stage, from its present weights, on the cross-entropy to the examples' distributions:
 * Adam (Kingma and Ba, 2015) with weight decay, shuffled batches, each example mirrored at random,
 * a learning rate that falls to a hundredth of `rate`. The last tenth of the examples is held out
 * for the report. The caller keeps the examples. False: no memory; *stage is unchanged. */
bool end_value_fit(const struct end_value_example *examples, size_t count, int epochs, double rate,
                   const struct random_key *key, struct end_value_stage *stage,
                   struct end_value_fit_report *ret_report);

#endif
