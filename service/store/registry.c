/* Models with their aliases, and players. */
#include "service/store/registry.h"

#include "service/store/sql.h"

#include <stdio.h>
#include <string.h>

bool registry_name_is_good(const char *name)
{
    static const char first[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    static const char rest[] = "abcdefghijklmnopqrstuvwxyz0123456789._-";
    size_t length = strlen(name);

    return length > 0 && length < REGISTRY_NAME_MAX && strchr(first, name[0]) &&
           strspn(name, rest) == length;
}

/* ---- models ---- */

static const char has_weights[] = "SELECT 1 FROM model WHERE sha256 = ?1";

enum api_error model_store_add(struct store *store, const struct model_new *model, int64_t now_ms)
{
    static const char text[] =
        "INSERT INTO model (name, sha256, bytes, card, created_ms) SELECT ?1, ?2, ?3, ?4, ?5"
        " WHERE NOT EXISTS (SELECT 1 FROM model_alias WHERE alias = ?1)";
    return sql_change(store, text,
                      PUT(TEXT(model->name), TEXT(model->sha256), INT(model->bytes),
                          TEXT(model->card), INT(now_ms)),
                      API_EXISTS);
}

#define MODEL_COLUMNS                                                                   \
    "name, sha256, bytes, card,"                                                        \
    " (SELECT json_group_array(alias) FROM"                                             \
    "   (SELECT alias FROM model_alias WHERE model = name ORDER BY alias)) AS aliases," \
    " run, policy, step, created_ms AS created_at FROM model"
#define MODEL_TYPES "ssijjssit"

enum api_error model_store_get(struct store *store, const char *name, json_t **ret_model)
{
    static const char text[] =
        "SELECT " MODEL_COLUMNS
        " WHERE name = coalesce((SELECT model FROM model_alias WHERE alias = ?1), ?1)";
    return sql_read_object(store, text, PUT(TEXT(name)), MODEL_TYPES, ret_model);
}

enum api_error model_store_list(struct store *store, struct store_page *page)
{
    static const char text[] =
        "SELECT name, " MODEL_COLUMNS " WHERE name > ?1 ORDER BY name LIMIT ?2";
    return sql_read_page(store, text, NULL, true, MODEL_TYPES, page);
}

enum api_error model_store_set_card(struct store *store, const char *name, const char *card)
{
    static const char text[] = "UPDATE model SET card = ?2 WHERE name = ?1";
    return sql_change(store, text, PUT(TEXT(name), TEXT(card)), API_NOT_FOUND);
}

enum api_error model_store_has_weights(struct store *store, const char *sha256, bool *ret_has)
{
    return sql_exists(store, has_weights, PUT(TEXT(sha256)), ret_has);
}

enum api_error model_store_name_of(struct store *store, const char *sha256,
                                   char ret_name[REGISTRY_NAME_MAX])
{
    /* Skips the aliases of runs, as they move to newer weights. */
    static const char text[] =
        "SELECT alias FROM model_alias JOIN model ON model.name = model_alias.model"
        " WHERE sha256 = ?1 AND (run IS NULL OR alias <> run || '.' || policy)"
        " UNION ALL SELECT name FROM model WHERE sha256 = ?1 LIMIT 1";
    return sql_read(store, text, PUT(TEXT(sha256)), GET(TO_TEXT(REGISTRY_NAME_MAX, ret_name)));
}

enum api_error model_store_unalias(struct store *store, const char *alias, const char *name)
{
    static const char text[] = "DELETE FROM model_alias WHERE alias = ?1 AND model = ?2";
    return sql_change(store, text, PUT(TEXT(alias), TEXT(name)), API_NOT_FOUND);
}

enum api_error model_store_alias(struct store *store, const char *alias, const char *name,
                                 int64_t now_ms)
{
    static const char text[] =
        "INSERT INTO model_alias (alias, model, updated_ms) SELECT ?1, ?2, ?3"
        " WHERE NOT EXISTS (SELECT 1 FROM model WHERE name = ?1)"
        " ON CONFLICT (alias) DO UPDATE SET model = ?2, updated_ms = ?3";
    return sql_change(store, text, PUT(TEXT(alias), TEXT(name), INT(now_ms)), API_EXISTS);
}

enum api_error model_store_delete(struct store *store, const char *name, char ret_sha256[65],
                                  bool *ret_last)
{
    static const char used[] = "SELECT 1 FROM model_alias WHERE model = ?1";
    static const char take[] = "DELETE FROM model WHERE name = ?1 RETURNING sha256";
    char sha256[65];
    bool aliased = false, shared = false;
    enum api_error error = sql_exists(store, used, PUT(TEXT(name)), &aliased);

    if (error != API_OK || aliased)
        return aliased ? API_STATE : error;
    error = sql_read(store, take, PUT(TEXT(name)), GET(TO_TEXT(sizeof sha256, sha256)));
    if (error == API_OK)
        error = sql_exists(store, has_weights, PUT(TEXT(sha256)), &shared);
    if (error == API_OK) {
        memcpy(ret_sha256, sha256, sizeof sha256);
        *ret_last = !shared;
    }
    return error;
}

/* ---- players ---- */

#define PLAYER_COLUMNS "name, spec, about, created_ms AS created_at FROM player"
#define PLAYER_TYPES   "ssst"

enum api_error player_store_add(struct store *store, const struct player_new *player,
                                int64_t now_ms)
{
    static const char text[] = "INSERT INTO player (name, spec, about, created_ms)"
                               " VALUES (?1, ?2, coalesce(?3, ''), ?4)";
    return sql_run(store, text,
                   PUT(TEXT(player->name), TEXT(player->spec), TEXT(player->about), INT(now_ms)));
}

enum api_error player_store_get(struct store *store, const char *name, json_t **ret_player)
{
    static const char text[] = "SELECT " PLAYER_COLUMNS " WHERE name = ?1";
    return sql_read_object(store, text, PUT(TEXT(name)), PLAYER_TYPES, ret_player);
}

enum api_error player_store_list(struct store *store, struct store_page *page)
{
    static const char text[] =
        "SELECT name, " PLAYER_COLUMNS " WHERE name > ?1 ORDER BY name LIMIT ?2";
    return sql_read_page(store, text, NULL, true, PLAYER_TYPES, page);
}

enum api_error player_store_delete(struct store *store, const char *name)
{
    static const char text[] = "DELETE FROM player WHERE name = ?1";
    return sql_change(store, text, PUT(TEXT(name)), API_NOT_FOUND);
}
