/* Fills structs from named numbers. */
#include "workers/learn/algorithms/hyper.h"

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
