/* Passes items and runs on from stage to stage. See worker_train_rounds_lead.h. */
#include "workers/learn/training/worker_train_rounds_lead.h"

#include "api/base/strict_json.h"
#include "workers/durable.h"
#include "workers/lead.h"
#include "workers/learn/algorithms/run_networks.h"
#include "workers/learn/training/train_journal.h"
#include "workers/learn/training/train_rounds.h"
#include "workers/learn/training/training.h"
#include "workers/learn/training/worker_train_rounds.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define JOURNAL TRAIN_OWN "rounds.jsonl"

enum { COPY_BYTES = 1 << 16, ROUNDS_KEPT = 16 /* with their files, should a lie be found */ };

/* A run of the training. */
struct led_run {
    const char *name;
    char state[TRAIN_SHA256_MAX];                   /* "": the run begins */
    char items[ROUNDS_PARTS_MAX][TRAIN_SHA256_MAX]; /* of the batches that are complete */
    json_t *result;                                 /* of its last fit; NULL: none yet */
    struct trainer_spent spent;                     /* on items of the round */
    FILE *file;                                     /* of the items that are being merged */
};

struct led {
    struct worker *worker;
    const struct wire_job *job;
    const struct train_plan *plan;
    struct led_run run[TRAIN_SEEDS_MAX];
    struct train_journal *journal;
    json_t *pending; /* lines of what is merged, but not durable */

    int64_t number, unit, task; /* the stage; units of it and tasks that are merged */
    struct train_stage stage;
    bool has_stage; /* its files are open */
    bool is_broken; /* worker_fail() has said why */
    int error;      /* errno of opening files of the stage; 0: something is missing */
};

static bool fail(struct led *led, const char *what)
{
    led->is_broken = true;
    return worker_fail(led->worker, errno == ENOMEM ? "no-memory" : "disk", true, "%s: %s", what,
                       strerror(errno ? errno : EIO));
}

static bool fail_memory(struct led *led)
{
    errno = ENOMEM;
    return fail(led, "the lead of the training");
}

static bool blame(struct led *led, enum train_status status, const char *error)
{
    led->is_broken = true;
    return task_train_blame(led->worker, status, error);
}

/* ---- names ---- */

static void path_of(const struct led *led, const char *name, char path[TRAIN_PATH_MAX])
{
    if (snprintf(path, TRAIN_PATH_MAX, "%s/%s", led->job->folder, name) >= TRAIN_PATH_MAX)
        path[0] = '\0'; /* it cannot be opened */
}

/* ---- files of items ---- */

/* Returns where an item lies in the file of its part. */
static long place_of(const struct led *led, int index, size_t item)
{
    const struct rounds_shard shard =
        train_rounds_shard(led->plan, &led->stage, index, 0, led->stage.items);
    char head[ROUNDS_HEAD_MAX];

    return (long)(rounds_shard_head(&shard, head) +
                  item * led->plan->class->rounds->part[led->stage.part].item_bytes);
}

/* Returns how many items of a run are among the merged units of the stage. */
static size_t merged_of(const struct led *led, int index)
{
    const int64_t items = (int64_t)led->stage.items, before = (int64_t)index * items,
                  own = led->unit - before;

    return (size_t)(own < 0 ? 0 : own > items ? items : own);
}

static void names_of_items(const struct led *led, int index, char done[TRAIN_NAME_MAX],
                           char part[TRAIN_NAME_MAX + 8])
{
    train_rounds_items_name(led->plan, led->run[index].name, led->stage.part, led->stage.batch,
                            done);
    snprintf(part, TRAIN_NAME_MAX + 8, "%s.part", done);
}

/* Copies the first bytes of a file. False: they are not there. */
static bool copy_bytes(FILE *from, FILE *to, size_t bytes)
{
    unsigned char block[COPY_BYTES];

    while (bytes > 0) {
        const size_t some = bytes < sizeof block ? bytes : sizeof block;
        if (fread(block, 1, some, from) != some || fwrite(block, 1, some, to) != some)
            return false;
        bytes -= some;
    }
    return true;
}

/* Opens the file of the items of a run that are being merged, with those that are. It is a new file
 * each time: an old one may have other names, under which it was passed on. False: errno says why,
 * 0: items are missing. */
