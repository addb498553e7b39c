/* Archives of folders. See archive.h. */
#include "api/base/archive.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIECE_BYTES = 1 << 16, OPEN_FOLDERS = 16, SUM_DIGITS = 6, SIZE_DIGITS = 11 };

struct header {
    char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], sum[8], type, link[100];
    char magic[6], version[2], user[32], group[32], major[8], minor[8], prefix[155], unused[12];
};
static_assert(sizeof(struct header) == ARCHIVE_BLOCK, "a header is one block");

static void put_octal(char *field, int digits, uint64_t value)
{
    for (int k = digits; k-- > 0; value >>= 3)
        field[k] = (char)('0' + (char)(value & 7));
}

static uint64_t read_octal(const char *field, int digits)
{
    uint64_t value = 0;

    for (int k = 0; k < digits && field[k] >= '0' && field[k] <= '7'; k++)
        value = value << 3 | (uint64_t)(field[k] - '0');
    return value;
}

/* Of all bytes, with blanks in place of the sum itself. */
static uint64_t sum_of(const struct header *header)
{
    struct header copy = *header;
    unsigned char bytes[sizeof copy];
    uint64_t sum = 0;

    memset(copy.sum, ' ', sizeof copy.sum);
    memcpy(bytes, &copy, sizeof copy);
    for (size_t k = 0; k < sizeof bytes; k++)
        sum += bytes[k];
    return sum;
}

static size_t padding_of(uint64_t size)
{
    return (size_t)((ARCHIVE_BLOCK - size % ARCHIVE_BLOCK) % ARCHIVE_BLOCK);
}

/* ---- writing ---- */

/* A name that is too long for its field is split at a slash. */
static bool put_name(struct header *header, const char *name)
{
    const size_t length = strlen(name);
    const char *rest = name;

    if (length > sizeof header->name) {
        rest = strchr(name + length - sizeof header->name - 1, '/');
        if (!rest || (size_t)(rest - name) > sizeof header->prefix) {
            errno = ENAMETOOLONG;
            return false;
        }
        memcpy(header->prefix, name, (size_t)(rest - name));
        rest++;
    }
    memcpy(header->name, rest, strlen(rest));
    return true;
}

static bool put_header(FILE *to, const char *name, uint64_t size)
{
    struct header header = {.mode = "0000644",
                            .uid = "0000000",
                            .gid = "0000000",
                            .mtime = "00000000000",
                            .type = '0',
                            .magic = "ustar",
                            .version = {'0', '0'}};

    if (!put_name(&header, name))
        return false;
    if (size >> (3 * SIZE_DIGITS) == 0) {
        put_octal(header.size, SIZE_DIGITS, size);
    } else { /* binary, the highest byte first */
        header.size[0] = (char)-128;
        for (size_t k = 0; k < sizeof size; k++)
            header.size[sizeof header.size - 1 - k] = (char)(unsigned char)(size >> (8 * k));
    }
    put_octal(header.sum, SUM_DIGITS, sum_of(&header));
    header.sum[SUM_DIGITS + 1] = ' ';
    return fwrite(&header, sizeof header, 1, to) == 1;
}

static bool put_bytes(FILE *to, int from, uint64_t size)
{
    static const char zeros[ARCHIVE_BLOCK];
    char piece[PIECE_BYTES];

    for (uint64_t left = size; left > 0;) {
        ssize_t got = read(from, piece, left < sizeof piece ? (size_t)left : sizeof piece);
        if (got < 0 && errno == EINTR)
            continue;
        if (got == 0)
            errno = EIO; /* somebody cut it */
        if (got <= 0 || fwrite(piece, 1, (size_t)got, to) != (size_t)got)
            return false;
        left -= (uint64_t)got;
    }
    return fwrite(zeros, 1, padding_of(size), to) == padding_of(size);
}

static bool move_file(const char *path, const char *name, FILE *to)
{
    struct stat about;
    int from = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);

    if (from < 0)
        return false;
    bool is_good = fstat(from, &about) == 0 && put_header(to, name, (uint64_t)about.st_size) &&
                   put_bytes(to, from, (uint64_t)about.st_size);
    close(from);
    return is_good && unlink(path) == 0;
}

