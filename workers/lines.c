/* Cuts an input into lines. */
#include "workers/lines.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { READ_AHEAD = 256 * 1024 };

bool lines_init(struct line_reader *reader, int fd, size_t line_max)
{
    /* Room for the longest line with \r\n, and for many lines after it. */
    *reader =
        (struct line_reader){.fd = fd, .line_max = line_max, .capacity = line_max + 2 + READ_AHEAD};
    reader->buffer = malloc(reader->capacity);
    return reader->buffer != NULL;
}

void lines_free(struct line_reader *reader)
{
    free(reader->buffer);
    reader->buffer = NULL;
}

static bool is_blank(const char *text, size_t length)
{
    for (size_t k = 0; k < length; k++)
        if (text[k] != ' ' && text[k] != '\t' && text[k] != '\r')
            return false;
    return true;
}

/* Finds the next complete line of the buffer; false without one. A line that is too long is
 * returned as soon as its length shows, and the rest of it is skipped. */
static bool next_line(struct line_reader *reader, struct line *ret_line)
{
    for (;;) {
        char *text = reader->buffer + reader->start;
        char *end = memchr(reader->buffer + reader->scanned, '\n', reader->end - reader->scanned);
        size_t length = end ? (size_t)(end - text) : reader->end - reader->start;

        reader->scanned = reader->end;
        if (!end && reader->skipping) {
            reader->start = reader->end;
            return false;
        }
        bool too_long = length > reader->line_max + 1; /* 1: a \r, checked below */
        if (!end && !too_long && !(reader->at_end && length > 0))
            return false;

        bool is_rest = reader->skipping;
        reader->skipping = !end && too_long;
        reader->start = end ? reader->start + length + 1 : reader->end;
        reader->scanned = reader->start;
        if (is_rest)
            continue;
        reader->number++;
        if (!too_long && length > 0 && text[length - 1] == '\r')
            length--;
        if (!too_long && is_blank(text, length))
            continue;
        too_long = too_long || length > reader->line_max;
        *ret_line = (struct line){text, too_long ? 0 : length, reader->number, too_long};
        return true;
    }
}

/* Waits for bytes and adds them to the buffer. False with errno set when reading fails. */
static bool fill(struct line_reader *reader)
{
    memmove(reader->buffer, reader->buffer + reader->start, reader->end - reader->start);
    assert(reader->start <= reader->scanned && reader->scanned <= reader->end);
    reader->end -= reader->start;
    reader->scanned -= reader->start;
    reader->start = 0;
    for (;;) {
        ssize_t got =
            read(reader->fd, reader->buffer + reader->end, reader->capacity - reader->end);
        if (got >= 0) {
            reader->end += (size_t)got;
            reader->at_end = got == 0;
            return true;
        }
        if (errno ==
            EAGAIN) /* another process that shares the pipe may have made it non-blocking */
            poll(&(struct pollfd){.fd = reader->fd, .events = POLLIN}, 1, -1);
        else if (errno != EINTR)
            return false;
    }
}

int lines_read(struct line_reader *reader, struct line *ret_lines, int most)
{
    for (;;) {
        int count = 0;
        while (count < most && next_line(reader, &ret_lines[count]))
            count++;
        if (count > 0 || reader->at_end)
            return count;
        if (!fill(reader))
            return -1;
    }
}
