/* Topics in a hash table; each has a list of its last events as SSE text. One lock serves all,
 * as only short texts are copied under it. See events.h. */
#include "service/base/events.h"

#include "models/base/fnv1a.h"

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <time.h>

enum {
    BUCKETS = 1024,
    BYTES_MAX = 32 << 20 /* of all events; above it the longest silent topics are dropped */
};

struct event {
    TAILQ_ENTRY(event) of_topic;
    int64_t id;
    size_t size;
    char text[];
};

struct topic {
    LIST_ENTRY(topic) in_bucket;
    TAILQ_ENTRY(topic) by_age;
    LIST_HEAD(, listener) listeners;
    TAILQ_HEAD(event_list, event) kept; /* oldest first */
    int count;                          /* of kept events */
    int64_t floor_id;                   /* every event after this id is kept */
    bool ended;
    char name[EVENTS_TOPIC_MAX];
};

struct listener {
    struct events *events;
    struct topic *topic;
    LIST_ENTRY(listener) of_topic;
    int64_t at_id; /* of the last event that it has read */
    size_t offset; /* bytes of the next event already read */
    bool waiting;  /* its last read found nothing */
    bool lagged;
    int waking; /* calls of wake() in progress */
    void (*wake)(void *context);
    void *context;
};

struct events {
    pthread_mutex_t lock;
    pthread_cond_t woken; /* a wake() has returned */
    LIST_HEAD(bucket, topic) bucket[BUCKETS];
    TAILQ_HEAD(, topic) by_age; /* by their last event, oldest first */
    int topics;
    size_t bytes;
    int64_t newest_id;
    int64_t floor_id; /* topics not in the table may have lost all events up to this id */
};

struct events *events_open(int64_t now_ms)
{
    struct events *events = calloc(1, sizeof *events);

    if (!events)
        return NULL;
    TAILQ_INIT(&events->by_age);
    pthread_mutex_init(&events->lock, NULL);
    pthread_cond_init(&events->woken, NULL);
    events->newest_id = events->floor_id = now_ms * 1000;
    return events;
}

static void drop_oldest_event(struct events *events, struct topic *topic)
{
    struct event *event = TAILQ_FIRST(&topic->kept);

    assert(event->id > topic->floor_id && event->size <= events->bytes);
    TAILQ_REMOVE(&topic->kept, event, of_topic);
    topic->floor_id = event->id;
    topic->count--;
    events->bytes -= event->size;
    free(event);
}

static struct bucket *bucket_of(struct events *events, const char *name)
{
    return &events->bucket[(fnv1a(FNV1A_START, name, strlen(name)) >> 32) % BUCKETS];
}

static void topic_free(struct events *events, struct topic *topic)
{
    assert(LIST_EMPTY(&topic->listeners) && events->topics > 0);
    LIST_REMOVE(topic, in_bucket);
    TAILQ_REMOVE(&events->by_age, topic, by_age);
    while (topic->count > 0)
        drop_oldest_event(events, topic);
    if (topic->floor_id > events->floor_id)
        events->floor_id = topic->floor_id;
    events->topics--;
    free(topic);
}

void events_close(struct events *events)
{
    if (!events)
        return;
    while (!TAILQ_EMPTY(&events->by_age))
        topic_free(events, TAILQ_FIRST(&events->by_age));
    pthread_cond_destroy(&events->woken);
    pthread_mutex_destroy(&events->lock);
    free(events);
}

/* Drops old topics while there are too many or too many bytes, except `keep` and topics with
 * listeners. */
static void forget_old_topics(struct events *events, const struct topic *keep)
{
    struct topic *topic = TAILQ_FIRST(&events->by_age);

    while (topic && (events->topics > EVENTS_TOPICS_MAX || events->bytes > BYTES_MAX)) {
        struct topic *younger = TAILQ_NEXT(topic, by_age);
        if (topic != keep && LIST_EMPTY(&topic->listeners))
            topic_free(events, topic);
        topic = younger;
    }
}

static struct topic *find_or_add_topic(struct events *events, const char *name)
{
    struct bucket *bucket = bucket_of(events, name);
    struct topic *topic = LIST_FIRST(bucket);

    while (topic && strcmp(topic->name, name) != 0)
        topic = LIST_NEXT(topic, in_bucket);
    if (topic || strlen(name) >= EVENTS_TOPIC_MAX)
        return topic;
    topic = calloc(1, sizeof *topic);
    if (!topic)
        return NULL;
    memcpy(topic->name, name, strlen(name) + 1);
    TAILQ_INIT(&topic->kept);
    topic->floor_id = events->floor_id;
    LIST_INSERT_HEAD(bucket, topic, in_bucket);
    TAILQ_INSERT_TAIL(&events->by_age, topic, by_age);
    events->topics++;
    forget_old_topics(events, topic);
    if (events->topics > EVENTS_TOPICS_MAX) { /* all of them have listeners */
        topic_free(events, topic);
        return NULL;
    }
    return topic;
}

static struct event *make_event(int64_t id, const char *name, const char *data)
{
    size_t room = strlen(name) + strlen(data) + 64;
    struct event *event = malloc(sizeof *event + room);

    if (!event)
        return NULL;
    event->id = id;
    event->size = (size_t)snprintf(event->text, room, "id: %lld\nevent: %s\ndata: %s\n\n",
                                   (long long)id, name, data);
    return event;
}

static int64_t next_id(struct events *events)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    int64_t id = (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
    events->newest_id = id > events->newest_id ? id : events->newest_id + 1;
    return events->newest_id;
}

