/* The header, then a byte an end: 0 for one that has not been played, else OFFSET + points. A file
 * begins as all zeros, which is also what a failure of the power leaves of what was not yet
 * written. */
#include "workers/evaluate/end_points.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OFFSET = 120, MOST = 100 };

struct end_points {
    int fd;
    size_t head; /* bytes of the header with its newline */
};

/* pread() and pwrite() to the end. */
static bool read_all(int fd, void *bytes, size_t size, off_t at)
{
    for (char *next = bytes; size > 0;) {
        ssize_t done = pread(fd, next, size, at);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0) {
            errno = done == 0 ? EIO : errno;
            return false;
        }
        next += done;
        at += done;
        size -= (size_t)done;
    }
    return true;
}

static bool write_all(int fd, const void *bytes, size_t size, off_t at)
{
    for (const char *next = bytes; size > 0;) {
        ssize_t done = pwrite(fd, next, size, at);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return false;
        next += done;
        at += done;
        size -= (size_t)done;
    }
    return true;
}

static bool is_same(int fd, const char *head, size_t size, int64_t ends)
{
    struct stat stat;
    char *found = malloc(size);
    bool same = found && fstat(fd, &stat) == 0 && stat.st_size == (off_t)size + (off_t)ends &&
                read_all(fd, found, size, 0) && memcmp(found, head, size) == 0;

    free(found);
    return same;
}

/* Under another name first: what has the name has the whole header. */
static int make(const char *path, const char *head, size_t size, int64_t ends)
{
    char *other;

    if (asprintf(&other, "%s.new", path) < 0)
        return -1;
    int fd = open(other, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd >= 0 && !(write_all(fd, head, size, 0) &&
                     ftruncate(fd, (off_t)size + (off_t)ends) == 0 && rename(other, path) == 0)) {
        int why = errno;
        close(fd);
        unlink(other);
        errno = why;
        fd = -1;
    }
    free(other);
    return fd;
}

struct end_points *end_points_open(const char *path, const char *header, int64_t ends)
{
    struct end_points *file = malloc(sizeof *file);
    char *head;
    int length = asprintf(&head, "%s\n", header);

    if (!file || length < 0) {
        free(file);
        if (length >= 0)
            free(head);
        return NULL;
    }
    file->head = (size_t)length;
    file->fd = open(path, O_RDWR | O_CLOEXEC);
    if (file->fd >= 0 && !is_same(file->fd, head, file->head, ends)) {
        close(file->fd);
        file->fd = -1;
    }
    if (file->fd < 0)
        file->fd = make(path, head, file->head, ends);
    free(head);
    if (file->fd >= 0)
        return file;
    free(file);
    return NULL;
}

void end_points_close(struct end_points *file)
{
    if (!file)
        return;
    close(file->fd);
    free(file);
}

bool end_points_read(const struct end_points *file, int64_t first, int64_t count,
                     int8_t *ret_points)
{
    if (!read_all(file->fd, ret_points, (size_t)count, (off_t)file->head + (off_t)first))
        return false;
    for (int64_t k = 0; k < count; k++) {
        int points = (int)(uint8_t)ret_points[k] - OFFSET;
        ret_points[k] = (int8_t)(abs(points) <= MOST ? points : END_POINTS_NONE);
    }
    return true;
}

bool end_points_write(const struct end_points *file, int64_t end, int8_t points)
{
    const uint8_t byte = (uint8_t)(OFFSET + points);

    return write_all(file->fd, &byte, 1, (off_t)file->head + (off_t)end);
}
