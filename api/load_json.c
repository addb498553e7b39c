/* Gives jansson libc's allocator and notes, per thread, when an allocation fails. */
#include "api/load_json.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local bool was_short;

static void *note_malloc(size_t size)
{
    void *block = malloc(size);

    was_short = was_short || !block;
    return block;
}

void load_json_begin(void)
{
    json_set_alloc_funcs(note_malloc, free);
}

json_t *load_json(const char *text, size_t length, size_t flags, json_error_t *ret_error)
{
    json_error_t error;

    was_short = false;
    json_t *root = json_loadb(text, length, flags, &error);
    if (was_short) {
        json_decref(root);
        root = NULL;
        error.text[JSON_ERROR_TEXT_LENGTH - 1] = (char)json_error_out_of_memory;
    }
    if (ret_error)
        *ret_error = error;
    return root;
}

json_t *load_json_text(const char *text)
{
    return load_json(text, strlen(text), 0, NULL);
}
