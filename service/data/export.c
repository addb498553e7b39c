/* Writes an export. See folder.h. */
#include "service/data/copy.h"
#include "service/data/folder.h"
#include "service/jobs/job_folder.h"
#include "service/models/model_files.h"
#include "service/store/transfer.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct exporting {
    const char *data, *folder;
    struct data_counts *counts;
    char *why;
    const char *table;
    json_t *columns;
    FILE *lines, *csv, *sums; /* csv NULL: not wanted */
};

static enum api_error fail(const struct exporting *exporting, const char *path)
{
    snprintf(exporting->why, DATA_WHY_MAX, "%.4000s: %s", path, strerror(errno));
    return API_STORAGE;
}

static enum api_error open_file(const struct exporting *exporting, const char *name, FILE **ret)
{
    char path[COPY_PATH_MAX];

    snprintf(path, sizeof path, "%s/%s", exporting->folder, name);
    *ret = copy_make_parents(path, 0777) ? fopen(path, "wxe") : NULL;
    return *ret ? API_OK : fail(exporting, path);
}

/* Everything is on the disk before the export counts as made. */
static enum api_error close_file(const struct exporting *exporting, FILE *file)
{
    if (!file)
        return API_OK;
    bool is_good = fflush(file) == 0 && !ferror(file) && fsync(fileno(file)) == 0;
    return (fclose(file) == 0) && is_good ? API_OK : fail(exporting, exporting->folder);
}

/* ---- rows ---- */

static void write_csv_text(FILE *file, const char *text)
{
    putc('"', file);
    for (; *text; text++) {
        if (*text == '"')
            putc('"', file);
        putc(*text, file);
    }
    putc('"', file);
}

static void write_csv_value(FILE *file, const json_t *value)
{
    if (json_is_string(value))
        write_csv_text(file, json_string_value(value));
    else if (json_is_integer(value))
        fprintf(file, "%lld", (long long)json_integer_value(value));
    else if (json_is_real(value))
        fprintf(file, "%.17g", json_real_value(value));
}

/* A line of the columns of `row`; NULL: of their names. */
static void write_csv(const struct exporting *exporting, const json_t *row)
{
    const json_t *column;
    size_t k;

    json_array_foreach(exporting->columns, k, column)
    {
        const char *name = json_string_value(json_object_get(column, "name"));
        if (k > 0)
            putc(',', exporting->csv);
        if (row)
            write_csv_value(exporting->csv, json_object_get(row, name));
        else
            write_csv_text(exporting->csv, name);
    }
    fputs("\r\n", exporting->csv);
}

/* ---- files ---- */

/* Copies <data>/<name> to files/<name>; a file that is gone is counted. */
static enum api_error take_file(const struct exporting *exporting, const char *name)
{
    char to[COPY_PATH_MAX], sha256[COPY_SHA_MAX];

    if (snprintf(to, sizeof to, "%s/files/%s", exporting->folder, name) >= COPY_PATH_MAX) {
        errno = ENAMETOOLONG;
        return fail(exporting, name);
    }
    if (access(to, F_OK) == 0)
        return API_OK; /* two models with the same weights */
    if (!copy_make_parents(to, 0777))
        return fail(exporting, to);
    if (!copy_file_hashed(exporting->data, name, to, sha256)) {
        if (errno != ENOENT)
            return fail(exporting, name);
        exporting->counts->missing++;
        return API_OK;
    }
    exporting->counts->files++;
    return fprintf(exporting->sums, "%s  %s\n", sha256, name) > 0 ? API_OK : fail(exporting, to);
}

static int is_shown(const struct dirent *entry)
{
    return *entry->d_name != '.';
}

static enum api_error take_job_files(const struct exporting *exporting, int64_t job)
{
    char path[JOB_PATH_MAX], name[COPY_PATH_MAX];
    struct dirent **entries;
    struct stat about;
    enum api_error error = API_OK;

    job_path(exporting->data, job, NULL, path);
    int count = scandir(path, &entries, is_shown, alphasort);
    for (int k = 0; k < count; k++) {
        job_path(exporting->data, job, entries[k]->d_name, path);
        snprintf(name, sizeof name, "jobs/%lld/%s", (long long)job, entries[k]->d_name);
        if (error == API_OK && lstat(path, &about) == 0 && S_ISREG(about.st_mode))
            error = take_file(exporting, name);
        free(entries[k]);
    }
    if (count >= 0)
        free(entries);
    else if (errno != ENOENT)
        error = fail(exporting, path);
    return error;
}

static enum api_error take_weights(const struct exporting *exporting, const char *sha256)
{
    char name[COPY_PATH_MAX];

    snprintf(name, sizeof name, "models/%.64s.safetensors", sha256);
    return take_file(exporting, name);
}

/* ---- all of it ---- */

