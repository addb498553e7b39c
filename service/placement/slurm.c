/* One command at a time, as a child process. See slurm.h. */
#include "service/placement/slurm.h"

#include "api/base/build_json.h"
#include "service/base/child.h"
#include "service/base/config.h"
#include "service/base/core.h"
#include "service/base/log.h"
#include "service/placement/pilots.h"
#include "service/store/tasks.h"

#include <assert.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum {
    LINE_BYTES = 4096,
    ID_BYTES = 32,
    REASON_BYTES = 64,
    PENDING_MAX = 256, /* pilots that one scancel names */
    OPTIONS_MAX = 32,  /* words of --slurm-options */
    PATIENCE_MS = 30000
};

/* What one look finds. */
struct look {
    struct pilots_seen seen;
    char reason[REASON_BYTES]; /* of the first pilot that waits */
    char pending[PENDING_MAX][ID_BYTES];
    int pending_ids;
};

struct slurm {
    const struct base *base;
    struct pilots_limits limits;
    char name[32]; /* of the pilots */
    uv_timer_t timer;
    int look_ms;
    struct child *child; /* NULL: no command runs */
    const char *command; /* its name */
    bool stopped;
    struct look look;
    struct core_task task;
    char said[LINE_BYTES]; /* last line of a command that fails */

    pthread_mutex_t lock; /* guards the members below */
    struct pilots_seen shown;
    char shown_reason[REASON_BYTES], error[LINE_BYTES];
    int64_t looked_ms; /* 0: never */
};

/* ---- commands ---- */

/* Notes how the last command ended; error NULL: well. */
static void note_error(struct slurm *slurm, const char *error)
{
    pthread_mutex_lock(&slurm->lock);
    bool is_new = strcmp(slurm->error, error ? error : "") != 0;
    snprintf(slurm->error, sizeof slurm->error, "%s", error ? error : "");
    pthread_mutex_unlock(&slurm->lock);
    if (is_new && error)
        log_line(LOG_WARNING, "slurm", log_text("why", error));
    else if (is_new)
        log_line(LOG_INFO, "slurm", log_text("state", "it answers again"));
}

/* Finds a command by PATH. */
static bool find_command(const char *name, char ret_path[CHILD_PATH_MAX])
{
    const char *path = getenv("PATH");
    char tried[CHILD_PATH_MAX];

    for (const char *at = path ? path : ""; *at;) {
        size_t length = strcspn(at, ":");
        if (length > 0 && length + strlen(name) + 2 < CHILD_PATH_MAX) {
            snprintf(tried, sizeof tried, "%.*s/%s", (int)length, at, name);
            if (child_program("", tried, ret_path))
                return true;
        }
        at += length + (at[length] == ':');
    }
    return false;
}

static void run_command(struct slurm *slurm, const char *name, const char **argv,
                        void (*line)(void *context, const char *text, size_t length),
                        void (*ended)(void *context, int status))
{
    char path[CHILD_PATH_MAX], why[LINE_BYTES];
    const struct child_settings settings = {.argv = argv,
                                            .line_fd = 0,
                                            .line_max = LINE_BYTES,
                                            .patience_ms = PATIENCE_MS,
                                            .context = slurm,
                                            .line = line,
                                            .ended = ended};

    argv[0] = path;
    slurm->command = name;
    slurm->said[0] = '\0';
    if (find_command(name, path) && child_start(core_loop(slurm->base->core), slurm->base->config,
                                                &settings, &slurm->child) == API_OK)
        return;
    snprintf(why, sizeof why, "%s cannot be started: is Slurm installed here?", name);
    note_error(slurm, why);
}

/* Forgets the child; false, and the reason is noted: the command failed. */
static bool command_ended_well(struct slurm *slurm, int status)
{
    char log[CHILD_LOG_MAX + 1], how[64], why[LINE_BYTES];

    child_log(slurm->child, log);
    slurm->child = NULL;
    if (slurm->stopped)
        return false;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
        note_error(slurm, NULL);
        return true;
    }
    child_describe(status, sizeof how, how);
    log[strcspn(log, "\n")] = '\0';
    snprintf(why, sizeof why, "%s: %s: %.3000s", slurm->command, how, log);
    note_error(slurm, why);
    return false;
}

static void hear_nothing(void *context, const char *text, size_t length)
{
    (void)context;
    (void)text;
    (void)length;
}

static void on_changed(void *context, int status)
{
    command_ended_well(context, status);
}

/* ---- sbatch, scancel ---- */

