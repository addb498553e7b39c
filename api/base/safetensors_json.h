/* The summary of a file of weights that HTTP answers contain, made from its safetensors header
 * (models/base/safetensors.h). */
#ifndef RINKD_API_BASE_SAFETENSORS_JSON_H
#define RINKD_API_BASE_SAFETENSORS_JSON_H

#include "api/base/strict_json.h"

/* Checks a header (no final 0 needed) that `data_bytes` bytes follow in its file. Returns true and
 * {"format":"safetensors","tensors":N,"parameters":N,"dtypes":[…],"metadata":{…}} owned by the
 * caller, or false and at least one error. */
bool safetensors_summary(const char *header, size_t length, int64_t data_bytes,
                         json_t **ret_summary, struct strict_errors *ret_errors);

#endif
