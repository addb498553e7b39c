/* Takes an export in. See folder.h. */
#include "api/base/clock.h"
#include "api/base/load_json.h"
#include "api/base/next_line.h"
#include "service/data/copy.h"
#include "service/data/folder.h"
#include "service/jobs/job_folder.h"
#include "service/models/model_files.h"
#include "service/store/strangers.h"
#include "service/store/transfer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SHA_DIGITS = 64 };

#define WEIGHTS    "models/"
#define TABLE_ROWS "tables/%s/part-0.jsonl"
#define SUM_FORM   "a line is SHA256, two blanks, NAME"
#define OTHER_SUM  "the file has another SHA-256"

struct importing {
    struct transfer *transfer;
    const char *data, *folder;
    struct data_counts *counts;
    char *why;
    json_t *made;     /* paths of files that were made */
    json_t *listed;   /* names in SHA256SUMS that were checked */
    int64_t last_job; /* whose folder is ready */
};

/* Says what cannot be taken, with the file and the line. */
static enum api_error refuse(const struct importing *importing, const char *file, int64_t line,
                             const char *what)
{
    snprintf(importing->why, DATA_WHY_MAX, "%.3000s/%s:%lld: %s", importing->folder, file,
             (long long)line, what);
    return API_BAD_FIELD;
}

static enum api_error fail(const struct importing *importing, const char *path)
{
    snprintf(importing->why, DATA_WHY_MAX, "%.4000s: %s", path, strerror(errno));
    return API_STORAGE;
}

/* Says why a file of the export cannot be read. */
static enum api_error fail_to_read(const struct importing *importing, const char *name)
{
    const char *why = errno == ELOOP || errno == ENOTDIR  ? "it is, or lies behind, a symbolic link"
                      : errno == EINVAL || errno == ENXIO ? "it is no regular file"
                                                          : strerror(errno);

    snprintf(importing->why, DATA_WHY_MAX, "%.3000s/%.900s: %s", importing->folder, name, why);
    return API_STORAGE;
}

/* Reads a file line by line; one that is missing has none. */
typedef enum api_error take_line(struct importing *importing, const char *file, int64_t number,
                                 char *line, size_t length);

static enum api_error read_lines(struct importing *importing, const char *name, take_line *take)
{
    enum api_error error = API_OK;
    char *line = NULL;
    size_t size = 0;
    ssize_t length = 0;
    int opened = copy_open_below(importing->folder, name);
    FILE *file = opened >= 0 ? fdopen(opened, "r") : NULL;

    if (!file && opened >= 0)
        close(opened);
    if (!file)
        return errno == ENOENT ? API_OK : fail_to_read(importing, name);
    for (int64_t number = 1; error == API_OK && (length = next_line(&line, &size, file)) > 0;
         number++) {
        if (line[length - 1] != '\n')
            error = refuse(importing, name, number, "the line has no end; the file was cut off");
        else
            error = take(importing, name, number, line, (size_t)length - 1);
    }
    if (length < 0)
        error = fail_to_read(importing, name);
    free(line);
    fclose(file);
    return error;
}

/* ---- rows ---- */

/* "tables/point/part-0.jsonl" */
static void table_of(const char *file, char ret_table[64])
{
    const char *name = file + strlen("tables/");
    snprintf(ret_table, 64, "%.*s", (int)strcspn(name, "/"), name);
}

static enum api_error read_row(struct importing *importing, const char *file, int64_t number,
                               const char *line, size_t length, json_t **ret_row)
{
    json_error_t at;

    *ret_row = load_json(line, length, JSON_REJECT_DUPLICATES, &at);
    if (!*ret_row && json_error_code(&at) == json_error_out_of_memory)
        return API_NO_MEMORY;
    return *ret_row ? API_OK : refuse(importing, file, number, at.text);
}

static enum api_error look_at_row(struct importing *importing, const char *file, int64_t number,
                                  char *line, size_t length)
{
    char table[64];
    json_t *row;
    enum api_error error = read_row(importing, file, number, line, length, &row);

    if (error != API_OK)
        return error;
    table_of(file, table);
    error = transfer_look(importing->transfer, table, row);
    json_decref(row);
    return error;
}

static enum api_error take_row(struct importing *importing, const char *file, int64_t number,
                               char *line, size_t length)
{
    char table[64], why[TRANSFER_WHY_MAX] = "";
    bool is_added = false;
    json_t *row;
    enum api_error read = read_row(importing, file, number, line, length, &row);

    if (read != API_OK)
        return read;
    table_of(file, table);
    enum api_error error = transfer_add(importing->transfer, table, row, &is_added, why);
    json_decref(row);
    if (error == API_BAD_FIELD)
        return refuse(importing, file, number, why);
    importing->counts->rows += is_added;
    importing->counts->skipped += !is_added;
    return error;
}

