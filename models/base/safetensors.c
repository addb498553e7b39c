/* A reader of safetensors headers that trusts nothing, and a writer. See safetensors.h. */
#include "models/base/safetensors.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    int bytes;
    /* The bits of the last two bytes, of the last if there is one, that are all 1 in what is not
     * finite: the exponent. 0: there is no such. */
    unsigned infinite;
} types[SAFETENSORS_TYPES] = {
    [SAFETENSORS_F64] = {"F64", 8, 0x7ff0},
    [SAFETENSORS_F32] = {"F32", 4, 0x7f80},
    [SAFETENSORS_F16] = {"F16", 2, 0x7c00},
    [SAFETENSORS_BF16] = {"BF16", 2, 0x7f80},
    [SAFETENSORS_I64] = {"I64", 8, 0},
    [SAFETENSORS_I32] = {"I32", 4, 0},
    [SAFETENSORS_I16] = {"I16", 2, 0},
    [SAFETENSORS_I8] = {"I8", 1, 0},
    [SAFETENSORS_U64] = {"U64", 8, 0},
    [SAFETENSORS_U32] = {"U32", 4, 0},
    [SAFETENSORS_U16] = {"U16", 2, 0},
    [SAFETENSORS_U8] = {"U8", 1, 0},
    [SAFETENSORS_BOOL] = {"BOOL", 1, 0},
    [SAFETENSORS_F8_E4M3] = {"F8_E4M3", 1, 0x7f}, /* it has no infinity, and one NaN */
    [SAFETENSORS_F8_E5M2] = {"F8_E5M2", 1, 0x7c},
};

const char *safetensors_type_name(enum safetensors_type type)
{
    return types[type].name;
}

size_t safetensors_type_bytes(enum safetensors_type type)
{
    return (size_t)types[type].bytes;
}

size_t safetensors_find_infinite(enum safetensors_type type, const unsigned char *elements,
                                 size_t count)
{
    const size_t bytes = (size_t)types[type].bytes;
    const unsigned infinite = types[type].infinite;

    for (size_t k = 0; k < count && infinite; k++) {
        const unsigned char *last = elements + (k + 1) * bytes - 1;
        const unsigned top = bytes == 1 ? last[0] : (unsigned)last[0] << 8 | last[-1];
        if ((top & infinite) == infinite)
            return k;
    }
    return count;
}

size_t safetensors_header_length(const unsigned char prefix[SAFETENSORS_PREFIX], int64_t file_bytes)
{
    uint64_t length = 0;

    for (int k = SAFETENSORS_PREFIX - 1; k >= 0; k--)
        length = length << 8 | prefix[k];
    bool is_possible = length >= 2 && length <= SAFETENSORS_HEADER_MAX &&
                       (int64_t)length <= file_bytes - SAFETENSORS_PREFIX;
    return is_possible ? (size_t)length : 0;
}

/* ---- reading ---- */

struct reading {
    int64_t data_bytes;
    struct safetensors file;
    struct safetensors_fault fault;
};

/* Notes why the header is refused. The place is a JSON pointer: the name of the tensor (NULL: the
 * whole header), then `place`; a name that does not fit is left out. Returns false. */
static bool refuse(struct reading *reading, const char *code, const char *message, const char *name,
                   const char *place)
{
    struct safetensors_fault *fault = &reading->fault;
    size_t used = 0, rest = strlen(place);

    fault->code = code;
    snprintf(fault->message, sizeof fault->message, "%s", message);
    fault->place[0] = '\0';
    if (!name || rest + 2 * strlen(name) + 2 > sizeof fault->place)
        return false;
    fault->place[used++] = '/';
    for (; *name; name++) {
        if (*name == '~' || *name == '/')
            fault->place[used++] = '~';
        fault->place[used++] = *name == '~' ? '0' : *name == '/' ? '1' : *name;
    }
    memcpy(fault->place + used, place, rest + 1);
    return false;
}

/* Reads an array of `least` to `most` numbers. */
static bool read_numbers(struct reading *reading, const char *name, const char *place,
                         const json_t *array, size_t least, size_t most, int64_t *ret_numbers)
{
    char one[32];
    json_t *number;
    size_t k;

    if (!json_is_array(array))
        return refuse(reading, "type", "must be an array", name, place);
    if (json_array_size(array) > most)
        return refuse(reading, "range", "has too many elements", name, place);
    if (json_array_size(array) < least)
        return refuse(reading, "range", "has too few elements", name, place);
    json_array_foreach(array, k, number)
    {
        snprintf(one, sizeof one, "%s/%zu", place, k);
        if (!json_is_integer(number) || json_integer_value(number) < 0)
            return refuse(reading, "type", "must be a whole number, 0 or more", name, one);
        ret_numbers[k] = json_integer_value(number);
    }
    return true;
}

