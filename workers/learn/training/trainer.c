/* Triggers events at the ends where they are due; reads and writes the state of a run: a line of
 * JSON, then the learner's own bytes. */
#include "workers/learn/training/trainer.h"

#include "api/base/clock.h"
#include "api/base/load_json.h"
#include "api/base/next_line.h"
#include "api/jobs/wire.h"
#include "workers/learn/algorithms/rounds.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HEAD_MAX = 1 << 16, FORMAT = 1 };

static const char *const event_names[TRAINER_EVENTS] = {"points", "keep", "evaluate", "measure",
                                                        "save"};

struct trainer {
    const struct trainer_setup *setup;
    const struct trainer_events *events;
    struct learner *learner;
    json_t *said;                 /* at the checkpoint that the run continues; NULL: none */
    int64_t done[TRAINER_EVENTS]; /* step at which each event last happened; -1: never */
    double cpu_s;
    double elapsed_s; /* spent in the learner's steps by this process */

    /* At the last points. */
    struct learner_report before;
    double before_s; /* elapsed */
};

void trainer_free(struct trainer *trainer)
{
    if (trainer) {
        learner_free(trainer->learner);
        json_decref(trainer->said);
    }
    free(trainer);
}

const struct learner *trainer_learner(const struct trainer *trainer)
{
    return trainer->learner;
}

struct rounds *trainer_rounds(struct trainer *trainer)
{
    return rounds_of(trainer->learner);
}

int64_t trainer_ends(const struct trainer *trainer)
{
    return (int64_t)learner_report_of(trainer->learner).games;
}

int64_t trainer_done(const struct trainer *trainer, enum trainer_event event)
{
    return trainer->done[event];
}

double trainer_cpu_s(const struct trainer *trainer)
{
    return trainer->cpu_s;
}

void trainer_add_spent(struct trainer *trainer, struct trainer_spent spent)
{
    struct rounds *rounds = trainer_rounds(trainer);

    trainer->cpu_s += spent.cpu_s;
    trainer->elapsed_s += spent.elapsed_s;
    if (rounds)
        rounds->play_s += spent.play_s;
}

