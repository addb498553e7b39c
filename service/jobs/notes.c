/* Stores notes. See notes.h. */
#include "service/jobs/notes.h"

#include "api/base/load_json.h"
#include "api/jobs/job_json.h"
#include "service/base/place_file.h"
#include "service/jobs/job_folder.h"
#include "service/jobs/note_files.h"
#include "service/jobs/task_notes.h"
#include "service/models/model_files.h"
#include "service/store/policies.h"
#include "service/store/results.h"
#include "service/store/runs.h"
#include "service/store/tasks.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    FOLLOWERS_LOOKED_AT = 64 /* how many waiting jobs are compared */
};

void note_free(struct note *note)
{
    wire_free(&note->message);
    json_decref(note->card);
    if (note->staged)
        unlink(note->staged); /* it is not there any more if the note was kept */
    free(note->staged);
    free(note);
}

void notes_free(struct note_list *list)
{
    while (!STAILQ_EMPTY(list)) {
        struct note *note = STAILQ_FIRST(list);
        STAILQ_REMOVE_HEAD(list, link);
        note_free(note);
    }
}

bool note_is_last_word(enum wire_type type)
{
    return type == WIRE_DONE || type == WIRE_FAILED || type == WIRE_RELEASED;
}

/* ---- whose it is ---- */

static bool is_own_name(const char *name, int64_t number, const char *run)
{
    char own[64];

    snprintf(own, sizeof own, JOB_TASK_FILES "%lld.", (long long)number);
    return strncmp(name, own, strlen(own)) == 0 ||
           (*run && strncmp(name, run, strlen(run)) == 0 && strlen(name) > strlen(run));
}

static const char *stranger_of_file(const char *run, const char *path, int64_t number,
                                    const char *own)
{
    if (run && strcmp(run, own) != 0)
        return "run";
    return is_own_name(path, number, run ? run : "") ? NULL : "path";
}

const char *note_stranger(const struct wire_message *message, int64_t number, const char *run)
{
    switch (message->type) {
    case WIRE_METRICS:
        for (size_t k = 0; k < json_array_size(message->metrics.rows); k++)
            if (strcmp(wire_metric(message, k).run, run) != 0)
                return "rows";
        return NULL;
    case WIRE_CHECKPOINT:
        return stranger_of_file(message->checkpoint.run, message->checkpoint.path, number, run);
    case WIRE_MODEL:
        return stranger_of_file(message->model.run, message->model.path, number, run);
    case WIRE_OUTPUT:
        return stranger_of_file(NULL, message->output.path, number, run);
    default:
        return NULL;
    }
}

/* API_BAD_FIELD: the worker of a task says something of others. */
static enum api_error check_own(const struct note_keeper *keeper, const struct note *note)
{
    char run[TASK_RUN_MAX];

    if (keeper->claim->task == 0 || note_is_last_word(note->message.type))
        return API_OK;
    enum api_error error =
        task_store_run(keeper->store, keeper->claim->id, keeper->claim->task, run);
    return error == API_OK && note_stranger(&note->message, keeper->claim->task, run)
               ? API_BAD_FIELD
               : error;
}

/* ---- one note ---- */

/* Whether `other` has every member of `spec` with the same value. */
static bool is_part_of(json_t *spec, const json_t *other)
{
    const char *key;
    json_t *value;

    json_object_foreach(spec, key,
                        value) if (!json_equal(value, json_object_get(other, key))) return false;
    return true;
}

/* Whether a job of this kind and spec already waits. */
static enum api_error is_waiting(struct store *store, const struct job_kind *kind, json_t *spec,
                                 bool *ret_waits)
{
    const struct job_filter filter = {.kind = kind->name, .has_state = true, .state = JOB_READY};
    struct store_page page = {.limit = FOLLOWERS_LOOKED_AT};
    json_t *item;
    size_t k;

    enum api_error error = job_store_list(store, &filter, &page);
    if (error != API_OK)
        return error;
    *ret_waits = false;
    json_array_foreach(page.items, k, item)
    {
        json_t *job;
        if (job_store_get(store, json_integer_value(json_object_get(item, "id")), &job) != API_OK)
            continue;
        *ret_waits = *ret_waits || is_part_of(spec, json_object_get(job, "spec"));
        json_decref(job);
    }
    json_decref(page.items);
    return API_OK;
}

