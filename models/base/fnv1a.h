/* FNV-1a (Fowler, Noll and Vo), 64 bits: a short hash of names and results. Not safe against chosen
 * input. */
#ifndef RINKD_MODELS_BASE_FNV1A_H
#define RINKD_MODELS_BASE_FNV1A_H

#include <stddef.h>
#include <stdint.h>

#define FNV1A_START UINT64_C(0xcbf29ce484222325)

/* Continues `hash`, which begins as FNV1A_START, with `size` bytes. */
static inline uint64_t fnv1a(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *byte = (const unsigned char *)bytes;

    for (size_t k = 0; k < size; k++)
        hash = (hash ^ byte[k]) * UINT64_C(0x100000001b3);
    return hash;
}

#endif
