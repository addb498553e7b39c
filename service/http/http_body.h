/* The body of a request as it arrives: kept in memory, or streamed to a file and hashed. No sockets
 * here. */
#ifndef RINKD_SERVICE_HTTP_HTTP_BODY_H
#define RINKD_SERVICE_HTTP_HTTP_BODY_H

#include "service/http/http.h"

#include <sodium.h>

/* Files of this name in the data folder are remains of uploads cut off by a crash. */
#define BODY_FILE_PREFIX "upload-"

#define HTTP_FILE_MAX ((int64_t)1 << 31) /* bytes of a BODY_FILE */

struct body {
    enum route_body kind;
    int64_t bytes; /* arrived so far, kept or not */
    char *text;    /* the part kept in memory */
    size_t room;
    int file;   /* -1: none */
    char *path; /* path of the file; NULL: none */
    char sha256[65];
    crypto_hash_sha256_state hash;
};

/* Whether bodies of the kind are streamed to a file, and their largest size. */
bool body_is_file(enum route_body kind);
int64_t body_most(enum route_body kind);

/* Of a file: creates it in the folder. On failure the body needs no body_free(). */
enum api_error body_begin(struct body *body, enum route_body kind, const char *folder);
/* Adds bytes in order of arrival. API_TOO_LARGE, API_NO_MEMORY, API_STORAGE (disk full), or
 * API_BAD_JSON for any byte of a BODY_NONE; after an error further bytes are only counted. */
enum api_error body_add(struct body *body, const void *bytes, size_t size);
/* Completes the body. JSON: *ret_document is the caller's, NULL for an absent optional body;
 * API_BAD_JSON: ret_errors says where, or has count 0 if the body is empty; API_BAD_FIELD: it has a
 * number that is too large. File: it is on disk and
 * hashed. */
enum api_error body_end(struct body *body, json_t **ret_document, struct strict_errors *ret_errors);
/* SHA-256 of a body in memory, in hexadecimal. */
void body_sha256(const struct body *body, char ret_sha256[65]);
/* Frees the memory, closes the file and deletes it unless it was renamed. */
void body_free(struct body *body);

#endif
