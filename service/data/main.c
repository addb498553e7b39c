/* rink-data: takes all that a data folder knows out of it, and back in, without a daemon. */
#include "api/base/archive.h"
#include "api/base/load_json.h"
#include "api/base/output.h"
#include "service/data/folder.h"
#include "service/store/store.h"
#include "service/store/transfer.h"

#include <argp.h>
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *argp_program_version = "rink-data " RINKD_VERSION;

enum { WORDS = 3, KEY_CSV = 1000, KEY_TAR, FOLDER_MAX = PATH_MAX + 8 };

struct asked {
    const char *word[WORDS];
    int words;
    bool csv, tar;
};

static error_t read_word(int key, char *argument, struct argp_state *state)
{
    struct asked *asked = state->input;

    switch (key) {
    case KEY_CSV:
        asked->csv = true;
        return 0;
    case KEY_TAR:
        asked->tar = true;
        return 0;
    case ARGP_KEY_ARG:
        if (asked->words == WORDS)
            argp_usage(state);
        asked->word[asked->words++] = argument;
        return 0;
    case ARGP_KEY_END:
        if (asked->words != WORDS ||
            (strcmp(asked->word[0], "export") != 0 && strcmp(asked->word[0], "import") != 0))
            argp_usage(state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static int complain(const char *text)
{
    fprintf(stderr, "rink-data: %s\n", text);
    return 1;
}

static bool is_folder(const char *path)
{
    struct stat about;

    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

/* Opens a data folder, or a copy of a database. *ret_data: the folder with its files; NULL: a copy
 * that is in no backups/. */
static struct store *open_source(const char *path, char ret_folder[FOLDER_MAX],
                                 const char **ret_data)
{
    struct store *reader = NULL;
    char error[STORE_ERROR_MAX] = "there is no database in this folder", copy[PATH_MAX];

    *ret_data = path;
    if (is_folder(path)) {
        if (store_check(path, false, &reader, error) != API_OK || !reader)
            complain(error);
        return reader;
    }
    if (transfer_open_copy(path, &reader, error) != API_OK)
        complain(error);
    snprintf(copy, sizeof copy, "%s", path);
    const char *folder = dirname(copy);
    bool is_backup =
        strcmp(folder, STORE_BACKUPS) == 0 ||
        (strlen(folder) > strlen("/" STORE_BACKUPS) &&
         strcmp(folder + strlen(folder) - strlen("/" STORE_BACKUPS), "/" STORE_BACKUPS) == 0);
    snprintf(ret_folder, FOLDER_MAX, "%s/..", folder);
    *ret_data = is_backup ? ret_folder : NULL;
    return reader;
}

/* Moves a folder into a new archive. On failure neither is left. */
static bool move_into_archive(const char *folder, const char *path, char ret_why[DATA_WHY_MAX])
{
    FILE *file = fopen(path, "wxe");
    bool is_good = file && archive_move_in(folder, file);

    if (file && fclose(file) != 0)
        is_good = false;
    if (!is_good)
        snprintf(ret_why, DATA_WHY_MAX, "%.4000s: %s", path, strerror(errno));
    if (!is_good && file)
        unlink(path);
    if (!is_good)
        archive_remove(folder);
    return is_good;
}

/* Writes the folder, or by way of a folder beside it the archive. */
static enum api_error write_export(const struct asked *asked, struct store *reader,
                                   const char *data, struct data_counts *ret_counts,
                                   char ret_why[DATA_WHY_MAX])
{
    char folder[FOLDER_MAX];

    if (!asked->tar)
        return data_export(reader, data, asked->word[2], asked->csv, ret_counts, ret_why);
    snprintf(folder, sizeof folder, "%.4000s.d", asked->word[2]);
    if (access(asked->word[2], F_OK) == 0) {
        snprintf(ret_why, DATA_WHY_MAX, "%.4000s: %s", asked->word[2], strerror(EEXIST));
        return API_EXISTS;
    }
    enum api_error error = data_export(reader, data, folder, asked->csv, ret_counts, ret_why);
    if (error == API_OK && !move_into_archive(folder, asked->word[2], ret_why))
        error = API_STORAGE;
    return error;
}

static int run_export(const struct asked *asked)
{
    char folder[FOLDER_MAX], why[DATA_WHY_MAX];
    struct data_counts counts;
    const char *data;
    struct store *reader = open_source(asked->word[1], folder, &data);

    if (!reader)
        return 1;
    enum api_error error = write_export(asked, reader, data, &counts, why);
    store_close(reader);
    if (error != API_OK)
        return complain(why);
    printf("%lld rows, %lld files\n", (long long)counts.rows, (long long)counts.files);
    if (counts.missing > 0)
        fprintf(stderr, "rink-data: the weights of %lld models are missing\n",
                (long long)counts.missing);
    return 0;
}

static int run_import(const struct asked *asked)
{
    char error[STORE_ERROR_MAX], why[DATA_WHY_MAX];
    const char *data = asked->word[2];
    struct data_counts counts;
    struct store *writer;

    if (mkdir(data, 0700) != 0 && errno != EEXIST) {
        fprintf(stderr, "rink-data: %s: %s\n", data, strerror(errno));
        return 1;
    }
    if (store_open(data, false, &writer, error) != API_OK)
        return complain(error);
    enum api_error result = data_import(writer, data, asked->word[1], &counts, why);
    store_close(writer);
    if (result != API_OK)
        return complain(why);
    printf("%lld rows, %lld files; %lld rows were there already\n", (long long)counts.rows,
           (long long)counts.files, (long long)counts.skipped);
    return 0;
}

int main(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"csv", KEY_CSV, NULL, 0, "export: write the tables as CSV besides", 0},
        {"tar", KEY_TAR, NULL, 0, "export: FOLDER is one file, an archive for tar", 0},
        {0}};
    static const struct argp argp = {
        options,
        read_word,
        "export DATA|COPY FOLDER\nimport FOLDER DATA",
        "Take all that rinkd knows out of its data folder, and back in."
        "\vExport reads a data folder, also while rinkd runs, or a copy from backups/. Import adds "
        "to "
        "a data folder that no rinkd uses, or makes one. The manual page rink-data(1) says more.",
        NULL,
        NULL,
        NULL};
    struct asked asked = {.words = 0};

    umask(077); /* what is kept has secrets of callers */
    output_check_at_exit();
    load_json_begin();
    argp_err_exit_status = 1;
    if (sodium_init() < 0 || argp_parse(&argp, argc, argv, 0, NULL, &asked) != 0)
        return 1;
    return strcmp(asked.word[0], "export") == 0 ? run_export(&asked) : run_import(&asked);
}
