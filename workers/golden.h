/* Golden numbers: hashes of what a program computes from fixed inputs, bit for bit. Results and
 * weights are the same on two machines only if these are; rinkd compares them before it gives a
 * node tasks (service/nodes/golden.h). Written as one line:
 *
 *   {"version":"0.1.0","golden":{"throws/dc2":"9f3c…",…},"shots_per_s":812345} */
#ifndef RINKD_WORKERS_GOLDEN_H
#define RINKD_WORKERS_GOLDEN_H

#include "models/base/fnv1a.h"

#include <jansson.h>
#include <stdbool.h>
#include <string.h>

static inline uint64_t golden_bits(uint64_t hash, uint64_t bits)
{
    unsigned char bytes[8]; /* the same byte order on every machine */

    for (int k = 0; k < 8; k++)
        bytes[k] = (unsigned char)(bits >> 8 * k);
    return fnv1a(hash, bytes, sizeof bytes);
}

static inline uint64_t golden_double(uint64_t hash, double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    return golden_bits(hash, bits);
}

/* Adds a hash under "NAME/OF", or "NAME" if `of` is NULL. False: memory is short. */
bool golden_add(json_t *numbers, const char *name, const char *of, uint64_t hash);

/* Prints the line; steals the numbers. shots_per_s NAN: not measured. Returns the exit status. */
int golden_print(const char *version, json_t *numbers, double shots_per_s);

#endif
