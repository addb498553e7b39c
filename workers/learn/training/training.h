/* A training: the runs of a plan, one seed after the other, in a folder. The folder holds the
 * journal (train_journal.h; it is opened before anything else is written), checkpoints
 * RUN-STEP.checkpoint and policies RUN-POLICY-STEP.safetensors. They are enough to continue,
 * however the last attempt ended. */
#ifndef RINKD_WORKERS_LEARN_TRAINING_TRAINING_H
#define RINKD_WORKERS_LEARN_TRAINING_TRAINING_H

#include "workers/learn/training/train_journal.h"
#include "workers/learn/training/train_plan.h"
#include "workers/learn/training/train_status.h"

#include <jansson.h>
#include <stdatomic.h>

/* How far a training is. */
struct training_progress {
    int run; /* index of the seed */
    int64_t ends;
    double share;              /* of the whole, 0 … 1 */
    double ends_per_s, left_s; /* NAN: not known */
};

/* The listener. All calls come from the thread that calls training_run(). */
struct training_sink {
    void *context;
    atomic_bool *stop; /* soon ends the training: TRAIN_STOPPED */
    /* Whether a training that was stopped shall save where it is. NULL: yes. */
    bool (*saves)(void *context);
    /* A line of the journal, which it is in by then; borrowed. Lines that an earlier attempt may
     * have said in vain are said again, with the same values. */
    void (*say)(void *context, const json_t *line);
    /* The result as it stands, now and then; stolen. NULL: not wanted. */
    void (*partial)(void *context, json_t *result);
    /* Often. NULL: not wanted. */
    void (*progress)(void *context, const struct training_progress *progress);
    /* A sentence that a person should read. */
    void (*warn)(void *context, const char *text);
};

struct training {
    const struct train_plan *plan;
    const char *folder;
    struct train_journal *journal;    /* of the folder, just opened; borrowed */
    const char *run[TRAIN_SEEDS_MAX]; /* the name of the run of each seed */
    /* {"run","path","sha256",…}: the last checkpoint that the listener has; what was said before
     * it need not be said again. NULL: none. */
    const json_t *recorded;
    /* The listener keeps nothing: no line is repeated, and the training deletes checkpoints and
     * policies beyond keep_checkpoints of each run itself. */
    bool is_alone;
};

/* From the beginning, or from where the folder ends, to the end of the last run. TRAIN_OK and the
 * result, {"algorithm","reward","profile","iterations","runs":[{"run","seed","ends","decisions",
 * "updates","cpu_s","weights_sha256","models":[…],"judged":{NAME:VALUE,…}}]}, which is the
 * caller's; otherwise why not. */
enum train_status training_run(const struct training *training, const struct training_sink *sink,
                               json_t **ret_result, char ret_error[TRAIN_ERROR_MAX]);

#endif
