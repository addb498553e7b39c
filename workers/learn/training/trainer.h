/* One run, from its beginning or a checkpoint to its end: steps the learner and triggers events at
 * fixed ends. All curves count their steps in ends (games of the learner).
 *
 * An event due every N ends happens after the first learner step that reaches a multiple of N, and
 * carries that multiple as its step; the last one carries the run's length. Events depend only on
 * the number of ends, so a run that is stopped, written, read and continued has the same events at
 * the same ends and finishes with the same weights. */
#ifndef RINKD_WORKERS_LEARN_TRAINING_TRAINER_H
#define RINKD_WORKERS_LEARN_TRAINING_TRAINER_H

#include "workers/learn/algorithms/learner.h"
#include "workers/learn/training/train_status.h"

#include <jansson.h>
#include <stdatomic.h>

/* In order of execution. KEEP precedes EVALUATE, MEASURE and SAVE of the same step. */
enum trainer_event {
    TRAINER_POINTS,   /* points of curves: trainer_points() */
    TRAINER_KEEP,     /* the policies become files */
    TRAINER_EVALUATE, /* matches */
    TRAINER_MEASURE,  /* exploitability */
    TRAINER_SAVE,     /* a checkpoint: trainer_write(). Steps strictly increase. */
    TRAINER_EVENTS
};

struct trainer_setup {
    const struct learner_class *class;
    const struct learner_game *game;
    struct learner_common common;
    struct learner_hyper hyper;
    json_t *learning; /* object: settings that a checkpoint must share; borrowed */
    int64_t iterations;
    int64_t until;                 /* ends after which trainer_run() returns; 0: iterations */
    int64_t every[TRAINER_EVENTS]; /* ends between two events; 0: never; not for KEEP */
};

struct trainer;

struct trainer_events {
    void *context;
    const atomic_bool *stop; /* checked between learner steps; may be NULL */

    /* Called before the first and after each learner step; may be NULL. `ends_per_s`: per second
     * spent learning since trainer_run() began; NAN at first. */
    void (*progress)(void *context, const struct trainer *trainer, int64_t ends, double ends_per_s);
    /* Performs an event that is due. If it returns a status other than TRAIN_OK, trainer_run()
     * returns it, and events that did not happen stay due. */
    enum train_status (*perform)(void *context, struct trainer *trainer, enum trainer_event event,
                                 int64_t step, char *ret_error);
};

/* Makes a run, for trainer_free(): a new one if `file` is NULL, else the one that trainer_write()
 * wrote. Setup and events are borrowed. TRAIN_BAD_SPEC: the file is broken or comes from another
 * setup; the sentence names the field. `is_branch`: the file belongs to another run, which may have
 * had another seed. The new run then uses its own seed from there on, also in its files; with the
 * same seed it continues exactly as the other run did. */
enum train_status trainer_open(const struct trainer_setup *setup,
                               const struct trainer_events *events, FILE *file, bool is_branch,
                               struct trainer **ret_trainer, char ret_error[TRAIN_ERROR_MAX]);
void trainer_free(struct trainer *trainer); /* NULL is fine */

/* Counts what other processes did for the run since its checkpoint: processor seconds, and of the
 * present round those of play and those that it took. */
struct trainer_spent {
    double cpu_s, play_s, elapsed_s;
};
void trainer_add_spent(struct trainer *trainer, struct trainer_spent spent);

/* Runs until the run or its part is complete (TRAIN_OK), `stop` is set (TRAIN_STOPPED: the run is
 * between two learner steps and can be written or run again), or something fails. */
enum train_status trainer_run(struct trainer *trainer, char ret_error[TRAIN_ERROR_MAX]);

/* Performs TRAINER_SAVE at the present number of ends unless that state is already saved. */
enum train_status trainer_save(struct trainer *trainer, char ret_error[TRAIN_ERROR_MAX]);

/* Returns the values of curves since the last call, {name: number}; the caller owns the object. */
json_t *trainer_points(struct trainer *trainer);
/* Writes a checkpoint. `said` is what the run has reported so far, an object. False: the file
 * cannot be written, or no memory. */
bool trainer_write(const struct trainer *trainer, json_t *said, FILE *file);
/* The same without the seconds that it took: the same bytes on every machine. */
bool trainer_write_state(const struct trainer *trainer, json_t *said, FILE *file);
/* Returns what the run had reported at the checkpoint that it continues, borrowed. NULL: it begins,
 * or the checkpoint is of a version that did not write that. */
const json_t *trainer_said(const struct trainer *trainer);

const struct learner *trainer_learner(const struct trainer *trainer);
/* Returns the run in rounds, to take items that others have made; NULL: it does not learn so. */
struct rounds *trainer_rounds(struct trainer *trainer);
int64_t trainer_ends(const struct trainer *trainer);
/* Returns the step at which an event last happened; -1: never. */
int64_t trainer_done(const struct trainer *trainer, enum trainer_event event);
/* Processor seconds of all learner steps, those in earlier processes included. */
double trainer_cpu_s(const struct trainer *trainer);

#endif
