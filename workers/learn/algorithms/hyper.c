/* Fills structs from named numbers. */
#include "workers/learn/algorithms/hyper.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

double learner_hyper_number(const struct learner_hyper *hyper, const char *name, double otherwise)
{
    for (int k = hyper->count - 1; k >= 0; k--)
        if (strcmp(hyper->numbers[k].name, name) == 0)
            return hyper->numbers[k].value;
    return otherwise;
}

void hyper_fill(const struct hyper_field *fields, int count, const struct learner_hyper *hyper,
                void *settings)
{
    for (int k = 0; k < count; k++) {
        double value = learner_hyper_number(hyper, fields[k].name, fields[k].initial);
        memcpy((unsigned char *)settings + fields[k].at, &value, sizeof value);
    }
}

const char *hyper_check(const struct hyper_field *fields, int count,
                        const struct learner_hyper *hyper, size_t size, char *ret_why)
{
    for (int k = 0; k < count; k++) {
        const struct hyper_field *field = &fields[k];
        double value = learner_hyper_number(hyper, field->name, field->initial);
        if (!(value >= field->least && value <= field->most))
            snprintf(ret_why, size, "%g is not in %g..%g", value, field->least, field->most);
        else if (field->whole && value != floor(value))
            snprintf(ret_why, size, "%g is not a whole number", value);
        else
            continue;
        return field->name;
    }
    return NULL;
}
