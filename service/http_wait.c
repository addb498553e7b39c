/* Requests that wait for something to happen: the connection sleeps, and its route looks again
 * whenever the topic says something, once a second in any case. */
#include "service/http_exchange.h"

#include "service/events.h"
#include "service/server.h"

#include <stdlib.h>

struct wait {
    struct wait *before, *after; /* under http->lock */
    struct http *http;
    struct MHD_Connection *connection;
    struct listener *listener;
    double until_s;
    route_function *again;
    bool is_wanted; /* the last call of a route's function asked for it */

    pthread_mutex_t lock;
    bool asleep; /* under it: the connection is suspended */
};

/* From any thread. */
static void wake(void *context)
{
    struct wait *wait = context;

    pthread_mutex_lock(&wait->lock);
    if (wait->asleep) {
        wait->asleep = false;
        MHD_resume_connection(wait->connection);
    }
    pthread_mutex_unlock(&wait->lock);
}

static struct wait *wait_new(struct exchange *x, const char *topic)
{
    struct http *http = x->http;
    struct wait *wait = calloc(1, sizeof *wait);
    bool missed;

    if (!wait)
        return NULL;
    wait->http = http;
    wait->connection = x->connection;
    pthread_mutex_init(&wait->lock, NULL);
    wait->listener = events_listen(http->server->events, topic, 0, &missed, wake, wait);
    if (!wait->listener) {
        pthread_mutex_destroy(&wait->lock);
        free(wait);
        return NULL;
    }
    pthread_mutex_lock(&http->lock);
    wait->after = http->waits;
    if (wait->after)
        wait->after->before = wait;
    http->waits = wait;
    pthread_mutex_unlock(&http->lock);
    return wait;
}

void exchange_end_wait(struct exchange *x)
{
    struct wait *wait = x->wait;

    if (!wait)
        return;
    x->wait = NULL;
    pthread_mutex_lock(&wait->http->lock);
    *(wait->before ? &wait->before->after : &wait->http->waits) = wait->after;
    if (wait->after)
        wait->after->before = wait->before;
    pthread_mutex_unlock(&wait->http->lock);
    listener_free(wait->listener);
    pthread_mutex_destroy(&wait->lock);
    free(wait);
}

bool http_wait(struct http_request *request, const char *topic, double until_s,
               route_function *again)
{
    struct exchange *x = exchange_of(request);

    if (http_now_s() >= until_s || atomic_load(&x->http->draining) ||
        atomic_load(&x->http->stopping))
        return false;
    if (!x->wait)
        x->wait = wait_new(x, topic);
    if (!x->wait)
        return false;
    x->wait->until_s = until_s;
    x->wait->again = again;
    x->wait->is_wanted = true;
    return true;
}

/* Whether the topic said something since it was asked last; all that is read. */
static bool has_news(struct wait *wait)
{
    char buffer[4096];
    bool news = false;

    while (listener_read(wait->listener, buffer, sizeof buffer) > 0)
        news = true;
    return news;
}

/* Before the connection sleeps the route looks once more: what happened between its last look and
 * the beginning of the listening is not missed. */
bool exchange_wait(struct exchange *x)
{
    struct wait *wait = x->wait;

    x->phase = EXCHANGE_AWAY;
    for (;;) {
        wait->is_wanted = false;
        exchange_run_again(x, wait->again);
        if (!wait->is_wanted) {
            exchange_end_wait(x);
            return true;
        }
        pthread_mutex_lock(&wait->lock);
        bool sleeps = !has_news(wait);
        if (sleeps) {
            wait->asleep = true;
            MHD_suspend_connection(x->connection);
        }
        pthread_mutex_unlock(&wait->lock);
        if (sleeps)
            return false;
    }
}

void waits_wake(struct http *http)
{
    pthread_mutex_lock(&http->lock);
    for (struct wait *wait = http->waits; wait; wait = wait->after)
        wake(wait);
    pthread_mutex_unlock(&http->lock);
}