static bool open_items(struct led *led, int index)
{
    const struct rounds_shard shard =
        train_rounds_shard(led->plan, &led->stage, index, 0, led->stage.items);
    char done[TRAIN_NAME_MAX], part[TRAIN_NAME_MAX + 8], path[TRAIN_PATH_MAX],
        source[TRAIN_PATH_MAX], fresh[TRAIN_PATH_MAX], head[ROUNDS_HEAD_MAX];
    const size_t merged = merged_of(led, index), size = rounds_shard_head(&shard, head);
    FILE *from = NULL;

    names_of_items(led, index, done, part);
    path_of(led, part, path);
    path_of(led, done, source);
    if (snprintf(fresh, sizeof fresh, "%s.tmp", path) >= (int)sizeof fresh) {
        errno = ENAMETOOLONG;
        return false;
    }
    if (merged > 0 && !(from = fopen(path, "re")) && !(from = fopen(source, "re"))) {
        errno = 0;
        return false;
    }
    unlink(fresh);
    FILE *file = fopen(fresh, "w+xe");
    errno = 0;
    bool good = file && (from ? copy_bytes(from, file, (size_t)place_of(led, index, merged))
                              : fwrite(head, 1, size, file) == size);
    if (from) {
        const int error = ferror(from) || (file && ferror(file)) ? errno : 0;
        fclose(from);
        errno = error;
    }
    if (good && fflush(file) == 0 && rename(fresh, path) == 0) {
        led->run[index].file = file;
        return true;
    }
    const int error = errno;
    if (file)
        fclose(file);
    unlink(fresh);
    errno = error;
    return false;
}

static void close_items(struct led *led)
{
    for (int k = 0; k < led->plan->seeds; k++) {
        if (led->run[k].file)
            fclose(led->run[k].file);
        led->run[k].file = NULL;
    }
}

/* ---- the journal ---- */

/* Keeps a line until what it says is durable. Steals it. */
static bool note(struct led *led, json_t *line)
{
    return (line && json_array_append_new(led->pending, line) == 0) || fail_memory(led);
}

static bool write_pending(struct led *led)
{
    char error[TRAIN_ERROR_MAX];
    enum train_status status = TRAIN_OK;
    const json_t *line;
    size_t k;

    json_array_foreach(led->pending, k, line)
    {
        if (status == TRAIN_OK)
            status = train_journal_add(led->journal, line, error);
    }
    if (status == TRAIN_OK && json_array_size(led->pending) > 0)
        status = train_journal_sync(led->journal, error);
    json_array_clear(led->pending);
    return status == TRAIN_OK || blame(led, status, error);
}

static bool sync_all(void *context)
{
    struct led *led = context;

    for (int k = 0; k < led->plan->seeds; k++)
        if (led->run[k].file &&
            (fflush(led->run[k].file) != 0 || fsync(fileno(led->run[k].file)) != 0))
            return fail(led, "items of the round");
    return write_pending(led);
}

/* ---- going through the stages ---- */

/* Completes the files of items of a run; they get the name under which they are passed on. */
static bool seal_run(struct led *led, int index)
{
    struct led_run *run = &led->run[index];
    char done[TRAIN_NAME_MAX], part[TRAIN_NAME_MAX + 8], path[TRAIN_PATH_MAX],
        sealed[TRAIN_PATH_MAX];

    names_of_items(led, index, done, part);
    path_of(led, part, path);
    path_of(led, done, sealed);
    errno = 0;
    if (rounds_shard_seal(run->file, worker_stop(led->worker), run->items[led->stage.part]) &&
        fsync(fileno(run->file)) == 0 && rename(path, sealed) == 0 && durable_name(sealed))
        return true;
    return !atomic_load(worker_stop(led->worker)) && fail(led, path);
}

/* Ends a stage of items. False: it has failed, or the job is to end. */
static bool seal(struct led *led)
{
    json_t *hashes = json_array();
    bool good = hashes != NULL;

    for (int k = 0; k < led->plan->seeds && good; k++) {
        good = seal_run(led, k);
        if (good &&
            json_array_append_new(hashes, json_string(led->run[k].items[led->stage.part])) != 0)
            good = fail_memory(led);
    }
    close_items(led);
    if (good)
        return note(led, json_pack("{s:I, s:I, s:o}", "task", (json_int_t)led->task, "stage",
                                   (json_int_t)led->number, "sealed", hashes)) &&
               sync_all(led);
    json_decref(hashes);
    return false;
}