/* Adds the job that follows one with this spec, unless the same job waits already. */
static enum api_error add_follower(struct store *store, const struct job_kind *kind,
                                   const json_t *ended, int64_t now_ms)
{
    bool waits = false;
    json_t *spec;
    int64_t id;

    enum api_error error = job_follower_spec(kind, ended, &spec);
    if (error != API_OK)
        return error == API_BAD_FIELD ? API_OK
                                      : error; /* a spec of an earlier version: nothing follows */
    error = is_waiting(store, kind, spec, &waits);
    char *text = error == API_OK && !waits ? json_dumps(spec, JSON_COMPACT) : NULL;
    json_decref(spec);
    if (error != API_OK || waits)
        return error;
    error = text ? job_store_add(store, &(struct job_new){.kind = kind->name, .spec = text}, now_ms,
                                 &id)
                 : API_NO_MEMORY;
    free(text);
    return error;
}

enum api_error notes_deleted(struct store *store, const char *kind, const json_t *spec,
                             int64_t now_ms)
{
    const struct job_kind *own = job_kind_find(kind);
    const struct job_kind *follower = own ? job_kind_find(own->followed_by) : NULL;
    enum api_error error = follower ? add_follower(store, follower, spec, now_ms) : API_OK;

    return error == API_OK && follower ? results_tidy_ladders(store) : error;
}

static enum api_error keep_done(const struct note_keeper *keeper,
                                const struct wire_message *message, enum job_state *ret_state)
{
    const struct job_claim *claim = keeper->claim;
    char *result = json_dumps(message->result.result, JSON_COMPACT);
    json_t *spec = load_json_text(claim->spec);
    const struct job_kind *kind = job_kind_find(claim->kind);
    const struct job_kind *follower = job_kind_find(kind->followed_by);
    /* The games that a cancelled job has played are as good as any others. */
    bool counts = !message->result.cancelled || kind->plays_games;
    enum api_error error = API_NO_MEMORY;

    if (result && spec) {
        error = job_store_finish(keeper->store, claim->id, claim->token, result,
                                 message->result.cancelled, keeper->now_ms);
        *ret_state = message->result.cancelled ? JOB_CANCELLED : JOB_DONE;
        if (error == API_OK && counts)
            error = results_keep(keeper->store, claim->id, claim->kind, result, keeper->now_ms);
        if (error == API_OK && counts && follower)
            error = add_follower(keeper->store, follower, spec, keeper->now_ms);
    }
    json_decref(spec);
    free(result);
    return error;
}

static enum api_error keep_metrics(const struct note_keeper *keeper,
                                   const struct wire_message *message)
{
    enum api_error error = API_OK;

    for (size_t k = 0; error == API_OK && k < json_array_size(message->metrics.rows); k++) {
        struct wire_metric row = wire_metric(message, k);
        struct run_metric metric = {row.run, row.name, row.step, row.value};
        error = run_store_metric(keeper->store, keeper->claim->id, &metric, keeper->now_ms);
    }
    return error;
}

/* Checkpoints kept of each run, and models of each policy; 0: all. */
static int64_t kept_of_run(const struct job_claim *claim)
{
    json_t *spec = load_json_text(claim->spec);
    int64_t keep = json_integer_value(json_object_get(spec, "keep_checkpoints"));

    json_decref(spec);
    return keep;
}

/* What the next attempt is told of a checkpoint; from malloc. NULL: no memory. */
static char *text_of_checkpoint(const struct wire_message *message, const char *name)
{
    json_t *document = json_deep_copy(message->document);
    bool good = json_object_del(document, "type") == 0 &&
                json_object_set_new(document, "path", json_string(name)) == 0;
    char *text = good ? json_dumps(document, JSON_COMPACT) : NULL;

    json_decref(document);
    return text;
}