/* Appends the words of a text to argv; they point into it. */
static int add_words(char *text, const char **argv, int count, int most)
{
    char *rest = NULL;

    for (char *word = strtok_r(text, " ", &rest); word && count < most;
         word = strtok_r(NULL, " ", &rest))
        argv[count++] = word;
    return count;
}

static void submit(struct slurm *slurm, int pilots)
{
    const struct config *config = slurm->base->config;
    const char *argv[16 + OPTIONS_MAX] = {NULL};
    char options[sizeof config->slurm_options], name[64], array[64], cores[64], memory[64],
        time[64], wrap[sizeof config->slurm_node + 256];
    int count = 1;

    snprintf(options, sizeof options, "%s", config->slurm_options);
    snprintf(name, sizeof name, "--job-name=%s", slurm->name);
    snprintf(array, sizeof array, "--array=1-%d", pilots);
    snprintf(cores, sizeof cores, "--cpus-per-task=%d", slurm->limits.cores);
    snprintf(memory, sizeof memory, "--mem=%d", config->slurm_memory_mb);
    snprintf(time, sizeof time, "--time=%d", config->slurm_time_min);
    snprintf(wrap, sizeof wrap,
             "--wrap=exec %s --cores %d --until-idle %d --name slurm-$SLURM_JOB_ID "
             "--place slurm:$SLURM_JOB_ID",
             config->slurm_node, slurm->limits.cores, config->slurm_idle_s);
    argv[count++] = "--parsable";
    argv[count++] = name;
    argv[count++] = array;
    argv[count++] = "--ntasks=1";
    argv[count++] = cores;
    argv[count++] = time;
    argv[count++] = "--no-requeue"; /* its tasks are handed out again anyway */
    argv[count++] = "--signal=B:TERM@60";
    argv[count++] = "--output=/dev/null";
    if (config->slurm_memory_mb > 0)
        argv[count++] = memory;
    count = add_words(options, argv, count, 13 + OPTIONS_MAX);
    argv[count++] = wrap;
    log_line(LOG_INFO, "slurm", log_whole("submits", pilots));
    run_command(slurm, "sbatch", argv, hear_nothing, on_changed);
}

static void cancel(struct slurm *slurm, int pilots)
{
    const char *argv[PENDING_MAX + 2] = {NULL};
    int count = 1;

    for (int k = 0; k < pilots && k < slurm->look.pending_ids; k++)
        argv[count++] = slurm->look.pending[slurm->look.pending_ids - 1 - k];
    log_line(LOG_INFO, "slurm", log_whole("cancels", count - 1));
    run_command(slurm, "scancel", argv, hear_nothing, on_changed);
}

/* ---- squeue ---- */

static struct slurm *slurm_of(struct core_task *task)
{
    return (struct slurm *)((char *)task - offsetof(struct slurm, task));
}

static enum api_error count_tasks(struct core_task *task, struct store *store)
{
    struct slurm *slurm = slurm_of(task);

    return task_store_cores(store, "slurm-", core_now_ms(slurm->base->core),
                            &slurm->look.seen.waiting_cores, &slurm->look.seen.busy_cores);
}

static void on_counted(struct core_task *task, enum api_error result)
{
    struct slurm *slurm = slurm_of(task);

    if (result != API_OK || slurm->stopped)
        return;
    pthread_mutex_lock(&slurm->lock);
    slurm->shown = slurm->look.seen;
    snprintf(slurm->shown_reason, sizeof slurm->shown_reason, "%s", slurm->look.reason);
    slurm->looked_ms = core_now_ms(slurm->base->core);
    pthread_mutex_unlock(&slurm->lock);
    int missing = pilots_missing(&slurm->limits, &slurm->look.seen);
    if (missing > 0)
        submit(slurm, missing);
    else if (missing < 0)
        cancel(slurm, -missing);
}

/* "123_4|PENDING|Resources" */
static void hear_pilot(void *context, const char *text, size_t length)
{
    struct slurm *slurm = context;
    struct look *look = &slurm->look;
    char line[LINE_BYTES], id[ID_BYTES], state[32], reason[REASON_BYTES] = "";

    if (!text)
        return; /* none of ours is that long */
    snprintf(line, sizeof line, "%.*s", (int)length, text);
    if (sscanf(line, "%31[^|]|%31[^|]|%63[^|]", id, state, reason) < 2)
        return;
    if (strcmp(state, "PENDING") == 0) {
        if (look->pending_ids < PENDING_MAX)
            strcpy(look->pending[look->pending_ids++], id);
        if (look->seen.pending++ == 0)
            strcpy(look->reason, reason);
    } else if (strcmp(state, "COMPLETING") != 0) {
        look->seen.running++;
    }
}

