/* Tensors as a safetensors file: a writer, and a reader that trusts nothing. */
#include "models/networks/net_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers go into files as they are");

enum {
    PREFIX = 8,           /* bytes of the length of the header */
    HEADER_MAX = 4 << 20, /* bytes */
    ENTRY_MAX = 256,      /* bytes of what the writer says of a tensor or in a note */
    FILE_RANK_MAX = 8,    /* of foreign tensors */
    FLOAT_BYTES = sizeof(float)
};

int64_t net_tensor_size(const struct net_tensor *tensor)
{
    int64_t size = 1;
    for (int k = 0; k < tensor->rank; k++)
        size *= tensor->side[k];
    return size;
}

/* --- writing --- */

/* The header, filled up with spaces so that the numbers behind it are aligned. */
static size_t write_header(const struct net_tensors *tensors, int count,
                           const struct net_note *notes, int note_count, char *ret_text,
                           size_t room)
{
    size_t used = 0, offset = 0;

    ret_text[used++] = '{';
    for (int k = 0; k < note_count; k++)
        used += (size_t)snprintf(ret_text + used, room - used, "%s\"%s\":\"%s\"%s",
                                 k ? "," : "\"__metadata__\":{", notes[k].key, notes[k].value,
                                 k + 1 < note_count ? "" : "},");
    for (int k = 0; k < count; k++) {
        const struct net_tensor *tensor = &tensors->tensor[k];
        size_t bytes = FLOAT_BYTES * (size_t)net_tensor_size(tensor);
        used +=
            (size_t)snprintf(ret_text + used, room - used,
                             "%s\"%s\":{\"dtype\":\"F32\",\"shape\":[", k ? "," : "", tensor->name);
        for (int i = 0; i < tensor->rank; i++)
            used += (size_t)snprintf(ret_text + used, room - used, "%s%lld", i ? "," : "",
                                     (long long)tensor->side[i]);
        used += (size_t)snprintf(ret_text + used, room - used, "],\"data_offsets\":[%zu,%zu]}",
                                 offset, offset + bytes);
        offset += bytes;
    }
    ret_text[used++] = '}';
    while (used % PREFIX != 0)
        ret_text[used++] = ' ';
    return used;
}

enum net_status net_file_frame(const struct net_tensors *tensors, int count,
                               const struct net_note *notes, int note_count,
                               unsigned char **ret_bytes, size_t *ret_size,
                               size_t ret_at[NET_TENSORS_MAX])
{
    size_t room = (size_t)(count + note_count + 1) * ENTRY_MAX, numbers = 0;

    for (int k = 0; k < count; k++)
        numbers += (size_t)net_tensor_size(&tensors->tensor[k]);
    unsigned char *bytes = malloc(PREFIX + room + FLOAT_BYTES * numbers);
    if (!bytes)
        return NET_NO_MEMORY;
    size_t length = write_header(tensors, count, notes, note_count, (char *)bytes + PREFIX, room),
           at = PREFIX + length;
    for (int k = 0; k < PREFIX; k++)
        bytes[k] = (unsigned char)((uint64_t)length >> 8 * k);
    for (int k = 0; k < count; k++) {
        ret_at[k] = at;
        at += FLOAT_BYTES * (size_t)net_tensor_size(&tensors->tensor[k]);
    }
    *ret_bytes = bytes;
    *ret_size = at;
    return NET_OK;
}

/* --- reading --- */

/* What is left of the header. Each reader below takes what it names off the front, after spaces,
 * and returns false when something else is there. */
struct text {
    const char *at, *end;
};

static void skip_space(struct text *text)
{
    while (text->at < text->end && strchr(" \t\n\r", *text->at) && *text->at)
        text->at++;
}

static bool read_mark(struct text *text, char mark)
{
    skip_space(text);
    if (text->at == text->end || *text->at != mark)
        return false;
    text->at++;
    return true;
}

/* A string as it stands between its quotes: names with escapes are nobody's. */
static bool read_string(struct text *text, struct text *ret_string)
{
    if (!read_mark(text, '"'))
        return false;
    ret_string->at = text->at;
    for (; text->at < text->end && *text->at != '"'; text->at++) {
        if ((unsigned char)*text->at < ' ')
            return false;
        if (*text->at == '\\' && ++text->at == text->end)
            return false;
    }
    ret_string->end = text->at;
    return read_mark(text, '"');
}

static bool is(const struct text *string, const char *wanted)
{
    size_t length = strlen(wanted);
    return (size_t)(string->end - string->at) == length && memcmp(string->at, wanted, length) == 0;
}

