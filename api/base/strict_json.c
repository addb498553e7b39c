/* Places, readers of single values and the list of errors. See strict_json.h. */
#include "api/base/strict_json.h"

#include "api/base/build_json.h"
#include "api/base/load_json.h"
#include "api/base/utf8.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Nesting depth of the brackets in a text, outside strings. jansson recurses once per level. */
static int depth_of(const char *text, size_t length)
{
    int depth = 0, deepest = 0;
    bool in_string = false;

    for (size_t k = 0; k < length; k++) {
        char c = text[k];
        if (in_string) {
            if (c == '\\')
                k++;
            else if (c == '"')
                in_string = false;
        } else if (c == '"') {
            in_string = true;
        } else if (c == '[' || c == '{') {
            if (++depth > deepest)
                deepest = depth;
        } else if (c == ']' || c == '}') {
            depth--;
        }
    }
    return deepest;
}

const char *strict_type_name(const json_t *value)
{
    static const char *const names[] = {
        [JSON_OBJECT] = "an object",
        [JSON_ARRAY] = "an array",
        [JSON_STRING] = "a string",
        [JSON_INTEGER] = "a whole number",
        [JSON_REAL] = "a number written with a point or an exponent",
        [JSON_TRUE] = "true or false",
        [JSON_FALSE] = "true or false",
        [JSON_NULL] = "null",
    };
    return names[json_typeof(value)];
}

/* ---- errors ---- */

/* Appends "/key" or "/index", escaping ~ and / of the key. If it does not fit, returns false and
 * appends nothing. */
static bool append_token(const struct strict_place *place, size_t *used, char *pointer)
{
    char token[STRICT_POINTER_MAX + 1];
    size_t length = 0;

    token[length++] = '/';
    if (!place->key) {
        length += (size_t)snprintf(token + 1, sizeof token - 1, "%zu", place->index);
    } else {
        for (const char *c = place->key; *c; c++) {
            if (length + 2 > STRICT_POINTER_MAX)
                return false;
            bool is_escaped = *c == '~' || *c == '/';
            token[length++] = is_escaped ? '~' : *c;
            if (is_escaped)
                token[length++] = *c == '~' ? '0' : '1';
        }
    }
    if (*used + length > STRICT_POINTER_MAX)
        return false;
    memcpy(pointer + *used, token, length);
    *used += length;
    pointer[*used] = '\0';
    return true;
}

/* Writes the path from the root to the place; false if the rest does not fit. */
static bool write_pointer(const struct strict_place *place, size_t *used, char *pointer)
{
    if (!place->parent)
        return true;
    return write_pointer(place->parent, used, pointer) && append_token(place, used, pointer);
}

__attribute__((format(printf, 4, 0))) static bool add_error(struct strict_errors *errors,
                                                            const char *pointer, const char *code,
                                                            const char *format, va_list arguments)
{
    if (errors->count == STRICT_ERRORS_MAX) {
        errors->dropped++;
        return false;
    }
    struct strict_error *error = &errors->error[errors->count++];
    snprintf(error->pointer, sizeof error->pointer, "%s", pointer);
    error->code = code;
    vsnprintf(error->message, sizeof error->message, format, arguments);
    utf8_make_line(error->message);
    return false;
}

bool strict_refuse(const struct strict_place *place, const char *code, const char *format, ...)
{
    char pointer[STRICT_POINTER_MAX + 1] = "";
    size_t used = 0;
    va_list arguments;

    (void)write_pointer(place, &used, pointer);
    va_start(arguments, format);
    add_error(place->errors, pointer, code, format, arguments);
    va_end(arguments);
    return false;
}

void strict_pointer_of_path(const char *path, size_t size, char *ret_pointer)
{
    size_t used = 0;

    if (*path && used + 1 < size)
        ret_pointer[used++] = '/';
    for (; *path && used + 1 < size; path++)
        if (*path != ']')
            ret_pointer[used++] = *path == '.' || *path == '[' ? '/' : *path;
    ret_pointer[used] = '\0';
}

bool strict_refuse_at(struct strict_errors *errors, const char *pointer, const char *code,
                      const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    add_error(errors, pointer, code, format, arguments);
    va_end(arguments);
    return false;
}

json_t *strict_errors_json(const struct strict_errors *errors)
{
    json_t *list = json_array();
    bool good = true;

    for (int k = 0; k < errors->count; k++) {
        const struct strict_error *error = &errors->error[k];
        good = build_append(list, json_pack("{s:s,s:s,s:s}", "pointer", error->pointer, "code",
                                            error->code, "message", error->message)) &&
               good;
    }
    if (errors->dropped > 0)
        good =
            build_append(list, json_pack("{s:s,s:s,s:o}", "pointer", "", "code", "more", "message",
                                         json_sprintf("and %d more", errors->dropped))) &&
            good;
    return build_done(list, good);
}

/* ---- places ---- */

