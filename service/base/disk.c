/* Free space and its reserve. See disk.h. */
#include "service/base/disk.h"

#include "service/base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

struct disk {
    const char *folder;
    atomic_bool is_full, is_lost;
    bool has_seen; /* the database, which has these numbers */
    dev_t device;
    ino_t inode;
};

static void path_of(const struct disk *disk, const char *name, char ret_path[PATH_MAX])
{
    snprintf(ret_path, PATH_MAX, "%s/%s", disk->folder, name);
}

int64_t disk_free_bytes(const struct disk *disk)
{
    struct statvfs about;

    if (statvfs(disk->folder, &about) != 0)
        return -1;
    return (int64_t)about.f_bavail * (int64_t)about.f_frsize;
}

static int64_t size_of(const struct disk *disk, const char *name)
{
    char path[PATH_MAX];
    struct stat about;

    path_of(disk, name, path);
    return stat(path, &about) == 0 ? (int64_t)about.st_size : 0;
}

int64_t disk_database_bytes(const struct disk *disk)
{
    return size_of(disk, "rinkd.db") + size_of(disk, "rinkd.db-wal");
}

static bool has_little(const struct disk *disk)
{
    int64_t left = disk_free_bytes(disk);

    return left >= 0 && left < DISK_LEAST_BYTES;
}

/* Keeps as much as there is. False: that is not enough. */
static bool keep_reserve(const struct disk *disk)
{
    int64_t left = disk_free_bytes(disk), bytes = DISK_RESERVE_BYTES;
    char path[PATH_MAX];

    path_of(disk, "rinkd.reserve", path);
    int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0)
        return errno != ENOSPC;
    int why = posix_fallocate(file, 0, bytes);
    if (why == ENOSPC && left > 0)
        (void)posix_fallocate(file, 0, bytes < left ? bytes : left);
    close(file);
    return why != ENOSPC; /* a file system that cannot do it has no reserve */
}

static void give_up_reserve(struct disk *disk, const char *what)
{
    char path[PATH_MAX];
    int64_t left = disk_free_bytes(disk);

    if (atomic_exchange(&disk->is_full, true))
        return;
    path_of(disk, "rinkd.reserve", path);
    unlink(path);
    log_line(LOG_ERROR, what, log_text("folder", disk->folder), log_whole("free_bytes", left),
             log_text("until_there_is_room",
                      "nothing is stored; jobs can be cancelled, paused and deleted"));
}

struct disk *disk_open(const char *folder)
{
    struct disk *disk = calloc(1, sizeof *disk);

    if (!disk)
        return NULL;
    disk->folder = folder;
    if (has_little(disk) || !keep_reserve(disk))
        give_up_reserve(disk, "disk full");
    return disk;
}

void disk_close(struct disk *disk)
{
    if (disk_is_full(disk)) /* the next start needs some space to open the database */
        (void)keep_reserve(disk);
    free(disk);
}

void disk_note_failure(struct disk *disk)
{
    if (disk)
        give_up_reserve(disk, has_little(disk) ? "disk full" : "disk cannot be written");
}

/* Writes still succeed after the open file is removed or exchanged. */
static void look_for_database(struct disk *disk)
{
    char path[PATH_MAX];
    struct stat about;

    path_of(disk, "rinkd.db", path);
    bool is_there = stat(path, &about) == 0;
    if (!disk->has_seen && !is_there)
        return; /* not made yet */
    if (!disk->has_seen) {
        disk->has_seen = true;
        disk->device = about.st_dev;
        disk->inode = about.st_ino;
    }
    bool is_lost = !is_there || about.st_dev != disk->device || about.st_ino != disk->inode;
    if (is_lost && !atomic_exchange(&disk->is_lost, true))
        log_line(
            LOG_ERROR, "database lost", log_text("file", path),
            log_text("why", "it was removed or exchanged while it is in use; nothing is stored"));
    else if (!is_lost && atomic_exchange(&disk->is_lost, false))
        log_line(LOG_INFO, "database found again", log_text("file", path));
}

void disk_look(struct disk *disk)
{
    look_for_database(disk);
    if (!atomic_load(&disk->is_full)) {
        if (has_little(disk))
            give_up_reserve(disk, "disk full");
        return;
    }
    if (disk_free_bytes(disk) < DISK_RESERVE_BYTES + DISK_LEAST_BYTES || !keep_reserve(disk))
        return;
    atomic_store(&disk->is_full, false);
    log_line(LOG_INFO, "disk has room again", log_text("folder", disk->folder),
             log_whole("free_bytes", disk_free_bytes(disk)));
}

bool disk_is_full(const struct disk *disk)
{
    return disk && (atomic_load(&disk->is_full) || atomic_load(&disk->is_lost));
}

bool disk_is_lost(const struct disk *disk)
{
    return disk && atomic_load(&disk->is_lost);
}
