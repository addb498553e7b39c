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

/* Whether the statement gives a row for a name. */
static enum api_error find_name(struct store *store, const char *text, const char *name,
                                bool *ret_found)
{
    struct sql q = sql_start(store, text);

    sql_put_text(&q, name);
    *ret_found = sql_row(&q);
    return sql_end(&q);
}

/* The object that the statement gives for a name; API_NOT_FOUND without a row. */
static enum api_error get_object(struct store *store, const char *text, const char *name,
                                 const char *types, json_t **ret_object)
{
    struct sql q = sql_start(store, text);

    sql_put_text(&q, name);
    return sql_get_one(&q, types, ret_object);
}

/* A page of the statement, whose parameters are the cursor and the number of rows. */
static enum api_error get_page(struct store *store, const char *text, const struct store_page *page,
                               const char *types, json_t **ret_items,
                               char ret_next[STORE_CURSOR_MAX])
{
    struct sql_cursor cursor;
    enum api_error error = sql_cursor_read(page->cursor, true, &cursor);

    if (error != API_OK)
        return error;
    struct sql q = sql_start(store, text);
    sql_put_text(&q, cursor.name);
    sql_put_int(&q, sql_page_rows(page));
    return sql_get_page(&q, page, true, types, ret_items, ret_next);
}

/* ---- models ---- */

static const char has_model[] = "SELECT 1 FROM model WHERE name = ?1";
static const char has_weights[] = "SELECT 1 FROM model WHERE sha256 = ?1";
static const char has_alias[] = "SELECT 1 FROM model_alias WHERE alias = ?1";

enum api_error model_store_add(struct store *store, const struct model_new *model, int64_t now_ms)
{
    static const char text[] = "INSERT INTO model (name, sha256, bytes, card, created_ms)"
                               " VALUES (?1, ?2, ?3, ?4, ?5)";
    bool taken = false;
    enum api_error error = find_name(store, has_alias, model->name, &taken);

    if (error != API_OK || taken)
        return taken ? API_EXISTS : error;
    struct sql q = sql_start(store, text);
    sql_put_text(&q, model->name);
    sql_put_text(&q, model->sha256);
    sql_put_int(&q, model->bytes);
    sql_put_text(&q, model->card);
    sql_put_int(&q, now_ms);
    return sql_end(&q);
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
    return get_object(store, text, name, MODEL_TYPES, ret_model);
}

enum api_error model_store_list(struct store *store, const struct store_page *page,
                                json_t **ret_items, char ret_next[STORE_CURSOR_MAX])
{
    static const char text[] =
        "SELECT name, " MODEL_COLUMNS " WHERE name > ?1 ORDER BY name LIMIT ?2";
    return get_page(store, text, page, MODEL_TYPES, ret_items, ret_next);
}

enum api_error model_store_set_card(struct store *store, const char *name, const char *card)
{
    static const char text[] = "UPDATE model SET card = ?2 WHERE name = ?1";
    struct sql q = sql_start(store, text);

    sql_put_text(&q, name);
    sql_put_text(&q, card);
    enum api_error error = sql_end(&q);
    return error == API_OK && sql_changes(store) == 0 ? API_NOT_FOUND : error;
}

enum api_error model_store_has_weights(struct store *store, const char *sha256, bool *ret_has)
{
    *ret_has = false;
    return find_name(store, has_weights, sha256, ret_has);
}

