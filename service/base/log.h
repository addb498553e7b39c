/* The log: one line per event on stderr, for people or as JSON. Any thread. */
#ifndef RINKD_SERVICE_BASE_LOG_H
#define RINKD_SERVICE_BASE_LOG_H

#include <stdbool.h>
#include <stdint.h>

enum log_level { LOG_ERROR, LOG_WARNING, LOG_INFO, LOG_DEBUG };

/* json: one JSON object a line. Drops lines above `level`. */
void log_setup(bool json, enum log_level level);

/* A member of the line. Its text may come from anywhere: anything that could end the line, forge
 * a member or steer a terminal is escaped as in JSON; bytes that are not UTF-8 become U+FFFD;
 * after LOG_TEXT_MAX bytes the text is cut and ends with "…". */
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
/* Three digits after the point; null if not finite. */
struct log_field log_real(const char *key, double value);

/* Writes a line. `what` is a fixed text ("request", "job retried"), followed by at least one
 * field: log_line(LOG_INFO, "job done", log_whole("job", id), log_text("state", name)). For
 * people a line reads "TIME LEVEL WHAT key=value …"; a text that is not one plain word is
 * quoted. */
#define log_line(level, what, ...) \
    log_fields(level, what, (const struct log_field[]){__VA_ARGS__, {.key = NULL}})

/* The last field has a NULL key. */
void log_fields(enum log_level level, const char *what, const struct log_field *fields);

#endif
