/* A reader of safetensors headers that trusts nothing, and a writer. See safetensors.h. */
#include "models/base/safetensors.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    int bytes;
} types[SAFETENSORS_TYPES] = {
    [SAFETENSORS_F64] = {"F64", 8},         [SAFETENSORS_F32] = {"F32", 4},
    [SAFETENSORS_F16] = {"F16", 2},         [SAFETENSORS_BF16] = {"BF16", 2},
    [SAFETENSORS_I64] = {"I64", 8},         [SAFETENSORS_I32] = {"I32", 4},
    [SAFETENSORS_I16] = {"I16", 2},         [SAFETENSORS_I8] = {"I8", 1},
    [SAFETENSORS_U64] = {"U64", 8},         [SAFETENSORS_U32] = {"U32", 4},
    [SAFETENSORS_U16] = {"U16", 2},         [SAFETENSORS_U8] = {"U8", 1},
    [SAFETENSORS_BOOL] = {"BOOL", 1},       [SAFETENSORS_F8_E4M3] = {"F8_E4M3", 1},
    [SAFETENSORS_F8_E5M2] = {"F8_E5M2", 1},
};

const char *safetensors_type_name(enum safetensors_type type)
{
    return types[type].name;
}

bool safetensors_text_is(const struct safetensors_text *text, const char *wanted)
{
    return text->length == strlen(wanted) && memcmp(text->at, wanted, text->length) == 0;
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

/* ---- text ---- */

/* The unread part of the header, and the values read so far. Each reader below skips spaces and
 * takes the item in its name off the front; false if something else comes next. */
struct reading {
    const char *at, *end;
    int64_t data_bytes;
    struct safetensors file;
    int tensor_room, note_room;
    struct safetensors_fault fault; /* the first one; code NULL: none yet */
};

/* Notes why the header is refused; the first reason counts. The place is a JSON pointer made of
 * these keys; keys that do not fit are left out. */
static bool refuse(struct reading *reading, const char *code, const char *message,
                   const struct safetensors_text *name, const char *place)
{
    struct safetensors_fault *fault = &reading->fault;
    size_t used = 0, rest = strlen(place);

    if (fault->code)
        return false;
    fault->code = code;
    fault->message = message;
    fault->place[0] = '\0';
    if (!name || rest + 2 * name->length + 2 > sizeof fault->place)
        return false;
    fault->place[used++] = '/';
    for (size_t k = 0; k < name->length; k++) {
        char c = name->at[k];
        if (c == '~' || c == '/')
            fault->place[used++] = '~';
        fault->place[used++] = c == '~' ? '0' : c;
        if (c == '/')
            fault->place[used - 1] = '1';
    }
    memcpy(fault->place + used, place, rest + 1);
    return false;
}

static void skip_space(struct reading *reading)
{
    while (reading->at < reading->end && *reading->at && strchr(" \t\n\r", *reading->at))
        reading->at++;
}

static bool read_mark(struct reading *reading, char mark)
{
    skip_space(reading);
    if (reading->at == reading->end || *reading->at != mark)
        return false;
    reading->at++;
    return true;
}

static bool read_string(struct reading *reading, struct safetensors_text *ret_text)
{
    if (!read_mark(reading, '"'))
        return false;
    ret_text->at = reading->at;
    for (; reading->at < reading->end && *reading->at != '"'; reading->at++) {
        if ((unsigned char)*reading->at < ' ')
            return false;
        if (*reading->at == '\\' && ++reading->at == reading->end)
            return false;
    }
    ret_text->length = (size_t)(reading->at - ret_text->at);
    return read_mark(reading, '"');
}

static bool read_number(struct reading *reading, int64_t *ret_number)
{
    int64_t number = 0;

    skip_space(reading);
    const char *first = reading->at;
    for (; reading->at < reading->end && *reading->at >= '0' && *reading->at <= '9';
         reading->at++) {
        if (number > (INT64_MAX - 9) / 10)
            return false;
        number = 10 * number + (*reading->at - '0');
    }
    *ret_number = number;
    return reading->at > first && (*first != '0' || reading->at == first + 1);
}

/* [1,2,3] at the place, from `least` to `most` numbers. */
static bool read_numbers(struct reading *reading, const struct safetensors_text *name,
                         const char *place, int least, int most, int64_t *ret_numbers,
                         int *ret_count)
{
    int count = 0;
    char one[32];

    if (!read_mark(reading, '['))
        return refuse(reading, "type", "must be an array", name, place);
    if (!read_mark(reading, ']')) {
        do {
            if (count == most)
                return refuse(reading, "range", "has too many elements", name, place);
            snprintf(one, sizeof one, "%s/%d", place, count);
            if (!read_number(reading, &ret_numbers[count++]))
                return refuse(reading, "type", "must be a whole number, 0 or more", name, one);
        } while (read_mark(reading, ','));
        if (!read_mark(reading, ']'))
            return refuse(reading, "type", "must be an array of whole numbers", name, place);
    }
    if (count < least)
        return refuse(reading, "range", "has too few elements", name, place);
    *ret_count = count;
    return true;
}

/* ---- tensors and notes ---- */

/* Makes room for one more element; false when memory is short or there are too many. */
static bool make_room(struct reading *reading, void **array, size_t size, int count, int *room)
{
    if (count < *room)
        return true;
    if (count == SAFETENSORS_TENSORS_MAX)
        return refuse(reading, "range", "has too many tensors or texts", NULL, "");
    int wanted = *room ? 2 * *room : 32;
    if (wanted > SAFETENSORS_TENSORS_MAX)
        wanted = SAFETENSORS_TENSORS_MAX;
    void *larger = realloc(*array, (size_t)wanted * size);
    if (!larger)
        return refuse(reading, "no_memory", "memory is short", NULL, "");
    *array = larger;
    *room = wanted;
    return true;
}

static bool read_type(struct reading *reading, struct safetensors_tensor *tensor)
{
    struct safetensors_text text;

    if (!read_string(reading, &text))
        return refuse(reading, "type", "must be a string", &tensor->name, "/dtype");
    for (int k = 0; k < SAFETENSORS_TYPES; k++)
        if (safetensors_text_is(&text, types[k].name)) {
            tensor->type = (enum safetensors_type)k;
            return true;
        }
    return refuse(reading, "value", "is not a known type of numbers", &tensor->name, "/dtype");
}

static bool read_shape(struct reading *reading, struct safetensors_tensor *tensor)
{
    if (!read_numbers(reading, &tensor->name, "/shape", 0, SAFETENSORS_RANK_MAX, tensor->side,
                      &tensor->rank))
        return false;
    tensor->elements = 1;
    for (int k = 0; k < tensor->rank; k++) {
        int64_t side = tensor->side[k];
        if (side > 0 && tensor->elements > INT64_MAX / 16 / side)
            return refuse(reading, "range", "has too many elements", &tensor->name, "/shape");
        tensor->elements *= side;
    }
    return true;
}

static bool read_offsets(struct reading *reading, struct safetensors_tensor *tensor)
{
    int64_t offset[2];
    int count;

    if (!read_numbers(reading, &tensor->name, "/data_offsets", 2, 2, offset, &count))
        return false;
    if (offset[0] > reading->data_bytes)
        return refuse(reading, "range", "lies behind the end of the file", &tensor->name,
                      "/data_offsets/0");
    if (offset[1] < offset[0] || offset[1] > reading->data_bytes)
        return refuse(reading, "range", "must lie behind the first offset and within the file",
                      &tensor->name, "/data_offsets/1");
    tensor->begin = offset[0];
    tensor->end = offset[1];
    return true;
}

/* {"dtype":…,"shape":…,"data_offsets":…} in any order. */
static bool read_tensor(struct reading *reading, const struct safetensors_text *name)
{
    static const struct {
        const char *key, *place;
        bool (*read)(struct reading *reading, struct safetensors_tensor *tensor);
    } members[] = {{"dtype", "/dtype", read_type},
                   {"shape", "/shape", read_shape},
                   {"data_offsets", "/data_offsets", read_offsets}};
    enum { MEMBERS = sizeof members / sizeof members[0] };
    struct safetensors_tensor tensor = {.name = *name};
    struct safetensors_text key;
    bool seen[MEMBERS] = {false};

    if (!read_mark(reading, '{'))
        return refuse(reading, "type", "must be an object", name, "");
    do {
        int k = 0;
        if (!read_string(reading, &key) || !read_mark(reading, ':'))
            return refuse(reading, "json", "must be an object of members", name, "");
        while (k < MEMBERS && !safetensors_text_is(&key, members[k].key))
            k++;
        if (k == MEMBERS) {
            char place[32] = "";
            if (key.length < sizeof place - 1)
                snprintf(place, sizeof place, "/%.*s", (int)key.length, key.at);
            return refuse(reading, "unknown", "is not a member of a tensor", name, place);
        }
        if (seen[k])
            return refuse(reading, "twice", "is there twice", name, members[k].place);
        seen[k] = true;
        if (!members[k].read(reading, &tensor))
            return false;
    } while (read_mark(reading, ','));
    if (!read_mark(reading, '}'))
        return refuse(reading, "json", "must end with }", name, "");
    for (int k = 0; k < MEMBERS; k++)
        if (!seen[k])
            return refuse(reading, "missing", "is missing", name, members[k].place);
    if (tensor.end - tensor.begin != tensor.elements * types[tensor.type].bytes)
        return refuse(reading, "value", "are not as far apart as dtype and shape need", name,
                      "/data_offsets");
    struct safetensors *file = &reading->file;
    if (!make_room(reading, (void **)&file->tensor, sizeof *file->tensor, file->tensors,
                   &reading->tensor_room))
        return false;
    file->tensor[file->tensors++] = tensor;
    return true;
}

/* {"name":"text",…} */
static bool read_metadata(struct reading *reading, const struct safetensors_text *name)
{
    struct safetensors *file = &reading->file;
    struct safetensors_note note;

    if (file->metadata.length > 0)
        return refuse(reading, "twice", "is there twice", name, "");
    skip_space(reading);
    file->metadata.at = reading->at;
    if (!read_mark(reading, '{'))
        return refuse(reading, "type", "must be an object", name, "");
    if (!read_mark(reading, '}')) {
        do {
            if (!read_string(reading, &note.key) || !read_mark(reading, ':'))
                return refuse(reading, "json", "must be an object of members", name, "");
            if (!read_string(reading, &note.value)) {
                char place[64] = "";
                if (note.key.length < sizeof place - 1)
                    snprintf(place, sizeof place, "/%.*s", (int)note.key.length, note.key.at);
                return refuse(reading, "type", "must be a string", name, place);
            }
            if (!make_room(reading, (void **)&file->note, sizeof *file->note, file->notes,
                           &reading->note_room))
                return false;
            file->note[file->notes++] = note;
        } while (read_mark(reading, ','));
        if (!read_mark(reading, '}'))
            return refuse(reading, "json", "must end with }", name, "");
    }
    file->metadata.length = (size_t)(reading->at - file->metadata.at);
    return true;
}

static bool read_members(struct reading *reading)
{
    struct safetensors_text name;

    if (reading->at == reading->end || *reading->at != '{') /* the format allows no space here */
        return refuse(reading, "type", "the header must be an object", NULL, "");
    reading->at++;
    if (!read_mark(reading, '}')) {
        do {
            if (!read_string(reading, &name) || !read_mark(reading, ':'))
                return refuse(reading, "json", "the header must be an object of tensors", NULL, "");
            bool is_metadata = safetensors_text_is(&name, "__metadata__");
            if (!(is_metadata ? read_metadata : read_tensor)(reading, &name))
                return false;
        } while (read_mark(reading, ','));
        if (!read_mark(reading, '}'))
            return refuse(reading, "json", "the header must end with }", NULL, "");
    }
    skip_space(reading);
    return reading->at == reading->end ||
           refuse(reading, "json", "something stands behind the header's last }", NULL, "");
}

/* ---- the whole header ---- */

static int compare_texts(const void *a, const void *b)
{
    const struct safetensors_text *x = a, *y = b;

    if (x->length != y->length)
        return x->length < y->length ? -1 : 1;
    return memcmp(x->at, y->at, x->length);
}

static int compare_extents(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    return (x[0] > y[0]) - (x[0] < y[0]);
}

/* Refuses duplicate names. `texts`: room for all of them. */
static bool check_names(struct reading *reading, struct safetensors_text *texts)
{
    const struct safetensors *file = &reading->file;

    for (int of_notes = 0; of_notes < 2; of_notes++) {
        int count = of_notes ? file->notes : file->tensors;
        for (int k = 0; k < count; k++)
            texts[k] = of_notes ? file->note[k].key : file->tensor[k].name;
        if (count > 1)
            qsort(texts, (size_t)count, sizeof *texts, compare_texts);
        for (int k = 1; k < count; k++)
            if (compare_texts(&texts[k - 1], &texts[k]) == 0)
                return refuse(reading, "twice", "is there twice", &texts[k], "");
    }
    return true;
}

/* The tensors must fill the data without gaps and overlaps. `extents`: room for all of them. */
static bool check_extents(struct reading *reading, int64_t (*extents)[2])
{
    const struct safetensors *file = &reading->file;
    size_t count = 0;
    int64_t at = 0;

    for (int k = 0; k < file->tensors; k++)
        if (file->tensor[k].end > file->tensor[k].begin) {
            extents[count][0] = file->tensor[k].begin;
            extents[count++][1] = file->tensor[k].end;
        }
    if (count > 1)
        qsort(extents, count, sizeof *extents, compare_extents);
    size_t filled = 0;
    while (filled < count && extents[filled][0] == at)
        at = extents[filled++][1];
    return (filled == count && at == reading->data_bytes) ||
           refuse(reading, "data",
                  "the tensors do not fill the bytes behind the header without holes and overlaps",
                  NULL, "");
}

static bool check_whole(struct reading *reading)
{
    const struct safetensors *file = &reading->file;
    size_t most = (size_t)(file->tensors > file->notes ? file->tensors : file->notes) + 1;
    struct safetensors_text *texts = malloc(most * sizeof *texts);
    int64_t(*extents)[2] = malloc(most * sizeof *extents);

    bool good = texts && extents ? check_names(reading, texts) && check_extents(reading, extents)
                                 : refuse(reading, "no_memory", "memory is short", NULL, "");
    free(texts);
    free(extents);
    return good;
}

bool safetensors_read(const char *header, size_t length, int64_t data_bytes,
                      struct safetensors *ret_file, struct safetensors_fault *ret_fault)
{
    struct reading reading = {.at = header, .end = header + length, .data_bytes = data_bytes};

    assert(data_bytes >= 0);
    if (length > SAFETENSORS_HEADER_MAX)
        refuse(&reading, "range", "the header is too long", NULL, "");
    else if (read_members(&reading) && check_whole(&reading)) {
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
    free(file->note);
}

/* ---- writing ---- */

static void write_tensor(FILE *text, const struct safetensors_tensor *tensor)
{
    fprintf(text, "\"%.*s\":{\"dtype\":\"%s\",\"shape\":[", (int)tensor->name.length,
            tensor->name.at, types[tensor->type].name);
    for (int k = 0; k < tensor->rank; k++)
        fprintf(text, "%s%lld", k ? "," : "", (long long)tensor->side[k]);
    fprintf(text, "],\"data_offsets\":[%lld,%lld]}", (long long)tensor->begin,
            (long long)tensor->end);
}

static void write_header(FILE *text, const struct safetensors *file)
{
    fputc('{', text);
    for (int k = 0; k < file->notes; k++) {
        const struct safetensors_note *note = &file->note[k];
        fprintf(text, "%s\"%.*s\":\"%.*s\"", k ? "," : "\"__metadata__\":{", (int)note->key.length,
                note->key.at, (int)note->value.length, note->value.at);
    }
    if (file->notes > 0)
        fputc('}', text);
    for (int k = 0; k < file->tensors; k++) {
        if (k > 0 || file->notes > 0)
            fputc(',', text);
        write_tensor(text, &file->tensor[k]);
    }
    fputc('}', text);
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
    char *header = NULL;
    unsigned char *bytes = NULL;
    size_t length = 0, numbers = (size_t)lay_out(file);
    FILE *text = open_memstream(&header, &length);

    if (!text)
        return NULL;
    write_header(text, file);
    bool good = !ferror(text);
    good = fclose(text) == 0 && good;
    size_t padding = (SAFETENSORS_PREFIX - length % SAFETENSORS_PREFIX) % SAFETENSORS_PREFIX;
    size_t data = SAFETENSORS_PREFIX + length + padding;
    if (good)
        bytes = malloc(data + numbers);
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
