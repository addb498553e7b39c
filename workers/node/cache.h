/* Files by their SHA-256, on the disk of the node. A file is checked before it gets its name, so a
 * name is a promise; one that was cut off goes on where it stopped. */
#ifndef RINKD_WORKERS_NODE_CACHE_H
#define RINKD_WORKERS_NODE_CACHE_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

struct cache;

enum { CACHE_PATH_MAX = PATH_MAX + 160, CACHE_SHA256_MAX = 65 };

/* Makes the folder and its subfolders, locks it (one node at a time), and removes the tasks of an
 * earlier node. NULL after writing a sentence. */
struct cache *cache_open(const char *folder, int64_t bytes_max, char *ret_why, int why_size);
void cache_close(struct cache *cache); /* NULL is fine */

/* The folder of all files, HASH.safetensors each: weights are found there by players
 * (RINKD_MODELS). */
const char *cache_folder(const struct cache *cache);
/* The path of a file that is there or not. */
void cache_path(const struct cache *cache, const char *sha256, char ret_path[CACHE_PATH_MAX]);

/* Whether the file is there; it then counts as used now. */
bool cache_has(struct cache *cache, const char *sha256);
/* Opens the part of a file that has come, for appending. Returns the descriptor, -1: errno says
 * why. */
int cache_open_part(struct cache *cache, const char *sha256, int64_t *ret_bytes);
/* Checks the part and gives it its name; a part with another hash is removed. False: it was. */
bool cache_finish(struct cache *cache, const char *sha256);
/* Removes the files that were not used for longest until the rest fits, but none in use: those
 * whose hash is_used() knows. */
void cache_tidy(struct cache *cache, bool (*is_used)(const void *context, const char *sha256),
                const void *context);

/* Makes an empty folder for a task; the other removes it with its files. */
bool cache_make_work(struct cache *cache, const char *name, char ret_path[CACHE_PATH_MAX]);
void cache_remove_work(const char *path);

/* The SHA-256 of a file in hexadecimal, and its size. False: it cannot be read. */
bool cache_hash(const char *path, char ret_sha256[CACHE_SHA256_MAX], int64_t *ret_bytes);

#endif
