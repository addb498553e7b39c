/* Server-sent events: an endless answer whose connection sleeps while there is nothing to send. */
#include "service/http/http_exchange.h"

#include "api/base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PING_S = 15, BLOCK_BYTES = 4096 };

struct stream {
    struct sleeper sleeper;
    struct config_token token; /* of the caller */

    /* guarded by the sleeper's lock */
    bool ping_due, is_over; /* is_over: the token was revoked or has expired */
    double spoke_s;         /* when it last sent anything */
    char *first;            /* sent before the events; NULL: nothing */
    size_t first_at;
};

static ssize_t read_first(struct stream *stream, char *buffer, size_t size)
{
    size_t left = strlen(stream->first) - stream->first_at;

    if (size > left)
        size = left;
    memcpy(buffer, stream->first + stream->first_at, size);
    stream->first_at += size;
    if (size == left) {
        free(stream->first);
        stream->first = NULL;
    }
    return (ssize_t)size;
}

/* Gives libmicrohttpd more of the answer. */
static ssize_t read_stream(void *context, uint64_t position, char *buffer, size_t size)
{
    static const char ping[] = ":\n\n";
    struct stream *stream = context;
    ssize_t got;

    (void)position;
    pthread_mutex_lock(&stream->sleeper.lock);
    if (stream->first)
        got = read_first(stream, buffer, size);
    else
        got = (ssize_t)listener_read(stream->sleeper.listener, buffer, size);
    if (got == 0 && stream->ping_due && size >= sizeof ping - 1) {
        got = sizeof ping - 1;
        memcpy(buffer, ping, (size_t)got);
    }
    if (stream->is_over || (got == 0 && atomic_load(&stream->sleeper.http->stopping)))
        got = -1;
    if (got > 0) {
        stream->ping_due = false;
        stream->spoke_s = clock_now_s();
    }
    /* If the client is gone, end the stream normally: libmicrohttpd then notices that the client is
     * away. After an error 0.9.75 may leave the connection open. */
    if (got == 0 && !sleeper_sleep(&stream->sleeper))
        got = -1;
    pthread_mutex_unlock(&stream->sleeper.lock);
    return got < 0 ? MHD_CONTENT_READER_END_OF_STREAM : got;
}

static void free_stream(void *context)
{
    struct stream *stream = context;

    if (!stream)
        return;
    sleeper_end(&stream->sleeper);
    free(stream->first);
    free(stream);
}

/* Whether there is a ping to send, or the stream has to end. */
static bool is_due(struct sleeper *sleeper, double now_s)
{
    struct stream *stream = (struct stream *)sleeper;
    bool is_over = !callers_still_know(sleeper->http->base->callers, &stream->token,
                                       core_now_ms(sleeper->http->base->core));

    pthread_mutex_lock(&sleeper->lock);
    bool due = is_over || now_s - stream->spoke_s >= PING_S;
    stream->is_over = is_over;
    if (due)
        stream->ping_due = true;
    pthread_mutex_unlock(&sleeper->lock);
    return due;
}

/* Listens to the events of the topic after last_id. NULL: memory is short. */
static struct stream *stream_new(struct exchange *x, const char *topic, int64_t last_id,
                                 bool *ret_missed)
{
    struct stream *stream = calloc(1, sizeof *stream);

    if (stream) {
        stream->spoke_s = clock_now_s();
        stream->token = x->token;
    }
    if (stream && sleeper_begin(&stream->sleeper, x, is_due, topic, last_id, ret_missed))
        return stream;
    free(stream);
    return NULL;
}

/* The text of one event in SSE form; steals the document. NULL: memory is short. */
static char *event_text(int64_t id, const char *name, json_t *document)
{
    char *data = document ? json_dumps(document, JSON_COMPACT | JSON_ENCODE_ANY) : strdup("null");
    char *text = NULL;

    if (data && asprintf(&text, "id: %lld\nevent: %s\ndata: %s\n\n", (long long)id, name, data) < 0)
        text = NULL;
    free(data);
    json_decref(document); /* `name` may point into it */
    return text;
}

static int64_t last_event_id(const struct http_request *request)
{
    const char *last = http_header(request, "Last-Event-ID");

    return last ? strtoll(last, NULL, 10) : 0;
}

/* Answers with the stream and takes it. */
static enum api_error give(struct http_request *request, struct stream *stream)
{
    struct exchange *x = exchange_of(request);

    if (!stream->first && listener_read(stream->sleeper.listener, NULL, 0) < 0) {
        free_stream(stream); /* the client has heard all: after 204 a browser does not reconnect */
        return http_no_content(request);
    }
    struct MHD_Response *response = MHD_create_response_from_callback(
        MHD_SIZE_UNKNOWN, BLOCK_BYTES, read_stream, stream, free_stream);
    if (!response) {
        free_stream(stream);
        return http_problem(request, API_NO_MEMORY, NULL);
    }
    enum api_error error = exchange_give(x, MHD_HTTP_OK, response);
    x->is_stream = true;
    http_add_header(request, MHD_HTTP_HEADER_CONTENT_TYPE, "text/event-stream");
    http_add_header(request, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
    http_add_header(request, "X-Accel-Buffering", "no"); /* tells proxies not to buffer */
    return error;
}

enum api_error http_events(struct http_request *request, const char *topic, json_t *snapshot)
{
    struct exchange *x = exchange_of(request);
    int64_t last_id = last_event_id(request), now_id = request->now_ms * 1000 - 1;
    bool missed = true;
    struct stream *stream = last_id > 0 ? stream_new(x, topic, last_id, &missed) : NULL;

    if (stream && !missed) {
        json_decref(snapshot);
        return give(request, stream);
    }
    free_stream(stream);
    /* The snapshot is newer than the request, so no event after it is missed; hearing a change
     * twice does no harm. */
    stream = stream_new(x, topic, now_id, &missed);
    char *first = event_text(now_id, "reset", snapshot);
    if (!stream || !first) {
        free_stream(stream);
        free(first);
        return http_problem(request, API_NO_MEMORY, NULL);
    }
    stream->first = first;
    return give(request, stream);
}

enum api_error http_last_events(struct http_request *request, const char *topic, const char *name,
                                int64_t id, json_t *document)
{
    int64_t last_id = last_event_id(request);
    bool missed = true;

    if (last_id > 0 && last_id == id) {
        json_decref(document);
        return http_no_content(request);
    }
    struct stream *stream =
        last_id > 0 ? stream_new(exchange_of(request), topic, last_id, &missed) : NULL;
    /* A topic that has not ended is new, or its last events are still coming although the end is
     * committed: the document knows more. */
    if (stream && !missed && listener_hears_end(stream->sleeper.listener)) {
        json_decref(document);
        return give(request, stream);
    }
    free_stream(stream);
    return http_text(request, MHD_HTTP_OK, "text/event-stream", event_text(id, name, document));
}
