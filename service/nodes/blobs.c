/* Files by their hash. See blobs.h. */
#include "service/nodes/blobs.h"

#include "service/base/place_file.h"
#include "service/models/model_files.h"

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

#define UPLOAD ".upload" /* suffix of pieces that have come */
#define STAGED ".staged" /* … of files on their way to a job */

enum { BLOCK_BYTES = 1 << 16 };

static const int64_t bytes_most = (int64_t)1 << 31;

bool blob_is_name(const char *sha256)
{
    return strlen(sha256) == BLOB_SHA256_MAX - 1 &&
           strspn(sha256, "0123456789abcdef") == BLOB_SHA256_MAX - 1;
}

static void folder_path(const char *data, char ret_path[BLOB_PATH_MAX])
{
    snprintf(ret_path, BLOB_PATH_MAX, "%s/blobs", data);
}

/* The path of a blob, and the folder for it. */
static void blob_path(const char *data, const char *sha256, const char *suffix,
                      char ret_path[BLOB_PATH_MAX])
{
    folder_path(data, ret_path);
    mkdir(ret_path, 0700);
    snprintf(ret_path, BLOB_PATH_MAX, "%s/blobs/%s%s", data, sha256, suffix);
}

bool blob_find(const char *data, const char *sha256, char ret_path[BLOB_PATH_MAX],
               int64_t *ret_bytes)
{
    struct stat about;

    snprintf(ret_path, BLOB_PATH_MAX, "%s/blobs/%s", data, sha256);
    bool is_here = utimensat(AT_FDCWD, ret_path, NULL, 0) == 0;
    if (!is_here)
        model_file_path(data, sha256, ret_path);
    if (stat(ret_path, &about) != 0 || !S_ISREG(about.st_mode))
        return false;
    *ret_bytes = about.st_size;
    return true;
}

static enum api_error storage_error(void)
{
    return errno == ENOMEM ? API_NO_MEMORY : API_STORAGE;
}

enum api_error blob_keep(const char *data, const char *sha256, const char *path)
{
    char place[BLOB_PATH_MAX];

    blob_path(data, sha256, "", place);
    if (rename(path, place) != 0)
        return storage_error();
    folder_path(data, place);
    return place_sync_folder(place) ? API_OK : storage_error();
}

/* ---- pieces ---- */

/* How far an upload is: a file beside it, so that no piece is read twice. Bytes after that count
 * for nothing. */
struct progress {
    int64_t bytes; /* that are durable, and in the hash */
    crypto_hash_sha256_state hash;
};

static void read_progress(int file, int64_t size, struct progress *ret_progress)
{
    if (pread(file, ret_progress, sizeof *ret_progress, 0) == sizeof *ret_progress &&
        ret_progress->bytes >= 0 && ret_progress->bytes <= size)
        return;
    ret_progress->bytes = 0;
    crypto_hash_sha256_init(&ret_progress->hash);
}

/* Adds what is new of a piece, durably. */
static bool add_bytes(const struct blob_piece *piece, int to, struct progress *progress)
{
    unsigned char block[BLOCK_BYTES];
    int from = open(piece->path, O_RDONLY | O_CLOEXEC);
    bool good = from >= 0;

    while (good && progress->bytes < piece->from + piece->bytes) {
        ssize_t got = pread(from, block, sizeof block, (off_t)(progress->bytes - piece->from));
        good = got > 0 && pwrite(to, block, (size_t)got, (off_t)progress->bytes) == got;
        if (good)
            crypto_hash_sha256_update(&progress->hash, block, (unsigned long long)got);
        progress->bytes += got;
    }
    if (from >= 0)
        close(from);
    return good && fdatasync(to) == 0;
}

static bool has_hash(const struct progress *progress, const char *sha256)
{
    crypto_hash_sha256_state state = progress->hash;
    unsigned char hash[crypto_hash_sha256_BYTES];
    char found[BLOB_SHA256_MAX];

    crypto_hash_sha256_final(&state, hash);
    sodium_bin2hex(found, sizeof found, hash, sizeof hash);
    return strcmp(found, sha256) == 0;
}

/* An upload that goes on: its bytes and how far it is. */
struct upload {
    char path[BLOB_PATH_MAX], progress_path[BLOB_PATH_MAX];
    int file, progress_file;
};

/* With the lock of the upload. */
static enum api_error add_locked(const char *data, const char *sha256,
                                 const struct blob_piece *piece, const struct upload *upload,
                                 int64_t *ret_have)
{
    struct progress progress;
    struct stat about;

    if (fstat(upload->file, &about) != 0)
        return storage_error();
    read_progress(upload->progress_file, about.st_size, &progress);
    *ret_have = progress.bytes;
    if (piece->from > progress.bytes)
        return API_STATE;
    if (piece->from + piece->bytes > progress.bytes &&
        (!add_bytes(piece, upload->file, &progress) ||
         pwrite(upload->progress_file, &progress, sizeof progress, 0) != sizeof progress))
        return storage_error();
    *ret_have = progress.bytes;
    if (*ret_have < piece->of)
        return API_OK;
    unlink(upload->progress_path);
    if (*ret_have > piece->of || !has_hash(&progress, sha256)) {
        unlink(upload->path);
        *ret_have = 0;
        return API_BAD_FIELD;
    }
    if (about.st_size > piece->of && ftruncate(upload->file, (off_t)piece->of) != 0)
        return storage_error();
    return fdatasync(upload->file) == 0 ? blob_keep(data, sha256, upload->path) : storage_error();
}

