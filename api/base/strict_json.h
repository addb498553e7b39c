/* Reads JSON from outside strictly: anything unknown is refused, and every refusal names the place
 * by JSON pointer (RFC 6901) with a short code and a sentence. Reading continues after a mistake,
 * so one pass collects all of them, up to a bound.
 *
 * The readers take a place: a value and the path to it from the root of the document. A missing
 * member is a place without a value. */
#ifndef RINKD_API_BASE_STRICT_JSON_H
#define RINKD_API_BASE_STRICT_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    STRICT_ID_MAX = 128,      /* bytes of an id that is a string */
    STRICT_ERRORS_MAX = 16,   /* errors kept */
    STRICT_POINTER_MAX = 160, /* bytes of a pointer; deeper places are reported as their ancestor */
    STRICT_MESSAGE_MAX = 480,
    STRICT_NOTES_MAX = 8 /* notes kept */
};

/* The id of a document: a whole number or a short text. */
struct strict_id {
    enum { STRICT_ID_NONE, STRICT_ID_NUMBER, STRICT_ID_TEXT } kind;
    int64_t number;
    char text[STRICT_ID_MAX + 1]; /* UTF-8 */
};

struct strict_error {
    char pointer[STRICT_POINTER_MAX + 1]; /* "/state/stones/team0/3"; "" is the document */
    const char *code; /* "missing", "unknown", "type", "range", … Lives as long as the program. */
    char message[STRICT_MESSAGE_MAX + 1]; /* a line of UTF-8 */
};

struct strict_errors {
    int count;   /* errors kept */
    int dropped; /* errors beyond those kept */
    struct strict_error error[STRICT_ERRORS_MAX];
};

/* Messages of programs that are not ours are read tolerantly: what is unknown is noted and not
 * refused, and so is what is taken for something that they leave out. */
struct strict_notes {
    int unknown, assumed; /* also those that are not kept */
    int kept;
    struct strict_note {
        bool is_assumed;
        char pointer[STRICT_POINTER_MAX + 1];
        char text[64]; /* what is taken; "" for what is unknown */
    } note[STRICT_NOTES_MAX];
};

/* A value and the path to it. */
struct strict_place {
    json_t *value; /* NULL: missing. Borrowed from the document. */
    struct strict_errors *errors;
    struct strict_notes
        *notes; /* NULL: what is unknown is refused; members and elements inherit it */
    const struct strict_place *parent; /* NULL: this is the root */
    const char *key;                   /* in the parent; NULL: an element, see `index` */
    size_t index;
};

/* "an object", "a whole number", … Lives as long as the program. */
const char *strict_type_name(const json_t *value);

/* Turns each number without a fraction into a whole one, 1.0 into 1: JSON Schema knows no
 * difference. Beyond 2^53, where not every whole number has a double, and for -0.0 nothing is
 * changed. Returns the document, which may be another one; NULL stays NULL. Where memory is short,
 * a number stays as it is. */
json_t *strict_make_whole(json_t *document);

/* Brings each text of a document into its normal form (NFC), so that equal names are equal bytes.
 * Where memory is short, a text stays as it is. */
void strict_make_normal(json_t *document);

/* Parses a document of at most `length_max` bytes and `depth_max` levels. Duplicate keys are
 * refused; any bytes are safe. The caller owns the document; NULL after adding an error, whose code
 * is "too_long", "too_deep", "json", "no_memory", or "range" of a number that is too large. */
json_t *strict_parse(const char *text, size_t length, size_t length_max, int depth_max,
                     struct strict_errors *errors);

/* Adds an error about the place, printf-like; a message that is too long is cut. Returns false, for
 * readers to return. */
bool strict_refuse(const struct strict_place *place, const char *code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* "before[3].x" -> "/before/3/x"; at most `size` bytes with the final 0. */
void strict_pointer_of_path(const char *path, size_t size, char *ret_pointer);

/* Adds an error about a place given by its pointer. */
bool strict_refuse_at(struct strict_errors *errors, const char *pointer, const char *code,
                      const char *format, ...) __attribute__((format(printf, 4, 5)));

struct strict_place strict_root(json_t *document, struct strict_errors *errors);
/* The root of a document that is read tolerantly. */
struct strict_place strict_root_of_others(json_t *document, struct strict_errors *errors,
                                          struct strict_notes *notes);
/* The member `key` of an object. `object`, its JSON value and `key` must outlive the result. */
struct strict_place strict_member(const struct strict_place *object, const char *key);
/* Element `index` of an array. */
struct strict_place strict_element(const struct strict_place *array, size_t index);

/* Errors of the document so far, dropped ones included. */
static inline int strict_mistakes(const struct strict_place *place)
{
    return place->errors->count + place->errors->dropped;
}

/* Whether the member is absent; a null is not. */
static inline bool strict_is_missing(const struct strict_place *place)
{
    return place->value == NULL;
}

/* Whether a member tells nothing, and if so notes, where notes are taken, what is taken for it.
 * Where it is read tolerantly a null tells nothing, either. */
bool strict_is_untold(const struct strict_place *place, const char *taken);

/* Whether the place is an object. Refuses, or notes, each key that is not among `keys` (NULL at the
 * end; NULL: any key is fine); the known members can still be read. */
bool strict_object(const struct strict_place *place, const char *const *keys);

/* Whether the place is an array of `least` to `most` elements. */
bool strict_array(const struct strict_place *place, size_t least, size_t most);

/* Readers of single values: they return true and the value, or add an error and return false. */
bool strict_number(const struct strict_place *place, double least, double most, double *ret_number);
bool strict_whole(const struct strict_place *place, int64_t least, int64_t most,
                  int64_t *ret_number);
/* A string of 1 to `most` bytes, owned by the document. */
bool strict_text(const struct strict_place *place, size_t most, const char **ret_text);
/* One of `choices` (NULL at the end); returns its index. */
bool strict_choice(const struct strict_place *place, const char *const *choices, int *ret_index);
bool strict_flag(const struct strict_place *place, bool *ret_flag);
/* A member that may be missing, and then is not read: true if it is there and good. */
bool strict_optional_number(const struct strict_place *object, const char *key, double least,
                            double most, double *ret_number);
bool strict_optional_whole(const struct strict_place *object, const char *key, int64_t least,
                           int64_t most, int64_t *ret_number);
/* The numbers under the first two of `keys` of an object, each in -most..most. Refuses keys that
 * are not among `keys`. */
bool strict_pair(const struct strict_place *place, const char *const *keys, double most,
                 double ret_pair[2]);
bool strict_read_id(const struct strict_place *place, struct strict_id *ret_id);

bool strict_id_equal(const struct strict_id *a, const struct strict_id *b);

/* The id as JSON, null for STRICT_ID_NONE. The caller owns it; NULL when memory is short. */
json_t *strict_id_json(const struct strict_id *id);

/* [{"pointer","code","message"}], with a last one of code "more" if some were dropped. The caller
 * owns it; NULL when memory is short. */
json_t *strict_errors_json(const struct strict_errors *errors);

#endif
