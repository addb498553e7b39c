/* A training: the runs of a plan, one seed after the other, in a folder. The folder holds the
 * journal (train_journal.h; opened before anything else is written), checkpoints
 * RUN-STEP.checkpoint and policies RUN-POLICY-STEP.safetensors. They suffice to continue, however
 * the last attempt ended. */
#ifndef RINKD_WORKERS_LEARN_TRAINING_TRAINING_H
#define RINKD_WORKERS_LEARN_TRAINING_TRAINING_H

#include "workers/learn/algorithms/rounds.h"
#include "workers/learn/training/train_game.h"
#include "workers/learn/training/train_journal.h"
#include "workers/learn/training/train_plan.h"
#include "workers/learn/training/train_status.h"
#include "workers/learn/training/trainer.h"

#include <jansson.h>
#include <stdatomic.h>

/* The progress of a training. */
struct training_progress {
    int run; /* index of the seed */
    int64_t ends;
    double share;              /* of the whole training, 0 … 1 */
    double ends_per_s, left_s; /* NAN: unknown */
};

/* The listener. All calls come from the thread that calls training_run(). */
struct training_sink {
    void *context;
    atomic_bool *stop;        /* ends the training soon, with TRAIN_STOPPED */
    const atomic_bool *saves; /* whether a stopped training saves its state; NULL: yes */
    /* Reports a line that is already in the journal; borrowed. Lines that the listener may have
     * missed in an earlier attempt are repeated with the same values. */
    void (*say)(void *context, const json_t *line);
    /* Takes a partial result now and then, and owns it. May be NULL. */
    void (*partial)(void *context, json_t *result);
    /* Called often. */
    void (*progress)(void *context, const struct training_progress *progress);
    /* Reports a sentence for a person to read. */
    void (*warn)(void *context, const char *text);
};

/* One round of a run (workers/learn/algorithms/rounds.h) whose items others have made: the training
 * fits to them, judges what is due, and ends. */
struct training_round {
    int64_t number;    /* the run has finished so many rounds */
    const char *state; /* file of the run before it; NULL: it begins, or begins as a branch */
    const char *items[ROUNDS_PARTS_MAX]; /* files, each of one shard with all items; NULL: none */
    struct trainer_spent spent;          /* by others; processor seconds since the run began */
    const char *output;                  /* file of the run after it */
};

struct training {
    const struct train_plan *plan;
    const char *folder;
    struct train_journal *journal;    /* of the folder, newly opened; borrowed */
    const char *run[TRAIN_SEEDS_MAX]; /* name of each seed's run */
    /* {"run","path","sha256",…}: the last checkpoint that the listener has; lines before it are not
     * repeated. NULL: none. */
    const json_t *recorded;
    size_t heard; /* that many lines of the journal are not repeated either */
    /* The listener stores nothing: no line is repeated, and the training itself deletes the
     * checkpoints and policies of each run beyond keep_checkpoints. */
    bool is_alone;
    const struct training_round *round; /* NULL: all rounds. With it, there is one run */
};

/* Returns the result of a training with these results of runs, which it takes. NULL: no memory. */
json_t *training_result(const struct train_plan *plan, json_t *runs);

/* Starts a training, or continues the one in the folder, and runs it to the end of its last run.
 * TRAIN_OK and the result,
 * {"algorithm","reward","profile","iterations","runs":[{"run","seed","ends","decisions",
 * "updates","cpu_s","weights_sha256","models":[…],"judged":{NAME:VALUE,…}}]}, which the
 * caller owns; otherwise another status and a sentence. With `round` the result is that of the run
 * so far. */
enum train_status training_run(const struct training *training, const struct training_sink *sink,
                               json_t **ret_result, char ret_error[TRAIN_ERROR_MAX]);

#endif
