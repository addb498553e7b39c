/* Durable files. */
#include "workers/learn/training/train_file.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <sodium.h>
#include <string.h>
#include <unistd.h>

enum { READ_AT_ONCE = 1 << 16 };

static enum train_status say(char *ret_error, const char *path, const char *what, int error)
{
    return train_fail(ret_error, error == ENOMEM ? TRAIN_NO_MEMORY : TRAIN_DISK, "%.800s: %s: %s",
                      path, what, strerror(error));
}

static bool hash_file(FILE *file, char ret_sha256[TRAIN_SHA256_MAX])
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
    sodium_bin2hex(ret_sha256, TRAIN_SHA256_MAX, digest, sizeof digest);
    return true;
}

bool train_file_sha256(const char *path, char ret_sha256[TRAIN_SHA256_MAX])
{
    FILE *file = fopen(path, "re");
    if (!file)
        return false;
    bool good = hash_file(file, ret_sha256);
    int error = errno;
    fclose(file);
    errno = error;
    return good;
}

/* Makes the name of a file durable. */
static bool sync_folder(const char *path)
{
    char folder[TRAIN_PATH_MAX];

    snprintf(folder, sizeof folder, "%s", path);
    int fd = open(dirname(folder), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool good = fd >= 0 && fsync(fd) == 0;
    int error = errno;
    if (fd >= 0)
        close(fd);
    errno = error;
    return good;
}

enum train_status train_file_write(const char *path, train_file_writer *writer, void *context,
                                   char ret_sha256[TRAIN_SHA256_MAX],
                                   char ret_error[TRAIN_ERROR_MAX])
{
    char unfinished[TRAIN_PATH_MAX], sha256[TRAIN_SHA256_MAX];

    if (snprintf(unfinished, sizeof unfinished, "%s.tmp", path) >= (int)sizeof unfinished)
        return say(ret_error, path, "write", ENAMETOOLONG);
    FILE *file = fopen(unfinished, "w+e");
    if (!file)
        return say(ret_error, unfinished, "open", errno);
    errno = 0;
    bool good = writer(context, file) && fflush(file) == 0 && fsync(fileno(file)) == 0;
    if (good) {
        rewind(file);
        good = hash_file(file, sha256);
    }
    int error = good ? 0 : errno ? errno : ferror(file) ? EIO : ENOMEM;
    if (fclose(file) != 0 && good)
        error = errno;
    if (error == 0 && (rename(unfinished, path) != 0 || !sync_folder(path)))
        error = errno;
    if (error != 0) {
        unlink(unfinished);
        return say(ret_error, path, "write", error);
    }
    memcpy(ret_sha256, sha256, sizeof sha256);
    return TRAIN_OK;
}

struct bytes {
    const void *bytes;
    size_t size;
};

static bool write_bytes(void *context, FILE *file)
{
    const struct bytes *bytes = context;
    return fwrite(bytes->bytes, 1, bytes->size, file) == bytes->size;
}

enum train_status train_file_write_bytes(const char *path, const void *bytes, size_t size,
                                         char ret_sha256[TRAIN_SHA256_MAX],
                                         char ret_error[TRAIN_ERROR_MAX])
{
    struct bytes all = {bytes, size};
    return train_file_write(path, write_bytes, &all, ret_sha256, ret_error);
}
