/* See failing.h. Only calls on files of the data folder count, so that logs, sockets and programs
 * stay as they are. */
#include "tests/api/failing.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

/* Part of the paths of all data; see daemon.h. */
static const char data[] = "/data/";

/* Declares `real`, libc's function of that name. */
#define REAL(type, name, ...)  \
    type (*real)(__VA_ARGS__); \
    *(void **)&real = dlsym(RTLD_NEXT, #name)

static bool is_due(enum failing_call call, int error)
{
    if (!failing_is_due(call))
        return false;
    errno = error;
    return true;
}

static bool is_data(int fd)
{
    char link[64], path[512];

    if (!failing_shared())
        return false;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    path[length < 0 ? 0 : length] = '\0';
    return strstr(path, data) != NULL;
}

/* Opening for reading fails as well: descriptors can run out. A relative path is one in a folder of
 * the data. */
static bool opening_fails(const char *path)
{
    return (strstr(path, data) || *path != '/') && is_due(FAILING_OPEN, EMFILE);
}

static mode_t mode_of(int flags, va_list rest)
{
    return flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;
}

#define OPEN(name)                                                 \
    int name(const char *path, int flags, ...)                     \
    {                                                              \
        va_list rest;                                              \
        REAL(int, name, const char *, int, ...);                   \
        va_start(rest, flags);                                     \
        mode_t mode = mode_of(flags, rest);                        \
        va_end(rest);                                              \
        return opening_fails(path) ? -1 : real(path, flags, mode); \
    }
#define OPENAT(name)                                                       \
    int name(int folder, const char *path, int flags, ...)                 \
    {                                                                      \
        va_list rest;                                                      \
        REAL(int, name, int, const char *, int, ...);                      \
        va_start(rest, flags);                                             \
        mode_t mode = mode_of(flags, rest);                                \
        va_end(rest);                                                      \
        return opening_fails(path) ? -1 : real(folder, path, flags, mode); \
    }
OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)

ssize_t write(int fd, const void *bytes, size_t size)
{
    REAL(ssize_t, write, int, const void *, size_t);
    return is_data(fd) && is_due(FAILING_WRITE, EIO) ? -1 : real(fd, bytes, size);
}

#define PWRITE(name)                                                                       \
    ssize_t name(int fd, const void *bytes, size_t size, off_t at)                         \
    {                                                                                      \
        REAL(ssize_t, name, int, const void *, size_t, off_t);                             \
        return is_data(fd) && is_due(FAILING_WRITE, EIO) ? -1 : real(fd, bytes, size, at); \
    }
PWRITE(pwrite)
PWRITE(pwrite64)

#define SYNC(name)                                                       \
    int name(int fd)                                                     \
    {                                                                    \
        REAL(int, name, int);                                            \
        return is_data(fd) && is_due(FAILING_SYNC, EIO) ? -1 : real(fd); \
    }
SYNC(fsync)
SYNC(fdatasync)

#define TRUNCATE(name)                                                             \
    int name(int fd, off_t size)                                                   \
    {                                                                              \
        REAL(int, name, int, off_t);                                               \
        return is_data(fd) && is_due(FAILING_TRUNCATE, EIO) ? -1 : real(fd, size); \
    }
TRUNCATE(ftruncate)
TRUNCATE(ftruncate64)

int rename(const char *from, const char *to)
{
    REAL(int, rename, const char *, const char *);
    return strstr(to, data) && is_due(FAILING_RENAME, EIO) ? -1 : real(from, to);
}

int renameat(int from_folder, const char *from, int to_folder, const char *to)
{
    REAL(int, renameat, int, const char *, int, const char *);
    return is_due(FAILING_RENAME, EIO) ? -1 : real(from_folder, from, to_folder, to);
}
