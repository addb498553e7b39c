/* The policies of players: a process reads each file once, and each thread borrows its own copy.
 * All functions are thread-safe.
 *
 * Files are found by api/fields/player_spec.h: by hash in the folder of models, or by path. */
#ifndef RINKD_WORKERS_SEARCH_POLICY_POLICY_STORE_H
#define RINKD_WORKERS_SEARCH_POLICY_POLICY_STORE_H

#include "models/networks/policy.h"
#include "models/tables/profiles.h"
#include "workers/search/player/player.h"

/* The most policies kept at a time. A new one replaces the least recently used one that is not
 * borrowed. */
enum { POLICY_STORE_MOST = 16, POLICY_STORE_BYTES_MAX = 1 << 30 };

/* Sets the folder of HASH.safetensors, in place of the one named by the environment variable
 * RINKD_MODELS. The text is borrowed for the life of the process. */
void policy_store_folder(const char *folder);

/* Finds the path of a model's file, given by hash or path; at most `path_size` bytes. False: a
 * sentence. */
bool policy_store_path(const char *model, size_t path_size, char *ret_path, size_t size,
                       char *ret_error);

/* Loads a model. True: ret_sha256 is the SHA-256 of its file (64 hexadecimal digits and 0). False:
 * ret_error (`size` bytes) is a sentence that says why. The model's actions are those of
 * models/ice/action_grid.h. */
bool policy_store_find(const char *model, char ret_sha256[65], size_t size, char *ret_error);

/* True if a loaded model values single shots (policy.h: it sees "shots"). */
bool policy_store_values_shots(const char *model, const char *sha256);

/* True if a loaded model predicts the scores of the end. */
bool policy_store_has_scores(const char *model, const char *sha256);

/* Loads a policy from the bytes of a file: its hash finds it until policy_store_drop() was called
 * as often as this. Returns as policy_store_find() does. */
bool policy_store_add(const unsigned char *bytes, size_t bytes_size, char ret_sha256[65],
                      size_t size, char *ret_error);
void policy_store_drop(const char *sha256);

/* Lends the calling thread a copy of the policy until policy_store_return(). Reloads it from
 * `model` if it was dropped. NULL when the file is gone or has changed, or memory is short. */
struct policy *policy_store_borrow(const char *model, const char *sha256);
/* The same for the policy that is shipped for a profile; NULL if none is, or its file cannot be
 * used. */
struct policy *policy_store_borrow_shipped(const struct profile *profile);
void policy_store_return(struct policy *policy); /* NULL is fine */

/* The same for a player: by the model of its spec, or without one by the shipped policy. */
struct policy *policy_store_borrow_for(const struct player *player, const struct rules *rules);

/* Whether a policy is there for a player under these rules; if not, a sentence. */
bool policy_store_has_for(const struct player *player, const struct rules *rules, size_t size,
                          char *ret_error);

#endif
