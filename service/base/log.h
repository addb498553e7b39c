/* The log: one line an event on stderr, for people or as JSON. Any thread. */
#ifndef RINKD_SERVICE_BASE_LOG_H
#define RINKD_SERVICE_BASE_LOG_H

#include <stdbool.h>

enum log_level { LOG_ERROR, LOG_WARNING, LOG_INFO, LOG_DEBUG };

/* json: one object a line. Lines above `level` are left out. */
void log_setup(bool json, enum log_level level);

/* `what` is a fixed text ("request", "job retried"); the rest are pairs "key=value" in one
 * printf-like text, values with blanks in double quotes: log_line(LOG_INFO, "job done", "job=%ld
 * ms=%d", …). In JSON each pair is a member. */
void log_line(enum log_level level, const char *what, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
