/* Files of this folder, embedded into the program. */
#ifndef RINKD_API_BASE_OPENAPI_H
#define RINKD_API_BASE_OPENAPI_H

#include <stddef.h>

/* The contract of the HTTP API, openapi.yaml (library rinkd_contract). It ends with 0, which
 * *ret_size does not count, and stays until the process ends. Returns NULL without memory; any
 * thread may ask. */
const char *openapi_yaml(size_t *ret_size);

/* The JSON Schema of a shot query, shot_schema.json; it ends with 0. */
extern const char shot_schema[];

#endif
