/* Tensors as a safetensors file: 8 bytes with the length of the header (little-endian), the header
 * as JSON, then the numbers. Private to this folder. */
#ifndef RINKD_MODELS_NETWORKS_NET_FILE_H
#define RINKD_MODELS_NETWORKS_NET_FILE_H

#include "models/networks/net_kind.h"

#ifdef __cplusplus
extern "C" {
#endif

int64_t net_tensor_size(const struct net_tensor *tensor); /* numbers */

/* The first `count` tensors with room for their numbers: malloc'ed, of the caller. The numbers of
 * tensor k, all of them float32, begin at ret_bytes + ret_at[k]. */
enum net_status net_file_frame(const struct net_tensors *tensors, int count,
                               unsigned char **ret_bytes, size_t *ret_size,
                               size_t ret_at[NET_TENSORS_MAX]);

/* Finds the first `count` tensors in a file, in any order, and checks that their numbers are finite
 * (squares and counts of the optimiser also not negative) and that the file holds nothing else but
 * tensors of the optimiser and text under "__metadata__". Takes files of other tools too.
 * NET_BAD_FILE or NET_BAD_SHAPE otherwise; ret_at is then undefined. */
enum net_status net_file_find(const struct net_tensors *tensors, int count,
                              const unsigned char *bytes, size_t size,
                              size_t ret_at[NET_TENSORS_MAX]);

#ifdef __cplusplus
}
#endif

#endif
