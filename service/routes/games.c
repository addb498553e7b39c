/* Games that were played elsewhere come as files: a file becomes a job of the kind "import". */
#include "service/routes/routes.h"

#include "api/base/build_json.h"
#include "api/base/next_line.h"
#include "api/curling/log_file.h"
#include "service/routes/adding.h"
#include "service/store/jobs.h"

#include <errno.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SHA256_DIGITS = 64,
    /* Bytes of the lines that are kept: with the rest of a job they have to fit into a line for its
     * worker. */
    KEPT_MAX = HTTP_BODY_MAX - (64 << 10)
};
_Static_assert(HTTP_SMALL_FILE_MAX == LOG_BYTES_MAX, "the body of a request is a log");

/* ---- reading ---- */

/* The bytes of a line without the mark that may begin a file, and without its end. */
static const char *bare(const char *line, size_t *length, bool is_first)
{
    static const char mark[] = "\xef\xbb\xbf";
    const size_t skipped =
        is_first && strncmp(line, mark, sizeof mark - 1) == 0 ? sizeof mark - 1 : 0;

    *length -= skipped;
    while (*length > 0 && memchr("\r\n", line[skipped + *length - 1], 2))
        --*length;
    return line + skipped;
}

/* Reads all lines, and hashes them as they are without marks and with bare newlines, so copies of a
 * file from other systems are known again. */
static enum api_error read_lines(FILE *file, struct log_file *log,
                                 char ret_sha256[SHA256_DIGITS + 1])
{
    unsigned char hash[crypto_hash_sha256_BYTES];
    crypto_hash_sha256_state state;
    enum api_error error = API_OK;
    char *text = NULL;
    size_t room = 0;
    ssize_t got = 0;

    crypto_hash_sha256_init(&state);
    while (error == API_OK && (got = next_line(&text, &room, file)) > 0) {
        size_t length = (size_t)got;
        const bool has_end = text[length - 1] == '\n';
        const char *line = bare(text, &length, log->number == 0);
        crypto_hash_sha256_update(&state, (const unsigned char *)line, length);
        crypto_hash_sha256_update(&state, (const unsigned char *)"\n", has_end);
        if (!log_file_take(log, line, length))
            error = API_NO_MEMORY;
    }
    if (got < 0)
        error = errno == ENOMEM ? API_NO_MEMORY : API_STORAGE;
    free(text);
    crypto_hash_sha256_final(&state, hash);
    sodium_bin2hex(ret_sha256, SHA256_DIGITS + 1, hash, sizeof hash);
    return error;
}

static enum api_error read_file(const struct http_request *request, struct log_file *log,
                                char ret_sha256[SHA256_DIGITS + 1])
{
    FILE *file = fopen(request->file_path, "re");

    if (!file)
        return errno == ENOMEM ? API_NO_MEMORY : API_STORAGE;
    enum api_error error = read_lines(file, log, ret_sha256);
    fclose(file);
    return error;
}

/* The bytes of the lines as they are kept; more than any limit if memory is short. */
static size_t kept_bytes(const json_t *lines)
{
    return json_dumpb(lines, NULL, 0, JSON_COMPACT);
}

/* Makes of the lines the body of a request for a job; it takes them. The hash is kept in two
 * halves, as a whole one is that of weights. */
static enum api_error make_body(struct http_request *request, struct log_file *log,
                                const char sha256[SHA256_DIGITS + 1])
{
    const size_t count = json_array_size(log->lines);
    const json_t *last = json_array_get(log->numbers, count - 1);
    const bool are_all = last && (size_t)json_integer_value(last) == count;

    if (count == 0) {
        strict_refuse_at(&request->errors, "", "value", "no line of the file is a JSON object");
        return API_BAD_FIELD;
    }
    if (kept_bytes(log->lines) > KEPT_MAX)
        return http_problem_about(request, API_TOO_LARGE,
                                  "the lines of the log are more than those of one game: %zu bytes "
                                  "without the paths of stones, at most %d are kept",
                                  kept_bytes(log->lines), KEPT_MAX);
    request->body =
        json_pack("{s:s, s:{s:O, s:o, s:O*}}", "kind", "import", "spec", "log", log->lines, "file",
                  json_sprintf("%.32s-%.32s", sha256, sha256 + SHA256_DIGITS / 2), "lines",
                  are_all ? NULL : log->numbers);
    return request->body ? API_OK : API_NO_MEMORY;
}

static enum api_error read_body(struct http_request *request, json_t **ret_skipped)
{
    char sha256[SHA256_DIGITS + 1];
    struct log_file log;
    enum api_error error = log_file_begin(&log) ? read_file(request, &log, sha256) : API_NO_MEMORY;

    if (error == API_OK)
        error = make_body(request, &log, sha256);
    if (error == API_OK)
        *ret_skipped = json_incref(log.skipped);
    log_file_free(&log);
    return error;
}

/* Adds to the spec by what the game is known again. */
static enum api_error name_game(json_t *spec)
{
    struct log_game game;

    if (!log_game_of(json_object_get(spec, "log"), &game))
        return API_NO_MEMORY;
    bool good = !game.name[0] || build_add(spec, "game", json_string(game.name));
    return build_add(spec, "states", json_integer(game.states)) && good ? API_OK : API_NO_MEMORY;
}

/* POST /v1/games   the bytes of a log   →   202 {"job","state","sha256","games",
 * "skipped":[{"line","why"}]}, the lines that cannot be read and are left out; 200 if this game was
 * sent before, as far as it goes here, or a file with these lines, with its job and its games. */
enum api_error check_games(struct http_request *request)
{
    json_t *skipped = NULL;

    enum api_error error = read_body(request, &skipped);
    if (error == API_OK)
        error = check_job(request);
    if (error == API_OK)
        error = name_game(json_object_get(request->body, "spec"));
    /* The body is what lasts until the answer. */
    if (error == API_OK && json_object_set(request->body, "skipped", skipped) != 0)
        error = API_NO_MEMORY;
    json_decref(skipped);
    return error;
}

/* ---- answering ---- */

static enum api_error answer_import(struct http_request *request, int status, json_t *import)
{
    json_t *skipped = json_object_get(request->body, "skipped");
    bool good = build_add(import, "skipped", skipped ? json_incref(skipped) : json_array());

    good = build_add(import, "sha256", json_string(request->file_sha256)) && good;
    return http_json(request, status, build_done(import, good));
}

enum api_error route_games_add(struct http_request *request)
{
    const json_t *spec = json_object_get(request->body, "spec");
    json_t *import = NULL;
    int64_t id = 0;
    enum api_error error = job_store_import(request->store, spec, &import);

    if (error == API_OK)
        return answer_import(request, 200, import);
    if (error != API_NOT_FOUND)
        return error;
    error = add_checked_job(request, &id);
    if (error != API_OK)
        return error;
    answer_location(request, "jobs/%lld", (long long)id);
    return answer_import(
        request, 202,
        json_pack("{s:I, s:s, s:[]}", "job", (json_int_t)id, "state", "ready", "games"));
}
