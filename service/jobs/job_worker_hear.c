/* Turns the lines of a worker into notes. See job_worker.h. */
#include "service/jobs/job_worker.h"

#include "api/base/clock.h"
#include "service/models/model_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_of_kind(const struct wire_message *message, const char *kind)
{
    for (size_t k = 0; k < json_array_size(message->hello.kinds); k++)
        if (strcmp(json_string_value(json_array_get(message->hello.kinds, k)), kind) == 0)
            return true;
    return false;
}

static void fail_for_memory(struct job_worker *worker)
{
    job_worker_give_up(worker, "no-memory", "no memory for a message of the worker", NULL, false);
}

/* Makes a note of a message and the summary of its file. True: the note has taken the message. */
static bool add_note(struct job_worker *worker, const struct wire_message *message, json_t *card,
                     int64_t bytes)
{
    struct note *note = calloc(1, sizeof *note);

    if (!note) {
        fail_for_memory(worker);
        return false;
    }
    note->message = *message;
    note->card = card;
    note->bytes = bytes;
    job_worker_note(worker, note);
    job_worker_listen(worker);
    job_worker_write(worker);
    return true;
}

/* ---- models ---- */

/* Reading a large file would hold up the core thread, so a thread of the loop's pool reads it. */
struct check {
    uv_work_t work;
    struct job_worker *worker;
    char path[JOB_PATH_MAX];
    enum api_error result;
    json_t *card; /* set only with API_OK */
    int64_t bytes;
};

static void run_check(uv_work_t *work)
{
    struct check *check = work->data;

    check->result = model_file_check(check->path, check->worker->model.model.sha256, &check->card,
                                     &check->bytes);
}

static void on_checked(uv_work_t *work, int status)
{
    struct check *check = work->data;
    struct job_worker *worker = check->worker;
    bool is_kept = false;

    (void)status;
    worker->is_checking = false;
    if (!job_worker_has_last_word(worker)) {
        if (check->result == API_OK)
            is_kept = add_note(worker, &worker->model, check->card, check->bytes);
        else
            job_worker_give_up(worker, "bad-line",
                               "the file of a model does not match its announcement",
                               worker->model.model.path, false);
    }
    if (!is_kept) {
        wire_free(&worker->model);
        json_decref(check->card);
    }
    free(check);
    job_worker_listen(worker);
    job_worker_end_if_over(worker);
}

/* True: the message is taken. The worker's lines wait until the file is read, so notes stay in
 * order. */
static bool check_model(struct job_worker *worker, const struct wire_message *message)
{
    /* One check at a time. A second model arrives only while the daemon ends and reads lines during
     * a check. */
    struct check *check = worker->is_checking ? NULL : calloc(1, sizeof *check);

    if (!check) {
        fail_for_memory(worker);
        return false;
    }
    check->work.data = check;
    check->worker = worker;
    job_path(worker->host->data, worker->claim.id, message->model.path, check->path);
    worker->model = *message;
    worker->is_checking = true;
    uv_queue_work(core_loop(worker->host->base->core), &check->work, run_check, on_checked);
    job_worker_listen(worker);
    return true;
}

/* ---- lines ---- */

/* Whether a worker like this one may say such a thing. */
static bool may_say(const struct job_worker *worker, enum wire_type type)
{
    switch (type) {
    case WIRE_TASKS:
    case WIRE_MERGED:
    case WIRE_REFUSED:
    case WIRE_DROPPED:
        return worker->is_lead;
    case WIRE_OUTPUT:
        return worker->claim.task != 0;
    case WIRE_JOB:
    case WIRE_CANCEL:
    case WIRE_DRAIN:
    case WIRE_TASK:
    case WIRE_HANDS:
        return false; /* only the daemon may */
    default:
        return true;
    }
}

/* Whether this would go on for ever: giving work back is no attempt. */
static bool returns_for_nothing(const struct job_worker *worker)
{
    const struct job_host *host = worker->host;

    return worker->told == TOLD_NOTHING && !atomic_load(&host->draining) &&
           !worker->keeper.made_progress && host->returned(host->context, worker);
}

/* True: the message is taken. */
static bool hear(struct job_worker *worker, const struct wire_message *message)
{
    if (!may_say(worker, message->type)) {
        job_worker_give_up(worker, "bad-line", "a line that such a worker may not say", NULL,
                           false);
        return false;
    }
    switch (message->type) {
    case WIRE_HELLO:
        if (worker->phase == WORKER_STARTING && message->hello.protocol == WIRE_PROTOCOL &&
            is_of_kind(message, worker->claim.kind))
            job_worker_move(worker, WORKER_WORKING);
        else
            job_worker_give_up(worker, "bad-line", "a hello for another protocol or kind of job",
                               NULL, false);
        /* After a cancel, a lead waits for the answers of the tasks that it knows to run. */
        if (worker->phase == WORKER_WORKING && worker->claim.task != 0)
            job_worker_tell_progress(worker);
        return false;
    case WIRE_BEAT:
        worker->progress = message->beat.progress;
        worker->eta_s = message->beat.eta_s;
        worker->beat_waits = true; /* job_worker_look() writes the beat, once a second */
        return false;
    case WIRE_PARTIAL:
        if (worker->claim.task != 0)
            return false; /* of a part; nobody asks for it */
        /* fall through */
    case WIRE_CHECKPOINT:
    case WIRE_MERGED:
        worker->keeper.made_progress = true;
        return add_note(worker, message, NULL, 0);
    case WIRE_MODEL:
        return check_model(worker, message);
    case WIRE_RELEASED:
        if (!returns_for_nothing(worker))
            return add_note(worker, message, NULL, 0);
        job_worker_give_up(worker, "gave-back",
                           "the worker gave its work back unasked, as the one before it", NULL,
                           false);
        return false;
    default:
        return add_note(worker, message, NULL, 0);
    }
}

void job_worker_hear(void *context, const char *text, size_t length)
{
    struct job_worker *worker = context;
    struct wire_message message;
    struct strict_errors errors;
    char place[STRICT_POINTER_MAX + STRICT_MESSAGE_MAX + 4];

    if (job_worker_has_last_word(worker))
        return;
    worker->heard_s = clock_now_s();
    if (!text) {
        job_worker_give_up(worker, "bad-line", "a line that does not end", NULL, false);
    } else if (!wire_read(text, length, &message, &errors)) {
        snprintf(place, sizeof place, "%s: %s", errors.error[0].pointer, errors.error[0].message);
        job_worker_give_up(worker, "bad-line", "a line that cannot be read", place, false);
    } else {
        if (worker->phase == WORKER_STARTING && message.type != WIRE_HELLO)
            job_worker_give_up(worker, "bad-line", "the first line is not a hello", NULL, false);
        if (job_worker_has_last_word(worker) || !hear(worker, &message))
            wire_free(&message);
    }
}
