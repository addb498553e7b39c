/* rinkctl import: logs of games that were played elsewhere, a job for each file. */
#include "api/base/load_json.h"
#include "api/base/next_line.h"
#include "api/curling/log_file.h"
#include "service/rinkctl/client.h"
#include "service/rinkctl/options.h"
#include "service/rinkctl/print.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    WAIT_S = 50, /* for the job */
    NUMBER_MAX = 24,
    GAME_MAX = NUMBER_MAX + 4,
    SHOT_LAST = 15, /* of an end of Digital Curling 3 */
    ENDS_MAX = 255
};
enum { FILE_BYTES_MAX = LOG_BYTES_MAX + 1 }; /* more than rinkd takes; its answer names its limit */

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

/* ---- the files of shots ---- */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* Whether a file is that of a single shot, which belongs to the game.dcl2 beside it. */
static bool is_shot_file(const char *path)
{
    const char *name = base_name(path);
    const size_t length = strlen(name);

    return strncmp(name, "shot_e", 6) == 0 && length > 5 && strcmp(name + length - 5, ".json") == 0;
}

/* Reads where the stones lay after a shot, from its file, as a line of the log. NULL, and perhaps a
 * complaint: there is none. The caller frees it. */
static char *board_line(const char *command, const char *path, int end)
{
    FILE *file = fopen(path, "re");
    char *text = NULL, *line = NULL;
    size_t room = 0;

    if (!file)
        return NULL; /* the last end of a game has not all of its shots */
    const ssize_t length = next_text(&text, &room, file);
    fclose(file);
    json_t *shot = length > 0 ? load_json(text, (size_t)length, 0, NULL) : NULL;
    const json_t *path_of_stones = json_object_get(json_object_get(shot, "log"), "trajectory");
    json_t *finish = json_object_get(path_of_stones, "finish");
    json_t *short_one = json_is_object(finish)
                            ? json_pack("{s:s, s:{s:i, s:i, s:{s:O}}}", "tag", "sht", "log", "end",
                                        end, "shot", SHOT_LAST, "trajectory", "finish", finish)
                            : NULL;
    if (short_one)
        line = json_dumps(short_one, JSON_COMPACT);
    if (!line)
        complain(command, "%s: no file of a shot; left out", path);
    json_decref(short_one);
    json_decref(shot);
    free(text);
    return line;
}

/* Adds to the text of a game.dcl2 the boards at the ends of its ends, from the files beside it. */
static char *with_boards(const char *command, const char *path, char *text, size_t *bytes)
{
    const int folder = (int)(base_name(path) - path);
    char *line, *name = NULL;

    for (int end = 0; text && end < ENDS_MAX; end++) {
        if (asprintf(&name, "%.*sshot_e%03ds%02d.json", folder, path, end, SHOT_LAST) < 0) {
            free(text);
            return NULL;
        }
        line = board_line(command, name, end);
        free(name);
        if (!line)
            break;
        const bool has_end = *bytes == 0 || text[*bytes - 1] == '\n';
        char *longer = realloc(text, *bytes + strlen(line) + 3);
        if (!longer)
            free(text);
        text = longer;
        if (text)
            *bytes += (size_t)sprintf(text + *bytes, "%s%s\n", has_end ? "" : "\n", line);
        free(line);
    }
    return text;
}

/* ---- the game ---- */

/* Names the lines that the server cannot read and leaves out. */
static void tell_skipped(const char *command, const char *path, const json_t *skipped)
{
    const json_t *line;
    size_t k;

    json_array_foreach(skipped, k, line) complain(
        command, "%s, line %lld: %s; left out", path,
        (long long)json_integer_value(json_object_get(line, "line")), text_of(line, "why"));
}

/* Writes the id of the game of a job; "": it has none. */
static void find_game(const struct line *line, const char *job, char ret_game[GAME_MAX])
{
    const struct client_call call = {.path = "/v1/matches", .parameter = {{"job", job}}};
    struct client_answer answer;

    client_call(line->client, &call, &answer);
    const json_t *match = json_array_get(json_object_get(answer.json, "items"), 0);
    const json_t *id = json_object_get(match, "id");
    *ret_game = '\0';
    if (json_is_integer(id))
        snprintf(ret_game, GAME_MAX, "%lld-0-0", (long long)json_integer_value(id));
    client_answer_free(&answer);
}

/* "game.dcl2: game 5-0-0 (job 11, done)" */
static void tell(const struct line *line, const char *path, const char *job, const char *state,
                 bool is_double)
{
    char game[GAME_MAX] = "";

    if (strcmp(state, "done") == 0)
        find_game(line, job, game);
    print_text(stdout, path, false);
    printf(*game ? ": game %s (job %s, %s)%s\n" : ": %sjob %s, %s%s\n", game, job, state,
           is_double ? "; this game was imported before" : "");
    if (!*game)
        return;
    fflush(stdout);
    complain(line->name, "to have it judged: rinkctl submit review %s --watch", game);
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
        tell(line, path, id, state ? state : "?", is_double);
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
    const size_t length = strlen(path);
    size_t bytes = 0;

    if (is_shot_file(path)) {
        complain(line->name, "%s: belongs to the game.dcl2 beside it, with which it is read", path);
        return EXIT_GOOD;
    }
    char *text = read_file(line->name, path, &bytes);
    if (text && length > 5 && strcmp(path + length - 5, ".dcl2") == 0)
        text = with_boards(line->name, path, text, &bytes);
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
     "\vFILE is a game.dcl2, as the official server and rink-compete host write it, with which "
     "the files of its shots (shot_eEEEsSS.json) are read where they lie beside it, or the "
     "messages "
     "of that protocol as a client logs them; or it holds the states that a server of Digital "
     "Curling 4 sent, one a line: game.dc4.jsonl of rink-compete host, a log of rink-compete or of "
     "the official Python client, or the states by themselves; or it is a game as rinkctl game "
     "writes it. Each becomes a job of the kind import, whose game is shown and can be reviewed "
     "like any other, by the id that is told; a game that was imported before is that job. A line "
     "that cannot be read is "
     "named and left out; if a shot is missing then, the game is refused. A game that was broken "
     "off is kept with its shots.",
     WORD_FILE, run, .words = "FILE...", .path = "/v1/games"},
    {0},
};
