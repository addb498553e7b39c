/* A flight for each delivery that is being sent, and the child that sends them. See deliveries.h.
 */
#include "service/webhooks/deliveries.h"

#include "api/base/build_json.h"
#include "api/base/clock.h"
#include "api/base/load_json.h"
#include "api/jobs/webhook.h"
#include "service/base/base.h"
#include "service/base/child.h"
#include "service/base/config.h"
#include "service/base/core.h"
#include "service/base/disk.h"
#include "service/base/log.h"
#include "service/base/metrics.h"
#include "service/store/webhooks.h"
#include "service/webhooks/signature.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

enum {
    TICK_MS = 1000,
    FLIGHTS = DELIVERIES_PER_WEBHOOK * WEBHOOKS_MAX,
    IDLE_S = 60, /* then the child ends */
    REST_S = 5,  /* of a webhook that does not work; doubled each time */
    REST_MOST_S = 60,
    RESTART_MOST_S = 60,              /* between starts of a child that dies */
    SILENT_S = 2 * WEBHOOK_TIMEOUT_S, /* a child that has not answered by then hangs */
    HEADER_MAX = 256
};

enum flight_phase { FLIGHT_FREE, FLIGHT_SENT, FLIGHT_WRITES };

struct flight {
    struct deliveries *deliveries;
    enum flight_phase phase;
    int64_t id, webhook, tries; /* of the delivery; tries before this one */
    double created_s, sent_s;   /* CLOCK_MONOTONIC; it may have been created before the start */
    int64_t wait_s;             /* to the next try */
    struct delivery_result result;
    char reason[WEBHOOK_WHY_MAX];
    struct core_task task;
};

/* A webhook that does not work. */
struct rest {
    int64_t webhook; /* 0: free */
    int failures;    /* in a row */
    double until_s;
};

struct deliveries {
    const struct base *base;
    struct store *reader;
    struct child *child; /* NULL: not running */
    double start_s;      /* no start before */
    int restarts;        /* in a row, without an answer between them */
    double used_s;       /* when a delivery was last under way */
    double hold_until_s; /* nothing is sent before: results could not be written */
    struct flight flights[FLIGHTS];
    struct rest rests[WEBHOOKS_MAX];
    uv_timer_t tick;
    bool is_stopping;
    void (*stopped)(void *context);
    void *stopped_context;
};

/* `first`, doubled `doublings` times, at most `most`. */
static int64_t grow(int64_t first, int64_t most, int64_t doublings)
{
    return doublings >= 32 || first << doublings > most ? most : first << doublings;
}

int64_t delivery_wait_s(int64_t tries)
{
    return grow(DELIVERY_WAIT_S, DELIVERY_WAIT_MOST_S, tries - 1);
}

/* ---- webhooks that rest ---- */

static struct rest *rest_of(struct deliveries *deliveries, int64_t webhook)
{
    for (int k = 0; k < WEBHOOKS_MAX; k++)
        if (deliveries->rests[k].webhook == webhook)
            return &deliveries->rests[k];
    return NULL;
}

static bool is_resting(struct deliveries *deliveries, int64_t webhook)
{
    const struct rest *rest = rest_of(deliveries, webhook);

    return rest && clock_now_s() < rest->until_s;
}

static void note_health(struct deliveries *deliveries, int64_t webhook, bool works)
{
    struct rest *rest = rest_of(deliveries, webhook);

    if (works) {
        if (rest)
            *rest = (struct rest){.webhook = 0};
        return;
    }
    for (int k = 0; k < WEBHOOKS_MAX && !rest; k++) /* a free place, or that of one long gone */
        if (deliveries->rests[k].webhook == 0 ||
            clock_now_s() > deliveries->rests[k].until_s + REST_MOST_S)
            rest = &deliveries->rests[k];
    if (!rest)
        return;
    rest->failures = rest->webhook == webhook ? rest->failures + 1 : 1;
    rest->webhook = webhook;
    rest->until_s = clock_now_s() + (double)grow(REST_S, REST_MOST_S, rest->failures - 1);
}

/* ---- the end of a flight ---- */

static struct flight *flight_of(struct core_task *task)
{
    return (struct flight *)((char *)task - offsetof(struct flight, task));
}

