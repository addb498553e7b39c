/* Links, or copies where there are none. See place_file.h. */
#include "service/base/place_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/sendfile.h>
#include <unistd.h>

enum { BLOCK_BYTES = 1 << 16 };

bool place_sync_folder(const char *folder)
{
    int directory = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool good = directory >= 0 && fsync(directory) == 0;

    if (directory >= 0)
        close(directory);
    return good;
}

static bool copy_bytes(int from, int to)
{
    ssize_t sent;

    while ((sent = sendfile(to, from, NULL, BLOCK_BYTES)) > 0)
        ;
    return sent == 0;
}

static bool copy_file(const char *path, const char *copy)
{
    int from = open(path, O_RDONLY | O_CLOEXEC);
    int to = from < 0 ? -1 : open(copy, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    bool good = to >= 0 && copy_bytes(from, to) && fsync(to) == 0;

    if (from >= 0)
        close(from);
    if (to >= 0)
        close(to);
    return good;
}

bool place_file(const char *path, const char *place)
{
    char part[PLACE_FILE_MAX];

    snprintf(part, sizeof part, "%s" PLACE_FILE_PART, place);
    unlink(part);
    /* A link costs nothing; some file systems have none. */
    if ((link(path, part) != 0 && !copy_file(path, part)) || rename(part, place) != 0) {
        unlink(part);
        return false;
    }
    unlink(part); /* rename() leaves it where both were the same file */
    return true;
}