/* Removes the states with which a round began, and the items of which it was the last. */
static void drop_round(const struct led *led, int64_t round)
{
    const struct rounds_class *rounds = led->plan->class->rounds;
    char name[TRAIN_NAME_MAX], path[TRAIN_PATH_MAX];

    for (int k = 0; k < led->plan->seeds; k++) {
        train_rounds_state_name(led->run[k].name, round, name);
        path_of(led, name, path);
        unlink(path);
        for (int part = 0; part < rounds->parts; part++) {
            const uint64_t batch = rounds->part[part].batch((uint64_t)round);
            if (batch == rounds->part[part].batch((uint64_t)round + 1))
                continue;
            train_rounds_items_name(led->plan, led->run[k].name, part, batch, name);
            path_of(led, name, path);
            unlink(path);
        }
    }
}

/* Removes what no stage needs any more, unless it is only a short time since: files of rounds from
 * `first` on. */
static void drop_old(const struct led *led, int64_t first)
{
    const int64_t begin = train_rounds_first(led->plan);

    for (int64_t round = first > begin ? first : begin; round <= led->stage.round - ROUNDS_KEPT;
         round++)
        drop_round(led, round);
}

/* Opens the files of the present stage. */
static bool open_stage(struct led *led)
{
    led->has_stage = true;
    for (int k = 0; k < led->plan->seeds && led->stage.part != TRAIN_FIT; k++)
        if (!open_items(led, k))
            return false;
    return true;
}

static bool next_stage(void *context, int64_t number, struct lead_stage *ret_stage)
{
    struct led *led = context;

    if (led->has_stage) {
        if (led->stage.part != TRAIN_FIT && !seal(led))
            return false;
        led->number = number;
        led->unit = 0;
        if (!train_rounds_stage(led->plan, number, &led->stage))
            return false;
        if (led->stage.part == TRAIN_FIT)
            drop_old(led, led->stage.round - ROUNDS_KEPT);
        if (!open_stage(led)) {
            fail(led, "items of the round");
            return false;
        }
    } else {
        led->has_stage = true; /* find_place() has opened it */
    }
    ret_stage->units = (int64_t)led->stage.items * led->plan->seeds;
    ret_stage->most = led->stage.part == TRAIN_FIT ? 1 : 0;
    ret_stage->at_once = led->stage.part == TRAIN_FIT;
    if (led->stage.part != TRAIN_FIT)
        ret_stage->least = (int64_t)led->plan->class->rounds->part[led->stage.part].at_once;
    ret_stage->pace = train_rounds_pace(led->plan, &led->stage);
    train_rounds_shares(led->plan, &led->stage, &ret_stage->share_before, &ret_stage->share_after);
    return true;
}

/* ---- specs of tasks ---- */

static bool add_file(json_t *files, const char *name, const char *sha256)
{
    return json_array_append_new(files, json_pack("{s:s, s:s}", "path", name, "sha256", sha256)) ==
           0;
}

/* Adds the files that a task needs of a run: its state, and the items of the round so far. */
static bool add_files(const struct led *led, int index, json_t *files)
{
    const struct rounds_class *rounds = led->plan->class->rounds;
    const struct led_run *run = &led->run[index];
    const int parts = led->stage.part == TRAIN_FIT ? rounds->parts : led->stage.part;
    const uint64_t round = (uint64_t)led->stage.round;
    double settings[ROUNDS_SETTINGS_MAX];
    char name[TRAIN_NAME_MAX];
    bool good = true;

    rounds_settings(rounds, &led->plan->hyper, settings);
    if (run->state[0]) {
        train_rounds_state_name(run->name, led->stage.round, name);
        good = add_file(files, name, run->state);
    }
    for (int part = 0; part < parts && good; part++)
        if (rounds->part[part].wanted(settings, round) > 0) {
            train_rounds_items_name(led->plan, run->name, part, rounds->part[part].batch(round),
                                    name);
            good = add_file(files, name, run->items[part]);
        }
    return good;
}

