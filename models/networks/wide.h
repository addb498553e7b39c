/* Code that is compiled twice, for any processor and for those with wide registers (AVX2), and
 * chosen when it runs; where half the time goes, a third time for the widest (AVX-512). Without
 * fused multiply-adds (CMakeLists.txt) all give the same bytes.
 *
 *   WIDE_INLINE void f(...) { … }               the code, over vectors of 32 bytes
 *   WIDE_ONLY void f_wide(...) { f(...); }      the same for wide registers
 *   if (wide_here()) f_wide(...); else f(...);  */
#ifndef RINKD_MODELS_NETWORKS_WIDE_H
#define RINKD_MODELS_NETWORKS_WIDE_H

#include <stdbool.h>

#define WIDE_INLINE static inline __attribute__((always_inline))

#ifdef __x86_64__
#define WIDE_ONLY __attribute__((target("avx2"))) static
static inline bool wide_here(void)
{
    return __builtin_cpu_supports("avx2");
}

#define WIDEST_ONLY __attribute__((target("avx512f,avx512vl,prefer-vector-width=512"))) static
static inline bool widest_here(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl");
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
