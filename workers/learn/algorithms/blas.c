/* Asks the loader which library provides the matrix product of the module with libtorch. */
#include "workers/learn/algorithms/blas.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool blas_is_slow(size_t size, char *ret_path)
{
    static const char *const fast[] = {"openblas", "libmkl", "blis", "/atlas/", "libarmpl", NULL};
    void *module = dlopen("librinkd_torch.so", RTLD_LAZY | RTLD_NOLOAD);
    void *product = module ? dlsym(module, "sgemm_") : NULL;
    Dl_info from = {.dli_fname = NULL};
    bool known = product && dladdr(product, &from) != 0 && from.dli_fname;
    char *path = known ? realpath(from.dli_fname, NULL) : NULL; /* links select the BLAS */
    bool is_slow = path != NULL;

    for (int k = 0; is_slow && fast[k]; k++)
        is_slow = strstr(path, fast[k]) == NULL;
    if (is_slow)
        snprintf(ret_path, size, "%s", path);
    free(path);
    if (module)
        dlclose(module);
    return is_slow;
}
