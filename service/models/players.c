/* The list of players, which the search program prints once; api/player_spec.h reads specs. */
#include "service/models/players.h"

#include "api/player_spec.h"
#include "service/base/child.h"
#include "service/store/registry.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define NO_WEIGHTS "no model here has the weights %s"

enum { LIST_BYTES_MAX = 1 << 20, LIST_DEPTH_MAX = 8, PATIENCE_MS = 5000 };

struct players {
    json_t *document;          /* owns the texts of `kinds` */
    struct player_kind *kinds; /* from malloc */
};

/* Starts the program; *ret_fd is the end of its output to read from. 0 or an errno. */
static int start(const char *path, pid_t *ret_pid, int *ret_fd)
{
    extern char **environ;
    char *const argv[] = {(char *)(uintptr_t)path, (char *)(uintptr_t) "--list-players",
                          (char *)(uintptr_t) "--json", NULL};
    posix_spawn_file_actions_t actions;
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) != 0)
        return errno;
    int error = posix_spawn_file_actions_init(&actions);
    if (error == 0) {
        error = posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
        if (error == 0)
            error = posix_spawn(ret_pid, path, &actions, NULL, argv, environ);
        posix_spawn_file_actions_destroy(&actions);
    }
    close(ends[1]);
    if (error != 0)
        close(ends[0]);
    else
        *ret_fd = ends[0];
    return error;
}

/* Reads until the other side closes. Returns the length; -1: too long, too slow, or an error. */
static ssize_t read_all(int fd, char *text)
{
    size_t length = 0;

    for (;;) {
        struct pollfd wait = {.fd = fd, .events = POLLIN};
        if (poll(&wait, 1, PATIENCE_MS) <= 0)
            return -1;
        ssize_t got = read(fd, text + length, LIST_BYTES_MAX - length);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got == 0 ? (ssize_t)length : -1;
        length += (size_t)got;
        if (length == LIST_BYTES_MAX)
            return -1;
    }
}

static enum api_error read_list(const char *text, size_t length, struct players **ret_players,
                                char *ret_error)
{
    struct strict_errors errors = {.count = 0};
    struct players *players = calloc(1, sizeof *players);

    if (!players)
        return API_NO_MEMORY;
    players->document = strict_parse(text, length, LIST_BYTES_MAX, LIST_DEPTH_MAX, &errors);
    if (!players->document || !player_kinds_read(players->document, &players->kinds, &errors)) {
        snprintf(ret_error, STORE_ERROR_MAX, "the list of players: %s: %.300s",
                 errors.error[0].pointer, errors.error[0].message);
        players_free(players);
        return API_BAD_FIELD;
    }
    *ret_players = players;
    return API_OK;
}

