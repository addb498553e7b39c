/* Reads files once, in pieces. */
#include "workers/file_hash.h"

#include <errno.h>
#include <sodium.h>
#include <unistd.h>

enum { READ_AT_ONCE = 1 << 16 };

bool file_hash_rest(FILE *file, char ret_sha256[FILE_HASH_MAX])
{
    unsigned char bytes[READ_AT_ONCE];
    unsigned char digest[crypto_hash_sha256_BYTES];
    crypto_hash_sha256_state state;
    size_t count;

    crypto_hash_sha256_init(&state);
    while ((count = fread(bytes, 1, sizeof bytes, file)) > 0)
        crypto_hash_sha256_update(&state, bytes, count);
    if (ferror(file))
        return false;
    crypto_hash_sha256_final(&state, digest);
    sodium_bin2hex(ret_sha256, FILE_HASH_MAX, digest, sizeof digest);
    return true;
}

static bool hash(const char *path, bool syncs, char ret_sha256[FILE_HASH_MAX])
{
    FILE *file = fopen(path, "re");
    if (!file)
        return false;
    bool good = (!syncs || fsync(fileno(file)) == 0) && file_hash_rest(file, ret_sha256);
    int error = errno;
    fclose(file);
    errno = error;
    return good;
}

bool file_hash(const char *path, char ret_sha256[FILE_HASH_MAX])
{
    return hash(path, false, ret_sha256);
}

bool file_hash_durable(const char *path, char ret_sha256[FILE_HASH_MAX])
{
    return hash(path, true, ret_sha256);
}
