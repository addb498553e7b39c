/* Embeds openapi.yaml, compressed: an eighth of the text, and few daemons are asked for it. */
#include "api/base/openapi.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <zlib.h>

enum { GZIP = 15 + 16 }; /* inflateInit2(): the largest window; 16: gzip format */

extern const unsigned char openapi_gz[];
extern const uint64_t openapi_gz_size;
__asm__(".section .rodata\n"
        ".global openapi_gz, openapi_gz_size\n"
        "openapi_gz:\n"
        ".incbin \"" OPENAPI_GZ "\"\n"
        "openapi_gz_end:\n"
        ".balign 8\n"
        "openapi_gz_size:\n"
        ".quad openapi_gz_end - openapi_gz\n"
        ".previous\n");

/* The last four bytes of the format are the size of what was compressed (RFC 1952, 2.3.1). */
static size_t whole_size(void)
{
    const unsigned char *size = openapi_gz + openapi_gz_size - 4;
    return (size_t)size[0] | (size_t)size[1] << 8 | (size_t)size[2] << 16 | (size_t)size[3] << 24;
}

static bool expand(char *ret_text, size_t size)
{
    z_stream stream = {.next_in = (z_const Bytef *)(uintptr_t)openapi_gz,
                       .avail_in = (uInt)openapi_gz_size,
                       .next_out = (Bytef *)ret_text,
                       .avail_out = (uInt)size};

    if (inflateInit2(&stream, GZIP) != Z_OK)
        return false;
    bool good = inflate(&stream, Z_FINISH) == Z_STREAM_END && stream.avail_out == 0;
    inflateEnd(&stream);
    return good;
}

const char *openapi_yaml(size_t *ret_size)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static char *text; /* kept to the end of the process */
    size_t size = whole_size();

    pthread_mutex_lock(&lock);
    if (!text) {
        text = calloc(1, size + 1);
        if (text && !expand(text, size)) { /* no memory: the next caller tries again */
            free(text);
            text = NULL;
        }
    }
    const char *found = text;
    pthread_mutex_unlock(&lock);
    *ret_size = size;
    return found;
}
