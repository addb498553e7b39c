/* See utf8.h. */
#include "api/base/utf8.h"

#include <string.h>

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

void utf8_make_plain(char *text)
{
    char *to = text;

    for (int bytes; *text; text += bytes) {
        int32_t character = utf8_read(text, &bytes);
        bool is_line = character == '\n' || character == '\t';
        if (character == UTF8_REPLACEMENT || (utf8_is_steering(character) && !is_line)) {
            *to++ = '?';
        } else {
            memmove(to, text, (size_t)bytes);
            to += bytes;
        }
    }
    *to = '\0';
}
