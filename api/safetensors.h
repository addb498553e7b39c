/* The header of a safetensors file, checked before anybody trusts the file: 8 bytes with the length
 * of the header (little endian), the header as JSON, then the bytes of all tensors.
 *   {"name":{"dtype":"F32","shape":[64,8],"data_offsets":[0,2048]},…,"__metadata__"?:{text:text}}
 * The tensors have to fill the rest of the file without holes and overlaps, in any order. */
#ifndef RINKD_API_SAFETENSORS_H
#define RINKD_API_SAFETENSORS_H

#include "api/strict_json.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    SAFETENSORS_PREFIX = 8,           /* bytes of the length */
    SAFETENSORS_HEADER_MAX = 4 << 20, /* bytes */
    SAFETENSORS_TENSORS_MAX = 10000,
    SAFETENSORS_RANK_MAX = 8
};

/* The length of the header by the first bytes of a file of so many bytes; 0 and an error when it
 * cannot be. */
size_t safetensors_header_length(const unsigned char prefix[SAFETENSORS_PREFIX], int64_t file_bytes,
                                 struct strict_errors *ret_errors);

/* Checks a header, which need not end in 0, of a file with `data_bytes` bytes behind it. True and
 * {"format":"safetensors","tensors":N,"parameters":N,"dtypes":[…],"metadata":{…}} for the caller,
 * or false and at least one error. */
bool safetensors_header_check(const char *header, size_t length, int64_t data_bytes,
                              json_t **ret_summary, struct strict_errors *ret_errors);

#ifdef __cplusplus
}
#endif

#endif
