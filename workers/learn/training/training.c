/* Runs the seeds one after the other: reports, saves and resumes their runs. */
#include "workers/learn/training/training.h"

#include "api/base/clock.h"
#include "models/tables/architectures.h"
#include "workers/learn/algorithms/blas.h"
#include "workers/learn/algorithms/run_networks.h"
#include "workers/learn/training/train_file.h"
#include "workers/learn/training/train_game.h"
#include "workers/learn/training/train_judge.h"
#include "workers/learn/training/train_rounds.h"
#include "workers/learn/training/train_share.h"
#include "workers/learn/training/trainer.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Largest number of points on a curve of learning, not of judging. */
enum { POINTS_MOST = 500 };

#define PARTIAL_S 3.0

/* The state of a run that earlier attempts left. */
struct left {
    json_t *result; /* of a finished run, borrowed from the journal; else NULL */
    FILE *file;     /* last sound checkpoint of an unfinished run; NULL: none */
    size_t lines;   /* of the journal, up to and including that result or checkpoint; 0: none */
};

struct training_state {
    const struct training *training;
    const struct training_sink *sink;
    const struct train_plan *plan;
    struct train_game game;
    struct trainer_setup setup;
    struct train_journal *journal; /* that of the training */
    struct left left[TRAIN_SEEDS_MAX];
    json_t *finished; /* results of earlier runs */
    double partial_s;
    struct train_share share;
    bool knows_blas;

    /* the current run */
    int index;
    const char *run;
    const struct trainer *trainer;
    double ends_per_s;
    double learned;          /* what of its learning was done when that was last counted … */
    double since_s, judge_s; /* … and when that was, and the judging since then */
    struct train_judge judge;
    json_t *models;    /* [{"name","path","sha256","step"}], the latest ones */
    json_t *judgement; /* {name: value}, the latest ones */
    json_t *files; /* {"checkpoint":[[step,path],…],"model":[[step,path,…],…]}, oldest first */
};

/* ---- reporting ---- */

/* Notes the file that a line names, if any. If the training is alone, deletes the files of all but
 * the last keep_checkpoints steps. */
static void note_file(struct training_state *state, const char *kind, const json_t *line)
{
    json_t *path = json_object_get(json_object_get(line, kind), "path"),
           *step = json_object_get(line, "step"), *steps = json_object_get(state->files, kind),
           *last = json_array_get(steps, json_array_size(steps) - 1);

    if (!path)
        return;
    if (json_equal(json_array_get(last, 0), step))
        json_array_append(last, path);
    else
        json_array_append_new(steps, json_pack("[O, O]", step, path));
    while (state->training->is_alone &&
           (int64_t)json_array_size(steps) > state->plan->keep_checkpoints) {
        const json_t *oldest = json_array_get(steps, 0);
        for (size_t k = 1; k < json_array_size(oldest); k++) {
            char full[TRAIN_PATH_MAX];
            snprintf(full, sizeof full, "%s/%s", state->training->folder,
                     json_string_value(json_array_get(oldest, k)));
            unlink(full);
        }
        json_array_remove(steps, 0);
    }
}

/* Applies a journal line to its run. */
static void take_line(struct training_state *state, const json_t *line)
{
    static const char *const judged[] = {"pair_score",       "win_rate", "exploitability",
                                         "fitness/champion", "won",      "held_out"};
    enum { JUDGED = sizeof judged / sizeof judged[0] };
    const json_t *points = json_object_get(line, "points"), *model = json_object_get(line, "model");
    const char *name;
    json_t *value;

    json_object_foreach((json_t *)points, name, value) for (int k = 0; k < JUDGED; k++)
    {
        if (strncmp(name, judged[k], strlen(judged[k])) == 0)
            json_object_set(state->judgement, name, value);
    }
    note_file(state, "checkpoint", line);
    note_file(state, "model", line);
    if (!model)
        return;
    json_t *entry = json_deep_copy(model), *other;
    size_t k;
    json_object_set(entry, "step", json_object_get(line, "step"));
    json_array_foreach(state->models, k, other)
    {
        if (json_equal(json_object_get(other, "name"), json_object_get(entry, "name"))) {
            json_array_set_new(state->models, k, entry);
            return;
        }
    }
    json_array_append_new(state->models, entry);
}