static void on_looked(void *context, int status)
{
    struct slurm *slurm = context;

    if (!command_ended_well(slurm, status))
        return;
    slurm->task = (struct core_task){.writes = true, .run = count_tasks, .finish = on_counted};
    core_submit_own(slurm->base->core, &slurm->task);
}

static void on_time(uv_timer_t *timer)
{
    struct slurm *slurm = timer->data;
    char name[64];
    const char *argv[] = {NULL, "--noheader", "--array", "--me", "--format=%i|%T|%r", name, NULL};

    if (slurm->child || slurm->stopped)
        return;
    slurm->look = (struct look){.pending_ids = 0};
    snprintf(name, sizeof name, "--name=%s", slurm->name);
    run_command(slurm, "squeue", argv, hear_pilot, on_looked);
}

/* ---- start and end ---- */

/* The same name for the same data folder: FNV-1a of its path. */
static void make_name(const char *data, char ret_name[32])
{
    char folder[PATH_MAX];
    uint64_t hash = 14695981039346656037u;

    if (!realpath(data, folder))
        snprintf(folder, sizeof folder, "%s", data);
    for (const char *at = folder; *at; at++)
        hash = (hash ^ (unsigned char)*at) * 1099511628211u;
    snprintf(ret_name, 32, "rinkd-%08llx", (unsigned long long)(hash >> 32));
}

enum api_error slurm_start(const struct base *base, int look_ms, struct slurm **ret_slurm)
{
    const struct config *config = base->config;

    *ret_slurm = NULL;
    if (config->slurm_max == 0)
        return API_OK;
    struct slurm *slurm = calloc(1, sizeof *slurm);
    if (!slurm)
        return API_NO_MEMORY;
    slurm->base = base;
    slurm->limits =
        (struct pilots_limits){config->slurm_min, config->slurm_max, config->slurm_cores};
    slurm->look_ms = look_ms;
    make_name(config->data, slurm->name);
    pthread_mutex_init(&slurm->lock, NULL);
    uv_timer_init(core_loop(base->core), &slurm->timer);
    slurm->timer.data = slurm;
    uv_timer_start(&slurm->timer, on_time, 0, (uint64_t)look_ms);
    *ret_slurm = slurm;
    return API_OK;
}

void slurm_stop(struct slurm *slurm)
{
    if (!slurm)
        return;
    slurm->stopped = true;
    uv_timer_stop(&slurm->timer);
    if (slurm->child)
        child_kill(slurm->child);
}

bool slurm_has_stopped(const struct slurm *slurm)
{
    return !slurm || !slurm->child;
}

static void on_closed(uv_handle_t *handle)
{
    struct slurm *slurm = handle->data;

    pthread_mutex_destroy(&slurm->lock);
    free(slurm);
}

void slurm_free(struct slurm *slurm)
{
    if (!slurm)
        return;
    assert(!slurm->child);
    uv_close((uv_handle_t *)&slurm->timer, on_closed);
}

/* ---- for callers ---- */

json_t *slurm_json(struct slurm *slurm)
{
    if (!slurm)
        return json_null();
    pthread_mutex_lock(&slurm->lock);
    json_t *json = json_pack(
        "{s:i, s:i, s:i, s:i, s:i, s:i, s:s?, s:s?, s:o}", "max", slurm->limits.most, "min",
        slurm->limits.least, "cores", slurm->limits.cores, "wanted",
        pilots_wanted(&slurm->limits, &slurm->shown), "pending", slurm->shown.pending, "running",
        slurm->shown.running, "reason", *slurm->shown_reason ? slurm->shown_reason : NULL, "error",
        *slurm->error ? slurm->error : NULL, "looked_at",
        slurm->looked_ms ? build_time(slurm->looked_ms) : json_null());
    pthread_mutex_unlock(&slurm->lock);
    return json;
}

json_t *slurm_explain(struct slurm *slurm)
{
    json_t *text = NULL;

    if (!slurm)
        return NULL;
    pthread_mutex_lock(&slurm->lock);
    if (*slurm->error)
        text = json_sprintf("Slurm does not answer: %.400s", slurm->error);
    else if (slurm->shown.pending > 0)
        text = json_sprintf("%d pilots wait in Slurm's queue: %s", slurm->shown.pending,
                            slurm->shown_reason);
    pthread_mutex_unlock(&slurm->lock);
    return text;
}