enum api_error model_store_name_of(struct store *store, const char *sha256,
                                   char ret_name[REGISTRY_NAME_MAX])
{
    /* Aliases of runs move to newer weights, so they do not name these. */
    static const char text[] =
        "SELECT alias FROM model_alias JOIN model ON model.name = model_alias.model"
        " WHERE sha256 = ?1 AND (run IS NULL OR alias <> run || '.' || policy)"
        " UNION ALL SELECT name FROM model WHERE sha256 = ?1 LIMIT 1";
    char name[REGISTRY_NAME_MAX] = "";
    struct sql q = sql_start(store, text);

    sql_put_text(&q, sha256);
    if (sql_row(&q)) {
        const char *found = sql_get_text(&q);
        snprintf(name, sizeof name, "%s", found ? found : "");
    }
    enum api_error error = sql_end(&q);
    if (error == API_OK && *name == '\0')
        error = API_NOT_FOUND;
    if (error == API_OK)
        memcpy(ret_name, name, sizeof name);
    return error;
}

enum api_error model_store_unalias(struct store *store, const char *alias, const char *name)
{
    static const char text[] = "DELETE FROM model_alias WHERE alias = ?1 AND model = ?2";
    struct sql q = sql_start(store, text);

    sql_put_text(&q, alias);
    sql_put_text(&q, name);
    enum api_error error = sql_end(&q);
    return error == API_OK && sql_changes(store) == 0 ? API_NOT_FOUND : error;
}

enum api_error model_store_alias(struct store *store, const char *alias, const char *name,
                                 int64_t now_ms)
{
    static const char text[] =
        "INSERT INTO model_alias (alias, model, updated_ms) VALUES (?1, ?2, ?3)"
        " ON CONFLICT (alias) DO UPDATE SET model = ?2, updated_ms = ?3";
    bool taken = false;
    enum api_error error = find_name(store, has_model, alias, &taken);

    if (error != API_OK || taken)
        return taken ? API_EXISTS : error;
    struct sql q = sql_start(store, text);
    sql_put_text(&q, alias);
    sql_put_text(&q, name);
    sql_put_int(&q, now_ms);
    return sql_end(&q);
}

enum api_error model_store_delete(struct store *store, const char *name, char ret_sha256[65],
                                  bool *ret_last)
{
    static const char used[] = "SELECT 1 FROM model_alias WHERE model = ?1";
    static const char take[] = "DELETE FROM model WHERE name = ?1 RETURNING sha256";
    char sha256[65] = "";
    bool aliased = false, shared = false;
    enum api_error error = find_name(store, used, name, &aliased);

    if (error != API_OK || aliased)
        return aliased ? API_STATE : error;
    struct sql q = sql_start(store, take);
    sql_put_text(&q, name);
    bool found = sql_row(&q);
    if (found) {
        const char *weights = sql_get_text(&q);
        snprintf(sha256, sizeof sha256, "%s", weights ? weights : "");
    }
    error = sql_end(&q);
    if (error == API_OK && !found)
        error = API_NOT_FOUND;
    if (error == API_OK)
        error = find_name(store, has_weights, sha256, &shared);
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
    struct sql q = sql_start(store, text);

    sql_put_text(&q, player->name);
    sql_put_text(&q, player->spec);
    sql_put_text(&q, player->about);
    sql_put_int(&q, now_ms);
    return sql_end(&q);
}

enum api_error player_store_get(struct store *store, const char *name, json_t **ret_player)
{
    static const char text[] = "SELECT " PLAYER_COLUMNS " WHERE name = ?1";
    return get_object(store, text, name, PLAYER_TYPES, ret_player);
}

enum api_error player_store_list(struct store *store, const struct store_page *page,
                                 json_t **ret_items, char ret_next[STORE_CURSOR_MAX])
{
    static const char text[] =
        "SELECT name, " PLAYER_COLUMNS " WHERE name > ?1 ORDER BY name LIMIT ?2";
    return get_page(store, text, page, PLAYER_TYPES, ret_items, ret_next);
}

enum api_error player_store_delete(struct store *store, const char *name)
{
    static const char text[] = "DELETE FROM player WHERE name = ?1";
    struct sql q = sql_start(store, text);

    sql_put_text(&q, name);
    enum api_error error = sql_end(&q);
    return error == API_OK && sql_changes(store) == 0 ? API_NOT_FOUND : error;
}