static bool read_type(struct reading *reading, const json_t *value,
                      struct safetensors_tensor *tensor)
{
    if (!json_is_string(value))
        return refuse(reading, "type", "must be a string", tensor->name, "/dtype");
    for (int k = 0; k < SAFETENSORS_TYPES; k++)
        if (strcmp(json_string_value(value), types[k].name) == 0) {
            tensor->type = (enum safetensors_type)k;
            return true;
        }
    return refuse(reading, "value", "is not a known type of numbers", tensor->name, "/dtype");
}

static bool read_shape(struct reading *reading, const json_t *value,
                       struct safetensors_tensor *tensor)
{
    if (!read_numbers(reading, tensor->name, "/shape", value, 0, SAFETENSORS_RANK_MAX,
                      tensor->side))
        return false;
    tensor->rank = (int)json_array_size(value);
    tensor->elements = 1;
    for (int k = 0; k < tensor->rank; k++) {
        int64_t side = tensor->side[k];
        if (side > 0 && tensor->elements > INT64_MAX / 16 / side)
            return refuse(reading, "range", "has too many elements", tensor->name, "/shape");
        tensor->elements *= side;
    }
    return true;
}

static bool read_offsets(struct reading *reading, const json_t *value,
                         struct safetensors_tensor *tensor)
{
    int64_t offset[2];

    if (!read_numbers(reading, tensor->name, "/data_offsets", value, 2, 2, offset))
        return false;
    if (offset[0] > reading->data_bytes)
        return refuse(reading, "range", "lies behind the end of the file", tensor->name,
                      "/data_offsets/0");
    if (offset[1] < offset[0] || offset[1] > reading->data_bytes)
        return refuse(reading, "range", "must lie behind the first offset and within the file",
                      tensor->name, "/data_offsets/1");
    tensor->begin = offset[0];
    tensor->end = offset[1];
    return true;
}

/* {"dtype":…,"shape":…,"data_offsets":…} in any order. */
static bool read_tensor(struct reading *reading, const char *name, json_t *object)
{
    static const struct {
        const char *place;
        bool (*read)(struct reading *reading, const json_t *value,
                     struct safetensors_tensor *tensor);
    } members[] = {{"/dtype", read_type}, {"/shape", read_shape}, {"/data_offsets", read_offsets}};
    enum { MEMBERS = sizeof members / sizeof members[0] };
    struct safetensors_tensor tensor = {.name = name};
    bool seen[MEMBERS] = {false};
    const char *key;
    json_t *value;

    if (!json_is_object(object))
        return refuse(reading, "type", "must be an object", name, "");
    json_object_foreach(object, key, value)
    {
        char place[32];
        int k = 0;
        while (k < MEMBERS && strcmp(key, members[k].place + 1) != 0)
            k++;
        if (k == MEMBERS) {
            bool fits = snprintf(place, sizeof place, "/%s", key) < (int)sizeof place;
            return refuse(reading, "unknown", "is not a member of a tensor", name,
                          fits ? place : "");
        }
        seen[k] = true;
        if (!members[k].read(reading, value, &tensor))
            return false;
    }
    for (int k = 0; k < MEMBERS; k++)
        if (!seen[k])
            return refuse(reading, "missing", "is missing", name, members[k].place);
    if (tensor.end - tensor.begin != tensor.elements * types[tensor.type].bytes)
        return refuse(reading, "value", "are not as far apart as dtype and shape need", name,
                      "/data_offsets");
    reading->file.tensor[reading->file.tensors++] = tensor;
    return true;
}

/* {"name":"text",…} */
static bool read_notes(struct reading *reading, const char *name, json_t *object)
{
    const char *key;
    json_t *value;

    if (!json_is_object(object))
        return refuse(reading, "type", "must be an object", name, "");
    if (json_object_size(object) > SAFETENSORS_TENSORS_MAX)
        return refuse(reading, "range", "has too many texts", name, "");
    json_object_foreach(object, key, value)
    {
        char place[64];
        bool fits = snprintf(place, sizeof place, "/%s", key) < (int)sizeof place;
        if (!json_is_string(value))
            return refuse(reading, "type", "must be a string", name, fits ? place : "");
    }
    reading->file.notes = object;
    return true;
}

/* Parses the header into reading->file.header, which owns all names and texts. */
static bool parse(struct reading *reading, const char *header, size_t length)
{
    json_error_t error;

    if (length > SAFETENSORS_HEADER_MAX)
        return refuse(reading, "range", "the header is too long", NULL, "");
    if (length == 0 || header[0] != '{') /* the format allows no space here */
        return refuse(reading, "type", "the header must be an object", NULL, "");
    reading->file.header = json_loadb(header, length, JSON_REJECT_DUPLICATES, &error);
    if (reading->file.header)
        return true;
    enum json_error_code code = json_error_code(&error);
    return refuse(reading,
                  code == json_error_duplicate_key   ? "twice"
                  : code == json_error_out_of_memory ? "no_memory"
                                                     : "json",
                  error.text, NULL, "");
}

