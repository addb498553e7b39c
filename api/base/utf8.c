/* See utf8.h. */
#include "api/base/utf8.h"

#include <stdlib.h>
#include <string.h>
#include <uninorm.h>
#include <unistr.h>
#include <uniwidth.h>

int32_t utf8_read(const char *text, int *ret_bytes)
{
    static const int32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *byte = (const unsigned char *)text;
    int bytes = byte[0] < 0x80 ? 1 : byte[0] >= 0xf0 ? 4 : byte[0] >= 0xe0 ? 3 : 2;
    int32_t value = bytes == 1 ? byte[0] : byte[0] & (0x7f >> bytes);
    int k = 1;

    for (; k < bytes && (byte[k] & 0xc0) == 0x80; k++)
        value = value << 6 | (byte[k] & 0x3f);
    bool is_good = k == bytes && (bytes == 1 || byte[0] >= 0xc2) && byte[0] < 0xf8 &&
                   value >= least[bytes] && value <= 0x10ffff && (value < 0xd800 || value > 0xdfff);
    *ret_bytes = is_good ? bytes : 1;
    return is_good ? value : UTF8_REPLACEMENT;
}

bool utf8_is_steering(int32_t character)
{
    return character < 0x20 || (character >= 0x7f && character <= 0x9f) || character == 0x61c ||
           (character >= 0x200e && character <= 0x200f) ||
           (character >= 0x2028 && character <= 0x202e) ||
           (character >= 0x2066 && character <= 0x2069) || character == 0xfeff;
}

/* The bytes at the start of a text that begin a character but do not end it; 0: there are none. */
static int torn_bytes(const char *text)
{
    const unsigned char *byte = (const unsigned char *)text;
    const int wanted = byte[0] >= 0xf0 ? 4 : byte[0] >= 0xe0 ? 3 : 2;
    int bytes = 1;

    if (byte[0] < 0xc2 || byte[0] > 0xf4)
        return 0;
    while (bytes < wanted && (byte[bytes] & 0xc0) == 0x80)
        bytes++;
    return bytes < wanted ? bytes : 0;
}

static void make_plain(char *text, bool keeps_lines)
{
    char *to = text;

    for (int bytes; *text; text += bytes) {
        int32_t character = utf8_read(text, &bytes);
        const bool is_line = keeps_lines && (character == '\n' || character == '\t');
        const bool is_bad = character == UTF8_REPLACEMENT && bytes == 1;
        const int torn = is_bad ? torn_bytes(text) : 0;
        if (torn > 0 && !text[torn] && !keeps_lines)
            break;
        if (torn > 0)
            bytes = torn;
        if (is_bad || (utf8_is_steering(character) && !is_line)) {
            *to++ = '?';
        } else {
            memmove(to, text, (size_t)bytes);
            to += bytes;
        }
    }
    *to = '\0';
}

void utf8_make_plain(char *text)
{
    make_plain(text, true);
}

void utf8_make_line(char *text)
{
    make_plain(text, false);
}

int utf8_fit(const char *text, int most)
{
    int length = (int)strnlen(text, (size_t)most);
    int start = length;

    if (!text[length])
        return length;
    while (start > 0 && length - start < 3 && ((unsigned char)text[start] & 0xc0) == 0x80)
        start--;
    return start;
}

void utf8_copy(char *ret_copy, size_t size, const char *text)
{
    const size_t length = (size_t)utf8_fit(text, (int)size - 1);

    memcpy(ret_copy, text, length);
    ret_copy[length] = '\0';
}

bool utf8_is_foreign(const char *text)
{
    while (*text && (unsigned char)*text < 0x80)
        text++;
    return *text != '\0';
}

char *utf8_normal(const char *text)
{
    const size_t length = strlen(text);
    size_t bytes = 0;

    if (u8_check((const uint8_t *)text, length))
        return strdup(text);
    uint8_t *normal = u8_normalize(UNINORM_NFC, (const uint8_t *)text, length, NULL, &bytes);
    char *copy = normal ? strndup((const char *)normal, bytes) : NULL;
    free(normal);
    return copy;
}

bool utf8_read_name(const char *text, size_t size, char *ret_name)
{
    char *line = strdup(text);

    ret_name[0] = '\0';
    if (line)
        utf8_make_line(line);
    char *name = line ? utf8_normal(line) : NULL;
    const bool good = name != NULL;
    if (good)
        utf8_copy(ret_name, size, name);
    free(line);
    free(name);
    return good;
}

int utf8_width(const char *text)
{
    return u8_strwidth((const uint8_t *)text, "UTF-8");
}
