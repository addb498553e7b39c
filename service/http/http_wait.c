/* Requests that wait: the connection sleeps, and the route runs again at each event of the topic
 * and at least once a second. */
#include "service/http/http_exchange.h"

#include "api/base/clock.h"

#include <stdlib.h>

struct wait {
    struct sleeper sleeper;
    double until_s;
    route_function *again;
    bool is_wanted; /* in its last call the route asked to wait */
};

void exchange_end_wait(struct exchange *x)
{
    if (!x->wait)
        return;
    sleeper_end(&x->wait->sleeper);
    free(x->wait);
    x->wait = NULL;
}

bool http_wait(struct http_request *request, const char *topic, double until_s,
               route_function *again)
{
    struct exchange *x = exchange_of(request);

    if (x->is_comparing || clock_now_s() >= until_s || atomic_load(&x->http->draining) ||
        atomic_load(&x->http->stopping))
        return false;
    if (!x->wait) {
        struct wait *wait = calloc(1, sizeof *wait);
        bool missed;
        if (!wait || !sleeper_begin(&wait->sleeper, x, NULL, topic, 0, &missed)) {
            free(wait);
            return false;
        }
        x->wait = wait;
    }
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

    while (listener_read(wait->sleeper.listener, buffer, sizeof buffer) > 0)
        news = true;
    return news;
}

/* The route runs once more before the connection sleeps, so no event between its last run and the
 * start of listening is missed. */
enum MHD_Result exchange_wait(struct exchange *x)
{
    struct wait *wait = x->wait;

    x->phase = EXCHANGE_AWAY;
    for (;;) {
        wait->is_wanted = false;
        exchange_run_again(x, wait->again);
        if (!wait->is_wanted) {
            exchange_end_wait(x);
            return exchange_send(x);
        }
        pthread_mutex_lock(&wait->sleeper.lock);
        bool has_something = has_news(wait);
        bool sleeps = !has_something && sleeper_sleep(&wait->sleeper);
        pthread_mutex_unlock(&wait->sleeper.lock);
        if (sleeps)
            return MHD_YES;
        if (!has_something)
            return MHD_NO; /* the client is gone */
    }
}