/* ---- files ---- */

/* A folder that a job of this new id finds is of an import that was cut off. */
static bool prepare_job_folder(struct importing *importing, int64_t job)
{
    char name[64], path[JOB_PATH_MAX];

    if (importing->last_job == job)
        return true;
    job_path(importing->data, job, NULL, path);
    snprintf(name, sizeof name, "jobs/%lld", (long long)job);
    if (access(path, F_OK) == 0 && stranger_move(importing->data, name, clock_wall_ms()) != API_OK)
        return false;
    importing->last_job = job;
    return true;
}

/* Where a file of the export goes; "" if it is not needed. False: it is no name of an export. */
static bool place_of(struct importing *importing, const char *name, char ret_path[COPY_PATH_MAX])
{
    char sha256[SHA_DIGITS + 1] = "", rest[256] = "";
    long long job;

    *ret_path = '\0';
    if (sscanf(name, WEIGHTS "%64[0-9a-f]%255s", sha256, rest) == 2 &&
        strlen(sha256) == SHA_DIGITS && strcmp(rest, ".safetensors") == 0) {
        char path[MODEL_PATH_MAX];
        model_file_path(importing->data, sha256, path);
        if (access(path, F_OK) != 0)
            snprintf(ret_path, COPY_PATH_MAX, "%s", path);
        return true;
    }
    if (sscanf(name, "jobs/%lld/%255[^/\n]", &job, rest) != 2 || *rest == '.' ||
        strlen(strchr(name + strlen("jobs/"), '/') + 1) != strlen(rest))
        return false;
    int64_t now = transfer_new_job(importing->transfer, job);
    if (now != 0 && prepare_job_folder(importing, now))
        job_path(importing->data, now, rest, ret_path);
    return true;
}

static enum api_error sync_folder_of(const struct importing *importing, const char *path)
{
    char folder[COPY_PATH_MAX];

    snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(path, '/') - path), path);
    int file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool is_good = file >= 0 && fsync(file) == 0;
    if (file >= 0)
        close(file);
    return is_good ? API_OK : fail(importing, folder);
}

/* "SHA256  NAME": the name, or NULL. */
static const char *name_in(char *line, size_t length)
{
    line[length] = '\0';
    return length >= SHA_DIGITS + 3 && strspn(line, "0123456789abcdef") == SHA_DIGITS &&
                   strncmp(line + SHA_DIGITS, "  ", 2) == 0
               ? line + SHA_DIGITS + 2
               : NULL;
}

static enum api_error take_file(struct importing *importing, const char *file, int64_t number,
                                char *line, size_t length)
{
    const char *name = name_in(line, length);
    char from[COPY_PATH_MAX], to[COPY_PATH_MAX], sha256[COPY_SHA_MAX];

    if (!name || !place_of(importing, name, to))
        return refuse(importing, file, number, SUM_FORM);
    if (strncmp(name, WEIGHTS, sizeof WEIGHTS - 1) == 0 &&
        strncmp(name + sizeof WEIGHTS - 1, line, SHA_DIGITS) != 0)
        return refuse(importing, file, number, "weights have their SHA-256 as a name");
    if (!*to)
        return API_OK;
    snprintf(from, sizeof from, "files/%s", name);
    if (json_array_append_new(importing->made, json_string(to)) != 0)
        return API_NO_MEMORY;
    if (!copy_make_parents(to, 0700))
        return fail(importing, to);
    if (!copy_file_hashed(importing->folder, from, to, sha256))
        return fail_to_read(importing, from);
    if (strncmp(sha256, line, SHA_DIGITS) != 0)
        return refuse(importing, file, number, OTHER_SUM);
    importing->counts->files++;
    return sync_folder_of(importing, to);
}

/* ---- whether the export is whole ---- */

/* Whether an export of this version has a file of that name. */
static bool is_of_export(const char *name)
{
    char own[128];

    for (int k = 0; transfer_tables[k]; k++)
        for (int n = 0; data_table_files[n]; n++) {
            snprintf(own, sizeof own, "tables/%s/%s", transfer_tables[k], data_table_files[n]);
            if (strcmp(own, name) == 0)
                return true;
        }
    return strcmp(name, DATA_FILE_SUMS) == 0;
}

