/* The disk of the data folder. A reserve is kept in the file rinkd.reserve: when a write
 * fails because the disk is full, the file goes, and its space is for what frees more space or must
 * not wait: jobs are cancelled, paused and deleted, and workers give their jobs back. Everything
 * else is refused until there is room again, and then the file comes back. A stop on a full disk
 * leaves what space there is to the file, so that the next start can open the database. Any thread,
 * except where it says otherwise. */
#ifndef RINKD_SERVICE_BASE_DISK_H
#define RINKD_SERVICE_BASE_DISK_H

#include <stdbool.h>
#include <stdint.h>

struct disk;

enum {
    DISK_RESERVE_BYTES = 8 << 20,
    DISK_LEAST_BYTES = 1 << 20, /* with less the disk counts as full */
    DISK_LOOK_MS = 1000
};

/* The folder exists and outlives the disk. If its disk is full already, the reserve is given up at
 * once, so that the database can be opened. NULL: out of memory. */
struct disk *disk_open(const char *folder);
void disk_close(struct disk *disk); /* NULL is fine */

/* Call it after a write that failed. */
void disk_note_failure(struct disk *disk);
/* Call it every DISK_LOOK_MS, from one thread: finds out whether a disk has got full or has room
 * again. */
void disk_look(struct disk *disk);

/* Whether only what frees space may be written. NULL is fine: there is no disk to look after. */
bool disk_is_full(const struct disk *disk);

/* Whether the file of the database is not in the folder any more: whatever is written now will not
 * be there after the next start. It then also counts as full. NULL is fine. */
bool disk_is_lost(const struct disk *disk);

/* Bytes that are free for the daemon; -1: unknown. */
int64_t disk_free_bytes(const struct disk *disk);
/* Bytes of the database with its log. */
int64_t disk_database_bytes(const struct disk *disk);

#endif