static bool begins(const struct text *string, const char *wanted)
{
    size_t length = strlen(wanted);
    return (size_t)(string->end - string->at) >= length && memcmp(string->at, wanted, length) == 0;
}

static bool read_number(struct text *text, int64_t *ret_number)
{
    int64_t number = 0;

    skip_space(text);
    const char *first = text->at;
    for (; text->at < text->end && *text->at >= '0' && *text->at <= '9'; text->at++) {
        if (number > INT64_MAX / 100)
            return false;
        number = 10 * number + (*text->at - '0');
    }
    *ret_number = number;
    return text->at > first && (*first != '0' || text->at == first + 1);
}

/* [1,2,3], at most `most` of them. */
static bool read_numbers(struct text *text, int most, int64_t *ret_numbers, int *ret_count)
{
    *ret_count = 0;
    if (!read_mark(text, '['))
        return false;
    if (read_mark(text, ']'))
        return true;
    do {
        if (*ret_count == most || !read_number(text, &ret_numbers[(*ret_count)++]))
            return false;
    } while (read_mark(text, ','));
    return read_mark(text, ']');
}

/* Keeps the value of a note that is wanted. */
static bool take_note(const struct text *key, const struct text *value, struct net_note *notes,
                      int note_count)
{
    size_t length = (size_t)(value->end - value->at);
    int k = 0;

    while (k < note_count && !is(key, notes[k].key))
        k++;
    if (k == note_count)
        return true;
    if (length >= NET_NOTE_MAX || memchr(value->at, '\\', length) || notes[k].value[0] != '\0')
        return false;
    memcpy(notes[k].value, value->at, length);
    notes[k].value[length] = '\0';
    return true;
}

/* {"name":"text",…} */
static bool read_metadata(struct text *text, struct net_note *notes, int note_count)
{
    struct text key, value;

    if (!read_mark(text, '{'))
        return false;
    if (read_mark(text, '}'))
        return true;
    do {
        if (!read_string(text, &key) || !read_mark(text, ':') || !read_string(text, &value) ||
            !take_note(&key, &value, notes, note_count))
            return false;
    } while (read_mark(text, ','));
    return read_mark(text, '}');
}

/* A tensor as the header tells of it. */
struct entry {
    bool is_float32;
    int64_t side[FILE_RANK_MAX], extent[2]; /* the extent in bytes behind the header */
    int rank;
};

static bool read_entry(struct text *text, struct entry *ret_entry)
{
    struct text key, dtype;
    unsigned seen = 0;
    int ends = 0;

    if (!read_mark(text, '{'))
        return false;
    do {
        unsigned bit;
        if (!read_string(text, &key) || !read_mark(text, ':'))
            return false;
        if (is(&key, "dtype")) {
            bit = 1;
            if (!read_string(text, &dtype))
                return false;
            ret_entry->is_float32 = is(&dtype, "F32");
        } else if (is(&key, "shape")) {
            bit = 2;
            if (!read_numbers(text, FILE_RANK_MAX, ret_entry->side, &ret_entry->rank))
                return false;
        } else if (is(&key, "data_offsets")) {
            bit = 4;
            if (!read_numbers(text, 2, ret_entry->extent, &ends) || ends != 2)
                return false;
        } else {
            return false;
        }
        if (seen & bit)
            return false;
        seen |= bit;
    } while (read_mark(text, ','));
    return seen == 7 && read_mark(text, '}');
}

/* What has been read of a file. */
struct search {
    const struct net_tensors *tensors;
    int count;
    struct net_note *notes; /* those that are wanted */
    int note_count;
    int64_t data_bytes;
    bool found[NET_TENSORS_MAX];
    int64_t extent[NET_TENSORS_MAX][2]; /* of all tensors but foreign ones */
    int extents;
    bool foreign; /* something there that the network does not have */
    size_t begin[NET_TENSORS_MAX];
};

static bool same_shape(const struct net_tensor *tensor, const struct entry *entry)
{
    return entry->is_float32 && entry->rank == tensor->rank &&
           memcmp(entry->side, tensor->side, (size_t)entry->rank * sizeof *entry->side) == 0;
}