static enum api_error check_file(struct importing *importing, const char *file, int64_t number,
                                 char *line, size_t length)
{
    const char *name = name_in(line, length);
    char sha256[COPY_SHA_MAX];

    if (!name)
        return refuse(importing, file, number, SUM_FORM);
    if (!is_of_export(name))
        return refuse(importing, file, number,
                      "no export of this version of rinkd has such a file; is it of a newer one?");
    if (!copy_hash(importing->folder, name, sha256))
        return fail_to_read(importing, name);
    if (strncmp(sha256, line, SHA_DIGITS) != 0)
        return refuse(importing, file, number, OTHER_SUM);
    return json_object_set_new(importing->listed, name, json_true()) == 0 ? API_OK : API_NO_MEMORY;
}

static enum api_error want_listed(const struct importing *importing, const char *name)
{
    if (json_object_get(importing->listed, name))
        return API_OK;
    snprintf(importing->why, DATA_WHY_MAX,
             "%.3000s/" DATA_SUMS ": %s is not in it: the export was cut off or changed",
             importing->folder, name);
    return API_BAD_FIELD;
}

/* An export that was cut off has no SHA256SUMS, or not its last line. A table that it does not name
 * may be anything. */
static enum api_error check_whole(struct importing *importing)
{
    char name[128], path[COPY_PATH_MAX];

    snprintf(path, sizeof path, "%s/" DATA_SUMS, importing->folder);
    if (access(importing->folder, R_OK) != 0)
        return fail(importing, importing->folder);
    if (access(path, F_OK) != 0) {
        snprintf(importing->why, DATA_WHY_MAX,
                 "%.4000s: it is not there, so this is no export, or it was cut off", path);
        return API_BAD_FIELD;
    }
    enum api_error error = read_lines(importing, DATA_SUMS, check_file);
    if (error == API_OK)
        error = want_listed(importing, DATA_FILE_SUMS);
    for (int k = 0; error == API_OK && transfer_tables[k]; k++) {
        snprintf(name, sizeof name, TABLE_ROWS, transfer_tables[k]);
        snprintf(path, sizeof path, "%s/%s", importing->folder, name);
        if (access(path, F_OK) == 0)
            error = want_listed(importing, name);
    }
    return error;
}

/* ---- all of it ---- */

static enum api_error take_tables(struct importing *importing, take_line *take)
{
    enum api_error error = API_OK;
    char name[128];

    for (int k = 0; error == API_OK && transfer_tables[k]; k++) {
        snprintf(name, sizeof name, TABLE_ROWS, transfer_tables[k]);
        error = read_lines(importing, name, take);
    }
    return error;
}

static enum api_error take_all(struct importing *importing)
{
    char matches[128];

    snprintf(matches, sizeof matches, TABLE_ROWS, "match");
    enum api_error error = read_lines(importing, matches, look_at_row);
    if (error == API_OK)
        error = take_tables(importing, take_row);
    if (error == API_OK)
        error = transfer_finish(importing->transfer);
    if (error == API_OK)
        error = read_lines(importing, DATA_FILE_SUMS, take_file);
    return error;
}

/* Removes the files of an import that failed. */
static void remove_made(const struct importing *importing)
{
    const json_t *path;
    size_t k;

    json_array_foreach(importing->made, k, path)
    {
        char folder[COPY_PATH_MAX];
        const char *text = json_string_value(path);
        unlink(text);
        snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(text, '/') - text), text);
        rmdir(folder); /* fails while there are other files in it */
    }
}

/* All of it in one transaction. */
static enum api_error take_in(struct importing *importing, struct store *writer)
{
    enum api_error error = store_begin(writer);

    if (error != API_OK)
        return error;
    error = transfer_in_begin(writer, &importing->transfer);
    if (error == API_OK)
        error = take_all(importing);
    transfer_in_end(importing->transfer);
    if (error == API_OK)
        error = store_commit(writer);
    if (error != API_OK) {
        store_rollback(writer);
        remove_made(importing);
    }
    return error;
}

enum api_error data_import(struct store *writer, const char *data, const char *folder,
                           struct data_counts *ret_counts, char ret_why[DATA_WHY_MAX])
{
    struct importing importing = {.data = data,
                                  .folder = folder,
                                  .counts = ret_counts,
                                  .why = ret_why,
                                  .made = json_array(),
                                  .listed = json_object()};

    *ret_counts = (struct data_counts){0};
    *ret_why = '\0';
    enum api_error error = check_whole(&importing);
    if (error == API_OK)
        error = take_in(&importing, writer);
    if (error != API_OK && !*ret_why)
        snprintf(ret_why, DATA_WHY_MAX, "the database: %s", api_error_slug(error));
    json_decref(importing.made);
    json_decref(importing.listed);
    return error;
}
