/* See pilots.h. */
#include "service/placement/pilots.h"

#include <assert.h>

int pilots_wanted(const struct pilots_limits *limits, const struct pilots_seen *seen)
{
    assert(limits->cores > 0 && 0 <= limits->least && limits->least <= limits->most);
    int64_t cores = seen->waiting_cores + seen->busy_cores;
    int64_t wanted = cores / limits->cores + (cores % limits->cores > 0);

    if (wanted < limits->least)
        return limits->least;
    return wanted > limits->most ? limits->most : (int)wanted;
}

int pilots_missing(const struct pilots_limits *limits, const struct pilots_seen *seen)
{
    int missing = pilots_wanted(limits, seen) - seen->pending - seen->running;

    return missing >= -seen->pending ? missing : -seen->pending;
}