/* Writes a line to the journal and reports it to the listener. Steals `value`. */
static enum train_status say(struct training_state *state, int64_t step, const char *what,
                             json_t *value, char *ret_error)
{
    json_t *line =
        json_pack("{s:s, s:I, s:o}", "run", state->run, "step", (json_int_t)step, what, value);
    if (!line)
        return train_fail(ret_error, TRAIN_NO_MEMORY, "out of memory");
    enum train_status status = train_journal_add(state->journal, line, ret_error);
    if (status == TRAIN_OK) {
        take_line(state, line);
        state->sink->say(state->sink->context, line);
    }
    json_decref(line);
    return status;
}

__attribute__((format(printf, 2, 3))) static void warn(const struct training_state *state,
                                                       const char *format, ...)
{
    char text[TRAIN_ERROR_MAX + TRAIN_PATH_MAX];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    state->sink->warn(state->sink->context, text);
}

/* ---- results ---- */

/* Returns the current result of the run. NULL: no memory. */
static json_t *run_result(const struct training_state *state, const struct trainer *trainer)
{
    const struct learner *learner = trainer_learner(trainer);
    const struct learner_report report = learner_report_of(learner);
    char sha256[TRAIN_SHA256_MAX];

    run_weights_sha256(learner, sha256);
    return json_pack("{s:s, s:I, s:I, s:I, s:I, s:f, s:s, s:o, s:o}", "run", state->run, "seed",
                     (json_int_t)state->plan->seed[state->index], "ends", (json_int_t)report.games,
                     "decisions", (json_int_t)report.decisions, "updates",
                     (json_int_t)report.updates, "cpu_s", trainer_cpu_s(trainer), "weights_sha256",
                     sha256, "models", json_deep_copy(state->models), "judged",
                     json_deep_copy(state->judgement));
}

json_t *training_result(const struct train_plan *plan, json_t *runs)
{
    return json_pack("{s:s, s:s*, s:s, s:I, s:o}", "algorithm", plan->class->name, "reward",
                     plan->reward, "profile", plan->profile, "iterations",
                     (json_int_t)plan->iterations, "runs", runs);
}

/* Returns the result of all runs; `current` (stolen) is the unfinished run's result, or NULL. */
static json_t *whole_result(const struct training_state *state, json_t *current)
{
    json_t *runs = json_copy(state->finished);

    if (current)
        json_array_append_new(runs, current);
    return training_result(state->plan, runs);
}

/* ---- the trainer's events ---- */

static enum train_status keep(struct training_state *state, const struct learner *learner,
                              int64_t step, char *ret_error)
{
    struct train_policy_file files[LEARNER_POLICIES_MAX];
    int count;
    enum train_status status =
        train_judge_keep(&state->judge, learner, step, files, &count, ret_error);

    for (int k = 0; k < count && status == TRAIN_OK; k++)
        status = say(state, step, "model",
                     json_pack("{s:s, s:s, s:s}", "name", files[k].policy, "path", files[k].name,
                               "sha256", files[k].sha256),
                     ret_error);
    return status;
}

/* Reports the partial result of all runs. */
static void tell_partial(const struct training_state *state, const struct trainer *trainer)
{
    const struct training_sink *sink = state->sink;
    if (sink->partial)
        sink->partial(sink->context, whole_result(state, run_result(state, trainer)));
}

/* ---- progress ---- */

/* The events that are works of their own. */
static const enum train_work work_of[TRAINER_EVENTS] = {
    [TRAINER_EVALUATE] = TRAIN_PLAYS, [TRAINER_MEASURE] = TRAIN_MEASURES};
static const enum trainer_event judging[] = {TRAINER_EVALUATE, TRAINER_MEASURE};
enum { JUDGING = sizeof judging / sizeof *judging };

/* Returns how often an event has happened, by its last step in the present run, since the training
 * began or, in one round, since that began: the first round has what precedes it too. */
static double happened(const struct training_state *state, enum trainer_event event, int64_t step)
{
    const int64_t all = state->plan->iterations, every = state->setup.every[event];
    const struct training_round *round = state->training->round;
    const double times = train_share_times_until(all, every, step);

    if (!round)
        return times + state->index * train_share_times(all, every);
    return round->number == 0 ? times : times - train_share_times_until(all, every, round->number);
}