static bool describe(void *context, const struct lead_task *task, json_t *spec)
{
    const struct led *led = context;
    const int64_t items = (int64_t)led->stage.items;
    json_t *files = json_array();
    bool good = files != NULL;

    for (int64_t k = task->first / items; k * items < task->first + task->count && good; k++)
        good = add_files(led, (int)k, files);
    good = good && json_object_set_new(spec, TRAIN_ROUND, json_integer(led->stage.round)) == 0 &&
           json_object_set(spec, TRAIN_FILES, files) == 0;
    json_decref(files);
    if (led->stage.part != TRAIN_FIT || !good)
        return good;
    const struct led_run *run = &led->run[task->first];
    const double before_s = json_number_value(json_object_get(run->result, "cpu_s"));
    return json_object_set_new(spec, WIRE_TASK_RUN, json_string(run->name)) == 0 &&
           json_object_set_new(spec, TRAIN_SPENT,
                               json_pack("{s:f, s:f, s:f}", "cpu_s", before_s + run->spent.cpu_s,
                                         "play_s", run->spent.play_s, "elapsed_s",
                                         run->spent.elapsed_s)) == 0;
}

/* Whether a task that an earlier lead has offered has the files of now. */
static bool fits(void *context, const struct lead_task *task, const json_t *spec)
{
    json_t *own = json_object();
    bool good = own && describe(context, task, own) &&
                json_equal(json_object_get(own, TRAIN_ROUND), json_object_get(spec, TRAIN_ROUND)) &&
                json_equal(json_object_get(own, TRAIN_FILES), json_object_get(spec, TRAIN_FILES));

    json_decref(own);
    return good;
}

/* ---- merging ---- */

static double seconds_of(const json_t *object, const char *key)
{
    const double value = json_number_value(json_object_get(object, key));

    return isfinite(value) && value > 0.0 ? value : 0.0;
}

static struct trainer_spent spent_of(const json_t *object)
{
    return (struct trainer_spent){seconds_of(object, "cpu_s"), seconds_of(object, "play_s"),
                                  seconds_of(object, "elapsed_s")};
}

static void add_spent(struct led_run *run, struct trainer_spent more)
{
    run->spent.cpu_s += more.cpu_s;
    run->spent.play_s += more.play_s;
    run->spent.elapsed_s += more.elapsed_s;
}

struct writing {
    FILE *file;
    size_t bytes;
};

static bool write_item(void *context, const unsigned char *bytes)
{
    const struct writing *writing = context;

    return fwrite(bytes, 1, writing->bytes, writing->file) == writing->bytes;
}

/* Part `*at` of the result of a task says what these items have cost. */
static const json_t *cost_of(const struct led *led, const struct lead_task *task, size_t at,
                             int index, size_t first, size_t count)
{
    const json_t *part = json_array_get(json_object_get(task->result, "parts"), at);
    const char *run = json_string_value(json_object_get(part, "run"));
    bool is_own = run && strcmp(run, led->run[index].name) == 0 &&
                  json_integer_value(json_object_get(part, "from")) == (json_int_t)first &&
                  json_integer_value(json_object_get(part, "count")) == (json_int_t)count;

    return is_own ? part : NULL;
}

/* Takes the shard of one run; what an output that is refused has left is written over. */
static enum lead_answer merge_shard(struct led *led, const struct lead_task *task, size_t at,
                                    FILE *from, int64_t unit, size_t count)
{
    const int index = (int)(unit / (int64_t)led->stage.items);
    const size_t first = (size_t)(unit % (int64_t)led->stage.items);
    const struct rounds_shard shard =
        train_rounds_shard(led->plan, &led->stage, index, first, count);
    struct led_run *run = &led->run[index];
    struct writing writing = {run->file,
                              led->plan->class->rounds->part[led->stage.part].item_bytes};
    const json_t *cost = cost_of(led, task, at, index, first, count);
    char error[ROUNDS_SHARD_ERROR_MAX];

    if (!cost)
        return lead_refuse(led->worker, task,
                           "its result does not tell the cost of items %zu to %zu of run %s", first,
                           first + count - 1, run->name);
    errno = 0;
    if (fseek(run->file, place_of(led, index, first), SEEK_SET) != 0) {
        fail(led, "items of the round");
        return LEAD_REFUSED;
    }
    if (!rounds_shard_read(&shard, from, worker_stop(led->worker), write_item, &writing, error)) {
        if (*error)
            return lead_refuse(led->worker, task, "%s: %s", task->path, error);
        if (atomic_load(worker_stop(led->worker)))
            return LEAD_STOPPED;
        fail(led, "items of the round");
        return LEAD_REFUSED;
    }
    const struct trainer_spent spent = spent_of(cost);
    json_t *line = json_pack(
        "{s:I, s:I, s:I, s:s, s:{s:f, s:f, s:f}}", "task", (json_int_t)task->number, "stage",
        (json_int_t)led->number, "unit", (json_int_t)(unit + (int64_t)count), "run", run->name,
        "spent", "cpu_s", spent.cpu_s, "play_s", spent.play_s, "elapsed_s", spent.elapsed_s);
    return note(led, line) ? LEAD_GO_ON : LEAD_REFUSED;
}

