/* Estimates of trainings. See estimates.h. */
#include "service/jobs/estimates.h"

#include "api/base/load_json.h"
#include "service/base/base.h"
#include "service/base/child.h"
#include "service/base/config.h"
#include "service/base/core.h"
#include "service/base/log.h"

#include <assert.h>
#include <jansson.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KEPT = 32, LINE_MAX_BYTES = 4096, NICENESS = 10 };

struct estimates {
    const struct base *base;
    atomic_int_fast64_t numbers;
    struct child *child; /* NULL: no estimate runs */
    int64_t number;      /* of the running estimate */
    double seconds;      /* its answer; NAN: none yet */
    bool stopped;
    char path[CHILD_PATH_MAX + 16]; /* the file with its spec */

    pthread_mutex_t lock; /* guards the members below */
    struct ended {
        int64_t number; /* 0: none */
        double seconds;
    } ended[KEPT]; /* a ring */
    int next;
};

enum api_error estimates_start(const struct base *base, struct estimates **ret_estimates)
{
    struct estimates *estimates = calloc(1, sizeof *estimates);

    if (!estimates)
        return API_NO_MEMORY;
    estimates->base = base;
    pthread_mutex_init(&estimates->lock, NULL);
    snprintf(estimates->path, sizeof estimates->path, "%s/estimate.json", base->config->data);
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

static void end(struct estimates *estimates, int64_t number, double seconds)
{
    pthread_mutex_lock(&estimates->lock);
    estimates->ended[estimates->next] = (struct ended){number, seconds};
    estimates->next = (estimates->next + 1) % KEPT;
    pthread_mutex_unlock(&estimates->lock);
    events_publish(estimates->base->events, estimate_topic(number).text, "done", json_object(),
                   true);
}

bool estimate_ended(struct estimates *estimates, int64_t number, double *ret_s)
{
    int64_t newest = 0;
    bool has_ended = false;

    *ret_s = NAN;
    pthread_mutex_lock(&estimates->lock);
    for (int k = 0; k < KEPT; k++) {
        newest = estimates->ended[k].number > newest ? estimates->ended[k].number : newest;
        if (estimates->ended[k].number == number) {
            has_ended = true;
            *ret_s = estimates->ended[k].seconds;
        }
    }
    pthread_mutex_unlock(&estimates->lock);
    return has_ended || newest - number > KEPT;
}

static void on_line(void *context, const char *text, size_t length)
{
    struct estimates *estimates = context;
    json_t *answer = text ? load_json(text, length, 0, NULL) : NULL;
    const json_t *seconds = json_object_get(answer, "estimate_s");

    if (json_is_number(seconds) && json_number_value(seconds) >= 0.0)
        estimates->seconds = json_number_value(seconds);
    json_decref(answer);
}

static void on_ended(void *context, int status)
{
    struct estimates *estimates = context;
    char how[64];

    if (isnan(estimates->seconds) && !estimates->stopped) {
        child_describe(status, sizeof how, how);
        log_line(LOG_WARNING, "no estimate", log_text("how", how));
    }
    estimates->child = NULL;
    unlink(estimates->path);
    end(estimates, estimates->number, estimates->seconds);
}

/* ---- starting one ---- */

static bool write_spec(const char *path, const char *spec)
{
    FILE *file = fopen(path, "we");
    bool good = file && fputs(spec, file) >= 0;

    return file && fclose(file) == 0 && good;
}

void estimate_begin(struct estimates *estimates, int64_t number, const char *program,
                    const char *spec)
{
    const char *const argv[] = {program, "estimate", estimates->path, NULL};
    const struct child_settings settings = {.argv = argv,
                                            .line_fd = 0,
                                            .line_max = LINE_MAX_BYTES,
                                            .niceness = NICENESS,
                                            .patience_ms = 1000 * ESTIMATE_MOST_S,
                                            .context = estimates,
                                            .line = on_line,
                                            .ended = on_ended};

    if (estimates->child || estimates->stopped || !write_spec(estimates->path, spec) ||
        child_start(core_loop(estimates->base->core), estimates->base->config, &settings,
                    &estimates->child) != API_OK) {
        end(estimates, number, NAN);
        return;
    }
    estimates->number = number;
    estimates->seconds = NAN;
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
    assert(!estimates->child);
    pthread_mutex_destroy(&estimates->lock);
    free(estimates);
}