/* False when the file cannot be sound. */
static bool note_entry(struct search *search, const struct text *name, const struct entry *entry)
{
    int64_t begin = entry->extent[0], end = entry->extent[1];

    if (begin > end || end > search->data_bytes)
        return false;
    int k = 0;
    while (k < search->count && !is(name, search->tensors->tensor[k].name))
        k++;
    if (k < search->count) {
        const struct net_tensor *tensor = &search->tensors->tensor[k];
        if (search->found[k])
            return false;
        search->found[k] = true;
        search->begin[k] = (size_t)begin;
        if (!same_shape(tensor, entry))
            search->foreign = true;
        else if (end - begin != FLOAT_BYTES * net_tensor_size(tensor))
            return false;
    } else if (!begins(name, NET_OPTIMISER)) {
        search->foreign = true;
    }
    if (search->extents == NET_TENSORS_MAX) {
        search->foreign = true;
        return true;
    }
    search->extent[search->extents][0] = begin;
    search->extent[search->extents++][1] = end;
    return true;
}

static bool read_header(struct text *text, struct search *search)
{
    struct text name;
    struct entry entry;

    if (text->at == text->end || *text->at != '{') /* no space before it, says the format */
        return false;
    text->at++;
    if (!read_mark(text, '}')) {
        do {
            if (!read_string(text, &name) || !read_mark(text, ':'))
                return false;
            if (is(&name, "__metadata__")
                    ? !read_metadata(text, search->notes, search->note_count)
                    : !read_entry(text, &entry) || !note_entry(search, &name, &entry))
                return false;
        } while (read_mark(text, ','));
        if (!read_mark(text, '}'))
            return false;
    }
    skip_space(text);
    return text->at == text->end;
}

/* Do the tensors fill the file, without holes and without lying over each other? */
static bool is_filled(const struct search *search)
{
    int64_t sum = 0;

    for (int k = 0; k < search->extents; k++) {
        const int64_t *one = search->extent[k];
        sum += one[1] - one[0];
        for (int i = 0; i < k; i++)
            if (one[0] < search->extent[i][1] && search->extent[i][0] < one[1])
                return false;
    }
    return sum == search->data_bytes;
}

static bool is_sound(const struct net_tensor *tensor, const unsigned char *bytes)
{
    const uint32_t exponent = 0x7f800000u, sign = 0x80000000u;
    const bool is_positive =
        strncmp(tensor->name, NET_OPTIMISER_SQUARES, strlen(NET_OPTIMISER_SQUARES)) == 0 ||
        strncmp(tensor->name, NET_OPTIMISER_COUNT, strlen(NET_OPTIMISER_COUNT)) == 0;
    const int64_t numbers = net_tensor_size(tensor);

    for (int64_t k = 0; k < numbers; k++) {
        uint32_t bits;
        memcpy(&bits, bytes + FLOAT_BYTES * k, sizeof bits);
        if ((bits & exponent) == exponent || (is_positive && (bits & sign)))
            return false;
    }
    return true;
}

/* The length of the header, which the file holds; -1 when it does not. */
static int64_t header_length(const unsigned char *bytes, size_t size)
{
    uint64_t length = 0;

    if (size < PREFIX)
        return -1;
    for (int k = 0; k < PREFIX; k++)
        length |= (uint64_t)bytes[k] << 8 * k;
    return length > HEADER_MAX || length > size - PREFIX ? -1 : (int64_t)length;
}

/* Reads the header of a file for what the search is after; false when it is broken. */
static bool look_through(const unsigned char *bytes, size_t size, struct search *search,
                         size_t *ret_data)
{
    int64_t length = header_length(bytes, size);
    if (length < 0)
        return false;
    *ret_data = PREFIX + (size_t)length;
    search->data_bytes = (int64_t)(size - *ret_data);
    struct text text = {(const char *)bytes + PREFIX, (const char *)bytes + *ret_data};
    return read_header(&text, search);
}

enum net_status net_file_notes(const unsigned char *bytes, size_t size, struct net_note *ret_notes,
                               int note_count)
{
    struct search search = {.notes = ret_notes, .note_count = note_count};
    size_t data;

    for (int k = 0; k < note_count; k++)
        ret_notes[k].value[0] = '\0';
    return look_through(bytes, size, &search, &data) ? NET_OK : NET_BAD_FILE;
}

enum net_status net_file_find(const struct net_tensors *tensors, int count,
                              const unsigned char *bytes, size_t size,
                              size_t ret_at[NET_TENSORS_MAX])
{
    struct search search = {.tensors = tensors, .count = count};
    size_t data;

    if (!look_through(bytes, size, &search, &data))
        return NET_BAD_FILE;
    if (search.foreign)
        return NET_BAD_SHAPE;
    if (!is_filled(&search))
        return NET_BAD_FILE;
    for (int k = 0; k < count; k++) {
        if (!search.found[k])
            return NET_BAD_SHAPE;
        ret_at[k] = data + search.begin[k];
        if (!is_sound(&tensors->tensor[k], bytes + ret_at[k]))
            return NET_BAD_FILE;
    }
    return NET_OK;
}