static void set_up_share(struct training_state *state)
{
    const struct train_plan *plan = state->plan;
    const struct training_round *round = state->training->round;
    struct train_amount *work = state->share.work;

    work[TRAIN_LEARNS].all = round ? 1.0 : (double)plan->iterations * plan->seeds;
    for (int k = 0; k < JUDGING; k++) {
        const enum trainer_event event = judging[k];
        work[work_of[event]].all =
            round ? happened(state, event, round->number + 1)
                  : train_share_times(plan->iterations, state->setup.every[event]) * plan->seeds;
    }
}

static void tell_progress(const struct training_state *state, struct train_share *share)
{
    const struct training_sink *sink = state->sink;
    const struct training_progress progress = {.run = state->index,
                                               .ends = trainer_ends(state->trainer),
                                               .share = train_share_tell(share),
                                               .ends_per_s = state->ends_per_s,
                                               .left_s = train_share_left_s(share)};

    sink->progress(sink->context, &progress);
}

/* Counts the learning since the last time. */
static void count_learning(struct training_state *state, int64_t ends, double now)
{
    const struct training_round *round = state->training->round;
    const double of_run = fmin((double)ends, (double)state->plan->iterations),
                 learned =
                     round ? rounds_share_of((const struct rounds *)trainer_learner(state->trainer),
                                             round->number)
                           : (double)state->plan->iterations * state->index + of_run;
    const bool is_first = state->since_s < 0.0;

    train_share_note(&state->share, TRAIN_LEARNS, learned,
                     is_first ? 0.0 : learned - state->learned,
                     is_first ? 0.0 : now - state->since_s - state->judge_s);
    state->learned = learned;
    state->since_s = now;
    state->judge_s = 0.0;
}

static void on_progress(void *context, const struct trainer *trainer, int64_t ends,
                        double ends_per_s)
{
    struct training_state *state = context;
    const double now = clock_now_s();

    state->trainer = trainer;
    state->ends_per_s = ends_per_s;
    count_learning(state, ends, now);
    for (int k = 0; k < JUDGING; k++)
        train_share_note(&state->share, work_of[judging[k]],
                         happened(state, judging[k], trainer_done(trainer, judging[k])), 0.0, 0.0);
    tell_progress(state, &state->share);
    if (state->partial_s <= 0.0)
        state->partial_s = now;
    if (now - state->partial_s >= PARTIAL_S) {
        state->partial_s = now;
        tell_partial(state, trainer);
    }
}

/* ---- judging ---- */

/* The judging under way. */
struct judging_now {
    struct training_state *state;
    enum train_work work;
    double before, after, start_s; /* times that it has happened */
};

/* Tells the progress in a measurement, a share of which is done. */
static void on_part(void *context, double part)
{
    const struct judging_now *now = context;
    struct training_state *state = now->state;
    struct train_share share = state->share;
    const double fresh = part * (now->after - now->before);

    train_share_note(&share, now->work, now->before + fresh, fresh, clock_now_s() - now->start_s);
    tell_progress(state, &share);
    state->share.told = share.told;
}

static enum train_status judge(struct training_state *state, enum trainer_event event, int64_t step,
                               char *ret_error)
{
    struct judging_now now = {state, work_of[event], state->share.work[work_of[event]].done,
                              happened(state, event, step), clock_now_s()};
    train_judge_function *by =
        event == TRAINER_MEASURE ? train_judge_measure : train_judge_evaluate;
    json_t *points;

    state->judge.progress = on_part;
    state->judge.context = &now;
    enum train_status status =
        by(&state->judge, trainer_learner(state->trainer), &points, ret_error);
    if (status == TRAIN_OK)
        status = say(state, step, "points", points, ret_error);
    if (status != TRAIN_OK)
        return status;
    const double seconds = clock_now_s() - now.start_s;
    train_share_note(&state->share, now.work, now.after, now.after - now.before, seconds);
    state->judge_s += seconds;
    tell_progress(state, &state->share);
    return TRAIN_OK;
}

/* ---- saving ---- */

/* What a checkpoint holds: the run, and what it has reported, for a machine without its journal. */
struct saving {
    const struct trainer *trainer;
    json_t *said;
};

static bool write_trainer(void *context, FILE *file)
{
    const struct saving *saving = context;

    return saving->said && trainer_write(saving->trainer, saving->said, file);
}

