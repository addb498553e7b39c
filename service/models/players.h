/* The players of the search program with their settings, read once at start (`rink-search
 * --list-players --json`). With them the daemon itself refuses misspelt specs. Immutable
 * afterwards; any thread. */
#ifndef RINKD_SERVICE_MODELS_PLAYERS_H
#define RINKD_SERVICE_MODELS_PLAYERS_H

#include "api/base/strict_json.h"
#include "service/store/store.h"

struct config;
struct players;

/* Runs the program and reads its list. On failure writes a sentence to ret_error. */
enum api_error players_load(const struct config *config, struct players **ret_players,
                            char ret_error[STORE_ERROR_MAX]);
void players_free(struct players *players);

/* Whether the files of weights that the programs come with are there and whole (`rink-search
 * --check-weights`). If not, ret_error has a sentence. */
bool players_have_weights(const struct config *config, char ret_error[STORE_ERROR_MAX]);

/* Finds a player of the list by its name; borrowed. NULL: none. */
const json_t *players_find(const struct players *players, const char *name);

/* Checks NAME or NAME:SETTING=VALUE,… A name that is not in the list is looked up in the store
 * (registry.h), first as a player, then as a model, which plays as the player "policy". Writes the
 * shortest equal spec to ret_spec (`size` bytes, PLAYER_SPEC_MAX are enough), with the hash of the
 * file for a model. API_BAD_FIELD: not a player; ret_error has a sentence (`error_size` bytes,
 * PLAYER_ERROR_MAX are enough). */
enum api_error players_resolve(const struct players *players, struct store *store, const char *text,
                               size_t size, char *ret_spec, char *ret_error, size_t error_size);

/* The same for a job that starts after others (an array of their ids, job_store_before(), or NULL):
 * a policy of a run of such a job that has not ended, RUN.POLICY or RUN.POLICY.STEP, stays a name
 * (players_keep_promises()).
 */
enum api_error players_resolve_after(const struct players *players, struct store *store,
                                     const json_t *after, const char *text, size_t size,
                                     char *ret_spec, char *ret_error, size_t error_size);

/* Replaces such names in all texts of a spec by the hashes of their weights. *ret_kept: how many
 * there were. If one is missing, ret_why names it (`size` bytes), else it is "". */
enum api_error players_keep_promises(struct store *store, json_t *spec, int *ret_kept,
                                     char *ret_why, size_t size);

/* Copies the first hash of weights in a text and returns the text after it; NULL: no hash. Every
 * hash in a resolved spec names weights in use. */
const char *players_next_weights(const char *text, char ret_sha256[65]);

/* Refuses every text at or below this place that contains a hash of unknown weights. Call it in the
 * transaction that uses them, as models may be deleted. Returns failures of the store. */
enum api_error players_check_weights(struct store *store, const struct strict_place *place);

/* The spec, or a text that begins with one, for people: weights appear by the name of their model
 * instead of their hash, if they have one. The caller owns it; NULL: memory is short. */
json_t *players_name(struct store *store, const char *spec);

/* The list as the API shows it: [{"name","about","settings":[…],"built_in"}]
 * (api/fields/player_spec.h); borrowed. */
const json_t *players_json(const struct players *players);

#endif
