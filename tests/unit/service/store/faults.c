/* Hooks through which the disk and the allocator learn whether to fail. */
#include "tests/unit/service/store/faults.h"

#include <dirent.h>
#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct {
    enum faults_disk kind;
    int n, count;
    char folder[256];
    bool happened;
} disk;

static struct {
    int n, count;
    bool for_ever, happened;
} memory;

bool faults_happened(void)
{
    return disk.happened || memory.happened;
}

/* ---- disk ---- */

/* The contents at the last sync, which survive a power cut. */
enum { SAFE_FILES = 8 };
static struct safe_file {
    char path[PATH_MAX];
    char *bytes;
    size_t length;
} safe[SAFE_FILES];

static bool path_of(int file, char ret_path[PATH_MAX])
{
    char link[64];

    if (disk.folder[0] == '\0')
        return false;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, ret_path, PATH_MAX - 1);
    if (length < 0)
        return false;
    ret_path[length] = '\0';
    return strncmp(ret_path, disk.folder, strlen(disk.folder)) == 0;
}

static void save(const char *path)
{
    struct safe_file *slot = NULL;
    const char *name = strrchr(path, '/') + 1;
    FILE *file = strncmp(name, "rinkd.db", 8) == 0 ? fopen(path, "rb") : NULL;

    if (!file)
        return; /* a folder, a copy */
    for (int k = 0; k < SAFE_FILES; k++)
        if (strcmp(safe[k].path, path) == 0 || (!slot && safe[k].path[0] == '\0'))
            slot = &safe[k];
    if (!slot || fseek(file, 0, SEEK_END) != 0)
        abort();
    slot->length = (size_t)ftell(file);
    slot->bytes = realloc(slot->bytes, slot->length + 1);
    rewind(file);
    if (!slot->bytes || fread(slot->bytes, 1, slot->length, file) != slot->length)
        abort();
    snprintf(slot->path, sizeof slot->path, "%s", path);
    fclose(file);
}

/* Syncing a folder makes deletions in it permanent. */
static void forget_deleted(void)
{
    for (int k = 0; k < SAFE_FILES; k++)
        if (safe[k].path[0] != '\0' && access(safe[k].path, F_OK) != 0)
            safe[k].path[0] = '\0';
}

static void each_file(void (*act)(const char *path))
{
    DIR *files = opendir(disk.folder);
    struct dirent *file;

    while (files && (file = readdir(files)))
        if (strncmp(file->d_name, "rinkd.db", 8) == 0 && !strstr(file->d_name, "-shm")) {
            char path[PATH_MAX];
            snprintf(path, sizeof path, "%s/%s", disk.folder, file->d_name);
            act(path);
        }
    if (files)
        closedir(files);
}

void faults_disk(enum faults_disk kind, int n, const char *folder)
{
    disk.kind = kind;
    disk.n = n;
    disk.count = 0;
    disk.happened = false;
    snprintf(disk.folder, sizeof disk.folder, "%s", folder);
    if (kind == DISK_POWER_LOSS) {
        for (int k = 0; k < SAFE_FILES; k++)
            safe[k].path[0] = '\0';
        each_file(save);
    }
}

static void lose(const char *path)
{
    unlink(path);
}

void faults_cut_power(void)
{
    disk.kind = DISK_GOOD;
    each_file(lose);
    for (int k = 0; k < SAFE_FILES; k++)
        if (safe[k].path[0] != '\0') {
            FILE *file = fopen(safe[k].path, "wb");
            if (!file || fwrite(safe[k].bytes, 1, safe[k].length, file) != safe[k].length)
                abort();
            fclose(file);
        }
}

/* Returns 0, or the error for this operation. */
static int disk_error(int file, bool is_sync)
{
    char path[PATH_MAX];

    if (disk.kind == DISK_GOOD || !path_of(file, path))
        return 0;
    if (disk.kind != DISK_POWER_LOSS || is_sync)
        disk.count++;
    if (disk.kind == DISK_FULL_ONCE ? disk.count == disk.n : disk.count >= disk.n) {
        disk.happened = true;
        return disk.kind == DISK_FULL_ONCE ? ENOSPC : EIO;
    }
    if (disk.kind == DISK_POWER_LOSS && is_sync) {
        if (strcmp(path, disk.folder) == 0)
            forget_deleted();
        else
            save(path);
    }
    return 0;
}

static int sync_file(int file)
{
    errno = disk_error(file, true);
    return errno != 0 ? -1 : 0;
}

/* The names that the database calls; libc has no other declaration to follow. */
ssize_t pwrite64(int file, const void *bytes, size_t length, off64_t at)
{
    errno = disk_error(file, false);
    return errno != 0 ? -1 : (ssize_t)syscall(SYS_pwrite64, file, bytes, length, at);
}

int ftruncate64(int file, off64_t length)
{
    errno = disk_error(file, false);
    return errno != 0 ? -1 : (int)syscall(SYS_ftruncate, file, length);
}

int fdatasync(int file)
{
    return sync_file(file);
}

int fsync(int file)
{
    return sync_file(file);
}

/* ---- memory ---- */

static bool may_allocate(void)
{
    memory.count++;
    bool fails =
        memory.n > 0 && (memory.for_ever ? memory.count >= memory.n : memory.count == memory.n);
    memory.happened = memory.happened || fails;
    return !fails;
}

void faults_memory(int n, bool for_ever)
{
    memory.n = n;
    memory.count = 0;
    memory.for_ever = for_ever;
    memory.happened = false;
}

static sqlite3_mem_methods real;

static void *database_allocate(int length)
{
    return may_allocate() ? real.xMalloc(length) : NULL;
}

static void *database_grow(void *block, int length)
{
    return may_allocate() ? real.xRealloc(block, length) : NULL;
}

static void *document_allocate(size_t length)
{
    return may_allocate() ? malloc(length) : NULL;
}

void *__real_calloc(size_t count, size_t length);
void *__wrap_calloc(size_t count, size_t length);
void *__wrap_calloc(size_t count, size_t length)
{
    return may_allocate() ? __real_calloc(count, length) : NULL;
}

char *__real_strdup(const char *text);
char *__wrap_strdup(const char *text);
char *__wrap_strdup(const char *text)
{
    return may_allocate() ? __real_strdup(text) : NULL;
}

void faults_install(void)
{
    sqlite3_mem_methods methods;

    sqlite3_config(SQLITE_CONFIG_GETMALLOC, &real);
    methods = real;
    methods.xMalloc = database_allocate;
    methods.xRealloc = database_grow;
    sqlite3_config(SQLITE_CONFIG_MALLOC, &methods);
    json_set_alloc_funcs(document_allocate, free);
}
