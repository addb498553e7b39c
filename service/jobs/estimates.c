/* Trials of jobs, one after the other. See estimates.h. */
#include "service/jobs/estimates.h"

#include "api/base/clock.h"
#include "api/base/load_json.h"
#include "api/jobs/wire.h"
#include "service/base/base.h"
#include "service/base/child.h"
#include "service/base/config.h"
#include "service/base/core.h"
#include "service/base/log.h"
#include "service/jobs/job_folder.h"

#include <assert.h>
#include <jansson.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    KEPT = 32,
    LINE_MOST = 16, /* estimates that wait */
    NICENESS = 10,
    PATH_BYTES = CHILD_PATH_MAX + 16,
    TRIAL_JOB = 0 /* its folder is that of no job */
};

#define TRIAL_S 4.0 /* how long a worker tries if it has done a part of the job by then */

static void spec_path(const char *data, char ret_path[PATH_BYTES])
{
    snprintf(ret_path, PATH_BYTES, "%s/estimate.json", data);
}

struct trial {
    int64_t number; /* 0: none */
    const struct job_kind *kind;
    char *spec;     /* JSON, malloc'ed */
    double until_s; /* nobody waits any longer; on CLOCK_MONOTONIC */
};

struct estimates {
    const struct base *base;
    atomic_int_fast64_t numbers;
    struct child *child; /* NULL: no estimate runs */
    struct trial now;    /* the running one */
    double since_s;
    struct estimate result; /* its answer so far */
    bool stopped;
    char path[PATH_BYTES];        /* the file with its spec */
    struct trial line[LINE_MOST]; /* the next one first */
    int waiting;

    pthread_mutex_t lock; /* guards the members below */
    struct ended {
        int64_t number; /* 0: none */
        struct estimate estimate;
    } ended[KEPT]; /* a ring */
    int next;
};

void estimates_tidy(const char *data)
{
    char path[PATH_BYTES];

    spec_path(data, path);
    unlink(path);
    job_folder_remove(data, TRIAL_JOB);
}

enum api_error estimates_start(const struct base *base, struct estimates **ret_estimates)
{
    struct estimates *estimates = calloc(1, sizeof *estimates);

    if (!estimates)
        return API_NO_MEMORY;
    estimates->base = base;
    pthread_mutex_init(&estimates->lock, NULL);
    spec_path(base->config->data, estimates->path);
    *ret_estimates = estimates;
    return API_OK;
}

int64_t estimate_number(struct estimates *estimates)
{
    return atomic_fetch_add(&estimates->numbers, 1) + 1;
}

struct topic_name estimate_topic(int64_t number)
{
    struct topic_name topic;

    snprintf(topic.text, sizeof topic.text, "estimate/%lld", (long long)number);
    return topic;
}

/* ---- ending one ---- */

static void end(struct estimates *estimates, int64_t number, const struct estimate *estimate)
{
    pthread_mutex_lock(&estimates->lock);
    estimates->ended[estimates->next] = (struct ended){number, *estimate};
    estimates->next = (estimates->next + 1) % KEPT;
    pthread_mutex_unlock(&estimates->lock);
    events_publish(estimates->base->events, estimate_topic(number).text, "done", json_object(),
                   true);
}

static void end_without(struct estimates *estimates, int64_t number, const char *why)
{
    struct estimate none = {.seconds = (double)NAN};

    snprintf(none.basis, sizeof none.basis, "%s", why);
    end(estimates, number, &none);
}

bool estimate_ended(struct estimates *estimates, int64_t number, struct estimate *ret_estimate)
{
    int64_t newest = 0;
    bool has_ended = false;

    *ret_estimate = (struct estimate){(double)NAN, "it is still being tried out"};
    pthread_mutex_lock(&estimates->lock);
    for (int k = 0; k < KEPT; k++) {
        newest = estimates->ended[k].number > newest ? estimates->ended[k].number : newest;
        if (estimates->ended[k].number == number) {
            has_ended = true;
            *ret_estimate = estimates->ended[k].estimate;
        }
    }
    pthread_mutex_unlock(&estimates->lock);
    return has_ended || newest - number > KEPT;
}

