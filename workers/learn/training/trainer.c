/* Triggers events at the ends where they are due; reads and writes the state of a run: a line of
 * JSON, then the learner's own bytes. */
#include "workers/learn/training/trainer.h"

#include "api/clock.h"
#include "api/wire.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HEAD_MAX = 1 << 16, FORMAT = 1 };

/* Events, in order of execution. */
enum due { DUE_POINTS, DUE_KEEP, DUE_EVALUATE, DUE_MEASURE, DUE_SAVE, DUES };

static const char *const due_names[DUES] = {"points", "keep", "evaluate", "measure", "save"};

/* Clocks and counters from which speeds and shares are computed. */
struct mark {
    double elapsed_s, play_s, network_s, learn_s;
    uint64_t games, throws;
};

struct trainer {
    const struct trainer_setup *setup;
    const struct trainer_events *events;
    struct learner *learner;
    int64_t done[DUES]; /* step at which each event last happened; -1: never */
    double cpu_s;
    double elapsed_s;  /* spent in the learner's steps by this process */
    struct mark marks; /* at the last points */
};

static enum train_status no_memory(char *ret_error)
{
    snprintf(ret_error, TRAIN_ERROR_MAX, "out of memory");
    return TRAIN_NO_MEMORY;
}

static void report_of(const struct trainer *trainer, struct learner_report *ret_report)
{
    memset(ret_report, 0, sizeof *ret_report);
    trainer->learner->class->report(trainer->learner, ret_report);
}

static struct mark mark_of(const struct trainer *trainer, const struct learner_report *report)
{
    return (struct mark){trainer->elapsed_s, report->play_s, report->network_s,
                         report->learn_s,    report->games,  report->throws};
}

/* --- making and freeing --- */

static struct trainer *new_trainer(const struct trainer_setup *setup,
                                   const struct trainer_events *events)
{
    struct trainer *trainer = calloc(1, sizeof *trainer);
    if (!trainer)
        return NULL;
    trainer->setup = setup;
    trainer->events = events;
    /* Evaluate, measure and keep also happen at step 0, before any learning. */
    trainer->done[DUE_EVALUATE] = trainer->done[DUE_MEASURE] = trainer->done[DUE_KEEP] = -1;
    return trainer;
}

static void start_clocks(struct trainer *trainer)
{
    struct learner_report report;
    report_of(trainer, &report);
    trainer->marks = mark_of(trainer, &report);
}

enum train_status trainer_new(const struct trainer_setup *setup,
                              const struct trainer_events *events, struct trainer **ret_trainer,
                              char ret_error[TRAIN_ERROR_MAX])
{
    struct trainer *trainer = new_trainer(setup, events);
    if (!trainer)
        return no_memory(ret_error);
    trainer->learner =
        setup->class->make(setup->class, setup->game, &setup->common, &setup->hyper, ret_error);
    if (!trainer->learner) {
        trainer_free(trainer);
        return TRAIN_BAD_SPEC;
    }
    start_clocks(trainer);
    *ret_trainer = trainer;
    return TRAIN_OK;
}

void trainer_free(struct trainer *trainer)
{
    if (trainer)
        learner_free(trainer->learner);
    free(trainer);
}

const struct learner *trainer_learner(const struct trainer *trainer)
{
    return trainer->learner;
}

int64_t trainer_ends(const struct trainer *trainer)
{
    struct learner_report report;
    report_of(trainer, &report);
    return (int64_t)report.games;
}

double trainer_cpu_s(const struct trainer *trainer)
{
    return trainer->cpu_s;
}

/* --- points of curves --- */

static void put(json_t *points, const char *name, double value)
{
    if (!isnan(value))
        json_object_set_new(points, name, wire_number(value));
}

static double share(double part, double sum)
{
    return sum > 0.0 ? part / sum : NAN;
}

static json_t *points_of(struct trainer *trainer, const struct learner_report *report)
{
    const struct learner_game *game = trainer->setup->game;
    struct mark now = mark_of(trainer, report), then = trainer->marks;
    double elapsed_s = now.elapsed_s - then.elapsed_s, play_s = now.play_s - then.play_s,
           network_s = now.network_s - then.network_s, learn_s = now.learn_s - then.learn_s,
           sum_s = play_s + network_s + learn_s;
    json_t *points = json_object();

    for (int k = 0; k < report->losses && report->updates > 0; k++)
        json_object_set_new(points, report->loss[k].name, wire_number(report->loss[k].value));
    for (int k = 0; k < report->memories; k++)
        put(points, report->memory[k].name, (double)report->memory[k].entries);
    for (int seat = 0; seat < 2; seat++) {
        char name[LEARNER_NAME_MAX + 16];
        snprintf(name, sizeof name, "reward/%s", game->seats[seat]);
        put(points, name, report->reward[seat]);
        snprintf(name, sizeof name, "entropy/%s", game->seats[seat]);
        put(points, name, report->entropy[seat]);
    }
    put(points, "explore", report->explore);
    put(points, "eta", report->anticipatory);
    put(points, "ends_per_s", share((double)(now.games - then.games), elapsed_s));
    put(points, "shots_per_s", share((double)(now.throws - then.throws), elapsed_s));
    put(points, "share/simulator", share(play_s, sum_s));
    put(points, "share/network", share(network_s, sum_s));
    put(points, "share/learner", share(learn_s, sum_s));
    put(points, "cpu_s", trainer->cpu_s);
    trainer->marks = now;
    return points;
}

