/* Reads JSON safely when memory is short. By itself jansson then drops the characters for which its
 * buffer cannot grow and returns a well-formed but wrong document, or rejects valid text. */
#ifndef RINKD_API_BASE_LOAD_JSON_H
#define RINKD_API_BASE_LOAD_JSON_H

#include <jansson.h>
#include <stddef.h>

/* Call once at the start of a program, before jansson is used: load_json() then notices
 * allocations that fail. */
void load_json_begin(void);

/* Like json_loadb(), but returns NULL whenever memory was short, with the code
 * json_error_out_of_memory in ret_error (may be NULL). Of a number that is too large, with the code
 * json_error_numeric_overflow, the text begins with its place: "spec.seed: larger than …". */
json_t *load_json(const char *text, size_t length, size_t flags, json_error_t *ret_error);

/* The place of the value that ends at this byte, as "before[3].x", at most `size` bytes with the
 * final 0; a deep one as its ancestor. */
void load_json_place(const char *text, size_t end, size_t size, char *ret_path);

/* Reads a 0-terminated text, without flags. */
json_t *load_json_text(const char *text);

#endif
