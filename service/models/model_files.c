/* Checks, stores and deletes files of weights. See model_files.h. */
#include "service/models/model_files.h"

#include "api/base/safetensors_json.h"
#include "models/base/safetensors.h"
#include "service/base/core.h"
#include "service/base/log.h"
#include "service/base/place_file.h"
#include "service/store/registry.h"
#include "service/store/strangers.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK_BYTES = 1 << 20, HASH_DIGITS = 64 };

#define SUFFIX ".safetensors"

/* <data>/models; child.c gives workers the same path. */
static void folder_path(const char *data, char ret_path[MODEL_PATH_MAX])
{
    snprintf(ret_path, MODEL_PATH_MAX, "%s/models", data);
}

void model_file_path(const char *data, const char *sha256, char ret_path[MODEL_PATH_MAX])
{
    assert(strlen(sha256) == HASH_DIGITS);
    snprintf(ret_path, MODEL_PATH_MAX, "%s/models/%s" SUFFIX, data, sha256);
}

/* ---- reading ---- */

/* Refuses a tensor, which the file follows with, if one of its numbers is not finite. */
static bool check_numbers(FILE *file, const struct safetensors_tensor *tensor,
                          const struct strict_place *root, unsigned char block[BLOCK_BYTES])
{
    const struct strict_place place = strict_member(root, tensor->name);
    const size_t bytes = safetensors_type_bytes(tensor->type), most = BLOCK_BYTES / bytes;

    for (int64_t done = 0; done < tensor->elements;) {
        const int64_t left = tensor->elements - done;
        const size_t count = left < (int64_t)most ? (size_t)left : most;
        if (fread(block, bytes, count, file) != count)
            return strict_refuse(&place, "data", "its numbers cannot be read");
        const size_t found = safetensors_find_infinite(tensor->type, block, count);
        if (found < count)
            return strict_refuse(&place, "value", "number %lld of %lld is infinite or not a number",
                                 (long long)(done + (int64_t)found + 1),
                                 (long long)tensor->elements);
        done += (int64_t)count;
    }
    return true;
}

/* Refuses numbers that are not finite behind a header that is sound. */
static bool check_all_numbers(FILE *file, const char *header, size_t length, int64_t data_bytes,
                              struct strict_errors *errors)
{
    struct safetensors_fault fault;
    struct safetensors tensors;
    unsigned char *block = malloc(BLOCK_BYTES);

    if (!block || !safetensors_read(header, length, data_bytes, &tensors, &fault)) {
        free(block);
        return strict_refuse_at(errors, "", "no_memory", "memory is short");
    }
    const struct strict_place root = strict_root(tensors.header, errors);
    bool good = true;
    for (int k = 0; k < tensors.tensors && good; k++) {
        const off_t at = (off_t)(SAFETENSORS_PREFIX + length) + tensors.tensor[k].begin;
        good = fseeko(file, at, SEEK_SET) == 0
                   ? check_numbers(file, &tensors.tensor[k], &root, block)
                   : strict_refuse_at(errors, "", "data", "the numbers cannot be read");
    }
    safetensors_free(&tensors);
    free(block);
    return good;
}

json_t *model_file_summary(FILE *file, int64_t bytes, struct strict_errors *ret_errors)
{
    unsigned char prefix[SAFETENSORS_PREFIX] = {0};
    json_t *summary = NULL;

    if (bytes < SAFETENSORS_PREFIX || fread(prefix, sizeof prefix, 1, file) != 1)
        bytes = 0; /* too short for any header */
    ret_errors->count = ret_errors->dropped = 0;
    size_t length = safetensors_header_length(prefix, bytes);
    if (length == 0) {
        strict_refuse_at(ret_errors, "", "header",
                         "the first %d bytes do not give the length of a safetensors header (2 to "
                         "%d bytes, within the file)",
                         SAFETENSORS_PREFIX, SAFETENSORS_HEADER_MAX);
        return NULL;
    }
    char *header = malloc(length);
    if (!header)
        strict_refuse_at(ret_errors, "", "no_memory", "memory is short");
    else if (fread(header, length, 1, file) != 1)
        strict_refuse_at(ret_errors, "", "header", "the header cannot be read");
    else if (safetensors_summary(header, length, bytes - SAFETENSORS_PREFIX - (int64_t)length,
                                 &summary, ret_errors) &&
             !check_all_numbers(file, header, length, bytes - SAFETENSORS_PREFIX - (int64_t)length,
                                ret_errors)) {
        json_decref(summary);
        summary = NULL;
    }
    free(header);
    return summary;
}

/* The hash of all bytes of a file. */
static enum api_error hash_file(FILE *file, char ret_sha256[HASH_DIGITS + 1])
{
    unsigned char hash[crypto_hash_sha256_BYTES], *block = malloc(BLOCK_BYTES);
    crypto_hash_sha256_state state;
    size_t got;

    if (!block)
        return API_NO_MEMORY;
    crypto_hash_sha256_init(&state);
    rewind(file);
    while ((got = fread(block, 1, BLOCK_BYTES, file)) > 0)
        crypto_hash_sha256_update(&state, block, got);
    free(block);
    crypto_hash_sha256_final(&state, hash);
    sodium_bin2hex(ret_sha256, HASH_DIGITS + 1, hash, sizeof hash);
    return ferror(file) ? API_STORAGE : API_OK;
}

