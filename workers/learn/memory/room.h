/* Buffers that are freed together. */
#ifndef RINKD_WORKERS_LEARN_MEMORY_ROOM_H
#define RINKD_WORKERS_LEARN_MEMORY_ROOM_H

#include <stdbool.h>
#include <stddef.h>

/* Starts zeroed. */
struct room {
    struct room_buffer *last; /* taken; it leads to the earlier ones */
    bool is_full;             /* a buffer could not be taken */
};

/* Takes a zeroed buffer for `count` elements of `size` bytes, until room_clear(); large ones use
 * memory only as they fill. NULL, and is_full is set: no memory. Callers that take several buffers
 * check is_full once. */
void *room_take(struct room *room, size_t count, size_t size);

/* Frees all buffers. */
void room_clear(struct room *room);

#endif
