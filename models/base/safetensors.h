/* Headers of safetensors files, read and written: 8 bytes with the length of the header (little
 * endian), the header as JSON, then the bytes of all tensors.
 *   {"name":{"dtype":"F32","shape":[64,8],"data_offsets":[0,2048]},…,"__metadata__"?:{text:text}}
 * The reader trusts nothing: offsets lie within the file, each tensor has as many bytes as its type
 * and shape need, and together the tensors fill the file without holes and overlaps, in any order.
 */
#ifndef RINKD_MODELS_BASE_SAFETENSORS_H
#define RINKD_MODELS_BASE_SAFETENSORS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SAFETENSORS_PREFIX = 8,           /* bytes of the length */
    SAFETENSORS_HEADER_MAX = 4 << 20, /* bytes */
    SAFETENSORS_TENSORS_MAX = 10000,  /* also of texts under "__metadata__" */
    SAFETENSORS_RANK_MAX = 8,
    SAFETENSORS_PLACE_MAX = 128
};

enum safetensors_type {
    SAFETENSORS_F64,
    SAFETENSORS_F32,
    SAFETENSORS_F16,
    SAFETENSORS_BF16,
    SAFETENSORS_I64,
    SAFETENSORS_I32,
    SAFETENSORS_I16,
    SAFETENSORS_I8,
    SAFETENSORS_U64,
    SAFETENSORS_U32,
    SAFETENSORS_U16,
    SAFETENSORS_U8,
    SAFETENSORS_BOOL,
    SAFETENSORS_F8_E4M3,
    SAFETENSORS_F8_E5M2,
    SAFETENSORS_TYPES
};

/* "F64", …; lives as long as the program. */
const char *safetensors_type_name(enum safetensors_type type);

/* Bytes of an element. */
size_t safetensors_type_bytes(enum safetensors_type type);
/* Returns the index of the first of `count` elements that is infinite or not a number; `count`: all
 * are finite, as whole numbers are. */
size_t safetensors_find_infinite(enum safetensors_type type, const unsigned char *elements,
                                 size_t count);

struct safetensors_tensor {
    const char *name;
    enum safetensors_type type;
    int rank;
    int64_t side[SAFETENSORS_RANK_MAX];
    int64_t elements;
    int64_t begin, end; /* bytes after the header */
};

/* The contents of a header. */
struct safetensors {
    json_t *header;                    /* owns names and texts */
    struct safetensors_tensor *tensor; /* in the order of the header */
    int tensors;
    json_t *notes; /* "__metadata__": an object of texts; NULL: none */
};

/* Why a header is refused. */
struct safetensors_fault {
    const char *code; /* "json", "type", "unknown", "twice", "missing", "value", "range", "data" or
                       * "no_memory" */
    char place[SAFETENSORS_PLACE_MAX]; /* JSON pointer into the header; "" is the whole */
    char message[JSON_ERROR_TEXT_LENGTH];
};

/* Length of the header according to the first bytes of a file of `file_bytes` bytes; 0 if
 * impossible. */
size_t safetensors_header_length(const unsigned char prefix[SAFETENSORS_PREFIX],
                                 int64_t file_bytes);

/* Reads a header that `data_bytes` bytes of tensors follow. The caller gives *ret_file to
 * safetensors_free(). On failure *ret_file is untouched and *ret_fault says why. */
bool safetensors_read(const char *header, size_t length, int64_t data_bytes,
                      struct safetensors *ret_file, struct safetensors_fault *ret_fault);
void safetensors_free(struct safetensors *file); /* all zeros are fine */

/* Writes prefix and header and leaves room for the numbers after them: malloc'ed, owned by the
 * caller; NULL when memory is short. Spaces pad the header so that the numbers are aligned to 8
 * bytes. `file` has notes (or NULL) and tensors with name, type, rank and side; this call sets
 * elements and offsets, in the order of the tensors. The numbers of a tensor begin at *ret_data +
 * tensor.begin. */
unsigned char *safetensors_frame(struct safetensors *file, size_t *ret_data, size_t *ret_size);

#endif