static bool write_state(void *context, FILE *file)
{
    const struct saving *saving = context;

    return saving->said && trainer_write_state(saving->trainer, saving->said, file);
}

static json_t *all_said(const struct training_state *state)
{
    return json_pack("{s:O, s:O}", "models", state->models, "judged", state->judgement);
}

static enum train_status save(struct training_state *state, struct trainer *trainer, int64_t step,
                              char *ret_error)
{
    char name[TRAIN_NAME_MAX], path[TRAIN_PATH_MAX], sha256[TRAIN_SHA256_MAX];

    snprintf(name, sizeof name, "%s-%" PRId64 ".checkpoint", state->run, step);
    snprintf(path, sizeof path, "%s/%s", state->training->folder, name);
    struct saving saving = {trainer, all_said(state)};
    enum train_status status = train_file_write(path, write_trainer, &saving, sha256, ret_error);
    json_decref(saving.said);
    if (status != TRAIN_OK)
        return status;
    /* The result comes before the checkpoint, so that no listener has a checkpoint with an older
     * result. */
    tell_partial(state, trainer);
    return say(state, step, "checkpoint", json_pack("{s:s, s:s}", "path", name, "sha256", sha256),
               ret_error);
}

static enum train_status perform(void *context, struct trainer *trainer, enum trainer_event event,
                                 int64_t step, char *ret_error)
{
    struct training_state *state = context;
    const struct learner *learner = trainer_learner(trainer);
    bool is_toy = !state->game.rules && !learner->class->policy_file;

    switch (event) {
    case TRAINER_POINTS:
        return say(state, step, "points", trainer_points(trainer), ret_error);
    case TRAINER_KEEP:
        return is_toy ? TRAIN_OK : keep(state, learner, step, ret_error);
    case TRAINER_EVALUATE:
        return judge(state, event, step, ret_error);
    case TRAINER_MEASURE:
        /* It takes long, and at step 0 nothing else has been said. */
        warn(state,
             "run %.8s, step %" PRId64 ": measures exploitability, %" PRId64
             " ends against each seat besides those that choose the responder",
             state->run, step, state->plan->exploitability_ends);
        return judge(state, event, step, ret_error);
    default:
        return save(state, trainer, step, ret_error);
    }
}

/* ---- resuming ---- */

/* Returns the number of lines up to and including the checkpoint that the listener has. */
static size_t heard_lines(const struct training_state *state)
{
    const json_t *recorded = state->training->recorded,
                 *sha256 = json_object_get(recorded, "sha256"),
                 *lines = train_journal_lines(state->journal), *line;
    size_t heard = state->training->heard, k;

    if (state->training->is_alone)
        return json_array_size(lines);
    json_array_foreach(lines, k, line)
    {
        const json_t *checkpoint = json_object_get(line, "checkpoint");
        if (json_equal(json_object_get(checkpoint, "sha256"), sha256) &&
            json_equal(json_object_get(line, "run"), json_object_get(recorded, "run")) &&
            k >= heard)
            heard = k + 1;
    }
    return heard < json_array_size(lines) ? heard : json_array_size(lines);
}

/* Whether the file that a line names exists. The listener removes policies after it stored them,
 * and unknown files when it restarts. */
static bool has_file(const struct training_state *state, const json_t *line)
{
    static const char *const kinds[] = {"checkpoint", "model"};
    char path[TRAIN_PATH_MAX];

    for (int k = 0; k < 2; k++) {
        const char *name =
            json_string_value(json_object_get(json_object_get(line, kinds[k]), "path"));
        snprintf(path, sizeof path, "%s/%s", state->training->folder, name ? name : "");
        if (name && access(path, R_OK) != 0)
            return false;
    }
    return true;
}

/* Returns the number of usable lines: from `heard` on, up to the first whose file is missing. */
static size_t good_lines(const struct training_state *state, size_t heard)
{
    const json_t *lines = train_journal_lines(state->journal);
    size_t k = heard;

    while (k < json_array_size(lines) && has_file(state, json_array_get(lines, k)))
        k++;
    return k;
}