/* Takes the shards of a task, all of them or none. */
static enum lead_answer merge_items(struct led *led, const struct lead_task *task, FILE *from)
{
    const int64_t items = (int64_t)led->stage.items, end = task->first + task->count;
    const size_t before = json_array_size(led->pending);
    enum lead_answer answer = LEAD_GO_ON;
    char error[ROUNDS_SHARD_ERROR_MAX];
    size_t at = 0, k;
    json_t *line;

    for (int64_t unit = task->first; unit < end && answer == LEAD_GO_ON; at++) {
        const int64_t of_run = items - unit % items,
                      count = of_run < end - unit ? of_run : end - unit;
        answer = merge_shard(led, task, at, from, unit, (size_t)count);
        unit += count;
    }
    if (answer == LEAD_GO_ON && !rounds_shard_is_last(from, error))
        answer = lead_refuse(led->worker, task, "%s: %s", task->path, error);
    while (answer != LEAD_GO_ON && json_array_size(led->pending) > before)
        json_array_remove(led->pending, json_array_size(led->pending) - 1);
    if (answer != LEAD_GO_ON)
        return answer;
    at = 0;
    json_array_foreach(led->pending, k, line)
    {
        if (k < before)
            continue;
        const int64_t unit = json_integer_value(json_object_get(line, "unit"));
        add_spent(&led->run[(unit - 1) / items], spent_of(json_object_get(line, "spent")));
    }
    led->unit = end;
    led->task = task->number;
    return LEAD_GO_ON;
}

struct copying {
    FILE *from;
};

static bool copy_all(void *context, FILE *to)
{
    const struct copying *copying = context;
    unsigned char block[COPY_BYTES];
    size_t got;

    while ((got = fread(block, 1, sizeof block, copying->from)) > 0)
        if (fwrite(block, 1, got, to) != got)
            return false;
    return !ferror(copying->from);
}

/* The result has come in a line, which tells 50.0 as 50 (strict_make_whole()); the state has not.
 */
static bool is_judged_alike(const json_t *result, const json_t *said)
{
    json_t *told = strict_make_whole(json_deep_copy(said));
    const bool alike = json_equal(result, told);

    json_decref(told);
    return alike;
}

/* Checks the output of a fit by opening it as the next round would: it is the run after this round,
 * and its result speaks of it. LEAD_GO_ON: it does. */
static enum lead_answer check_fit(struct led *led, const struct lead_task *task, const char *path,
                                  const json_t *result)
{
    const int index = (int)task->first;
    struct train_opened opened;
    char error[TRAIN_ERROR_MAX], sha256[TRAIN_SHA256_MAX] = "";
    const char *run = json_string_value(json_object_get(result, "run")),
               *weights = json_string_value(json_object_get(result, "weights_sha256"));

    const enum train_status status =
        train_rounds_open(led->plan, index, led->stage.round + 1, path, &opened, error);
    if (status == TRAIN_NO_MEMORY) {
        blame(led, status, error);
        return LEAD_REFUSED;
    }
    if (status != TRAIN_OK)
        return lead_refuse(led->worker, task, "%s: %s", task->path, error);
    const struct learner_report report = learner_report_of(trainer_learner(opened.trainer));
    const json_t *said = trainer_said(opened.trainer);
    run_weights_sha256(trainer_learner(opened.trainer), sha256);
    bool good =
        run && strcmp(run, led->run[index].name) == 0 && weights && strcmp(weights, sha256) == 0 &&
        json_integer_value(json_object_get(result, "ends")) == (json_int_t)report.games &&
        json_integer_value(json_object_get(result, "seed")) == (json_int_t)led->plan->seed[index] &&
        json_integer_value(json_object_get(result, "decisions")) == (json_int_t)report.decisions &&
        json_integer_value(json_object_get(result, "updates")) == (json_int_t)report.updates &&
        json_equal(json_object_get(result, "models"), json_object_get(said, "models")) &&
        is_judged_alike(json_object_get(result, "judged"), json_object_get(said, "judged"));
    train_rounds_close(&opened);
    return good ? LEAD_GO_ON
                : lead_refuse(led->worker, task, "%s: is not the run that its result tells of",
                              task->path);
}