/* ---- what a trial says ---- */

static void note(struct estimates *estimates, double seconds, const char *basis)
{
    estimates->result.seconds = seconds;
    snprintf(estimates->result.basis, sizeof estimates->result.basis, "%s", basis);
}

/* The answer of "PROGRAM estimate". Its basis says what is in it, and how much of it that is. */
static void hear_answer(struct estimates *estimates, const json_t *answer)
{
    static const struct {
        const char *member, *name;
    } parts[] = {{"matches_s", "matches"}, {"exploitability_s", "exploitability"}};
    const json_t *seconds = json_object_get(answer, "estimate_s");
    char basis[sizeof estimates->result.basis] = "some seconds of it by one worker";

    if (!json_is_number(seconds) || json_number_value(seconds) < 0.0)
        return;
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        const json_t *part = json_object_get(answer, parts[k].member);
        const size_t length = strlen(basis);
        if (json_is_null(part))
            snprintf(basis + length, sizeof basis - length,
                     ", without its %s, too slow to be tried out", parts[k].name);
        else if (json_number_value(part) > 0.0)
            snprintf(basis + length, sizeof basis - length, ", with %.3g s of %s",
                     json_number_value(part), parts[k].name);
    }
    note(estimates, json_number_value(seconds), basis);
}

/* A line of a worker (api/jobs/wire.h). */
static void hear_worker(struct estimates *estimates, const json_t *line)
{
    const char *type = json_string_value(json_object_get(line, "type"));
    const double spent_s = clock_now_s() - estimates->since_s,
                 done = json_number_value(json_object_get(line, "progress"));
    bool is_over = false;

    if (type && strcmp(type, "beat") == 0 && done > 0.0) {
        note(estimates, spent_s / done, "some seconds of it by one worker");
        is_over = spent_s >= TRIAL_S;
    } else if (type && strcmp(type, "done") == 0) {
        note(estimates, spent_s, "all of it, done once by one worker");
        is_over = true;
    } else if (type && strcmp(type, "failed") == 0) {
        const char *detail = json_string_value(json_object_get(line, "detail"));
        note(estimates, (double)NAN, detail ? detail : "its worker failed");
        job_text_without_folder(estimates->base->config->data, estimates->result.basis);
        is_over = true;
    }
    if (is_over)
        child_kill(estimates->child);
}

static void on_line(void *context, const char *text, size_t length)
{
    struct estimates *estimates = context;
    json_t *line = text ? load_json(text, length, 0, NULL) : NULL;

    if (line)
        (estimates->now.kind->trial == JOB_TRIED_BY_PROGRAM ? hear_answer : hear_worker)(estimates,
                                                                                         line);
    json_decref(line);
}

/* ---- starting one ---- */

static bool write_spec(const char *path, const char *spec)
{
    FILE *file = fopen(path, "we");
    bool good = file && fputs(spec, file) >= 0;

    return file && fclose(file) == 0 && good;
}

/* Gives its worker the job in a folder of its own. */
static bool write_job(struct estimates *estimates)
{
    const char *data = estimates->base->config->data;
    const struct trial *now = &estimates->now;
    char folder[JOB_PATH_MAX];

    snprintf(folder, sizeof folder, "%s/jobs", data);
    mkdir(folder, 0700);
    job_path(data, TRIAL_JOB, NULL, folder);
    mkdir(folder, 0700);
    json_t *runs = json_array();
    if (now->kind->runs == JOB_RUNS_ONE)
        json_array_append_new(runs, json_string("00000000000000000000000000000000"));
    json_t *job = json_pack("{s:s, s:i, s:s, s:o, s:o, s:s, s:i, s:n}", "type", "job", "id", 1,
                            "kind", now->kind->name, "spec", load_json_text(now->spec), "runs",
                            runs, "folder", folder, "attempt", 1, "checkpoint");
    char *text = job ? json_dumps(job, JSON_COMPACT) : NULL;
    bool good = text && child_write(estimates->child, text, strlen(text)) &&
                child_write(estimates->child, "\n", 1);
    free(text);
    json_decref(job);
    return good;
}

