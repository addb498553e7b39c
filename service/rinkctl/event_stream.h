/* Parses a stream of server-sent events as it arrives, in pieces of any size. Understands only what
 * the daemon sends: fields "event" and "data" (JSON), comments, "id" (ignored). */
#ifndef RINKD_SERVICE_RINKCTL_EVENT_STREAM_H
#define RINKD_SERVICE_RINKCTL_EVENT_STREAM_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct event_stream;

/* Receives the name and data of an event. False: wants no more of them. */
typedef bool stream_event(void *context, const char *name, const json_t *data);

/* Opens a parser that hands each event to the function. NULL: out of memory. */
struct event_stream *event_stream_open(stream_event *event, void *context);
void event_stream_free(struct event_stream *stream); /* NULL is fine */

/* Feeds bytes to the parser. False: the function has enough, an event is longer than 4 MiB, or
 * memory is short. */
bool event_stream_feed(struct event_stream *stream, const char *bytes, size_t count);

#endif