/* Removes what the process of a fit has left here. */
static void drop_journal(const struct led *led, int64_t task)
{
    char name[TRAIN_NAME_MAX], path[TRAIN_PATH_MAX];

    snprintf(name, sizeof name, "task-%" PRId64 ".jsonl", task);
    path_of(led, name, path);
    unlink(path);
    snprintf(name, sizeof name, ".task-%" PRId64 ".jsonl.lock", task);
    path_of(led, name, path);
    unlink(path);
}

static enum lead_answer merge_fit(struct led *led, const struct lead_task *task, FILE *from,
                                  const char *path)
{
    struct led_run *run = &led->run[task->first];
    json_t *result = json_array_get(json_object_get(task->result, "runs"), 0);
    char name[TRAIN_NAME_MAX], own[TRAIN_PATH_MAX], error[TRAIN_ERROR_MAX],
        sha256[TRAIN_SHA256_MAX];
    struct copying copying = {from};
    enum lead_answer answer = check_fit(led, task, path, result);

    if (answer != LEAD_GO_ON)
        return answer;
    train_rounds_state_name(run->name, led->stage.round + 1, name);
    path_of(led, name, own);
    const enum train_status status = train_file_write(own, copy_all, &copying, sha256, error);
    if (status != TRAIN_OK) {
        blame(led, status, error);
        return LEAD_REFUSED;
    }
    memcpy(run->state, sha256, sizeof run->state);
    json_decref(run->result);
    run->result = json_incref(result);
    run->spent = (struct trainer_spent){0.0, 0.0, 0.0};
    led->unit = task->first + 1;
    led->task = task->number;
    drop_journal(led, task->number);
    return note(led, json_pack("{s:I, s:I, s:I, s:s, s:s, s:O}", "task", (json_int_t)task->number,
                               "stage", (json_int_t)led->number, "unit", (json_int_t)led->unit,
                               "run", run->name, "state", sha256, "result", result))
               ? LEAD_GO_ON
               : LEAD_REFUSED;
}

static enum lead_answer merge(void *context, const struct lead_task *task)
{
    struct led *led = context;
    char path[TRAIN_PATH_MAX];

    if (!task->path)
        return lead_refuse(led->worker, task, "it has no file");
    path_of(led, task->path, path);
    FILE *from = fopen(path, "re");
    if (!from && errno != ENOENT) {
        fail(led, path);
        return LEAD_REFUSED;
    }
    if (!from)
        return lead_refuse(led->worker, task, "%s is gone", task->path);
    const enum lead_answer answer = led->stage.part == TRAIN_FIT ? merge_fit(led, task, from, path)
                                                                 : merge_items(led, task, from);
    fclose(from);
    return answer;
}

/* ---- results ---- */

static json_t *partial(void *context)
{
    const struct led *led = context;
    json_t *runs = json_array();

    for (int k = 0; k < led->plan->seeds; k++) {
        json_t *result = json_copy(led->run[k].result);
        const double cpu_s = json_number_value(json_object_get(result, "cpu_s"));
        if (led->run[k].spent.cpu_s > 0.0) /* the items of a round that is cut short count, too */
            json_object_set_new(result, "cpu_s", json_real(cpu_s + led->run[k].spent.cpu_s));
        if (result)
            json_array_append_new(runs, result);
    }
    return training_result(led->plan, runs);
}

/* ---- starting again ---- */