static bool open_upload(const char *data, const char *sha256, struct upload *ret_upload)
{
    struct upload upload;

    blob_path(data, sha256, UPLOAD, upload.path);
    blob_path(data, sha256, UPLOAD ".progress", upload.progress_path);
    upload.file = open(upload.path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    upload.progress_file =
        upload.file < 0 ? -1 : open(upload.progress_path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    *ret_upload = upload;
    return upload.progress_file >= 0;
}

static void close_upload(const struct upload *upload)
{
    if (upload->file >= 0)
        close(upload->file);
    if (upload->progress_file >= 0)
        close(upload->progress_file);
}

/* Whether the file still has its name: another thread may have finished, and so renamed, it. */
static bool is_there(const struct upload *upload)
{
    struct stat own, now;

    return fstat(upload->file, &own) == 0 && stat(upload->path, &now) == 0 &&
           own.st_ino == now.st_ino;
}

enum api_error blob_add(const char *data, const char *sha256, const struct blob_piece *piece,
                        int64_t *ret_have)
{
    char path[BLOB_PATH_MAX];
    enum api_error error;

    *ret_have = 0;
    if (piece->of > bytes_most)
        return API_TOO_LARGE;
    if (blob_find(data, sha256, path, ret_have))
        return API_OK;
    struct upload upload;
    if (!open_upload(data, sha256, &upload) || flock(upload.file, LOCK_EX) != 0)
        error = storage_error();
    else
        error = is_there(&upload) ? add_locked(data, sha256, piece, &upload, ret_have) : API_BUSY;
    close_upload(&upload);
    return error;
}

/* ---- from and to jobs ---- */

enum api_error blob_offer(const char *data, const char *sha256, const char *path,
                          int64_t *ret_bytes)
{
    char place[BLOB_PATH_MAX];
    struct stat about;

    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode))
        return blob_find(data, sha256, place, ret_bytes) ? API_OK : API_NOT_FOUND;
    *ret_bytes = about.st_size;
    blob_path(data, sha256, "", place);
    /* Placed anew each time: what is there may be a file that was changed since. */
    if (!place_file(path, place))
        return errno == ENOENT ? API_NOT_FOUND : storage_error();
    utimensat(AT_FDCWD, place, NULL, 0);
    return API_OK;
}

enum api_error blob_place(const char *data, const char *sha256, const char *place)
{
    char path[BLOB_PATH_MAX];
    int64_t bytes;

    if (!blob_find(data, sha256, path, &bytes))
        return API_NOT_FOUND;
    return place_file(path, place) ? API_OK : storage_error();
}

enum api_error blob_stage(const char *data, const char *sha256, char **ret_path)
{
    char place[BLOB_PATH_MAX], suffix[32];

    snprintf(suffix, sizeof suffix, ".%08x%08x" STAGED, randombytes_random(), randombytes_random());
    blob_path(data, sha256, suffix, place);
    char *path = strdup(place);
    enum api_error error = path ? blob_place(data, sha256, place) : API_NO_MEMORY;

    if (error == API_OK)
        *ret_path = path;
    else
        free(path);
    return error;
}

/* The file with this name, of a blob or its upload, has gone. */
static void drop_share(struct blob_shares *shares, const char *name)
{
    char sha256[BLOB_SHA256_MAX];

    snprintf(sha256, sizeof sha256, "%.*s", (int)sizeof sha256 - 1, name);
    const char *rest = name + strlen(sha256);
    if (blob_is_name(sha256) && (!*rest || strcmp(rest, UPLOAD) == 0))
        blob_shares_drop(shares, sha256);
}

int blobs_tidy(const char *data, struct blob_shares *shares, int64_t now_ms)
{
    char path[BLOB_PATH_MAX];
    const struct dirent *entry;
    struct stat about;
    int removed = 0;

    folder_path(data, path);
    DIR *folder = opendir(path);
    while (folder && (entry = readdir(folder)) != NULL)
        if (entry->d_name[0] != '.' &&
            fstatat(dirfd(folder), entry->d_name, &about, AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISREG(about.st_mode) &&
            (int64_t)about.st_mtim.tv_sec * 1000 < now_ms - BLOB_KEEP_MS &&
            unlinkat(dirfd(folder), entry->d_name, 0) == 0) {
            removed++;
            drop_share(shares, entry->d_name);
        }
    if (folder)
        closedir(folder);
    return removed;
}
