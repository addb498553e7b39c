/* Fits one stage of the end-value network (models/networks/end_value.h) to examples. */
#ifndef RINKD_WORKERS_LEARN_VALUES_END_VALUE_FIT_H
#define RINKD_WORKERS_LEARN_VALUES_END_VALUE_FIT_H

#include "models/ice/random.h"
#include "models/networks/end_value.h"

#include <stddef.h>
#include <stdint.h>

struct end_value_example {
    struct position position;
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

#define END_VALUE_RATE 2e-3 /* with which the shipped networks were fitted */

/* Trains *stage, from its present weights, on the cross-entropy to the examples' distributions:
 * Adam (Kingma and Ba, 2015) with weight decay, shuffled batches, each example mirrored at random,
 * a learning rate that falls to a hundredth of `rate`. The last tenth of the examples is held out
 * for the report. The caller keeps the examples. False: no memory; *stage is unchanged. */
bool end_value_fit(const struct end_value_example *examples, size_t count, int epochs, double rate,
                   const struct random_key *key, struct end_value_stage *stage,
                   struct end_value_fit_report *ret_report);

/* The same in parts, with the last `held_out` examples held out, at most all. It borrows the
 * examples and *stage. NULL: no memory. */
struct end_value_fitting;
struct end_value_fitting *end_value_fitting_new(const struct end_value_example *examples,
                                                size_t count, size_t held_out, int epochs,
                                                double rate, const struct random_key *key,
                                                struct end_value_stage *stage);
void end_value_fitting_free(struct end_value_fitting *fitting); /* NULL is fine */

/* Learns from the next batches, at most `batches` of 64 examples. False: nothing is left to do. */
bool end_value_fitting_go(struct end_value_fitting *fitting, long batches);

/* Returns the batches that were learned from, and the share of all that they are. */
uint64_t end_value_fitting_batches(const struct end_value_fitting *fitting);
double end_value_fitting_share(const struct end_value_fitting *fitting);

/* Judges the present weights by the examples that are held out. */
void end_value_fitting_judge(const struct end_value_fitting *fitting,
                             struct end_value_fit_report *ret_report);

#endif
