/* Notes about tasks. See task_notes.h. */
#include "service/jobs/task_notes.h"

#include "api/base/build_json.h"
#include "service/jobs/job_folder.h"
#include "service/jobs/note_files.h"
#include "service/store/tasks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- from a lead ---- */

static enum api_error add_task(const struct note_keeper *keeper, const struct wire_offer *offer)
{
    const struct job_claim *claim = keeper->claim;
    char *spec = json_dumps(offer->spec, JSON_COMPACT);
    const struct task_new task = {.number = offer->number, .cores = offer->cores, .spec = spec};
    enum api_error error =
        spec ? task_store_add(keeper->store, claim->id, claim->token, &task, keeper->now_ms)
             : API_NO_MEMORY;

    free(spec);
    return error;
}

enum api_error lead_note_tasks(const struct note_keeper *keeper, const struct wire_message *message)
{
    enum api_error error = API_OK;

    for (size_t k = 0; error == API_OK && k < json_array_size(message->tasks.list); k++) {
        const struct wire_offer offer = wire_offer(message->tasks.list, k);
        error = add_task(keeper, &offer);
    }
    return error;
}

enum api_error lead_note_merged(const struct note_keeper *keeper,
                                const struct wire_message *message)
{
    return task_store_merge(keeper->store, keeper->claim->id, keeper->claim->token,
                            message->merged.through, keeper->gone_files);
}

/* Adds what the lead has to hear of a task, as the store tells it. */
static enum api_error add_news(const struct note_keeper *keeper, int64_t number)
{
    json_t *lines;
    enum api_error error = task_store_news(keeper->store, keeper->claim->id, number, &lines);

    if (error != API_OK)
        return error;
    if (json_array_extend(keeper->news, lines) != 0)
        error = API_NO_MEMORY;
    json_decref(lines);
    return error;
}

enum api_error lead_note_refused(const struct note_keeper *keeper,
                                 const struct wire_message *message)
{
    const struct job_claim *claim = keeper->claim;
    char *detail = strdup(message->refused.detail);
    json_t *gone = json_array();
    enum task_state state;
    enum api_error error = API_NO_MEMORY;

    if (detail && gone) {
        job_text_without_folder(keeper->data, detail);
        error = task_store_refuse(keeper->store, claim->id, claim->token, message->refused.number,
                                  detail, keeper->now_ms, gone, &state);
    }
    /* After the commit another try may have begun, which would go on with the file. If the commit
     * fails, the lead refuses the task again, as its file is gone. */
    if (error == API_OK)
        job_folder_remove_files(keeper->data, claim->id, gone);
    json_decref(gone);
    free(detail);
    return error == API_OK && state == TASK_FAILED ? add_news(keeper, message->refused.number)
                                                   : error;
}

enum api_error lead_note_dropped(const struct note_keeper *keeper,
                                 const struct wire_message *message)
{
    return task_store_drop(keeper->store, keeper->claim->id, keeper->claim->token,
                           message->dropped.through, keeper->now_ms, keeper->gone_files);
}

/* ---- to a lead ---- */

bool task_news_running(json_t *news, int64_t number, double progress, double eta_s)
{
    return build_append(news, json_pack("{s:s, s:I, s:s, s:o, s:o}", "type", "task", "number",
                                        (json_int_t)number, "state", "running", "progress",
                                        build_real(progress), "eta_s", build_real(eta_s)));
}

/* ---- from the worker of a task ---- */

static struct task_holder holder_of(const struct note_keeper *keeper)
{
    return (struct task_holder){keeper->claim->id, keeper->claim->task, keeper->claim->token};
}

enum api_error task_note_checkpoint(const struct note_keeper *keeper, const char *checkpoint_json)
{
    const struct task_holder holder = holder_of(keeper);

    return task_store_checkpoint(keeper->store, &holder, checkpoint_json);
}

static enum api_error keep_output(const struct note_keeper *keeper, const struct note *note)
{
    const struct task_holder holder = holder_of(keeper);
    struct note_file file;
    enum api_error error = note_find_file(keeper, note, &file);

    return error == API_OK ? task_store_output(keeper->store, &holder, file.name,
                                               note->message.output.sha256, file.bytes)
                           : error;
}

static enum api_error keep_done(const struct note_keeper *keeper,
                                const struct wire_message *message)
{
    const struct task_holder holder = holder_of(keeper);
    char *result = json_dumps(message->result.result, JSON_COMPACT);
    enum api_error error = result ? task_store_finish(keeper->store, &holder, result,
                                                      message->result.cancelled, keeper->now_ms)
                                  : API_NO_MEMORY;

    free(result);
    if (error != API_OK || !message->result.cancelled)
        return error == API_OK ? add_news(keeper, holder.number) : error;
    json_t *line =
        json_pack("{s:s, s:I, s:s, s:O}", "type", "task", "number", (json_int_t)holder.number,
                  "state", "cancelled", "result", message->result.result);
    return build_append(keeper->news, line) ? API_OK : API_NO_MEMORY;
}

static enum api_error keep_failed(const struct note_keeper *keeper, const struct note *note)
{
    const struct task_holder holder = holder_of(keeper);
    const struct wire_message *message = &note->message;
    char *detail = strdup(message->failed.detail);
    enum task_state state;

    if (!detail)
        return API_NO_MEMORY;
    job_text_without_folder(keeper->data, detail);
    const struct job_failure failure = {message->failed.code, detail, message->failed.retryable,
                                        note->crashed, keeper->made_progress};
    enum api_error error =
        task_store_fail(keeper->store, &holder, &failure, keeper->now_ms, &state);
    free(detail);
    return error == API_OK && state == TASK_FAILED ? add_news(keeper, holder.number) : error;
}

enum api_error task_note_keep(const struct note_keeper *keeper, const struct note *note)
{
    const struct task_holder holder = holder_of(keeper);

    switch (note->message.type) {
    case WIRE_OUTPUT:
        return keep_output(keeper, note);
    case WIRE_DONE:
        return keep_done(keeper, &note->message);
    case WIRE_FAILED:
        return keep_failed(keeper, note);
    case WIRE_RELEASED:
        return task_store_release(keeper->store, &holder, keeper->now_ms);
    default:
        return API_BAD_FIELD;
    }
}
