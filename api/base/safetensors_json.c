/* Summaries of safetensors headers. See safetensors_json.h. */
#include "api/base/safetensors_json.h"

#include "models/base/safetensors.h"

/* NULL when memory is short. */
static json_t *summary_json(const struct safetensors *file)
{
    bool has_type[SAFETENSORS_TYPES] = {false};
    json_int_t parameters = 0;
    json_t *types = json_array();

    for (int k = 0; k < file->tensors; k++) {
        parameters += file->tensor[k].elements;
        has_type[file->tensor[k].type] = true;
    }
    for (int k = 0; k < SAFETENSORS_TYPES; k++)
        if (has_type[k])
            json_array_append_new(types,
                                  json_string(safetensors_type_name((enum safetensors_type)k)));
    return json_pack("{s:s, s:i, s:I, s:o, s:o}", "format", "safetensors", "tensors", file->tensors,
                     "parameters", parameters, "dtypes", types, "metadata",
                     file->notes ? json_incref(file->notes) : json_object());
}

bool safetensors_summary(const char *header, size_t length, int64_t data_bytes,
                         json_t **ret_summary, struct strict_errors *ret_errors)
{
    struct safetensors_fault fault;
    struct safetensors file;

    ret_errors->count = ret_errors->dropped = 0;
    if (!safetensors_read(header, length, data_bytes, &file, &fault))
        return strict_refuse_at(ret_errors, fault.place, fault.code, "%s", fault.message);
    json_t *summary = summary_json(&file);
    safetensors_free(&file);
    if (!summary)
        return strict_refuse_at(ret_errors, "", "no_memory", "memory is short");
    *ret_summary = summary;
    return true;
}
