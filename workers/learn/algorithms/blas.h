/* Checks which library multiplies matrices for libtorch: the machine's configuration chooses it,
 * and Debian's plain BLAS is about ten times slower than OpenBLAS and BLIS. */
#ifndef RINKD_WORKERS_LEARN_ALGORITHMS_BLAS_H
#define RINKD_WORKERS_LEARN_ALGORITHMS_BLAS_H

#include <stdbool.h>
#include <stddef.h>

/* True if the module with libtorch is loaded and uses none of the known fast libraries; sets the
 * path of its library in ret_path (at most `size` bytes with the final 0). */
bool blas_is_slow(size_t size, char *ret_path);

#endif
