/* Turns lines into events. */
#include "api/base/event_stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EVENT_MAX = 4 << 20 };

void event_stream_free(struct event_stream *stream)
{
    free(stream->line.bytes);
    free(stream->data.bytes);
}

static bool append(struct event_text *text, const char *bytes, size_t count)
{
    if (count > EVENT_MAX - text->length)
        return false;
    char *grown = realloc(text->bytes, text->length + count + 1);
    if (!grown)
        return false;
    text->bytes = grown;
    memcpy(text->bytes + text->length, bytes, count);
    text->length += count;
    text->bytes[text->length] = '\0';
    return true;
}

/* Completes an event, at an empty line. */
static bool finish_event(struct event_stream *stream)
{
    bool more = true;

    if (stream->data.length > 0)
        more =
            stream->event(stream->context, stream->name, stream->data.bytes, stream->data.length);
    stream->data.length = 0;
    *stream->name = '\0';
    return more;
}

static bool take_line(struct event_stream *stream)
{
    struct event_text *line = &stream->line;

    if (line->length > 0 && line->bytes[line->length - 1] == '\r')
        line->bytes[--line->length] = '\0';
    if (line->length == 0)
        return finish_event(stream);
    char *value = strchr(line->bytes, ':');
    size_t name_length = value ? (size_t)(value - line->bytes) : line->length;
    value = value ? value + 1 : line->bytes + line->length;
    value += *value == ' ';
    if (name_length == 5 && memcmp(line->bytes, "event", 5) == 0)
        snprintf(stream->name, sizeof stream->name, "%s", value);
    else if (name_length == 4 && memcmp(line->bytes, "data", 4) == 0)
        return (stream->data.length == 0 || append(&stream->data, "\n", 1)) &&
               append(&stream->data, value, strlen(value));
    return true;
}

bool event_stream_feed(struct event_stream *stream, const char *bytes, size_t count)
{
    while (count > 0) {
        const char *end = memchr(bytes, '\n', count);
        size_t part = end ? (size_t)(end - bytes) : count;
        if (!append(&stream->line, bytes, part))
            return false;
        if (!end)
            return true;
        if (!take_line(stream))
            return false;
        stream->line.length = 0;
        bytes += part + 1;
        count -= part + 1;
    }
    return true;
}
