/* Any bytes as a file of weights: prefix, header, and the rest as tensors. Tensors of an accepted
 * file fill it exactly. A broken promise aborts. */
#include "api/base/safetensors_json.h"
#include "models/base/safetensors.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
    if (!condition)
        abort();
}

static void check_summary(const json_t *summary, int64_t data_bytes)
{
    json_int_t tensors = json_integer_value(json_object_get(summary, "tensors"));
    json_int_t parameters = json_integer_value(json_object_get(summary, "parameters"));

    require(tensors >= 0 && tensors <= SAFETENSORS_TENSORS_MAX);
    /* A parameter has at least one byte. */
    require(parameters >= 0 && parameters <= data_bytes);
    require(json_is_array(json_object_get(summary, "dtypes")));
    require((parameters == 0) == (data_bytes == 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned char prefix[SAFETENSORS_PREFIX] = {0};
    struct strict_errors errors = {.count = 0};
    json_t *summary = NULL;

    if (size < sizeof prefix)
        return 0;
    memcpy(prefix, data, sizeof prefix);
    size_t length = safetensors_header_length(prefix, (int64_t)size);
    if (length == 0)
        return 0;
    require(length <= size - sizeof prefix);
    int64_t data_bytes = (int64_t)(size - sizeof prefix - length);
    /* A copy of exactly this length, so that sanitizers see reads beyond it. */
    char *header = malloc(length);
    require(header != NULL);
    memcpy(header, data + sizeof prefix, length);
    if (safetensors_summary(header, length, data_bytes, &summary, &errors)) {
        check_summary(summary, data_bytes);
        json_decref(summary);
    } else {
        require(errors.count > 0);
    }
    free(header);
    return 0;
}