/* Refuses a number that is too large to be read, by its place. */
static void refuse_number(struct strict_errors *errors, const char *text, const json_error_t *at)
{
    char path[STRICT_POINTER_MAX], pointer[STRICT_POINTER_MAX + 1];
    const char *said = strrchr(at->text, ':');

    load_json_place(text, (size_t)at->position, sizeof path, path);
    strict_pointer_of_path(path, sizeof pointer, pointer);
    strict_refuse_at(errors, pointer, "range", "%s", said ? said + 2 : at->text);
}

json_t *strict_parse(const char *text, size_t length, size_t length_max, int depth_max,
                     struct strict_errors *errors)
{
    json_error_t at;

    if (length > length_max) {
        strict_refuse_at(errors, "", "too_long", "longer than %zu bytes", length_max);
        return NULL;
    }
    if (depth_of(text, length) > depth_max) {
        strict_refuse_at(errors, "", "too_deep", "nested deeper than %d levels", depth_max);
        return NULL;
    }
    json_t *root = load_json(text, length, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &at);
    if (!root && json_error_code(&at) == json_error_numeric_overflow) {
        refuse_number(errors, text, &at);
    } else if (!root) {
        bool no_memory = json_error_code(&at) == json_error_out_of_memory;
        strict_refuse_at(errors, "", no_memory ? "no_memory" : "json", "not JSON at byte %d: %s",
                         at.position, at.text);
    }
    return root;
}

/* The whole number of the same value; NULL: there is none. */
static json_t *whole_of(const json_t *value)
{
    const double exact_most = 9007199254740992.0; /* 2^53 */
    double real = json_real_value(value);

    if (!json_is_real(value) || fabs(real) > exact_most || real != floor(real) ||
        (real == 0.0 && signbit(real)))
        return NULL;
    return json_integer((json_int_t)real);
}

json_t *strict_make_whole(json_t *document)
{
    json_t *whole = whole_of(document), *value;
    const char *key;
    size_t k;

    if (whole) {
        json_decref(document);
        return whole;
    }
    json_object_foreach(document, key, value)
    {
        if ((whole = whole_of(value)) != NULL)
            json_object_set_new_nocheck(document, key, whole);
        else
            strict_make_whole(value);
    }
    json_array_foreach(document, k, value)
    {
        if ((whole = whole_of(value)) != NULL)
            json_array_set_new(document, k, whole);
        else
            strict_make_whole(value);
    }
    return document;
}

void strict_make_normal(json_t *document)
{
    json_t *value;
    const char *key;
    size_t k;

    if (json_is_string(document) && utf8_is_foreign(json_string_value(document))) {
        char *normal = utf8_normal(json_string_value(document));
        if (normal)
            json_string_set(document, normal);
        free(normal);
    }
    json_object_foreach(document, key, value) strict_make_normal(value);
    json_array_foreach(document, k, value) strict_make_normal(value);
}

struct strict_place strict_root(json_t *document, struct strict_errors *errors)
{
    return (struct strict_place){.value = document, .errors = errors};
}

struct strict_place strict_root_of_others(json_t *document, struct strict_errors *errors,
                                          struct strict_notes *notes)
{
    return (struct strict_place){.value = document, .errors = errors, .notes = notes};
}

struct strict_place strict_member(const struct strict_place *object, const char *key)
{
    return (struct strict_place){
        .value = json_object_get(object->value, key),
        .errors = object->errors,
        .notes = object->notes,
        .parent = object,
        .key = key,
    };
}

struct strict_place strict_element(const struct strict_place *array, size_t index)
{
    return (struct strict_place){
        .value = json_array_get(array->value, index),
        .errors = array->errors,
        .notes = array->notes,
        .parent = array,
        .index = index,
    };
}

/* ---- readers ---- */

static bool refuse_type(const struct strict_place *place, const char *wanted)
{
    if (strict_is_missing(place))
        return strict_refuse(place, "missing", "missing, must be %s", wanted);
    return strict_refuse(place, "type", "is %s, must be %s", strict_type_name(place->value),
                         wanted);
}

/* `taken` NULL: the place is unknown. */
static void add_note(const struct strict_place *place, const char *taken)
{
    struct strict_notes *notes = place->notes;
    size_t used = 0;

    ++*(taken ? &notes->assumed : &notes->unknown);
    if (notes->kept == STRICT_NOTES_MAX)
        return;
    struct strict_note *note = &notes->note[notes->kept++];
    *note = (struct strict_note){.is_assumed = taken != NULL};
    (void)write_pointer(place, &used, note->pointer);
    utf8_make_line(note->pointer);
    snprintf(note->text, sizeof note->text, "%s", taken ? taken : "");
}

bool strict_is_untold(const struct strict_place *place, const char *taken)
{
    if (!strict_is_missing(place) && !(place->notes && json_is_null(place->value)))
        return false;
    if (place->notes)
        add_note(place, taken);
    return true;
}

bool strict_object(const struct strict_place *place, const char *const *keys)
{
    const char *key;
    json_t *value;

    if (!json_is_object(place->value))
        return refuse_type(place, "an object");
    if (!keys)
        return true;
    json_object_foreach(place->value, key, value)
    {
        const char *const *known = keys;
        while (*known && strcmp(*known, key) != 0)
            known++;
        if (*known)
            continue;
        struct strict_place member = strict_member(place, key);
        if (place->notes)
            add_note(&member, NULL);
        else
            strict_refuse(&member, "unknown", "unknown field");
    }
    return true;
}

