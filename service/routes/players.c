/* The players of the programs, and specs that callers have named. */
#include "service/routes/routes.h"

#include "api/base/build_json.h"
#include "api/fields/job_fields.h"
#include "api/fields/player_spec.h"
#include "service/models/players.h"
#include "service/routes/server.h"
#include "service/store/policies.h"
#include "service/store/registry.h"

#include <stdio.h>
#include <string.h>

enum { ABOUT_MAX = 1000 };

/* Answers with a player that a caller has named (stolen). */
static enum api_error answer_named(struct http_request *request, int status, json_t *player)
{
    bool good = build_add(player, "built_in", json_false());

    return http_json(request, status, build_done(player, good));
}

/* GET /v1/players   ?limit&cursor&fields   →   200 {"items":[…],"next_cursor"}. The first page
 * starts with all players of the programs, which `limit` does not count. */
enum api_error route_players(struct http_request *request)
{
    struct store_page *page = &request->page;
    json_t *items, *item;
    size_t k;
    enum api_error error = player_store_list(request->store, page);

    if (error != API_OK)
        return answer_list(request, error);
    json_array_foreach(page->items, k, item) json_object_set_new(item, "built_in", json_false());
    items = page->cursor ? json_array() : json_deep_copy(players_json(request->server->players));
    json_array_extend(items, page->items);
    json_decref(page->items);
    page->items = items;
    return answer_list(request, API_OK);
}

/* GET /v1/players/{name}   →   200 */
enum api_error route_player(struct http_request *request)
{
    const json_t *built_in = players_find(request->server->players, request->arg[0]);
    json_t *player;

    if (built_in)
        return http_json(request, 200, json_deep_copy(built_in));
    enum api_error error = player_store_get(request->store, request->arg[0], &player);
    return error == API_OK ? answer_named(request, 200, player) : error;
}

/* What has a name like this besides players, whom it would hide; NULL: nothing. */
static const char *reserved_for(const char *name)
{
    if (policy_name_is_of_run(name))
        return "the policies of a run";
    return strcmp(name, JOB_RESPONDER_LOCAL) == 0 ? "the local best response of exploitability"
                                                  : NULL;
}

/* POST /v1/players   {"name","spec","about"?}   →   201 the player. The shortest equal spec
 * replaces the one in the body. */
enum api_error check_player(struct http_request *request)
{
    static const char *const keys[] = {"name", "spec", "about", NULL};
    const struct strict_place root = strict_root(request->body, &request->errors);
    const struct strict_place name_place = strict_member(&root, "name");
    const struct strict_place spec_place = strict_member(&root, "spec");
    const struct strict_place about = strict_member(&root, "about");
    char spec[PLAYER_SPEC_MAX] = "", error[PLAYER_ERROR_MAX];
    const char *name, *text;

    if (!strict_object(&root, keys))
        return API_BAD_FIELD;
    if (strict_text(&name_place, REGISTRY_NAME_MAX - 1, &name)) {
        if (!registry_name_is_good(name))
            strict_refuse(&name_place, "value",
                          "is made of a-z, 0-9, '.', '_' and '-', and starts with a letter or "
                          "digit");
        else if (reserved_for(name))
            strict_refuse(&name_place, "value", "is reserved for %s", reserved_for(name));
        else if (players_find(request->server->players, name))
            return http_problem(request, API_EXISTS, "a built-in player has this name");
    }
    if (strict_text(&spec_place, PLAYER_SPEC_MAX - 1, &text) &&
        players_resolve(request->server->players, request->store, text, sizeof spec, spec, error,
                        sizeof error) != API_OK)
        strict_refuse(&spec_place, "value", "%s", error);
    if (!strict_is_missing(&about))
        strict_text(&about, ABOUT_MAX, &text);
    return json_object_set_new(request->body, "spec", json_string(spec)) == 0 ? API_OK
                                                                              : API_NO_MEMORY;
}

enum api_error route_player_add(struct http_request *request)
{
    const struct strict_place root = strict_root(request->body, &request->errors);
    const struct strict_place spec = strict_member(&root, "spec");
    const char *name = json_string_value(json_object_get(request->body, "name"));
    const struct player_new player = {
        .name = name,
        .spec = json_string_value(spec.value),
        .about = json_string_value(json_object_get(request->body, "about"))};
    json_t *added = NULL;

    /* Its model may have been deleted since it was checked. */
    enum api_error error = players_check_weights(request->store, &spec);
    if (error == API_OK && request->errors.count > 0)
        return API_BAD_FIELD;
    if (error == API_OK)
        error = player_store_add(request->store, &player, request->now_ms);
    if (error == API_OK)
        error = player_store_get(request->store, name, &added);
    if (error != API_OK)
        return error;
    answer_location(request, "players/%s", name);
    return answer_named(request, 201, added);
}

/* DELETE /v1/players/{name}   →   204; 409 for a player of the programs */
enum api_error route_player_delete(struct http_request *request)
{
    if (players_find(request->server->players, request->arg[0]))
        return http_problem(request, API_STATE, "a built-in player cannot be deleted");
    return answer_deleted(request, player_store_delete(request->store, request->arg[0]));
}
