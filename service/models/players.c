/* The list of players, printed once by the search program; api/fields/player_spec.h reads specs. */
#include "service/models/players.h"

#include "api/fields/player_spec.h"
#include "service/base/child.h"
#include "service/base/config.h"
#include "service/store/jobs.h"
#include "service/store/policies.h"
#include "service/store/registry.h"
#include "service/store/runs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#define NO_WEIGHTS "no model here has the weights %s"

enum { LIST_BYTES_MAX = 1 << 20, LIST_DEPTH_MAX = 8, PATIENCE_MS = 5000 };

struct players {
    json_t *document;          /* owns the texts of `kinds` */
    struct player_kind *kinds; /* from malloc */
};

/* Output of one run of the search program, which has its own loop. */
struct run {
    struct players *players; /* NULL: no list was read */
    char *error;             /* STORE_ERROR_MAX bytes */
    struct child *child;
    int status;
};

static void on_list(void *context, const char *text, size_t length)
{
    struct run *run = context;
    struct strict_errors errors = {.count = 0};
    struct players *players = run->players ? NULL : calloc(1, sizeof *players);

    if (!players)
        return;
    players->document =
        text ? strict_parse(text, length, LIST_BYTES_MAX, LIST_DEPTH_MAX, &errors) : NULL;
    if (players->document && player_kinds_read(players->document, &players->kinds, &errors)) {
        json_t *row;
        size_t k;
        json_array_foreach(players->document, k, row)
            json_object_set_new(row, "built_in", json_true());
        run->players = players;
        return;
    }
    if (errors.count > 0)
        snprintf(run->error, STORE_ERROR_MAX, "the list of players: %s: %.300s",
                 errors.error[0].pointer, errors.error[0].message);
    players_free(players);
}

static void on_ended(void *context, int status)
{
    struct run *run = context;
    char said[CHILD_LOG_MAX + 1];

    child_log(run->child, said);
    said[strcspn(said, "\n")] = '\0';
    if (status != 0 && *said)
        snprintf(run->error, STORE_ERROR_MAX, "%.*s", STORE_ERROR_MAX - 1, said);
    run->status = status;
}

/* Runs the program to its end. False: it cannot be run or ended badly. run->error has its message
 * first, or stays as it was. */
static bool run_program(const struct config *config, const char *const *argv, struct run *run)
{
    const struct child_settings settings = {.argv = argv,
                                            .line_max = LIST_BYTES_MAX,
                                            .patience_ms = PATIENCE_MS,
                                            .context = run,
                                            .line = on_list,
                                            .ended = on_ended};
    uv_loop_t loop;

    run->status = -1;
    if (uv_loop_init(&loop) != 0)
        return false;
    (void)child_start(&loop, config, &settings, &run->child); /* a failure leaves the status */
    uv_run(&loop, UV_RUN_DEFAULT);
    uv_loop_close(&loop);
    return run->status == 0;
}

enum api_error players_load(const struct config *config, struct players **ret_players,
                            char ret_error[STORE_ERROR_MAX])
{
    static const char *const argv[] = {"rink-search", "--list-players", "--json", NULL};
    struct run run = {.error = ret_error};

    snprintf(ret_error, STORE_ERROR_MAX, "%.400s: rink-search --list-players failed",
             config->programs);
    if (!run_program(config, argv, &run)) {
        players_free(run.players);
        return API_NO_WORKER;
    }
    if (!run.players)
        return API_NO_WORKER;
    *ret_players = run.players;
    return API_OK;
}

bool players_have_weights(const struct config *config, char ret_error[STORE_ERROR_MAX])
{
    static const char *const argv[] = {"rink-search", "--check-weights", NULL};
    struct run run = {.error = ret_error};

    snprintf(ret_error, STORE_ERROR_MAX, "%.400s: rink-search --check-weights failed",
             config->programs);
    return run_program(config, argv, &run);
}

void players_free(struct players *players)
{
    if (!players)
        return;
    free(players->kinds);
    json_decref(players->document);
    free(players);
}

const json_t *players_find(const struct players *players, const char *name)
{
    const json_t *row;
    size_t k = 0;

    while ((row = json_array_get(players->document, k++)) != NULL &&
           strcmp(json_string_value(json_object_get(row, "name")), name) != 0)
        ;
    return row;
}

/* ---- policies that a run has still to learn ---- */

/* Whether the model is a policy of a run of one of these jobs, which has not ended. Without a step
 * it is the newest one at the time of the end. */
static bool is_promised(struct store *store, const json_t *after, const char *model)
{
    char run[RUN_ID_MAX];
    json_t *row;

    if (!after || !policy_name_is_of_run(model) || !registry_name_is_good(model) ||
        !model[RUN_ID_MAX])
        return false;
    snprintf(run, sizeof run, "%.*s", RUN_ID_MAX - 1, model);
    if (run_store_get(store, run, &row) != API_OK)
        return false;
    bool is_awaited = run_is_awaited(row, after);
    json_decref(row);
    return is_awaited;
}

/* Whether a name has no step: RUN.POLICY. */
static bool is_newest(const char *model)
{
    return policy_name_is_of_run(model) && !strchr(model + RUN_ID_MAX, '.');
}