static enum api_error run(struct core_task *task, struct store *store)
{
    struct flight *flight = flight_of(task);
    int64_t now_ms = core_now_ms(flight->deliveries->base->core);

    flight->result.next_ms = now_ms + 1000 * flight->wait_s;
    return delivery_store_tried(store, &flight->result, now_ms);
}

static void look_for_end(struct deliveries *deliveries);

static void finish(struct core_task *task, enum api_error error)
{
    static const enum metric_counter counters[DELIVERY_STATES] = {
        [DELIVERY_WAITING] = METRIC_WEBHOOKS_RETRIED,
        [DELIVERY_DELIVERED] = METRIC_WEBHOOKS_DELIVERED,
        [DELIVERY_FAILED] = METRIC_WEBHOOKS_FAILED};
    struct flight *flight = flight_of(task);
    struct deliveries *deliveries = flight->deliveries;
    enum delivery_state state = flight->result.state;

    flight->phase = FLIGHT_FREE;
    if (error != API_OK) { /* it is sent again, as nobody remembers it */
        deliveries->hold_until_s = clock_now_s() + REST_S;
    } else {
        metrics_count(deliveries->base->metrics, counters[state], 1);
        log_line(state == DELIVERY_DELIVERED ? LOG_DEBUG : LOG_WARNING, "webhook",
                 log_whole("webhook", flight->webhook), log_whole("delivery", flight->id),
                 log_text("state", state == DELIVERY_DELIVERED ? "delivered"
                                   : state == DELIVERY_FAILED  ? "failed"
                                                               : "waiting"),
                 log_whole("try", flight->tries + 1), log_whole("status", flight->result.status),
                 log_text("reason", flight->result.reason));
    }
    deliveries_wake(deliveries);
    look_for_end(deliveries);
}

/* Decides what becomes of the delivery, and writes it down. status 0: no answer, see reason. */
static void land(struct flight *flight, int status, const char *reason, int64_t retry_after_s)
{
    struct deliveries *deliveries = flight->deliveries;
    int64_t tries = flight->tries + 1;
    int64_t wait_s = delivery_wait_s(tries);
    bool is_good = status >= 200 && status < 300, is_gone = status == 410;
    bool is_last =
        tries >= DELIVERY_TRIES || clock_now_s() - flight->created_s >= DELIVERY_DAYS * 86400.0;

    if (retry_after_s > wait_s)
        wait_s = retry_after_s < DELIVERY_WAIT_MOST_S ? retry_after_s : DELIVERY_WAIT_MOST_S;
    if (!is_good && status > 0)
        snprintf(flight->reason, sizeof flight->reason, "it answered %d%s", status,
                 status / 100 == 3 ? "; redirects are not followed" : "");
    else
        snprintf(flight->reason, sizeof flight->reason, "%s", reason ? reason : "");
    flight->result = (struct delivery_result){.id = flight->id,
                                              .state = is_good              ? DELIVERY_DELIVERED
                                                       : is_gone || is_last ? DELIVERY_FAILED
                                                                            : DELIVERY_WAITING,
                                              .status = status,
                                              .reason = is_good ? NULL : flight->reason};
    flight->wait_s = wait_s;
    note_health(deliveries, flight->webhook, status >= 200 && status < 500 && status != 429);
    flight->phase = FLIGHT_WRITES;
    flight->task = (struct core_task){.writes = true, .run = run, .finish = finish};
    core_submit_own(deliveries->base->core, &flight->task);
}

/* ---- the child ---- */

static void on_line(void *context, const char *text, size_t length)
{
    struct deliveries *deliveries = context;
    json_t *line = text ? load_json(text, length, 0, NULL) : NULL;
    json_int_t id = json_integer_value(json_object_get(line, "id"));

    for (int k = 0; k < FLIGHTS; k++) {
        struct flight *flight = &deliveries->flights[k];
        if (flight->phase != FLIGHT_SENT || flight->id != id)
            continue;
        deliveries->restarts = 0;
        land(flight, (int)json_integer_value(json_object_get(line, "status")),
             json_string_value(json_object_get(line, "reason")),
             json_integer_value(json_object_get(line, "retry_after_s")));
    }
    json_decref(line);
}

