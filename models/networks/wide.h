/* Compiles code twice, for any processor and for wide registers (AVX2), and chooses at run time.
 * The code that searches run after every throw is also compiled for the widest registers (AVX-512:
 * WIDEST_ONLY, widest_here()). Without fused multiply-adds (CMakeLists.txt) all variants give the
 * same bytes.
 *
 *   WIDE_INLINE void f(...) { … }               the code, over vectors of 32 bytes
 *   WIDE_ONLY void f_wide(...) { f(...); }      the same for wide registers
 *   if (wide_here()) f_wide(...); else f(...);  */
#ifndef RINKD_MODELS_NETWORKS_WIDE_H
#define RINKD_MODELS_NETWORKS_WIDE_H

#include <stdbool.h>

/* Tests limit the registers: 0 for any processor, 1 for AVX2 at most. */
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

/* gcc vectorises loops only to half the width without this option; clang does not need it. */
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
