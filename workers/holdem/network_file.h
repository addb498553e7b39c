/* Networks of hold'em as safetensors files: "weights", "base" and so on are tensors of F32; the
 * notes say the format and the form. */
#ifndef RINKD_WORKERS_HOLDEM_NETWORK_FILE_H
#define RINKD_WORKERS_HOLDEM_NETWORK_FILE_H

#include "workers/holdem/ensemble.h"

enum { POKER_FILE_ERROR_MAX = 1024 };

/* Returns the bytes of a file with one network, owned by the caller; NULL: memory is short. */
unsigned char *network_file_write(const struct poker_network *network, size_t *ret_size);
/* Reads such a file. The weights are one malloc'ed array, which the caller frees with free().
 * False, and a sentence: it is no such file, or memory is short. */
bool network_file_read(const unsigned char *bytes, size_t size, struct poker_network *ret_network,
                       char ret_error[POKER_FILE_ERROR_MAX]);

/* The same for all networks of an ensemble, of one form, and its styles. All weights are in one
 * array, that of network[0]. */
unsigned char *ensemble_file_write(const struct ensemble *ensemble, size_t *ret_size);
bool ensemble_file_read(const unsigned char *bytes, size_t size, struct ensemble *ret_ensemble,
                        char ret_error[POKER_FILE_ERROR_MAX]);

/* The shipped ensemble, read on first use; lives as long as the program. NULL, and a sentence: its
 * file is missing or damaged. Any thread. */
const struct ensemble *ensemble_shipped(char ret_error[POKER_FILE_ERROR_MAX]);

#endif
