/* Connections that sleep until there is something to send. libmicrohttpd does not watch a suspended
 * connection, so the clock thread notices when its client hangs up, with an epoll set of
 * its own. */
#include "service/http/http_exchange.h"

#include "api/base/clock.h"

#include <assert.h>
#include <sys/epoll.h>

bool sleeper_begin(struct sleeper *sleeper, struct exchange *x,
                   bool (*is_due)(struct sleeper *sleeper, double now_s), const char *topic,
                   int64_t last_id, bool *ret_missed)
{
    struct http *http = x->http;
    struct epoll_event event = {.events = EPOLLRDHUP, .data = {.ptr = sleeper}};

    sleeper->http = http;
    sleeper->connection = x->connection;
    sleeper->fd =
        MHD_get_connection_info(x->connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
    sleeper->is_due = is_due;
    pthread_mutex_init(&sleeper->lock, NULL);
    pthread_mutex_lock(&http->lock);
    LIST_INSERT_HEAD(&http->sleepers, sleeper, link);
    /* If memory is short this fails, and the next send notices the hang-up. */
    epoll_ctl(http->hang_ups, EPOLL_CTL_ADD, sleeper->fd, &event);
    pthread_mutex_unlock(&http->lock);
    sleeper->listener =
        events_listen(http->base->events, topic, last_id, ret_missed, sleeper_wake, sleeper);
    if (sleeper->listener)
        return true;
    sleeper_end(sleeper);
    return false;
}

void sleeper_end(struct sleeper *sleeper)
{
    struct http *http = sleeper->http;

    listener_free(sleeper->listener); /* no wake-up follows */
    pthread_mutex_lock(&http->lock);
    assert(!sleeper->is_asleep);
    if (!sleeper->is_gone) /* otherwise it is already removed */
        epoll_ctl(http->hang_ups, EPOLL_CTL_DEL, sleeper->fd, NULL);
    LIST_REMOVE(sleeper, link);
    pthread_mutex_unlock(&http->lock);
    pthread_mutex_destroy(&sleeper->lock);
}

bool sleeper_sleep(struct sleeper *sleeper)
{
    assert(!sleeper->is_asleep);
    if (atomic_load(&sleeper->is_gone))
        return false;
    sleeper->is_asleep = true;
    MHD_suspend_connection(sleeper->connection);
    return true;
}

void sleeper_wake(void *context)
{
    struct sleeper *sleeper = context;

    pthread_mutex_lock(&sleeper->lock);
    if (sleeper->is_asleep) {
        sleeper->is_asleep = false;
        MHD_resume_connection(sleeper->connection);
    }
    pthread_mutex_unlock(&sleeper->lock);
}

void sleepers_wake(struct http *http, bool all)
{
    double now_s = clock_now_s();
    struct sleeper *sleeper;

    pthread_mutex_lock(&http->lock);
    LIST_FOREACH (sleeper, &http->sleepers, link)
        if (all || !sleeper->is_due || sleeper->is_due(sleeper, now_s))
            sleeper_wake(sleeper);
    pthread_mutex_unlock(&http->lock);
}

void sleepers_hang_up(struct http *http)
{
    enum { EVENTS = 64 };
    struct epoll_event events[EVENTS];

    /* Poll again under the lock, so that no sleeper found here can end meanwhile. */
    pthread_mutex_lock(&http->lock);
    int count = epoll_wait(http->hang_ups, events, EVENTS, 0);
    for (int k = 0; k < count; k++) {
        struct sleeper *sleeper = events[k].data.ptr;
        if (!sleeper)
            continue; /* the bell of http_stop() */
        epoll_ctl(http->hang_ups, EPOLL_CTL_DEL, sleeper->fd, NULL);
        atomic_store(&sleeper->is_gone, true);
        sleeper_wake(sleeper);
    }
    pthread_mutex_unlock(&http->lock);
}
