/* The folder of backups. See backups.h. */
#include "service/upkeep/backups.h"

#include "service/store/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

void backup_name(int64_t at_ms, char ret_name[BACKUP_NAME_MAX])
{
    time_t seconds = (time_t)(at_ms / 1000);
    char text[24];
    struct tm tm;

    gmtime_r(&seconds, &tm);
    strftime(text, sizeof text, "%Y%m%dT%H%M%S", &tm);
    snprintf(ret_name, BACKUP_NAME_MAX, "%s.%03uZ.db", text, (unsigned)(at_ms % 1000) % 1000u);
}

bool backup_time(const char *name, int64_t *ret_at_ms)
{
    struct tm tm = {0};
    int ms, length = 0;
    char same[BACKUP_NAME_MAX];

    if (sscanf(name, "%4d%2d%2dT%2d%2d%2d.%3dZ.db%n", &tm.tm_year, &tm.tm_mon, &tm.tm_mday,
               &tm.tm_hour, &tm.tm_min, &tm.tm_sec, &ms, &length) != 7)
        return false;
    tm.tm_year -= 1900;
    tm.tm_mon -= 1;
    int64_t at_ms = (int64_t)timegm(&tm) * 1000 + ms;
    if (at_ms < 0)
        return false;
    backup_name(at_ms, same);
    if (strcmp(name, same) != 0)
        return false;
    *ret_at_ms = at_ms;
    return true;
}

static void folder_path(const char *data, char ret_path[BACKUP_PATH_MAX])
{
    snprintf(ret_path, BACKUP_PATH_MAX, "%s/" STORE_BACKUPS, data);
}

static void file_path(const char *data, int64_t at_ms, char ret_path[BACKUP_PATH_MAX])
{
    char name[BACKUP_NAME_MAX];

    backup_name(at_ms, name);
    snprintf(ret_path, BACKUP_PATH_MAX, "%s/" STORE_BACKUPS "/%s", data, name);
}

static int newest_first(const void *a, const void *b)
{
    int64_t at_a = ((const struct backup *)a)->at_ms, at_b = ((const struct backup *)b)->at_ms;

    return (at_a < at_b) - (at_a > at_b);
}

/* Adds one to a list that has room for the next power of two. */
static bool append(struct backup **list, size_t *count, struct backup one)
{
    if ((*count & (*count - 1)) == 0) {
        struct backup *larger = realloc(*list, (*count ? 2 * *count : 1) * sizeof *larger);
        if (!larger)
            return false;
        *list = larger;
    }
    (*list)[(*count)++] = one;
    return true;
}

enum api_error backups_list(const char *data, struct backup **ret_list, size_t *ret_count)
{
    char path[BACKUP_PATH_MAX];
    const struct dirent *entry;
    struct backup *list = NULL, one;
    struct stat about;
    size_t count = 0;
    bool good = true;

    folder_path(data, path);
    DIR *folder = opendir(path);
    if (!folder && errno != ENOENT && errno != ENOTDIR)
        return API_STORAGE;
    while (good && folder && (entry = readdir(folder)) != NULL) {
        if (!backup_time(entry->d_name, &one.at_ms) ||
            fstatat(dirfd(folder), entry->d_name, &about, 0) != 0)
            continue;
        one.bytes = (int64_t)about.st_size;
        good = append(&list, &count, one);
    }
    if (folder)
        closedir(folder);
    if (!good) {
        free(list);
        return API_NO_MEMORY;
    }
    if (count > 0)
        qsort(list, count, sizeof *list, newest_first);
    *ret_list = list;
    *ret_count = count;
    return API_OK;
}

enum api_error backup_make(const char *data, struct store *reader, int64_t now_ms,
                           struct backup *ret_backup)
{
    char path[BACKUP_PATH_MAX];
    struct stat about;

    folder_path(data, path);
    mkdir(path, 0700);
    file_path(data, now_ms, path);
    enum api_error error = store_backup(reader, path);
    if (error == API_OK && stat(path, &about) != 0)
        error = API_STORAGE;
    if (error == API_OK)
        *ret_backup = (struct backup){now_ms, (int64_t)about.st_size};
    return error;
}

bool backup_remove(const char *data, int64_t at_ms)
{
    char path[BACKUP_PATH_MAX];

    file_path(data, at_ms, path);
    return unlink(path) == 0;
}
