/* Shards: items of a round (rounds.h) in a file. A file holds one shard after the other; each is
 *
 *   a line of JSON {"rinkd_shard":1,"algorithm","seed","round","part","item_bytes","from","count",
 *   "of"}, the items from, from + 1, …, and the SHA-256 of all that as 32 bytes.
 *
 * A reader knows which shard it expects and takes no other; nor one that was cut or changed, or
 * that holds an item that cannot be one. */
#ifndef RINKD_WORKERS_LEARN_ALGORITHMS_ROUNDS_SHARD_H
#define RINKD_WORKERS_LEARN_ALGORITHMS_ROUNDS_SHARD_H

#include "workers/file_hash.h"
#include "workers/learn/algorithms/rounds.h"

#include <stdio.h>

enum { ROUNDS_HEAD_MAX = 512, ROUNDS_DIGEST = 32, ROUNDS_SHARD_ERROR_MAX = 2 * ROUNDS_HEAD_MAX };

struct rounds_shard {
    const struct learner_class *class; /* which learns in rounds */
    const struct rules *rules;         /* of its game */
    int part;
    uint64_t seed, round; /* the first round that uses the batch (rounds_part.batch) */
    size_t first, count;
    size_t of; /* items of the batch */
};

/* Writes the first line of a shard and returns its length. */
size_t rounds_shard_head(const struct rounds_shard *shard, char ret_head[ROUNDS_HEAD_MAX]);

/* Writes a shard of items that rounds_make() has made. False: errno says why. */
bool rounds_shard_write(const struct rounds_shard *shard, const struct rounds *rounds, FILE *file);

/* Reads the expected shard from where the file stands to its end and gives each item that is sound
 * to `take`, which stops the reading by false. False: a sentence; an empty one if `stop` (may be
 * NULL) became true or `take` said false. Items may have been taken by then. */
typedef bool rounds_take_item(void *context, const unsigned char *bytes);
bool rounds_shard_read(const struct rounds_shard *expected, FILE *file, const atomic_bool *stop,
                       rounds_take_item *take, void *context,
                       char ret_error[ROUNDS_SHARD_ERROR_MAX]);
/* Whether the file ends here. False: a sentence. */
bool rounds_shard_is_last(FILE *file, char ret_error[ROUNDS_SHARD_ERROR_MAX]);

/* Appends the digest to a file that is the first line and all items of one shard, open for reading
 * and writing, and returns the hash of the whole. False: errno says why, or `stop` became true. */
bool rounds_shard_seal(FILE *file, const atomic_bool *stop, char ret_sha256[FILE_HASH_MAX]);

#endif
