/* Files by their hash in a folder. See cache.h. */
#include "workers/node/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILES  "files"
#define WORK   "work"
#define ENDING ".safetensors"
#define PART   ".part"

enum { BLOCK = 1 << 16, HASH_DIGITS = 64 };

struct cache {
    char folder[PATH_MAX], files[PATH_MAX + 16];
    int64_t bytes_max;
    int lock;
};

/* ---- opening ---- */

static bool make_folder(const char *path)
{
    return mkdir(path, 0700) == 0 || errno == EEXIST;
}

/* Makes a folder with those above it. */
static bool make_folders(const char *path)
{
    char part[PATH_MAX];

    for (const char *slash = path; (slash = strchr(slash + 1, '/')) != NULL;) {
        snprintf(part, sizeof part, "%.*s", (int)(slash - path), path);
        make_folder(part); /* the last one tells whether it worked */
    }
    return make_folder(path);
}

void cache_remove_work(const char *path)
{
    DIR *folder = opendir(path);
    const struct dirent *entry;

    if (!folder)
        return;
    while ((entry = readdir(folder)) != NULL)
        unlinkat(dirfd(folder), entry->d_name, 0); /* fails for "." and "..", which is fine */
    closedir(folder);
    rmdir(path);
}

static void remove_old_work(const char *folder)
{
    char path[CACHE_PATH_MAX + NAME_MAX];
    DIR *all = opendir(folder);
    const struct dirent *entry;

    while (all && (entry = readdir(all)) != NULL) {
        if (entry->d_name[0] == '.')
            continue;
        if (snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) < (int)sizeof path)
            cache_remove_work(path);
    }
    if (all)
        closedir(all);
}

struct cache *cache_open(const char *folder, int64_t bytes_max, char *ret_why, int why_size)
{
    struct cache *cache = calloc(1, sizeof *cache);
    char path[CACHE_PATH_MAX];

