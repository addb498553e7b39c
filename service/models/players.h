/* What can play: the classes of players that the search program has, with their settings, asked for
 * once at start (`rink-search --list-players --json`). Reads player specs, so that a misspelt one
 * is refused by the daemon itself. Immutable afterwards; any thread. */
#ifndef RINKD_SERVICE_MODELS_PLAYERS_H
#define RINKD_SERVICE_MODELS_PLAYERS_H

#include "api/strict_json.h"
#include "service/store/store.h"

struct players;

/* Runs the program in the folder and reads its list. On failure a sentence in ret_error. */
enum api_error players_load(const char *programs, struct players **ret_players,
                            char ret_error[STORE_ERROR_MAX]);
void players_free(struct players *players);

/* Whether a player of the list has this name. */
bool players_has(const struct players *players, const char *name);

/* Checks NAME or NAME:SETTING=VALUE,…; a registered name (registry.h) that is not in the list is
 * looked up in the store, first as a player, then as a model, which plays as the player "policy".
 * The shortest spec of that player is written to ret_spec (`size` bytes, PLAYER_SPEC_MAX are
 * enough); a model in it is the hash of its file, whatever name or alias it had. When it is not a
 * player: API_BAD_FIELD and a sentence in ret_error (`error_size` bytes; PLAYER_ERROR_MAX are
 * enough). */
enum api_error players_resolve(const struct players *players, struct store *store, const char *text,
                               size_t size, char *ret_spec, char *ret_error, size_t error_size);

/* The first hash of weights in a text, to ret_sha256, and what follows it; NULL: there is none.
 * Each one in a resolved spec of a player or a job is of weights that are played with. */
const char *players_next_weights(const char *text, char ret_sha256[65]);

/* Refuses each text at the place or below it that has a hash of weights that no model here has. In
 * the transaction that relies on them: models come and go. Failures of the store. */
enum api_error players_check_weights(struct store *store, const struct strict_place *place);

/* The spec, or what begins with one, with the name of the model in the place of a hash of weights,
 * for people; the spec itself where it has none that is registered. The caller owns it; NULL when
 * memory is short. */
json_t *players_name(struct store *store, const char *spec);

/* The list as the API shows it: [{"name","about","settings":[…]}] (api/player_spec.h); borrowed. */
const json_t *players_json(const struct players *players);

#endif
