/* Characters of UTF-8. */
#ifndef RINKD_API_BASE_UTF8_H
#define RINKD_API_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { UTF8_REPLACEMENT = 0xfffd };

/* Returns the first character of a text that is not empty, and its bytes. A byte that belongs to no
 * character is UTF8_REPLACEMENT, one byte long. */
int32_t utf8_read(const char *text, int *ret_bytes);

/* Control characters, and those that end lines or change the direction of text. */
bool utf8_is_steering(int32_t character);

/* Replaces by '?' what is not UTF-8 and all steering characters but newline and tab. */
void utf8_make_plain(char *text);

/* Makes a text one line, as errors and names are: as utf8_make_plain(), but newlines and tabs are
 * replaced, too, and a character that is cut at the end of the text is dropped. */
void utf8_make_line(char *text);

/* The bytes of the longest beginning of a text that has at most `most` and cuts no character; for
 * "%.*s". */
int utf8_fit(const char *text, int most);

/* Copies as many whole characters as `size` bytes hold with the final 0. */
void utf8_copy(char *ret_copy, size_t size, const char *text);

/* Whether a text has other characters than those of ASCII. */
bool utf8_is_foreign(const char *text);

/* The normal form of a text (NFC), in which one text has one spelling; malloc'ed. NULL: memory is
 * short. What is not UTF-8 stays as it is. */
char *utf8_normal(const char *text);

/* Reads a name from outside: one line, in normal form, cut to whole characters. False: memory is
 * short, and the name is "". */
bool utf8_read_name(const char *text, size_t size, char *ret_name);

/* The columns that a text takes on a terminal. */
int utf8_width(const char *text);

#endif
