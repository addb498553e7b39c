/* Named things that can play: models (weights with a card) and players (a spec under a name).
 * Weights are files <data>/models/<sha256>.safetensors; the rows here describe them. */
#ifndef RINKD_SERVICE_STORE_REGISTRY_H
#define RINKD_SERVICE_STORE_REGISTRY_H

#include "service/store/store.h"

enum { REGISTRY_NAME_MAX = 64 }; /* bytes, with 0: [a-z0-9][a-z0-9._-]* */
bool registry_name_is_good(const char *name);

struct model_new {
    const char *name, *sha256, *card; /* card: JSON object */
    int64_t bytes;
};
enum api_error model_store_add(struct store *store, const struct model_new *model, int64_t now_ms);
/* {"name","sha256","bytes","card":{…},"aliases":[…],"run","policy","step","created_at"}; `name` may
 * be an alias; run, policy and step are null unless it is a policy of a run (policies.h). */
enum api_error model_store_get(struct store *store, const char *name, json_t **ret_model);
enum api_error model_store_list(struct store *store, struct store_page *page);
/* Replaces the card of a model (its name, not an alias). API_NOT_FOUND. */
enum api_error model_store_set_card(struct store *store, const char *name, const char *card);
/* Whether any model has these weights. */
enum api_error model_store_has_weights(struct store *store, const char *sha256, bool *ret_has);
/* Finds a name for these weights: an alias given by a caller, else the name of the model.
 * API_NOT_FOUND. */
enum api_error model_store_name_of(struct store *store, const char *sha256,
                                   char ret_name[REGISTRY_NAME_MAX]);
/* Points an alias to a model; an alias may not have the name of a model. */
enum api_error model_store_alias(struct store *store, const char *alias, const char *name,
                                 int64_t now_ms);
/* Removes an alias of a model. API_NOT_FOUND: it does not point to this model. */
enum api_error model_store_unalias(struct store *store, const char *alias, const char *name);
/* Deletes a model. API_STATE while an alias points to it. *ret_last: no other model has these
 * weights, so the file can go. */
enum api_error model_store_delete(struct store *store, const char *name, char ret_sha256[65],
                                  bool *ret_last);

struct player_new {
    const char *name, *spec, *about;
};
enum api_error player_store_add(struct store *store, const struct player_new *player,
                                int64_t now_ms);
/* {"name","spec","about","created_at"} */
enum api_error player_store_get(struct store *store, const char *name, json_t **ret_player);
enum api_error player_store_list(struct store *store, struct store_page *page);
enum api_error player_store_delete(struct store *store, const char *name);

#endif
