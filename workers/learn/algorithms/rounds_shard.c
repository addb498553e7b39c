/* Shards of items in files. See rounds_shard.h. */
#include "workers/learn/algorithms/rounds_shard.h"

#include <errno.h>
#include <inttypes.h>
#include <sodium.h>
#include <string.h>

enum { BLOCK = 1 << 16 };

_Static_assert(ROUNDS_DIGEST == crypto_hash_sha256_BYTES, "a digest is a SHA-256");

static const struct rounds_part *part_of(const struct rounds_shard *shard)
{
    return &shard->class->rounds->part[shard->part];
}

size_t rounds_shard_head(const struct rounds_shard *shard, char ret_head[ROUNDS_HEAD_MAX])
{
    return (size_t)snprintf(ret_head, ROUNDS_HEAD_MAX,
                            "{\"rinkd_shard\":1,\"algorithm\":\"%s\",\"seed\":\"%" PRIu64
                            "\",\"round\":%" PRIu64 ",\"part\":\"%s\",\"item_bytes\":%zu,"
                            "\"from\":%zu,\"count\":%zu,\"of\":%zu}\n",
                            shard->class->name, shard->seed, shard->round, part_of(shard)->name,
                            part_of(shard)->item_bytes, shard->first, shard->count, shard->of);
}

/* Writes bytes and adds them to a hash. */
static bool put(FILE *file, crypto_hash_sha256_state *hash, const void *bytes, size_t size)
{
    crypto_hash_sha256_update(hash, bytes, size);
    return fwrite(bytes, 1, size, file) == size;
}

bool rounds_shard_write(const struct rounds_shard *shard, const struct rounds *rounds, FILE *file)
{
    const struct rounds_part *part = part_of(shard);
    unsigned char item[ROUNDS_ITEM_MAX], digest[ROUNDS_DIGEST];
    char head[ROUNDS_HEAD_MAX];
    crypto_hash_sha256_state hash;

    crypto_hash_sha256_init(&hash);
    bool good = put(file, &hash, head, rounds_shard_head(shard, head));
    for (size_t k = 0; k < shard->count && good; k++) {
        part->pack(rounds, shard->first + k, item);
        good = put(file, &hash, item, part->item_bytes);
    }
    crypto_hash_sha256_final(&hash, digest);
    return good && fwrite(digest, sizeof digest, 1, file) == 1;
}

static bool fail(char *ret_error, const char *why)
{
    snprintf(ret_error, ROUNDS_SHARD_ERROR_MAX, "%s", why);
    return false;
}

static bool fail_short(FILE *file, char *ret_error)
{
    return fail(ret_error, ferror(file) ? strerror(errno) : "the file ends within a shard");
}

/* Reads as many bytes as the expected first line has and compares. */
static bool read_head(const struct rounds_shard *expected, FILE *file, char *head, size_t *ret_size,
                      char *ret_error)
{
    char there[ROUNDS_HEAD_MAX];

    *ret_size = rounds_shard_head(expected, head);
    const size_t got = fread(there, 1, *ret_size, file);
    if (got == *ret_size && memcmp(there, head, got) == 0)
        return true;
    if (got == 0)
        return fail_short(file, ret_error);
    there[got] = '\0';
    there[strcspn(there, "\n")] = '\0';
    for (char *at = there; *at; at++)
        if (*at < ' ' || *at > '~')
            *at = '?';
    snprintf(ret_error, ROUNDS_SHARD_ERROR_MAX, "it begins with %.300s, not with %.*s", there,
             (int)*ret_size - 1, head);
    return false;
}

bool rounds_shard_read(const struct rounds_shard *expected, FILE *file, const atomic_bool *stop,
                       rounds_take_item *take, void *context,
                       char ret_error[ROUNDS_SHARD_ERROR_MAX])
{
    const struct rounds_part *part = part_of(expected);
    unsigned char item[ROUNDS_ITEM_MAX], digest[ROUNDS_DIGEST], there[ROUNDS_DIGEST];
    char head[ROUNDS_HEAD_MAX];
    crypto_hash_sha256_state hash;
    size_t size;

    *ret_error = '\0';
    if (!read_head(expected, file, head, &size, ret_error))
        return false;
    crypto_hash_sha256_init(&hash);
    crypto_hash_sha256_update(&hash, (const unsigned char *)head, size);
    for (size_t k = 0; k < expected->count; k++) {
        if (stop && atomic_load(stop))
            return false;
        if (fread(item, 1, part->item_bytes, file) != part->item_bytes)
            return fail_short(file, ret_error);
        crypto_hash_sha256_update(&hash, item, part->item_bytes);
        if (!part->is_sound(item, expected->rules, expected->round)) {
            snprintf(ret_error, ROUNDS_SHARD_ERROR_MAX, "%s: number %zu cannot be one", part->name,
                     expected->first + k);
            return false;
        }
        if (take && !take(context, item))
            return false;
    }
    crypto_hash_sha256_final(&hash, digest);
    if (fread(there, sizeof there, 1, file) != 1)
        return fail_short(file, ret_error);
    return memcmp(there, digest, sizeof digest) == 0 ||
           fail(ret_error, "a shard was changed: it has another SHA-256 than it says");
}

bool rounds_shard_is_last(FILE *file, char ret_error[ROUNDS_SHARD_ERROR_MAX])
{
    return getc(file) == EOF || fail(ret_error, "something follows its last shard");
}

bool rounds_shard_seal(FILE *file, const atomic_bool *stop, char ret_sha256[FILE_HASH_MAX])
{
    unsigned char block[BLOCK], digest[ROUNDS_DIGEST];
    crypto_hash_sha256_state hash, whole;
    size_t got;

    crypto_hash_sha256_init(&hash);
    rewind(file);
    while ((got = fread(block, 1, sizeof block, file)) > 0) {
        if (stop && atomic_load(stop))
            return false;
        crypto_hash_sha256_update(&hash, block, got);
    }
    whole = hash;
    crypto_hash_sha256_final(&hash, digest);
    crypto_hash_sha256_update(&whole, digest, sizeof digest);
    bool good = !ferror(file) && fseek(file, 0, SEEK_END) == 0 &&
                fwrite(digest, sizeof digest, 1, file) == 1 && fflush(file) == 0;
    crypto_hash_sha256_final(&whole, digest);
    sodium_bin2hex(ret_sha256, FILE_HASH_MAX, digest, sizeof digest);
    return good;
}
