/* The registry of weights. Files are stored under their hash; names and aliases are rows of the
 * store. */
#include "service/routes/routes.h"

#include "service/base/config.h"
#include "service/models/model_files.h"
#include "service/routes/server.h"
#include "service/store/policies.h"
#include "service/store/registry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CARD_BYTES_MAX = 65536 };

static enum api_error answer_model(struct http_request *request, int status, const char *name)
{
    json_t *model;
    enum api_error error = model_store_get(request->store, name, &model);

    return error == API_OK ? http_json(request, status, model) : error;
}

/* GET /v1/models   ?limit&cursor&fields   →   200 {"items":[…],"next_cursor"} */
enum api_error route_models(struct http_request *request)
{
    return answer_list(request, model_store_list(request->store, &request->page));
}

/* GET /v1/models/{name}   →   200; the name may be an alias */
enum api_error route_model(struct http_request *request)
{
    return answer_model(request, 200, request->arg[0]);
}

/* GET /v1/models/{name}/weights   →   200, the file */
enum api_error route_model_weights(struct http_request *request)
{
    char path[MODEL_PATH_MAX], file[REGISTRY_NAME_MAX + sizeof ".safetensors"];
    json_t *model;
    enum api_error error = model_store_get(request->store, request->arg[0], &model);

    if (error != API_OK)
        return error;
    model_file_path(request->server->base.config->data,
                    json_string_value(json_object_get(model, "sha256")), path);
    snprintf(file, sizeof file, "%s.safetensors",
             json_string_value(json_object_get(model, "name")));
    json_decref(model);
    return http_file(request, path, "application/octet-stream", file);
}

/* ---- upload ---- */

/* Checks a name or alias from a caller. */
static enum api_error check_name(struct http_request *request, const char *name)
{
    if (!registry_name_is_good(name))
        return http_problem(request, API_BAD_PARAMETER,
                            "a name is made of a-z, 0-9, '.', '_' and '-', at most 63, and starts "
                            "with a letter or digit");
    if (policy_name_is_of_run(name))
        return http_problem(request, API_BAD_PARAMETER,
                            "names that begin with the id of a run are reserved for runs");
    return API_OK;
}

/* PUT /v1/models/{name}   the file   →   201 the model; 200 if these very bytes were there already.
 * A name never changes its weights: 409 for other ones. The first card replaces the body. */
enum api_error check_model(struct http_request *request)
{
    enum api_error error = check_name(request, request->arg[0]);

    if (error != API_OK)
        return error;
    FILE *file = fopen(request->file_path, "re");
    if (!file)
        return API_STORAGE;
    request->body = model_file_summary(file, request->file_bytes, &request->errors);
    fclose(file);
    return API_OK;
}

enum api_error route_model_add(struct http_request *request)
{
    const char *name = request->arg[0];
    json_t *old = NULL;

    enum api_error error = model_store_get(request->store, name, &old);
    if (error == API_OK) {
        const char *sha256 = json_string_value(json_object_get(old, "sha256"));
        const char *own_name = json_string_value(json_object_get(old, "name"));
        bool is_alias = strcmp(own_name, name) != 0;
        bool same = !is_alias && strcmp(sha256, request->file_sha256) == 0;
        json_decref(old);
        if (same) { /* the file is kept again: it mends damaged weights */
            error = model_file_keep(request->server->base.config->data, request->file_sha256,
                                    request->file_path);
            return error ? error : answer_model(request, 200, name);
        }
        return http_problem(request, API_EXISTS,
                            is_alias ? "this name is an alias of a model"
                                     : "this name has other weights; take another one, or delete "
                                       "it first");
    }
    if (error != API_NOT_FOUND)
        return error;
    char *card = json_dumps(request->body, JSON_COMPACT);
    const struct model_new model = {name, request->file_sha256, card, request->file_bytes};
    error = card ? model_store_add(request->store, &model, request->now_ms) : API_NO_MEMORY;
    free(card);
    if (error == API_OK)
        error = model_file_keep(request->server->base.config->data, request->file_sha256,
                                request->file_path);
    if (error != API_OK)
        return error;
    answer_location(request, "models/%s", name);
    return answer_model(request, 201, name);
}