static void forget(struct led *led)
{
    for (int k = 0; k < led->plan->seeds; k++) {
        const char *name = led->run[k].name;
        json_decref(led->run[k].result);
        memset(&led->run[k], 0, sizeof led->run[k]);
        led->run[k].name = name;
    }
    led->number = led->unit = led->task = 0;
}

static int run_named(const struct led *led, const char *name)
{
    for (int k = 0; k < led->plan->seeds; k++)
        if (name && strcmp(led->run[k].name, name) == 0)
            return k;
    return -1;
}

static bool take_hash(const json_t *value, char ret_sha256[TRAIN_SHA256_MAX])
{
    const char *text = json_string_value(value);

    if (!text || strlen(text) != TRAIN_SHA256_MAX - 1)
        return false;
    memcpy(ret_sha256, text, TRAIN_SHA256_MAX);
    return true;
}

/* Takes what a line says. False: it does not follow from those before. */
static bool take_line(struct led *led, const json_t *line)
{
    const json_t *sealed = json_object_get(line, "sealed"), *state = json_object_get(line, "state");
    const int64_t number = json_integer_value(json_object_get(line, "stage"));
    struct train_stage stage;
    bool good = true;

    if (!train_rounds_stage(led->plan, number, &stage) ||
        (number != led->number && number != led->number + 1))
        return false;
    led->number = number;
    led->task = json_integer_value(json_object_get(line, "task"));
    if (sealed) {
        for (int k = 0; k < led->plan->seeds && stage.part != TRAIN_FIT; k++)
            good =
                take_hash(json_array_get(sealed, (size_t)k), led->run[k].items[stage.part]) && good;
        led->number++;
        led->unit = 0;
        return good && stage.part != TRAIN_FIT;
    }
    const int index = run_named(led, json_string_value(json_object_get(line, "run")));
    if (index < 0)
        return false;
    struct led_run *run = &led->run[index];
    led->unit = json_integer_value(json_object_get(line, "unit"));
    if (!state) {
        add_spent(run, spent_of(json_object_get(line, "spent")));
        return stage.part != TRAIN_FIT;
    }
    json_decref(run->result);
    run->result = json_incref(json_object_get(line, "result"));
    run->spent = (struct trainer_spent){0.0, 0.0, 0.0};
    return take_hash(state, run->state) && stage.part == TRAIN_FIT && run->result;
}

/* Whether a file of the lead is what it was. */
static bool is_whole(const struct led *led, const char *name, const char *sha256)
{
    char path[TRAIN_PATH_MAX], found[TRAIN_SHA256_MAX];

    path_of(led, name, path);
    return file_hash(path, found) && strcmp(found, sha256) == 0;
}

/* Whether the files of the present stage are there; opens those of its items. */
static bool has_files(struct led *led)
{
    json_t *files = json_array(), *file;
    bool good = files != NULL;
    size_t j;

    for (int k = 0; k < led->plan->seeds && good; k++)
        /* A run whose fit is merged is one round further. */
        if (led->stage.part == TRAIN_FIT && k < led->unit) {
            char name[TRAIN_NAME_MAX];
            train_rounds_state_name(led->run[k].name, led->stage.round + 1, name);
            good = add_file(files, name, led->run[k].state);
        } else {
            good = add_files(led, k, files);
        }
    json_array_foreach(files, j, file) good =
        good && is_whole(led, json_string_value(json_object_get(file, "path")),
                         json_string_value(json_object_get(file, "sha256")));
    json_decref(files);
    errno = 0;
    if (good && !open_stage(led)) {
        led->error = errno;
        good = false;
    }
    if (!good)
        close_items(led);
    led->has_stage = false;
    return good;
}

/* Takes the first `count` lines of the journal. False: they or their files are no good. */
static bool take_lines(struct led *led, size_t count)
{
    const json_t *lines = train_journal_lines(led->journal);

    forget(led);
    for (size_t k = 0; k < count; k++)
        if (!take_line(led, json_array_get(lines, k)))
            return false;
    if (!train_rounds_stage(led->plan, led->number, &led->stage))
        return false;
    const int64_t units = (int64_t)led->stage.items * led->plan->seeds;
    /* The last fit of a round is followed by the next one, if there is one. */
    if (led->stage.part == TRAIN_FIT && led->unit == units &&
        train_rounds_stage(led->plan, led->number + 1, &led->stage)) {
        led->number++;
        led->unit = 0;
    }
    return led->unit >= 0 && led->unit <= units && has_files(led);
}

