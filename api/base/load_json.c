/* Gives jansson libc's allocator and notes, per thread, when an allocation fails. */
#include "api/base/load_json.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* jansson's token buffer starts with 16 bytes and doubles; if it cannot grow in the middle of a
 * number, an assertion in jansson fails. The buffer then grows into this reserve. Other allocations
 * of such a size do not prolong the parse for long, and its result is dropped. */
enum { BUFFER_LEAST = 32, RESERVE_BYTES = 8192 };

static _Thread_local bool was_short, is_loading;
static _Thread_local size_t reserve_used;
static _Thread_local _Alignas(16) char reserve[RESERVE_BYTES];

static void *note_malloc(size_t size)
{
    void *block = malloc(size);
    bool is_buffer = size >= BUFFER_LEAST && (size & (size - 1)) == 0;

    if (block)
        return block;
    was_short = true;
    if (!is_loading || !is_buffer || size > RESERVE_BYTES - reserve_used)
        return NULL;
    reserve_used += size;
    return reserve + reserve_used - size;
}

static void note_free(void *block)
{
    if ((uintptr_t)block - (uintptr_t)reserve >= RESERVE_BYTES)
        free(block);
}

void load_json_begin(void)
{
    json_set_alloc_funcs(note_malloc, note_free);
}

/* ---- places ---- */

enum { LEVELS_MAX = 32 };

/* An object or an array that is open. */
struct level {
    bool is_object, wants_key;
    const char *key; /* the newest */
    size_t length;   /* of the key */
    size_t index;
};

/* The byte after a string. */
static const char *after_string(const char *at, const char *end)
{
    for (at++; at < end && *at != '"'; at++)
        at += *at == '\\';
    return at + 1;
}

/* Reads up to `end`; returns how many levels are open. */
static int open_levels(const char *text, const char *end, struct level levels[LEVELS_MAX])
{
    int open = 0;

    for (const char *at = text; at < end; at++) {
        struct level *level = open > 0 && open <= LEVELS_MAX ? &levels[open - 1] : NULL;
        if (*at == '"') {
            const char *after = after_string(at, end);
            if (level && level->wants_key) {
                level->key = at + 1;
                level->length = (size_t)(after - at) - 2;
                level->wants_key = false;
            }
            at = after - 1;
        } else if (*at == '{' || *at == '[') {
            if (open < LEVELS_MAX)
                levels[open] = (struct level){.is_object = *at == '{', .wants_key = *at == '{'};
            open++;
        } else if (*at == '}' || *at == ']') {
            open--;
        } else if (*at == ',' && level) {
            level->wants_key = level->is_object;
            level->index++;
        }
    }
    return open < LEVELS_MAX ? open : LEVELS_MAX;
}

void load_json_place(const char *text, size_t end, size_t size, char *ret_path)
{
    struct level levels[LEVELS_MAX];
    const int open = open_levels(text, text + end, levels);
    size_t used = 0;

    ret_path[0] = '\0';
    for (int k = 0; k < open; k++) {
        const struct level *level = &levels[k];
        const int wanted =
            level->is_object ? snprintf(ret_path + used, size - used, "%s%.*s", used > 0 ? "." : "",
                                        (int)level->length, level->key ? level->key : "")
                             : snprintf(ret_path + used, size - used, "[%zu]", level->index);
        if (wanted < 0 || used + (size_t)wanted >= size) {
            ret_path[used] = '\0';
            return;
        }
        used += (size_t)wanted;
    }
}

/* Says where the number stands that ends before error->position, and what it is larger than. */
static void name_number(const char *text, json_error_t *error)
{
    const size_t end = (size_t)error->position;
    size_t begin = end;
    char place[80];

    while (begin > 0 && memchr("+-.eE0123456789", text[begin - 1], 15))
        begin--;
    const bool is_whole = !memchr(text + begin, '.', end - begin) &&
                          !memchr(text + begin, 'e', end - begin) &&
                          !memchr(text + begin, 'E', end - begin);
    const bool is_negative = text[begin] == '-';
    load_json_place(text, begin, sizeof place, place);
    snprintf(error->text, JSON_ERROR_TEXT_LENGTH - 1, "%s%s%s", place, *place ? ": " : "",
             !is_whole     ? "too large for a number"
             : is_negative ? "smaller than -9223372036854775808"
                           : "larger than 9223372036854775807");
}

/* ---- reading ---- */

json_t *load_json(const char *text, size_t length, size_t flags, json_error_t *ret_error)
{
    json_error_t error;

    was_short = false;
    reserve_used = 0;
    is_loading = true;
    json_t *root = json_loadb(text, length, flags, &error);
    is_loading = false;
    if (was_short) {
        json_decref(root);
        root = NULL;
        error.text[JSON_ERROR_TEXT_LENGTH - 1] = (char)json_error_out_of_memory;
    }
    /* jansson names one of its flags here; the code of the error is in the last byte. */
    if (!root && json_error_code(&error) == json_error_null_character)
        snprintf(error.text, JSON_ERROR_TEXT_LENGTH - 1, "\\u0000 is not allowed");
    if (!root && json_error_code(&error) == json_error_numeric_overflow)
        name_number(text, &error);
    if (ret_error)
        *ret_error = error;
    return root;
}

json_t *load_json_text(const char *text)
{
    return load_json(text, strlen(text), 0, NULL);
}
