/* Looks through the files that are mapped into this process. */
#include "workers/learn/blas.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool has_one_of(const char *path, const char *const *names)
{
    for (; *names; names++)
        if (strstr(path, *names))
            return true;
    return false;
}

bool blas_is_slow(size_t size, char *ret_path)
{
    static const char *const fast[] = {"openblas", "libmkl", "blis", "atlas", "libarmpl", NULL};
    FILE *maps = fopen("/proc/self/maps", "re");
    bool is_fast = false, is_there = false;
    char *line = NULL;
    size_t capacity = 0;

    while (maps && getline(&line, &capacity, maps) > 0) {
        const char *path = strchr(line, '/');
        if (!path)
            continue;
        line[strcspn(line, "\n")] = '\0';
        is_fast = is_fast || has_one_of(path, fast);
        if (!is_there && strstr(path, "/libblas.so")) {
            snprintf(ret_path, size, "%s", path);
            is_there = true;
        }
    }
    free(line);
    if (maps)
        fclose(maps);
    return is_there && !is_fast;
}
