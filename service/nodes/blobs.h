/* Blobs: files by their SHA-256, on their way to and from nodes: <data>/blobs/SHA256. A file has
 * its name only when its hash is right. Weights of models count as blobs, too. A blob that nobody
 * has asked for in BLOB_KEEP_MS goes: by then it is a file of a job, or can be offered again. Any
 * thread. */
#ifndef RINKD_SERVICE_NODES_BLOBS_H
#define RINKD_SERVICE_NODES_BLOBS_H

#include "api/base/error.h"
#include "service/nodes/blob_shares.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

enum { BLOB_PATH_MAX = PATH_MAX + 512, BLOB_KEEP_MS = 600000 };

/* 64 hexadecimal digits in small letters. */
bool blob_is_name(const char *sha256);

/* Finds a blob, which then counts as asked for now. False: it is not here. */
bool blob_find(const char *data, const char *sha256, char ret_path[BLOB_PATH_MAX],
               int64_t *ret_bytes);

/* Keeps a durable file of the data folder whose hash is known to be right; takes the file. */
enum api_error blob_keep(const char *data, const char *sha256, const char *path);

/* A piece of an upload. */
struct blob_piece {
    const char *path;        /* file with its bytes */
    int64_t from, bytes, of; /* its place in the whole */
};
/* Adds a piece, of which alone the bytes are read; those that came before are skipped. *ret_have:
 * bytes that are here now; the blob is kept when they are all. API_STATE: the piece does not
 * follow, *ret_have is how far it may begin. API_BAD_FIELD: the whole has another hash; all of it
 * is dropped. API_TOO_LARGE. */
enum api_error blob_add(const char *data, const char *sha256, const struct blob_piece *piece,
                        int64_t *ret_have);

/* Offers a file of a job under its hash. If the file is gone, a blob of that hash serves as well.
 * API_NOT_FOUND: that is gone, too. Reads none of it: whoever takes a blob checks its hash, as it
 * may share its bytes with a file that was changed since. */
enum api_error blob_offer(const char *data, const char *sha256, const char *path,
                          int64_t *ret_bytes);
/* Puts a blob at `place`, durably but for the folder. API_NOT_FOUND: it is gone. May copy: not for
 * the core thread. */
enum api_error blob_place(const char *data, const char *sha256, const char *place);
/* The same at a place of its own beside the blobs, from where a rename takes it to a job. *ret_path
 * is malloc'ed; one that nobody takes goes with old blobs. */
enum api_error blob_stage(const char *data, const char *sha256, char **ret_path);

/* Removes old blobs and uploads that did not end, also from the shares of callers; returns how
 * many.
 */
int blobs_tidy(const char *data, struct blob_shares *shares, int64_t now_ms);

#endif
