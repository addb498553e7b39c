/* The log: one line per event on stderr, for people or as JSON. Any thread. */
#ifndef RINKD_SERVICE_BASE_LOG_H
#define RINKD_SERVICE_BASE_LOG_H

#include <stdbool.h>
#include <stdint.h>

enum log_level { LOG_ERROR, LOG_WARNING, LOG_INFO, LOG_DEBUG };

/* json: one object a line. Lines above `level` are left out. */
void log_setup(bool json, enum log_level level);

/* A member of the line. Its text may come from anywhere: what could end the line, forge a member or
 * steer a terminal is escaped as in JSON, bytes that are not UTF-8 become U+FFFD, and after
 * LOG_TEXT_MAX bytes it ends with "…". */
struct log_field {
    const char *key; /* a fixed word */
    enum { LOG_FIELD_TEXT, LOG_FIELD_WHOLE, LOG_FIELD_REAL } type;
    const char *text; /* NULL: the field is left out */
    int64_t whole;
    double real;
};

enum { LOG_TEXT_MAX = 1024 };

struct log_field log_text(const char *key, const char *text);
struct log_field log_whole(const char *key, int64_t value);
/* Three digits after the point; null where it is not finite. */
struct log_field log_real(const char *key, double value);

/* `what` is a fixed text ("request", "job retried"), the others are fields, at least one:
 * log_line(LOG_INFO, "job done", log_whole("job", id), log_text("state", name)). For people a line
 * is "TIME LEVEL WHAT key=value …", with a text in double quotes where it is not one plain word. */
#define log_line(level, what, ...) \
    log_fields(level, what, (const struct log_field[]){__VA_ARGS__, {.key = NULL}})

/* `fields` ends with one whose key is NULL. */
void log_fields(enum log_level level, const char *what, const struct log_field *fields);

#endif
