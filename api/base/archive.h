/* A folder as one stream of bytes, an archive that `tar` reads too (POSIX ustar; GNU tar's form of
 * sizes from 8 GiB). It holds plain files in the order of their names, without owners and times, so
 * the same files make the same bytes. */
#ifndef RINKD_API_BASE_ARCHIVE_H
#define RINKD_API_BASE_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { ARCHIVE_PATH_MAX = 4608, ARCHIVE_BLOCK = 512 };

/* Writes all files of a folder and those below it, and removes each as soon as it is written, then
 * the folder. False: errno says why; the rest of the folder is left. */
bool archive_move_in(const char *folder, FILE *to);

/* Removes a folder with all that is in it, or a file; one that is missing is fine. False: errno
 * says why. */
bool archive_remove(const char *path);

/* Takes an archive apart as it arrives. Begins with `folder` set (it is there and empty, and the
 * text outlives the reader), all else 0. */
struct archive_reader {
    const char *folder;
    int64_t files, bytes;            /* taken so far */
    FILE *file;                      /* being written; NULL: none */
    uint64_t left;                   /* bytes of it that have not come */
    size_t padding;                  /* bytes to pass over after it */
    char block[ARCHIVE_BLOCK];       /* the header that arrives … */
    size_t filled;                   /* … and how much of it has come */
    bool has_ended;                  /* the mark at the end has come */
    char why[ARCHIVE_PATH_MAX + 64]; /* the first failure; "": none */
};

/* Takes the next bytes. False: `why` says what is wrong. */
bool archive_take(struct archive_reader *reader, const char *bytes, size_t size);
/* Ends the reader, also after a failure. False: the archive was cut off, or `why` was set before.
 * Files are on the disk. */
bool archive_end(struct archive_reader *reader);

#endif
