/* Code that is compiled twice, for any processor and for those with wide registers (AVX2), and
 * chosen when it runs; what a search asks after every throw also a third time, for the widest
 * registers (AVX-512: WIDEST_ONLY, widest_here()). Without fused multiply-adds (CMakeLists.txt) all
 * give the same bytes.
 *
 *   WIDE_INLINE void f(...) { … }               the code, over vectors of 32 bytes
 *   WIDE_ONLY void f_wide(...) { f(...); }      the same for wide registers
 *   if (wide_here()) f_wide(...); else f(...);  */
#ifndef RINKD_MODELS_NETWORKS_WIDE_H
#define RINKD_MODELS_NETWORKS_WIDE_H

#include <stdbool.h>

/* Tests compile it for fewer registers than the processor has: 0 for any processor, 1 for AVX2 at
 * most. */
#ifndef WIDE_AT_MOST
#define WIDE_AT_MOST 2
#endif

#define WIDE_INLINE static inline __attribute__((always_inline))

#ifdef __x86_64__
#define WIDE_ONLY __attribute__((target("avx2"))) static
static inline bool wide_here(void)
{
    return WIDE_AT_MOST >= 1 && __builtin_cpu_supports("avx2");
}

/* gcc makes loops only half as wide unless it is told to; clang does not need that. */
#ifdef __clang__
#define WIDEST_ONLY __attribute__((target("avx512f,avx512vl"))) static
#else
#define WIDEST_ONLY __attribute__((target("avx512f,avx512vl,prefer-vector-width=512"))) static
#endif
static inline bool widest_here(void)
{
    return WIDE_AT_MOST >= 2 && __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512vl");
}
#else
#define WIDE_ONLY static
static inline bool wide_here(void)
{
    return false;
}

#define WIDEST_ONLY static
static inline bool widest_here(void)
{
    return false;
}
#endif

#endif
