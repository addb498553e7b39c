/* A list of buffers, the last one first. */
#include "workers/learn/memory/room.h"

#include <stdint.h>
#include <stdlib.h>

struct room_buffer {
    struct room_buffer *before;
    _Alignas(max_align_t) unsigned char bytes[];
};

void *room_take(struct room *room, size_t count, size_t size)
{
    struct room_buffer *buffer = NULL;

    if (count <= (SIZE_MAX - sizeof *buffer) / size)
        buffer = calloc(1, sizeof *buffer + count * size);
    if (!buffer) {
        room->is_full = true;
        return NULL;
    }
    buffer->before = room->last;
    room->last = buffer;
    return buffer->bytes;
}

void room_clear(struct room *room)
{
    while (room->last) {
        struct room_buffer *before = room->last->before;
        free(room->last);
        room->last = before;
    }
}
