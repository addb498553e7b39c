/* Copies files with their hash. See copy.h. */
#include "service/data/copy.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK_BYTES = 1 << 16 };

static bool write_all(int to, const unsigned char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t done = write(to, bytes, size);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return false;
        bytes += done;
        size -= (size_t)done;
    }
    return true;
}

/* `to` -1: only for the hash. */
static bool read_bytes(int from, int to, crypto_hash_sha256_state *hash)
{
    unsigned char block[BLOCK_BYTES];
    ssize_t got;

    while ((got = read(from, block, sizeof block)) != 0) {
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0 || (to >= 0 && !write_all(to, block, (size_t)got)))
            return false;
        crypto_hash_sha256_update(hash, block, (unsigned long long)got);
    }
    return to < 0 || fsync(to) == 0;
}

static void end_hash(crypto_hash_sha256_state *hash, char ret_sha256[COPY_SHA_MAX])
{
    unsigned char bytes[crypto_hash_sha256_BYTES];

    crypto_hash_sha256_final(hash, bytes);
    sodium_bin2hex(ret_sha256, COPY_SHA_MAX, bytes, sizeof bytes);
}

int copy_open_below(const char *folder, const char *name)
{
    char part[COPY_PATH_MAX];
    struct stat about;
    int at = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    for (const char *rest = name; at >= 0; rest = strchr(rest, '/') + 1) {
        const char *slash = strchr(rest, '/');
        const int length = slash ? (int)(slash - rest) : (int)strlen(rest);
        if (snprintf(part, sizeof part, "%.*s", length, rest) >= (int)sizeof part)
            part[0] = '\0';
        /* O_NONBLOCK: a pipe without a writer would be waited for */
        int next = openat(
            at, part, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | (slash ? O_DIRECTORY : 0));
        int why = errno;
        close(at);
        errno = why;
        at = next;
        if (!slash)
            break;
    }
    if (at >= 0 && (fstat(at, &about) != 0 || !S_ISREG(about.st_mode))) {
        close(at);
        errno = EINVAL;
        return -1;
    }
    return at;
}

bool copy_hash(const char *folder, const char *name, char ret_sha256[COPY_SHA_MAX])
{
    crypto_hash_sha256_state hash;
    int file = copy_open_below(folder, name);

    if (file < 0)
        return false;
    crypto_hash_sha256_init(&hash);
    bool is_good = read_bytes(file, -1, &hash);
    int why = errno;
    close(file);
    errno = why;
    end_hash(&hash, ret_sha256);
    return is_good;
}

bool copy_file_hashed(const char *folder, const char *name, const char *to,
                      char ret_sha256[COPY_SHA_MAX])
{
    crypto_hash_sha256_state hash;
    int source = copy_open_below(folder, name);

    if (source < 0)
        return false;
    int copy = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    crypto_hash_sha256_init(&hash);
    bool is_good = copy >= 0 && read_bytes(source, copy, &hash);
    int why = errno;
    close(source);
    if (copy >= 0)
        close(copy);
    if (copy >= 0 && !is_good)
        unlink(to);
    errno = why;
    end_hash(&hash, ret_sha256);
    return is_good;
}

bool copy_make_parents(const char *path, mode_t mode)
{
    char part[COPY_PATH_MAX];

    if (strlen(path) >= sizeof part)
        return false;
    strcpy(part, path);
    for (char *slash = part; (slash = strchr(slash + 1, '/')) != NULL; *slash = '/') {
        *slash = '\0';
        if (mkdir(part, mode) != 0 && errno != EEXIST)
            return false;
    }
    return true;
}
