/* Tensors of a network as a safetensors file (models/base/safetensors.h).
 * Private to this folder. */
#ifndef RINKD_MODELS_NETWORKS_NET_FILE_H
#define RINKD_MODELS_NETWORKS_NET_FILE_H

#include "models/networks/net_kind.h"

#include <jansson.h>

/* The numbers in a file. */
enum net_numbers {
    NET_FLOATS, /* float32 */
    NET_HALVES  /* half precision, models/base/half.h */
};

int64_t net_tensor_size(const struct net_tensor *tensor);                 /* numbers */
int64_t net_tensor_largest(const struct net_tensors *tensors, int count); /* of the first `count` */

/* Makes a file of the first `count` tensors and the notes, with room for the numbers: malloc'ed,
 * owned by the caller. The numbers of tensor k begin at ret_bytes + ret_at[k]. `notes`: an object
 * of texts for "__metadata__"; NULL: none. */
enum net_status net_file_frame(const struct net_tensors *tensors, int count,
                               enum net_numbers numbers, json_t *notes, unsigned char **ret_bytes,
                               size_t *ret_size, size_t ret_at[NET_TENSORS_MAX]);

/* Reads the notes of a file; the caller owns them, NULL: it has none. NET_BAD_FILE if the header is
 * broken. */
enum net_status net_file_notes(const unsigned char *bytes, size_t size, json_t **ret_notes);

/* Finds the first `count` tensors in a file, in any order, and checks that their numbers are finite
 * (squares and counts of the optimiser: also not negative). The file may also hold tensors of the
 * optimiser and texts; files of other tools are fine. Errors: NET_BAD_FILE, NET_BAD_SHAPE,
 * NET_NO_MEMORY; ret_at is then undefined. */
enum net_status net_file_find(const struct net_tensors *tensors, int count,
                              enum net_numbers numbers, const unsigned char *bytes, size_t size,
                              size_t ret_at[NET_TENSORS_MAX]);

/* Writes and reads, as floats, several networks with equal numbers of tensors; `tensors` lists them
 * network by network. net_file_write() mallocs the bytes, owned by the caller. net_file_read()
 * checks the whole file before it changes a network, then calls forget() on each (net_kind.h). */
enum net_status net_file_write(const struct net *const *nets, int net_count,
                               const struct net_tensors *tensors, int count, json_t *notes,
                               unsigned char **ret_bytes, size_t *ret_size);
enum net_status net_file_read(struct net *const *nets, int net_count,
                              const struct net_tensors *tensors, int count,
                              const unsigned char *bytes, size_t size, bool resume);

#endif
