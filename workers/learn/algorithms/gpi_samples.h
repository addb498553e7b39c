/* Samples of generalised policy iteration (gpi.c): one end each, of which one shot is random.
 *
 * The sample of a network Q^k_m is the position before shot m, the random shot that is thrown
 * there, and the score of the end for its thrower. In iteration 1 all shots of the end are random.
 * Later, shots before m are the best of draws_before random ones by Q^(k-1), which varies the
 * positions, and shots after m the best of draws_after. A sample depends on its round and its
 * number alone, so any machine can make any range of them. */
#ifndef RINKD_WORKERS_LEARN_ALGORITHMS_GPI_SAMPLES_H
#define RINKD_WORKERS_LEARN_ALGORITHMS_GPI_SAMPLES_H

#include "models/ice/noise.h"
#include "models/networks/compact_position.h"
#include "workers/search/policy/shot_values.h"

struct gpi_round {
    const struct rules *rules;
    struct noise noise;
    struct shot_box box;
    uint64_t seed;
    int iteration; /* k, from 1 */
    int shot;      /* m, 0 … 15 */
    int draws_before, draws_after;
};

struct gpi_sample {
    struct compact_position before;
    float across, along; /* m/s */
    int8_t turn;         /* +1 counter-clockwise, -1 clockwise */
    int8_t points;       /* of the thrower */
};

/* Makes sample number `number`. `policy`: Q^(k-1), NULL in iteration 1. False: a network failed or
 * a shot could not be thrown. */
bool gpi_sample_make(const struct gpi_round *round, struct policy *policy, uint64_t number,
                     struct gpi_sample *ret_sample);

/* A sample in a file: the same bytes on every machine. */
enum { GPI_SAMPLE_BYTES = 68 + 2 * 4 + 2 };
void gpi_sample_pack(const struct gpi_sample *sample, unsigned char ret_bytes[GPI_SAMPLE_BYTES]);
void gpi_sample_open(const unsigned char bytes[GPI_SAMPLE_BYTES], struct gpi_sample *ret_sample);
/* Whether bytes can be a sample of this shot: stones on the sheet thrown before it, a shot that can
 * be thrown, a score that an end can have. */
bool gpi_sample_is_sound(const unsigned char bytes[GPI_SAMPLE_BYTES], const struct rules *rules,
                         int shot);

/* Writes the inputs of a network for a sample, or for its mirror image. */
void gpi_sample_inputs(const struct gpi_round *round, const struct gpi_sample *sample, bool mirror,
                       float ret_inputs[POLICY_SHOTS_INPUTS]);

/* Returns the points of the thrower if the end stopped after the shot, thrown without noise: the
 * prediction by counting stones. NAN: it could not be thrown. */
double gpi_sample_count(const struct gpi_round *round, const struct gpi_sample *sample);

#endif
