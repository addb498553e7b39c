/* rinkctl import: logs of games that were played elsewhere, a job for each file. */
#include "api/build_json.h"
#include "api/load_json.h"
#include "api/next_line.h"
#include "service/rinkctl/client.h"
#include "service/rinkctl/options.h"
#include "service/rinkctl/print.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { WAIT_S = 50 /* for the job */, COMPLAINTS_MAX = 10 /* about the lines of a file */ };

/* Reads the lines of a log; one that is no JSON object is named and left out. NULL after a
 * complaint. */
static json_t *read_log(const char *command, const char *path)
{
    FILE *file = fopen(path, "re");
    json_t *lines = json_array();
    char *text = NULL;
    size_t size = 0;
    ssize_t length;
    int number = 0, bad = 0;

    if (!file) {
        complain(command, "%s: %s", path, strerror(errno));
        json_decref(lines);
        return NULL;
    }
    while ((length = next_line(&text, &size, file)) > 0) {
        json_error_t error = {.text = "not an object"};
        json_t *line = load_json(text, (size_t)length, JSON_REJECT_DUPLICATES, &error);
        number++;
        if (json_is_object(line)) {
            build_append(lines, json_incref(line));
        } else if (strspn(text, " \t\r\n") < (size_t)length && ++bad <= COMPLAINTS_MAX) {
            complain(command, "%s, line %d: %s; left out", path, number, error.text);
        }
        json_decref(line);
    }
    if (length < 0) {
        complain(command, "%s: %s", path, strerror(errno));
        json_decref(lines);
        lines = NULL;
    } else if (bad > COMPLAINTS_MAX) {
        complain(command, "%s: %d lines in all are left out", path, bad);
    }
    free(text);
    fclose(file);
    return lines;
}

static enum exit_status import_file(const struct line *line, const char *path)
{
    json_t *log = read_log(line->name, path);
    json_t *body = log ? json_pack("{s:s, s:{s:o}}", "kind", "import", "spec", "log", log) : NULL;
    const struct client_call call = {
        .method = "POST", .path = line->command->path, .body = body, .wait_s = WAIT_S};
    struct client_answer answer;

    if (!body)
        return EXIT_TROUBLE;
    enum exit_status status = client_call(line->client, &call, &answer);
    const char *state = json_string_value(json_object_get(answer.json, "state"));
    const json_t *error = json_object_get(answer.json, "error");
    const char *detail = json_string_value(json_object_get(error, "detail"));
    if (status == EXIT_GOOD && option_given(line, "json")) {
        puts(answer.text);
    } else if (status == EXIT_GOOD) {
        print_text(stdout, path, false);
        printf(": job %lld, %s\n",
               (long long)json_integer_value(json_object_get(answer.json, "id")),
               state ? state : "?");
    }
    if (status == EXIT_GOOD && detail) {
        complain(line->name, "%s: %s", path, detail);
        status = EXIT_TROUBLE;
    }
    client_answer_free(&answer);
    json_decref(body);
    return status;
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
     "Import games from logs of Digital Curling 3 and 4."
     "\vFILE is a game.dcl2, as the official server and rink-compete host write it, or holds the "
     "states that a server of Digital Curling 4 sent, one a line: game.dc4.jsonl of rink-compete "
     "host, a log of rink-compete dc4, or the states by themselves. Each becomes "
     "a job of the kind import, whose game is shown and can be reviewed like any other. A line "
     "that cannot be read is named and left out; if a shot is missing then, the game is refused.",
     WORD_FILE, run, .words = "FILE...", .path = "/v1/jobs"},
    {0},
};
