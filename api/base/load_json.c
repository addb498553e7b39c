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
    if (ret_error)
        *ret_error = error;
    return root;
}

json_t *load_json_text(const char *text)
{
    return load_json(text, strlen(text), 0, NULL);
}
