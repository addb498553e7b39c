/* Bodies in memory and in files; see http_body.h. */
#include "service/http/http_body.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FIRST_ROOM = 1024 };

bool body_is_file(enum route_body kind)
{
    return kind == BODY_FILE || kind == BODY_SMALL_FILE;
}

int64_t body_most(enum route_body kind)
{
    return kind == BODY_FILE         ? HTTP_FILE_MAX
           : kind == BODY_SMALL_FILE ? HTTP_SMALL_FILE_MAX
                                     : HTTP_BODY_MAX;
}

enum api_error body_begin(struct body *body, enum route_body kind, const char *folder)
{
    *body = (struct body){.kind = kind, .file = -1};
    if (!body_is_file(kind))
        return API_OK;
    if (asprintf(&body->path, "%s/" BODY_FILE_PREFIX "XXXXXX", folder) < 0) {
        body->path = NULL;
        return API_NO_MEMORY;
    }
    body->file = mkostemp(body->path, O_CLOEXEC);
    if (body->file < 0) {
        free(body->path);
        body->path = NULL;
        return API_STORAGE;
    }
    crypto_hash_sha256_init(&body->hash);
    return API_OK;
}

static enum api_error add_to_file(struct body *body, const char *bytes, size_t size)
{
    if (body->bytes > body_most(body->kind))
        return API_TOO_LARGE;
    crypto_hash_sha256_update(&body->hash, (const unsigned char *)bytes, size);
    while (size > 0) {
        ssize_t done = write(body->file, bytes, size);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return API_STORAGE;
        bytes += done;
        size -= (size_t)done;
    }
    return API_OK;
}

static enum api_error add_to_text(struct body *body, const void *bytes, size_t size)
{
    assert((size_t)body->bytes >= size);
    size_t used = (size_t)body->bytes - size;

    if (body->bytes > HTTP_BODY_MAX)
        return API_TOO_LARGE;
    if ((size_t)body->bytes > body->room) {
        size_t room = body->room ? 2 * body->room : FIRST_ROOM;
        while (room < (size_t)body->bytes)
            room *= 2;
        char *text = realloc(body->text, room);
        if (!text)
            return API_NO_MEMORY;
        body->text = text;
        body->room = room;
    }
    memcpy(body->text + used, bytes, size);
    return API_OK;
}

enum api_error body_add(struct body *body, const void *bytes, size_t size)
{
    body->bytes += (int64_t)size;
    switch (body->kind) {
    case BODY_FILE:
    case BODY_SMALL_FILE:
        return add_to_file(body, bytes, size);
    case BODY_JSON:
    case BODY_OPTIONAL_JSON:
        return add_to_text(body, bytes, size);
    default:
        return API_BAD_JSON;
    }
}

enum api_error body_end(struct body *body, json_t **ret_document, struct strict_errors *ret_errors)
{
    unsigned char hash[crypto_hash_sha256_BYTES];

    ret_errors->count = ret_errors->dropped = 0;
    *ret_document = NULL;
    if (body_is_file(body->kind)) {
        crypto_hash_sha256_final(&body->hash, hash);
        sodium_bin2hex(body->sha256, sizeof body->sha256, hash, sizeof hash);
        return fdatasync(body->file) == 0 ? API_OK : API_STORAGE;
    }
    if (body->kind == BODY_NONE || (body->kind == BODY_OPTIONAL_JSON && body->bytes == 0))
        return API_OK;
    if (body->bytes == 0)
        return API_BAD_JSON;
    *ret_document = strict_make_whole(
        strict_parse(body->text, (size_t)body->bytes, HTTP_BODY_MAX, HTTP_DEPTH_MAX, ret_errors));
    strict_make_normal(*ret_document);
    if (*ret_document)
        return API_OK;
    const char *code = ret_errors->error[0].code;
    return strcmp(code, "no_memory") == 0 ? API_NO_MEMORY
           : strcmp(code, "range") == 0   ? API_BAD_FIELD
                                          : API_BAD_JSON;
}

void body_sha256(const struct body *body, char ret_sha256[65])
{
    unsigned char hash[crypto_hash_sha256_BYTES];

    crypto_hash_sha256(hash, (const unsigned char *)body->text,
                       body->text ? (size_t)body->bytes : 0);
    sodium_bin2hex(ret_sha256, 65, hash, sizeof hash);
}

void body_free(struct body *body)
{
    if (body->file >= 0)
        close(body->file);
    if (body->path)
        unlink(body->path);
    free(body->path);
    free(body->text);
    body->path = body->text = NULL;
    body->file = -1;
}
