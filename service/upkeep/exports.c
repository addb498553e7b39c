/* Exports by a child process. See exports.h. */
#include "service/upkeep/exports.h"

#include "api/base/archive.h"
#include "service/base/base.h"
#include "service/base/child.h"
#include "service/base/config.h"
#include "service/base/core.h"
#include "service/base/log.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { LINE_MAX_BYTES = 4096, NICENESS = 10 };

struct exports {
    const struct base *base;
    struct child *child; /* NULL: none is being made */
    exports_ended *ended;
    void *context;
    bool is_cancelled, is_stopped;
    char folder[CHILD_PATH_MAX + 32], file[CHILD_PATH_MAX + 64];
};

/* Everything in the folder is ours and of no use without its caller. */
static void tidy(const struct exports *exports)
{
    if (!archive_remove(exports->folder))
        log_line(LOG_WARNING, "old export stays", log_text("error", strerror(errno)));
}

enum api_error exports_start(const struct base *base, struct exports **ret_exports)
{
    struct exports *exports = calloc(1, sizeof *exports);

    if (!exports)
        return API_NO_MEMORY;
    exports->base = base;
    snprintf(exports->folder, sizeof exports->folder, "%s/" EXPORTS_FOLDER, base->config->data);
    snprintf(exports->file, sizeof exports->file, "%s/export.tar", exports->folder);
    tidy(exports);
    *ret_exports = exports;
    return API_OK;
}

void exports_free(struct exports *exports)
{
    assert(!exports || !exports->child);
    free(exports);
}

/* The child says how many rows and files there are. */
static void on_line(void *context, const char *text, size_t length)
{
    char line[LINE_MAX_BYTES + 1];

    (void)context;
    snprintf(line, sizeof line, "%.*s", (int)length, text ? text : "");
    log_line(LOG_INFO, "export", log_text("holds", line));
}

static void on_ended(void *context, int status)
{
    struct exports *exports = context;
    char log[CHILD_LOG_MAX + 1] = "";
    enum api_error error = API_OK;

    if (exports->is_stopped)
        error = API_DRAINING;
    else if (exports->is_cancelled)
        error = API_CANCELLED;
    else if (status != 0)
        error = API_STORAGE;
    if (error == API_STORAGE) {
        child_log(exports->child, log);
        if (!*log)
            child_describe(status, sizeof log, log);
        log_line(LOG_ERROR, "export failed", log_text("error", log));
    }
    int file = error == API_OK ? open(exports->file, O_RDONLY | O_CLOEXEC) : -1;
    if (error == API_OK && file < 0)
        error = API_STORAGE;
    exports->child = NULL;
    tidy(exports); /* before the answer: it goes with the answer, also after a kill */
    exports->ended(exports->context, error, file);
}

enum api_error exports_begin(struct exports *exports, bool csv, exports_ended *ended, void *context)
{
    const char *argv[] = {
        "rink-data",          "export", "--tar", exports->base->config->data, exports->file,
        csv ? "--csv" : NULL, NULL};
    const struct child_settings settings = {.argv = argv,
                                            .line_fd = 0,
                                            .line_max = LINE_MAX_BYTES,
                                            .niceness = NICENESS,
                                            .is_killed_when_stopped = true,
                                            .context = exports,
                                            .line = on_line,
                                            .ended = on_ended};

    if (exports->is_stopped)
        return API_DRAINING;
    if (exports->child)
        return API_BUSY;
    if (mkdir(exports->folder, 0700) != 0 && errno != EEXIST)
        return API_STORAGE;
    exports->ended = ended;
    exports->context = context;
    exports->is_cancelled = false;
    return child_start(core_loop(exports->base->core), exports->base->config, &settings,
                       &exports->child);
}

void exports_cancel(struct exports *exports)
{
    exports->is_cancelled = true;
    if (exports->child)
        child_kill(exports->child);
}

void exports_stop(struct exports *exports)
{
    exports->is_stopped = true;
    exports_cancel(exports);
}

bool exports_are_busy(const struct exports *exports)
{
    return exports->child != NULL;
}