/* Returns the number of lines of tasks that the daemon knows as merged. */
static size_t known_lines(const struct led *led)
{
    const json_t *lines = train_journal_lines(led->journal);
    size_t count = 0;

    while (count < json_array_size(lines) &&
           json_integer_value(json_object_get(json_array_get(lines, count), "task")) <=
               led->job->tasks.merged)
        count++;
    return count;
}

/* Returns the number of lines before the stage of line number `count` - 1. */
static size_t lines_before(const struct led *led, size_t count)
{
    const json_t *lines = train_journal_lines(led->journal),
                 *stage = json_object_get(json_array_get(lines, count - 1), "stage");

    while (count > 0 &&
           json_equal(json_object_get(json_array_get(lines, count - 1), "stage"), stage))
        count--;
    return count;
}

/* Finds where the training goes on: behind the lines of the journal that count, or behind fewer if
 * files are gone. */
static bool find_place(struct led *led)
{
    char error[TRAIN_ERROR_MAX];
    size_t count = known_lines(led);

    while (!take_lines(led, count)) {
        errno = led->error;
        if (count == 0 || led->error != 0)
            return fail(led, "items of the round");
        count = lines_before(led, count);
    }
    json_t *kept = json_array();
    bool good = kept != NULL;
    for (size_t k = 0; k < count && good; k++)
        good = json_array_append(kept, json_array_get(train_journal_lines(led->journal), k)) == 0;
    const enum train_status status =
        good ? train_journal_keep(led->journal, kept, error)
             : train_fail(error, TRAIN_NO_MEMORY, "the lead of the training: out of memory");
    json_decref(kept);
    return status == TRAIN_OK || blame(led, status, error);
}

/* ---- the lead ---- */

bool lead_train_has_rounds(const struct wire_job *job, const struct train_plan *plan)
{
    char path[TRAIN_PATH_MAX];

    for (size_t k = 0; k < json_array_size(job->tasks.open); k++)
        if (!json_object_get(wire_offer(job->tasks.open, k).spec, TRAIN_ROUND))
            return false;
    if (snprintf(path, sizeof path, "%s/" TRAIN_JOURNAL_NAME, job->folder) >= (int)sizeof path)
        return false;
    return train_rounds_can(plan) && access(path, F_OK) != 0;
}

static enum lead_end lead_on(struct led *led)
{
    const struct lead_work work = {.context = led,
                                   .cores = led->plan->threads,
                                   .stage = next_stage,
                                   .describe = describe,
                                   .fits = fits,
                                   .merge = merge,
                                   .sync = sync_all,
                                   .partial = partial};
    char error[TRAIN_ERROR_MAX];

    led->journal = train_journal_open(led->job->folder, JOURNAL, error);
    if (!led->journal) {
        blame(led, TRAIN_DISK, error);
        return LEAD_BROKEN;
    }
    enum lead_end end = LEAD_BROKEN;
    if (find_place(led)) {
        drop_old(led, 0); /* an earlier lead may have died before it did */
        end = lead_run(led->worker, led->job, &work, (struct lead_place){led->number, led->unit});
    }
    close_items(led);
    train_journal_close(led->journal);
    if (led->is_broken)
        return LEAD_BROKEN;
    if (end == LEAD_COMPLETE && atomic_load(worker_stop(led->worker)))
        end = worker_is_cancelled(led->worker) ? LEAD_CUT_SHORT : LEAD_BROKEN;
    return end;
}

json_t *lead_train_rounds(struct worker *worker, const struct wire_job *job,
                          const struct train_plan *plan)
{
    struct led led = {.worker = worker, .job = job, .plan = plan, .pending = json_array()};
    enum lead_end end = LEAD_BROKEN;
    json_t *result = NULL;

    for (int k = 0; k < plan->seeds; k++)
        led.run[k].name = json_string_value(json_array_get(job->runs, (size_t)k));
    if (led.pending)
        end = lead_on(&led);
    else
        fail_memory(&led);
    if (end != LEAD_BROKEN && !(result = partial(&led)))
        fail_memory(&led);
    json_decref(led.pending);
    forget(&led);
    return result;
}
