/* rinkctl export. */
#include "api/base/archive.h"
#include "service/rinkctl/client.h"
#include "service/rinkctl/options.h"
#include "service/rinkctl/print.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool take(void *context, const char *bytes, size_t size)
{
    return archive_take(context, bytes, size);
}

/* Fetches the archive into an empty folder. */
static enum exit_status fetch(const struct line *line, struct archive_reader *reader)
{
    const struct client_call call = {
        .path = "/v1/export", .parameter = {{"csv", option_given(line, "csv") ? "true" : NULL}}};
    struct client_answer answer;
    enum exit_status status = client_fetch(line->client, &call, take, reader, &answer);

    client_answer_free(&answer);
    bool is_whole = archive_end(reader);
    if (!is_whole && (status == EXIT_GOOD || status == EXIT_TROUBLE)) {
        complain(line->name, "%s", reader->why);
        status = EXIT_TROUBLE;
    }
    return status;
}

static enum exit_status say(const struct line *line, const struct archive_reader *reader)
{
    if (!option_given(line, "json")) {
        printf("%s: %lld files, %lld bytes\n", line->word[0], (long long)reader->files,
               (long long)reader->bytes);
        return EXIT_GOOD;
    }
    json_t *json = json_pack("{s:s, s:I, s:I}", "folder", line->word[0], "files",
                             (json_int_t)reader->files, "bytes", (json_int_t)reader->bytes);
    enum exit_status status = print_json(line->name, json);
    json_decref(json);
    return status;
}

/* The folder gets its name once all of it is there. */
static enum exit_status run(const struct line *line)
{
    const char *name = line->word[0];
    char folder[ARCHIVE_PATH_MAX];
    struct archive_reader reader = {.folder = folder};
    struct stat about;

    int length = snprintf(folder, sizeof folder, "%s.XXXXXX", name);
    if (length < 0 || (size_t)length >= sizeof folder || lstat(name, &about) == 0) {
        complain(line->name, "%s: %s", name,
                 strerror((size_t)length >= sizeof folder ? ENAMETOOLONG : EEXIST));
        return EXIT_TROUBLE;
    }
    if (!mkdtemp(folder)) {
        complain(line->name, "%s: %s", folder, strerror(errno));
        return EXIT_TROUBLE;
    }
    enum exit_status status = fetch(line, &reader);
    if (status == EXIT_GOOD && rename(folder, name) != 0) {
        complain(line->name, "%s: %s", name, strerror(errno));
        status = EXIT_TROUBLE;
    }
    if (status != EXIT_GOOD)
        archive_remove(folder);
    return status == EXIT_GOOD ? say(line, &reader) : status;
}

static const struct option_row options[] = {
    {"csv", NULL, "write the tables as CSV besides", .type = OPTION_TEXT},
    {0},
};

const struct command export_commands[] = {
    {"export",
     "Write all that the service knows to a new folder: tables, weights and records of games."
     "\vThe tables are JSON lines. The folder is the same one that `rink-data export` writes, and "
     "`rink-data import` takes it in.",
     WORD_FOLDER, run, .options = options},
    {0},
};
