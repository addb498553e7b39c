/* Callers as operators see them. */
#include "service/routes/callers.h"

#include "api/base/build_json.h"
#include "service/base/callers.h"
#include "service/routes/routes.h"

#include <stdio.h>
#include <string.h>

typedef enum api_error show_function(void *context, const struct caller_row *row);

/* Adds a token to the row of its caller. */
static void add_token(const struct config_token *token, struct caller_row *row)
{
    bool is_first = row->tokens++ == 0;

    strcpy(row->name, token->name);
    row->scopes |= token->scopes;
    row->limits = token->limits;
    if (is_first || token->expires_ms == 0 ||
        (row->expires_ms != 0 && token->expires_ms > row->expires_ms))
        row->expires_ms = token->expires_ms;
}

/* Adds what is counted, and shows the row. */
static enum api_error show_row(const struct server *server, struct store *store,
                               struct caller_row *row, show_function *show, void *context)
{
    for (int why = 0; why < CALLER_REFUSALS; why++)
        row->refused[why] =
            callers_refused(server->base.callers, row->name, (enum caller_refusal)why);
    enum api_error error = caller_store_use(store, row->name, &row->use);
    return error == API_OK ? show(context, row) : error;
}

static bool has_token(const struct config_token *tokens, int count, const char *name)
{
    int k = 0;

    while (k < count && strcmp(tokens[k].name, name) != 0)
        k++;
    return k < count;
}

/* Shows the callers with jobs but without token; without tokens everybody is one caller. */
static enum api_error show_others(const struct server *server, struct store *store,
                                  const struct config_token *tokens, int count, show_function *show,
                                  void *context)
{
    json_t *names, *name;
    size_t k;
    enum api_error error = caller_store_names(store, &names);

    if (error != API_OK)
        return error;
    if (count == 0) {
        struct caller_row all = {.scopes = ~0u};
        error = show_row(server, store, &all, show, context);
    }
    json_array_foreach(names, k, name)
    {
        struct caller_row row = {.tokens = 0};
        snprintf(row.name, sizeof row.name, "%s", json_string_value(name));
        if (error == API_OK && (count > 0 || row.name[0]) && !has_token(tokens, count, row.name))
            error = show_row(server, store, &row, show, context);
    }
    json_decref(names);
    return error;
}

enum api_error callers_each(const struct server *server, struct store *store, show_function *show,
                            void *context)
{
    struct config_token tokens[CONFIG_TOKENS_MAX];
    int count = callers_tokens(server->base.callers, tokens);
    enum api_error error = API_OK;

    for (int k = 0; error == API_OK && k < count; k++) {
        struct caller_row row = {.tokens = 0};
        if (has_token(tokens, k, tokens[k].name))
            continue; /* shown with the first token of this name */
        for (int n = k; n < count; n++)
            if (strcmp(tokens[n].name, tokens[k].name) == 0)
                add_token(&tokens[n], &row);
        error = show_row(server, store, &row, show, context);
    }
    return error == API_OK ? show_others(server, store, tokens, count, show, context) : error;
}

static enum api_error add_item(void *context, const struct caller_row *row)
{
    json_t *item = json_pack(
        "{s:o, s:i, s:o, s:o, s:o, s:I, s:I, s:I, s:I, s:I}", "name",
        row->name[0] ? json_string(row->name) : json_null(), "tokens", row->tokens, "scopes",
        config_scopes_json(row->scopes), "expires_at",
        row->expires_ms != 0 ? build_time(row->expires_ms) : json_null(), "limits",
        config_limits_json(&row->limits), "waiting", (json_int_t)row->use.waiting, "bytes",
        (json_int_t)row->use.bytes, "running", (json_int_t)row->use.running, "cores",
        (json_int_t)row->use.cores, "refused", (json_int_t)row->refused[CALLER_TOO_MANY]);

    return build_append(context, item) ? API_OK : API_NO_MEMORY;
}

/* GET /v1/callers   →   200 {"items":[{"name","tokens","scopes",…}],"next_cursor":null} */
enum api_error route_callers(struct http_request *request)
{
    json_t *items = json_array();
    enum api_error error = callers_each(request->server, request->store, add_item, items);

    if (error == API_OK)
        return http_list(request, items);
    json_decref(items);
    return error;
}

/* GET /v1/caller   →   200 {"name":"ann"|null,"scopes":["query"]} */
enum api_error route_caller(struct http_request *request)
{
    return http_json(request, 200,
                     json_pack("{s:s?, s:o}", "name", request->token, "scopes",
                               config_scopes_json(request->scopes)));
}
