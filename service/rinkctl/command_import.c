/* rinkctl import: logs of games that were played elsewhere, a job for each file. */
#include "service/rinkctl/client.h"
#include "service/rinkctl/options.h"
#include "service/rinkctl/print.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { WAIT_S = 50 /* for the job */, NUMBER_MAX = 24 };
enum { FILE_BYTES_MAX = 1 << 24 }; /* more than rinkd takes; its answer names its limit */

/* Reads a file, bytes 0 too; malloc'ed. NULL after a complaint. */
static char *read_file(const char *command, const char *path, size_t *ret_bytes)
{
    FILE *file = fopen(path, "re");
    char *text = file ? malloc(FILE_BYTES_MAX) : NULL;
    bool good = text != NULL;

    if (good) {
        *ret_bytes = fread(text, 1, FILE_BYTES_MAX, file);
        good = !ferror(file);
    }
    if (!good)
        complain(command, "%s: %s", path, strerror(errno));
    if (file)
        fclose(file);
    if (good)
        return text;
    free(text);
    return NULL;
}

/* Names the lines that the server cannot read and leaves out. */
static void tell_skipped(const char *command, const char *path, const json_t *skipped)
{
    const json_t *line;
    size_t k;

    json_array_foreach(skipped, k, line) complain(
        command, "%s, line %lld: %s; left out", path,
        (long long)json_integer_value(json_object_get(line, "line")), text_of(line, "why"));
}

/* Waits for the end of the job, and says what became of the file. */
static enum exit_status follow(const struct line *line, const char *path, json_int_t job,
                               bool is_double)
{
    char id[NUMBER_MAX];
    const struct client_call call = {.path = "/v1/jobs/{}", .id = id, .wait_s = WAIT_S};
    struct client_answer answer;

    snprintf(id, sizeof id, "%lld", (long long)job);
    enum exit_status status = client_call(line->client, &call, &answer);
    const char *state = json_string_value(json_object_get(answer.json, "state"));
    const json_t *error = json_object_get(answer.json, "error");
    const char *detail = json_string_value(json_object_get(error, "detail"));
    if (status == EXIT_GOOD && option_given(line, "json")) {
        puts(answer.text);
    } else if (status == EXIT_GOOD) {
        print_text(stdout, path, false);
        printf(": job %s, %s%s\n", id, state ? state : "?",
               is_double ? "; the same file was imported before" : "");
    }
    if (status == EXIT_GOOD && detail) {
        complain(line->name, "%s: %s", path, detail);
        status = EXIT_TROUBLE;
    }
    client_answer_free(&answer);
    return status;
}

static enum exit_status import_file(const struct line *line, const char *path)
{
    size_t bytes;
    char *text = read_file(line->name, path, &bytes);
    const struct client_call call = {
        .method = "POST", .path = line->command->path, .file = text, .file_bytes = bytes};
    struct client_answer answer;

    if (!text)
        return EXIT_TROUBLE;
    enum exit_status status = client_call(line->client, &call, &answer);
    json_int_t job = json_integer_value(json_object_get(answer.json, "job"));
    bool is_double = answer.status == 200;
    tell_skipped(line->name, path, json_object_get(answer.json, "skipped"));
    client_answer_free(&answer);
    free(text);
    return status == EXIT_GOOD ? follow(line, path, job, is_double) : status;
}

/* Goes on after a file that was refused. */
static enum exit_status run(const struct line *line)
{
    enum exit_status worst = EXIT_GOOD;

    for (int k = 0; k < line->word_count && worst != EXIT_NO_CONNECTION; k++) {
        enum exit_status status = import_file(line, line->word[k]);
        if (status > worst)
            worst = status;
    }
    return worst;
}

const struct command import_commands[] = {
    {"import",
     "Import games from logs and records, a file each."
     "\vFILE is a game.dcl2, as the official server and rink-compete host write it, or holds the "
     "states that a server of Digital Curling 4 sent, one a line: game.dc4.jsonl of rink-compete "
     "host, a log of rink-compete, or the states by themselves; or it is a game as rinkctl "
     "game writes it. Each becomes a job of the kind import, whose game is shown and can be "
     "reviewed "
     "like any other; a file that was imported before is that job. A line that cannot be read is "
     "named and left out; if a shot is missing then, the game is refused.",
     WORD_FILE, run, .words = "FILE...", .path = "/v1/games"},
    {0},
};