static int is_real(const struct dirent *entry)
{
    return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

/* `path` has room for ARCHIVE_PATH_MAX bytes; names in the archive begin after `skip` of them. */
static bool move_folder(char *path, size_t skip, FILE *to)
{
    const size_t length = strlen(path);
    struct dirent **entries;
    struct stat about;
    int count = scandir(path, &entries, is_real, alphasort);
    bool is_good = count >= 0;

    for (int k = 0; k < count; k++) {
        const size_t more = strlen(entries[k]->d_name);
        if (is_good && length + more + 2 > ARCHIVE_PATH_MAX) {
            errno = ENAMETOOLONG;
            is_good = false;
        }
        if (is_good) {
            path[length] = '/';
            memcpy(path + length + 1, entries[k]->d_name, more + 1);
            is_good = lstat(path, &about) == 0 &&
                      (S_ISDIR(about.st_mode) ? move_folder(path, skip, to)
                                              : move_file(path, path + skip, to));
            path[length] = '\0';
        }
        free(entries[k]);
    }
    if (count >= 0)
        free(entries);
    return is_good && rmdir(path) == 0;
}

bool archive_move_in(const char *folder, FILE *to)
{
    static const char end[2 * ARCHIVE_BLOCK];
    char path[ARCHIVE_PATH_MAX];

    if (strlen(folder) >= sizeof path) {
        errno = ENAMETOOLONG;
        return false;
    }
    strcpy(path, folder);
    return move_folder(path, strlen(folder) + 1, to) && fwrite(end, sizeof end, 1, to) == 1 &&
           fflush(to) == 0;
}

static int remove_one(const char *path, const struct stat *about, int type, struct FTW *place)
{
    (void)about, (void)type, (void)place;
    return remove(path);
}

bool archive_remove(const char *path)
{
    return nftw(path, remove_one, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS) == 0 || errno == ENOENT;
}

/* ---- reading ---- */

static bool fail(struct archive_reader *reader, const char *what, const char *why)
{
    if (!*reader->why)
        snprintf(reader->why, sizeof reader->why, "%.4500s: %s", what, why);
    return false;
}

/* The name of a file below the folder: no part of it leads out. */
static bool is_good_name(const char *name)
{
    for (const char *part = name;; part++) {
        size_t length = strcspn(part, "/");
        if (length == 0 || (part[0] == '.' && (length == 1 || (length == 2 && part[1] == '.'))))
            return false;
        part += length;
        if (!*part)
            return true;
    }
}

static bool open_file(struct archive_reader *reader, const char *name)
{
    char path[ARCHIVE_PATH_MAX];

    int length = snprintf(path, sizeof path, "%s/%s", reader->folder, name);
    if (length < 0 || (size_t)length >= sizeof path)
        return fail(reader, name, strerror(ENAMETOOLONG));
    for (char *slash = path + strlen(reader->folder); (slash = strchr(slash + 1, '/')) != NULL;
         *slash = '/') {
        *slash = '\0';
        if (mkdir(path, 0777) != 0 && errno != EEXIST)
            return fail(reader, path, strerror(errno));
    }
    reader->file = fopen(path, "wxe");
    return reader->file || fail(reader, path, strerror(errno));
}

static bool close_file(struct archive_reader *reader)
{
    FILE *file = reader->file;
    bool is_good = fflush(file) == 0 && fsync(fileno(file)) == 0;

    reader->file = NULL;
    reader->files++;
    return (fclose(file) == 0 && is_good) || fail(reader, reader->folder, strerror(errno));
}

static bool take_header(struct archive_reader *reader)
{
    static const char zeros[ARCHIVE_BLOCK];
    char name[sizeof((struct header *)0)->prefix + sizeof((struct header *)0)->name + 2];
    struct header header;

    reader->filled = 0;
    if (memcmp(reader->block, zeros, sizeof zeros) == 0) {
        reader->has_ended = true;
        return true;
    }
    memcpy(&header, reader->block, sizeof header);
    if (reader->has_ended || memcmp(header.magic, "ustar", sizeof header.magic) != 0 ||
        header.type != '0' || read_octal(header.sum, SUM_DIGITS) != sum_of(&header))
        return fail(reader, "the archive", "it is damaged");
    snprintf(name, sizeof name, "%.155s%s%.100s", header.prefix, *header.prefix ? "/" : "",
             header.name);
    if (!is_good_name(name))
        return fail(reader, name, "this name leads out of the folder");
    reader->left = 0;
    if ((unsigned char)header.size[0] == 0x80)
        for (size_t k = sizeof header.size - sizeof reader->left; k < sizeof header.size; k++)
            reader->left = reader->left << 8 | (unsigned char)header.size[k];
    else
        reader->left = read_octal(header.size, SIZE_DIGITS);
    reader->padding = padding_of(reader->left);
    return open_file(reader, name) && (reader->left > 0 || close_file(reader));
}

/* Takes what belongs to one place of the archive; returns how many bytes. */
static size_t take_some(struct archive_reader *reader, const char *bytes, size_t size)
{
    size_t part = size;

    if (reader->left > 0) {
        part = reader->left < part ? (size_t)reader->left : part;
        if (fwrite(bytes, 1, part, reader->file) != part)
            fail(reader, reader->folder, strerror(errno));
        reader->left -= part;
        if (reader->left == 0)
            close_file(reader);
    } else if (reader->padding > 0) {
        part = reader->padding < part ? reader->padding : part;
        reader->padding -= part;
    } else {
        part = sizeof reader->block - reader->filled < part ? sizeof reader->block - reader->filled
                                                            : part;
        memcpy(reader->block + reader->filled, bytes, part);
        reader->filled += part;
        if (reader->filled == sizeof reader->block)
            take_header(reader);
    }
    return part;
}

bool archive_take(struct archive_reader *reader, const char *bytes, size_t size)
{
    while (size > 0 && !*reader->why) {
        size_t part = take_some(reader, bytes, size);
        bytes += part;
        size -= part;
        reader->bytes += (int64_t)part;
    }
    return !*reader->why;
}

bool archive_end(struct archive_reader *reader)
{
    if (reader->file)
        fclose(reader->file);
    reader->file = NULL;
    if (!reader->has_ended || reader->filled > 0)
        fail(reader, "the archive", "it was cut off");
    return !*reader->why;
}
