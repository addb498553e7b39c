/* Parses a stream of server-sent events as it arrives, in pieces of any size: fields "event" and
 * "data", comments; others are ignored. */
#ifndef RINKD_API_BASE_EVENT_STREAM_H
#define RINKD_API_BASE_EVENT_STREAM_H

#include <stdbool.h>
#include <stddef.h>

/* Receives the name and data of an event; the data end in 0. False: wants no more of them. */
typedef bool stream_event(void *context, const char *name, const char *data, size_t length);

/* Begins with `event` and its context set, all else 0. */
struct event_stream {
    stream_event *event;
    void *context;
    char name[64]; /* of the present event */
    struct event_text {
        char *bytes;
        size_t length;
    } line, data;
};

/* Feeds bytes to the parser, which hands each event to the function. False: the function has
 * enough, an event is longer than 4 MiB, or memory is short. */
bool event_stream_feed(struct event_stream *stream, const char *bytes, size_t count);

/* Frees what it holds, not the struct itself. */
void event_stream_free(struct event_stream *stream);

#endif
