/* Files of this folder, embedded into the program. */
#ifndef RINKD_API_OPENAPI_H
#define RINKD_API_OPENAPI_H

#include <stddef.h>

/* The contract of the HTTP API, openapi.yaml. It ends with 0; its size does not count that byte. */
extern const char openapi_yaml[];
extern const size_t openapi_yaml_size;

/* The JSON Schema of a shot query, shot_schema.json; it ends with 0. */
extern const char shot_schema[];

#endif