/* Opens a checkpoint and checks its hash. NULL, after a warning: missing or damaged. */
static FILE *open_checkpoint(const struct training_state *state, const char *path,
                             const char *sha256)
{
    char found[TRAIN_SHA256_MAX];
    bool can_be_read = file_hash(path, found),
         is_same = can_be_read && sha256 && strcmp(found, sha256) == 0;
    FILE *file = is_same ? fopen(path, "re") : NULL;

    if (can_be_read && !is_same)
        warn(state, "%s: is damaged: its SHA-256 has changed", path);
    else if (!file)
        warn(state, "%s: cannot be read: %s", path, strerror(errno));
    return file;
}

static bool is_of_run(const struct training_state *state, const json_t *line, int index)
{
    const char *run = json_string_value(json_object_get(line, "run"));
    return run && strcmp(run, state->training->run[index]) == 0;
}

/* Takes the checkpoint that the listener has, if it is of a later step: another machine wrote it,
 * and its lines are not in this journal. */
static void take_far(const struct training_state *state, int index, int64_t step, struct left *left)
{
    const json_t *recorded = state->training->recorded;
    const char *name = json_string_value(json_object_get(recorded, "path"));
    char path[TRAIN_PATH_MAX];

    if (!name || !is_of_run(state, recorded, index) ||
        json_integer_value(json_object_get(recorded, "step")) <= step)
        return;
    snprintf(path, sizeof path, "%s/%s", state->training->folder, name);
    FILE *file =
        open_checkpoint(state, path, json_string_value(json_object_get(recorded, "sha256")));
    if (!file)
        return;
    if (left->file)
        fclose(left->file);
    *left = (struct left){.file = file};
}

/* Finds in the first `good` lines the result of a run, if it has finished with the plan's number of
 * ends, or its last checkpoint. */
static struct left find_left(const struct training_state *state, int index, size_t good)
{
    const json_t *lines = train_journal_lines(state->journal);
    struct left left = {.lines = 0};
    int64_t step = -1; /* of the checkpoint */

    for (size_t k = good; k-- > 0 && left.lines == 0;) {
        const json_t *line = json_array_get(lines, k);
        if (is_of_run(state, line, index) &&
            json_integer_value(json_object_get(line, "step")) == state->plan->iterations &&
            (left.result = json_object_get(line, "finished")))
            left.lines = k + 1;
    }
    for (size_t k = good; k-- > 0 && left.lines == 0;) {
        const json_t *line = json_array_get(lines, k),
                     *checkpoint = json_object_get(line, "checkpoint");
        const char *name = json_string_value(json_object_get(checkpoint, "path"));
        char path[TRAIN_PATH_MAX];
        if (!name || !is_of_run(state, line, index))
            continue;
        snprintf(path, sizeof path, "%s/%s", state->training->folder, name);
        left.file =
            open_checkpoint(state, path, json_string_value(json_object_get(checkpoint, "sha256")));
        if (left.file) {
            left.lines = k + 1;
            step = json_integer_value(json_object_get(line, "step"));
        }
    }
    if (!left.result)
        take_far(state, index, step, &left);
    return left;
}

/* ---- one run ---- */

/* Sets up the state of a run from its journal lines. */
static void begin_run(struct training_state *state, int index)
{
    state->index = index;
    state->since_s = -1.0;
    state->judge_s = 0.0;
    state->run = state->training->run[index];
    state->setup.common.seed = state->plan->seed[index];
    state->judge = (struct train_judge){.plan = state->plan,
                                        .game = &state->game,
                                        .folder = state->training->folder,
                                        .run = state->run,
                                        .stop = state->sink->stop};
    json_array_clear(state->models);
    json_object_clear(state->judgement);
    json_object_set_new(state->files, "checkpoint", json_array());
    json_object_set_new(state->files, "model", json_array());
    for (size_t k = 0; k < state->left[index].lines; k++) {
        const json_t *line = json_array_get(train_journal_lines(state->journal), k);
        if (is_of_run(state, line, index))
            take_line(state, line);
    }
}

static enum train_status open_trainer(struct training_state *state,
                                      const struct trainer_events *events, FILE *file,
                                      struct trainer **ret_trainer, char *ret_error)
{
    const struct train_plan *plan = state->plan;
    bool is_branch = !file && plan->from_path;

    if (is_branch && !(file = open_checkpoint(state, plan->from_path, plan->from_sha256)))
        return train_fail(ret_error, TRAIN_BAD_SPEC, "/from: the checkpoint cannot be used");
    enum train_status status =
        trainer_open(&state->setup, events, file, is_branch, ret_trainer, ret_error);
    if (file)
        fclose(file);
    return status;
}

