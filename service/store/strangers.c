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

#define WAL_INDEX "rinkd.db-shm"

static const char *const folders[] = {"jobs", "models"};
enum { FOLDERS = sizeof folders / sizeof *folders };

/* Folders for moved files. The first may belong to root alone, as in the root of an ext4 file
 * system. */
static const char *const places[] = {STRANGERS_FOLDER, STRANGERS_FOLDER ".rinkd"};
enum { PLACES = sizeof places / sizeof *places };

/* Names that are no strangers: the folder itself, its parent, and the folders above. */
static bool is_own(const char *name)
{
    for (int k = 0; k < PLACES; k++)
        if (strcmp(name, places[k]) == 0)
            return true;
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
        found = !is_own(entry->d_name);
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

/* Moves <data>/<name> to a folder in <data>/<below>, where `below` ends with '/' or is empty, and
 * `kept` is the rest of its path. */
static enum api_error move_below(const char *data, const char *name, const char *below,
                                 const char *kept, const char *at)
{
    char from[PATH_BYTES], to[PATH_BYTES];
    bool is_moved = false;

    snprintf(from, sizeof from, "%s/%s", data, name);
    errno = EACCES;
    for (int k = 0; k < PLACES && !is_moved && (errno == EACCES || errno == EPERM); k++) {
        int length = snprintf(to, sizeof to, "%s/%s%s/%s/%s", data, below, places[k], at, kept);
        if (length >= (int)sizeof to)
            errno = ENAMETOOLONG;
        else
            is_moved = make_parents(data, to) && move_file(from, to);
    }
    return is_moved ? API_OK : API_STORAGE;
}

enum api_error stranger_move(const char *data, const char *name, int64_t now_ms)
{
    char at[TIME_BYTES], below[PATH_BYTES];
    const time_t now_s = (time_t)(now_ms / 1000);
    const char *slash = strchr(name, '/');
    struct tm utc;

    strftime(at, sizeof at, "%Y-%m-%dT%H%M%SZ", gmtime_r(&now_s, &utc));
    enum api_error error = move_below(data, name, "", name, at);
    if (error == API_OK || errno != EXDEV || !slash)
        return error;
    /* jobs/ or models/ is on another file system, so the file stays there. */
    snprintf(below, sizeof below, "%.*s", (int)(slash - name + 1), name);
    return move_below(data, name, below, slash + 1, at);
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
        if (!is_own(entry->d_name))
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
    if (error == API_OK && has_no_file)
        error = strangers_adopt_log(data, now_ms);
    return error;
}

enum api_error strangers_adopt_log(const char *data, int64_t now_ms)
{
    enum api_error error = has_bytes(data, WAL) ? stranger_move(data, WAL, now_ms) : API_OK;

    /* The index of the log is worth nothing without it. */
    return error == API_OK && has_bytes(data, WAL_INDEX) ? stranger_move(data, WAL_INDEX, now_ms)
                                                         : error;
}