static void on_ended(void *context, int status);

/* False: it cannot be started. */
static bool start(struct estimates *estimates)
{
    const struct job_kind *kind = estimates->now.kind;
    const bool by_program = kind->trial == JOB_TRIED_BY_PROGRAM;
    const double left_s = estimates->now.until_s - clock_now_s();
    const char *const argv[] = {kind->program, by_program ? "estimate" : "worker",
                                by_program ? estimates->path : NULL, NULL};
    const struct child_settings settings = {.argv = argv,
                                            .line_fd = by_program ? 0 : WIRE_FD,
                                            .line_max = WIRE_LINE_MAX,
                                            .niceness = NICENESS,
                                            .patience_ms = 1 + (int)(1000.0 * left_s),
                                            .context = estimates,
                                            .line = on_line,
                                            .ended = on_ended};

    note(estimates, (double)NAN,
         by_program ? "it could not be tried out"
                    : "no part of it was done while the caller waited");
    estimates->since_s = clock_now_s();
    if (left_s <= 0.0)
        return false;
    if ((by_program && !write_spec(estimates->path, estimates->now.spec)) ||
        child_start(core_loop(estimates->base->core), estimates->base->config, &settings,
                    &estimates->child) != API_OK)
        return false;
    if (!by_program && !write_job(estimates))
        child_kill(estimates->child);
    return true;
}

static void drop_trial(struct trial *trial)
{
    free(trial->spec);
    *trial = (struct trial){.number = 0};
}

/* Starts the first of the line that can be started. */
static void start_next(struct estimates *estimates)
{
    while (!estimates->child && estimates->waiting > 0) {
        estimates->now = estimates->line[0];
        estimates->waiting--;
        memmove(estimates->line, estimates->line + 1,
                (size_t)estimates->waiting * sizeof *estimates->line);
        if (estimates->stopped || !start(estimates)) {
            end_without(estimates, estimates->now.number, "a trial cannot be started now");
            drop_trial(&estimates->now);
        }
    }
}

static void on_ended(void *context, int status)
{
    struct estimates *estimates = context;
    char how[64];

    if (isnan(estimates->result.seconds) && !estimates->stopped) {
        child_describe(status, sizeof how, how);
        log_line(LOG_WARNING, "no estimate", log_text("how", how),
                 log_text("why", estimates->result.basis));
    }
    estimates->child = NULL;
    if (estimates->now.kind->trial == JOB_TRIED_BY_PROGRAM)
        unlink(estimates->path);
    else
        job_folder_remove(estimates->base->config->data, TRIAL_JOB);
    end(estimates, estimates->now.number, &estimates->result);
    drop_trial(&estimates->now);
    start_next(estimates);
}

void estimate_begin(struct estimates *estimates, int64_t number, const struct job_kind *kind,
                    const char *spec, double until_s)
{
    char *copy = estimates->waiting < LINE_MOST ? strdup(spec) : NULL;

    if (!copy) {
        end_without(estimates, number, "too many jobs wait to be tried out");
        return;
    }
    estimates->line[estimates->waiting++] = (struct trial){number, kind, copy, until_s};
    start_next(estimates);
}

/* ---- ending all ---- */

void estimates_stop(struct estimates *estimates)
{
    estimates->stopped = true;
    if (estimates->child)
        child_kill(estimates->child);
}

bool estimates_are_busy(const struct estimates *estimates)
{
    return estimates->child != NULL;
}

void estimates_free(struct estimates *estimates)
{
    if (!estimates)
        return;
    assert(!estimates->child && estimates->waiting == 0);
    pthread_mutex_destroy(&estimates->lock);
    free(estimates);
}
