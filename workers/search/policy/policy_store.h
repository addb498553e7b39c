/* The policies of players: each file is read once a process, and each thread borrows a copy of its
 * own. All functions are thread-safe.
 *
 * Files are found by api/player_spec.h: by hash in the folder of models, or by path. */
#ifndef RINKD_WORKERS_SEARCH_POLICY_POLICY_STORE_H
#define RINKD_WORKERS_SEARCH_POLICY_POLICY_STORE_H

#include "models/networks/policy.h"

/* Policies kept at a time; the one used longest ago that is not borrowed makes room. */
enum { POLICY_STORE_MOST = 16, POLICY_STORE_BYTES_MAX = 1 << 30 };

/* Where HASH.safetensors are, instead of the folder that the environment calls RINKD_MODELS. The
 * text is borrowed for the life of the process. */
void policy_store_folder(const char *folder);

/* Loads a model: true and the SHA-256 of its file (64 hexadecimal digits and 0), or false and a
 * sentence in ret_error (`size` bytes). Its actions are those of models/ice/action_grid.h. */
bool policy_store_find(const char *model, char ret_sha256[65], size_t size, char *ret_error);

/* Whether a loaded model has the scores of the end. */
bool policy_store_has_scores(const char *model, const char *sha256);

/* Loads a policy from the bytes of a file: its hash finds it until policy_store_drop(). Returns as
 * policy_store_find() does. */
bool policy_store_add(const unsigned char *bytes, size_t bytes_size, char ret_sha256[65],
                      size_t size, char *ret_error);
void policy_store_drop(const char *sha256);

/* A copy of the policy for the calling thread until policy_store_return(). Reloads the policy from
 * `model` if it had to make room; NULL when the file is gone or has changed, or memory is short. */
struct policy *policy_store_borrow(const char *model, const char *sha256);
void policy_store_return(struct policy *policy); /* NULL is fine */

#endif