    if (!cache || sodium_init() < 0) {
        snprintf(ret_why, (size_t)why_size, "out of memory");
        free(cache);
        return NULL;
    }
    cache->bytes_max = bytes_max;
    cache->lock = -1;
    bool good = make_folders(folder) && realpath(folder, cache->folder) != NULL;
    snprintf(cache->files, sizeof cache->files, "%s/" FILES, cache->folder);
    snprintf(path, sizeof path, "%s/" WORK, cache->folder);
    good = good && make_folder(cache->files);
    if (good)
        cache->lock = open(cache->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (!good || cache->lock < 0) {
        snprintf(ret_why, (size_t)why_size, "--cache %s: %s", folder, strerror(errno));
    } else if (flock(cache->lock, LOCK_EX | LOCK_NB) != 0) {
        snprintf(ret_why, (size_t)why_size, "--cache %s: another node uses it", folder);
    } else if (!make_folder(path)) {
        snprintf(ret_why, (size_t)why_size, "%s: %s", path, strerror(errno));
    } else {
        remove_old_work(path);
        return cache;
    }
    cache_close(cache);
    return NULL;
}

void cache_close(struct cache *cache)
{
    if (!cache)
        return;
    if (cache->lock >= 0)
        close(cache->lock);
    free(cache);
}

const char *cache_folder(const struct cache *cache)
{
    return cache->files;
}

/* ---- files ---- */

void cache_path(const struct cache *cache, const char *sha256, char ret_path[CACHE_PATH_MAX])
{
    snprintf(ret_path, CACHE_PATH_MAX, "%s/%s" ENDING, cache->files, sha256);
}

static void part_path(const struct cache *cache, const char *sha256, char ret_path[CACHE_PATH_MAX])
{
    snprintf(ret_path, CACHE_PATH_MAX, "%s/%s" PART, cache->files, sha256);
}

bool cache_has(struct cache *cache, const char *sha256)
{
    char path[CACHE_PATH_MAX];

    cache_path(cache, sha256, path);
    return utimensat(AT_FDCWD, path, NULL, 0) == 0;
}

int cache_open_part(struct cache *cache, const char *sha256, int64_t *ret_bytes)
{
    char path[CACHE_PATH_MAX];
    struct stat about;

    part_path(cache, sha256, path);
    int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (file >= 0 && fstat(file, &about) == 0)
        *ret_bytes = about.st_size;
    return file;
}

bool cache_hash(const char *path, char ret_sha256[CACHE_SHA256_MAX], int64_t *ret_bytes)
{
    unsigned char hash[crypto_hash_sha256_BYTES], block[BLOCK];
    crypto_hash_sha256_state state;
    ssize_t got = -1;
    int file = open(path, O_RDONLY | O_CLOEXEC);

    *ret_bytes = 0;
    crypto_hash_sha256_init(&state);
    while (file >= 0 && (got = read(file, block, sizeof block)) != 0) {
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            break;
        crypto_hash_sha256_update(&state, block, (unsigned long long)got);
        *ret_bytes += got;
    }
    if (file >= 0)
        close(file);
    crypto_hash_sha256_final(&state, hash);
    sodium_bin2hex(ret_sha256, CACHE_SHA256_MAX, hash, sizeof hash);
    return file >= 0 && got == 0;
}

bool cache_finish(struct cache *cache, const char *sha256)
{
    char part[CACHE_PATH_MAX], path[CACHE_PATH_MAX], found[CACHE_SHA256_MAX];
    int64_t bytes;

    part_path(cache, sha256, part);
    cache_path(cache, sha256, path);
    if (cache_hash(part, found, &bytes) && strcmp(found, sha256) == 0 && rename(part, path) == 0)
        return true;
    unlink(part);
    return false;
}

/* ---- room ---- */

struct entry {
    char sha256[CACHE_SHA256_MAX];
    char name[NAME_MAX + 1];
    int64_t used_s, bytes;
};

static int by_use(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;

    return (x->used_s > y->used_s) - (x->used_s < y->used_s);
}

/* All files; malloc'ed. */
static struct entry *list_files(const struct cache *cache, size_t *ret_count, int64_t *ret_bytes)
{
    struct entry *list = NULL;
    DIR *folder = opendir(cache->files);
    const struct dirent *entry;
    struct stat about;
    size_t room = 0;

    *ret_count = 0;
    *ret_bytes = 0;
    while (folder && (entry = readdir(folder)) != NULL) {
        if (entry->d_name[0] == '.' ||
            fstatat(dirfd(folder), entry->d_name, &about, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        if (*ret_count == room) {
            struct entry *longer = realloc(list, (2 * room + 16) * sizeof *list);
            if (!longer)
                break;
            list = longer;
            room = 2 * room + 16;
        }
        struct entry *new = &list[(*ret_count)++];
        *new = (struct entry){.used_s = about.st_mtim.tv_sec, .bytes = about.st_size};
        snprintf(new->name, sizeof new->name, "%s", entry->d_name);
        snprintf(new->sha256, sizeof new->sha256, "%.*s", HASH_DIGITS, entry->d_name);
        *ret_bytes += about.st_size;
    }
    if (folder)
        closedir(folder);
    return list;
}

void cache_tidy(struct cache *cache, bool (*is_used)(const void *context, const char *sha256),
                const void *context)
{
    char path[CACHE_PATH_MAX + NAME_MAX];
    int64_t bytes;
    size_t count;
    struct entry *list = list_files(cache, &count, &bytes);

    if (bytes > cache->bytes_max)
        qsort(list, count, sizeof *list, by_use);
    for (size_t k = 0; k < count && bytes > cache->bytes_max; k++) {
        if (is_used(context, list[k].sha256))
            continue;
        snprintf(path, sizeof path, "%s/%s", cache->files, list[k].name);
        if (unlink(path) == 0)
            bytes -= list[k].bytes;
    }
    free(list);
}

bool cache_make_work(struct cache *cache, const char *name, char ret_path[CACHE_PATH_MAX])
{
    snprintf(ret_path, CACHE_PATH_MAX, "%s/" WORK "/%s", cache->folder, name);
    return mkdir(ret_path, 0700) == 0;
}
