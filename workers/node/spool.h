/* Lines on disk, in order, until the service has them. */
#ifndef RINKD_WORKERS_NODE_SPOOL_H
#define RINKD_WORKERS_NODE_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SPOOL_MAX = 64 << 20 }; /* bytes that may wait; nothing more is read from the worker then */

struct spool {
    int file;               /* -1: closed */
    int64_t start, end;     /* bytes of the lines that wait */
    int64_t dropped, added; /* lines, ever */
};

bool spool_open(struct spool *spool, const char *path);
void spool_close(struct spool *spool);
bool spool_is_full(const struct spool *spool);
/* Adds a line, which has no newline. False: the disk is full. */
bool spool_add(struct spool *spool, const char *line, size_t length);
/* Drops the first lines, up to number `through`. False: they cannot be read. */
bool spool_drop(struct spool *spool, int64_t through);
/* Reads the line after `*offset` bytes of those that wait, malloc'ed, and moves on. NULL: there is
 * none, or it cannot be read. */
char *spool_read(const struct spool *spool, int64_t *offset, size_t *ret_length);

#endif
