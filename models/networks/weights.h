/* Maps files of weights read-only and finds the shipped ones.
 *
 * Shipped weights are installed once for all programs, in share/rinkd/weights beside bin, and lie
 * at the same place below a build folder. A program searches upwards from its own folder; the
 * environment variable RINKD_WEIGHTS names another folder. */
#ifndef RINKD_MODELS_NETWORKS_WEIGHTS_H
#define RINKD_MODELS_NETWORKS_WEIGHTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WEIGHTS_ERROR_MAX = 1024 };

struct weights {
    const unsigned char *bytes;
    size_t size;
};

/* Maps a file until weights_unmap(). False, and a sentence that names the file, if it cannot be
 * read or is empty; *ret_weights is then untouched. */
bool weights_map(const char *path, struct weights *ret_weights, char ret_error[WEIGHTS_ERROR_MAX]);
void weights_unmap(struct weights *weights);

/* The same for the shipped file NAME.safetensors, whose bytes must have this CRC-32 (as in gzip and
 * zlib). */
bool weights_map_shipped(const char *name, uint32_t crc32, struct weights *ret_weights,
                         char ret_error[WEIGHTS_ERROR_MAX]);

/* Finds the folder of shipped data `name` ("weights"): the one that the environment variable names,
 * or share/rinkd/NAME above this program. `size`: PATH_MAX is enough. False: there is none. */
bool weights_shared_folder(const char *variable, const char *name, size_t size, char *ret_folder);

#endif
