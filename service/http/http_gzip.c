/* Compresses answers that are in memory (gzip, RFC 1952) for clients that accept it, as browsers
 * do. Lists and curves shrink to a fifth or less. */
#include "service/http/http_exchange.h"

#include <stdlib.h>
#include <zlib.h>

enum {
    LEAST_BYTES = 1024,    /* smaller answers fit into one packet anyway */
    LEVEL = 4,             /* 1 … 9; higher levels take much time to save few bytes */
    WINDOW_BITS = 15 + 16, /* 15: the largest window; 16: gzip format */
    MEMORY_LEVEL = 8
};

/* Whether an Accept-Encoding header takes gzip (RFC 9110, 12.5.3). */
static bool takes_gzip(const char *list)
{
    struct list_element element;
    bool takes = false;

    while (list_next(&list, &element)) {
        if (list_says(&element, "gzip"))
            return !list_refuses(&element);
        if (list_says(&element, "*"))
            takes = !list_refuses(&element);
    }
    return takes;
}

/* Returns malloc'ed bytes; NULL: memory is short, or the result is no smaller. */
static void *compress_bytes(const void *bytes, size_t size, size_t *ret_size)
{
    z_stream stream = {.zalloc = NULL};

    if (deflateInit2(&stream, LEVEL, Z_DEFLATED, WINDOW_BITS, MEMORY_LEVEL, Z_DEFAULT_STRATEGY) !=
        Z_OK)
        return NULL;
    void *out = malloc(size);
    stream.next_in = (unsigned char *)(uintptr_t)bytes;
    stream.avail_in = (uInt)size;
    stream.next_out = out;
    stream.avail_out = (uInt)size;
    bool good = out && deflate(&stream, Z_FINISH) == Z_STREAM_END;
    *ret_size = stream.total_out;
    deflateEnd(&stream);
    if (!good) {
        free(out);
        return NULL;
    }
    void *less = realloc(out, *ret_size);
    return less ? less : out;
}

void exchange_compress(struct exchange *x)
{
    size_t size;

    if (!x->content || x->bytes < LEAST_BYTES || x->bytes > UINT32_MAX)
        return;
    http_add_header(&x->request, MHD_HTTP_HEADER_VARY, MHD_HTTP_HEADER_ACCEPT_ENCODING);
    if (!takes_gzip(http_header(&x->request, MHD_HTTP_HEADER_ACCEPT_ENCODING)))
        return;
    void *bytes = compress_bytes(x->content, (size_t)x->bytes, &size);
    struct MHD_Response *response =
        bytes ? MHD_create_response_from_buffer(size, bytes, MHD_RESPMEM_MUST_FREE) : NULL;
    if (!response) {
        free(bytes);
        return;
    }
    if (MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_ENCODING, "gzip") == MHD_YES)
        exchange_replace_body(x, response, (int64_t)size);
    else
        MHD_destroy_response(response);
}
