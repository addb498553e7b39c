/* The log: one write() per line, so that lines of several threads do not mix. */
#include "service/base/log.h"

#include "api/base/utf8.h"

#include <errno.h>
#include <math.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    LINE_BYTES = 8192,
    TAIL_BYTES = 2, /* reserved for the end: brace, newline */
    KEY_BYTES = 64,
    FIELD_BYTES = KEY_BYTES + LOG_TEXT_MAX + 8, /* quotes and "…" */
    PIECE_BYTES = 8,                            /* a character or an escape */
    NUMBER_BYTES = 32
};

static atomic_bool as_json;
static atomic_int highest = LOG_INFO;

static const char *const level_names[] = {
    [LOG_ERROR] = "error", [LOG_WARNING] = "warning", [LOG_INFO] = "info", [LOG_DEBUG] = "debug"};

struct log_field log_text(const char *key, const char *text)
{
    return (struct log_field){.key = key, .type = LOG_FIELD_TEXT, .text = text};
}

struct log_field log_whole(const char *key, int64_t value)
{
    return (struct log_field){.key = key, .type = LOG_FIELD_WHOLE, .whole = value};
}

struct log_field log_real(const char *key, double value)
{
    return (struct log_field){.key = key, .type = LOG_FIELD_REAL, .real = value};
}

/* ---- a line ---- */

/* A line being built. Pieces that do not fit are left out whole. */
struct line {
    char text[LINE_BYTES];
    size_t length;
};

static void add_bytes(struct line *line, const char *bytes, size_t count)
{
    if (line->length + count > sizeof line->text - TAIL_BYTES)
        return;
    memcpy(line->text + line->length, bytes, count);
    line->length += count;
}

static void add_text(struct line *line, const char *text)
{
    add_bytes(line, text, strlen(text));
}

static void add_escaped(struct line *line, const char *text)
{
    const size_t most = line->length + LOG_TEXT_MAX;

    for (int bytes; *text; text += bytes) {
        int32_t character = utf8_read(text, &bytes);
        char piece[PIECE_BYTES];
        if (character == '"' || character == '\\')
            snprintf(piece, sizeof piece, "\\%c", (char)character);
        else if (character == '\n')
            strcpy(piece, "\\n");
        else if (utf8_is_steering(character))
            snprintf(piece, sizeof piece, "\\u%04x", (unsigned)character);
        else if (character == UTF8_REPLACEMENT)
            strcpy(piece, "\xef\xbf\xbd");
        else
            snprintf(piece, sizeof piece, "%.*s", bytes, text);
        if (line->length + strlen(piece) > most) {
            add_text(line, "…");
            return;
        }
        add_text(line, piece);
    }
}

static void add_quoted(struct line *line, const char *text)
{
    add_bytes(line, "\"", 1);
    add_escaped(line, text);
    add_bytes(line, "\"", 1);
}

/* Whether the text needs no quotes. */
static bool is_plain_word(const char *text)
{
    const char *start = text;

    for (int bytes; *text; text += bytes) {
        int32_t character = utf8_read(text, &bytes);
        if (character <= ' ' || strchr("\"\\=", (int)(unsigned char)*text) ||
            utf8_is_steering(character) || character == UTF8_REPLACEMENT)
            return false;
    }
    return text > start;
}

static void add_value(struct line *line, const struct log_field *field, bool json)
{
    char number[NUMBER_BYTES];

    switch (field->type) {
    case LOG_FIELD_TEXT:
        if (json || !is_plain_word(field->text))
            add_quoted(line, field->text);
        else
            add_escaped(line, field->text);
        return;
    case LOG_FIELD_WHOLE:
        snprintf(number, sizeof number, "%lld", (long long)field->whole);
        add_text(line, number);
        return;
    case LOG_FIELD_REAL:
        snprintf(number, sizeof number, fabs(field->real) < 1e15 ? "%.3f" : "%.9e", field->real);
        add_text(line, isfinite(field->real) ? number : "null");
        return;
    }
}

/* Adds a field whole (a long text is cut) or not at all. */
static void add_field(struct line *line, const struct log_field *field, bool json)
{
    char key[KEY_BYTES];

    if (field->type == LOG_FIELD_TEXT && !field->text)
        return;
    if (line->length + FIELD_BYTES > sizeof line->text - TAIL_BYTES)
        return;
    snprintf(key, sizeof key, json ? ",\"%s\":" : " %s=", field->key);
    add_text(line, key);
    add_value(line, field, json);
}

/* ---- writing ---- */

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
            return; /* nowhere to report it */
        text += done;
        length -= (size_t)done;
    }
}

void log_fields(enum log_level level, const char *what, const struct log_field *fields)
{
    struct line line = {.length = 0};
    char when[40];
    struct timespec now;
    struct tm utc;
    bool json = atomic_load_explicit(&as_json, memory_order_relaxed);

    if ((int)level > atomic_load_explicit(&highest, memory_order_relaxed))
        return;
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &utc);
    size_t used = strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%S", &utc);
    snprintf(when + used, sizeof when - used, ".%03dZ", (int)(now.tv_nsec / 1000000));

    add_text(&line, json ? "{\"at\":\"" : "");
    add_text(&line, when);
    add_text(&line, json ? "\",\"level\":\"" : " ");
    add_text(&line, level_names[level]);
    add_text(&line, json ? "\",\"what\":\"" : " ");
    add_escaped(&line, what);
    add_text(&line, json ? "\"" : "");
    for (; fields->key; fields++)
        add_field(&line, fields, json);
    if (json)
        line.text[line.length++] = '}';
    line.text[line.length++] = '\n';
    write_line(line.text, line.length);
}
