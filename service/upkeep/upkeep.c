/* The thread that makes backups on time and carries out retention. See upkeep.h. */
#include "service/upkeep/upkeep.h"

#include "api/base/build_json.h"
#include "api/base/clock.h"
#include "service/base/config.h"
#include "service/base/core.h"
#include "service/base/events.h"
#include "service/base/log.h"
#include "service/base/metrics.h"
#include "service/store/store.h"
#include "service/upkeep/removal.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { NEVER = 0 };

const struct upkeep_times upkeep_times = {
    .first = 300000, .every = 3600000, .hour = 3600000, .after_fail = 300000};

/* A retention as callers see it. */
struct ended_retention {
    int64_t began_ms, ended_ms; /* 0: there was none */
    enum api_error error;
    struct kept_list gone[KEPT_KINDS];
};

struct upkeep {
    const struct base *base;
    struct upkeep_times times;
    struct store *reader; /* of the thread */
    pthread_t thread;
    atomic_bool stop, has_stopped, is_backing_up;

    pthread_mutex_t lock; /* guards everything below */
    pthread_cond_t wake;
    int64_t asked, ended;     /* numbers of retentions */
    bool is_running;          /* a retention */
    double next_retention_s;  /* CLOCK_MONOTONIC; INFINITY: only when asked */
    double next_backup_s;     /* CLOCK_MONOTONIC; INFINITY: without --backup-every-h */
    int64_t last_backup_ms;   /* the newest; NEVER: none */
    int64_t backup_failed_ms; /* NEVER: the last one was made */
    enum api_error backup_error;
    struct ended_retention last;
};

/* ---- backups ---- */

/* Counts from the newest backup, whoever made it, so a restart does not begin anew. One that the
 * clock had not reached yet when it was set back counts as made now. */
static void plan_backup(struct upkeep *upkeep)
{
    const int64_t every_ms = upkeep->base->config->backup_every_h * upkeep->times.hour;
    int64_t old_ms = core_now_ms(upkeep->base->core) - upkeep->last_backup_ms;
    int64_t wait_ms = every_ms - (old_ms < 0 ? 0 : old_ms < every_ms ? old_ms : every_ms);

    if (upkeep->backup_failed_ms != NEVER)
        wait_ms = upkeep->times.after_fail;
    upkeep->next_backup_s = every_ms == 0 ? INFINITY : clock_now_s() + 1e-3 * (double)wait_ms;
    pthread_cond_signal(&upkeep->wake);
}

static void note_backup(struct upkeep *upkeep, const struct backup *backup, enum api_error error)
{
    char name[BACKUP_NAME_MAX];

    pthread_mutex_lock(&upkeep->lock);
    upkeep->backup_error = error;
    upkeep->backup_failed_ms = error == API_OK ? NEVER : core_now_ms(upkeep->base->core);
    if (error == API_OK)
        upkeep->last_backup_ms = backup->at_ms;
    plan_backup(upkeep);
    pthread_mutex_unlock(&upkeep->lock);
    if (error != API_OK) {
        log_line(LOG_ERROR, "backup failed", log_text("error", api_error_slug(error)));
        return;
    }
    backup_name(backup->at_ms, name);
    log_line(LOG_INFO, "backup", log_text("name", name), log_whole("bytes", backup->bytes));
}

enum api_error upkeep_back_up(struct upkeep *upkeep, struct store *reader, int64_t now_ms,
                              struct backup *ret_backup)
{
    if (atomic_exchange(&upkeep->is_backing_up, true))
        return API_BUSY;
    enum api_error error = backup_make(upkeep->base->config->data, reader, now_ms, ret_backup);
    atomic_store(&upkeep->is_backing_up, false);
    /* One that the end of the service cut short is no failure of the disk. */
    if (!atomic_load(&upkeep->stop))
        note_backup(upkeep, ret_backup, error);
    return error;
}

/* ---- retention ---- */

