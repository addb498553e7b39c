/* Which library multiplies matrices for libtorch. Debian's plain one is about ten times slower than
 * OpenBLAS, and which of them is used is the machine's choice, so it is looked at. */
#ifndef RINKD_WORKERS_LEARN_ALGORITHMS_BLAS_H
#define RINKD_WORKERS_LEARN_ALGORITHMS_BLAS_H

#include <stdbool.h>
#include <stddef.h>

/* True where the module with libtorch is loaded and multiplies with a library that is none of those
 * made for speed; its path in ret_path (at most `size` bytes with the final 0). */
bool blas_is_slow(size_t size, char *ret_path);

#endif