/* Whether a name means the newest policy of a run that is still learning: a job before the caller's
 * was taken out of the line. */
static enum api_error check_ended(struct store *store, const char *model, char *ret_why,
                                  size_t size)
{
    enum job_state state = JOB_DONE;
    char run[RUN_ID_MAX];
    json_t *row;

    if (!is_newest(model))
        return API_OK;
    snprintf(run, sizeof run, "%.*s", RUN_ID_MAX - 1, model);
    enum api_error error = run_store_get(store, run, &row);
    if (error != API_OK)
        return error == API_NOT_FOUND ? API_OK : error;
    if (job_state_read(json_string_value(json_object_get(row, "state")), &state) &&
        !job_has_ended(state))
        snprintf(ret_why, size, "the run of the model \"%s\" has not ended", model);
    json_decref(row);
    return API_OK;
}

/* Replaces the names in one text; *ret_text is malloc'ed, NULL: it has none. */
static enum api_error keep_in_text(struct store *store, const char *text, char **ret_text,
                                   char *ret_why, size_t size)
{
    char name[REGISTRY_NAME_MAX], made[PLAYER_SPEC_MAX] = "";
    const char *from = text, *at;
    size_t used = 0;
    json_t *model;

    while ((at = policy_name_find(from, name)) != NULL) {
        enum api_error error = check_ended(store, name, ret_why, size);
        if (error != API_OK || *ret_why)
            return error;
        error = model_store_get(store, name, &model);
        if (error == API_NOT_FOUND)
            snprintf(ret_why, size, "no model is called \"%s\": the run did not learn it", name);
        if (error != API_OK)
            return error == API_NOT_FOUND ? API_OK : error;
        if (used < sizeof made)
            used += (size_t)snprintf(made + used, sizeof made - used, "%.*s%s", (int)(at - from),
                                     from, json_string_value(json_object_get(model, "sha256")));
        json_decref(model);
        from = at + strlen(name);
    }
    if (from == text)
        return API_OK;
    if (used < sizeof made)
        used += (size_t)snprintf(made + used, sizeof made - used, "%s", from);
    if (used >= sizeof made) {
        snprintf(ret_why, size, "the player has too long a name");
        return API_OK;
    }
    *ret_text = strdup(made);
    return *ret_text ? API_OK : API_NO_MEMORY;
}

enum api_error players_keep_promises(struct store *store, json_t *spec, int *ret_kept,
                                     char *ret_why, size_t size)
{
    enum api_error error = API_OK;
    char *text = NULL;
    const char *key;
    json_t *value;
    size_t k;

    json_object_foreach(spec, key, value)
    {
        if (error == API_OK && !*ret_why)
            error = players_keep_promises(store, value, ret_kept, ret_why, size);
    }
    json_array_foreach(spec, k, value)
    {
        if (error == API_OK && !*ret_why)
            error = players_keep_promises(store, value, ret_kept, ret_why, size);
    }
    if (error == API_OK && json_is_string(spec))
        error = keep_in_text(store, json_string_value(spec), &text, ret_why, size);
    if (text) {
        (*ret_kept)++;
        if (json_string_set(spec, text) != 0)
            error = API_NO_MEMORY;
    }
    free(text);
    return error;
}

/* ---- specs ---- */

/* Resolves a name to a spec: a registered player or a model. Any other text stays as it is. */
static enum api_error look_up(const struct players *players, struct store *store,
                              const json_t *after, const char *text, char ret_text[PLAYER_SPEC_MAX])
{
    json_t *row;

    snprintf(ret_text, PLAYER_SPEC_MAX, "%s", text);
    if (is_promised(store, after, text)) {
        snprintf(ret_text, PLAYER_SPEC_MAX, "policy:weights=%s", text);
        return API_OK;
    }
    /* No registered name is in the list; routes/players.c refuses such names. */
    if (!registry_name_is_good(text) || players_find(players, text))
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

/* Replaces the name of a model by the hash of its file. API_BAD_FIELD with a sentence: no such
 * model. */
static enum api_error resolve_model(struct store *store, const json_t *after,
                                    char model[PLAYER_MODEL_MAX], char *ret_error,
                                    size_t error_size)
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
        if (is_newest(model) && is_promised(store, after, model))
            return API_OK; /* even if there is one now: it will be newer */
        error = model_store_get(store, model, &row);
        if (error == API_NOT_FOUND && is_promised(store, after, model))
            return API_OK;
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
    return players_resolve_after(players, store, NULL, text, size, ret_spec, ret_error, error_size);
}

enum api_error players_resolve_after(const struct players *players, struct store *store,
                                     const json_t *after, const char *text, size_t size,
                                     char *ret_spec, char *ret_error, size_t error_size)
{
    char found[PLAYER_SPEC_MAX];
    struct player_spec spec;
    enum api_error error = look_up(players, store, after, text, found);

    if (error == API_OK && !player_spec_read(players->kinds, found, &spec, error_size, ret_error))
        return API_BAD_FIELD;
    if (error == API_OK && *spec.model)
        error = resolve_model(store, after, spec.model, ret_error, error_size);
    if (error == API_OK && *spec.values)
        error = resolve_model(store, after, spec.values, ret_error, error_size);
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