static void free_lists(struct kept_list lists[KEPT_KINDS])
{
    for (int k = 0; k < KEPT_KINDS; k++)
        free(lists[k].things);
}

static enum api_error plan_and_remove(struct upkeep *upkeep, const struct retention_rules *rules,
                                      struct kept_list gone[KEPT_KINDS])
{
    const struct base *base = upkeep->base;
    struct retention_plan *plan = calloc(1, sizeof *plan);

    if (!plan)
        return API_NO_MEMORY;
    enum api_error error = retention_plan(upkeep->reader, base->config->data, rules,
                                          core_now_ms(upkeep->base->core), plan);
    if (error == API_OK)
        error = retention_remove(base, plan, &upkeep->stop, gone);
    retention_plan_free(plan);
    free(plan);
    return error;
}

static void log_retention(const struct ended_retention *ended)
{
    if (ended->error != API_OK)
        log_line(LOG_ERROR, "retention failed", log_text("error", api_error_slug(ended->error)));
    for (int k = 0; k < KEPT_KINDS; k++)
        if (ended->gone[k].count > 0)
            log_line(LOG_INFO, "retention", log_text("kind", kept_kind_name((enum kept_kind)k)),
                     log_whole("removed", (int64_t)ended->gone[k].count),
                     log_whole("bytes", ended->gone[k].bytes));
}

/* Removes what goes by the rules; `number` is the newest that is answered by this. */
static void retain(struct upkeep *upkeep, const struct retention_rules *rules, int64_t number)
{
    struct ended_retention ended = {.began_ms = core_now_ms(upkeep->base->core)};

    pthread_mutex_lock(&upkeep->lock);
    upkeep->is_running = true;
    pthread_mutex_unlock(&upkeep->lock);
    ended.error = plan_and_remove(upkeep, rules, ended.gone);
    ended.ended_ms = core_now_ms(upkeep->base->core);
    log_retention(&ended);

    pthread_mutex_lock(&upkeep->lock);
    free_lists(upkeep->last.gone);
    upkeep->last = ended;
    upkeep->is_running = false;
    upkeep->ended = number;
    pthread_mutex_unlock(&upkeep->lock);
    events_publish(upkeep->base->events, UPKEEP_TOPIC, "ended", json_integer(number), false);
}

int64_t upkeep_ask_retention(struct upkeep *upkeep)
{
    pthread_mutex_lock(&upkeep->lock);
    int64_t number = ++upkeep->asked;
    pthread_cond_signal(&upkeep->wake);
    pthread_mutex_unlock(&upkeep->lock);
    return number;
}

bool upkeep_retention_ended(struct upkeep *upkeep, int64_t number)
{
    pthread_mutex_lock(&upkeep->lock);
    bool has_ended = upkeep->ended >= number;
    pthread_mutex_unlock(&upkeep->lock);
    return has_ended;
}

/* ---- the thread ---- */

enum work { WORK_NONE, WORK_BACKUP, WORK_RETENTION };

/* When the thread has something to do unasked; INFINITY: never. Under the lock. */
static double next_due(const struct upkeep *upkeep)
{
    return fmin(upkeep->next_retention_s, upkeep->next_backup_s);
}

/* Waits under the lock until something is due, or somebody asks. */
static void wait_until_due(struct upkeep *upkeep)
{
    double until_s = next_due(upkeep);

    if (isinf(until_s)) {
        pthread_cond_wait(&upkeep->wake, &upkeep->lock);
        return;
    }
    const struct timespec until = {.tv_sec = (time_t)until_s,
                                   .tv_nsec = (long)(1e9 * (until_s - floor(until_s)))};
    pthread_cond_timedwait(&upkeep->wake, &upkeep->lock, &until);
}

/* Waits until there may be something to do, and says what. */
static enum work next_work(struct upkeep *upkeep, int64_t *ret_number)
{
    enum work work = WORK_NONE;