/* Takes what the run had reported at its checkpoint, which knows it better than the journal: parts
 * of the run may have been on another machine. */
static void take_said(struct training_state *state, const json_t *said)
{
    json_t *models = json_object_get(said, "models"), *judged = json_object_get(said, "judged");

    if (!json_is_array(models) || !json_is_object(judged))
        return;
    json_array_clear(state->models);
    json_array_extend(state->models, models);
    json_object_clear(state->judgement);
    json_object_update(state->judgement, judged);
}

/* Call it once a network exists: BLAS is not loaded earlier. */
static void warn_of_blas(struct training_state *state)
{
    char path[TRAIN_PATH_MAX];

    const struct network_architecture *architecture =
        state->plan->architecture ? network_architecture_find(state->plan->architecture) : NULL;

    if (!state->knows_blas && architecture && architecture->needs_torch &&
        blas_is_slow(sizeof path, path))
        warn(state,
             "%s networks will be about ten times slower than they could be: %s is the plain BLAS; "
             "install libblis4-serial",
             state->plan->architecture, path);
    state->knows_blas = true;
}

/* ---- one round ---- */

/* Prepares the run for the fit of its round: the items of others, what they have spent. */
static enum train_status take_round(struct training_state *state, struct trainer *trainer,
                                    char *ret_error)
{
    const struct training_round *round = state->training->round;
    struct rounds *rounds = trainer_rounds(trainer);
    enum train_status status = TRAIN_OK;

    if (!rounds || rounds->state.games != (uint64_t)round->number)
        return train_fail(ret_error, TRAIN_BAD_SPEC,
                          "the run has finished %" PRId64 " rounds, not %" PRId64,
                          trainer_ends(trainer), round->number);
    for (int part = 0; part < rounds->class->parts && status == TRAIN_OK; part++)
        if (round->items[part])
            status =
                train_rounds_take(rounds, part, round->items[part], state->sink->stop, ret_error);
    trainer_add_spent(trainer, round->spent);
    return status;
}

/* Writes the run after its round. */
static enum train_status put_state(const struct training_state *state,
                                   const struct trainer *trainer, char *ret_error)
{
    struct saving saving = {trainer, all_said(state)};
    char sha256[TRAIN_SHA256_MAX];
    enum train_status status =
        train_file_write(state->training->round->output, write_state, &saving, sha256, ret_error);

    json_decref(saving.said);
    return status;
}

/* Ends a part of a run: a result, and the run when it is a round. */
static enum train_status end_run(struct training_state *state, const struct trainer *trainer,
                                 char *ret_error)
{
    json_t *result = run_result(state, trainer);
    enum train_status status = TRAIN_OK;

    if (trainer_ends(trainer) >= state->plan->iterations)
        status = say(state, state->plan->iterations, "finished", json_incref(result), ret_error);
    json_array_append_new(state->finished, result);
    if (status == TRAIN_OK && state->training->round)
        status = put_state(state, trainer, ret_error);
    return status;
}

/* Runs to the end of a run, from a checkpoint (`file`, which it closes) or the start (NULL). */
static enum train_status do_run(struct training_state *state, FILE *file, char *ret_error)
{
    const struct training_sink *sink = state->sink;
    const struct trainer_events events = {
        .context = state, .stop = sink->stop, .progress = on_progress, .perform = perform};
    struct trainer *trainer = NULL;
    char sentence[TRAIN_ERROR_MAX];
    enum train_status status = open_trainer(state, &events, file, &trainer, ret_error);

    if (status == TRAIN_OK) {
        take_said(state, trainer_said(trainer));
        warn_of_blas(state);
        if (state->training->round)
            status = take_round(state, trainer, ret_error);
    }
    if (status == TRAIN_OK)
        status = trainer_run(trainer, ret_error);
    if (status == TRAIN_OK)
        status = end_run(state, trainer, ret_error);
    else if (status == TRAIN_STOPPED)
        tell_partial(state, trainer);
    /* A round begins anew. */
    if (status == TRAIN_STOPPED && !state->training->round &&
        (!sink->saves || atomic_load(sink->saves))) {
        enum train_status saved = trainer_save(trainer, ret_error);
        status = saved == TRAIN_OK ? TRAIN_STOPPED : saved;
    }
    if (status != TRAIN_OK && status != TRAIN_STOPPED && trainer) {
        snprintf(sentence, sizeof sentence, "%s", ret_error);
        train_fail(ret_error, status, "run %s, after %" PRId64 " ends: %.900s", state->run,
                   trainer_ends(trainer), sentence);
    }
    trainer_free(trainer);
    return status;
}

