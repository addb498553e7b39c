/* Counter-based random numbers: the key's fields laid out as Philox key and counter. */
#include "models/ice/random.h"

#include <Random123/philox.h>

void random_bits(const struct random_key *key, uint64_t sample, uint64_t block,
                 uint64_t ret_bits[4])
{
    philox4x64_key_t philox_key = {{key->seed, key->stream}};
    philox4x64_ctr_t counter = {
        {key->game, (uint64_t)key->purpose << 32 | key->shot, sample, block}};
    philox4x64_ctr_t bits = philox4x64_R(10, counter, philox_key);

    for (int k = 0; k < 4; k++)
        ret_bits[k] = bits.v[k];
}

double random_uniform(const struct random_key *key, uint64_t sample)
{
    uint64_t bits[4];

    random_bits(key, sample, 0, bits);
    return random_unit(bits[0]);
}

struct normal_pair random_normal_pair(const struct random_key *key, uint64_t sample)
{
    uint64_t bits[4];

    random_bits(key, sample, 0, bits);
    return (struct normal_pair){normal_quantile(random_unit(bits[0])),
                                normal_quantile(random_unit(bits[1]))};
}