    pthread_mutex_lock(&upkeep->lock);
    double now_s = clock_now_s();
    if (upkeep->asked > upkeep->ended || now_s >= upkeep->next_retention_s)
        work = WORK_RETENTION;
    else if (now_s >= upkeep->next_backup_s)
        work = WORK_BACKUP;
    *ret_number = upkeep->asked;
    if (work == WORK_RETENTION && !isinf(upkeep->next_retention_s))
        upkeep->next_retention_s = now_s + 1e-3 * (double)upkeep->times.every;
    if (work == WORK_NONE && !atomic_load(&upkeep->stop))
        wait_until_due(upkeep);
    pthread_mutex_unlock(&upkeep->lock);
    return work;
}

/* A backup on time; then only backups are removed, as retention has its own times. */
static void back_up(struct upkeep *upkeep, int64_t number)
{
    const struct retention_rules rules = retention_rules(upkeep->base->config, false);
    struct backup backup;
    enum api_error error =
        upkeep_back_up(upkeep, upkeep->reader, core_now_ms(upkeep->base->core), &backup);

    if (error == API_OK && retention_is_asked(&rules))
        retain(upkeep, &rules, number);
}

static void *run(void *context)
{
    struct upkeep *upkeep = context;
    const struct retention_rules rules = retention_rules(upkeep->base->config, true);
    int64_t number;

    while (!atomic_load(&upkeep->stop)) {
        switch (next_work(upkeep, &number)) {
        case WORK_BACKUP:
            back_up(upkeep, number);
            break;
        case WORK_RETENTION:
            retain(upkeep, &rules, number);
            break;
        case WORK_NONE:
            break;
        }
    }
    atomic_store(&upkeep->has_stopped, true);
    return NULL;
}

/* ---- life ---- */

static void find_last_backup(struct upkeep *upkeep)
{
    struct backup *backups;
    size_t count;

    if (backups_list(upkeep->base->config->data, &backups, &count) != API_OK)
        return;
    if (count > 0)
        upkeep->last_backup_ms = backups[0].at_ms;
    free(backups);
}

enum api_error upkeep_start(const struct base *base, const struct upkeep_times *times,
                            struct upkeep **ret_upkeep)
{
    const struct retention_rules rules = retention_rules(base->config, true);
    struct upkeep *upkeep = calloc(1, sizeof *upkeep);
    pthread_condattr_t monotonic;

    if (!upkeep)
        return API_NO_MEMORY;
    upkeep->base = base;
    upkeep->times = *times;
    enum api_error error = store_open_reader(base->config->data, &upkeep->reader);
    if (error != API_OK) {
        free(upkeep);
        return error;
    }
    pthread_mutex_init(&upkeep->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&upkeep->wake, &monotonic);
    pthread_condattr_destroy(&monotonic);
    find_last_backup(upkeep);
    plan_backup(upkeep);
    upkeep->next_retention_s =
        retention_is_asked(&rules) ? clock_now_s() + 1e-3 * (double)times->first : INFINITY;
    if (pthread_create(&upkeep->thread, NULL, run, upkeep) != 0) {
        atomic_store(&upkeep->has_stopped, true);
        store_close(upkeep->reader);
        free(upkeep);
        return API_NO_MEMORY;
    }
    *ret_upkeep = upkeep;
    return API_OK;
}

void upkeep_stop(struct upkeep *upkeep)
{
    atomic_store(&upkeep->stop, true);
    store_interrupt(upkeep->reader);
    pthread_mutex_lock(&upkeep->lock);
    pthread_cond_signal(&upkeep->wake);
    pthread_mutex_unlock(&upkeep->lock);
}

bool upkeep_has_stopped(const struct upkeep *upkeep)
{
    return atomic_load(&upkeep->has_stopped);
}

void upkeep_free(struct upkeep *upkeep)
{
    if (!upkeep)
        return;
    pthread_join(upkeep->thread, NULL);
    store_close(upkeep->reader);
    free_lists(upkeep->last.gone);
    pthread_cond_destroy(&upkeep->wake);
    pthread_mutex_destroy(&upkeep->lock);
    free(upkeep);
}

