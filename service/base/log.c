/* The log: a line is put together in one buffer and written by one write(), so that lines of
 * several threads do not mix. */
#include "service/base/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LINE_MAX_BYTES = 4096 };

static atomic_bool as_json;
static atomic_int highest = LOG_INFO;

static const char *const level_names[] = {
    [LOG_ERROR] = "error", [LOG_WARNING] = "warning", [LOG_INFO] = "info", [LOG_DEBUG] = "debug"};

/* Text that grows up to the room for it; what does not fit is left out. */
struct line {
    char text[LINE_MAX_BYTES];
    size_t length;
};

static void add_byte(struct line *line, char byte)
{
    if (line->length < sizeof line->text - 4) /* room for the end: quote, brace, newline */
        line->text[line->length++] = byte;
}

static void add_text(struct line *line, const char *text)
{
    for (; *text; text++)
        add_byte(line, *text);
}

static void add_json_byte(struct line *line, char byte)
{
    static const char digits[] = "0123456789abcdef";
    unsigned char value = (unsigned char)byte;

    if (line->length + 10 > sizeof line->text) /* an escape is whole or not there */
        return;
    if (byte == '"' || byte == '\\') {
        add_byte(line, '\\');
        add_byte(line, byte);
    } else if (value < 0x20 || value >= 0x7f) {
        add_text(line, "\\u00");
        add_byte(line, digits[value >> 4]);
        add_byte(line, digits[value & 15]);
    } else {
        add_byte(line, byte);
    }
}

/* Whether the text is a number as JSON has them. */
static bool is_number(const char *text, size_t length)
{
    size_t k = length > 1 && text[0] == '-', start = k, points = 0;

    if (length > 20 || k == length || text[length - 1] == '.' || text[k] == '.')
        return false;
    if (text[start] == '0' && length > start + 1 && text[start + 1] != '.')
        return false;
    for (; k < length; k++) {
        if (text[k] == '.')
            points++;
        else if (text[k] < '0' || text[k] > '9')
            return false;
    }
    return points <= 1;
}

/* The members of "key=value key2="a value"". */
static void add_members(struct line *line, const char *pairs)
{
    while (*pairs) {
        size_t key = strcspn(pairs, "= ");

        if (pairs[key] != '=') { /* not a pair: a stray word */
            pairs += key + (pairs[key] == ' ');
            continue;
        }
        if (line->length + key + 32 > sizeof line->text)
            return;
        add_text(line, ",\"");
        for (size_t k = 0; k < key; k++)
            add_json_byte(line, pairs[k]);
        add_text(line, "\":");
        pairs += key + 1;
        if (*pairs == '"') {
            add_byte(line, '"');
            for (pairs++; *pairs && *pairs != '"'; pairs++)
                add_json_byte(line, *pairs);
            add_byte(line, '"');
            pairs += *pairs == '"';
        } else {
            size_t length = strcspn(pairs, " ");
            bool number = is_number(pairs, length);
            if (!number)
                add_byte(line, '"');
            for (size_t k = 0; k < length; k++)
                add_json_byte(line, pairs[k]);
            if (!number)
                add_byte(line, '"');
            pairs += length;
        }
        pairs += *pairs == ' ';
    }
}

void log_setup(bool json, enum log_level level)
{
    atomic_store(&as_json, json);
    atomic_store(&highest, (int)level);
}

static void write_line(const char *text, size_t length)
{
    while (length > 0) {
        ssize_t done = write(STDERR_FILENO, text, length);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return; /* there is nowhere to say so */
        text += done;
        length -= (size_t)done;
    }
}

void log_line(enum log_level level, const char *what, const char *format, ...)
{
    char pairs[LINE_MAX_BYTES - 256], when[40];
    struct line line = {.length = 0};
    struct timespec now;
    struct tm utc;
    va_list arguments;

    if ((int)level > atomic_load_explicit(&highest, memory_order_relaxed))
        return;
    va_start(arguments, format);
    vsnprintf(pairs, sizeof pairs, format, arguments);
    va_end(arguments);
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &utc);
    size_t used = strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%S", &utc);
    snprintf(when + used, sizeof when - used, ".%03dZ", (int)(now.tv_nsec / 1000000));

    if (atomic_load_explicit(&as_json, memory_order_relaxed)) {
        add_text(&line, "{\"at\":\"");
        add_text(&line, when);
        add_text(&line, "\",\"level\":\"");
        add_text(&line, level_names[level]);
        add_text(&line, "\",\"what\":\"");
        for (const char *byte = what; *byte; byte++)
            add_json_byte(&line, *byte);
        add_byte(&line, '"');
        add_members(&line, pairs);
        line.text[line.length++] = '}';
    } else {
        add_text(&line, when);
        add_byte(&line, ' ');
        add_text(&line, level_names[level]);
        add_byte(&line, ' ');
        add_text(&line, what);
        if (*pairs)
            add_byte(&line, ' ');
        for (const char *byte = pairs; *byte; byte++)
            add_byte(&line, (unsigned char)*byte < 0x20 ? ' ' : *byte);
    }
    line.text[line.length++] = '\n';
    write_line(line.text, line.length);
}