static enum api_error keep_checkpoint(const struct note_keeper *keeper, const struct note *note)
{
    const struct wire_message *message = &note->message;
    const struct job_claim *claim = keeper->claim;
    struct note_file file;
    enum api_error error = note_find_file(keeper, note, &file);
    struct run_checkpoint checkpoint = {.run = message->checkpoint.run,
                                        .path = file.name,
                                        .sha256 = message->checkpoint.sha256,
                                        .job = claim->id,
                                        .step = message->checkpoint.step,
                                        .bytes = file.bytes};

    if (error == API_OK && checkpoint.run)
        error =
            run_store_checkpoint(keeper->store, &checkpoint, keeper->now_ms, keeper->gone_files);
    if (error != API_OK)
        return error;
    char *text = text_of_checkpoint(message, file.name);
    if (!text)
        return API_NO_MEMORY;
    error = claim->task ? task_note_checkpoint(keeper, text)
                        : job_store_checkpoint(keeper->store, claim->id, claim->token, text,
                                               keeper->now_ms);
    free(text);
    int64_t keep = checkpoint.run ? kept_of_run(claim) : 0;
    if (error == API_OK && keep > 0)
        error = run_store_prune(keeper->store, checkpoint.run, keep, keeper->gone_files);
    return error;
}

/* The file was checked when it was announced. It is stored before its row is durable. */
static enum api_error keep_model(const struct note_keeper *keeper, const struct note *note)
{
    const struct wire_message *message = &note->message;
    char path[JOB_PATH_MAX];
    json_t *own = json_pack("{s:s, s:s, s:I}", "run", message->model.run, "policy",
                            message->model.name, "step", (json_int_t)message->model.step);
    char *card = own && json_object_update_missing(own, note->card) == 0
                     ? json_dumps(own, JSON_COMPACT)
                     : NULL;
    const struct policy_new policy = {.job = keeper->claim->id,
                                      .run = message->model.run,
                                      .name = message->model.name,
                                      .sha256 = message->model.sha256,
                                      .card = card,
                                      .step = message->model.step,
                                      .bytes = note->bytes};

    json_decref(own);
    if (!card)
        return API_NO_MEMORY;
    job_path(keeper->data, keeper->claim->id, message->model.path, path);
    enum api_error error =
        policy_store_add(keeper->store, &policy, keeper->now_ms, keeper->gone_weights);
    free(card);
    if (error == API_OK && !note->staged)
        error = model_file_keep(keeper->data, policy.sha256, path);
    int64_t keep = kept_of_run(keeper->claim);
    if (error == API_OK && keep > 0)
        error =
            policy_store_prune(keeper->store, policy.run, policy.name, keep, keeper->gone_weights);
    if (error == API_OK && !note->staged &&
        json_array_append_new(keeper->gone_files, json_string(message->model.path)) != 0)
        error = API_NO_MEMORY;
    return error;
}

static enum api_error keep_partial(const struct note_keeper *keeper,
                                   const struct wire_message *message)
{
    char *text = json_dumps(message->result.result, JSON_COMPACT);
    enum api_error error = text ? job_store_partial(keeper->store, keeper->claim->id,
                                                    keeper->claim->token, text, keeper->now_ms)
                                : API_NO_MEMORY;
    free(text);
    return error;
}

static enum api_error keep_released(const struct note_keeper *keeper, enum job_state *ret_state)
{
    json_t *job;
    enum api_error error = job_store_release(keeper->store, keeper->claim->id, keeper->claim->token,
                                             false, keeper->now_ms);

    if (error == API_OK)
        error = job_store_get(keeper->store, keeper->claim->id, &job);
    if (error != API_OK)
        return error;
    const char *state = json_string_value(json_object_get(job, "state"));
    if (!state || !job_state_read(state, ret_state))
        error = API_INTERNAL;
    json_decref(job);
    return error;
}