/* The oldest event after this id; NULL: none. Listeners that keep up look at few events. */
static const struct event *event_after(const struct topic *topic, int64_t id)
{
    const struct event *next = NULL, *event = TAILQ_LAST(&topic->kept, event_list);

    for (; event && event->id > id; event = TAILQ_PREV(event, event_list, of_topic))
        next = event;
    return next;
}

/* Calls wake() of waiting listeners, with the lock released. */
static void wake_listeners(struct events *events, struct topic *topic)
{
    for (;;) {
        struct listener *listener = LIST_FIRST(&topic->listeners);
        while (listener && !(listener->waiting && event_after(topic, listener->at_id)))
            listener = LIST_NEXT(listener, of_topic);
        if (!listener)
            return;
        listener->waiting = false;
        listener->waking++; /* keeps the listener, and so the topic, from being freed */
        pthread_mutex_unlock(&events->lock);
        listener->wake(listener->context);
        pthread_mutex_lock(&events->lock);
        listener->waking--;
        pthread_cond_broadcast(&events->woken);
    }
}

int64_t events_publish(struct events *events, const char *name, const char *event_name,
                       json_t *data, bool last)
{
    char *text = data ? json_dumps(data, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;

    json_decref(data);
    if (!text)
        return 0;
    pthread_mutex_lock(&events->lock);
    struct topic *topic = find_or_add_topic(events, name);
    struct event *event = topic ? make_event(next_id(events), event_name, text) : NULL;
    int64_t id = event ? event->id : 0;
    if (event) {
        if (topic->count == EVENTS_RING)
            drop_oldest_event(events, topic);
        TAILQ_INSERT_TAIL(&topic->kept, event, of_topic);
        topic->count++;
        topic->ended = last;
        events->bytes += event->size;
        TAILQ_REMOVE(&events->by_age, topic, by_age);
        TAILQ_INSERT_TAIL(&events->by_age, topic, by_age);
        forget_old_topics(events, topic);
        wake_listeners(events, topic);
    }
    pthread_mutex_unlock(&events->lock);
    free(text);
    return id;
}

struct listener *events_listen(struct events *events, const char *name, int64_t last_id,
                               bool *ret_missed, void (*wake)(void *context), void *context)
{
    struct listener *listener = calloc(1, sizeof *listener);

    if (!listener)
        return NULL;
    listener->events = events;
    listener->wake = wake;
    listener->context = context;
    pthread_mutex_lock(&events->lock);
    struct topic *topic = find_or_add_topic(events, name);
    if (!topic) {
        pthread_mutex_unlock(&events->lock);
        free(listener);
        return NULL;
    }
    listener->topic = topic;
    LIST_INSERT_HEAD(&topic->listeners, listener, of_topic);
    /* An id above the newest is of this moment, or of an earlier start with a later clock. Such a
     * listener hears only what comes from now on, and takes a snapshot for the rest. */
    bool is_ahead = last_id == 0 || last_id > events->newest_id;
    bool is_behind = last_id < topic->floor_id;
    *ret_missed = is_behind || last_id > events->newest_id;
    listener->at_id = is_ahead ? events->newest_id : is_behind ? topic->floor_id : last_id;
    pthread_mutex_unlock(&events->lock);
    return listener;
}

/* Call under the lock. */
static int64_t read_events(struct listener *listener, char *buffer, size_t size)
{
    static const char lagged[] = "event: lagged\ndata: {}\n\n";
    struct topic *topic = listener->topic;
    size_t used = 0;

    bool fell_behind = listener->at_id < topic->floor_id;
    if (listener->lagged || (fell_behind && listener->offset > 0))
        return -1; /* clients ignore an incomplete last event */
    if (fell_behind) {
        if (size < sizeof lagged - 1)
            return 0;
        listener->lagged = true;
        memcpy(buffer, lagged, sizeof lagged - 1);
        return (int64_t)sizeof lagged - 1;
    }
    const struct event *event = event_after(topic, listener->at_id);
    for (; event && used < size; event = TAILQ_NEXT(event, of_topic)) {
        size_t part = event->size - listener->offset;
        if (part > size - used)
            part = size - used;
        memcpy(buffer + used, event->text + listener->offset, part);
        used += part;
        listener->offset += part;
        if (listener->offset == event->size) {
            listener->at_id = event->id;
            listener->offset = 0;
        }
    }
    if (used > 0)
        return (int64_t)used;
    if (!event && topic->ended)
        return -1;
    listener->waiting = true;
    return 0;
}

int64_t listener_read(struct listener *listener, char *buffer, size_t size)
{
    pthread_mutex_lock(&listener->events->lock);
    int64_t got = read_events(listener, buffer, size);
    pthread_mutex_unlock(&listener->events->lock);
    return got;
}

bool listener_hears_end(struct listener *listener)
{
    pthread_mutex_lock(&listener->events->lock);
    bool ended = listener->topic->ended;
    pthread_mutex_unlock(&listener->events->lock);
    return ended;
}

void listener_free(struct listener *listener)
{
    if (!listener)
        return;
    struct events *events = listener->events;
    struct topic *topic = listener->topic;

    pthread_mutex_lock(&events->lock);
    listener->waiting = false;
    while (listener->waking > 0)
        pthread_cond_wait(&events->woken, &events->lock);
    LIST_REMOVE(listener, of_topic);
    if (LIST_EMPTY(&topic->listeners) && topic->count == 0)
        topic_free(events, topic);
    pthread_mutex_unlock(&events->lock);
    free(listener);
}
