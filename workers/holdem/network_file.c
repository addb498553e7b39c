/* Files of networks. A file has a tensor "weights" [networks][weights], and one "styles" if it is
 * an ensemble. */
#include "workers/holdem/network_file.h"

#include "models/base/safetensors.h"
#include "models/networks/weights.h"

#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FORMAT "rinkd-holdem-1"

/* The shipped file, models/weights/SHIPPED.safetensors. */
#define SHIPPED       "holdem_ensemble"
#define SHIPPED_CRC32 0xf76a89c6

__attribute__((format(printf, 2, 3))) static bool refuse(char *error, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(error, POKER_FILE_ERROR_MAX, format, arguments);
    va_end(arguments);
    return false;
}

/* ---- writing ---- */

static unsigned char *write_file(const struct poker_network *networks, int count,
                                 const struct style_vector *styles, size_t *ret_size)
{
    const struct poker_form form = networks[0].form;
    const size_t weights = poker_weight_count(form);
    struct safetensors_tensor tensors[2] = {
        {.name = "weights", .type = SAFETENSORS_F32, .rank = 2, .side = {count, (int64_t)weights}},
        {.name = "styles",
         .type = SAFETENSORS_F32,
         .rank = 3,
         .side = {POKER_STYLES, STYLE_STAGES, STYLE_NUMBERS}}};
    struct safetensors file = {.tensor = tensors, .tensors = styles ? 2 : 1};
    size_t data;

    file.notes =
        json_pack("{s:s, s:o, s:o}", "format", FORMAT, "cells", json_sprintf("%d", form.cells),
                  "hidden", json_sprintf("%d", form.hidden));
    unsigned char *bytes = file.notes ? safetensors_frame(&file, &data, ret_size) : NULL;
    for (int k = 0; k < count && bytes; k++)
        memcpy(bytes + data + tensors[0].begin + (size_t)k * weights * sizeof(float),
               networks[k].weights, weights * sizeof(float));
    if (bytes && styles)
        memcpy(bytes + data + tensors[1].begin, styles, POKER_STYLES * sizeof *styles);
    json_decref(file.notes);
    return bytes;
}

unsigned char *network_file_write(const struct poker_network *network, size_t *ret_size)
{
    return write_file(network, 1, NULL, ret_size);
}

unsigned char *ensemble_file_write(const struct ensemble *ensemble, size_t *ret_size)
{
    return write_file(ensemble->network, ENSEMBLE_NETWORKS, ensemble->style, ret_size);
}

/* ---- reading ---- */

static int number_of(const struct safetensors *file, const char *name, int most)
{
    const char *text = json_string_value(json_object_get(file->notes, name));
    char *end = NULL;
    long number = text ? strtol(text, &end, 10) : 0;

    return text && *end == '\0' && number > 0 && number <= most ? (int)number : 0;
}

/* Copies the numbers of the tensor called `name`; false: it is missing, has another size or numbers
 * that are not finite. */
static bool take_tensor(const struct safetensors *file, const unsigned char *data, const char *name,
                        size_t count, float *ret_numbers)
{
    for (int k = 0; k < file->tensors; k++) {
        const struct safetensors_tensor *tensor = &file->tensor[k];
        if (strcmp(tensor->name, name) != 0)
            continue;
        if (tensor->type != SAFETENSORS_F32 || tensor->elements != (int64_t)count)
            return false;
        memcpy(ret_numbers, data + tensor->begin, count * sizeof(float));
        for (size_t n = 0; n < count; n++)
            if (!isfinite(ret_numbers[n]))
                return false;
        return true;
    }
    return false;
}

/* Reads `count` networks and, unless NULL, styles. */
static bool take_file(const struct safetensors *file, const unsigned char *data, int count,
                      struct poker_network *ret_networks, struct style_vector *ret_styles,
                      char *error)
{
    const char *format = json_string_value(json_object_get(file->notes, "format"));
    const struct poker_form form = {number_of(file, "cells", POKER_CELLS_MAX),
                                    number_of(file, "hidden", POKER_HIDDEN_MAX)};

    if (!format || strcmp(format, FORMAT) != 0 || form.cells == 0 || form.hidden == 0)
        return refuse(error, "this is not a network of hold'em: its notes do not say " FORMAT
                             ", cells and hidden");
    size_t weights = poker_weight_count(form);
    float *all = malloc((size_t)count * weights * sizeof *all);
    if (!all)
        return refuse(error, "out of memory");
    if (!take_tensor(file, data, "weights", (size_t)count * weights, all) ||
        (ret_styles &&
         !take_tensor(file, data, "styles", sizeof *ret_styles / sizeof(float) * POKER_STYLES,
                      &ret_styles->number[0][0]))) {
        free(all);
        return refuse(error, "the weights do not have the size of the notes, or are not finite");
    }
    for (int k = 0; k < count; k++)
        ret_networks[k] = (struct poker_network){form, all + (size_t)k * weights};
    return true;
}

static bool read_file(const unsigned char *bytes, size_t size, int count,
                      struct poker_network *ret_networks, struct style_vector *ret_styles,
                      char *error)
{
    struct safetensors file;
    struct safetensors_fault fault;
    size_t length =
        size >= SAFETENSORS_PREFIX ? safetensors_header_length(bytes, (int64_t)size) : 0;

    if (length == 0)
        return refuse(error, "this is not a safetensors file");
    const unsigned char *data = bytes + SAFETENSORS_PREFIX + length;
    if (!safetensors_read((const char *)bytes + SAFETENSORS_PREFIX, length,
                          (int64_t)(size - SAFETENSORS_PREFIX - length), &file, &fault))
        return refuse(error, "%s: %s", fault.place, fault.message);
    bool good = take_file(&file, data, count, ret_networks, ret_styles, error);
    safetensors_free(&file);
    return good;
}

bool network_file_read(const unsigned char *bytes, size_t size, struct poker_network *ret_network,
                       char ret_error[POKER_FILE_ERROR_MAX])
{
    return read_file(bytes, size, 1, ret_network, NULL, ret_error);
}

bool ensemble_file_read(const unsigned char *bytes, size_t size, struct ensemble *ret_ensemble,
                        char ret_error[POKER_FILE_ERROR_MAX])
{
    ret_ensemble->kind = ENSEMBLE_FULL;
    return read_file(bytes, size, ENSEMBLE_NETWORKS, ret_ensemble->network, ret_ensemble->style,
                     ret_error);
}

/* ---- the shipped one ---- */

const struct ensemble *ensemble_shipped(char ret_error[POKER_FILE_ERROR_MAX])
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static struct ensemble shipped;
    static bool is_read;
    struct weights weights;

    pthread_mutex_lock(&lock);
    if (!is_read && weights_map_shipped(SHIPPED, SHIPPED_CRC32, &weights, ret_error)) {
        is_read = ensemble_file_read(weights.bytes, weights.size, &shipped, ret_error);
        weights_unmap(&weights);
    }
    bool good = is_read;
    pthread_mutex_unlock(&lock);
    return good ? &shipped : NULL;
}