/* ---- changes ---- */

/* PATCH /v1/models/{name}   {"card":{…}}   →   200 the model. Replaces members of the card; null
 * removes them. */
enum api_error check_model_card(struct http_request *request)
{
    static const char *const keys[] = {"card", NULL};
    const struct strict_place root = strict_root(request->body, &request->errors);
    const struct strict_place card = strict_member(&root, "card");

    if (strict_object(&root, keys) && !json_is_object(card.value))
        strict_refuse(&card, strict_is_missing(&card) ? "missing" : "type", "must be an object");
    return API_OK;
}

/* The card with the changes; malloc'ed. NULL: memory is short. */
static char *change_card(json_t *card, json_t *changes)
{
    const char *key;
    json_t *value;

    json_object_foreach(changes, key, value)
    {
        if (json_is_null(value))
            json_object_del(card, key);
        else if (json_object_set(card, key, value) != 0)
            return NULL;
    }
    return json_dumps(card, JSON_COMPACT);
}

enum api_error route_model_card(struct http_request *request)
{
    json_t *model;
    enum api_error error = model_store_get(request->store, request->arg[0], &model);

    if (error != API_OK)
        return error;
    char *card =
        change_card(json_object_get(model, "card"), json_object_get(request->body, "card"));
    if (card && strlen(card) > CARD_BYTES_MAX) {
        free(card);
        json_decref(model);
        strict_refuse_at(&request->errors, "/card", "range", "a card has at most %d bytes",
                         CARD_BYTES_MAX);
        return API_BAD_FIELD;
    }
    const char *name = json_string_value(json_object_get(model, "name"));
    error = card ? model_store_set_card(request->store, name, card) : API_NO_MEMORY;
    free(card);
    json_decref(model);
    return error == API_OK ? answer_model(request, 200, request->arg[0]) : error;
}

/* PUT /v1/models/{name}/aliases/{alias}   →   200 the model, which has the alias from now on */
enum api_error check_model_alias(struct http_request *request)
{
    return check_name(request, request->arg[1]);
}

enum api_error route_model_alias(struct http_request *request)
{
    enum api_error error =
        model_store_alias(request->store, request->arg[1], request->arg[0], request->now_ms);

    return error == API_OK ? answer_model(request, 200, request->arg[0]) : error;
}

/* DELETE /v1/models/{name}/aliases/{alias}   →   204 */
enum api_error route_model_unalias(struct http_request *request)
{
    return answer_deleted(request,
                          model_store_unalias(request->store, request->arg[1], request->arg[0]));
}

/* ---- deletion ---- */

static void after_delete(struct http_request *request)
{
    const struct base *base = &request->server->base;

    model_file_remove(base->core, base->config->data, request->state);
}

/* DELETE /v1/models/{name}   →   204; 409 while an alias points to it, or a player or an unfinished
 * job uses it */
enum api_error route_model_delete(struct http_request *request)
{
    const char *name = request->arg[0];
    char sha256[65];
    json_t *model;
    bool last, played;
    enum api_error error = model_store_get(request->store, name, &model);

    if (error != API_OK)
        return error;
    error = weights_store_in_use(request->store,
                                 json_string_value(json_object_get(model, "sha256")), &played);
    json_decref(model);
    if (error == API_OK && played)
        return http_problem(request, API_STATE, "a registered player or an unfinished job uses it");
    if (error == API_OK)
        error = model_store_delete(request->store, name, sha256, &last);
    if (error == API_STATE)
        return http_problem(request, error, "an alias points to it");
    if (error != API_OK)
        return error;
    request->state = last ? strdup(sha256) : NULL;
    if (request->state)
        http_after_commit(request, after_delete);
    return http_no_content(request);
}
