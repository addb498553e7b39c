/* What is told of a file of weights over HTTP: its safetensors header (models/base/safetensors.h)
 * in short. */
#ifndef RINKD_API_SAFETENSORS_JSON_H
#define RINKD_API_SAFETENSORS_JSON_H

#include "api/strict_json.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Checks a header, which need not end in 0, of a file with `data_bytes` bytes behind it. True and
 * {"format":"safetensors","tensors":N,"parameters":N,"dtypes":[…],"metadata":{…}} for the caller,
 * or false and at least one error. */
bool safetensors_summary(const char *header, size_t length, int64_t data_bytes,
                         json_t **ret_summary, struct strict_errors *ret_errors);

#ifdef __cplusplus
}
#endif

#endif
