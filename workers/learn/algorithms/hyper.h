/* The settings of an algorithm as a struct of doubles, filled from the named numbers of a job spec
 * by one table that has names, ranges and values for toys. */
#ifndef RINKD_WORKERS_LEARN_ALGORITHMS_HYPER_H
#define RINKD_WORKERS_LEARN_ALGORITHMS_HYPER_H

#include "workers/learn/algorithms/learner.h"

struct hyper_field {
    const char *name; /* as job specs say */
    size_t at;        /* of the double in the struct */
    double otherwise; /* where the spec does not say */
    double least, most;
    bool whole;
};

/* Fills the fields of the struct at ret_settings. False and a sentence: a number is out of its
 * range or not whole; it is named. */
bool hyper_read(const struct hyper_field *fields, int count, const struct learner_hyper *hyper,
                void *ret_settings, char ret_error[LEARNER_ERROR_MAX]);

#endif
