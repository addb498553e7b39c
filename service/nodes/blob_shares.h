/* Whose blobs fill the disk: the bytes that each caller has sent, or begun to send, and that have
 * not gone with old blobs (blobs.h). Kept in memory: after a start what is there counts for nobody,
 * and goes in BLOB_KEEP_MS if nobody asks for it. Any thread. */
#ifndef RINKD_SERVICE_NODES_BLOB_SHARES_H
#define RINKD_SERVICE_NODES_BLOB_SHARES_H

#include <stdbool.h>
#include <stdint.h>

enum { BLOB_SHA256_MAX = 65 };

struct blob_shares;

struct blob_shares *blob_shares_new(void);         /* NULL: no memory */
void blob_shares_free(struct blob_shares *shares); /* NULL is fine */

/* Counts a blob of so many bytes for a caller ("": nobody), once for whoever came first. False, and
 * nothing has changed: he would have more than `most` (0: no limit), or memory is short; *ret_used:
 * what he has. */
bool blob_shares_take(struct blob_shares *shares, const char *caller, const char *sha256,
                      int64_t bytes, int64_t most, int64_t *ret_used);
/* The blob has gone, or never came. */
void blob_shares_drop(struct blob_shares *shares, const char *sha256);

#endif
