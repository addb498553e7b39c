/* Takes a stream of server-sent events apart as it arrives, in pieces of any size. Only what the
 * daemon sends is understood: fields "event" and "data" (JSON), comments, "id" (not needed here).
 */
#ifndef RINKD_SERVICE_RINKCTL_EVENT_STREAM_H
#define RINKD_SERVICE_RINKCTL_EVENT_STREAM_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct event_stream;

/* An event of a stream (server-sent events): its name and its data. False: no more of them. */
typedef bool stream_event(void *context, const char *name, const json_t *data);

/* Each event is handed to the function. NULL: out of memory. */
struct event_stream *event_stream_open(stream_event *event, void *context);
void event_stream_free(struct event_stream *stream); /* NULL is fine */

/* False: the function has enough, an event is longer than 4 MiB, or memory is short. */
bool event_stream_feed(struct event_stream *stream, const char *bytes, size_t count);

#endif