/* ---- for callers ---- */

static json_t *time_json(int64_t at_ms)
{
    return at_ms == NEVER ? json_null() : build_time(at_ms);
}

/* The time of a moment of CLOCK_MONOTONIC. */
static json_t *due_json(const struct upkeep *upkeep, double due_s)
{
    return isinf(due_s) ? json_null()
                        : build_time(core_now_ms(upkeep->base->core) +
                                     (int64_t)(1e3 * (due_s - clock_now_s())));
}

static json_t *error_json(enum api_error error)
{
    return error == API_OK ? json_null() : json_string(api_error_slug(error));
}

static json_t *last_json(const struct ended_retention *last)
{
    if (last->ended_ms == NEVER)
        return json_null();
    return json_pack("{s:o, s:o, s:o, s:o}", "began_at", time_json(last->began_ms), "ended_at",
                     time_json(last->ended_ms), "gone", retention_json(last->gone, NULL), "error",
                     error_json(last->error));
}

json_t *upkeep_retention_json(struct upkeep *upkeep)
{
    pthread_mutex_lock(&upkeep->lock);
    json_t *json = json_pack(
        "{s:b, s:o, s:o}", "running", upkeep->is_running || upkeep->asked > upkeep->ended, "last",
        last_json(&upkeep->last), "next_at", due_json(upkeep, upkeep->next_retention_s));
    pthread_mutex_unlock(&upkeep->lock);
    return json;
}

static json_t *items_json(const struct backup *backups, size_t count)
{
    json_t *items = json_array();
    char name[BACKUP_NAME_MAX];
    bool good = true;

    for (size_t k = 0; k < count; k++) {
        backup_name(backups[k].at_ms, name);
        good = build_append(items, json_pack("{s:s, s:I, s:o}", "name", name, "bytes",
                                             (json_int_t)backups[k].bytes, "at",
                                             time_json(backups[k].at_ms))) &&
               good;
    }
    return build_done(items, good);
}

enum api_error upkeep_backups_json(struct upkeep *upkeep, json_t **ret_json)
{
    struct backup *backups;
    size_t count;
    enum api_error error = backups_list(upkeep->base->config->data, &backups, &count);

    if (error != API_OK)
        return error;
    pthread_mutex_lock(&upkeep->lock);
    json_t *failure = upkeep->backup_failed_ms == NEVER
                          ? json_null()
                          : json_pack("{s:o, s:o}", "at", time_json(upkeep->backup_failed_ms),
                                      "error", error_json(upkeep->backup_error));
    *ret_json = json_pack("{s:i, s:o, s:o, s:o}", "every_h", upkeep->base->config->backup_every_h,
                          "next_at", due_json(upkeep, upkeep->next_backup_s), "failure", failure,
                          "items", items_json(backups, count));
    pthread_mutex_unlock(&upkeep->lock);
    free(backups);
    return *ret_json ? API_OK : API_NO_MEMORY;
}

void upkeep_write_metrics(struct upkeep *upkeep, FILE *page)
{
    pthread_mutex_lock(&upkeep->lock);
    int64_t last_ms = upkeep->last_backup_ms;
    bool has_failed = upkeep->backup_failed_ms != NEVER;
    bool retention_failed = upkeep->last.error != API_OK;
    pthread_mutex_unlock(&upkeep->lock);
    metrics_write_gauge(page, "rinkd_backup_last_timestamp_seconds",
                        "When the newest backup was made, since 1970; 0: there is none.",
                        1e-3 * (double)last_ms);
    metrics_write_gauge(page, "rinkd_backup_failed", "1 if the last backup failed.", has_failed);
    metrics_write_gauge(page, "rinkd_backup_every_seconds",
                        "The setting backup_every_h; 0: no backups are made on time.",
                        3600.0 * upkeep->base->config->backup_every_h);
    metrics_write_gauge(page, "rinkd_retention_failed", "1 if the last retention failed.",
                        retention_failed);
}