static void on_ended(void *context, int status)
{
    struct deliveries *deliveries = context;
    char how[64], log[CHILD_LOG_MAX + 1];
    bool was_sending = false;

    child_log(deliveries->child, log);
    deliveries->child = NULL;
    child_describe(status, sizeof how, how);
    for (int k = 0; k < FLIGHTS; k++) {
        struct flight *flight = &deliveries->flights[k];
        if (flight->phase != FLIGHT_SENT)
            continue;
        was_sending = true;
        if (deliveries->is_stopping) /* it counts as never sent */
            flight->phase = FLIGHT_FREE;
        else
            land(flight, 0, "rink-post ended before it had an answer", 0);
    }
    if (was_sending && !deliveries->is_stopping) {
        log[strcspn(log, "\n")] = '\0';
        log_line(LOG_WARNING, "worker died", log_text("name", "post"), log_text("how", how),
                 log_text("said", log));
        metrics_count(deliveries->base->metrics, METRIC_WORKERS_DIED, 1);
        deliveries->start_s =
            clock_now_s() + (double)grow(1, RESTART_MOST_S, deliveries->restarts++);
    }
    look_for_end(deliveries);
}

/* Starts the child if it does not run. */
static bool start_child(struct deliveries *deliveries)
{
    const struct config *config = deliveries->base->config;
    const char *const argv[] = {"rink-post", "--addresses",
                                webhook_addresses_names[config->webhook_addresses], NULL};
    const struct child_settings settings = {.argv = argv,
                                            .line_fd = 0,
                                            .line_max = WEBHOOK_LINE_MAX,
                                            .context = deliveries,
                                            .line = on_line,
                                            .ended = on_ended};

    if (deliveries->child)
        return true;
    if (clock_now_s() < deliveries->start_s)
        return false;
    if (child_start(core_loop(deliveries->base->core), config, &settings, &deliveries->child) ==
        API_OK)
        return true;
    log_line(LOG_ERROR, "worker not started", log_text("program", argv[0]));
    deliveries->start_s = clock_now_s() + RESTART_MOST_S;
    return false;
}

/* ---- sending ---- */

/* The line for the child; NULL: memory is short or the secret is none. */
static char *make_line(const struct delivery_due *due, int64_t now_s)
{
    char signature[WEBHOOK_SIGNATURE_MAX], header[3][HEADER_MAX];

    if (!webhook_sign(due->secret, due->message, now_s, due->body, signature))
        return NULL;
    snprintf(header[0], HEADER_MAX, "webhook-id: %s", due->message);
    snprintf(header[1], HEADER_MAX, "webhook-timestamp: %lld", (long long)now_s);
    snprintf(header[2], HEADER_MAX, "webhook-signature: %s", signature);
    json_t *line =
        json_pack("{s:I, s:s, s:[s, s, s], s:s}", "id", (json_int_t)due->id, "url", due->url,
                  "headers", header[0], header[1], header[2], "body", due->body);
    char *text = line ? json_dumps(line, JSON_COMPACT) : NULL;
    json_decref(line);
    return text;
}

static void send_due(struct flight *flight, const struct delivery_due *due)
{
    struct child *child = flight->deliveries->child;
    char *line = make_line(due, core_now_ms(flight->deliveries->base->core) / 1000);

    flight->phase = FLIGHT_SENT;
    flight->id = due->id;
    flight->webhook = due->webhook;
    flight->tries = due->tries;
    flight->sent_s = clock_now_s();
    flight->created_s =
        flight->sent_s -
        1e-3 * (double)(core_now_ms(flight->deliveries->base->core) - due->created_ms);
    if (!line)
        land(flight, 0, "the message cannot be made", 0);
    else if (!child_write(child, line, strlen(line)) || !child_write(child, "\n", 1))
        child_kill(child); /* its end lands the flight */
    free(line);
}

