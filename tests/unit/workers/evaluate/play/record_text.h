/* Files of records as text, for tests that cut, compare or replace them. */
#ifndef RINKD_TESTS_UNIT_WORKERS_EVALUATE_PLAY_RECORD_TEXT_H
#define RINKD_TESTS_UNIT_WORKERS_EVALUATE_PLAY_RECORD_TEXT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Returns the whole file, 0-terminated; malloc'ed. */
static inline char *record_text_read(const char *path, size_t *ret_length)
{
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    fseek(in, 0, SEEK_END);
    size_t length = (size_t)ftell(in);
    rewind(in);
    char *bytes = malloc(length + 1);
    assert_int_equal(fread(bytes, 1, length, in), length);
    bytes[length] = '\0';
    fclose(in);
    if (ret_length)
        *ret_length = length;
    return bytes;
}

static inline void record_text_write(const char *path, const char *bytes, size_t length)
{
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(bytes, 1, length, out), length);
    assert_int_equal(fclose(out), 0);
}

/* Returns the same text without clock times. */
static inline char *record_text_timeless(char *text)
{
    char *write = text;
    for (const char *read = text; *read;) {
        if (strncmp(read, "_s\":", 4) == 0) {
            read += 4;
            read += strcspn(read, ",}");
        } else {
            *write++ = *read++;
        }
    }
    *write = '\0';
    return text;
}

#endif