const json_t *trainer_said(const struct trainer *trainer)
{
    return trainer->said;
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

json_t *trainer_points(struct trainer *trainer)
{
    const struct learner_game *game = trainer->setup->game;
    const struct learner_report now = learner_report_of(trainer->learner),
                                *before = &trainer->before;
    double elapsed_s = trainer->elapsed_s - trainer->before_s, play_s = now.play_s - before->play_s,
           network_s = now.network_s - before->network_s, learn_s = now.learn_s - before->learn_s,
           sum_s = play_s + network_s + learn_s;
    json_t *points = json_object();

    for (int k = 0; k < now.losses && now.updates > 0; k++)
        json_object_set_new(points, now.loss[k].name, wire_number(now.loss[k].value));
    for (int k = 0; k < now.figures; k++)
        put(points, now.figure[k].name, now.figure[k].value);
    for (int k = 0; k < now.memories; k++)
        put(points, now.memory[k].name, (double)now.memory[k].entries);
    for (int seat = 0; seat < 2; seat++) {
        char name[LEARNER_NAME_MAX + 16];
        snprintf(name, sizeof name, "reward/%s", game->seats[seat]);
        put(points, name, now.reward[seat]);
        snprintf(name, sizeof name, "entropy/%s", game->seats[seat]);
        put(points, name, now.entropy[seat]);
    }
    put(points, "explore", now.explore);
    put(points, "eta", now.anticipatory);
    put(points, "ends_per_s", share((double)(now.games - before->games), elapsed_s));
    put(points, "shots_per_s", share((double)(now.throws - before->throws), elapsed_s));
    put(points, WIRE_SHARES "simulator", share(play_s, sum_s));
    put(points, WIRE_SHARES "network", share(network_s, sum_s));
    put(points, WIRE_SHARES "learner", share(learn_s, sum_s));
    put(points, "cpu_s", trainer->cpu_s);
    trainer->before = now;
    trainer->before_s = trainer->elapsed_s;
    return points;
}

/* --- due work --- */

/* Returns the step that an event due every `every` ends carries at `ends`; -1: never due. */
static int64_t step_of(const struct trainer *trainer, int64_t every, int64_t ends)
{
    int64_t last = trainer->setup->iterations;
    if (every == 0)
        return -1;
    return ends >= last ? last : ends / every * every;
}

/* Performs an event unless this step already had it. Marks it done first, because a checkpoint
 * contains its own mark; unmarks it on failure. */
static enum train_status do_once(struct trainer *trainer, enum trainer_event event, int64_t step,
                                 char *ret_error)
{
    const struct trainer_events *events = trainer->events;
    int64_t before = trainer->done[event];

    if (step <= before)
        return TRAIN_OK;
    trainer->done[event] = step;
    enum train_status status = events->perform(events->context, trainer, event, step, ret_error);
    if (status != TRAIN_OK)
        trainer->done[event] = before;
    return status;
}

static enum train_status do_all_due(struct trainer *trainer, int64_t ends, char *ret_error)
{
    const struct trainer_setup *setup = trainer->setup;
    enum train_status status = TRAIN_OK;
    int64_t step[TRAINER_EVENTS];

    for (int event = 0; event < TRAINER_EVENTS; event++)
        step[event] = step_of(trainer, setup->every[event], ends);
    if (ends >= setup->iterations)
        step[TRAINER_SAVE] = setup->iterations;
    step[TRAINER_KEEP] = -1; /* kept with the events below, at the largest of their steps */
    for (int event = TRAINER_EVALUATE; event < TRAINER_EVENTS; event++)
        if (step[event] > trainer->done[event] && step[event] > step[TRAINER_KEEP])
            step[TRAINER_KEEP] = step[event];
    for (int event = 0; event < TRAINER_EVENTS && status == TRAIN_OK; event++)
        status = do_once(trainer, (enum trainer_event)event, step[event], ret_error);
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
    const struct trainer_setup *setup = trainer->setup;
    const int64_t end = setup->until > 0 ? setup->until : setup->iterations;
    int64_t first = trainer_ends(trainer);
    double start_s = trainer->elapsed_s;

    for (;;) {
        int64_t ends = trainer_ends(trainer);
        if (events->progress)
            events->progress(events->context, trainer, ends,
                             share((double)(ends - first), trainer->elapsed_s - start_s));
        enum train_status status = do_all_due(trainer, ends, ret_error);
        if (status == TRAIN_OK && ends >= end)
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
    return do_once(trainer, TRAINER_SAVE, trainer_ends(trainer), ret_error);
}

/* --- files --- */

static bool write_run(const struct trainer *trainer, double cpu_s, json_t *said, FILE *file)
{
    json_t *done = json_object();
    for (int event = 0; event < TRAINER_EVENTS; event++)
        json_object_set_new(done, event_names[event], json_integer(trainer->done[event]));
    json_t *head =
        json_pack("{s:i, s:s, s:s, s:o, s:I, s:f, s:o, s:O, s:O}", "rinkd_run", FORMAT, "game",
                  trainer->setup->game->name, "algorithm", trainer->setup->class->name, "seed",
                  json_sprintf("%" PRIu64, trainer->setup->common.seed), "ends",
                  (json_int_t)trainer_ends(trainer), "cpu_s", cpu_s, "done", done, "learning",
                  trainer->setup->learning, "said", said);
    bool good = head && json_dumpf(head, file, JSON_COMPACT) == 0 && putc('\n', file) != EOF;
    json_decref(head);
    return good && trainer->learner->class->write(trainer->learner, file);
}

bool trainer_write(const struct trainer *trainer, json_t *said, FILE *file)
{
    return write_run(trainer, trainer->cpu_s, said, file);
}

bool trainer_write_state(const struct trainer *trainer, json_t *said, FILE *file)
{
    return write_run(trainer, 0.0, said, file);
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
        train_fail(ret_error, TRAIN_BAD_SPEC, "the run had another %s: %s, not %s", key,
                   there ? there : "none", here ? here : "?");
        free(there);
        free(here);
        return TRAIN_BAD_SPEC;
    }
    return TRAIN_OK;
}

static enum train_status take_head(struct trainer *trainer, json_t *head, bool is_branch,
                                   char *ret_error)
{
    const struct trainer_setup *setup = trainer->setup;
    const char *game, *algorithm, *seed;
    json_t *done = NULL, *learning = NULL, *said = NULL;
    int format;

    if (json_unpack(head, "{s:i, s:s, s:s, s:s, s?F, s?o, s?o, s?o}", "rinkd_run", &format, "game",
                    &game, "algorithm", &algorithm, "seed", &seed, "cpu_s", &trainer->cpu_s, "done",
                    &done, "learning", &learning, "said", &said) != 0 ||
        format != FORMAT)
        return train_fail(ret_error, TRAIN_BAD_SPEC, "is not a checkpoint of a run");
    if (strcmp(game, setup->game->name) != 0 || strcmp(algorithm, setup->class->name) != 0)
        return train_fail(ret_error, TRAIN_BAD_SPEC, "the run was of %s on %s, not of %s on %s",
                          algorithm, game, setup->class->name, setup->game->name);
    if (!is_branch && strtoull(seed, NULL, 10) != setup->common.seed)
        return train_fail(ret_error, TRAIN_BAD_SPEC, "the run had another seed: %s, not %" PRIu64,
                          seed, setup->common.seed);
    for (int event = 0; event < TRAINER_EVENTS; event++)
        trainer->done[event] = json_integer_value(json_object_get(done, event_names[event]));
    if (!is_branch && json_is_object(said))
        trainer->said = json_incref(said);
    return compare(learning, setup->learning, ret_error);
}

/* Reads the line of JSON at the start of the file; NULL: none. */
static enum train_status read_head(FILE *file, json_t **ret_head, char *ret_error)
{
    char *text = malloc(HEAD_MAX);
    json_error_t wrong;

    *ret_head = NULL;
    if (!text)
        return train_fail(ret_error, TRAIN_NO_MEMORY, "out of memory");
    const bool has_line = first_line(file, text, HEAD_MAX) > 0;
    if (has_line)
        *ret_head = load_json(text, strlen(text), 0, &wrong);
    free(text);
    if (ferror(file))
        return train_fail(ret_error, TRAIN_DISK, "%s", strerror(errno));
    if (has_line && !*ret_head && json_error_code(&wrong) == json_error_out_of_memory)
        return train_fail(ret_error, TRAIN_NO_MEMORY, "out of memory");
    return TRAIN_OK;
}

/* Makes the learner, or reads it from the file. */
static enum train_status make_learner(struct trainer *trainer, FILE *file, bool is_branch,
                                      char *ret_error)
{
    const struct trainer_setup *setup = trainer->setup;
    const struct learner_class *class = setup->class;

    if (file) {
        json_t *head;
        enum train_status status = read_head(file, &head, ret_error);
        if (status == TRAIN_OK)
            status = take_head(trainer, head, is_branch, ret_error);
        json_decref(head);
        if (status != TRAIN_OK)
            return status;
    }
    trainer->learner =
        file ? class->read(class, setup->game, &setup->common, &setup->hyper, file, ret_error)
             : class->make(class, setup->game, &setup->common, &setup->hyper, ret_error);
    return trainer->learner ? TRAIN_OK : TRAIN_BAD_SPEC;
}

enum train_status trainer_open(const struct trainer_setup *setup,
                               const struct trainer_events *events, FILE *file, bool is_branch,
                               struct trainer **ret_trainer, char ret_error[TRAIN_ERROR_MAX])
{
    struct trainer *trainer = calloc(1, sizeof *trainer);

    if (!trainer)
        return train_fail(ret_error, TRAIN_NO_MEMORY, "out of memory");
    trainer->setup = setup;
    trainer->events = events;
    /* These also happen at step 0, before any learning. */
    trainer->done[TRAINER_EVALUATE] = trainer->done[TRAINER_MEASURE] = trainer->done[TRAINER_KEEP] =
        -1;
    enum train_status status = make_learner(trainer, file, is_branch, ret_error);
    if (status != TRAIN_OK) {
        trainer_free(trainer);
        return status;
    }
    trainer->before = learner_report_of(trainer->learner);
    *ret_trainer = trainer;
    return TRAIN_OK;
}