/* ---- all runs ---- */

/* Finds the saved state of each run, removes later lines from the journal, and repeats lines that
 * the listener may have missed. */
static enum train_status take_journal(struct training_state *state, char *ret_error)
{
    const json_t *lines = train_journal_lines(state->journal);
    size_t heard = heard_lines(state), good = good_lines(state, heard);
    json_t *kept = json_array();
    bool is_short = !kept;

    for (int index = 0; index < state->plan->seeds; index++)
        state->left[index] = find_left(state, index, good);
    for (size_t k = 0; k < good; k++) {
        json_t *line = json_array_get(lines, k);
        bool keep = true; /* lines of seeds outside this plan stay, for a later call */
        for (int index = 0; index < state->plan->seeds && keep; index++)
            keep = k < state->left[index].lines || !is_of_run(state, line, index);
        if (!keep)
            continue;
        is_short |= json_array_append(kept, line) != 0;
        if (k >= heard)
            state->sink->say(state->sink->context, line);
    }
    enum train_status status = is_short ? train_fail(ret_error, TRAIN_NO_MEMORY, "out of memory")
                                        : train_journal_keep(state->journal, kept, ret_error);
    json_decref(kept);
    return status;
}

/* Opens the run as it was before its round. */
static enum train_status take_state(struct training_state *state, char *ret_error)
{
    const struct training_round *round = state->training->round;

    if (!round || !round->state)
        return TRAIN_OK;
    state->left[0].file = fopen(round->state, "re");
    return state->left[0].file
               ? TRAIN_OK
               : train_fail(ret_error, TRAIN_DISK, "%.800s: %s", round->state, strerror(errno));
}

static enum train_status do_runs(struct training_state *state, char *ret_error)
{
    enum train_status status = take_journal(state, ret_error);

    if (status == TRAIN_OK)
        status = take_state(state, ret_error);

    for (int k = 0; k < state->plan->seeds && status == TRAIN_OK; k++) {
        struct left *left = &state->left[k];
        if (left->result) {
            json_array_append(state->finished, left->result);
            continue;
        }
        begin_run(state, k);
        status = do_run(state, left->file, ret_error);
        left->file = NULL;
    }
    for (int k = 0; k < state->plan->seeds; k++)
        if (state->left[k].file)
            fclose(state->left[k].file);
    return status;
}

static void set_up(struct training_state *state)
{
    const struct train_plan *plan = state->plan;
    const int64_t every = plan->iterations / POINTS_MOST;
    int64_t *due = state->setup.every;

    train_setup(plan, &state->game, &state->setup);
    state->setup.until = state->training->round ? state->training->round->number + 1 : 0;
    due[TRAINER_POINTS] = every > 0 ? every : 1;
    due[TRAINER_EVALUATE] = state->game.rules ? plan->evaluate_every : 0;
    due[TRAINER_MEASURE] = state->game.rules ? plan->exploitability_every : 0;
    due[TRAINER_SAVE] = plan->checkpoint_every;
    set_up_share(state);
}

enum train_status training_run(const struct training *training, const struct training_sink *sink,
                               json_t **ret_result, char ret_error[TRAIN_ERROR_MAX])
{
    struct training_state state = {.training = training,
                                   .sink = sink,
                                   .plan = training->plan,
                                   .journal = training->journal,
                                   .finished = json_array(),
                                   .models = json_array(),
                                   .judgement = json_object(),
                                   .files = json_object()};
    enum train_status status = train_game_make(training->plan, &state.game, ret_error);

    if (status == TRAIN_OK) {
        set_up(&state);
        status = do_runs(&state, ret_error);
    }
    train_game_free(&state.game);
    if (status == TRAIN_OK) {
        *ret_result = whole_result(&state, NULL);
        if (!*ret_result)
            status = train_fail(ret_error, TRAIN_NO_MEMORY, "out of memory");
    }
    json_decref(state.finished);
    json_decref(state.models);
    json_decref(state.judgement);
    json_decref(state.files);
    return status;
}
