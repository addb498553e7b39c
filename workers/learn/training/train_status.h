/* Results of training functions, and their error sentence. */
#ifndef RINKD_WORKERS_LEARN_TRAINING_TRAIN_STATUS_H
#define RINKD_WORKERS_LEARN_TRAINING_TRAIN_STATUS_H

enum train_status {
    TRAIN_OK,
    TRAIN_STOPPED,  /* the stop flag became true */
    TRAIN_BAD_SPEC, /* a setting, or a file that the spec names, cannot be used */
    TRAIN_DIVERGED, /* a loss, a gradient or a weight is infinite or not a number */
    TRAIN_DISK,     /* a file could not be written */
    TRAIN_NO_MEMORY,
    TRAIN_FAILED /* something else: a network, a player, a throw */
};

/* Bytes for the sentence, which is set unless the function returns TRAIN_OK or TRAIN_STOPPED. */
enum { TRAIN_ERROR_MAX = 1024 };

/* Writes the sentence, printf-like, and returns the status. */
enum train_status train_fail(char *ret_error, enum train_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
