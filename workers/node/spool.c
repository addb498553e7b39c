/* A file of lines with a moving start. See spool.h. */
#include "workers/node/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Each line follows its length. */
typedef uint32_t length_word;

bool spool_open(struct spool *spool, const char *path)
{
    *spool = (struct spool){.file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)};
    return spool->file >= 0;
}

void spool_close(struct spool *spool)
{
    if (spool->file >= 0)
        close(spool->file);
    spool->file = -1;
}

bool spool_is_full(const struct spool *spool)
{
    return spool->end - spool->start >= SPOOL_MAX;
}

static bool write_at(int file, const void *bytes, size_t size, int64_t at)
{
    const char *from = bytes;

    while (size > 0) {
        ssize_t done = pwrite(file, from, size, (off_t)at);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return false;
        from += done;
        at += done;
        size -= (size_t)done;
    }
    return true;
}

bool spool_add(struct spool *spool, const char *line, size_t length)
{
    const length_word word = (length_word)length;

    if (spool->start == spool->end && spool->start > 0) { /* begin anew: the file stays small */
        if (ftruncate(spool->file, 0) != 0)
            return false;
        spool->start = spool->end = 0;
    }
    if (!write_at(spool->file, &word, sizeof word, spool->end) ||
        !write_at(spool->file, line, length, spool->end + (int64_t)sizeof word))
        return false;
    spool->end += (int64_t)(sizeof word + length);
    spool->added++;
    return true;
}

static bool read_word(const struct spool *spool, int64_t at, length_word *ret_word)
{
    return at + (int64_t)sizeof *ret_word <= spool->end &&
           pread(spool->file, ret_word, sizeof *ret_word, (off_t)at) == (ssize_t)sizeof *ret_word;
}

bool spool_drop(struct spool *spool, int64_t through)
{
    length_word word;

    while (spool->dropped < through) {
        if (!read_word(spool, spool->start, &word))
            return false;
        spool->start += (int64_t)(sizeof word + word);
        spool->dropped++;
    }
    return true;
}

char *spool_read(const struct spool *spool, int64_t *offset, size_t *ret_length)
{
    length_word word;

    if (!read_word(spool, spool->start + *offset, &word))
        return NULL;
    char *line = malloc((size_t)word + 1);
    if (line && pread(spool->file, line, word,
                      (off_t)(spool->start + *offset + (int64_t)sizeof word)) != (ssize_t)word) {
        free(line);
        line = NULL;
    }
    if (!line)
        return NULL;
    line[word] = '\0';
    *ret_length = word;
    *offset += (int64_t)(sizeof word + word);
    return line;
}
