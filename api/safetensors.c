/* Checks headers of safetensors files. See safetensors.h. */
#include "api/safetensors.h"

#include <stdlib.h>
#include <string.h>

enum { HEADER_DEPTH_MAX = 4 };

static const char *const dtypes[] = {"F64",  "F32",     "F16",     "BF16", "I64", "I32",
                                     "I16",  "I8",      "U64",     "U32",  "U16", "U8",
                                     "BOOL", "F8_E4M3", "F8_E5M2", NULL};
static const int dtype_bytes[] = {8, 4, 2, 2, 8, 4, 2, 1, 8, 4, 2, 1, 1, 1, 1};
enum { DTYPES = sizeof dtype_bytes / sizeof dtype_bytes[0] };

struct extent {
    int64_t begin, end;
};

struct facts {
    int64_t parameters;
    bool has_dtype[DTYPES];
    struct extent *extent; /* of tensor 0, 1, …; those of no bytes left out */
    size_t extents;
};

size_t safetensors_header_length(const unsigned char prefix[SAFETENSORS_PREFIX], int64_t file_bytes,
                                 struct strict_errors *ret_errors)
{
    uint64_t length = 0;

    ret_errors->count = ret_errors->dropped = 0;
    for (int k = SAFETENSORS_PREFIX - 1; k >= 0; k--)
        length = length << 8 | prefix[k];
    if (length >= 2 && length <= SAFETENSORS_HEADER_MAX &&
        (int64_t)length <= file_bytes - SAFETENSORS_PREFIX)
        return (size_t)length;
    strict_refuse_at(ret_errors, "", "header",
                     "the first 8 bytes do not give the length of a safetensors header (2 to %d "
                     "bytes, within the file)",
                     SAFETENSORS_HEADER_MAX);
    return 0;
}

/* Elements of a tensor; -1 after an error. */
static int64_t read_shape(const struct strict_place *shape)
{
    int64_t elements = 1, side;

    if (!strict_array(shape, 0, SAFETENSORS_RANK_MAX))
        return -1;
    for (size_t k = 0; k < json_array_size(shape->value); k++) {
        const struct strict_place place = strict_element(shape, k);
        if (!strict_whole(&place, 0, INT64_MAX, &side))
            return -1;
        if (side > 0 && elements > INT64_MAX / 16 / side) {
            strict_refuse(shape, "range", "too many elements");
            return -1;
        }
        elements *= side;
    }
    return elements;
}

static void read_tensor(const struct strict_place *tensor, int64_t data_bytes, struct facts *facts)
{
    static const char *const keys[] = {"dtype", "shape", "data_offsets", NULL};
    const struct strict_place dtype = strict_member(tensor, "dtype");
    const struct strict_place shape = strict_member(tensor, "shape");
    const struct strict_place offsets = strict_member(tensor, "data_offsets");
    struct extent extent;
    int type;

    if (!strict_object(tensor, keys) || !strict_choice(&dtype, dtypes, &type))
        return;
    int64_t elements = read_shape(&shape);
    if (elements < 0 || !strict_array(&offsets, 2, 2))
        return;
    const struct strict_place begin = strict_element(&offsets, 0);
    const struct strict_place end = strict_element(&offsets, 1);
    if (!strict_whole(&begin, 0, data_bytes, &extent.begin) ||
        !strict_whole(&end, extent.begin, data_bytes, &extent.end))
        return;
    if (extent.end - extent.begin != elements * dtype_bytes[type]) {
        strict_refuse(&offsets, "value", "are not as far apart as dtype and shape need");
        return;
    }
    facts->parameters += elements;
    facts->has_dtype[type] = true;
    if (elements > 0)
        facts->extent[facts->extents++] = extent;
}

static void read_metadata(const struct strict_place *metadata)
{
    const char *key;
    json_t *value;

    if (!json_is_object(metadata->value)) {
        strict_refuse(metadata, "type", "must be an object");
        return;
    }
    json_object_foreach(metadata->value, key, value)
    {
        const struct strict_place member = strict_member(metadata, key);
        if (!json_is_string(value))
            strict_refuse(&member, "type", "must be a string");
    }
}

static int compare_extents(const void *a, const void *b)
{
    const struct extent *x = a, *y = b;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

/* Whether the tensors fill the data, one behind the other. */
static bool fill(struct facts *facts, int64_t data_bytes)
{
    int64_t at = 0;

    qsort(facts->extent, facts->extents, sizeof facts->extent[0], compare_extents);
    for (size_t k = 0; k < facts->extents; k++) {
        if (facts->extent[k].begin != at)
            return false;
        at = facts->extent[k].end;
    }
    return at == data_bytes;
}

static void read_header(const struct strict_place *root, int64_t data_bytes, struct facts *facts)
{
    const char *key;
    json_t *value;

    json_object_foreach(root->value, key, value)
    {
        const struct strict_place member = strict_member(root, key);
        if (strcmp(key, "__metadata__") == 0)
            read_metadata(&member);
        else
            read_tensor(&member, data_bytes, facts);
    }
    if (root->errors->count == 0 && !fill(facts, data_bytes))
        strict_refuse(root, "data",
                      "the tensors do not fill the %lld bytes behind the header without holes",
                      (long long)data_bytes);
}

static json_t *summary_json(const json_t *header, const struct facts *facts)
{
    json_t *metadata = json_object_get(header, "__metadata__");
    size_t tensors = json_object_size(header) - (metadata ? 1 : 0);
    json_t *types = json_array();

    for (int k = 0; k < DTYPES; k++)
        if (facts->has_dtype[k])
            json_array_append_new(types, json_string(dtypes[k]));
    return json_pack("{s:s, s:I, s:I, s:o, s:o}", "format", "safetensors", "tensors",
                     (json_int_t)tensors, "parameters", (json_int_t)facts->parameters, "dtypes",
                     types, "metadata", metadata ? json_incref(metadata) : json_object());
}

bool safetensors_header_check(const char *header, size_t length, int64_t data_bytes,
                              json_t **ret_summary, struct strict_errors *ret_errors)
{
    struct facts facts = {0};
    json_t *summary = NULL;

    ret_errors->count = ret_errors->dropped = 0;
    json_t *document =
        strict_parse(header, length, SAFETENSORS_HEADER_MAX, HEADER_DEPTH_MAX, ret_errors);
    if (!document)
        return false;
    const struct strict_place root = strict_root(document, ret_errors);
    if (!json_is_object(document) || json_object_size(document) > SAFETENSORS_TENSORS_MAX) {
        strict_refuse(&root, "type", "must be an object of at most %d tensors",
                      SAFETENSORS_TENSORS_MAX);
    } else if (!(facts.extent = calloc(json_object_size(document) + 1, sizeof *facts.extent))) {
        strict_refuse(&root, "memory", "out of memory");
    } else {
        read_header(&root, data_bytes, &facts);
        if (ret_errors->count == 0 && !(summary = summary_json(document, &facts)))
            strict_refuse(&root, "memory", "out of memory");
    }
    free(facts.extent);
    json_decref(document);
    if (summary)
        *ret_summary = summary;
    return summary != NULL;
}
