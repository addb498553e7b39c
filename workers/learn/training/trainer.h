/* One run, from its beginning or a checkpoint to its end: steps the learner and triggers events at
 * fixed ends. Ends (games of the learner) are the steps of all curves.
 *
 * An event that is due every N ends happens after the first step of the learner that has reached a
 * multiple of N, and carries that multiple as its step; the last time it carries the run's length.
 * Events depend on the number of ends alone, so a run that is stopped, written, read and continued
 * has the same events at the same ends and ends with the same weights. */
#ifndef RINKD_WORKERS_LEARN_TRAINING_TRAINER_H
#define RINKD_WORKERS_LEARN_TRAINING_TRAINER_H

#include "workers/learn/algorithms/learner.h"
#include "workers/learn/training/train_status.h"

#include <jansson.h>
#include <stdatomic.h>

struct trainer_setup {
    const struct learner_class *class;
    const struct learner_game *game;
    struct learner_common common;
    struct learner_hyper hyper;
    json_t *learning; /* object: settings that must equal those of a checkpoint; borrowed */
    int64_t iterations;
    /* Ends between two; 0: never. */
    int64_t points_every, evaluate_every, measure_every, save_every;
};

struct trainer;

/* Called at the ends where they are due; they borrow the learner and do not change it. A status
 * other than TRAIN_OK ends trainer_run() with it; undone events are still due then. All but `stop`
 * may be NULL. */
struct trainer_events {
    void *context;
    const atomic_bool *stop; /* looked at between steps of the learner; NULL: never */

    /* After each step of the learner: ends so far, and how many of them there were a second of
     * learning. */
    void (*progress)(void *context, const struct trainer *trainer, int64_t ends, double ends_per_s);
    /* Values of curves, {name: number}; stolen. */
    enum train_status (*points)(void *context, int64_t step, json_t *points, char *ret_error);
    /* Keeps the policies. Before evaluate, measure and save of the same step. */
    enum train_status (*keep)(void *context, const struct learner *learner, int64_t step,
                              char *ret_error);
    /* Judges the policies: matches; exploitability. */
    enum train_status (*evaluate)(void *context, const struct learner *learner, int64_t step,
                                  char *ret_error);
    enum train_status (*measure)(void *context, const struct learner *learner, int64_t step,
                                 char *ret_error);
    /* Writes a checkpoint with trainer_write(). No step is saved twice, and steps grow. */
    enum train_status (*save)(void *context, struct trainer *trainer, int64_t step,
                              char *ret_error);
};

/* A run at its beginning. Setup and events are borrowed. The caller gives it to trainer_free(). */
enum train_status trainer_new(const struct trainer_setup *setup,
                              const struct trainer_events *events, struct trainer **ret_trainer,
                              char ret_error[TRAIN_ERROR_MAX]);
/* A run as trainer_write() wrote it. TRAIN_BAD_SPEC: the file is broken or was learned under
 * another setup than this one, and the sentence says which field. `is_branch`: a new run continues
 * the file of another run, which may have had another seed; from there on it uses its own seed,
 * also in its files. With the same seed it continues as the other run did. */
enum train_status trainer_read(const struct trainer_setup *setup,
                               const struct trainer_events *events, FILE *file, bool is_branch,
                               struct trainer **ret_trainer, char ret_error[TRAIN_ERROR_MAX]);
void trainer_free(struct trainer *trainer); /* NULL is fine */

/* Until the run is at its end (TRAIN_OK), the flag is set (TRAIN_STOPPED; the run is between two
 * steps of the learner, can be written and run again), or something fails. */
enum train_status trainer_run(struct trainer *trainer, char ret_error[TRAIN_ERROR_MAX]);

/* Saves (events.save) what has been done since it was last saved, if there is such. */
enum train_status trainer_save(struct trainer *trainer, char ret_error[TRAIN_ERROR_MAX]);

/* False: the file could not be written, or no memory. */
bool trainer_write(const struct trainer *trainer, FILE *file);

const struct learner *trainer_learner(const struct trainer *trainer);
int64_t trainer_ends(const struct trainer *trainer);
/* Processor seconds of all steps of the learner, also those of former processes. */
double trainer_cpu_s(const struct trainer *trainer);

#endif
