/* Tensors of a network as a safetensors file. See net_file.h. */
#include "models/networks/net_file.h"

#include "models/base/half.h"
#include "models/base/safetensors.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers go into files as they are");

enum { FLOAT_BYTES = sizeof(float), HALF_BYTES = sizeof(uint16_t) };

static enum safetensors_type type_of(enum net_numbers numbers)
{
    return numbers == NET_HALVES ? SAFETENSORS_F16 : SAFETENSORS_F32;
}

int64_t net_tensor_size(const struct net_tensor *tensor)
{
    int64_t size = 1;
    for (int k = 0; k < tensor->rank; k++)
        size *= tensor->side[k];
    return size;
}

int64_t net_tensor_largest(const struct net_tensors *tensors, int count)
{
    int64_t largest = 0;
    for (int k = 0; k < count; k++) {
        int64_t size = net_tensor_size(&tensors->tensor[k]);
        largest = size > largest ? size : largest;
    }
    return largest;
}

/* --- writing --- */

enum net_status net_file_frame(const struct net_tensors *tensors, int count,
                               enum net_numbers numbers, json_t *notes, unsigned char **ret_bytes,
                               size_t *ret_size, size_t ret_at[NET_TENSORS_MAX])
{
    struct safetensors_tensor tensor[NET_TENSORS_MAX];
    struct safetensors file = {.tensor = tensor, .tensors = count, .notes = notes};
    size_t data;

    assert(count <= NET_TENSORS_MAX);
    for (int k = 0; k < count; k++) {
        const struct net_tensor *one = &tensors->tensor[k];
        tensor[k] = (struct safetensors_tensor){
            .name = one->name, .type = type_of(numbers), .rank = one->rank};
        memcpy(tensor[k].side, one->side, sizeof one->side);
    }
    unsigned char *bytes = safetensors_frame(&file, &data, ret_size);
    if (!bytes)
        return NET_NO_MEMORY;
    for (int k = 0; k < count; k++)
        ret_at[k] = data + (size_t)tensor[k].begin;
    *ret_bytes = bytes;
    return NET_OK;
}

/* Writes the numbers of the first `count` tensors of a network at offsets at[k]. */
static enum net_status put(const struct net *net, int count, const size_t *at, unsigned char *bytes)
{
    enum net_status status = NET_OK;

    for (int k = 0; k < count && status == NET_OK; k++)
        status = net->kind->get(net, k, (float *)(void *)(bytes + at[k]));
    return status;
}

enum net_status net_file_write(const struct net *const *nets, int net_count,
                               const struct net_tensors *tensors, int count, json_t *notes,
                               unsigned char **ret_bytes, size_t *ret_size)
{
    size_t at[NET_TENSORS_MAX];
    unsigned char *bytes;
    int each = count / net_count;

    enum net_status status =
        net_file_frame(tensors, count, NET_FLOATS, notes, &bytes, ret_size, at);
    if (status != NET_OK)
        return status;
    for (int k = 0; k < net_count && status == NET_OK; k++)
        status = put(nets[k], each, at + k * each, bytes);
    if (status == NET_OK)
        *ret_bytes = bytes;
    else
        free(bytes);
    return status;
}

/* --- reading --- */

/* Reads the header of a file; the caller passes it to safetensors_free(). */
static enum net_status read_header(const unsigned char *bytes, size_t size,
                                   struct safetensors *ret_file, size_t *ret_data)
{
    struct safetensors_fault fault;

    if (size < SAFETENSORS_PREFIX || size > INT64_MAX)
        return NET_BAD_FILE;
    size_t length = safetensors_header_length(bytes, (int64_t)size);
    if (length == 0)
        return NET_BAD_FILE;
    *ret_data = SAFETENSORS_PREFIX + length;
    if (safetensors_read((const char *)bytes + SAFETENSORS_PREFIX, length,
                         (int64_t)(size - *ret_data), ret_file, &fault))
        return NET_OK;
    return strcmp(fault.code, "no_memory") == 0 ? NET_NO_MEMORY : NET_BAD_FILE;
}

enum net_status net_file_notes(const unsigned char *bytes, size_t size, json_t **ret_notes)
{
    struct safetensors file;
    size_t data;

    enum net_status status = read_header(bytes, size, &file, &data);
    if (status != NET_OK)
        return status;
    *ret_notes = json_incref(file.notes);
    safetensors_free(&file);
    return NET_OK;
}

static bool same_shape(const struct net_tensor *tensor, enum net_numbers numbers,
                       const struct safetensors_tensor *found)
{
    return found->type == type_of(numbers) && found->rank == tensor->rank &&
           memcmp(found->side, tensor->side, (size_t)found->rank * sizeof *found->side) == 0;
}

