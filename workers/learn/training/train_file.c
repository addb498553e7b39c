/* Durable files. */
#include "workers/learn/training/train_file.h"

#include "workers/durable.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static enum train_status say(char *ret_error, const char *path, const char *what, int error)
{
    return train_fail(ret_error, error == ENOMEM ? TRAIN_NO_MEMORY : TRAIN_DISK, "%.800s: %s: %s",
                      path, what, strerror(error));
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
        good = file_hash_rest(file, sha256);
    }
    int error = good ? 0 : errno ? errno : ferror(file) ? EIO : ENOMEM;
    if (fclose(file) != 0 && good)
        error = errno;
    if (error == 0 && (rename(unfinished, path) != 0 || !durable_name(path)))
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
