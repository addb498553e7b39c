/* Tensors as a safetensors file: 8 bytes with the length of the header (little-endian), the header
 * as JSON, then the numbers. Private to this folder. */
#ifndef RINKD_MODELS_NETWORKS_NET_FILE_H
#define RINKD_MODELS_NETWORKS_NET_FILE_H

#include "models/networks/net_kind.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { NET_NOTE_MAX = 72 }; /* bytes of a value, with 0 */

int64_t net_tensor_size(const struct net_tensor *tensor); /* numbers */

/* A text under "__metadata__". Characters of ASCII that need no escapes in JSON. */
struct net_note {
    const char *key;
    char value[NET_NOTE_MAX];
};

/* The first `count` tensors with room for their numbers: malloc'ed, of the caller. The numbers of
 * tensor k, all of them float32, begin at ret_bytes + ret_at[k]. `note_count` notes, which may be
 * none. */
enum net_status net_file_frame(const struct net_tensors *tensors, int count,
                               const struct net_note *notes, int note_count,
                               unsigned char **ret_bytes, size_t *ret_size,
                               size_t ret_at[NET_TENSORS_MAX]);

/* Reads the values of notes by their keys: ret_notes[k].value is "" for a key that the file does
 * not have. NET_BAD_FILE when its header is broken, has a key twice, or a value that is too long or
 * written with escapes; the values are then undefined. */
enum net_status net_file_notes(const unsigned char *bytes, size_t size, struct net_note *ret_notes,
                               int note_count);

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
