/* Appends JSON lines to a file and reads them back after a restart. */
#include "workers/learn/training/train_journal.h"

#include "api/base/load_json.h"
#include "api/base/next_line.h"
#include "workers/learn/training/train_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

/* The writer of a folder locks this file, not the journal: train_journal_keep() replaces the
 * journal, and another process could lock the new file first. */
#define LOCK_NAME        ".lock"
#define LOCK_OF_RUN_NAME ".%s.lock"

struct train_journal {
    const char *folder, *name;
    char path[TRAIN_PATH_MAX];
    int fd, lock_fd;
    off_t end;     /* of the last complete line */
    bool is_cut;   /* the broken end is already cut off */
    json_t *lines; /* an array */
};

/* Reads complete lines up to the first one that is not JSON: after a power failure the file may
 * end with zeros or old bytes. */
static bool read_lines(struct train_journal *journal, FILE *in)
{
    char *text = NULL;
    size_t capacity = 0;
    ssize_t length;
    bool good = true;

    while ((length = next_line(&text, &capacity, in)) > 0 && text[length - 1] == '\n') {
        json_error_t error;
        json_t *line = load_json(text, (size_t)length, 0, &error);
        good = line || json_error_code(&error) != json_error_out_of_memory;
        if (!json_is_object(line)) {
            json_decref(line);
            break;
        }
        good = json_array_append_new(journal->lines, line) == 0;
        if (!good)
            break;
        journal->end += length;
    }
    free(text);
    if (!good)
        errno = ENOMEM;
    return good && length >= 0;
}

/* Cuts off a broken end before the first write, so that opening alone changes nothing. */
static bool cut(struct train_journal *journal)
{
    journal->is_cut = journal->is_cut || ftruncate(journal->fd, journal->end) == 0;
    return journal->is_cut;
}

static bool open_file(struct train_journal *journal)
{
    journal->fd = open(journal->path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    return journal->fd >= 0;
}

/* Keeps other processes from writing in the folder. NULL, or the error. */
static const char *lock_folder(struct train_journal *journal)
{
    char path[TRAIN_PATH_MAX];

    int length =
        strcmp(journal->name, TRAIN_JOURNAL_NAME) == 0
            ? snprintf(path, sizeof path, "%s/" LOCK_NAME, journal->folder)
            : snprintf(path, sizeof path, "%s/" LOCK_OF_RUN_NAME, journal->folder, journal->name);
    if (length >= (int)sizeof path)
        return strerror(ENAMETOOLONG);
    journal->lock_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (journal->lock_fd >= 0 && flock(journal->lock_fd, LOCK_EX | LOCK_NB) == 0)
        return NULL;
    return errno == EWOULDBLOCK ? "is being written by another process" : strerror(errno);
}

struct train_journal *train_journal_open(const char *folder, const char *name,
                                         char ret_error[TRAIN_ERROR_MAX])
{
    struct train_journal *journal = calloc(1, sizeof *journal);
    FILE *in = NULL;

    if (!journal || !(journal->lines = json_array())) {
        free(journal);
        train_fail(ret_error, TRAIN_NO_MEMORY, "out of memory");
        return NULL;
    }
    journal->folder = folder;
    journal->name = name;
    journal->fd = journal->lock_fd = -1;
    snprintf(journal->path, sizeof journal->path, "%s/%s", folder, name);
    const char *why = lock_folder(journal);
    if (!why &&
        (!open_file(journal) || !(in = fopen(journal->path, "re")) || !read_lines(journal, in)))
        why = strerror(errno);
    if (in)
        fclose(in);
    if (!why)
        return journal;
    train_fail(ret_error, TRAIN_DISK, "%.800s: %s", journal->path, why);
    train_journal_close(journal);
    return NULL;
}

void train_journal_close(struct train_journal *journal)
{
    if (!journal)
        return;
    if (journal->fd >= 0)
        close(journal->fd);
    if (journal->lock_fd >= 0)
        close(journal->lock_fd);
    json_decref(journal->lines);
    free(journal);
}

const json_t *train_journal_lines(const struct train_journal *journal)
{
    return journal->lines;
}

static enum train_status blame(const struct train_journal *journal, int error, char *ret_error)
{
    return train_fail(ret_error, error == ENOMEM ? TRAIN_NO_MEMORY : TRAIN_DISK, "%.800s: %s",
                      journal->path, strerror(error));
}

static bool write_lines(void *context, FILE *file)
{
    const json_t *lines = context, *line;
    bool good = true;
    size_t k;

    json_array_foreach(lines, k, line)
    {
        good = good && json_dumpf(line, file, JSON_COMPACT) == 0 && putc('\n', file) != EOF;
    }
    return good;
}

enum train_status train_journal_keep(struct train_journal *journal, json_t *kept,
                                     char ret_error[TRAIN_ERROR_MAX])
{
    char sha256[TRAIN_SHA256_MAX];

    if (json_array_size(kept) == json_array_size(journal->lines))
        return TRAIN_OK;
    enum train_status status =
        train_file_write(journal->path, write_lines, kept, sha256, ret_error);
    if (status != TRAIN_OK)
        return status;
    close(journal->fd);
    journal->is_cut = true;
    return open_file(journal) ? TRAIN_OK : blame(journal, errno, ret_error);
}

enum train_status train_journal_make(const char *folder, const char *name, json_t *lines,
                                     char ret_error[TRAIN_ERROR_MAX])
{
    char path[TRAIN_PATH_MAX], sha256[TRAIN_SHA256_MAX];

    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path)
        return train_fail(ret_error, TRAIN_DISK, "%.800s: %s", folder, strerror(ENAMETOOLONG));
    return train_file_write(path, write_lines, lines, sha256, ret_error);
}

enum train_status train_journal_add(struct train_journal *journal, const json_t *line,
                                    char ret_error[TRAIN_ERROR_MAX])
{
    char *text = json_dumps(line, JSON_COMPACT);

    if (!text)
        return blame(journal, ENOMEM, ret_error);
    size_t length = strlen(text), written = 0;
    text[length++] = '\n'; /* replaces the 0 */
    while (cut(journal) && written < length) {
        ssize_t now = write(journal->fd, text + written, length - written);
        if (now < 0 && errno != EINTR)
            break;
        written += now > 0 ? (size_t)now : 0;
    }
    bool good =
        written == length && (!json_object_get(line, "checkpoint") || fsync(journal->fd) == 0);
    int error = errno;
    free(text);
    return good ? TRAIN_OK : blame(journal, error, ret_error);
}

enum train_status train_journal_sync(struct train_journal *journal, char ret_error[TRAIN_ERROR_MAX])
{
    return fsync(journal->fd) == 0 ? TRAIN_OK : blame(journal, errno, ret_error);
}
