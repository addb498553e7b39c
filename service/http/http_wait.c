/* Requests that wait: the connection sleeps, and the route runs again at each event of the topic
 * and at least once a second. */
#include "service/http/http_exchange.h"

#include "api/clock.h"
#include "service/base/events.h"

#include <stdlib.h>

struct wait {
    struct sleeper sleeper;
    struct listener *listener;
    double until_s;
    route_function *again;
    bool is_wanted; /* in its last call the route asked to wait */
};

static bool looks_each_second(struct sleeper *sleeper, double now_s)
{
    (void)sleeper;
    (void)now_s;
    return true;
}

static struct wait *wait_new(struct exchange *x, const char *topic)
{
    struct wait *wait = calloc(1, sizeof *wait);
    bool missed;

    if (!wait)
        return NULL;
    sleeper_begin(&wait->sleeper, x, looks_each_second);
    wait->listener = events_listen(x->http->base->events, topic, 0, &missed, sleeper_wake, wait);
    if (!wait->listener) {
        sleeper_end(&wait->sleeper);
        free(wait);
        return NULL;
    }
    return wait;
}

void exchange_end_wait(struct exchange *x)
{
    struct wait *wait = x->wait;

    if (!wait)
        return;
    x->wait = NULL;
    listener_free(wait->listener); /* nobody wakes it from here on */
    sleeper_end(&wait->sleeper);
    free(wait);
}

bool http_wait(struct http_request *request, const char *topic, double until_s,
               route_function *again)
{
    struct exchange *x = exchange_of(request);

    if (x->is_comparing || clock_now_s() >= until_s || atomic_load(&x->http->draining) ||
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

/* Whether the topic has new events; consumes all of them. */
static bool has_news(struct wait *wait)
{
    char buffer[4096];
    bool news = false;

    while (listener_read(wait->listener, buffer, sizeof buffer) > 0)
        news = true;
    return news;
}

/* The route runs once more before the connection sleeps, so no event between its last run and the
 * start of listening is missed. */
enum wait_end exchange_wait(struct exchange *x)
{
    struct wait *wait = x->wait;

    x->phase = EXCHANGE_AWAY;
    for (;;) {
        wait->is_wanted = false;
        exchange_run_again(x, wait->again);
        if (!wait->is_wanted) {
            exchange_end_wait(x);
            return WAIT_ANSWERED;
        }
        pthread_mutex_lock(&wait->sleeper.lock);
        bool has_something = has_news(wait);
        bool sleeps = !has_something && sleeper_sleep(&wait->sleeper);
        pthread_mutex_unlock(&wait->sleeper.lock);
        if (sleeps)
            return WAIT_SLEEPS;
        if (!has_something)
            return WAIT_CLIENT_GONE;
    }
}