enum api_error model_file_check(const char *path, const char *sha256, json_t **ret_summary,
                                int64_t *ret_bytes)
{
    struct strict_errors errors = {.count = 0};
    char hash[HASH_DIGITS + 1];
    struct stat about;
    json_t *summary = NULL;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);

    if (descriptor < 0)
        return errno == ENOENT || errno == ELOOP ? API_BAD_FIELD : API_STORAGE;
    FILE *file = fdopen(descriptor, "r");
    if (!file) {
        close(descriptor);
        return API_NO_MEMORY;
    }
    enum api_error error = fstat(descriptor, &about) == 0 ? API_OK : API_STORAGE;
    if (error == API_OK && !S_ISREG(about.st_mode))
        error = API_BAD_FIELD;
    if (error == API_OK && !(summary = model_file_summary(file, about.st_size, &errors)))
        error = strcmp(errors.error[0].code, "no_memory") == 0 ? API_NO_MEMORY : API_BAD_FIELD;
    if (error == API_OK)
        error = hash_file(file, hash);
    if (error == API_OK && strcmp(hash, sha256) != 0)
        error = API_BAD_FIELD;
    fclose(file);
    if (error != API_OK) {
        json_decref(summary);
        return error;
    }
    *ret_summary = summary;
    *ret_bytes = (int64_t)about.st_size;
    return API_OK;
}

/* ---- keeping ---- */

enum api_error model_file_keep(const char *data, const char *sha256, const char *path)
{
    char place[MODEL_PATH_MAX], folder[MODEL_PATH_MAX];

    folder_path(data, folder);
    mkdir(folder, 0700);
    model_file_path(data, sha256, place);
    return place_file(path, place) && place_sync_folder(folder) ? API_OK : API_STORAGE;
}

enum api_error model_file_take(const char *data, const char *sha256, const char *path)
{
    char place[MODEL_PATH_MAX], folder[MODEL_PATH_MAX];

    folder_path(data, folder);
    mkdir(folder, 0700);
    model_file_path(data, sha256, place);
    return rename(path, place) == 0 && place_sync_folder(folder) ? API_OK : API_STORAGE;
}

/* ---- removing ---- */

struct removal {
    struct core_task task;
    char sha256[HASH_DIGITS + 1], path[MODEL_PATH_MAX];
};

static enum api_error run_removal(struct core_task *task, struct store *store)
{
    struct removal *removal = (struct removal *)task;
    bool is_needed;

    if (model_store_has_weights(store, removal->sha256, &is_needed) == API_OK && !is_needed)
        unlink(removal->path);
    return API_OK;
}

static void finish_removal(struct core_task *task, enum api_error result)
{
    (void)result; /* at worst a file remains, and the next start moves it aside */
    free(task);
}

void model_file_remove(struct core *core, const char *data, const char *sha256)
{
    struct removal *removal = calloc(1, sizeof *removal);

    if (!removal)
        return;
    removal->task =
        (struct core_task){.writes = true, .run = run_removal, .finish = finish_removal};
    snprintf(removal->sha256, sizeof removal->sha256, "%s", sha256);
    model_file_path(data, sha256, removal->path);
    core_submit_own(core, &removal->task);
}

/* ---- at start ---- */

static bool is_weights_name(const char *name)
{
    return strspn(name, "0123456789abcdef") == HASH_DIGITS &&
           strncmp(name + HASH_DIGITS, SUFFIX, strlen(SUFFIX)) == 0;
}

/* Whether the store knows the weights; true if the store fails. */
static bool is_known(struct store *store, const char *name)
{
    char sha256[HASH_DIGITS + 1];
    bool has = true;

    memcpy(sha256, name, HASH_DIGITS);
    sha256[HASH_DIGITS] = '\0';
    return model_store_has_weights(store, sha256, &has) != API_OK || has;
}

bool model_files_move_aside(const char *data, const char *path, const char *why, int64_t now_ms)
{
    bool is_moved = stranger_move(data, path, now_ms) == API_OK;

    log_line(is_moved ? LOG_WARNING : LOG_ERROR, why, log_text("file", path),
             is_moved ? log_text("moved_to", STRANGERS_FOLDER)
                      : log_text("stays", strerror(errno)));
    return is_moved;
}

int model_files_tidy(const char *data, struct store *store, int64_t now_ms)
{
    char path[MODEL_PATH_MAX];
    int moved = 0;

    folder_path(data, path);
    DIR *folder = opendir(path);
    const struct dirent *entry;
    while (folder && (entry = readdir(folder)) != NULL) {
        const char *name = entry->d_name;
        if (!is_weights_name(name))
            continue; /* not one of ours */
        const char *rest = name + HASH_DIGITS + strlen(SUFFIX);
        if (strcmp(rest, PLACE_FILE_PART) == 0)
            unlinkat(dirfd(folder), name, 0);
        else if (!*rest && !is_known(store, name)) {
            snprintf(path, sizeof path, "models/%s", name);
            moved += model_files_move_aside(data, path, "no model has these weights", now_ms);
        }
    }
    if (folder)
        closedir(folder);
    return moved;
}
