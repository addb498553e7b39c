/* See trial.h. */
#include "service/jobs/trial.h"

#include "api/jobs/wire.h"
#include "service/base/child.h"
#include "service/base/config.h"
#include "service/jobs/job_folder.h"
#include "service/jobs/job_line.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

enum { PATIENCE_MS = 10000, DETAIL_MAX = 1024 };

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

struct trial {
    struct child *child;
    bool is_refused;
    char detail[DETAIL_MAX]; /* "/judge: only …" */
};

static void on_line(void *context, const char *text, size_t length)
{
    struct trial *trial = context;
    struct strict_errors errors = {.count = 0};
    struct wire_message message;

    if (!text || !wire_read(text, length, &message, &errors))
        return;
    if (message.type == WIRE_FAILED && !message.failed.retryable) {
        trial->is_refused = true;
        snprintf(trial->detail, sizeof trial->detail, "%s", message.failed.detail);
    }
    wire_free(&message);
}

static void on_ended(void *context, int status)
{
    (void)context;
    (void)status;
}

/* Sends the line to a process and hears it to its end, in a loop of this thread. */
static void hear(const struct config *config, const char *program, const char *line,
                 struct trial *trial)
{
    const char *const argv[] = {program, "worker", NULL};
    const struct child_settings settings = {.argv = argv,
                                            .line_fd = WIRE_FD,
                                            .line_max = WIRE_LINE_MAX,
                                            .patience_ms = PATIENCE_MS,
                                            .is_killed_when_stopped = true,
                                            .context = trial,
                                            .line = on_line,
                                            .ended = on_ended};
    uv_loop_t loop;

    if (uv_loop_init(&loop) != 0)
        return;
    if (child_start(&loop, config, &settings, &trial->child) == API_OK &&
        !child_write(trial->child, line, strlen(line)))
        child_kill(trial->child);
    uv_run(&loop, UV_RUN_DEFAULT);
    uv_loop_close(&loop);
}

/* The line of the job, with the folder that the next job may get: none. */
static enum api_error make_line(const struct config *config, struct store *store,
                                const struct job_kind *kind, json_t *spec, char **ret_line)
{
    char folder[JOB_PATH_MAX];
    json_t *filled = json_copy(spec);
    enum api_error error = filled ? API_OK : API_NO_MEMORY;

    if (error == API_OK)
        error = job_line_fill_record(store, config->data, kind, filled);
    job_path(config->data, 0, NULL, folder);
    /* A review whose game is gone has no record; that is told elsewhere (references.h). */
    bool is_whole = kind->input != JOB_GETS_RECORD || json_object_get(filled, "record");
    *ret_line =
        error == API_OK && is_whole
            ? wire_line(json_pack("{s:s, s:i, s:s, s:O, s:[], s:s, s:i, s:n, s:b}", "type", "job",
                                  "id", 1, "kind", kind->name, "spec", filled, "runs", "folder",
                                  folder, "attempt", 1, "checkpoint", "trial", 1))
            : NULL;
    json_decref(filled);
    return error == API_OK && is_whole && !*ret_line ? API_NO_MEMORY : error;
}

/* "/judge: only …" as an error below the spec. */
static void refuse(const struct strict_place *spec, const char *detail)
{
    char pointer[STRICT_POINTER_MAX] = "/spec";
    const char *colon = *detail == '/' ? strstr(detail, ": ") : NULL;

    if (colon)
        snprintf(pointer, sizeof pointer, "/spec%.*s", (int)(colon - detail), detail);
    strict_refuse_at(spec->errors, pointer, "value", "%s", colon ? colon + 2 : detail);
}

enum api_error trial_run(const struct config *config, struct store *store,
                         const struct job_kind *kind, const struct strict_place *spec)
{
    struct trial *trial = calloc(1, sizeof *trial);
    char *line = NULL;
    enum api_error error =
        trial ? make_line(config, store, kind, spec->value, &line) : API_NO_MEMORY;

    if (error == API_OK && line && pthread_mutex_trylock(&one_at_a_time) == 0) {
        hear(config, kind->program, line, trial);
        pthread_mutex_unlock(&one_at_a_time);
        job_text_without_folder(config->data, trial->detail);
        if (trial->is_refused)
            refuse(spec, trial->detail);
    }
    free(line);
    free(trial);
    return error;
}