enum api_error players_load(const char *programs, struct players **ret_players,
                            char ret_error[STORE_ERROR_MAX])
{
    char path[CHILD_PATH_MAX];
    pid_t pid;
    int fd = -1, status;

    snprintf(ret_error, STORE_ERROR_MAX, "out of memory");
    if (!child_program(programs, "rink-search", path)) {
        snprintf(ret_error, STORE_ERROR_MAX, "the path of the programs is too long");
        return API_NO_WORKER;
    }
    char *text = malloc(LIST_BYTES_MAX);
    if (!text)
        return API_NO_MEMORY;
    int error = start(path, &pid, &fd);
    if (error != 0) {
        snprintf(ret_error, STORE_ERROR_MAX, "%.400s: %s", path, strerror(error));
        free(text);
        return API_NO_WORKER;
    }
    ssize_t length = read_all(fd, text);
    close(fd);
    if (length < 0)
        kill(pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    enum api_error result = API_NO_WORKER;
    if (length < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
        snprintf(ret_error, STORE_ERROR_MAX, "%.400s --list-players failed", path);
    else
        result = read_list(text, (size_t)length, ret_players, ret_error);
    free(text);
    return result;
}

void players_free(struct players *players)
{
    if (!players)
        return;
    free(players->kinds);
    json_decref(players->document);
    free(players);
}

bool players_has(const struct players *players, const char *name)
{
    for (const struct player_kind *kind = players->kinds; kind->name; kind++)
        if (strcmp(kind->name, name) == 0)
            return true;
    return false;
}

/* Resolves a name to a spec: a registered player or a model. Any other text stays as it is. */
static enum api_error look_up(const struct players *players, struct store *store, const char *text,
                              char ret_text[PLAYER_SPEC_MAX])
{
    json_t *row;

    snprintf(ret_text, PLAYER_SPEC_MAX, "%s", text);
    /* No registered name is one of the list; routes/players.c sees to that. */
    if (!registry_name_is_good(text) || players_has(players, text))
        return API_OK;
    enum api_error error = player_store_get(store, text, &row);
    if (error == API_OK) {
        snprintf(ret_text, PLAYER_SPEC_MAX, "%s", json_string_value(json_object_get(row, "spec")));
    } else if (error == API_NOT_FOUND) {
        error = model_store_get(store, text, &row);
        if (error == API_OK)
            snprintf(ret_text, PLAYER_SPEC_MAX, "policy:weights=%s", text);
    }
    if (error == API_OK)
        json_decref(row);
    return error == API_NOT_FOUND ? API_OK : error;
}

/* Replaces the name of a model by the hash of its file. API_BAD_FIELD and a sentence if there is
 * none. */
static enum api_error resolve_model(struct store *store, char model[PLAYER_MODEL_MAX],
                                    char *ret_error, size_t error_size)
{
    bool has = false;
    json_t *row;
    enum api_error error;

    switch (player_model_kind(model)) {
    case PLAYER_MODEL_HASH:
        error = model_store_has_weights(store, model, &has);
        if (error == API_OK && !has)
            snprintf(ret_error, error_size, NO_WEIGHTS, model);
        return error == API_OK && !has ? API_BAD_FIELD : error;
    case PLAYER_MODEL_NAME:
        error = model_store_get(store, model, &row);
        if (error == API_NOT_FOUND)
            snprintf(ret_error, error_size, "no model is called \"%s\" (see /v1/models)", model);
        if (error != API_OK)
            return error == API_NOT_FOUND ? API_BAD_FIELD : error;
        snprintf(model, PLAYER_MODEL_MAX, "%s", json_string_value(json_object_get(row, "sha256")));
        json_decref(row);
        return API_OK;
    default:
        snprintf(ret_error, error_size,
                 "a model is given by its name or hash (see /v1/models), not by a path");
        return API_BAD_FIELD;
    }
}

enum api_error players_resolve(const struct players *players, struct store *store, const char *text,
                               size_t size, char *ret_spec, char *ret_error, size_t error_size)
{
    char found[PLAYER_SPEC_MAX];
    struct player_spec spec;
    enum api_error error = look_up(players, store, text, found);

    if (error == API_OK && !player_spec_read(players->kinds, found, &spec, error_size, ret_error))
        return API_BAD_FIELD;
    if (error == API_OK && *spec.model)
        error = resolve_model(store, spec.model, ret_error, error_size);
    if (error == API_OK)
        player_spec_write(&players->kinds[spec.kind], &spec, size, ret_spec);
    else if (error != API_BAD_FIELD)
        snprintf(ret_error, error_size, "%s", api_error_title(error));
    return error;
}

const char *players_next_weights(const char *text, char ret_sha256[65])
{
    for (size_t digits; *text; text += digits + (text[digits] != '\0')) {
        digits = strspn(text, "0123456789abcdef");
        if (digits == 64) {
            memcpy(ret_sha256, text, 64);
            ret_sha256[64] = '\0';
            return text + 64;
        }
    }
    return NULL;
}

static enum api_error check_text(struct store *store, const struct strict_place *place)
{
    enum api_error error = API_OK;
    char sha256[65];

    for (const char *at = json_string_value(place->value);
         error == API_OK && (at = players_next_weights(at, sha256)) != NULL;) {
        bool has = false;
        error = model_store_has_weights(store, sha256, &has);
        if (error == API_OK && !has)
            strict_refuse(place, "value", NO_WEIGHTS, sha256);
    }
    return error;
}

enum api_error players_check_weights(struct store *store, const struct strict_place *place)
{
    enum api_error error = API_OK;
    const char *key;
    json_t *value;

    json_object_foreach(place->value, key, value)
    {
        const struct strict_place member = strict_member(place, key);
        if (error == API_OK)
            error = players_check_weights(store, &member);
    }
    for (size_t k = 0; k < json_array_size(place->value) && error == API_OK; k++) {
        const struct strict_place element = strict_element(place, k);
        error = players_check_weights(store, &element);
    }
    return json_is_string(place->value) ? check_text(store, place) : error;
}

json_t *players_name(struct store *store, const char *spec)
{
    char sha256[65], name[REGISTRY_NAME_MAX];
    const char *rest = players_next_weights(spec, sha256);

    if (!rest || model_store_name_of(store, sha256, name) != API_OK)
        return json_string(spec);
    return json_sprintf("%.*s%s%s", (int)(rest - spec) - 64, spec, name, rest);
}

const json_t *players_json(const struct players *players)
{
    return players->document;
}
