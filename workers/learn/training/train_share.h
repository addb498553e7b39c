/* How much of a training is done, its measurements included. Learning, matches and measurements are
 * weighted by the seconds that each has taken in this process. */
#ifndef RINKD_WORKERS_LEARN_TRAINING_TRAIN_SHARE_H
#define RINKD_WORKERS_LEARN_TRAINING_TRAIN_SHARE_H

#include <stdint.h>

enum train_work {
    TRAIN_LEARNS,   /* counted in ends */
    TRAIN_PLAYS,    /* counted in rounds of matches */
    TRAIN_MEASURES, /* counted in measurements of exploitability */
    TRAIN_WORKS
};

struct train_share {
    struct train_amount {
        double all, done;
        double timed, spent_s; /* the part that this process did, and its seconds */
    } work[TRAIN_WORKS];
    double told; /* the largest share so far */
};

/* Returns how often an event due every `every` ends happens, start and end included; 0 for 0. */
double train_share_times(int64_t iterations, int64_t every);
/* Returns how often it has happened after that of `step`; -1: never. */
double train_share_times_until(int64_t iterations, int64_t every, int64_t step);

/* Counts that so much of a work is done now, of which this process did `fresh` in `seconds`. */
void train_share_note(struct train_share *share, enum train_work work, double done, double fresh,
                      double seconds);

/* Returns the share that is done, 0 … 1: never less than before, and 1 only if nothing is left. */
double train_share_tell(struct train_share *share);

/* Returns the seconds that are left; NAN: not known yet. */
double train_share_left_s(const struct train_share *share);

#endif