static enum api_error write_row(void *context, const json_t *row)
{
    struct exporting *exporting = context;

    if (json_dumpf(row, exporting->lines, JSON_COMPACT) != 0 || putc('\n', exporting->lines) == EOF)
        return fail(exporting, exporting->folder);
    if (exporting->csv)
        write_csv(exporting, row);
    exporting->counts->rows++;
    if (!exporting->data)
        return API_OK;
    if (strcmp(exporting->table, "job") == 0)
        return take_job_files(exporting, json_integer_value(json_object_get(row, "id")));
    if (strcmp(exporting->table, "model") == 0)
        return take_weights(exporting, json_string_value(json_object_get(row, "sha256")));
    return API_OK;
}

static enum api_error open_table(struct exporting *exporting, bool csv)
{
    char name[256];
    FILE *schema;

    snprintf(name, sizeof name, "tables/%s/schema.json", exporting->table);
    enum api_error error = open_file(exporting, name, &schema);
    if (error != API_OK)
        return error;
    json_dumpf(exporting->columns, schema, JSON_INDENT(1));
    putc('\n', schema);
    error = close_file(exporting, schema);
    snprintf(name, sizeof name, "tables/%s/part-0.jsonl", exporting->table);
    if (error == API_OK)
        error = open_file(exporting, name, &exporting->lines);
    snprintf(name, sizeof name, "tables/%s/part-0.csv", exporting->table);
    if (error == API_OK && csv)
        error = open_file(exporting, name, &exporting->csv);
    if (error == API_OK && csv)
        write_csv(exporting, NULL);
    return error;
}

static enum api_error write_table(struct exporting *exporting, struct store *reader, bool csv)
{
    enum api_error error = transfer_columns(reader, exporting->table, &exporting->columns);

    if (error != API_OK)
        return error;
    if (json_array_size(exporting->columns) > 0) {
        error = open_table(exporting, csv);
        if (error == API_OK)
            error = transfer_read(reader, exporting->table, write_row, exporting);
        enum api_error of_lines = close_file(exporting, exporting->lines);
        enum api_error of_csv = close_file(exporting, exporting->csv);
        exporting->lines = exporting->csv = NULL;
        if (error == API_OK)
            error = of_lines != API_OK ? of_lines : of_csv;
    }
    json_decref(exporting->columns);
    return error;
}

/* ---- the hashes of all of it ---- */

const char *const data_table_files[] = {"schema.json", "part-0.jsonl", "part-0.csv", NULL};

/* A file that this export has none of, such as CSV, is no error. */
static enum api_error add_sum(const struct exporting *exporting, const char *name)
{
    char sha256[COPY_SHA_MAX];

    if (!copy_hash(exporting->folder, name, sha256))
        return errno == ENOENT ? API_OK : fail(exporting, name);
    return fprintf(exporting->sums, "%s  %s\n", sha256, name) > 0 ? API_OK : fail(exporting, name);
}

static enum api_error write_sums(struct exporting *exporting)
{
    char name[256];
    enum api_error error = open_file(exporting, DATA_SUMS, &exporting->sums);

    if (error != API_OK)
        return error;
    for (int k = 0; transfer_tables[k]; k++)
        for (int n = 0; error == API_OK && data_table_files[n]; n++) {
            snprintf(name, sizeof name, "tables/%s/%s", transfer_tables[k], data_table_files[n]);
            error = add_sum(exporting, name);
        }
    if (error == API_OK)
        error = add_sum(exporting, DATA_FILE_SUMS);
    enum api_error of_sums = close_file(exporting, exporting->sums);
    return error == API_OK ? of_sums : error;
}

enum api_error data_export(struct store *reader, const char *data, const char *folder, bool csv,
                           struct data_counts *ret_counts, char ret_why[DATA_WHY_MAX])
{
    struct exporting exporting = {
        .data = data, .folder = folder, .counts = ret_counts, .why = ret_why};

    *ret_counts = (struct data_counts){0};
    *ret_why = '\0';
    if (mkdir(folder, 0777) != 0)
        return fail(&exporting, folder);
    enum api_error error = open_file(&exporting, DATA_FILE_SUMS, &exporting.sums);
    if (error == API_OK)
        error = transfer_begin(reader);
    for (int k = 0; error == API_OK && transfer_tables[k]; k++) {
        exporting.table = transfer_tables[k];
        error = write_table(&exporting, reader, csv);
    }
    transfer_end(reader);
    enum api_error of_sums = close_file(&exporting, exporting.sums);
    if (error == API_OK)
        error = of_sums;
    if (error == API_OK)
        error = write_sums(&exporting);
    if (error != API_OK && !*ret_why)
        snprintf(ret_why, DATA_WHY_MAX, "the database: %s", api_error_slug(error));
    return error;
}
