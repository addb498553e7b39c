/* Kinds take turns; kernels tell which shots nearly do the same. */
#include "workers/search/tree/kr_pick.h"

#include "workers/search/shots/kernel.h"

int kr_pick(const struct noise *noise, const struct candidate *candidates, int count, int most,
            int *ret_picked)
{
    const double nearly_the_same = 0.9;
    int picked = 0, next[SHOT_KIND_COUNT] = {0};
    struct kernel kernels[CANDIDATES_MAX];

    for (bool found = true; found;) {
        found = false;
        for (int kind = 0; kind < SHOT_KIND_COUNT; kind++) {
            bool taken = false;
            for (; next[kind] < count && picked < most && !taken; next[kind]++) {
                const struct candidate *candidate = &candidates[next[kind]];
                taken = (int)candidate->kind == kind;
                for (int k = 0; k < picked && taken; k++)
                    taken = kernel_density(&kernels[k], candidate->shot) <= nearly_the_same;
                if (taken) {
                    kernels[picked] = kernel_at(noise, candidate->shot);
                    ret_picked[picked++] = next[kind];
                    found = true;
                }
            }
        }
    }
    return picked;
}
