/* Finds files that a database does not know, and moves them aside. See strangers.h. */
#include "service/store/strangers.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { PATH_BYTES = 4608, TIME_BYTES = 32 };

#define WAL "rinkd.db-wal"

static const char *const folders[] = {"jobs", "models"};
enum { FOLDERS = sizeof folders / sizeof *folders };

static bool is_dots(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* A folder that cannot be read may hold anything, so it counts as one with entries. */
static bool has_entries(const char *data, const char *name)
{
    char path[PATH_BYTES];
    const struct dirent *entry;
    bool found = false;

    snprintf(path, sizeof path, "%s/%s", data, name);
    DIR *folder = opendir(path);
    if (!folder)
        return errno != ENOENT;
    while (!found && (entry = readdir(folder)) != NULL)
        found = !is_dots(entry->d_name);
    closedir(folder);
    return found;
}

static bool has_bytes(const char *data, const char *name)
{
    char path[PATH_BYTES];
    struct stat about;

    snprintf(path, sizeof path, "%s/%s", data, name);
    return stat(path, &about) == 0 && about.st_size > 0;
}

bool strangers_are_here(const char *data, bool has_no_file)
{
    for (int k = 0; k < FOLDERS; k++)
        if (has_entries(data, folders[k]))
            return true;
    return has_no_file && has_bytes(data, WAL);
}

/* Makes the folders above the last name of a path that begins with `data`. */
static bool make_parents(const char *data, char *path)
{
    for (char *slash = path + strlen(data) + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        bool is_there = mkdir(path, 0700) == 0 || errno == EEXIST;
        *slash = '/';
        if (!is_there)
            return false;
    }
    return true;
}

/* Like rename(), but never replaces a file. */
static bool move_file(const char *from, const char *to)
{
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
        return true;
    if (errno != EINVAL && errno != ENOSYS) /* some file systems cannot do both in one */
        return false;
    errno = EEXIST;
    return access(to, F_OK) != 0 && rename(from, to) == 0;
}

enum api_error stranger_move(const char *data, const char *name, int64_t now_ms)
{
    char from[PATH_BYTES], to[PATH_BYTES], at[TIME_BYTES];
    const time_t now_s = (time_t)(now_ms / 1000);
    struct tm utc;

    strftime(at, sizeof at, "%Y-%m-%dT%H%M%SZ", gmtime_r(&now_s, &utc));
    snprintf(from, sizeof from, "%s/%s", data, name);
    int length = snprintf(to, sizeof to, "%s/" STRANGERS_FOLDER "/%s/%s", data, at, name);
    if (length >= (int)sizeof to) {
        errno = ENAMETOOLONG;
        return API_STORAGE;
    }
    return make_parents(data, to) && move_file(from, to) ? API_OK : API_STORAGE;
}

static enum api_error adopt_folder(const char *data, const char *name, int64_t now_ms)
{
    char path[PATH_BYTES];
    const struct dirent *entry;
    enum api_error error = API_OK;

    snprintf(path, sizeof path, "%s/%s", data, name);
    DIR *folder = opendir(path);
    if (!folder)
        return errno == ENOENT ? API_OK : API_STORAGE;
    while (error == API_OK && (entry = readdir(folder)) != NULL) {
        snprintf(path, sizeof path, "%s/%s", name, entry->d_name);
        if (!is_dots(entry->d_name))
            error = stranger_move(data, path, now_ms);
    }
    int why = errno;
    closedir(folder);
    errno = why;
    return error;
}

enum api_error strangers_adopt(const char *data, bool has_no_file, int64_t now_ms)
{
    enum api_error error = API_OK;

    for (int k = 0; k < FOLDERS && error == API_OK; k++)
        error = adopt_folder(data, folders[k], now_ms);
    if (error == API_OK && has_no_file && has_bytes(data, WAL))
        error = stranger_move(data, WAL, now_ms);
    return error;
}