/* Finds the tensors by name in a file whose data begins at `data`. */
static enum net_status match(const struct net_tensors *tensors, int count, enum net_numbers numbers,
                             const struct safetensors *file, size_t data,
                             size_t ret_at[NET_TENSORS_MAX])
{
    int found = 0;

    for (int i = 0; i < file->tensors; i++) {
        const struct safetensors_tensor *one = &file->tensor[i];
        int k = 0;
        while (k < count && strcmp(one->name, tensors->tensor[k].name) != 0)
            k++;
        if (k < count) {
            if (!same_shape(&tensors->tensor[k], numbers, one))
                return NET_BAD_SHAPE;
            ret_at[k] = data + (size_t)one->begin;
            found++;
        } else if (strncmp(one->name, NET_OPTIMISER, strlen(NET_OPTIMISER)) != 0) {
            return NET_BAD_SHAPE;
        }
    }
    return found == count ? NET_OK : NET_BAD_SHAPE; /* names are unique */
}

/* Checks all numbers without a branch, four at a time: every program start runs this. */
static bool are_floats_sound(const unsigned char *bytes, int64_t count, bool is_positive)
{
    const uint32_t exponent = 0x7f800000u, sign = is_positive ? 0x80000000u : 0;
    uint32_t bad = 0;

    for (int64_t k = 0; k < count; k++) {
        uint32_t bits;
        memcpy(&bits, bytes + FLOAT_BYTES * k, sizeof bits);
        bad |= (uint32_t)((bits & exponent) == exponent) | (bits & sign);
    }
    return bad == 0;
}

static bool are_halves_sound(const unsigned char *bytes, int64_t count)
{
    uint32_t bad = 0;

    for (int64_t k = 0; k < count; k++) {
        uint16_t bits;
        memcpy(&bits, bytes + HALF_BYTES * k, sizeof bits);
        bad |= (uint32_t)((bits & HALF_INFINITE) == HALF_INFINITE);
    }
    return bad == 0;
}

static bool is_sound(const struct net_tensor *tensor, enum net_numbers numbers,
                     const unsigned char *bytes)
{
    const bool is_positive =
        strncmp(tensor->name, NET_OPTIMISER_SQUARES, strlen(NET_OPTIMISER_SQUARES)) == 0 ||
        strncmp(tensor->name, NET_OPTIMISER_COUNT, strlen(NET_OPTIMISER_COUNT)) == 0;

    return numbers == NET_HALVES ? are_halves_sound(bytes, net_tensor_size(tensor))
                                 : are_floats_sound(bytes, net_tensor_size(tensor), is_positive);
}

enum net_status net_file_find(const struct net_tensors *tensors, int count,
                              enum net_numbers numbers, const unsigned char *bytes, size_t size,
                              size_t ret_at[NET_TENSORS_MAX])
{
    struct safetensors file;
    size_t data;

    enum net_status status = read_header(bytes, size, &file, &data);
    if (status != NET_OK)
        return status;
    status = match(tensors, count, numbers, &file, data, ret_at);
    safetensors_free(&file);
    for (int k = 0; k < count && status == NET_OK; k++)
        if (!is_sound(&tensors->tensor[k], numbers, bytes + ret_at[k]))
            status = NET_BAD_FILE;
    return status;
}

/* Numbers in foreign files may be unaligned, so each tensor is copied to aligned memory. */
static enum net_status take(struct net *net, int count, const size_t *at,
                            const unsigned char *bytes)
{
    enum net_status status = NET_OK;
    struct net_tensors tensors;

    net->kind->tensors(net, &tensors);
    float *aligned = malloc((size_t)net_tensor_largest(&tensors, count) * sizeof *aligned);
    if (!aligned)
        return NET_NO_MEMORY;
    for (int k = 0; k < count && status == NET_OK; k++) {
        memcpy(aligned, bytes + at[k],
               (size_t)net_tensor_size(&tensors.tensor[k]) * sizeof *aligned);
        status = net->kind->set(net, k, aligned);
    }
    free(aligned);
    return status;
}

enum net_status net_file_read(struct net *const *nets, int net_count,
                              const struct net_tensors *tensors, int count,
                              const unsigned char *bytes, size_t size, bool resume)
{
    size_t at[NET_TENSORS_MAX];
    int each = count / net_count;

    enum net_status status = net_file_find(tensors, count, NET_FLOATS, bytes, size, at);
    for (int k = 0; k < net_count && status == NET_OK; k++) {
        status = take(nets[k], each, at + k * each, bytes);
        if (status != NET_NO_MEMORY) /* on NET_NO_MEMORY nothing was set */
            nets[k]->kind->forget(nets[k], resume);
    }
    return status;
}