/* --- what is due --- */

/* Returns the step that an event due every `every` ends carries at `ends`; -1: never due. */
static int64_t step_of(const struct trainer *trainer, int64_t every, int64_t ends)
{
    int64_t last = trainer->setup->iterations;
    if (every == 0)
        return -1;
    return ends >= last ? last : ends / every * every;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static enum train_status call(struct trainer *trainer, enum due due, int64_t step,
                              const struct learner_report *report, char *ret_error)
{
    const struct trainer_events *events = trainer->events;
    const struct learner *learner = trainer->learner;
    void *context = events->context;

    if (due == DUE_POINTS && events->points)
        return events->points(context, step, points_of(trainer, report), ret_error);
    if (due == DUE_KEEP && events->keep)
        return events->keep(context, learner, step, ret_error);
    if (due == DUE_EVALUATE && events->evaluate)
        return events->evaluate(context, learner, step, ret_error);
    if (due == DUE_MEASURE && events->measure)
        return events->measure(context, learner, step, ret_error);
    if (due == DUE_SAVE && events->save)
        return events->save(context, trainer, step, ret_error);
    return TRAIN_OK;
}

/* Performs an event unless this step already had it. Marks it done first, because a checkpoint
 * contains its own mark; unmarks it on failure. */
static enum train_status do_once(struct trainer *trainer, enum due due, int64_t step,
                                 const struct learner_report *report, char *ret_error)
{
    int64_t before = trainer->done[due];

    if (step <= before)
        return TRAIN_OK;
    trainer->done[due] = step;
    enum train_status status = call(trainer, due, step, report, ret_error);
    if (status != TRAIN_OK)
        trainer->done[due] = before;
    return status;
}

static enum train_status do_all_due(struct trainer *trainer, int64_t ends, char *ret_error)
{
    const struct trainer_setup *setup = trainer->setup;
    struct learner_report report;
    enum train_status status = TRAIN_OK;
    int64_t step[DUES];

    step[DUE_POINTS] = step_of(trainer, setup->points_every, ends);
    step[DUE_EVALUATE] = step_of(trainer, setup->evaluate_every, ends);
    step[DUE_MEASURE] = step_of(trainer, setup->measure_every, ends);
    step[DUE_SAVE] = step_of(trainer, setup->save_every, ends);
    if (ends >= setup->iterations)
        step[DUE_SAVE] = setup->iterations;
    step[DUE_KEEP] = -1; /* kept with the events below, at the largest of their steps */
    for (int due = DUE_EVALUATE; due < DUES; due++)
        if (step[due] > trainer->done[due])
            step[DUE_KEEP] = larger(step[DUE_KEEP], step[due]);
    report_of(trainer, &report);
    for (int due = 0; due < DUES && status == TRAIN_OK; due++)
        status = do_once(trainer, (enum due)due, step[due], &report, ret_error);
    return status;
}

static enum train_status step(struct trainer *trainer, char *ret_error)
{
    double elapsed = clock_s(CLOCK_MONOTONIC), cpu = clock_s(CLOCK_PROCESS_CPUTIME_ID);
    struct learner *learner = trainer->learner;

    bool good = learner->class->step(learner, ret_error);
    trainer->elapsed_s += clock_s(CLOCK_MONOTONIC) - elapsed;
    trainer->cpu_s += clock_s(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    if (good)
        return TRAIN_OK;
    return learner_has_diverged(learner) ? TRAIN_DIVERGED : TRAIN_FAILED;
}

enum train_status trainer_run(struct trainer *trainer, char ret_error[TRAIN_ERROR_MAX])
{
    const struct trainer_events *events = trainer->events;
    int64_t first = trainer_ends(trainer);
    double start_s = trainer->elapsed_s;

    for (;;) {
        int64_t ends = trainer_ends(trainer);
        if (events->progress)
            events->progress(events->context, trainer, ends,
                             share((double)(ends - first), trainer->elapsed_s - start_s));
        enum train_status status = do_all_due(trainer, ends, ret_error);
        if (status == TRAIN_OK && ends >= trainer->setup->iterations)
            return TRAIN_OK;
        if (status == TRAIN_OK && events->stop && atomic_load(events->stop))
            return TRAIN_STOPPED;
        if (status == TRAIN_OK)
            status = step(trainer, ret_error);
        if (status != TRAIN_OK)
            return status;
    }
}

enum train_status trainer_save(struct trainer *trainer, char ret_error[TRAIN_ERROR_MAX])
{
    return do_once(trainer, DUE_SAVE, trainer_ends(trainer), NULL, ret_error);
}

/* --- files --- */

bool trainer_write(const struct trainer *trainer, FILE *file)
{
    json_t *done = json_object();
    for (int due = 0; due < DUES; due++)
        json_object_set_new(done, due_names[due], json_integer(trainer->done[due]));
    json_t *head =
        json_pack("{s:i, s:s, s:s, s:o, s:I, s:f, s:o, s:O}", "rinkd_run", FORMAT, "game",
                  trainer->setup->game->name, "algorithm", trainer->setup->class->name, "seed",
                  json_sprintf("%" PRIu64, trainer->setup->common.seed), "ends",
                  (json_int_t)trainer_ends(trainer), "cpu_s", trainer->cpu_s, "done", done,
                  "learning", trainer->setup->learning);
    bool good = head && json_dumpf(head, file, JSON_COMPACT) == 0 && putc('\n', file) != EOF;
    json_decref(head);
    return good && trainer->learner->class->write(trainer->learner, file);
}

/* Checks that each field of `ours` equals that of `theirs`; names the first that differs. */
static enum train_status compare(const json_t *theirs, json_t *ours, char *ret_error)
{
    json_t *value;
    const char *key;

    json_object_foreach(ours, key, value)
    {
        const json_t *other = json_object_get(theirs, key);
        if (json_equal(value, other))
            continue;
        char *there = json_dumps(other, JSON_COMPACT | JSON_ENCODE_ANY);
        char *here = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
        snprintf(ret_error, TRAIN_ERROR_MAX, "the run had another %s: %s, not %s", key,
                 there ? there : "none", here ? here : "?");
        free(there);
        free(here);
        return TRAIN_BAD_SPEC;
    }
    return TRAIN_OK;
}

static enum train_status take_head(struct trainer *trainer, const json_t *head, bool is_branch,
                                   char *ret_error)
{
    const struct trainer_setup *setup = trainer->setup;
    const char *game = json_string_value(json_object_get(head, "game")),
               *algorithm = json_string_value(json_object_get(head, "algorithm")),
               *seed = json_string_value(json_object_get(head, "seed"));
    const json_t *done = json_object_get(head, "done");

    if (json_integer_value(json_object_get(head, "rinkd_run")) != FORMAT || !game || !algorithm ||
        !seed) {
        snprintf(ret_error, TRAIN_ERROR_MAX, "is not a checkpoint of a run");
        return TRAIN_BAD_SPEC;
    }
    if (strcmp(game, setup->game->name) != 0 || strcmp(algorithm, setup->class->name) != 0) {
        snprintf(ret_error, TRAIN_ERROR_MAX, "the run was of %s on %s, not of %s on %s", algorithm,
                 game, setup->class->name, setup->game->name);
        return TRAIN_BAD_SPEC;
    }
    if (!is_branch && strtoull(seed, NULL, 10) != setup->common.seed) {
        snprintf(ret_error, TRAIN_ERROR_MAX, "the run had another seed: %s, not %" PRIu64, seed,
                 setup->common.seed);
        return TRAIN_BAD_SPEC;
    }
    trainer->cpu_s = json_number_value(json_object_get(head, "cpu_s"));
    for (int due = 0; due < DUES; due++)
        trainer->done[due] = json_integer_value(json_object_get(done, due_names[due]));
    return compare(json_object_get(head, "learning"), setup->learning, ret_error);
}

/* Reads the line of JSON at the start of the file. NULL: none. */
static json_t *read_head(FILE *file)
{
    char *text = malloc(HEAD_MAX);
    json_t *head = NULL;

    if (text && fgets(text, HEAD_MAX, file) && strchr(text, '\n'))
        head = json_loads(text, 0, NULL);
    free(text);
    return head;
}

enum train_status trainer_read(const struct trainer_setup *setup,
                               const struct trainer_events *events, FILE *file, bool is_branch,
                               struct trainer **ret_trainer, char ret_error[TRAIN_ERROR_MAX])
{
    struct trainer *trainer = new_trainer(setup, events);
    json_t *head = trainer ? read_head(file) : NULL;

    if (!trainer)
        return no_memory(ret_error);
    enum train_status status = take_head(trainer, head, is_branch, ret_error);
    json_decref(head);
    if (status == TRAIN_OK) {
        trainer->learner = setup->class->read(setup->class, setup->game, &setup->common,
                                              &setup->hyper, file, ret_error);
        if (!trainer->learner)
            status = TRAIN_BAD_SPEC;
    }
    if (status != TRAIN_OK) {
        trainer_free(trainer);
        return status;
    }
    start_clocks(trainer);
    *ret_trainer = trainer;
    return TRAIN_OK;
}
