/* The end-value networks that players name: a process reads each file once and keeps it. Files are
 * found as policies are (policy_store.h). Thread-safe. */
#ifndef RINKD_WORKERS_SEARCH_POLICY_VALUE_STORE_H
#define RINKD_WORKERS_SEARCH_POLICY_VALUE_STORE_H

#include "models/game/rules.h"
#include "models/networks/end_value.h"

#include <stdbool.h>
#include <stddef.h>

/* The most networks of a process. */
enum { VALUE_STORE_MOST = 16 };

/* Loads a network. True: ret_sha256 is the SHA-256 of its file (64 hexadecimal digits and 0).
 * False: ret_error (`size` bytes) is a sentence: the file is missing, is no end-value network of a
 * training, or has stages that learned nothing yet. */
bool value_store_find(const char *model, char ret_sha256[65], size_t size, char *ret_error);

/* Whether a loaded network was trained under these rules; if not, a sentence. */
bool value_store_fits(const char *sha256, const struct rules *rules, size_t size, char *ret_error);

/* Returns a loaded network, which lives as long as the program. NULL: it is not loaded. */
const struct end_value *value_store_get(const char *sha256);

#endif