bool strict_array(const struct strict_place *place, size_t least, size_t most)
{
    if (!json_is_array(place->value))
        return refuse_type(place, "an array");
    size_t size = json_array_size(place->value);
    if (size >= least && size <= most)
        return true;
    if (least == most)
        return strict_refuse(place, "size", "has %zu entries, must have %zu", size, most);
    return strict_refuse(place, "size", "has %zu entries, must have %zu to %zu", size, least, most);
}

bool strict_number(const struct strict_place *place, double least, double most, double *ret_number)
{
    if (!json_is_number(place->value))
        return refuse_type(place, "a number");
    double number = json_number_value(place->value);
    if (!(number >= least && number <= most)) /* negated, so that NaN fails */
        return strict_refuse(place, "range", "%g is not in %g..%g", number, least, most);
    *ret_number = number;
    return true;
}

bool strict_whole(const struct strict_place *place, int64_t least, int64_t most,
                  int64_t *ret_number)
{
    if (!json_is_integer(place->value))
        return refuse_type(place, "a whole number");
    json_int_t number = json_integer_value(place->value);
    if (number < least || number > most)
        return strict_refuse(place, "range", "%lld is not in %lld..%lld", (long long)number,
                             (long long)least, (long long)most);
    *ret_number = number;
    return true;
}

bool strict_text(const struct strict_place *place, size_t most, const char **ret_text)
{
    if (!json_is_string(place->value))
        return refuse_type(place, "a string");
    size_t length = json_string_length(place->value);
    if (length < 1 || length > most)
        return strict_refuse(place, "size", "has %zu bytes, must have 1 to %zu", length, most);
    *ret_text = json_string_value(place->value);
    return true;
}

bool strict_choice(const struct strict_place *place, const char *const *choices, int *ret_index)
{
    char list[256] = "";
    size_t used = 0;

    for (int k = 0; choices[k] && used < sizeof list; k++) {
        const char *mark = k == 0 ? "" : choices[k + 1] ? ", " : " or ";
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", mark, choices[k]);
    }
    if (!json_is_string(place->value))
        return refuse_type(place, list);
    for (int k = 0; choices[k]; k++) {
        if (strcmp(json_string_value(place->value), choices[k]) == 0) {
            *ret_index = k;
            return true;
        }
    }
    return strict_refuse(place, "value", "must be %s", list);
}

bool strict_flag(const struct strict_place *place, bool *ret_flag)
{
    if (!json_is_boolean(place->value))
        return refuse_type(place, "true or false");
    *ret_flag = json_is_true(place->value);
    return true;
}

bool strict_optional_number(const struct strict_place *object, const char *key, double least,
                            double most, double *ret_number)
{
    const struct strict_place place = strict_member(object, key);
    return !strict_is_missing(&place) && strict_number(&place, least, most, ret_number);
}

bool strict_optional_whole(const struct strict_place *object, const char *key, int64_t least,
                           int64_t most, int64_t *ret_number)
{
    const struct strict_place place = strict_member(object, key);
    return !strict_is_missing(&place) && strict_whole(&place, least, most, ret_number);
}

bool strict_pair(const struct strict_place *place, const char *const *keys, double most,
                 double ret_pair[2])
{
    double pair[2];
    bool good = true;

    if (!strict_object(place, keys))
        return false;
    for (int k = 0; k < 2; k++) {
        const struct strict_place member = strict_member(place, keys[k]);
        good = strict_number(&member, -most, most, &pair[k]) && good;
    }
    if (good)
        memcpy(ret_pair, pair, sizeof pair);
    return good;
}

bool strict_read_id(const struct strict_place *place, struct strict_id *ret_id)
{
    struct strict_id id = {.kind = STRICT_ID_NONE};

    if (json_is_integer(place->value)) {
        id.kind = STRICT_ID_NUMBER;
        id.number = json_integer_value(place->value);
    } else if (json_is_string(place->value)) {
        size_t length = json_string_length(place->value);
        if (length > STRICT_ID_MAX)
            return strict_refuse(place, "size", "longer than %d bytes", STRICT_ID_MAX);
        id.kind = STRICT_ID_TEXT;
        memcpy(id.text, json_string_value(place->value), length + 1);
    } else {
        return refuse_type(place, "a whole number or a string");
    }
    *ret_id = id;
    return true;
}

bool strict_id_equal(const struct strict_id *a, const struct strict_id *b)
{
    if (a->kind != b->kind)
        return false;
    return a->kind == STRICT_ID_NUMBER ? a->number == b->number : strcmp(a->text, b->text) == 0;
}

json_t *strict_id_json(const struct strict_id *id)
{
    switch (id->kind) {
    case STRICT_ID_NUMBER:
        return json_integer(id->number);
    case STRICT_ID_TEXT:
        return json_string(id->text);
    case STRICT_ID_NONE:
        break;
    }
    return json_null();
}