static enum api_error keep_failed(const struct note_keeper *keeper, const struct note *note,
                                  enum job_state *ret_state)
{
    const struct wire_message *message = &note->message;
    const struct job_claim *claim = keeper->claim;
    char *detail = strdup(message->failed.detail);

    if (!detail)
        return API_NO_MEMORY;
    job_text_without_folder(keeper->data, detail);
    const struct job_failure failure = {message->failed.code, detail, message->failed.retryable,
                                        note->crashed, keeper->made_progress};
    enum api_error error =
        job_store_fail(keeper->store, claim->id, claim->token, &failure, keeper->now_ms, ret_state);
    free(detail);
    return error;
}

/* What an outdated lead says: it follows from answers that are not believed. */
static enum api_error keep_of_outdated(const struct note_keeper *keeper,
                                       const struct wire_message *message,
                                       enum job_state *ret_state)
{
    return note_is_last_word(message->type) ? keep_released(keeper, ret_state) : API_OK;
}

/* What the worker of the job itself says of it. */
static enum api_error keep_of_job(const struct note_keeper *keeper, const struct note *note,
                                  enum job_state *ret_state)
{
    const struct wire_message *message = &note->message;

    if (keeper->is_outdated)
        return keep_of_outdated(keeper, message, ret_state);
    switch (message->type) {
    case WIRE_PARTIAL:
        return keep_partial(keeper, message);
    case WIRE_TASKS:
        return lead_note_tasks(keeper, message);
    case WIRE_MERGED:
        return lead_note_merged(keeper, message);
    case WIRE_REFUSED:
        return lead_note_refused(keeper, message);
    case WIRE_DROPPED:
        return lead_note_dropped(keeper, message);
    case WIRE_DONE:
        return keep_done(keeper, message, ret_state);
    case WIRE_RELEASED:
        return keep_released(keeper, ret_state);
    case WIRE_FAILED:
        return keep_failed(keeper, note, ret_state);
    default:
        return API_BAD_FIELD;
    }
}

static enum api_error keep_note(const struct note_keeper *keeper, const struct note *note,
                                enum job_state *ret_state)
{
    enum api_error error = check_own(keeper, note);

    if (error != API_OK)
        return error;
    switch (note->message.type) {
    case WIRE_METRICS:
        return keep_metrics(keeper, &note->message);
    case WIRE_CHECKPOINT:
        return keep_checkpoint(keeper, note);
    case WIRE_MODEL:
        return keep_model(keeper, note);
    default:
        return keeper->claim->task ? task_note_keep(keeper, note)
                                   : keep_of_job(keeper, note, ret_state);
    }
}

enum api_error notes_place(const struct note_list *notes, const struct note_keeper *keeper)
{
    char folder[JOB_PATH_MAX];
    const struct note *note;
    enum api_error error = API_OK;
    bool any = false;

    STAILQ_FOREACH(note, notes, link)
    {
        if (error != API_OK || !note->staged)
            continue;
        if (note->message.type == WIRE_MODEL) {
            error = model_file_take(keeper->data, note->message.model.sha256, note->staged);
        } else {
            error = note_place_file(keeper, note);
            any = true;
        }
    }
    job_path(keeper->data, keeper->claim->id, NULL, folder);
    return error == API_OK && any && !place_sync_folder(folder) ? API_STORAGE : error;
}

enum api_error notes_keep(const struct note_list *notes, const struct note_keeper *keeper,
                          enum job_state *ret_state)
{
    const struct note *note, *next;
    enum api_error error = API_OK;

    STAILQ_FOREACH(note, notes, link)
    {
        next = STAILQ_NEXT(note, link);
        bool is_old =
            note->message.type == WIRE_PARTIAL && next && next->message.type == WIRE_PARTIAL;
        if (error == API_OK && !is_old)
            error = keep_note(keeper, note, ret_state);
    }
    return error;
}
