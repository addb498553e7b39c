/* From named numbers to a struct. */
#include "workers/learn/algorithms/hyper.h"

#include <math.h>
#include <string.h>

bool hyper_read(const struct hyper_field *fields, int count, const struct learner_hyper *hyper,
                void *ret_settings, char ret_error[LEARNER_ERROR_MAX])
{
    for (int k = 0; k < count; k++) {
        const struct hyper_field *field = &fields[k];
        double value = learner_hyper_number(hyper, field->name, field->otherwise);
        if (!(value >= field->least && value <= field->most)) {
            snprintf(ret_error, LEARNER_ERROR_MAX, "%s: %g is not in %g..%g", field->name, value,
                     field->least, field->most);
            return false;
        }
        if (field->whole && value != floor(value)) {
            snprintf(ret_error, LEARNER_ERROR_MAX, "%s: %g is not a whole number", field->name,
                     value);
            return false;
        }
        memcpy((unsigned char *)ret_settings + field->at, &value, sizeof value);
    }
    return true;
}
