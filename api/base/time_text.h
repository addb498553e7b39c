/* Times as texts, "2026-01-31T12:00:00.000Z" (RFC 3339), and as milliseconds since 1970. */
#ifndef RINKD_API_BASE_TIME_TEXT_H
#define RINKD_API_BASE_TIME_TEXT_H

#include <stdbool.h>
#include <stdint.h>

enum { TIME_TEXT_MAX = 64 };

/* Writes the time in UTC with milliseconds. False: its year cannot be written. */
bool time_write(int64_t ms, char ret_text[TIME_TEXT_MAX]);

/* Reads a time with "Z" or an offset, with or without a fraction of a second, or a date alone,
 * which is its midnight in UTC. False: another form, or there is no such day. */
bool time_read(const char *text, int64_t *ret_ms);

#endif
