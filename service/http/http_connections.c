/* Connections: the clock that ends slow ones, and what happens when there are too many.
 *
 * Above the limit the connection that has been idle longest makes room. If none is idle, the new
 * one is a spare one, for health checks alone: monitoring must always reach the service. */
#include "service/http/http_exchange.h"

#include "api/base/clock.h"
#include "service/base/log.h"
#include "service/base/metrics.h"

#include <assert.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>

/* Files that the daemon needs beside its connections. */
enum { OTHER_FILES = 256, LEAST_CONNECTIONS = 16 };

int connections_limit(int wanted)
{
    struct rlimit files;

    if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur == RLIM_INFINITY ||
        files.rlim_cur >= (rlim_t)wanted + HTTP_SPARE_CONNECTIONS + OTHER_FILES)
        return wanted;
    int possible = (int)files.rlim_cur - HTTP_SPARE_CONNECTIONS - OTHER_FILES;
    if (possible < LEAST_CONNECTIONS)
        possible = LEAST_CONNECTIONS;
    log_line(LOG_WARNING, "fewer connections", log_whole("connections_max", wanted),
             log_whole("possible", possible), log_text("why", "the limit of open files"));
    return possible;
}

void connection_enter(struct exchange *x, enum connection_phase phase)
{
    if (!x->link)
        return;
    pthread_mutex_lock(&x->http->lock);
    if (x->link->phase != CONNECTION_ENDED) {
        x->link->phase = phase;
        x->link->since_s = clock_now_s();
        x->link->bytes = 0;
    }
    pthread_mutex_unlock(&x->http->lock);
}

void connection_count_bytes(struct exchange *x, size_t size)
{
    if (!x->link)
        return;
    pthread_mutex_lock(&x->http->lock);
    x->link->bytes += (int64_t)size;
    pthread_mutex_unlock(&x->http->lock);
}

/* ---- ending; under http->lock ---- */

static void note_count(struct http *http)
{
    assert(http->connection_count >= 0);
    metrics_set(http->base->metrics, METRIC_CONNECTIONS, http->connection_count);
}

static void end(struct http *http, struct connection *link, enum api_error error)
{
    send_last_words(link, error);
    shutdown(link->fd, SHUT_RDWR); /* its thread sees this and closes it */
    link->phase = CONNECTION_ENDED;
    http->connection_count--;
    note_count(http);
}

/* Ends the connection that has waited longest for a request; false: none waits. */
static bool end_idle(struct http *http, const struct connection *newest)
{
    struct connection *idle = NULL, *link;

    LIST_FOREACH (link, &http->connections, link)
        if (link->phase == CONNECTION_HEAD && link != newest &&
            (!idle || link->since_s < idle->since_s))
            idle = link;
    if (!idle)
        return false;
    end(http, idle, API_TIMEOUT);
    http->ended_idle++;
    metrics_count(http->base->metrics, METRIC_CONNECTIONS_ENDED, 1);
    return true;
}

static bool is_too_slow(const struct connection *link, double now_s)
{
    double waited_s = now_s - link->since_s;

    return (link->phase == CONNECTION_HEAD && waited_s > HTTP_HEAD_S) ||
           (link->phase == CONNECTION_BODY &&
            waited_s > HTTP_BODY_S + (double)link->bytes / HTTP_BODY_BYTES_PER_S);
}

/* ---- the clock ---- */

static void end_slow(struct http *http, double now_s)
{
    struct connection *link;

    pthread_mutex_lock(&http->lock);
    LIST_FOREACH (link, &http->connections, link)
        if (is_too_slow(link, now_s))
            end(http, link, API_TIMEOUT);
    int ended = http->ended_idle, spare = http->spare_count;
    http->ended_idle = http->spare_count = 0;
    pthread_mutex_unlock(&http->lock);
    if (ended + spare > 0)
        log_line(LOG_WARNING, "too many connections",
                 log_whole("connections_max", http->connections_max),
                 log_whole("idle_ended", ended), log_whole("for_health_checks_alone", spare));
}

void *connections_watch(void *context)
{
    struct http *http = context;
    double tick_s = 0.0;

    while (!atomic_load(&http->stopping)) {
        double now_s = clock_now_s();
        struct epoll_event event;
        if (now_s >= tick_s) {
            tick_s = now_s + 1.0;
            end_slow(http, now_s);
            sleepers_wake(http, false);
        }
        if (epoll_wait(http->hang_ups, &event, 1, (int)(1000.0 * (tick_s - now_s)) + 1) > 0)
            sleepers_hang_up(http);
    }
    return NULL;
}

/* ---- begin and end of a connection ---- */

static struct connection *begin(struct http *http, int fd)
{
    struct connection *link = calloc(1, sizeof *link);

    if (!link)
        return NULL;
    link->fd = fd;
    link->is_encrypted = http->base->config->tls_certificate[0] != '\0';
    link->since_s = clock_now_s();
    pthread_mutex_lock(&http->lock);
    LIST_INSERT_HEAD(&http->connections, link, link);
    http->connection_count++;
    link->is_spare = http->connection_count > http->connections_max && !end_idle(http, link);
    http->spare_count += link->is_spare;
    note_count(http);
    pthread_mutex_unlock(&http->lock);
    return link;
}

static void forget(struct http *http, struct connection *link)
{
    pthread_mutex_lock(&http->lock);
    LIST_REMOVE(link, link);
    if (link->phase != CONNECTION_ENDED)
        http->connection_count--;
    note_count(http);
    pthread_mutex_unlock(&http->lock);
    free(link);
}

void connection_notify(void *context, struct MHD_Connection *connection, void **socket_context,
                       enum MHD_ConnectionNotificationCode code)
{
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        *socket_context = begin(
            context,
            MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd);
    } else if (*socket_context) {
        forget(context, *socket_context);
        *socket_context = NULL;
    }
}