static bool read_members(struct reading *reading)
{
    static const char notes[] = "__metadata__";
    json_t *header = reading->file.header, *value;
    size_t count = json_object_size(header);
    const char *key;

    if (count > SAFETENSORS_TENSORS_MAX + (json_object_get(header, notes) != NULL))
        return refuse(reading, "range", "has too many tensors", NULL, "");
    reading->file.tensor = calloc(count + 1, sizeof *reading->file.tensor);
    if (!reading->file.tensor)
        return refuse(reading, "no_memory", "memory is short", NULL, "");
    json_object_foreach(header, key, value) if (!(strcmp(key, notes) == 0 ? read_notes
                                                                          : read_tensor)(
                                                    reading, key, value)) return false;
    return true;
}

static int compare_extents(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    return (x[0] > y[0]) - (x[0] < y[0]);
}

/* The tensors must fill the data without gaps and overlaps. */
static bool check_extents(struct reading *reading)
{
    const struct safetensors *file = &reading->file;
    size_t count = 0, filled = 0;
    int64_t at = 0, (*extents)[2] = malloc(((size_t)file->tensors + 1) * sizeof *extents);

    if (!extents)
        return refuse(reading, "no_memory", "memory is short", NULL, "");
    for (int k = 0; k < file->tensors; k++)
        if (file->tensor[k].end > file->tensor[k].begin) {
            extents[count][0] = file->tensor[k].begin;
            extents[count++][1] = file->tensor[k].end;
        }
    qsort(extents, count, sizeof *extents, compare_extents);
    while (filled < count && extents[filled][0] == at)
        at = extents[filled++][1];
    free(extents);
    return (filled == count && at == reading->data_bytes) ||
           refuse(reading, "data",
                  "the tensors do not fill the bytes behind the header without holes and overlaps",
                  NULL, "");
}

bool safetensors_read(const char *header, size_t length, int64_t data_bytes,
                      struct safetensors *ret_file, struct safetensors_fault *ret_fault)
{
    struct reading reading = {.data_bytes = data_bytes};

    assert(data_bytes >= 0);
    if (parse(&reading, header, length) && read_members(&reading) && check_extents(&reading)) {
        *ret_file = reading.file;
        return true;
    }
    safetensors_free(&reading.file);
    *ret_fault = reading.fault;
    return false;
}

void safetensors_free(struct safetensors *file)
{
    free(file->tensor);
    json_decref(file->header);
}

/* ---- writing ---- */

static json_t *tensor_json(const struct safetensors_tensor *tensor)
{
    json_t *shape = json_array();

    for (int k = 0; k < tensor->rank; k++)
        if (json_array_append_new(shape, json_integer(tensor->side[k])) != 0) {
            json_decref(shape);
            return NULL;
        }
    return json_pack("{s:s, s:o, s:[I, I]}", "dtype", types[tensor->type].name, "shape", shape,
                     "data_offsets", (json_int_t)tensor->begin, (json_int_t)tensor->end);
}

/* The text of the header, malloc'ed; NULL when memory is short. */
static char *header_text(const struct safetensors *file)
{
    json_t *header = json_object();
    bool good = !file->notes || json_object_set(header, "__metadata__", file->notes) == 0;

    for (int k = 0; k < file->tensors && good; k++)
        good =
            json_object_set_new(header, file->tensor[k].name, tensor_json(&file->tensor[k])) == 0;
    char *text = good ? json_dumps(header, JSON_COMPACT) : NULL;
    json_decref(header);
    return text;
}

/* Sets the element counts and offsets of consecutive tensors; returns their size in bytes. */
static int64_t lay_out(struct safetensors *file)
{
    int64_t offset = 0;

    for (int k = 0; k < file->tensors; k++) {
        struct safetensors_tensor *tensor = &file->tensor[k];
        tensor->elements = 1;
        for (int i = 0; i < tensor->rank; i++)
            tensor->elements *= tensor->side[i];
        tensor->begin = offset;
        offset += tensor->elements * types[tensor->type].bytes;
        tensor->end = offset;
    }
    return offset;
}

unsigned char *safetensors_frame(struct safetensors *file, size_t *ret_data, size_t *ret_size)
{
    size_t numbers = (size_t)lay_out(file);
    char *header = header_text(file);
    size_t length = header ? strlen(header) : 0;
    size_t padding = (SAFETENSORS_PREFIX - length % SAFETENSORS_PREFIX) % SAFETENSORS_PREFIX;
    size_t data = SAFETENSORS_PREFIX + length + padding;
    unsigned char *bytes = header ? malloc(data + numbers) : NULL;

    if (bytes) {
        for (int k = 0; k < SAFETENSORS_PREFIX; k++)
            bytes[k] = (unsigned char)((uint64_t)(length + padding) >> 8 * k);
        memcpy(bytes + SAFETENSORS_PREFIX, header, length);
        memset(bytes + SAFETENSORS_PREFIX + length, ' ', padding);
        *ret_data = data;
        *ret_size = data + numbers;
    }
    free(header);
    return bytes;
}