/* A free flight for a webhook, and which of its deliveries are under way; NULL: it has enough. */
static struct flight *free_flight(struct deliveries *deliveries, int64_t webhook,
                                  int64_t ret_in_flight[DELIVERIES_PER_WEBHOOK], int *ret_count)
{
    struct flight *found = NULL;

    *ret_count = 0;
    for (int k = 0; k < FLIGHTS; k++) {
        struct flight *flight = &deliveries->flights[k];
        if (flight->phase == FLIGHT_FREE)
            found = flight;
        else if (flight->webhook == webhook) {
            ret_in_flight[(*ret_count)++] = flight->id;
            if (*ret_count == DELIVERIES_PER_WEBHOOK)
                return NULL;
        }
    }
    return found;
}

/* False: rink-post cannot be used now. */
static bool send_of(struct deliveries *deliveries, int64_t webhook)
{
    int64_t in_flight[DELIVERIES_PER_WEBHOOK];
    struct delivery_due due;
    struct flight *flight;
    int count;

    while (!is_resting(deliveries, webhook) &&
           (flight = free_flight(deliveries, webhook, in_flight, &count)) != NULL &&
           delivery_store_next(deliveries->reader, webhook, core_now_ms(deliveries->base->core),
                               in_flight, count, &due) == API_OK) {
        bool can = start_child(deliveries);
        if (can)
            send_due(flight, &due);
        delivery_due_free(&due);
        if (!can)
            return false;
    }
    return true;
}

void deliveries_wake(struct deliveries *deliveries)
{
    int64_t webhooks[WEBHOOKS_MAX];
    int count;

    if (deliveries->is_stopping || clock_now_s() < deliveries->hold_until_s ||
        disk_is_full(deliveries->base->disk) || /* the results could not be written */
        webhook_store_waiting(deliveries->reader, WEBHOOKS_MAX, webhooks, &count) != API_OK)
        return;
    for (int k = 0; k < count && send_of(deliveries, webhooks[k]); k++)
        ;
}

static void on_tick(uv_timer_t *timer)
{
    struct deliveries *deliveries = timer->data;
    double now = clock_now_s();

    deliveries_wake(deliveries);
    for (int k = 0; k < FLIGHTS; k++) {
        const struct flight *flight = &deliveries->flights[k];
        if (flight->phase == FLIGHT_FREE)
            continue;
        deliveries->used_s = now;
        if (flight->phase == FLIGHT_SENT && now - flight->sent_s > SILENT_S && deliveries->child)
            child_kill(deliveries->child);
    }
    if (deliveries->child && now - deliveries->used_s > IDLE_S)
        child_end(deliveries->child);
}

/* ---- life ---- */

enum api_error deliveries_start(const struct base *base, struct deliveries **ret_deliveries)
{
    struct deliveries *deliveries = calloc(1, sizeof *deliveries);

    if (!deliveries)
        return API_NO_MEMORY;
    enum api_error error = store_open_reader(base->config->data, &deliveries->reader);
    if (error != API_OK) {
        free(deliveries);
        return error;
    }
    deliveries->base = base;
    for (int k = 0; k < FLIGHTS; k++)
        deliveries->flights[k].deliveries = deliveries;
    uv_timer_init(core_loop(base->core), &deliveries->tick);
    deliveries->tick.data = deliveries;
    uv_timer_start(&deliveries->tick, on_tick, 0, TICK_MS);
    *ret_deliveries = deliveries;
    return API_OK;
}

static void on_closed(uv_handle_t *handle)
{
    struct deliveries *deliveries = handle->data;

    store_close(deliveries->reader);
    deliveries->stopped(deliveries->stopped_context);
    free(deliveries);
}

static void look_for_end(struct deliveries *deliveries)
{
    if (!deliveries->is_stopping || deliveries->child ||
        uv_is_closing((uv_handle_t *)&deliveries->tick))
        return;
    for (int k = 0; k < FLIGHTS; k++)
        if (deliveries->flights[k].phase != FLIGHT_FREE)
            return;
    uv_close((uv_handle_t *)&deliveries->tick, on_closed);
}

void deliveries_stop(struct deliveries *deliveries, void (*stopped)(void *context), void *context)
{
    deliveries->is_stopping = true;
    deliveries->stopped = stopped;
    deliveries->stopped_context = context;
    if (deliveries->child)
        child_kill(deliveries->child);
    look_for_end(deliveries);
}
