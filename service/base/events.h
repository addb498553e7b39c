/* Topics that clients listen to over server-sent events: "job/7", "run/…", "shot/…", "jobs".
 * Each keeps its last events, at most EVENTS_RING. The id of an event is the time in microseconds
 * since 1970, made strictly increasing: a client can continue after a restart, and an id can
 * mean "from this moment on". Any thread. */
#ifndef RINKD_SERVICE_BASE_EVENTS_H
#define RINKD_SERVICE_BASE_EVENTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct events;
struct listener;

enum { EVENTS_RING = 256, EVENTS_TOPICS_MAX = 4096, EVENTS_TOPIC_MAX = 64 };

/* The name of a topic, for functions that return one. */
struct topic_name {
    char text[EVENTS_TOPIC_MAX];
};

struct events *events_open(int64_t now_ms); /* NULL: out of memory */
void events_close(struct events *events);

/* Adds an event and returns its id; 0: out of memory, nothing added. Steals `data` (NULL: does
 * nothing). `last`: no event follows, listeners end. */
int64_t events_publish(struct events *events, const char *topic, const char *name, json_t *data,
                       bool last);

/* Listens to events after `last_id` (0: only new ones). *ret_missed: some of these are gone, or
 * the topic is unknown. `wake` is called from any thread, without a lock, when an event arrives
 * after a read found nothing. NULL: out of memory. */
struct listener *events_listen(struct events *events, const char *topic, int64_t last_id,
                               bool *ret_missed, void (*wake)(void *context), void *context);
/* Copies events in SSE form ("id: …\nevent: …\ndata: …\n\n"); an event that does not fit
 * continues in the next call. Returns bytes; 0: nothing now; -1: the topic has ended. A listener
 * that fell behind reads "event: lagged" and then -1. size: at least 32, or 0 to ask
 * whether the topic has ended. */
int64_t listener_read(struct listener *listener, char *buffer, size_t size);
/* Whether the topic has its last event: listener_read() then never returns 0 and ends with -1. */
bool listener_hears_end(struct listener *listener);
void listener_free(struct listener *listener);

#endif
