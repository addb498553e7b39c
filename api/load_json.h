/* Reading JSON where memory may be short. jansson's reader then goes on without the characters for
 * which its buffer could not grow, and what it returns is well-formed and wrong; or it says that
 * the text is no JSON, which it is. */
#ifndef RINKD_API_LOAD_JSON_H
#define RINKD_API_LOAD_JSON_H

#include <jansson.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Once, at the start of a program and before jansson is used: from now on load_json() hears of
 * allocations that fail. */
void load_json_begin(void);

/* As json_loadb(), but NULL wherever memory was too short for it, with the code
 * json_error_out_of_memory in ret_error (may be NULL). */
json_t *load_json(const char *text, size_t length, size_t flags, json_error_t *ret_error);

/* Of a text that ends in 0, without flags. */
json_t *load_json_text(const char *text);

#ifdef __cplusplus
}
#endif

#endif
