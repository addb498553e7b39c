/* Characters of UTF-8. */
#ifndef RINKD_API_BASE_UTF8_H
#define RINKD_API_BASE_UTF8_H

#include <stdbool.h>
#include <stdint.h>

enum { UTF8_REPLACEMENT = 0xfffd };

/* Returns the first character of a text that is not empty, and its bytes. A byte that belongs to no
 * character is UTF8_REPLACEMENT, one byte long. */
int32_t utf8_read(const char *text, int *ret_bytes);

/* Control characters, and those that end lines or change the direction of text. */
bool utf8_is_steering(int32_t character);

/* Replaces by '?' what is not UTF-8 and all steering characters but newline and tab. */
void utf8_make_plain(char *text);

#endif
